package verify

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"gitagent/internal/browser"
)

// warmFor is how long a browser is kept that nobody asks for a page.
const warmFor = 3 * time.Minute

// warmPage is the browser of a session's own trials, kept in its cell from one
// trial to the next. Checks that decide never use it.
type warmPage struct {
	mu      sync.Mutex
	room    *room
	browser *browser.Browser
	dir     string // of the target that the cell sees
	idle    *time.Timer
}

// Keep makes Page keep its browser and its cell from one trial to the next, until
// Close or until nobody asks for three minutes.
func (v *Verifier) Keep() { v.warm = &warmPage{} }

// trialPage is page with the browser that is kept, where one is.
func (v *Verifier) trialPage(ctx context.Context, s *browser.Scenario, t Target, tr *trial) *browser.Result {
	w := v.warm
	if w == nil {
		return v.page(ctx, s, t, "", tr)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if v.Browser == "" {
		tr.without("there is no browser on this machine, so no page can be checked")
		return nil
	}
	for again := range 2 {
		if err := v.warmUp(ctx, t); err != nil {
			tr.without("the check could not be isolated: %v", err)
			return nil
		}
		*tr = trial{}
		res, b := v.pageIn(ctx, w.room, w.open(v), s, t, "", true, tr)
		w.browser = b
		w.tidy()
		// What an earlier trial left may hold the port, or the room may be
		// broken: a new one tells.
		if again == 0 && (tr.noMeans != "" || (res != nil && res.Opened.URL == "" && res.Verdict == Unverified)) && ctx.Err() == nil {
			w.close()
			continue
		}
		w.idle = time.AfterFunc(warmFor, v.Close)
		return res
	}
	return nil
}

// warmUp opens the room for the target, or keeps the one that is there.
func (v *Verifier) warmUp(ctx context.Context, t Target) (err error) {
	w := v.warm
	if w.idle != nil {
		w.idle.Stop()
	}
	if w.room != nil && w.dir == t.Dir {
		return nil
	}
	w.close()
	// It outlives this trial.
	w.room, err = v.openForPage(context.WithoutCancel(ctx), t)
	w.dir = t.Dir
	return err
}

func (w *warmPage) open(v *Verifier) func() (*browser.Browser, error) {
	kept, cell := w.browser, w.room
	return func() (*browser.Browser, error) {
		if kept != nil {
			return kept, nil
		}
		return browser.Open(context.Background(), browser.Options{Exec: v.Browser, Cell: cell.Cell, Temp: cell.temp, Warm: true})
	}
}

// tidy removes what the trial's server left in the room, beside the browser's own.
func (w *warmPage) tidy() {
	for _, dir := range []string{w.room.temp, filepath.Join(w.room.dir, "h")} {
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue
		}
		for _, e := range entries {
			if !strings.HasPrefix(e.Name(), browser.ProfilePrefix) {
				os.RemoveAll(filepath.Join(dir, e.Name()))
			}
		}
	}
}

func (w *warmPage) close() {
	if w.browser != nil {
		w.browser.Close()
	}
	if w.room != nil {
		w.room.close()
	}
	w.browser, w.room, w.dir = nil, nil, ""
}

// Close ends what is kept between trials of pages. The Verifier can still be
// used.
func (v *Verifier) Close() {
	if v.warm == nil {
		return
	}
	v.warm.mu.Lock()
	defer v.warm.mu.Unlock()
	if v.warm.idle != nil {
		v.warm.idle.Stop()
	}
	v.warm.close()
}
