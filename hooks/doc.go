// Package hooks holds the rules that every commit is bound by and the git hooks
// that say so early.
//
// It knows the guards (pure functions over two trees, compared by blob id), how
// a range of history is judged with them, how a person's permission for one
// commit is kept and recorded, and how a hook is placed beside those of other
// tools and taken out again without a trace.
//
// It must never run a command that a repository brings, never write to the
// working tree of a user (the hook files of husky, which live there, apart),
// and never block a commit because of a fault of its own.
package hooks
