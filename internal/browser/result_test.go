package browser

import (
	"encoding/json"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestInlineIsSmallAndSaysWhy(t *testing.T) {
	long := strings.Repeat("wörds & <tags> ", 200)
	r := Result{Verdict: Fail, Reason: "step 60: because " + long, Opened: Opened{URL: "http://127.0.0.1:1/" + long, Title: long}, Snapshot: long, StepsRun: 60, StepsTotal: 60}
	for i := range 60 {
		r.Clickable = append(r.Clickable, long)
		r.Blocked = append(r.Blocked, long)
		r.Notes = append(r.Notes, long)
		r.Shots = append(r.Shots, "shot.png")
		r.ConsoleErrors = append(r.ConsoleErrors, PageError{Kind: "exception", Text: long, At: long})
		r.Network = append(r.Network, Failure{URL: long, Status: 404})
		r.Interactions = append(r.Interactions, Interaction{N: i + 1, Step: long, DisplayAfter: long, Changed: []string{long, long}, Dialogs: []string{long}, Errors: []string{long}})
	}
	before := fmt.Sprintf("%+v", r)
	out := r.Inline()
	if len(out) > InlineLimit {
		t.Errorf("%d bytes", len(out))
	}
	var back Result
	if err := json.Unmarshal(out, &back); err != nil {
		t.Fatal(err)
	}
	if back.Verdict != Fail || !strings.HasPrefix(back.Reason, "step 60: because") || len(back.Interactions) == 0 || back.Interactions[len(back.Interactions)-1].N != 60 {
		t.Errorf("%s", out)
	}
	if fmt.Sprintf("%+v", r) != before {
		t.Error("Inline changed the result")
	}
	r.Full = "all.json"
	if out := r.Inline(); len(out) > InlineLimit || !strings.Contains(string(out), `"full":"all.json"`) {
		t.Errorf("it does not say where the rest is: %s", out)
	}
	back = Result{}
	if err := json.Unmarshal(r.Whole(), &back); err != nil || len(back.Interactions) != 60 || back.Snapshot != long || strings.Count(string(r.Whole()), "\n") < 300 {
		t.Errorf("the whole is not all of it: %v", err)
	}
	small := Result{Verdict: Pass, Reason: "fine", Interactions: []Interaction{{N: 1, Step: `click "7"`, OK: true, DisplayAfter: "7"}}}
	back = Result{}
	if err := json.Unmarshal(small.Inline(), &back); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(small, back); d != "" {
		t.Error(d)
	}
	if whole := small.Whole(); whole != nil {
		t.Errorf("nothing was left out of %s", whole)
	}
}

func TestShots(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "shots")
	b := sharedBrowser(t)
	base := site(t, map[string]string{"index.html": calculator})
	r := b.Run(t.Context(), scenario(t, `["click 7",{"shot":"after seven"},{"see":"7","in":"Display"}]`), base, dir)
	if r.Verdict != Pass {
		t.Fatalf("%s", r.Inline())
	}
	if d := cmp.Diff([]string{"01-after-seven.png", "02-end.png"}, r.Shots); d != "" {
		t.Error(d)
	}
	f, err := os.Open(filepath.Join(dir, r.Shots[0]))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if img, err := png.Decode(f); err != nil || img.Bounds().Dx() != 1280 || img.Bounds().Dy() != 800 {
		t.Errorf("%v", err)
	}
}

func TestDescribesThePage(t *testing.T) {
	r := play(t, `<!doctype html><html lang=en><title>Shop</title><h1>Shop</h1><label>Name <input value="Zoë"></label><label><input type=checkbox checked> Agree</label>
<button disabled>Buy</button><a href="/x">Help</a><output aria-label=Total>5</output><p>Some <b>words</b></p>`, `{"open":"/"}`)
	if r.Verdict != Unverified || r.Opened.Title != "Shop" || r.Opened.Status != 200 {
		t.Errorf("%s", r.Inline())
	}
	for _, want := range []string{"heading Shop", "textbox Name: Zoë", "checkbox Agree (checked)", "button Buy (disabled)", "link Help", "status Total", "words"} {
		if !strings.Contains(r.Snapshot, want) {
			t.Errorf("the snapshot lacks %q:\n%s", want, r.Snapshot)
		}
	}
	if d := cmp.Diff([]string{"textbox:Name", "checkbox:Agree", "button:Buy", "link:Help"}, r.Clickable); d != "" {
		t.Error(d)
	}
}

// TestWithoutActionsFails is the bite check on a page that is finished: left
// alone, it does not show what the actions bring.
func TestWithoutActionsFails(t *testing.T) {
	s := scenario(t, `[{"click":"7"},{"click":"×"},{"click":"8"},{"click":"="},{"see":"56","in":"Display","timeout":0.3}]`)
	base := site(t, map[string]string{"index.html": calculator})
	if r := sharedBrowser(t).Run(t.Context(), s, base, ""); r.Verdict != Pass {
		t.Errorf("%s", r.Inline())
	}
	if r := sharedBrowser(t).Run(t.Context(), s.WithoutActions(), base, ""); r.Verdict != Fail {
		t.Errorf("%s", r.Inline())
	}
}
