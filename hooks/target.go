package hooks

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"gitagent/gitops"
	"gitagent/internal/hint"
)

// ErrElsewhere says that the effective hooks folder is not git agent's to write
// to; the hints of the error name the line that a person may add there.
var ErrElsewhere = errors.New("hooks were not installed")

// target is where hooks go.
type target struct {
	dir   string // the folder of the files that are written
	husky bool   // dir is husky's: no shebang and no run bit needed, shared with others
	path  gitops.HooksPath
	names []string // the hooks that are ours to look after
}

// find says where the hooks of this repository are, wherever that is.
func find(ctx context.Context, repo *gitops.Repo) (target, error) {
	path, err := repo.HooksPath(ctx)
	if err != nil {
		return target{}, err
	}
	t := target{dir: path.Dir, path: path, names: hookNames()}
	if repo.Bare() {
		t.names = []string{hookPreReceive} // nobody commits there
	}
	if path.InWorktree && isHusky(path.Dir) {
		// husky writes the folder _ anew at each npm install; what people
		// keep is beside it.
		t.dir, t.husky = filepath.Dir(path.Dir), true
	}
	if data, err := os.ReadFile(filepath.Join(t.dir, hookPrePush)); err == nil && takeApart(data).form != formNone {
		t.names = append(t.names, hookPrePush)
	}
	return t, nil
}

// isHusky says whether dir is the folder that husky 9 generates.
func isHusky(dir string) bool {
	if filepath.Base(dir) != "_" {
		return false
	}
	_, err := os.Stat(filepath.Join(dir, "h"))
	return err == nil || filepath.Base(filepath.Dir(dir)) == ".husky"
}

// refusal is why nothing may be written to the target, nil when it may.
func (t target) refusal(repo *gitops.Repo) error {
	p := t.path
	why := ""
	switch {
	case !p.Configured || t.husky:
		return nil
	case p.Disabled:
		return hint.New(fmt.Errorf("%w: core.hooksPath in %s switches all hooks off", ErrElsewhere, p.Origin),
			"take core.hooksPath out there to have hooks; git agent check judges commits without them")
	case p.Scope == "global" || p.Scope == "system":
		why = fmt.Sprintf("core.hooksPath in %s sends the hooks of every repository to %s", p.Origin, p.Dir)
	case p.Scope == "command":
		why = fmt.Sprintf("core.hooksPath is set to %s for this one command", p.Dir)
	case p.InWorktree:
		why = fmt.Sprintf("core.hooksPath is %s, whose files belong to the project", p.Dir)
	case !below(repo.CommonDir(), p.Dir):
		why = fmt.Sprintf("core.hooksPath is %s, which other repositories may use", p.Dir)
	default:
		return nil
	}
	hints := []string{"add these lines to the hooks there:"}
	for _, hook := range t.names {
		hints = append(hints, "  "+hook+":  "+Line(hook))
	}
	return hint.New(fmt.Errorf("%w: %s", ErrElsewhere, why), hints...)
}

// below says whether path lies in dir.
func below(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// hookFile is one hook file as it is now.
type hookFile struct {
	name    string
	path    string
	kept    string // where a former content is kept, if it is
	exists  bool
	regular bool
	mode    os.FileMode
	content []byte // of a regular file
	hasKept bool
}

func (t target) file(name string) (hookFile, error) {
	f := hookFile{name: name, path: filepath.Join(t.dir, name)}
	f.kept = f.path + keptSuffix
	if _, err := os.Lstat(f.kept); err == nil {
		f.hasKept = true
	}
	info, err := os.Lstat(f.path)
	if errors.Is(err, os.ErrNotExist) {
		return f, nil
	}
	if err != nil {
		return f, fmt.Errorf("look at the hook %s: %w", name, err)
	}
	f.exists, f.mode, f.regular = true, info.Mode(), info.Mode().IsRegular()
	if info.IsDir() {
		return f, fmt.Errorf("the hook %s is a folder", f.path)
	}
	if f.regular {
		if f.content, err = os.ReadFile(f.path); err != nil {
			return f, fmt.Errorf("read the hook %s: %w", name, err)
		}
	}
	return f, nil
}

// runs says whether git (or husky) would run the file.
func (f hookFile) runs(husky bool) bool {
	return husky || f.mode&0o111 != 0
}
