package session

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"gitagent/gitops"
	"gitagent/internal/model"
	"gitagent/internal/plain"
	"gitagent/internal/tools"
	"gitagent/internal/verify"
	"gitagent/internal/verify/evidence"
)

//go:embed prompts/executor.md
var executorPrompt string

// ExecutorTools are the tools of the executor, in the order of their schemas.
func ExecutorTools() []string {
	return []string{"calculate", "check_page", "edit_file", "end_session", "list_files", "read_file", "run_command", "search_text", "write_file"}
}

// stop is how one DO came to its end.
type stop int

const (
	stopDone   stop = iota // the model said done: check it
	stopFull               // the next request would not fit the context
	stopTurns              // the attempt's turns are used up
	stopLoop               // the same calls with the same results
	stopSilent             // nothing but prose or garbage
)

func (k stop) String() string {
	return [...]string{"said done", "its context was full", "its turns were used up", "it repeated the same calls", "it made no usable tool call"}[k]
}

// build runs DO and CHECK until a check passes or the attempts are used up.
func (s *step) build(ctx context.Context) error {
	if err := s.seal(ctx); err != nil {
		return err
	}
	if s.already {
		return s.judgeExisting(ctx)
	}
	inherited, err := s.inherited(ctx)
	if err != nil {
		return err
	}
	t, err := s.newTalk(inherited)
	if err != nil {
		return err
	}
	defer func() { t.close() }() // the last one: each hand-over opens another
	for s.attempt = 1; s.attempt <= s.set.Attempts; s.attempt++ {
		s.mark("do")
		how, err := t.converse(ctx)
		if err != nil {
			return err
		}
		var defects []string
		if how == stopDone {
			if defects, err = s.judge(ctx); err != nil {
				return err
			}
			if len(defects) == 0 {
				return nil
			}
		} else {
			s.unverifiedOnly = false
			defects = []string{"the attempt ended before the work was done: " + how.String()}
		}
		s.reject(defects)
		if s.attempt == s.set.Attempts {
			break
		}
		if how == stopDone && t.roomy() {
			t.answerEnd(s.rejection(defects))
			continue
		}
		t.close()
		next, err := s.newTalk(s.handOver(how, defects))
		if err != nil {
			return err
		}
		t = next
	}
	return s.exhausted()
}

// exhausted names the end after the last attempt.
func (s *step) exhausted() error {
	why := plain.Line(strings.Join(s.lastBad, "; "), 400)
	if s.out.Tree != "" && s.unverifiedOnly {
		return ended(Unverified, "%s could not be verified: %s", plain.Count(s.set.Attempts, "attempt"), why)
	}
	return ended(Incomplete, "%s, none passed: %s", plain.Count(s.set.Attempts, "attempt"), why)
}

// reject books a rejected attempt.
func (s *step) reject(defects []string) {
	s.lastBad = defects
	text := strings.Join(defects, "\n")
	s.record("check", "rejected", plain.Line(text, 500))
	s.facts = append(s.facts, fmt.Sprintf("attempt %d was rejected: %s", s.attempt, plain.Line(text, 300)))
	s.emit(Event{Kind: "check", Text: fmt.Sprintf("attempt %d of %d was not accepted: %s", s.attempt, s.set.Attempts, plain.Line(headlines(defects), 300)), Detail: text})
}

// headlines are the first lines of the defects.
func headlines(defects []string) string {
	heads := make([]string, len(defects))
	for i, d := range defects {
		heads[i], _, _ = strings.Cut(d, "\n")
	}
	return strings.Join(heads, "; ")
}

// rejection is what the executor reads after a rejected attempt: what was
// observed, not advice.
func (s *step) rejection(defects []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "NOT DONE. The harness tried your files and this is what it found (attempt %d of %d):\n", s.attempt, s.set.Attempts)
	for _, d := range defects {
		b.WriteString("- " + plain.Text(d) + "\n")
	}
	b.WriteString("Find the cause, change the files, try it yourself, and only then call end_session again.")
	return plain.Clip(b.String(), 6000)
}

// judgeExisting checks a feature that the tree already has; there is nothing
// to build.
func (s *step) judgeExisting(ctx context.Context) error {
	s.attempt = 1
	s.emit(Event{Kind: "note", Text: "an earlier session built this already; checking it"})
	defects, err := s.judge(ctx)
	if err != nil || len(defects) == 0 {
		return err
	}
	s.reject(defects)
	return ended(Incomplete, "the tree already seems to have the feature, but its proof failed: %s", plain.Line(strings.Join(defects, "; "), 300))
}

// judge snapshots the session tree, checks exactly that tree and lands it when
// it passes. It returns what was wrong otherwise.
func (s *step) judge(ctx context.Context) ([]string, error) {
	tree, err := s.ws.Snapshot(ctx)
	var nested *gitops.NestedRepoError
	if errors.As(err, &nested) {
		return []string{"the files could not be taken: " + err.Error()}, nil
	}
	if err != nil {
		return nil, err
	}
	s.tree, s.out.Tree = tree, tree
	s.mark("check")
	s.emit(Event{Kind: "phase", Phase: "check"})
	if found, ok := s.refused[tree]; ok { // no tree is checked twice: luck is no proof
		return append([]string{"these files were checked before, and this was found"}, found...), nil
	}
	v, err := s.check(ctx, tree)
	if err != nil {
		return nil, err
	}
	s.unverifiedOnly = v.unverified
	defects := v.defects
	if len(defects) == 0 {
		defects, err = s.act(ctx, tree, v.record)
	}
	if s.refused == nil {
		s.refused = map[gitops.OID][]string{}
	}
	if !v.unverified { // for want of means: those may be there another time
		s.refused[tree] = defects
	}
	return defects, err
}

// talk is one conversation with the executor.
type talk struct {
	s     *step
	chat  *model.Chat
	box   *tools.Box
	root  func() error
	loops *loopGuard
	end   *model.Call // the end_session call that waits for its answer
}

func (s *step) newTalk(handOver string) (*talk, error) {
	box, closeRoot, err := s.toolBox()
	if err != nil {
		return nil, err
	}
	t := &talk{s: s, box: box, root: closeRoot, loops: newLoopGuard()}
	t.chat = s.loaded.NewChat(executorPrompt, box.Schemas())
	brief := s.brief(handOver)
	t.chat.User(brief)
	s.script.add("brief", brief)
	return t, nil
}

func (t *talk) close() { _ = t.root() }

// roomy says whether the conversation can go on after a rejection: a quarter
// of the context should be free.
func (t *talk) roomy() bool { return t.chat.Room() > t.s.loaded.Context/4 }

func (t *talk) answerEnd(text string) {
	if t.end != nil {
		t.answer(*t.end, text)
		t.end = nil
	}
}

// answer gives a call its one result.
func (t *talk) answer(c model.Call, text string) {
	t.chat.Result(c, text)
	t.s.script.add("result", map[string]string{"tool": c.Name, "text": text})
}

// silentLimit is how many replies without a usable call end an attempt.
const silentLimit = 4

// converse runs one DO.
func (t *talk) converse(ctx context.Context) (stop, error) {
	silent := 0
	for turn := 1; turn <= t.s.set.Turns; turn++ {
		t.s.out.Receipt.Turns++
		reply, err := t.next(ctx, turn)
		switch {
		case errors.Is(err, model.ErrContextFull):
			return stopFull, nil
		case err != nil:
			if fatal := t.s.fatal(ctx, err); fatal != nil {
				return 0, fatal
			}
			t.s.emit(Event{Kind: "note", Turn: turn, Text: "reply lost: " + plain.Line(err.Error(), 120)})
		case len(reply.Calls) == 0:
			t.chat.User(nudge)
			t.s.emit(Event{Kind: "tool", Turn: turn, Tool: "no tool call", Note: "asked again"})
		}
		if err != nil || len(reply.Calls) == 0 {
			if silent++; silent >= silentLimit {
				return stopSilent, nil
			}
			continue
		}
		how, over, err := t.perform(ctx, turn, reply.Calls)
		if err != nil || over {
			return how, err
		}
		if t.usable(reply.Calls) {
			silent = 0
		} else if silent++; silent >= silentLimit {
			return stopSilent, nil
		}
	}
	return stopTurns, nil
}

// nudge answers a reply without a call.
const nudge = "Nothing was done: only tool calls act. Call one tool now. If the work is finished call end_session with status done; if it cannot be done call end_session with status blocked or cannot_verify and the reason."

func (t *talk) usable(calls []model.Call) bool {
	for _, c := range calls {
		if c.Err == "" {
			return true
		}
	}
	return false
}

func (t *talk) next(ctx context.Context, turn int) (model.Reply, error) {
	reply, err := t.chat.Next(ctx, func(d model.Delta) {
		t.s.emit(Event{Kind: "stream", Turn: turn, Detail: d.Text})
	})
	t.s.out.Receipt.add("executor", model.Cheap, reply.Usage)
	if err != nil {
		return reply, err
	}
	t.s.script.add("reply", reply)
	if text := strings.TrimSpace(reply.Text); text != "" {
		t.s.note = plain.Clip(text, 1500)
	}
	t.s.emit(Event{Kind: "turn", Turn: turn, Text: plain.Line(reply.Text, 120), Detail: reply.Text,
		In: reply.Usage.TokensIn, Out: reply.Usage.TokensOut, Rate: reply.Usage.Rate()})
	return reply, nil
}

// perform executes the calls of one reply in their order. Every call gets
// exactly one result, also those after the end of the session.
func (t *talk) perform(ctx context.Context, turn int, calls []model.Call) (how stop, over bool, err error) {
	var end *tools.End
	for _, c := range calls {
		if end != nil {
			t.answer(c, "not executed: end_session came before it in the same reply")
			continue
		}
		if c.Err != "" {
			t.answer(c, "the call could not be read: "+c.Err)
			continue
		}
		if t.loops.refuses(c.Name, c.Args) {
			t.answer(c, "not executed: this call gave the same result three times. Do something else.")
			if t.loops.stuck() {
				return stopLoop, true, nil
			}
			continue
		}
		r := t.box.Call(ctx, c.Name, c.Args)
		if ctx.Err() != nil {
			return 0, true, ctx.Err()
		}
		t.s.emit(Event{Kind: "tool", Turn: turn, Tool: c.Name, OK: r.OK, Files: r.Touched, Text: plain.Line(argLine(c.Args), 80), Note: plain.Line(strings.TrimPrefix(r.Note, c.Name+": "), 160), Detail: r.Text})
		if r.End != nil {
			call := c
			end, t.end = r.End, &call
			continue
		}
		t.loops.saw(c.Name, c.Args, r.Text, len(r.Touched) > 0)
		t.answer(c, plain.Text(r.Text))
	}
	if end == nil {
		return 0, false, nil
	}
	return t.ended(end)
}

// ended turns end_session into the end of a DO or of the session.
func (t *talk) ended(end *tools.End) (stop, bool, error) {
	reason := plain.Line(end.Reason, 400)
	t.s.note = plain.Clip(plain.Text(end.Reason), 1500)
	switch end.Status {
	case tools.Done:
		return stopDone, true, nil
	case tools.CannotVerify:
		return 0, true, ended(Unverified, "the model says it cannot verify: %s", reason)
	default:
		return 0, true, ended(Blocked, "the model says it is blocked: %s", reason)
	}
}

// argLine shows a call's short arguments.
func argLine(args map[string]any) string {
	for _, key := range []string{"path", "command", "pattern", "expression", "status"} {
		if v, ok := args[key]; ok {
			return fmt.Sprint(v)
		}
	}
	return ""
}

// verdict is what CHECK found.
type verdict struct {
	defects    []string
	unverified bool // nothing failed, but something could not be verified
	record     evidence.Record
	acted      verify.Outcome // of the contract, with its actions
	clean      bool           // nothing of earlier work lay beside the tree
}
