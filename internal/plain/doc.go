// Package plain makes foreign text safe to show and to store: what comes from
// files, pages, tools and models is data and may not steer a terminal, hide
// from a reader or flood a prompt.
//
// It must never interpret what it cleans.
package plain
