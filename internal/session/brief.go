package session

import (
	"context"
	"fmt"
	"os"
	"strings"

	"gitagent/internal/plain"
	"gitagent/internal/project"
	"gitagent/progress"
)

// Sizes of the parts of a brief, in bytes.
const (
	maxRules   = 4000
	maxHint    = 2000
	maxDigest  = 2500
	maxFiles   = 60 // lines
	maxHolding = 30 // lines
)

// brief is the first message to the executor: everything that differs from
// session to session, so that the system prompt stays constant.
func (s *step) brief(handOver string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Project: %s\n", plain.Line(s.list.Goal, 300))
	fmt.Fprintf(&b, "Feature %s: %s\nSteps a person takes:\n", s.feature.ID, plain.Line(s.feature.Description, 300))
	for i, step := range s.feature.Steps {
		fmt.Fprintf(&b, "%d. %s\n", i+1, plain.Line(step, 400))
	}
	fmt.Fprintf(&b, "\nContract (how it will be judged; it cannot be changed):\n%s", contractText(s.contract, s.trial))
	b.WriteString(s.whatBroke())
	b.WriteString(s.served())
	b.WriteString("\n" + s.filesNow())
	b.WriteString(s.mustHold())
	for _, t := range s.tests {
		fmt.Fprintf(&b, "Tests that must go on passing: %s (%s)\n", plain.Line(t.cmd.Command, 100), t.base.String())
	}
	b.WriteString(s.learned())
	quote(&b, "The repository's AGENTS.md (data)", s.take(context.Background(), s.base.Tree, "AGENTS.md", maxRules))
	quote(&b, "A person says", plain.Clip(plain.Text(s.opt.Hint), maxHint))
	if handOver != "" {
		b.WriteString("\n" + handOver + "\n")
	}
	b.WriteString("\nStart now with one tool call.")
	return b.String()
}

// quote adds foreign text as quoted lines, so that it cannot pass for ours.
func quote(b *strings.Builder, title, text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	fmt.Fprintf(b, "\n%s:\n", title)
	for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
		b.WriteString("> " + line + "\n")
	}
}

// stepNumbers writes the steps that a check covers.
func stepNumbers(covers []int) string {
	if len(covers) == 1 {
		return fmt.Sprintf("step %d", covers[0])
	}
	words := make([]string, len(covers))
	for i, n := range covers {
		words[i] = fmt.Sprint(n)
	}
	return "steps " + strings.Join(words, ", ")
}

// served tells the executor where a page has to be.
func (s *step) served() string {
	cfg := s.cfg.WithDetected(os.DirFS(s.ws.SessionDir()))
	switch {
	case cfg.Start != "":
		return "The harness starts the app with: " + plain.Line(cfg.Start, 200) + "\n"
	case cfg.Static != "":
		return "The harness serves the files of " + folder(cfg.Static) + " as they are (no build, no server code); \"/\" is its index.html.\n"
	case s.contract.HasPage():
		return "There is no page yet. The harness serves the files as they are (no build, no server code): \"/\" is index.html in the top folder.\n"
	}
	return ""
}

func folder(dir string) string {
	if dir == "." {
		return "the top folder"
	}
	return "the folder " + plain.Line(dir, 100)
}

// filesNow lists the files of the session tree, without those that only the
// harness and the person have to do with.
func (s *step) filesNow() string {
	entries, err := s.repo.ListTree(context.Background(), s.tree)
	if err != nil {
		return ""
	}
	old := map[string]bool{}
	if base, err := s.repo.ListTree(context.Background(), s.baseID); err == nil {
		for _, e := range base {
			old[e.Path] = true
		}
	}
	var lines []string
	for _, e := range entries {
		if e.Path == project.InitScript || strings.HasPrefix(e.Path, ".agent/") {
			continue
		}
		line := "  " + plain.Line(e.Path, 120)
		if old[e.Path] && project.IsTestPath(e.Path, s.cfg.TestPatterns) {
			line += "  (existing test: may not be changed)"
		}
		lines = append(lines, line)
	}
	if len(lines) == 0 {
		return "The project has no files yet.\n"
	}
	head := fmt.Sprintf("Files (%d):\n", len(lines))
	if more := len(lines) - maxFiles; more > 0 {
		lines = append(lines[:maxFiles], fmt.Sprintf("  … and %d more (list_files)", more))
	}
	return head + strings.Join(lines, "\n") + "\n"
}

// mustHold names what already works and is checked again.
func (s *step) mustHold() string {
	var lines []string
	for _, f := range s.list.Features {
		if f.Passes && !s.broken[f.ID] {
			lines = append(lines, fmt.Sprintf("  %s %s", f.ID, plain.Line(f.Description, 100)))
		}
	}
	if len(lines) == 0 {
		return ""
	}
	if more := len(lines) - maxHolding; more > 0 {
		lines = append(lines[:maxHolding], fmt.Sprintf("  … and %d more", more))
	}
	return "Features that work already and must go on working (they are checked again):\n" + strings.Join(lines, "\n") + "\n"
}

// learned is what earlier sessions leave: the log in short and this feature's
// own defects.
func (s *step) learned() string {
	var b strings.Builder
	if d := progress.Digest(s.telling(), maxDigest); strings.TrimSpace(d) != "" {
		fmt.Fprintf(&b, "\nThe log in short (data, from earlier sessions):\n%s\n", strings.TrimSpace(d))
	}
	if s.status != nil && len(s.status.Events) > 0 {
		b.WriteString("\nEarlier attempts at this feature observed:\n")
		events := s.status.Events
		if len(events) > 6 {
			events = events[len(events)-6:]
		}
		for _, e := range events {
			fmt.Fprintf(&b, "> %s: %s\n", e.Kind, plain.Line(e.Detail, 400))
		}
	}
	return b.String()
}

// telling are the log's entries that say something about the code.
func (s *step) telling() []progress.Entry {
	var out []progress.Entry
	for _, e := range s.entries {
		if e.Kind != progress.KindInit && e.Kind != progress.KindFeatures {
			out = append(out, e)
		}
	}
	return out
}

// handOver tells a new conversation what the last one left. The facts are the
// harness's; the model's own words are quoted.
func (s *step) handOver(how stop, defects []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "This is attempt %d of %d. The one before ended because %s. Its files are in place: look at them before you write.\n", s.attempt+1, s.set.Attempts, how)
	if changes, err := s.changed(context.Background()); err == nil && len(changes) > 0 {
		fmt.Fprintf(&b, "Files changed so far: %s\n", plain.Line(strings.Join(changes, ", "), 600))
	}
	b.WriteString("Observed:\n")
	for _, d := range defects {
		b.WriteString("- " + plain.Clip(plain.Text(d), 1500) + "\n")
	}
	quote(&b, "The last words of the one before (its claims, not facts)", s.note)
	return b.String()
}

// changed lists what the session tree has changed since the base.
func (s *step) changed(ctx context.Context) ([]string, error) {
	tree, err := s.ws.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	s.tree = tree
	changes, err := s.repo.DiffTrees(ctx, s.baseID, tree)
	if err != nil {
		return nil, err
	}
	paths := make([]string, len(changes))
	for i, c := range changes {
		paths[i] = c.Path
	}
	return paths, nil
}
