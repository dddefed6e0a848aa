package gitops

import (
	"os"
	"path/filepath"
	"strings"

	"gitagent/internal/hint"
)

// refuseForged refuses a folder whose .git only says that it belongs to another
// repository: trust and state of that one would count for files that somebody
// else put here. A linked work tree is known by the repository that it names.
func (r *Repo) refuseForged() error {
	if os.Getenv("GIT_DIR") != "" || r.top == "" { // a person's own word
		return nil
	}
	if r.gitDir == r.commonDir {
		st, err := os.Lstat(filepath.Join(r.top, ".git"))
		if err != nil || !st.Mode().IsRegular() || filepath.Base(r.gitDir) != ".git" {
			return nil // the plain case, or a git folder kept apart
		}
		return r.forged("names the git folder of another work tree, " + r.gitDir)
	}
	if !sameFolder(filepath.Dir(r.gitDir), filepath.Join(r.commonDir, "worktrees")) {
		return r.forged("takes its objects and settings from another repository, " + r.commonDir)
	}
	data, err := os.ReadFile(filepath.Join(r.gitDir, "gitdir"))
	back := strings.TrimRight(string(data), "\r\n")
	if !filepath.IsAbs(back) {
		back = filepath.Join(r.gitDir, back)
	}
	if err != nil || !sameFolder(filepath.Dir(back), r.top) {
		return r.forged("says that it is a work tree of " + r.commonDir + ", which does not know it")
	}
	return nil
}

func (r *Repo) forged(why string) error {
	return hint.Errorf("if it is yours and was moved, run there: git worktree repair", "%s is refused: its .git %s", r.top, why)
}

// sameFolder compares two folders, links resolved.
func sameFolder(a, b string) bool {
	sa, err := os.Stat(a)
	if err != nil {
		return false
	}
	sb, err := os.Stat(b)
	return err == nil && os.SameFile(sa, sb)
}
