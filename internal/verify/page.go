package verify

import (
	"context"
	"os"
	"strings"
	"time"

	"gitagent/internal/browser"
	"gitagent/internal/plain"
	"gitagent/internal/verify/contract"
)

func (v *Verifier) pageCheck(ctx context.Context, k contract.Check, t Target, shots string, tr *trial) {
	s, err := browser.ParseScenario(k.Page)
	if err != nil {
		tr.end(Unverified, "%v", err)
		return
	}
	s.Foils = tr.foils
	res := v.page(ctx, s, t, shots, tr)
	if res == nil {
		return
	}
	for _, f := range res.Foils {
		if tr.beside += len(f.Found); f.Crowd {
			tr.crowd = oneOfAll(f.Text, f.Found)
		}
	}
	tr.end(res.Verdict, "%s", res.Reason)
	if res.Verdict == Pass && res.Asserts.Pass == 0 {
		tr.end(Unverified, "nothing was looked at on the page")
	}
	tr.started = res.Verdict == Fail && res.Asserts.Fail > 0 && (res.Opened.Status < 400 || res.Opened.Status == int64(s.Status))
	tr.Shots = res.Shots
	tr.took = time.Duration(res.Ms) * time.Millisecond
	describePage(res, tr)
}

// page runs s on the served or started product. No result: tr says why.
func (v *Verifier) page(ctx context.Context, s *browser.Scenario, t Target, shots string, tr *trial) *browser.Result {
	if v.Browser == "" {
		tr.without("there is no browser on this machine, so no page can be checked")
		return nil
	}
	cell, err := v.openForPage(ctx, t)
	if err != nil {
		tr.without("the check could not be isolated: %v", err)
		return nil
	}
	defer cell.close()
	open := func() (*browser.Browser, error) {
		return browser.Open(ctx, browser.Options{Exec: v.Browser, Cell: cell.Cell, Temp: cell.temp})
	}
	res, b := v.pageIn(ctx, cell, open, s, t, shots, false, tr)
	if b != nil {
		b.Close()
	}
	return res
}

// pageIn runs s in a room that is open. The browser is for the caller to close.
func (v *Verifier) pageIn(ctx context.Context, cell *room, open func() (*browser.Browser, error), s *browser.Scenario, t Target, shots string, trying bool, tr *trial) (*browser.Result, *browser.Browser) {
	// The browser starts while the server does; both take their time.
	type opened struct {
		b   *browser.Browser
		err error
	}
	coming := make(chan opened, 1)
	go func() {
		b, err := open()
		coming <- opened{b, err}
	}()
	app, err := v.serve(ctx, cell, t)
	got := <-coming
	if err != nil {
		notServed(err, tr)
		return nil, got.b
	}
	defer app.stop()
	if shots != "" {
		if err := os.MkdirAll(shots, 0o700); err != nil {
			tr.without("no folder for screenshots: %v", err)
			return nil, got.b
		}
	}
	if got.err != nil {
		tr.without("the browser did not start: %v", got.err)
		return nil, got.b
	}
	// Where a server keeps state, a second run without actions would find what
	// the first has done; contracts are bitten on a server of its own.
	st := browser.Stage{URL: app.url, Shots: shots, Restart: app.restart, Alone: trying && app.proc == nil}
	res := got.b.Play(ctx, s, st)
	if why := app.died(); why != "" && res.Verdict != Pass {
		res.Reason += "; " + why
	}
	return &res, got.b
}

// describePage keeps, of all that was seen on a page, what tells a small model
// where it went another way than it should.
func describePage(res *browser.Result, tr *trial) {
	last := len(res.Interactions) - 1
	for i, in := range res.Interactions {
		// A long run of steps that went well explains nothing.
		if in.OK && last-i > 12 && len(in.Dialogs)+len(in.Errors) == 0 {
			continue
		}
		tr.see("%d. %s%s", in.N, in.Step, after(in))
		for _, d := range in.Dialogs {
			tr.see("   dialog: %s", d)
		}
		for _, e := range in.Errors {
			if !strings.Contains(res.Reason, e) {
				tr.see("   error: %s", e)
			}
		}
	}
	for i, e := range res.ConsoleErrors {
		if i == 3 {
			break
		}
		tr.see("console %s: %s %s", e.Kind, e.Text, e.At)
	}
	for i, n := range res.Network {
		if i == 3 {
			break
		}
		tr.see("request failed: %s %d %s", n.URL, n.Status, n.Error)
	}
	if res.Verdict != Pass && res.Snapshot != "" {
		tr.see("the page in the end: %s", plain.Line(strings.ReplaceAll(res.Snapshot, "\n", " | "), 400))
	}
}

// after says what a step did to the page, also that it did nothing.
func after(in browser.Interaction) string {
	switch {
	case !in.OK:
		return " — FAILED"
	case in.DisplayAfter != "":
		return " — shown then: " + plain.Line(in.DisplayAfter, 100)
	}
	return ""
}
