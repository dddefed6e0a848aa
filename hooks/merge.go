package hooks

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"gitagent/features"
	"gitagent/gitops"
	"gitagent/internal/verify/evidence"
	"gitagent/progress"
)

// drivers are the merge drivers, and the files that each joins. They stand in
// this clone's own attributes: nothing of the project changes, and a clone
// without git agent merges as git does.
func drivers() []driver {
	return []driver{
		{"list", "the list of features", []string{features.Path}},
		{"log", "a log that grows at its end", []string{progress.Path, progress.StatusDir + "/*.md"}},
		{"evidence", "the proof of a feature", []string{evidenceDir + "*.json"}},
	}
}

type driver struct {
	kind, what string
	patterns   []string
}

func (d driver) name() string { return "agent-" + d.kind }

// command is what git runs: a shell line, so that a missing binary merges as git
// would.
func (d driver) command(binary string) string {
	line := fmt.Sprintf("if command -v git-agent >/dev/null 2>&1; then git-agent merge-driver %s %%O %%A %%B; ", d.kind)
	if q := quote(binary); q != "" && !strings.Contains(q, "%") {
		line += fmt.Sprintf("elif [ -x %s ]; then %s merge-driver %s %%O %%A %%B; ", q, q, d.kind)
	}
	return line + "else git merge-file %A %O %B; fi"
}

const (
	attributesBegin = "# >>> git-agent merge v1 >>> (managed; git agent hooks uninstall removes it)"
	attributesEnd   = "# <<< git-agent merge <<<"
)

// Merge is one call of a merge driver: kind is "list", "log" or "evidence", the
// files are as git names them (what both come from, ours, theirs). The result
// is left in ours. false says that a person must decide: ours then holds both
// sides, marked.
func Merge(ctx context.Context, kind, base, ours, theirs string) (merged bool, err error) {
	var sides [3][]byte
	for i, name := range []string{base, ours, theirs} {
		if sides[i], err = os.ReadFile(name); err != nil {
			return false, fmt.Errorf("read a side of the merge: %w", err)
		}
	}
	var out []byte
	switch kind {
	case "list":
		out, err = features.Merge(sides[0], sides[1], sides[2])
	case "log":
		out, err = progress.Merge(sides[0], sides[1], sides[2])
	case "evidence":
		out = betterEvidence(sides[1], sides[2])
	default:
		return false, fmt.Errorf("there is no merge driver %q", kind)
	}
	if err != nil {
		return false, errors.Join(err, gitops.MergeFile(ctx, ours, base, theirs))
	}
	if bytes.Equal(out, sides[1]) {
		return true, nil
	}
	if err := os.WriteFile(ours, out, 0o644); err != nil {
		return false, fmt.Errorf("write the merge: %w", err)
	}
	return true, nil
}

// betterEvidence is one of two proofs of the same feature: the later one that
// can be read. What it is worth for the merged files is for check to say.
func betterEvidence(ours, theirs []byte) []byte {
	a, errA := evidence.Parse(ours)
	b, errB := evidence.Parse(theirs)
	if errB == nil && (errA != nil || b.Time.After(a.Time)) {
		return theirs
	}
	return ours
}

// installMerge sets the drivers up in this clone; twice changes nothing.
func installMerge(ctx context.Context, repo *gitops.Repo, binary string) error {
	conf, err := repo.Config(ctx)
	if err != nil {
		return err
	}
	var b strings.Builder
	b.WriteString(attributesBegin + "\n")
	for _, d := range drivers() {
		for key, value := range map[string]string{"name": d.what, "driver": d.command(binary)} {
			key = "merge." + d.name() + "." + key
			if had, ok := conf.Get(key); ok && had == value {
				continue
			}
			if err := repo.SetConfig(ctx, key, value); err != nil {
				return err
			}
		}
		for _, p := range d.patterns {
			fmt.Fprintf(&b, "/%s merge=%s\n", p, d.name())
		}
	}
	b.WriteString(attributesEnd + "\n")
	return editAttributes(repo, b.String())
}

// uninstallMerge takes out what installMerge put in.
func uninstallMerge(ctx context.Context, repo *gitops.Repo) error {
	if err := editAttributes(repo, ""); err != nil {
		return err
	}
	conf, err := repo.Config(ctx)
	if err != nil {
		return err
	}
	for _, d := range drivers() {
		if _, ok := conf.Get("merge." + d.name() + ".driver"); !ok {
			continue
		}
		if err := repo.RemoveConfig(ctx, "merge."+d.name()); err != nil {
			return err
		}
	}
	return nil
}

// editAttributes puts our section into the clone's own attributes, in place of
// the one that is there; "" takes it out.
func editAttributes(repo *gitops.Repo, section string) error {
	file := filepath.Join(repo.CommonDir(), "info", "attributes")
	old, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("read the attributes of this clone: %w", err)
	}
	rest := string(old)
	if start := lineStart(old, attributesBegin); start >= 0 {
		if end := strings.Index(rest[start:], attributesEnd); end >= 0 {
			rest = rest[:start] + strings.TrimPrefix(rest[start+end+len(attributesEnd):], "\n")
		}
	}
	if section != "" && rest != "" && !strings.HasSuffix(rest, "\n") {
		rest += "\n"
	}
	new := rest + section
	if new == string(old) {
		return nil
	}
	if new == "" {
		return remove(file)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return fmt.Errorf("write the attributes of this clone: %w", err)
	}
	return replaceFile(file, []byte(new), 0o644)
}
