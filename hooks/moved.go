package hooks

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gitagent/features"
	"gitagent/gitops"
	"gitagent/internal/plain"
)

// RefMove is a ref that moved since the last look. How is "new", "forward",
// "rewritten" (what it named is no longer behind it) or "deleted".
type RefMove struct {
	Ref string     `json:"ref"`
	Old gitops.OID `json:"old,omitempty"`
	New gitops.OID `json:"new,omitempty"`
	How string     `json:"how"`
}

// CheckMoved judges what is new on every branch, tag and stash since the last
// Remember, and tells which of them moved; at first, all since there is a feature
// list. It finds what no range would show: work on another branch, and branches that were rewritten.
func CheckMoved(ctx context.Context, repo *gitops.Repo) (Report, error) {
	before, err := remembered(repo)
	if err != nil {
		return Report{}, err
	}
	now, err := watched(ctx, repo)
	if err != nil {
		return Report{}, err
	}
	moves, err := compareRefs(ctx, repo, before, now)
	if err != nil {
		return Report{}, err
	}
	var revs []string
	for _, m := range moves {
		if m.New != "" {
			revs = append(revs, string(m.New))
		}
	}
	report := Report{}
	if len(revs) > 0 {
		if before == nil {
			if before, err = beforeTheList(ctx, repo); err != nil {
				return report, err
			}
		}
		for _, old := range before {
			if _, err := repo.Commit(ctx, string(old.OID)); err == nil { // not yet gone
				revs = append(revs, "^"+string(old.OID))
			} else if !errors.Is(err, gitops.ErrNotFound) && ctx.Err() != nil {
				return report, err
			}
		}
		if report, err = checkRevs(ctx, repo, revs); err != nil {
			return report, err
		}
	}
	report.Moved = moves
	report.Local, err = CheckClone(ctx, repo)
	return report, err
}

// Remember takes where all refs are now as looked at.
func Remember(ctx context.Context, repo *gitops.Repo) error {
	refs, err := watched(ctx, repo)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	for _, r := range refs {
		fmt.Fprintf(&b, "%s %s\n", r.OID, r.Name)
	}
	file := checkedFile(repo)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return fmt.Errorf("remember what was checked: %w", err)
	}
	return replaceFile(file, b.Bytes(), 0o644)
}

// Skip is Remember where there was no time to look at all that is new; Skipped
// says so until CaughtUp.
func Skip(ctx context.Context, repo *gitops.Repo) error {
	if err := Remember(ctx, repo); err != nil {
		return err
	}
	return replaceFile(skippedFile(repo), []byte("some commits were never checked: git agent check\n"), 0o644)
}

// Skipped says whether commits were taken as looked at that nobody looked at.
func Skipped(repo *gitops.Repo) bool {
	_, err := os.Stat(skippedFile(repo))
	return err == nil
}

// CaughtUp is for when all of history was looked at.
func CaughtUp(repo *gitops.Repo) error {
	if err := os.Remove(skippedFile(repo)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("remember that all is checked: %w", err)
	}
	return nil
}

func skippedFile(repo *gitops.Repo) string { return filepath.Join(repo.AgentDir(), "unchecked") }

func checkedFile(repo *gitops.Repo) string { return filepath.Join(repo.AgentDir(), "checked") }

// remembered reads what Remember wrote; nothing where it never did.
func remembered(repo *gitops.Repo) ([]gitops.Ref, error) {
	data, err := os.ReadFile(checkedFile(repo))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read what was checked: %w", err)
	}
	var refs []gitops.Ref
	for line := range strings.Lines(string(data)) {
		id, name, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok || strings.Trim(id, "0123456789abcdef") != "" || len(id) < 40 {
			return nil, nil // not ours any more: begin anew
		}
		refs = append(refs, gitops.Ref{OID: gitops.OID(id), Name: name})
	}
	return refs, nil
}

// watched lists the commits of the refs that people and tools put work on. The
// harness's own, and what was only fetched, are left out.
func watched(ctx context.Context, repo *gitops.Repo) ([]gitops.Ref, error) {
	out, err := repo.Commits(ctx, "refs/heads/", "refs/tags/", "refs/stash")
	if err != nil {
		return nil, err
	}
	head, err := repo.Head(ctx)
	if err == nil && head.Branch == "" && head.Commit != "" {
		out = append(out, gitops.Ref{Name: "HEAD", OID: head.Commit})
	}
	return out, err
}

// beforeTheList is the commit on which the feature list was put, none where it
// began the history: what is behind it knew no rules, and may be long.
func beforeTheList(ctx context.Context, repo *gitops.Repo) ([]gitops.Ref, error) {
	since, err := repo.Log(ctx, gitops.LogOptions{FirstParent: true, Reverse: true, Paths: []string{features.Path}})
	if err != nil || len(since) == 0 || len(since[0].Parents) == 0 {
		return nil, err
	}
	return []gitops.Ref{{OID: since[0].Parents[0]}}, nil // of a merge, the others may have the list
}

func compareRefs(ctx context.Context, repo *gitops.Repo, before, now []gitops.Ref) ([]RefMove, error) {
	old := map[string]gitops.OID{}
	for _, r := range before {
		old[r.Name] = r.OID
	}
	var moves []RefMove
	for _, r := range now {
		was := old[r.Name]
		delete(old, r.Name)
		m := RefMove{Ref: r.Name, Old: was, New: r.OID, How: "forward"}
		switch {
		case was == r.OID:
			continue
		case was == "":
			m.How = "new"
		default:
			behind, err := repo.IsAncestor(ctx, was, string(r.OID))
			var gone *gitops.Error
			if err != nil && !errors.As(err, &gone) {
				return nil, err
			}
			if !behind {
				m.How = "rewritten"
			}
		}
		moves = append(moves, m)
	}
	for name, was := range old {
		moves = append(moves, RefMove{Ref: name, Old: was, How: "deleted"})
	}
	slices.SortFunc(moves, func(a, b RefMove) int { return strings.Compare(a.Ref, b.Ref) })
	return moves, nil
}

// CheckClone looks for what is set up in this clone alone and makes git show, or
// leave out, something else than is committed: index flags that hide files,
// replaced objects, grafts.
func CheckClone(ctx context.Context, repo *gitops.Repo) ([]Violation, error) {
	var out []Violation
	add := func(code, path, what, why string) {
		out = append(out, Violation{Guard: GuardHygiene, Code: code, Path: path, What: what, Why: why, Warn: true})
	}
	replaced, err := repo.Refs(ctx, "refs/replace/")
	if err != nil {
		return nil, err
	}
	if len(replaced) > 0 {
		add("hygiene.replaced", "refs/replace", fmt.Sprintf("%s replaced: git shows others than are there", plain.Count(len(replaced), "object")), "what is checked and what is shown must be the same; git replace -d takes one back")
	}
	if data, err := os.ReadFile(filepath.Join(repo.CommonDir(), "info", "grafts")); err == nil && len(bytes.TrimSpace(data)) > 0 {
		add("hygiene.grafts", "info/grafts", "grafts are set: git shows other parents than commits have", "what is checked and what is shown must be the same")
	}
	if repo.Top() == "" {
		return out, nil
	}
	hidden, err := repo.HiddenFiles(ctx)
	if err != nil {
		return nil, err
	}
	for i, h := range hidden {
		if i == linesPerGuard {
			add("hygiene.hidden", h, fmt.Sprintf("and %d more files are hidden", len(hidden)-i), "git status does not show what changes in them")
			break
		}
		add("hygiene.hidden", h, h+" is hidden from git status by a flag of the index", "its changes are neither seen nor committed; git update-index --no-skip-worktree --no-assume-unchanged shows it again")
	}
	return out, nil
}
