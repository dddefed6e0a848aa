package session

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"gitagent/features"
	"gitagent/gitops"
	"gitagent/hooks"
	"gitagent/internal/hint"
	"gitagent/internal/model"
	"gitagent/internal/plain"
	"gitagent/internal/project"
	"gitagent/progress"
)

// InitOptions are what init was asked for. Exactly one of Wish, Spec and List
// is set.
type InitOptions struct {
	Wish, Spec string
	List       []byte // features by hand
	Count      int
	Binary     string // absolute path of this program, for the hooks
	// Confirm shows the list to a person before anything is written; nil
	// takes it as it is. It returns the list to write, or ok false.
	Confirm func(*features.List) (list *features.List, ok bool, err error)
}

// InitResult says what init wrote.
type InitResult struct {
	Already  bool            `json:"already"`
	Features int             `json:"features"`
	Claimed  int             `json:"claimed"` // imported as passing, without evidence
	Files    []string        `json:"files"`
	Commit   gitops.OID      `json:"commit,omitempty"`
	Hooks    hooks.Installed `json:"hooks"`
	// HookAdvice says why the hooks were not installed and what to do.
	HookAdvice []string       `json:"hook_advice,omitempty"`
	List       *features.List `json:"-"`
	Config     project.Config `json:"-"`
	Receipt    Receipt        `json:"receipt"`
}

// ErrDeclined says that the person did not take the list; nothing was written.
var ErrDeclined = errors.New("nothing was written")

// ErrNoWish says that nothing was asked for.
var ErrNoWish = errors.New("init needs a wish, --spec or --features")

// Init makes the list and its companions in one commit of exactly these files.
// A repository that has them already is left as it is.
func Init(ctx context.Context, repo *gitops.Repo, set Settings, opt InitOptions, w Watcher) (InitResult, error) {
	in := initializer{repo: repo, set: set, opt: opt, watch: w}
	end, err := begin(ctx, repo, "init", func(format string, args ...any) {
		in.emit(Event{Kind: "warning", Text: fmt.Sprintf(format, args...)})
	})
	if err != nil {
		return InitResult{}, err
	}
	defer end()
	if err := in.sweep(); err != nil {
		return InitResult{}, err
	}
	list, err := in.existing(ctx)
	if err != nil || list != nil {
		return in.already(list), err
	}
	if opt.Wish == "" && opt.Spec == "" && opt.List == nil {
		return InitResult{}, hint.New(ErrNoWish, `git agent init "a pomodoro timer for the browser"`)
	}
	if op, err := repo.Operation(ctx); err != nil || op != "" {
		if err == nil {
			err = hint.Errorf("finish it or give it up first", "a %s is under way", op)
		}
		return InitResult{}, err
	}
	if err := repo.Identity(ctx); err != nil {
		return InitResult{}, err
	}
	list, err = in.list(ctx)
	if err != nil {
		return InitResult{}, err
	}
	return in.write(ctx, list)
}

type initializer struct {
	repo  *gitops.Repo
	set   Settings
	opt   InitOptions
	watch Watcher
	spec  string
	out   InitResult
}

func (in *initializer) emit(e Event) {
	if in.watch != nil {
		in.watch.On(e)
	}
}

// existing returns the list of the last commit, nil where there is none. A
// list that only lies in the checkout is no list yet: a person says whether to
// take it.
func (in *initializer) existing(ctx context.Context) (*features.List, error) {
	data, err := in.committed(ctx)
	if err != nil {
		return nil, err
	}
	loose := data == nil
	if loose {
		data, err = os.ReadFile(filepath.Join(in.repo.Top(), features.Path))
		if errors.Is(err, fs.ErrNotExist) || err == nil && in.opt.List != nil && bytes.Equal(data, in.opt.List) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
	}
	list, err := features.Parse(data)
	switch {
	case err != nil:
		return nil, hint.New(fmt.Errorf("the list that is here cannot be used: %w", err),
			"mend it, or take another form of list with: git agent init --features FILE (after moving it away)")
	case loose:
		return nil, hint.Errorf("take it as the list with: git agent init --features "+features.Path, "%s is there and was never committed", features.Path)
	}
	return list, nil
}

// committed reads the list at HEAD, nil when there is none.
func (in *initializer) committed(ctx context.Context) ([]byte, error) {
	head, err := in.repo.Head(ctx)
	if err != nil || head.Commit == "" {
		return nil, err
	}
	tree, err := in.repo.TreeOf(ctx, string(head.Commit))
	if err != nil {
		return nil, err
	}
	data, err := in.repo.ReadFile(ctx, tree, features.Path)
	if errors.Is(err, gitops.ErrNotFound) {
		return nil, nil
	}
	return data, err
}

func (in *initializer) already(list *features.List) InitResult {
	if list != nil {
		in.out.Already, in.out.Features = true, len(list.Features)
	}
	return in.out
}

// list makes the list: by hand, or by the planner; a person may look at it.
func (in *initializer) list(ctx context.Context) (*features.List, error) {
	name := filepath.Base(in.repo.Top())
	var list *features.List
	var err error
	if in.opt.List != nil {
		list, err = features.Import(in.opt.List, name, "")
	} else {
		list, err = in.plan(ctx, name)
	}
	if err != nil {
		return nil, err
	}
	if in.opt.Confirm == nil {
		return list, nil
	}
	list, ok, err := in.opt.Confirm(list)
	if err == nil && !ok {
		err = ErrDeclined
	}
	return list, err
}

func (in *initializer) plan(ctx context.Context, name string) (*features.List, error) {
	loaded, err := openModel(ctx, in.set, model.Medium, func(text string) {
		in.emit(Event{Kind: "note", Text: text})
	})
	if err != nil {
		return nil, err
	}
	text := in.opt.Wish
	if in.opt.Spec != "" {
		text = in.opt.Spec
	}
	plan, receipt, err := PlanFeatures(ctx, loaded, text, in.opt.Count, in.watch)
	in.out.Receipt = receipt
	if err != nil {
		return nil, err
	}
	in.spec = plan.Spec
	return features.New(name, plan.Goal, plan.Features)
}

// files are init's files in the order they are written; the list comes last,
// so that an interrupted init leaves none.
func (in *initializer) files(list *features.List) ([]newFile, error) {
	dir := os.DirFS(in.repo.Top())
	in.out.Config, _ = project.Detect(dir)
	files := []newFile{
		{path: project.ConfigPath, data: in.out.Config.Bytes()},
		{path: project.InitScript, data: project.Script(dir), exec: true},
		{path: progress.Path, data: progress.New(list.Project, list.Goal, time.Now())},
	}
	if in.spec != "" {
		files = append(files, newFile{path: ".agent/spec.md", data: []byte(in.spec)})
	}
	files = append(files, newFile{path: features.Path, data: list.Bytes()})
	kept := files[:0]
	for _, f := range files {
		old, err := os.ReadFile(filepath.Join(in.repo.Top(), f.path))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			kept = append(kept, f)
		case err != nil:
			return nil, err
		case f.path == features.Path && !bytes.Equal(old, f.data):
			return nil, hint.Errorf("move it away and give it by its new name: git agent init --features FILE", "%s is there in another form than it would be written in", f.path)
		case f.path == progress.Path:
			if _, perr := progress.Parse(old); perr != nil {
				return nil, hint.New(fmt.Errorf("%s is there and is not a log of git agent: %w", f.path, perr), "rename it and run init again")
			}
			kept = append(kept, newFile{path: f.path, data: old, theirs: true})
		default:
			kept = append(kept, newFile{path: f.path, data: old, theirs: true}) // the user's own stays as it is
		}
	}
	return kept, nil
}

// tracked are the paths that the last commit has.
func (in *initializer) tracked(ctx context.Context) (map[string]bool, error) {
	paths := map[string]bool{}
	head, err := in.repo.Head(ctx)
	if err != nil || head.Commit == "" {
		return paths, err
	}
	tree, err := in.repo.TreeOf(ctx, string(head.Commit))
	if err != nil {
		return nil, err
	}
	entries, err := in.repo.ListTree(ctx, tree)
	for _, e := range entries {
		paths[e.Path] = true
	}
	return paths, err
}

func (in *initializer) write(ctx context.Context, list *features.List) (InitResult, error) {
	files, err := in.files(list)
	if err != nil {
		return in.out, err
	}
	tracked, err := in.tracked(ctx)
	if err != nil {
		return in.out, err
	}
	var paths []string
	for _, f := range files {
		if f.theirs && tracked[f.path] {
			continue // in the last commit already; what they are changing in it is not ours to commit
		}
		ignored, err := in.repo.IsIgnored(ctx, f.path)
		if err != nil {
			return in.out, err
		}
		if ignored {
			return in.out, hint.Errorf("take the pattern out of your ignore files: the team needs this file", "%s is ignored by git", f.path)
		}
		paths = append(paths, f.path)
	}
	if err := in.place(files); err != nil {
		return in.out, err
	}
	done := false
	defer func() {
		if !done {
			_ = in.sweep()
			in.unhook(ctx)
		}
	}()
	if in.out.Hooks, err = hooks.Install(ctx, in.repo, in.opt.Binary); errors.Is(err, hooks.ErrElsewhere) {
		in.out.HookAdvice = append([]string{err.Error()}, hint.Of(err)...) // the rules hold by check all the same
	} else if err != nil {
		return in.out, err
	}
	if in.out.Commit, err = in.repo.CommitPaths(ctx, in.message(list), paths); err != nil {
		return in.out, fmt.Errorf("the first commit: %w", err)
	}
	done = true
	_ = os.Remove(in.journalPath())
	tree, err := in.repo.TreeOf(ctx, string(in.out.Commit))
	if err != nil {
		return in.out, err
	}
	digest, err := CommandsDigest(ctx, in.repo, tree)
	if err != nil {
		return in.out, err
	}
	in.out.Files, in.out.Features, in.out.List = paths, len(list.Features), list
	return in.out, project.OpenTrust(in.repo.AgentDir()).Grant(project.TrustCommands, digest)
}

// message is that of the first commit. Its trailers let the list be there, and
// an imported one claim what it claims.
func (in *initializer) message(list *features.List) string {
	for _, f := range list.Features {
		if f.Passes {
			in.out.Claimed++
		}
	}
	text := fmt.Sprintf("Start %s: %s to build\n\nAgent-Features: init\n", list.Project, plain.Count(len(list.Features), "feature"))
	if in.out.Claimed > 0 {
		text += "Allow-Flags: " + plain.Count(in.out.Claimed, "feature") + " imported as passing, not proved yet\n"
	}
	return text
}
