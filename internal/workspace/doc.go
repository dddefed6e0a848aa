// Package workspace holds the trees that a session works in, outside the
// user's checkout, and brings their result onto a branch.
//
// It knows which files are the harness's own and what may come back from a
// command. It must never change the user's checkout except by a fast-forward
// that overwrites nothing, and never decide whether work is good.
package workspace
