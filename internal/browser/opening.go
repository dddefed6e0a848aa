package browser

import (
	"net/url"
	"time"

	"gitagent/internal/plain"
)

// open loads a path of the page under test.
func (r *runner) open(path string) error {
	begun := time.Now()
	ref, err := url.Parse(path)
	if err != nil {
		return unverifiedf("%q is no path", path)
	}
	base := *r.base
	if base.Path == "" {
		base.Path = "/"
	}
	addr := base.ResolveReference(ref).String()
	if path == "/" && r.base.Path != "" {
		addr = r.base.String() // the page that was asked for
	}
	if err := r.tab.open(addr); err != nil {
		return err
	}
	return r.arrived(begun)
}

// arrived checks a page that was just loaded, and notes the first one.
func (r *runner) arrived(begun time.Time) error {
	rec := r.tab.rec
	rec.mu.Lock()
	status, abandoned, addr := rec.status, rec.abandoned, rec.url
	rec.mu.Unlock()
	if abandoned != "" {
		return unverifiedf("%s", abandoned)
	}
	if status >= 400 && !r.log.expects(status) {
		return failf("the server answered with status %d", status)
	}
	now, err := r.tab.look()
	if err != nil && !passing(err) {
		return err
	}
	if collapse(now.Seen) == "" {
		if err := r.notBlank(); err != nil {
			return err
		}
		if now, err = r.tab.look(); err != nil {
			return err
		}
	}
	r.last = now
	if r.res.Opened.URL != "" {
		return nil
	}
	r.res.Opened = Opened{URL: plain.Line(addr, 300), Title: plain.Line(now.Title, 200), Status: status, Ms: time.Since(begun).Milliseconds()}
	r.started = time.Now()
	return nil
}

// notBlank waits for something to be rendered.
func (r *runner) notBlank() error {
	deadline := time.Now().Add(2 * time.Second)
	for {
		var blank bool
		err := r.tab.ask(&blank, "blank")
		if err == nil && blank {
			blank, err = r.tab.treeEmpty()
		}
		if err == nil && !blank {
			return nil
		}
		if err != nil && !passing(err) {
			return err
		}
		if time.Now().After(deadline) {
			return failf("the page is blank")
		}
		if err := sleep(r.tab.ctx, 50*time.Millisecond); err != nil {
			return err
		}
	}
}
