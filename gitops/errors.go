package gitops

import (
	"errors"
	"fmt"
	"strings"
)

var (
	// ErrNotFound says that a revision, object or path does not exist.
	ErrNotFound = errors.New("not found")
	// ErrRefMoved says that a ref did not hold the expected value.
	ErrRefMoved = errors.New("the ref moved meanwhile")
	// ErrSigning says that a commit could not be signed without asking.
	ErrSigning = errors.New("the commit could not be signed without asking")
)

// Error is a git call that failed, in git's own words.
type Error struct {
	Args     []string
	ExitCode int
	Stderr   string
}

func (e *Error) Error() string {
	what := "git"
	if len(e.Args) > 0 {
		what += " " + e.Args[0]
	}
	msg := strings.TrimSpace(e.Stderr)
	if msg == "" {
		return fmt.Sprintf("%s: exit status %d", what, e.ExitCode)
	}
	return what + ": " + msg
}

// LocalChangesError names what in the user's work tree would have been
// overwritten; nothing was.
type LocalChangesError struct {
	Paths     []string
	Untracked bool // files git does not track (ignored ones too), not changed tracked ones
}

func (e *LocalChangesError) Error() string {
	kind := "local changes"
	if e.Untracked {
		kind = "untracked or ignored files"
	}
	return fmt.Sprintf("%s are in the way: %s", kind, list(e.Paths))
}

// LocalFilterError names paths that would go through a filter which only this
// repository's own config defines; such a filter is never run unasked.
type LocalFilterError struct{ Paths []string }

func (e *LocalFilterError) Error() string {
	return "filters from this repository's own config apply to " + list(e.Paths)
}

// NestedRepoError names folders called .git inside a tree.
type NestedRepoError struct{ Paths []string }

func (e *NestedRepoError) Error() string {
	return "nested repository at " + list(e.Paths)
}

// list names the first few of paths.
func list(paths []string) string {
	const max = 5
	if len(paths) <= max {
		return strings.Join(paths, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(paths[:max], ", "), len(paths)-max)
}
