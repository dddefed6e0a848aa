package session

import (
	"context"
	"fmt"
	"strings"

	"gitagent/internal/plain"
	"gitagent/progress"
)

// Sizes of the parts of a brief, in bytes.
const (
	maxRules  = 4000
	maxHint   = 2000
	maxDigest = 2500
	maxFiles  = 60 // lines
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
	b.WriteString(s.howItRuns())
	fmt.Fprintf(&b, "\nContract (how it will be judged):\n%s\n", contractText(s.contract))
	b.WriteString(s.filesNow())
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

// filesNow lists the files of the session tree.
func (s *step) filesNow() string {
	entries, err := s.repo.ListTree(context.Background(), s.tree)
	if err != nil || len(entries) == 0 {
		return "The project has no files yet.\n"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Files (%d):\n", len(entries))
	for i, e := range entries {
		if i == maxFiles {
			fmt.Fprintf(&b, "  … and %d more (list_files)\n", len(entries)-maxFiles)
			break
		}
		b.WriteString("  " + plain.Line(e.Path, 120) + "\n")
	}
	return b.String()
}

// learned is what earlier sessions leave: the log in short and this feature's
// own defects.
func (s *step) learned() string {
	var b strings.Builder
	if d := progress.Digest(s.entries, maxDigest); strings.TrimSpace(d) != "" {
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
