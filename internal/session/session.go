package session

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"gitagent/features"
	"gitagent/gitops"
	"gitagent/internal/hint"
	"gitagent/internal/model"
	"gitagent/internal/project"
	"gitagent/internal/sandbox"
	"gitagent/internal/verify"
	"gitagent/internal/verify/contract"
	"gitagent/internal/verify/evidence"
	"gitagent/internal/workspace"
	"gitagent/progress"
)

// Options are what one step was asked for.
type Options struct {
	ID           string // feature, empty chooses
	Hint         string // a person's word to the executor
	Resume       string // session whose kept work is gone on with, or Latest
	AllowNetwork bool   // set-up may use the network without asking
	// With are values for the variables of the contracts that Prove runs, instead
	// of drawn ones.
	With  map[string]string
	again bool // a later session of one run: the hint is no new act of a person
	// Ask puts a yes-or-no question to a person; nil means that nobody is there.
	Ask func(question string) bool
}

// step is one session under way. Its methods are the states; they run in the
// order of Step and each leaves what the next needs.
type step struct {
	repo  *gitops.Repo
	set   Settings
	opt   Options
	watch Watcher

	id      string
	started time.Time
	head    gitops.Head
	ground
	status *progress.Status

	trust     *project.Trust
	sb        *sandbox.Sandbox
	ws        *workspace.Workspace
	ver       *verify.Verifier
	loaded    *model.Loaded
	resumed   *workspace.Attempt
	installed string // digest of the dependency files that the check tree is installed for
	contract  *contract.Contract
	compiled  bool // by this session: its text travels with the commit or the journal
	already   bool
	mending   bool            // the feature has its flag and is broken, or claimed: no flag is set
	claimed   bool            // it never had a proof
	unsure    bool            // the contract passes before the work and shows nothing
	trial     contract.Values // what the model is shown for the contract's variables
	bite      []evidence.Check
	biteTree  gitops.OID // where the contract had to fail
	tests     []suite
	machine   map[string]string // what runs the tests, by what it was asked for
	lastPage  string            // all that the model's last trial of a page found, where it was told a part

	crash          *crashLog
	script         *transcript
	out            Outcome
	events         []progress.Event
	facts          []string
	noted          []progress.Entry // regressions and repairs that replaying showed
	broken         map[string]bool  // features that pass in the list and not in fact
	voidContract   bool             // the contract turned out to prove nothing
	note           string           // the model's own last words
	attempt        int
	lastBad        []string                // defects of the last rejection
	refused        map[gitops.OID][]string // trees that were checked, and what was found
	unverifiedOnly bool                    // the last rejection was for want of verification
	tree           gitops.OID              // last snapshot of the session tree
	shots          string                  // folder
}

// Step runs one session. An error comes back only with End Environment or
// Interrupted; every other end is a result. The branch moves only when the end
// is Verified.
func Step(ctx context.Context, repo *gitops.Repo, set Settings, opt Options, w Watcher) (Outcome, error) {
	s := &step{repo: repo, set: set, opt: opt, watch: w, started: time.Now()}
	s.id = newID(s.started)
	s.out.Session = s.id
	end, err := begin(ctx, repo, "session "+s.id, s.warn)
	if err != nil {
		s.out.End, s.out.Reason = classify(ctx, err)
		return s.out, err
	}
	defer end()

	timed, cancel := context.WithTimeout(ctx, set.Time)
	defer cancel()
	err = s.run(timed)
	if err != nil && !legal(err) && timed.Err() != nil && ctx.Err() == nil {
		err = ended(Incomplete, "the session's %s are used up", set.Time) // whatever it was that was cut short
	}
	s.finish(ctx, err)
	s.cleanUp()
	s.out.Receipt.Seconds = time.Since(s.started).Seconds()
	if err == nil || legal(err) {
		return s.out, nil
	}
	return s.out, err
}

// run is the session's way through its states.
func (s *step) run(ctx context.Context) error {
	states := []struct {
		name string
		do   func(context.Context) error
	}{
		{"orient", s.orient},
		{"plan", s.plan},
		{"do", s.build},
	}
	for _, state := range states {
		s.emit(Event{Kind: "phase", Phase: state.name})
		if err := state.do(ctx); err != nil {
			return err
		}
	}
	return nil
}

// endError is a legal end of a session that is not Verified.
type endError struct {
	end    End
	reason string
}

func (e *endError) Error() string { return string(e.end) + ": " + e.reason }

func ended(end End, format string, args ...any) error {
	return &endError{end: end, reason: fmt.Sprintf(format, args...)}
}

// legal says whether err is an end that a session may have.
func legal(err error) bool {
	var e *endError
	return errors.As(err, &e)
}

// classify turns whatever stopped the session into an end.
func classify(ctx context.Context, err error) (End, string) {
	var e *endError
	switch {
	case err == nil:
		return Verified, ""
	case errors.As(err, &e):
		return e.end, e.reason
	case ctx.Err() != nil:
		return Interrupted, "it was told to stop"
	default:
		return Environment, err.Error()
	}
}

// finish books the end. What did not land is kept, with a context of its own:
// the session may have ended because the caller's was cancelled.
func (s *step) finish(ctx context.Context, err error) {
	s.out.End, s.out.Reason = classify(ctx, err)
	if s.out.End == Verified {
		return
	}
	keepCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	if kerr := s.keep(keepCtx); kerr != nil {
		s.warn("the attempt could not be kept, the next session tries again: %v", kerr)
		s.leave()
	}
}

// leave leaves trees and crash log to the next command, as if this process had
// been killed.
func (s *step) leave() {
	s.crash.leave()
	if s.ws != nil {
		if err := s.ws.Leave(); err != nil {
			s.warn("%v", err)
		}
	}
}

// cleanUp ends what was started and removes the trees.
func (s *step) cleanUp() {
	s.script.close()
	if s.ver != nil {
		s.ver.Close() // before the trees that it looks at go
	}
	if s.ws != nil {
		if err := s.ws.Close(); err != nil {
			s.warn("the session's trees could not be removed: %v", err)
		}
	}
	if s.crash != nil {
		s.crash.close()
	}
}

func (s *step) emit(e Event) {
	e.Attempt = s.attempt
	e.Elapsed = time.Since(s.started)
	if s.watch != nil {
		s.watch.On(e)
	}
}

func (s *step) warn(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	s.out.Warnings = append(s.out.Warnings, text)
	s.emit(Event{Kind: "warning", Text: text})
}

// record notes an event for the feature's status file.
func (s *step) record(phase, kind, detail string) {
	e := progress.Event{Time: time.Now().UTC(), Phase: phase, Session: s.id, Kind: kind, Detail: detail, Attempt: s.attempt}
	if s.contract != nil {
		e.Revision = s.contract.Revision
	}
	s.events = append(s.events, e)
}

// newID is a session's name: its start in UTC and four random digits.
func newID(now time.Time) string {
	var b [2]byte
	if _, err := rand.Read(b[:]); err != nil {
		panic(err) // the system has no randomness; nothing can be trusted then
	}
	return now.UTC().Format("20060102-150405-") + hex.EncodeToString(b[:])
}

// lacking says what is missing where rev names nothing: before the first
// commit that is the list.
func lacking(rev string, err error) error {
	if rev == "HEAD" {
		return needList(err)
	}
	return err
}

// needList says what to do where a repository has no list.
func needList(err error) error {
	if errors.Is(err, gitops.ErrNotFound) {
		return hint.Errorf("start with: git agent init \"what you wish for\"", "this repository has no %s in its last commit", features.Path)
	}
	return err
}
