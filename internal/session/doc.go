// Package session runs one step from start to commit: it orients itself,
// chooses a feature, has its contract compiled, drives the model through the
// tools, checks the exact tree and lands one commit, or keeps the attempt and
// says why not.
//
// It must never believe a model about what was done: whether a flag flips is
// decided by what internal/verify observed on a tree id. It never writes into
// the user's checkout; internal/workspace and gitops do what landing needs.
package session
