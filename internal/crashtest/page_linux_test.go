package crashtest

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gitagent/internal/model/modeltest"
	"gitagent/internal/testenv"
)

// endless is a scenario that looks at a page for longer than anybody waits.
const endless = `{"steps":[{"wait":"never","timeout":30},{"wait":"never","timeout":30}]}`

const helloPage = "<!doctype html><html lang=en><title>Hello</title><p>Hello</p>\n"

// pageContract judges the first feature by a page that never shows it.
const pageContract = `{"version":1,"feature":"F001","revision":1,"checks":[{"id":"c1","kind":"page","covers":[1,2,3],"page":{"open":"/","steps":[{"wait":"never","timeout":30},{"see":"5"},{"see":"42"}],"timeout":60}}]}`

// TestKilledInAPage kills the tool while its browser looks at a page: in the
// model's own trial, in a check that decides, and in the command for a person.
// Nothing goes on without it, and the next page sweeps what it left.
func TestKilledInAPage(t *testing.T) {
	if _, err := exec.LookPath("chromium"); err != nil {
		t.Fatalf("no browser for the tests: %v", err)
	}
	template := newPlace(t, "")
	judged := template.clone(t)
	testenv.Write(t, judged.root, "page.json", pageContract)
	if code, out := judged.run(t, nil, "contract", "F001", "--from", filepath.Join(judged.root, "page.json")); code != 0 {
		t.Fatalf("contract: %d\n%s", code, out)
	}
	page := work[0].And("write_file", "path", "index.html", "content", helloPage)
	trial := []modeltest.Step{page, modeltest.Use("check_page", "scenario", json.RawMessage(endless))}
	for _, c := range []struct {
		name    string
		phase   string // in which the page is looked at: the plan looks at one as well
		place   *place
		replies []modeltest.Step
		args    []string
		how     []death
	}{
		{"the model's own trial", "── do", template, trial, []string{"step"}, []death{group, everything}},
		{"a check that decides", "── check", judged, []modeltest.Step{page, done}, []string{"step"}, []death{group}},
		{"the command", "", template, nil, []string{"page"}, []death{group}},
	} {
		for _, how := range c.how {
			t.Run(c.name+" "+how.String(), func(t *testing.T) {
				p := c.place.clone(t)
				testenv.Write(t, p.repo, "build/index.html", helloPage)
				testenv.Write(t, p.root, "endless.json", endless)
				args := c.args
				if args[0] == "page" {
					args = []string{"page", filepath.Join(p.root, "endless.json"), "--serve", filepath.Join(p.repo, "build")}
				}
				v := p.start(t, newMind(t, c.replies).env(), args...)
				until(t, "a page is looked at", v, func() bool {
					return strings.Contains(v.out.String(), c.phase) && exists(p.root, "tmp", "ga-*")() &&
						strings.Contains(describe(below(v.nurse.Process.Pid)), "--type=renderer")
				})
				time.Sleep(500 * time.Millisecond) // into the middle of it
				v.kill(how)
				if !exists(p.root, "tmp", "ga-*")() {
					t.Errorf("there is nothing to sweep: %s", p.temps(t))
				}
				if code := v.gone(20 * time.Second); code != -9 {
					t.Fatalf("it ended with %d before it was killed\n%s", code, v.out.String())
				}
				p.nextPage(t)
			})
		}
	}
}

// nextPage wants the next page to tell and to sweep the folders of the browser
// that was lost, and the next session the rest.
func (p *place) nextPage(t *testing.T) {
	t.Helper()
	testenv.Write(t, p.root, "short.json", `["see Hello"]`)
	if code, out := p.run(t, nil, "page", filepath.Join(p.root, "short.json"), "--serve", filepath.Join(p.repo, "build")); code != 0 {
		t.Errorf("the next page ended with %d\n%s", code, out)
	}
	if exists(p.root, "tmp", "ga-*")() {
		t.Errorf("the next page did not sweep: %s", p.temps(t))
	}
	if code, out := p.run(t, newMind(t, giveUp).env(), "step", "F002"); code != 5 {
		t.Errorf("the next session ended with %d\n%s", code, out)
	}
	p.swept(t)
}

// temps lists what is in the temporary folder.
func (p *place) temps(t *testing.T) string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(p.root, "tmp"))
	must(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return strings.Join(names, ", ")
}
