package session

import (
	"context"
	"errors"
	"time"

	"gitagent/gitops"
)

// RunOptions bound a run of several sessions.
type RunOptions struct {
	Step     Options
	MaxSteps int           // 0 = no limit
	MaxTime  time.Duration // 0 = no limit
	// Each is told the outcome of every session.
	Each func(Outcome)
}

// Stopped is why a run ended.
type Stopped string

// The reasons of a run's end. They are computed from features.json and from
// the ends of the sessions, never from what a model says.
const (
	AllPassing   Stopped = "all_passing"
	MaxSteps     Stopped = "max_steps"
	MaxTime      Stopped = "max_time"
	Stuck        Stopped = "stuck"
	RunBlocked   Stopped = "blocked"
	RunEnviron   Stopped = "environment"
	RunInterrupt Stopped = "interrupted"
)

// ExitCode is the process exit code for a run's end.
func (r Stopped) ExitCode() int {
	switch r {
	case AllPassing:
		return 0
	case RunBlocked:
		return Blocked.ExitCode()
	case RunEnviron:
		return Environment.ExitCode()
	case RunInterrupt:
		return Interrupted.ExitCode()
	default:
		return Incomplete.ExitCode()
	}
}

// stuckAfter is how many sessions in a row may end without a flip.
const stuckAfter = 6

// RunResult is what a run came to.
type RunResult struct {
	Stopped  Stopped   `json:"stopped"`
	Reason   string    `json:"reason,omitempty"`
	Steps    int       `json:"steps"`
	Verified int       `json:"verified"`
	Passing  int       `json:"passing"`
	Total    int       `json:"total"`
	Sessions []Outcome `json:"sessions"`
	// Regressed have their flag and hold no longer, where every flag is set.
	Regressed []string `json:"regressed,omitempty"`
}

// ExitCode is that of the reason, and that of unverified where every flag is
// set and not every feature holds.
func (r RunResult) ExitCode() int {
	if r.Stopped == AllPassing && len(r.Regressed) > 0 {
		return Unverified.ExitCode()
	}
	return r.Stopped.ExitCode()
}

// Run repeats Step until all features pass or a named reason. The error is
// that of the environment, if that was the reason.
func Run(ctx context.Context, repo *gitops.Repo, set Settings, opt RunOptions, w Watcher) (r RunResult, err error) {
	defer r.tally(ctx, repo)
	started, barren := time.Now(), 0
	for {
		if stop, ok := r.bound(ctx, opt, started, barren); ok {
			r.Stopped = stop
			return r, nil
		}
		stepCtx, cancel := limit(ctx, opt.MaxTime, started)
		out, err := Step(stepCtx, repo, set, opt.Step, w)
		cancel()
		opt.Step.again = true
		if errors.Is(err, ErrAllPassing) {
			r.Stopped, r.Regressed = AllPassing, out.Regressed
			return r, nil
		}
		if out.Feature != "" { // else no session began
			r.Steps++
			r.Sessions = append(r.Sessions, out)
			if opt.Each != nil {
				opt.Each(out)
			}
		}
		if out.End == Verified && out.Aside == "" {
			r.Verified++
			barren = 0
			continue
		}
		barren++
		if stop, ok := r.endsRun(ctx, out, opt, started); ok {
			r.Stopped = stop
			if r.Reason == "" {
				r.Reason = out.Reason
			}
			if stop == MaxTime {
				r.Reason, err = "", nil
			}
			return r, err
		}
	}
}

// tally counts the flags of HEAD's list.
func (r *RunResult) tally(ctx context.Context, repo *gitops.Repo) {
	list, err := ListAt(context.WithoutCancel(ctx), repo, "HEAD")
	if err != nil {
		return // whatever is wrong with it has ended the run
	}
	for _, f := range list.Features {
		if r.Total++; f.Passes {
			r.Passing++
		}
	}
}

// limit gives a step what is left of the run's time.
func limit(ctx context.Context, max time.Duration, started time.Time) (context.Context, context.CancelFunc) {
	if max <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, started.Add(max))
}

func (r *RunResult) bound(ctx context.Context, opt RunOptions, started time.Time, barren int) (Stopped, bool) {
	switch {
	case ctx.Err() != nil:
		return RunInterrupt, true
	case opt.MaxSteps > 0 && r.Steps >= opt.MaxSteps:
		return MaxSteps, true
	case opt.MaxTime > 0 && time.Since(started) >= opt.MaxTime:
		return MaxTime, true
	case barren >= stuckAfter:
		return Stuck, true
	}
	return "", false
}

// endsRun says whether one session's end is the run's. A verified commit that
// had to stay aside ends it too: the next session would build on the old tip.
func (r *RunResult) endsRun(ctx context.Context, out Outcome, opt RunOptions, started time.Time) (Stopped, bool) {
	switch {
	case out.Aside != "":
		r.Reason = "a verified commit waits to be taken: " + out.Next
		return RunBlocked, true
	case out.End == Environment:
		return RunEnviron, true
	case out.End == Interrupted && ctx.Err() == nil && opt.MaxTime > 0 && time.Since(started) >= opt.MaxTime:
		return MaxTime, true
	case out.End == Interrupted:
		return RunInterrupt, true
	case out.End == Blocked && out.Feature == "":
		return RunBlocked, true
	}
	return "", false
}
