package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"gitagent/features"
	"gitagent/gitops"
	"gitagent/hooks"
	"gitagent/internal/browser"
	"gitagent/internal/hint"
	"gitagent/internal/model"
	"gitagent/internal/plain"
	"gitagent/internal/sandbox"
	"gitagent/internal/workspace"
)

// Finding is one thing that doctor looked at.
type Finding struct {
	Name string   `json:"name"`
	OK   bool     `json:"ok"`
	Text string   `json:"text"`
	Do   []string `json:"do,omitempty"` // what a person can do
}

// Diagnose looks at everything that a session needs. repo may be nil.
func Diagnose(ctx context.Context, repo *gitops.Repo, repoErr error, set Settings) []Finding {
	var all []Finding
	add := func(name, text string, err error) {
		f := Finding{Name: name, OK: err == nil, Text: text}
		if err != nil {
			f.Text, f.Do = plain.Line(err.Error(), 300), hint.Of(err)
		}
		all = append(all, f)
	}
	if repo == nil {
		add("repository", "", repoErr)
	} else {
		version, err := repo.Version(ctx)
		add("git", "git "+version+", "+repo.Top(), err)
		if !hasList(ctx, repo) {
			add("hooks", "none needed yet; git agent init installs them with its list", nil)
		} else {
			add("hooks", "installed, and a trial commit in a scratch clone was refused as it should be", hooks.Probe(ctx, repo))
		}
	}
	text, err := browserFinding(ctx, set)
	add("browser", text, err)
	text, err = sandboxFinding(ctx, set)
	add("sandbox", text, err)
	host, models, err := modelFindings(ctx, set)
	add("model host", host, err)
	if err == nil {
		all = append(all, models...)
	}
	text, err = pathFinding()
	add("git-agent", text, err)
	text, do, err := diskFinding(ctx, repo)
	add("disk", text, err)
	if err == nil {
		all[len(all)-1].Do = do
	}
	return all
}

// hasList says whether the last commit has a list, readable or not.
func hasList(ctx context.Context, repo *gitops.Repo) bool {
	tree, err := repo.TreeOf(ctx, "HEAD")
	if err == nil {
		_, err = repo.EntryAt(ctx, tree, features.Path)
	}
	return !errors.Is(err, gitops.ErrNotFound)
}

func browserFinding(ctx context.Context, set Settings) (string, error) {
	exe, err := browser.Find(set.Browser)
	if err != nil {
		return "", err
	}
	out, err := exec.CommandContext(ctx, exe, "--version").Output()
	if err != nil {
		return "", hint.New(fmt.Errorf("%s does not run: %w", exe, err), "install it anew, or name another with: git config agent.browser PATH")
	}
	return plain.Line(string(out), 80) + " at " + exe, nil
}

// sandboxFinding is the level that sessions here would reach. Less than all is
// a finding; what has to be consented to, or was refused, is a fault.
func sandboxFinding(ctx context.Context, set Settings) (string, error) {
	sb, err := contain(ctx, set.Sandbox)
	if err != nil {
		return "", err
	}
	text := sb.Level().String() + ": " + sb.Describe()
	if sb.Level() < sandbox.Landlock && set.Sandbox != sb.Level().String() {
		return "", hint.Errorf("step asks once before it works like this", "%s", text)
	}
	return text, nil
}

// modelFindings looks for the host and at each model that a tier uses.
func modelFindings(ctx context.Context, set Settings) (string, []Finding, error) {
	client, err := model.New(set.ModelSettings())
	if err != nil {
		return "", nil, err
	}
	version, err := client.Version(ctx)
	if err != nil {
		return "", nil, err
	}
	var found []Finding
	seen := map[string]bool{}
	for _, tier := range []model.Tier{model.Cheap, model.Medium, model.Strong} {
		f := Finding{Name: "model"}
		name, err := client.Model(tier)
		if err != nil { // a session takes the only one, too
			name, err = onlyModel(ctx, client)
		}
		if err == nil {
			if seen[name] {
				continue
			}
			seen[name] = true
			f.Text, err = client.Abilities(ctx, name)
		}
		if err != nil {
			f.Text, f.Do = plain.Line(err.Error(), 300), hint.Of(err)
		} else {
			f.OK = true
		}
		found = append(found, f)
		if name == "" {
			break
		}
	}
	return "Ollama " + version + " at " + client.Host(), found, nil
}

// pathFinding looks for another git-agent that git would start instead.
func pathFinding() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	found, err := exec.LookPath("git-agent")
	if err != nil {
		return "", hint.Errorf("put "+filepath.Dir(self)+" on PATH", "git-agent is not on PATH, so \"git agent\" and the hooks cannot find it")
	}
	a, errA := os.Stat(self)
	b, errB := os.Stat(found)
	if errA != nil || errB != nil || !os.SameFile(a, b) {
		return "", hint.Errorf("see which one is meant with: command -v git-agent", "another git-agent comes first on PATH: %s (this one is %s)", found, self)
	}
	return found, nil
}

// diskFinding says what sessions take of the disk, and how it is freed.
func diskFinding(ctx context.Context, repo *gitops.Repo) (text string, do []string, err error) {
	root, err := workspace.StateRoot()
	if err != nil {
		return "", nil, err
	}
	u, err := workspace.Used(ctx, repo, root)
	if err != nil {
		return "", nil, err
	}
	text = fmt.Sprintf("%s of running sessions, %s of killed ones in %s", megabytes(u.LiveBytes), megabytes(u.DeadBytes), root)
	if u.DeadBytes > 0 {
		do = append(do, "the next session sweeps what killed ones left")
	}
	if repo == nil {
		return text, do, nil
	}
	text += fmt.Sprintf("; kept in this repository: %s and %s of sessions, %s", plain.Count(u.Attempts, "attempt"), plain.Count(u.Records, "record"), megabytes(u.KeptBytes))
	if u.Attempts > 0 {
		do = append(do, "see what is kept, and let go of it, with: git agent forget")
	}
	return text, do, nil
}

// megabytes writes a size; what is less than one is said so.
func megabytes(n int64) string {
	if 0 < n && n < 1<<20 {
		return "under 1 MB"
	}
	return fmt.Sprintf("%d MB", n>>20)
}
