// Package rule is what all rules over files speak: a file before and after, and
// what was found.
//
// Rules are pure: they see the two contents of one path and nothing else, so
// that the same commit gives the same answer in a hook, in a session, on a
// server and years later.
package rule
