package browser

import (
	"slices"
	"strings"
	"time"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"gitagent/internal/plain"
)

// watchPopups has every page that another page opens stopped before its first
// script runs, so that a dialog in it is seen, and finds the tab to start with.
func (p *process) watchPopups() error {
	seen := map[target.ID]bool{}
	chromedp.ListenBrowser(p.ctx, func(ev any) {
		if d, ok := ev.(*cdpbrowser.EventDownloadWillBegin); ok {
			go p.downloads(d)
		}
		e, ok := ev.(*target.EventAttachedToTarget)
		// Our own attaching raises the event too. A page that does not wait
		// opened while another was let go.
		if !ok || (!e.WaitingForDebugger && e.TargetInfo.OpenerID == "") || seen[e.TargetInfo.TargetID] {
			return
		}
		seen[e.TargetInfo.TargetID] = true
		go func() {
			if e.TargetInfo.OpenerID != "" {
				if e.WaitingForDebugger && !e.TargetInfo.CanAccessOpener {
					defer time.AfterFunc(askTime, p.letGo).Stop()
				}
				p.adopt(*e.TargetInfo)
			}
			// Whoever keeps a page waiting lets it go by leaving. A tab of our
			// own, which we know already, waits for nothing else.
			_, _ = chromedp.CallBrowser(p.ctx, target.DetachFromTarget, target.DetachFromTargetParams{SessionID: e.SessionID})
		}()
	})
	infos, err := chromedp.Targets(p.ctx)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(infos, func(t *target.Info) bool { return t.Type == "page" && t.URL == "about:blank" })
	if i >= 0 && !p.warm { // where runs follow each other, all begin alike
		p.first = infos[i].TargetID
	}
	return p.stopPages()
}

// stopPages has the browser stop every page that opens from now on.
func (p *process) stopPages() error {
	_, err := chromedp.CallBrowser(p.ctx, target.SetAutoAttach, target.SetAutoAttachParams{
		AutoAttach: true, WaitForDebuggerOnStart: true, Flatten: new(true), Filter: target.Filter{{Type: "page"}},
	})
	return err
}

// askTime is what the first question to a page takes to reach it.
const askTime = 50 * time.Millisecond

// letGo lets all pages go on that wait. One that may not see its opener, as
// behind a link with target=_blank, has a process of its own and answers nothing
// before; and the browser lets it go for nothing less than this.
func (p *process) letGo() {
	p.letGoMu.Lock()
	defer p.letGoMu.Unlock()
	if _, err := chromedp.CallBrowser(p.ctx, target.SetAutoAttach, target.SetAutoAttachParams{Flatten: new(true)}); err == nil {
		_ = p.stopPages() // an error means that the browser is gone
	}
}

// downloads tells the run whose page starts a download; none is kept.
func (p *process) downloads(d *cdpbrowser.EventDownloadWillBegin) {
	p.tabsMu.Lock()
	defer p.tabsMu.Unlock()
	for _, t := range p.tabs {
		if _, ours := t.rec.docOf(d.FrameID); ours {
			t.rec.mu.Lock()
			t.rec.log.note("a download of " + plain.Line(d.SuggestedFilename, 100) + " was started; it is not kept")
			t.rec.mu.Unlock()
		}
	}
}

// adopt makes a popup part of the run whose page opened it, and lets it go on.
func (p *process) adopt(info target.Info) {
	p.tabsMu.Lock()
	opener := p.tabs[info.OpenerID]
	p.tabsMu.Unlock()
	var log *journal
	if opener != nil {
		opener.rec.mu.Lock()
		log = opener.rec.log
		opener.rec.mu.Unlock()
	}
	t, err := p.openTab(log, chromedp.WithTargetID(info.TargetID))
	if err != nil {
		return // it has gone already
	}
	if opener == nil || opener.ctx.Err() != nil {
		t.cancel()
		return
	}
	t.opener, t.since = opener, time.Now()
	t.bind(opener.ctx)
	p.know(t)
	_ = t.goOn() // an error means that it has gone
}

func (p *process) know(t *tab) {
	p.tabsMu.Lock()
	defer p.tabsMu.Unlock()
	p.tabs[t.id] = t
}

// popupsOf are the open pages that t opened, and those that they opened.
func (p *process) popupsOf(t *tab) []*tab {
	p.tabsMu.Lock()
	defer p.tabsMu.Unlock()
	var out []*tab
	for _, q := range p.tabs {
		for o := q.opener; o != nil; o = o.opener {
			if o == t {
				out = append(out, q)
				break
			}
		}
	}
	slices.SortFunc(out, func(a, b *tab) int { return a.since.Compare(b.since) })
	return out
}

// popup goes on in a window that the page opened, or closes it and goes back.
func (r *runner) popup(s Step) error {
	if s.Text == "close" {
		if r.tab.opener == nil {
			return failf("this is no window that a page opened")
		}
		popup := r.tab
		r.tab = popup.opener
		popup.close(r.p)
		return r.switched()
	}
	deadline := time.Now().Add(s.waitFor())
	for {
		for _, q := range r.p.popupsOf(r.tab) {
			if q.ctx.Err() == nil && (s.Text == "" || q.called(s.Text)) {
				r.tab = q
				if err := q.arrive(q.ctx); err != nil {
					return err
				}
				return r.switched()
			}
		}
		if time.Now().After(deadline) {
			if n := len(r.p.popupsOf(r.tab)); n > 0 {
				return failf("%s opened, but none is called %s", plain.Count(n, "window"), quote(s.Text))
			}
			return failf("the page opened no window")
		}
		if err := sleep(r.tab.ctx, 40*time.Millisecond); err != nil {
			return err
		}
	}
}

// called says whether the window's title or address has the text.
func (t *tab) called(text string) bool {
	now, err := t.look()
	return err == nil && (Shows(now.Title, text) || strings.Contains(now.URL, text))
}

// switched begins anew on another page, whose state before the actions is known
// as little as that of any page that is opened.
func (r *runner) switched() error {
	now, err := r.tab.look()
	if err != nil {
		return err
	}
	r.last = now
	return r.tab.rec.leftOrigin()
}

// fresh goes on in a second profile, which shares nothing with the first but
// the server; with "first" it goes back.
func (r *runner) fresh(s Step) error {
	if s.Text == "first" {
		if r.firstTab == nil {
			return failf("there is no second profile to come back from")
		}
		r.tab, r.second = r.firstTab, r.tab
		r.firstTab = nil
		return r.switched()
	}
	if r.firstTab == nil {
		r.firstTab = r.tab
		for r.firstTab.opener != nil {
			r.firstTab = r.firstTab.opener
		}
	}
	t, err := r.p.newTab(r.ctx, r.log)
	if err != nil {
		return unverifiedf("the browser gave no second profile: %v", err)
	}
	r.opened = append(r.opened, t)
	r.tab = t
	if r.s.Prefers != "" {
		if err := t.prefer(r.s.Prefers); err != nil {
			return err
		}
	}
	return r.open(s.Text)
}

// takeSpare gives the tab that was made ahead, or nil.
func (p *process) takeSpare() *tab {
	p.tabsMu.Lock()
	defer p.tabsMu.Unlock()
	t := p.spare
	p.spare = nil
	if t != nil && t.ctx.Err() != nil {
		return nil
	}
	return t
}

// refill makes a tab ahead of the next run.
func (p *process) refill() {
	p.tabsMu.Lock()
	has := p.spare != nil || p.ctx.Err() != nil
	p.tabsMu.Unlock()
	if has {
		return
	}
	t, err := p.blankTab()
	if err != nil {
		return // the next run makes its own, and says what is wrong
	}
	p.tabsMu.Lock()
	defer p.tabsMu.Unlock()
	if p.spare == nil {
		p.spare = t
		return
	}
	go t.cancel()
}
