package browser

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// verdictError is an end of the scenario with its verdict.
type verdictError struct {
	verdict string
	msg     string
}

func (e *verdictError) Error() string { return e.msg }

func failf(format string, args ...any) error {
	return &verdictError{Fail, fmt.Sprintf(format, args...)}
}

func unverifiedf(format string, args ...any) error {
	return &verdictError{Unverified, fmt.Sprintf(format, args...)}
}

// open navigates to addr and waits until it has loaded and settled.
func (t *tab) open(addr string) error {
	ctx, cancel := context.WithTimeoutCause(t.ctx, loadTimeout, failf("the page did not load within %s", loadTimeout))
	defer cancel()
	res, err := chromedp.Call(ctx, page.Navigate, page.NavigateParams{URL: addr})
	if err != nil {
		return causeOf(ctx, err)
	}
	switch {
	case res.ErrorText == "":
	case strings.Contains(res.ErrorText, "CONNECTION_REFUSED"), strings.Contains(res.ErrorText, "NAME_NOT_RESOLVED"),
		strings.Contains(res.ErrorText, "ADDRESS_UNREACHABLE"), strings.Contains(res.ErrorText, "INTERNET_DISCONNECTED"):
		return unverifiedf("no server answers at %s (%s)", addr, res.ErrorText)
	default:
		return failf("the page could not be opened: %s", res.ErrorText)
	}
	if res.IsDownload {
		return failf("opening the page started a download")
	}
	return t.arrive(ctx)
}

// reload loads the page anew.
func (t *tab) reload() error {
	return t.navigate(func(ctx context.Context) error {
		_, err := chromedp.Call(ctx, page.Reload, page.ReloadParams{})
		return err
	})
}

// back goes one page back, which must exist.
func (t *tab) back() error {
	h, err := call(t, page.GetNavigationHistory, cdp.Empty{})
	if err != nil {
		return err
	}
	i := h.CurrentIndex - 1
	if i < 0 || h.Entries[i].URL == "about:blank" {
		return failf("there is no page to go back to")
	}
	return t.navigate(func(ctx context.Context) error {
		_, err := chromedp.Call(ctx, page.NavigateToHistoryEntry, page.NavigateToHistoryEntryParams{EntryID: h.Entries[i].ID})
		return err
	})
}

// navigate starts a navigation and waits for the new document, or for a change
// within the document as single-page applications make.
func (t *tab) navigate(start func(context.Context) error) error {
	ctx, cancel := context.WithTimeoutCause(t.ctx, loadTimeout, failf("the page did not load within %s", loadTimeout))
	defer cancel()
	doc, _ := t.rec.state()
	if err := start(ctx); err != nil {
		return causeOf(ctx, err)
	}
	begun := time.Now()
	for {
		now, loading := t.rec.state()
		if now != doc || (!loading && time.Since(begun) > 500*time.Millisecond) {
			return t.arrive(ctx)
		}
		if err := sleep(ctx, 5*time.Millisecond); err != nil {
			return err
		}
	}
}

// arrive waits until the main frame has loaded, then until it is quiet.
func (t *tab) arrive(ctx context.Context) error {
	for {
		if _, loading := t.rec.state(); !loading {
			return t.settle()
		}
		if err := sleep(ctx, 5*time.Millisecond); err != nil {
			return err
		}
	}
}

// settle waits until what the last step caused has been rendered: navigation,
// frames, changes of the DOM and young requests, at most three seconds beside
// the loading of a page.
func (t *tab) settle() error {
	deadline := time.Now().Add(3 * time.Second)
	for {
		doc, loading := t.rec.state()
		if loading {
			ctx, cancel := context.WithTimeoutCause(t.ctx, loadTimeout, failf("the page did not load within %s", loadTimeout))
			err := t.waitLoaded(ctx)
			cancel()
			if err != nil {
				return err
			}
			continue
		}
		for _, f := range t.frames() {
			if err := t.askIn(f, nil, "settle"); err != nil && !passing(err) {
				return err
			}
		}
		now, loading := t.rec.state()
		if now == doc && !loading && !t.rec.busy() {
			return nil
		}
		if time.Now().After(deadline) {
			return nil
		}
		if err := sleep(t.ctx, 5*time.Millisecond); err != nil {
			return err
		}
	}
}

func (t *tab) waitLoaded(ctx context.Context) error {
	for {
		if _, loading := t.rec.state(); !loading {
			return nil
		}
		if err := sleep(ctx, 5*time.Millisecond); err != nil {
			return err
		}
	}
}

// sleep waits, or returns why ctx ended.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// causeOf prefers the cause of an ended context to the error it led to.
func causeOf(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) {
			return cause
		}
	}
	return err
}
