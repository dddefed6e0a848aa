package session

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"gitagent/features"
	"gitagent/gitops"
	"gitagent/internal/model"
	"gitagent/internal/plain"
	"gitagent/internal/project"
	"gitagent/internal/verify"
	"gitagent/internal/verify/contract"
)

//go:embed prompts/contract.md
var contractPrompt string

// repairs is how often a contract goes back to the model with what is wrong.
const repairs = 2

// Sizes of what a contract's brief shows of earlier contracts.
const (
	maxWays      = 3
	maxWaysBytes = 3000
)

// plan gets the contract: a committed one, one that an earlier session of this
// clone compiled, or a new one. It is proved to bite before any code.
func (s *step) plan(ctx context.Context) error {
	s.mark("plan")
	c, err := s.knownContract(ctx)
	if err != nil {
		return err
	}
	if c == nil && s.mending && !s.claimed {
		return ended(Blocked, "%s is broken, and its contract does not fit it any more: git agent contract %s", s.feature.ID, s.feature.ID)
	}
	if c == nil {
		return s.compile(ctx)
	}
	s.contract = c
	ok, why, err := s.bites(ctx, c)
	if err != nil {
		return err
	}
	if !ok && s.unsure {
		return s.askPerson(ctx, c, why)
	}
	if !ok {
		return ended(Blocked, "the contract of %s proves nothing: %s", s.feature.ID, why)
	}
	s.hideDraws()
	s.emit(Event{Kind: "check", OK: true, Text: "contract reused, it " + s.before()})
	return nil
}

// before says how the contract came out before the work.
func (s *step) before() string {
	if s.already {
		return "passes before the work: an earlier session may have built this"
	}
	return "fails before the work as it should"
}

// hideDraws draws what the model is shown of the contract; it is not judged by
// these values.
func (s *step) hideDraws() {
	if len(s.contract.Vars) == 0 {
		return
	}
	drawn, err := s.contract.Draw(contract.NewSeed(), 1)
	if err != nil {
		s.warn("the variables of the contract could not be drawn: %v", err)
		return
	}
	s.trial = drawn[0]
	s.contract = s.contract.Avoiding(s.trial)
}

// knownContract finds a contract that fits the feature as it is worded now.
func (s *step) knownContract(ctx context.Context) (*contract.Contract, error) {
	path := contract.Path(s.feature.ID)
	data, err := s.repo.ReadFile(ctx, s.base.Tree, path)
	if errors.Is(err, gitops.ErrNotFound) {
		pending, ok := s.journal.File(path)
		if !ok {
			return nil, nil
		}
		data, s.compiled = pending, true
	} else if err != nil {
		return nil, err
	}
	c, err := contract.Parse(data)
	if err != nil && s.compiled { // our own, from the journal: nobody could mend it
		s.compiled = false
		return nil, nil
	}
	if err != nil {
		return nil, brokenContract(path, err)
	}
	if unfit(c, *s.feature) != "" {
		s.compiled = false
		return nil, nil // the feature was reworded since: compile anew
	}
	if !s.trust.Has(project.TrustContract, c.Digest()) {
		return nil, ended(Blocked, "the contract of %s came from elsewhere and is not trusted in this clone; look at it and allow it with: git agent trust", s.feature.ID)
	}
	return c, nil
}

// unfit says why c is no contract for f as it is worded now, "" where it is one.
// How well a person's contract proves it is theirs to say.
func unfit(c *contract.Contract, f features.Feature) string {
	bad := c.Validate(f)
	if len(bad) == 0 || c.By == contract.ByPerson && c.Usable(f) == nil {
		return ""
	}
	return bad[0].String()
}

// compile has the model write the contract, with the reasons for a repair at
// most twice, and proves each candidate on the tree before the work.
func (s *step) compile(ctx context.Context) error {
	prompt := s.contractBrief(ctx)
	problems := []string{"the model gave no usable contract"}
	var last *contract.Contract // the newest answer that was one
	for round := 0; round <= repairs; round++ {
		var raw json.RawMessage
		use, err := s.loaded.JSONWatch(ctx, contractPrompt+"\n"+contract.Guide, prompt, contract.Schema(len(s.feature.Steps)), &raw, func(d model.Delta) {
			s.emit(Event{Kind: "stream", Detail: d.Text})
		})
		s.out.Receipt.add("contract", model.Cheap, use)
		s.script.add("contract", map[string]any{"prompt": prompt, "reply": raw})
		s.unsure = false
		if err != nil {
			if fatal := s.fatal(ctx, err); fatal != nil {
				return fatal
			}
			problems = []string{err.Error()}
		} else if problems, err = s.tryContract(ctx, raw, &last); err != nil {
			return err
		}
		if len(problems) == 0 {
			s.compiled = true
			s.hideDraws()
			if err := dropProposal(ctx, s.repo, s.feature.ID); err != nil {
				s.warn("an older proposal could not be removed: %v", err)
			}
			return s.trust.Grant(project.TrustContract, s.contract.Digest())
		}
		s.contract = nil
		why := strings.Join(problems, "; ")
		s.emit(Event{Kind: "check", Text: "contract refused: " + plain.Line(why, 160), Detail: why})
		prompt = s.contractBrief(ctx) + "\n\nYour last answer was:\n" + plain.Clip(string(raw), 3000) +
			"\n\nIt was refused:\n- " + strings.Join(problems, "\n- ") + "\nGive the whole contract again, mended."
	}
	if s.unsure {
		return s.askPerson(ctx, last, problems[0])
	}
	if err := s.propose(ctx, last, problems); err != nil {
		return err
	}
	return ended(Blocked, "no contract for %s that can be checked: %s", s.feature.ID, plain.Line(strings.Join(problems, "; "), 300))
}

// fatal returns err when it is about the model's host and not about its words.
func (s *step) fatal(ctx context.Context, err error) error {
	if ctx.Err() != nil || !model.IsReply(err) {
		return err
	}
	return nil
}

// tryContract takes a candidate as far as it goes. Problems are sentences for
// the model; what is a contract at all becomes last.
func (s *step) tryContract(ctx context.Context, raw []byte, last **contract.Contract) ([]string, error) {
	c, err := contract.FromModel(raw, *s.feature)
	if err != nil {
		return []string{err.Error()}, nil
	}
	*last = c
	if bad := c.Validate(*s.feature); len(bad) > 0 {
		problems := make([]string, len(bad))
		for i, p := range bad {
			problems[i] = p.String()
		}
		return problems, nil
	}
	s.contract = c
	ok, why, err := s.bites(ctx, c)
	if err != nil {
		return nil, err
	}
	if !ok {
		return []string{why}, nil
	}
	s.record("plan", "contract", fmt.Sprintf("%s, digest %.12s", plain.Count(len(c.Checks), "check"), c.Digest()))
	s.emit(Event{Kind: "check", OK: true, Text: "contract: " + plain.Count(len(c.Checks), "check") + ", " + s.before(), Detail: string(c.Bytes())})
	return nil, nil
}

// bites says whether c fails on the tree before the work, and if not, why not.
// A contract that passes there counts only when it shows what it passes by (see
// meets); one that could not be verified there counts for nothing.
func (s *step) bites(ctx context.Context, c *contract.Contract) (bool, string, error) {
	base := s.target(s.ws.CheckDir(), s.baseID)
	base.First = true
	bites, why, out, err := s.ver.Bite(ctx, c, base)
	if err != nil {
		return false, "", err
	}
	if syncErr := s.ws.SyncCheck(ctx, s.baseID); syncErr != nil {
		return false, "", syncErr
	}
	if out.NoMeans != "" {
		return false, "", ended(Unverified, "%s", out.NoMeans)
	}
	s.bite, s.biteTree = out.Checks, s.baseID
	if out.Verdict != verify.Pass {
		return bites, why, nil
	}
	seen := s.novelty(ctx, c)
	if why := onlyRepeats(c, seen); why != "" {
		return false, why, nil
	}
	s.already, why, err = s.meets(ctx, c, seen)
	s.unsure = !s.already
	return s.already, why, err
}

// contractBrief is what the compiler of contracts is told.
func (s *step) contractBrief(ctx context.Context) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Project: %s\n", plain.Line(s.list.Goal, 300))
	fmt.Fprintf(&b, "Feature %s: %s\nSteps:\n", s.feature.ID, plain.Line(s.feature.Description, 300))
	for i, step := range s.feature.Steps {
		fmt.Fprintf(&b, "%d. %s\n", i+1, plain.Line(step, 400))
	}
	b.WriteString(s.howItRuns())
	b.WriteString(s.earlierWays(ctx))
	if s.opt.Hint != "" {
		fmt.Fprintf(&b, "A person says: %s\n", plain.Line(s.opt.Hint, 600))
	}
	return strings.TrimRight(b.String(), "\n")
}

// earlierWays shows how checks that pass use the program: the names of its
// fields and buttons, its commands. The steps of a later feature seldom repeat
// them.
func (s *step) earlierWays(ctx context.Context) string {
	var ways []string
	size := 0
	for _, f := range slices.Backward(s.list.Features) {
		if !f.Passes || s.broken[f.ID] || len(ways) == maxWays {
			continue
		}
		c, _ := s.provedHere(ctx, f.ID)
		if c == nil {
			continue
		}
		way := fmt.Sprintf("%s %s\n", f.ID, plain.Line(f.Description, 100))
		for _, k := range c.Checks {
			switch {
			case k.Command != nil:
				way += "  " + plain.Line(k.Command.Run, 300) + "\n"
			case len(k.HTTP) > 0:
				for i := range k.HTTP {
					way += "  " + plain.Line(k.HTTP[i].String(), 200) + "\n"
				}
			default:
				way += "  " + plain.Line(string(k.Page), 800) + "\n"
			}
		}
		if size += len(way); size > maxWaysBytes {
			break
		}
		ways = append(ways, way)
	}
	if len(ways) == 0 {
		return ""
	}
	slices.Reverse(ways)
	return "\nHow checks of features that work use the program (take the names from here; the form differs from yours):\n" + strings.Join(ways, "")
}

// howItRuns says what kind of project this is to the compiler of contracts. An
// earlier session may have built what the settings do not name.
func (s *step) howItRuns() string {
	cfg := s.cfg.WithDetected(os.DirFS(s.ws.CheckDir()))
	if cfg.Start != "" || cfg.Static != "" {
		return "The project is a web app: a page check opens a path such as \"/\". Where the steps speak of requests, an http check asks the running server. A command check runs in the project's top folder.\n"
	}
	return "The project has no page so far. Where the steps speak of a page, write a page check that opens \"/\"; where they speak of a program that is run, write a command check, which runs in the project's top folder.\n"
}
