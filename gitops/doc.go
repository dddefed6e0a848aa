// Package gitops asks git every question and makes every change in it, one
// named method each.
//
// The git command is the backend for the index, refs, config, hooks and all
// writes; go-git only reads objects. A repository is hostile input: internal
// calls run no hook, filter, monitor, pager or helper that it names. The
// package must never write to a user's repository through go-git, never delete
// a lock it did not make, and never decide what a change means.
package gitops
