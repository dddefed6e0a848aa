package session

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"gitagent/features"
	"gitagent/internal/hint"
	"gitagent/internal/model"
	"gitagent/internal/plain"
)

//go:embed prompts/planner.md
var plannerPrompt string

// Plan is what the planner made of a wish.
type Plan struct {
	Goal     string
	Spec     string
	Features []features.Feature
}

// perArea is about how many features the planner is asked for at a time; small
// models lose the thread in longer lists.
const perArea = 7

type area struct {
	Name    string `json:"name"`
	Purpose string `json:"purpose"`
}

// PlanFeatures has the model write a list from a wish or a specification, area
// by area, until count features are there or it has nothing new to say.
func PlanFeatures(ctx context.Context, l *model.Loaded, text string, count int, w Watcher) (Plan, Receipt, error) {
	p := planner{loaded: l, text: plain.Clip(plain.Text(text), 12000), count: count, watch: w, started: time.Now(), seen: map[string]bool{}}
	goal, areas, err := p.areas(ctx)
	if err != nil {
		return Plan{}, p.receipt, err
	}
	for round := 0; len(p.found) < count && round < 3; round++ {
		before := len(p.found)
		for _, a := range areas {
			if len(p.found) >= count {
				break
			}
			if err := p.fill(ctx, goal, a, len(areas)); err != nil {
				return Plan{}, p.receipt, err
			}
		}
		if len(p.found) == before {
			break
		}
	}
	if len(p.found) == 0 {
		return Plan{}, p.receipt, hint.Errorf("write the list by hand and take it with: git agent init --features FILE", "the model gave no usable feature")
	}
	return Plan{Goal: goal, Spec: p.spec(goal, areas), Features: p.found}, p.receipt, nil
}

type planner struct {
	loaded  *model.Loaded
	text    string
	count   int
	watch   Watcher
	started time.Time
	receipt Receipt
	found   []features.Feature
	seen    map[string]bool
}

const areasSchema = `{"type":"object","properties":{"goal":{"type":"string"},"areas":{"type":"array","minItems":1,"maxItems":%d,"items":{"type":"object","properties":{"name":{"type":"string"},"purpose":{"type":"string"}},"required":["name","purpose"]}}},"required":["goal","areas"]}`

func (p *planner) areas(ctx context.Context) (string, []area, error) {
	want := (p.count + perArea - 1) / perArea
	var reply struct {
		Goal  string `json:"goal"`
		Areas []area `json:"areas"`
	}
	p.note("planning %s", plain.Count(p.count, "feature"))
	prompt := fmt.Sprintf("The wish:\n%s\n\nGive the goal in one sentence and about %s of the program, the most basic first.", p.text, plain.Count(want, "area"))
	if err := p.ask(ctx, prompt, fmt.Sprintf(areasSchema, max(want+2, 3)), &reply); err != nil {
		return "", nil, err
	}
	goal := plain.Line(reply.Goal, 200)
	if goal == "" {
		goal = plain.Line(p.text, 200)
	}
	return goal, reply.Areas, nil
}

const featuresSchema = `{"type":"object","properties":{"features":{"type":"array","minItems":1,"maxItems":%d,"items":{"type":"object","properties":{"category":{"type":"string","enum":["functional","style"]},"description":{"type":"string"},"steps":{"type":"array","minItems":1,"maxItems":12,"items":{"type":"string"}}},"required":["category","description","steps"]}}},"required":["features"]}`

func (p *planner) fill(ctx context.Context, goal string, a area, areas int) error {
	want := min(max((p.count+areas-1)/areas, 1), perArea, p.count-len(p.found))
	var known strings.Builder
	for _, f := range p.found {
		known.WriteString("- " + f.Description + "\n")
	}
	if known.Len() == 0 {
		known.WriteString("(none)\n")
	}
	prompt := fmt.Sprintf("The wish:\n%s\n\nGoal: %s\nFeatures already in the list:\n%s\nWrite %s of the area %q (%s).",
		p.text, goal, plain.Clip(known.String(), 8000), plain.Count(want, "new feature"), plain.Line(a.Name, 80), plain.Line(a.Purpose, 200))
	var reply struct {
		Features []features.Feature `json:"features"`
	}
	if err := p.ask(ctx, prompt, fmt.Sprintf(featuresSchema, want), &reply); err != nil {
		return err
	}
	for _, f := range reply.Features {
		p.take(f, a.Name)
	}
	p.note("%s: %d of %s", plain.Line(a.Name, 60), len(p.found), plain.Count(p.count, "feature"))
	return nil
}

func (p *planner) emit(e Event) {
	if p.watch != nil {
		e.Elapsed = time.Since(p.started)
		p.watch.On(e)
	}
}

func (p *planner) note(format string, args ...any) {
	p.emit(Event{Kind: "note", Text: fmt.Sprintf(format, args...)})
}

// take adds a feature unless it is empty or a repetition.
func (p *planner) take(f features.Feature, areaName string) {
	f.Description = plain.Line(f.Description, 300)
	key := features.Fold(f.Description)
	if key == "" || p.seen[key] || len(p.found) >= p.count {
		return
	}
	steps := f.Steps[:0]
	for _, s := range f.Steps {
		if s = plain.Line(s, 400); s != "" {
			steps = append(steps, s)
		}
	}
	if len(steps) == 0 {
		return
	}
	p.seen[key] = true
	n := len(p.found) + 1
	p.found = append(p.found, features.Feature{ID: features.NewID(n), Category: f.Category, Description: f.Description, Steps: steps, Priority: n})
}

func (p *planner) ask(ctx context.Context, prompt, schema string, out any) error {
	use, err := p.loaded.JSONWatch(ctx, plannerPrompt, prompt, json.RawMessage(schema), out, func(d model.Delta) {
		p.emit(Event{Kind: "stream", Detail: d.Text})
	})
	p.receipt.add("planner", model.Medium, use)
	if err != nil {
		return fmt.Errorf("planning: %w", err)
	}
	return nil
}

// spec is what the planner made of the wish, for people and later sessions.
func (p *planner) spec(goal string, areas []area) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\nThe wish, in the words of its author:\n\n", goal)
	for _, line := range strings.Split(strings.TrimSpace(p.text), "\n") {
		b.WriteString("> " + line + "\n")
	}
	b.WriteString("\nAreas:\n\n")
	for _, a := range areas {
		fmt.Fprintf(&b, "- %s: %s\n", plain.Line(a.Name, 80), plain.Line(a.Purpose, 200))
	}
	return b.String()
}
