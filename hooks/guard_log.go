package hooks

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"gitagent/gitops"
	"gitagent/progress"
)

const whyLog = "the log is what the next session and every reader trust; it only grows at its end"

// logGuard: the old log, and each status file, is an exact prefix of the new;
// in a merge every parent's lines are there, in order.
func (c *commit) logGuard(ctx context.Context) ([]Violation, error) {
	var found []Violation
	for i, d := range c.diffs {
		for _, ch := range logChanges(d) {
			v, err := c.logFile(ctx, c.parents[i], ch)
			if err != nil {
				return nil, err
			}
			if v != nil && !holds(found, v.Code, v.Path) {
				found = append(found, *v)
			}
		}
	}
	return found, nil
}

func logChanges(d changes) []gitops.Change {
	var out []gitops.Change
	for path, ch := range d {
		if path == progress.Path || strings.HasPrefix(path, progress.StatusDir+"/") {
			out = append(out, ch)
		}
	}
	sortChanges(out)
	return out
}

// logFile judges one file against one parent.
func (c *commit) logFile(ctx context.Context, parent *tree, ch gitops.Change) (*Violation, error) {
	v := &Violation{Guard: GuardLog, Path: ch.Path, Why: whyLog, Override: override(GuardLog)}
	switch {
	case ch.Status == 'D':
		v.Code, v.What = "log.deleted", ch.Path+" is deleted"
		return v, nil
	case ch.NewMode != modeFile && ch.NewMode != ch.OldMode:
		v.Code, v.What = "log.mode", ch.Path+" becomes "+kindOf(ch.NewMode)
		return v, nil
	case ch.Status == 'A':
		return nil, nil
	}
	old, err := parent.read(ctx, ch.Path)
	if errors.Is(err, gitops.ErrNotFound) {
		return nil, nil // it was no file before: becoming one mends it
	}
	if err != nil {
		return nil, err
	}
	new, err := c.new.read(ctx, ch.Path)
	if err != nil {
		return nil, err
	}
	line := 0
	switch {
	case len(c.parents) > 1:
		line = lostLine(old, new)
	case !progress.IsPrefix(old, new):
		line = changedLine(old, new)
	}
	if line == 0 {
		return c.appended(ctx, v, old, new)
	}
	v.Code, v.Line, v.What = "log.rewritten", line, fmt.Sprintf("%s: line %d is changed or missing", ch.Path, line)
	return v, nil
}

// changedLine is the first line of old that new has not, or has otherwise.
func changedLine(old, new []byte) int {
	n := 0
	for n < len(old) && n < len(new) && old[n] == new[n] {
		n++
	}
	if n == len(old) && n > 0 { // all there, but the last line was lengthened
		n--
	}
	return bytes.Count(old[:n], []byte("\n")) + 1
}

// lostLine is the first line of old that is not found in new in old's order, 0
// when all are.
func lostLine(old, new []byte) int {
	next := new
	n := 0
	for line := range bytes.Lines(old) {
		n++
		for {
			if len(next) == 0 {
				return n
			}
			have, rest, _ := bytes.Cut(next, []byte("\n"))
			next = rest
			if bytes.Equal(have, bytes.TrimSuffix(line, []byte("\n"))) {
				break
			}
		}
	}
	return 0
}

func holds(vs []Violation, code, path string) bool {
	for _, v := range vs {
		if v.Code == code && v.Path == path {
			return true
		}
	}
	return false
}
