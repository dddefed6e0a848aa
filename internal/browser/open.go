package browser

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"gitagent/internal/sandbox"
)

const (
	startTimeout = 30 * time.Second
	closeTimeout = 5 * time.Second
)

// Options say how to start a browser.
type Options struct {
	// Exec is the executable; "" means Find("").
	Exec string
	// Cell is where it runs; nil means an ordinary process. Its policy must let
	// Temp be written.
	Cell *sandbox.Cell
	// Temp is where the profile folder goes; "" means the system's.
	Temp string
	// Warm keeps an empty tab ready for the next run, for whoever asks often.
	Warm bool
}

// A Browser is a running Chromium. It is safe for use by several goroutines;
// each run has a browser context of its own, so nothing is left over.
type Browser struct {
	opts Options

	mu     sync.Mutex
	live   *process // nil after Close
	closed bool
}

// process is one start of the browser. Its context ends with the process.
type process struct {
	ctx       context.Context
	cancel    context.CancelFunc // ends the process and waits for it
	profile   string
	userAgent string
	warm      bool

	firstMu sync.Mutex
	first   target.ID // the tab that the browser started with, "" once used

	letGoMu sync.Mutex // held while no page is stopped as it opens

	tabsMu sync.Mutex
	tabs   map[target.ID]*tab // of the runs under way, with their popups
	spare  *tab               // for the next run
	names  map[string]bool    // on globalThis of a document without scripts
}

// Open starts the browser. It removes profile folders of processes that are
// gone first. ctx bounds the start only; Close ends the browser.
func Open(ctx context.Context, opts Options) (*Browser, error) {
	if opts.Exec == "" {
		path, err := Find("")
		if err != nil {
			return nil, err
		}
		opts.Exec = path
	}
	if opts.Temp == "" {
		opts.Temp = os.TempDir()
	}
	sweepProfiles(opts.Temp)
	b := &Browser{opts: opts}
	p, err := b.start(ctx)
	if err != nil {
		return nil, err
	}
	b.live = p
	if opts.Warm {
		go p.refill()
	}
	return b, nil
}

// Close ends the browser, everything it started, and its profile folder.
func (b *Browser) Close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	if b.live != nil {
		b.live.end()
		b.live = nil
	}
}

// process returns the running browser, started again when it has died.
func (b *Browser) process(ctx context.Context) (*process, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return nil, errors.New("the browser is closed")
	}
	if b.live != nil && b.live.ctx.Err() == nil {
		return b.live, nil
	}
	if b.live != nil {
		b.live.end()
		b.live = nil
	}
	p, err := b.start(ctx)
	if err != nil {
		return nil, err
	}
	b.live = p
	return p, nil
}

// start starts the browser; where its own sandbox does not work on this
// machine, once more without it.
func (b *Browser) start(ctx context.Context) (*process, error) {
	without := b.opts.Cell != nil || os.Getuid() == 0
	p, err := b.startOnce(ctx, without)
	if err != nil && !without && strings.Contains(strings.ToLower(err.Error()), "sandbox") {
		p, err = b.startOnce(ctx, true)
	}
	return p, err
}

func (b *Browser) startOnce(ctx context.Context, noSandbox bool) (*process, error) {
	profile, err := makeProfile(b.opts.Temp)
	if err != nil {
		return nil, fmt.Errorf("start the browser: %w", err)
	}
	// The first call binds the life of the browser to its context, so that
	// context has no deadline; the deadline of the start is kept beside it.
	root, cancelAlloc := chromedp.NewExecAllocator(context.WithoutCancel(ctx), b.allocatorOptions(profile, noSandbox)...)
	quiet := func(string, ...any) {}
	pctx, cancelTab := chromedp.NewContext(root, chromedp.WithLogf(quiet), chromedp.WithErrorf(quiet))
	p := &process{ctx: pctx, warm: b.opts.Warm, profile: profile, cancel: func() { cancelTab(); cancelAlloc() }, tabs: map[target.ID]*tab{}}

	started := make(chan error, 1)
	go func() {
		v, err := chromedp.CallBrowser(pctx, cdpbrowser.GetVersion, cdp.Empty{})
		// Pages that look for a test environment shall not find one.
		p.userAgent = strings.ReplaceAll(v.UserAgent, "HeadlessChrome", "Chrome")
		if err == nil {
			err = p.watchPopups()
		}
		started <- err
	}()
	timer := time.NewTimer(startTimeout)
	defer timer.Stop()
	select {
	case err = <-started:
	case <-timer.C:
		err = fmt.Errorf("no answer in %s", startTimeout)
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	if err != nil {
		p.end()
		return nil, fmt.Errorf("start the browser %s: %w", filepath.Base(b.opts.Exec), shorten(err))
	}
	return p, nil
}

// shorten keeps the part of a start error that says something.
func shorten(err error) error {
	if msg := err.Error(); len(msg) > 600 {
		return errors.New(msg[:300] + " … " + msg[len(msg)-250:])
	}
	return err
}

func (b *Browser) allocatorOptions(profile string, noSandbox bool) []chromedp.ExecAllocatorOption {
	opts := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(b.opts.Exec),
		chromedp.UserDataDir(profile),
		chromedp.NoInheritEnv,
		chromedp.WindowSize(viewportWidth, viewportHeight),
		// Nothing outside this machine: names and addresses alike.
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost, EXCLUDE [::1]"),
		chromedp.Flag("no-proxy-server", true),
		chromedp.Flag("force-webrtc-ip-handling-policy", "disable_non_proxied_udp"),
		chromedp.Flag("disable-features", "Translate,BlinkGenPropertyTrees,MediaRouter,OptimizationHints,DialMediaRouteProvider,SpareRendererForSitePerProcess,IsolateOrigins,site-per-process,"+
			// The address bar of a window that nobody sees: two processes for each.
			"WebUIOmniboxPopup,WebUIOmniboxAimPopup,PreloadTopChromeWebUI"),
		// Frames of other sites in the process of their page: one connection sees
		// them all. What is shown comes from this machine alone.
		chromedp.Flag("disable-site-isolation-trials", true),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("no-pings", true),
		// As a person's browser: popups need a gesture, no sign of automation.
		chromedp.Flag("disable-popup-blocking", false),
		chromedp.Flag("enable-automation", false),
		chromedp.Flag("disable-blink-features", "AutomationControlled"),
		chromedp.Flag("lang", "en-US"),
		chromedp.ModifyCmdFunc(func(cmd *exec.Cmd) {
			cmd.Env = b.environment(profile)
			cmd.Dir = profile
			if b.opts.Cell == nil {
				dieWithParent(cmd)
				return
			}
			if err := b.opts.Cell.Wrap(cmd); err != nil {
				cmd.Err = err // reported by Start
			}
		}),
	)
	if noSandbox {
		opts = append(opts, chromedp.NoSandbox)
	}
	if roomyShm() {
		opts = append(opts, chromedp.Flag("disable-dev-shm-usage", false))
	}
	return opts
}

// environment is all that the browser sees: nothing of the user's.
func (b *Browser) environment(profile string) []string {
	// The browser makes a socket below TMPDIR, whose path may have no more than
	// 107 bytes: relative to the profile, where it starts, it always fits.
	env := []string{"HOME=" + profile, "XDG_CONFIG_HOME=" + profile, "XDG_CACHE_HOME=" + profile, "TMPDIR=.", "LANG=C.UTF-8", "DBUS_SESSION_BUS_ADDRESS=disabled:"}
	if b.opts.Cell == nil {
		env = append(env, "PATH="+os.Getenv("PATH"))
	}
	if tz := os.Getenv("TZ"); tz != "" {
		env = append(env, "TZ="+tz)
	}
	return env
}

// end ends the process: politely for a moment, then by force. Whatever still
// uses the profile folder is ended too, and the folder goes.
func (p *process) end() {
	done := make(chan struct{})
	go func() {
		p.cancel()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(closeTimeout):
	}
	killUsers(p.profile)
	removeProfile(p.profile)
}
