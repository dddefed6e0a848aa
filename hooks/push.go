package hooks

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"gitagent/gitops"
	"gitagent/internal/plain"
)

const (
	hookPrePush    = "pre-push"
	hookPreReceive = "pre-receive"
	// receiveLimit bounds what a push may cost a server.
	receiveLimit = 5 * time.Minute
	// maxPush bounds what git says of one push.
	maxPush = 16 << 20
)

// push judges what a push brings, by the lines that git writes to the hook: on
// the sending side what the remote does not have, on the receiving side what no
// ref has. A clone that sends may fail open, since the server judges again; a
// server that cannot judge refuses.
func push(ctx context.Context, dir, hook string, args []string, stdin io.Reader, stderr io.Writer) int {
	limit := timeLimit
	if hook == hookPreReceive {
		limit = receiveLimit
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	refused, err := judgePush(ctx, dir, hook, args, stdin, stderr)
	switch {
	case err != nil && hook == hookPreReceive:
		fmt.Fprintf(stderr, "git agent: refused: what is pushed could not be checked: %s\n", plain.Line(err.Error(), 300))
		return 1
	case err != nil:
		return unchecked(stderr, hook, err)
	case refused:
		return 1
	}
	return 0
}

func judgePush(ctx context.Context, dir, hook string, args []string, stdin io.Reader, stderr io.Writer) (refused bool, err error) {
	lines, err := pushLines(stdin)
	if err != nil {
		return false, err
	}
	repo, err := gitops.OpenLenient(ctx, dir)
	if err != nil {
		return false, err
	}
	defer repo.Close()
	revs, err := pushed(ctx, repo, hook, args, lines)
	if err != nil || len(revs) == 0 {
		return false, err
	}
	report, err := checkRevs(ctx, repo, revs)
	if err != nil {
		return false, err
	}
	conf, err := repo.Config(ctx)
	if err != nil {
		return false, err
	}
	people, _ := conf.Get("agent.people")
	told := map[gitops.OID]bool{}
	for _, v := range report.Violations {
		v.Warn = v.Warn || strings.EqualFold(people, "warn")
		if !told[v.Commit] {
			told[v.Commit] = true
			fmt.Fprintf(stderr, "git agent: commit %s %s\n", v.Commit.Short(), plain.Line(v.Subject, 60))
		}
		Print(stderr, []Violation{v.Violation})
		refused = refused || !v.Warn
	}
	if refused {
		fmt.Fprintln(stderr, "git agent: nothing was pushed; a person who allows it says so in the commit (git agent allow GUARD, then git commit --amend)")
	}
	return refused, nil
}

// pushLine is what git says of one ref that is pushed.
type pushLine struct{ old, new string }

func pushLines(stdin io.Reader) ([][]string, error) {
	if stdin == nil {
		return nil, nil
	}
	data, err := io.ReadAll(io.LimitReader(stdin, maxPush))
	if err != nil {
		return nil, fmt.Errorf("read what is pushed: %w", err)
	}
	var out [][]string
	for line := range strings.Lines(string(data)) {
		if f := strings.Fields(line); len(f) > 0 {
			out = append(out, f)
		}
	}
	return out, nil
}

// pushed turns what git says into what rev-list is to list.
func pushed(ctx context.Context, repo *gitops.Repo, hook string, args []string, lines [][]string) ([]string, error) {
	var found []pushLine
	for _, f := range lines {
		switch {
		case hook == hookPreReceive && len(f) == 3: // old new ref
			found = append(found, pushLine{old: f[0], new: f[1]})
		case hook == hookPrePush && len(f) == 4: // local-ref local remote-ref remote
			found = append(found, pushLine{old: f[3], new: f[1]})
		default:
			return nil, fmt.Errorf("git gave a line that is not understood: %q", plain.Line(strings.Join(f, " "), 100))
		}
	}
	var revs []string
	for _, l := range found {
		if strings.Trim(l.new, "0") != "" { // else the ref is deleted
			revs = append(revs, l.new)
		}
	}
	if hook == hookPrePush && len(lines) == 0 {
		// Another hook has read the lines: take what is checked out.
		head, err := repo.Head(ctx)
		if err != nil || head.Commit == "" {
			return nil, err
		}
		revs = append(revs, string(head.Commit))
	}
	if len(revs) == 0 {
		return nil, nil
	}
	known, err := has(ctx, repo, hook, args, found)
	return append(revs, known...), err
}

// has lists what the receiving side has already, as far as this side knows.
func has(ctx context.Context, repo *gitops.Repo, hook string, args []string, found []pushLine) ([]string, error) {
	prefix := "refs/"
	if hook == hookPrePush {
		prefix = ""
		if len(args) > 0 && args[0] != "" && !strings.ContainsAny(args[0], "/:") {
			prefix = "refs/remotes/" + args[0] + "/"
		}
	}
	var out []string
	if prefix != "" {
		refs, err := repo.Refs(ctx, prefix)
		if err != nil {
			return nil, err
		}
		for _, r := range refs {
			out = append(out, "^"+string(r.OID))
		}
	}
	for _, l := range found {
		if strings.Trim(l.old, "0") == "" {
			continue
		}
		if _, err := repo.Commit(ctx, l.old); err == nil {
			out = append(out, "^"+l.old)
		} else if !errors.Is(err, gitops.ErrNotFound) && ctx.Err() != nil {
			return nil, err
		}
	}
	return out, nil
}

// switchedOff says whether hooks do nothing now: by a person's switch, or since
// one runs already. A server's hook has no such switch.
func switchedOff(hook string) bool {
	return hook != hookPreReceive && (os.Getenv(envSwitch) == "0" || os.Getenv(envInside) != "")
}
