package browser

import (
	"context"
	_ "embed" // the scripts that read a page
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

const (
	viewportWidth  = 1280
	viewportHeight = 800

	answerTimeout = 10 * time.Second // a page that does not answer for so long hangs
	loadTimeout   = 15 * time.Second
)

var (
	//go:embed see.js
	seeScript string
	//go:embed act.js
	actScript string
)

// errHung means that the page's own scripts leave it no time to answer.
var errHung = fmt.Errorf("the page stopped answering for %s, as in an endless loop", answerTimeout)

// tab is one page in a browser context of its own.
type tab struct {
	ctx    context.Context // ends with the scenario, the tab or the browser
	cancel context.CancelFunc
	rec    *recorder

	mu    sync.Mutex
	lib   runtime.RemoteObjectID // the scripts in the current document
	doc   int                    // the document that lib belongs to
	ctxID runtime.ExecutionContextID
}

// newTab opens an empty tab. base is the origin that counts as the project's.
func (p *process) newTab(ctx context.Context, base string) (*tab, error) {
	rec := &recorder{base: base, inflight: map[network.RequestID]request{}}
	tctx, cancelTab := chromedp.NewContext(p.ctx, chromedp.WithNewBrowserContext(), chromedp.WithListener(rec.listen))
	cctx, cancelCause := context.WithCancelCause(tctx)
	t := &tab{ctx: cctx, rec: rec}
	stop := context.AfterFunc(ctx, func() { cancelCause(context.Cause(ctx)) })
	t.cancel = func() {
		stop()
		cancelCause(errors.New("the scenario is over"))
		cancelTab()
	}
	rec.crash = cancelCause
	rec.answer = t.answerDialog
	// The tab's life is bound to the context of its first call.
	if err := chromedp.Do(tctx); err != nil {
		t.cancel()
		return nil, err
	}
	rec.mu.Lock()
	rec.main = cdp.FrameID(chromedp.FromContext(tctx).Target.TargetID)
	rec.mu.Unlock()
	if err := t.prepare(p.userAgent); err != nil {
		t.cancel()
		return nil, err
	}
	return t, nil
}

// prepare makes the tab look and behave like a person's.
func (t *tab) prepare(userAgent string) error {
	ctx, cancel := context.WithTimeout(t.ctx, answerTimeout)
	defer cancel()
	if _, err := chromedp.Call(ctx, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
		Width: viewportWidth, Height: viewportHeight, DeviceScaleFactor: 1,
	}); err != nil {
		return err
	}
	// Without it a page behind another gets no animation frames.
	if _, err := chromedp.Call(ctx, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true}); err != nil {
		return err
	}
	if userAgent == "" {
		return nil
	}
	_, err := chromedp.Call(ctx, emulation.SetUserAgentOverride, emulation.SetUserAgentOverrideParams{UserAgent: userAgent, AcceptLanguage: "en-US,en"})
	return err
}

func (t *tab) answerDialog(accept bool, text string) {
	ctx, cancel := context.WithTimeout(t.ctx, answerTimeout)
	defer cancel()
	// An error means that the dialog or the tab has gone, which is seen there.
	_, _ = chromedp.Call(ctx, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: accept, PromptText: text})
}

// call runs one protocol command within answerTimeout.
func call[P, R any](t *tab, cmd cdp.Command[P, R], params P) (R, error) {
	ctx, cancel := context.WithTimeoutCause(t.ctx, answerTimeout, errHung)
	defer cancel()
	res, err := chromedp.Call(ctx, cmd, params)
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return res, err
}

// passing says whether err can come from a document that is being replaced, so
// that the same question is worth asking again.
func passing(err error) bool {
	var ce *cdproto.Error
	return errors.As(err, &ce)
}

// library returns the scripts in the isolated world of the current document.
func (t *tab) library() (runtime.RemoteObjectID, runtime.ExecutionContextID, error) {
	doc, _ := t.rec.state()
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.lib != "" && t.doc == doc {
		return t.lib, t.ctxID, nil
	}
	t.lib = ""
	world, err := call(t, page.CreateIsolatedWorld, page.CreateIsolatedWorldParams{FrameID: t.rec.main, WorldName: "w"})
	if err != nil {
		return "", 0, err
	}
	res, err := call(t, runtime.Evaluate, runtime.EvaluateParams{Expression: scripts(), ContextID: world.ExecutionContextID, Silent: new(true)})
	if err != nil {
		return "", 0, err
	}
	if res.ExceptionDetails != nil || res.Result == nil || res.Result.ObjectID == "" {
		return "", 0, errors.New("the page could not be read: " + exceptionText(res.ExceptionDetails))
	}
	t.lib, t.ctxID, t.doc = res.Result.ObjectID, world.ExecutionContextID, doc
	return t.lib, t.ctxID, nil
}

// scripts is one expression: what act.js makes of what see.js gives.
func scripts() string { return strings.TrimSpace(actScript) + "(" + seeScript + ")" }

func exceptionText(d *runtime.ExceptionDetails) string {
	if d == nil {
		return "no result"
	}
	if d.Exception != nil && d.Exception.Description != "" {
		return firstLine(d.Exception.Description)
	}
	return d.Text
}

// ref is an argument that is an object of the page.
type ref runtime.RemoteObjectID

// ask calls a function of the scripts and decodes its answer into out; out may be
// nil. Arguments are JSON values or refs.
func (t *tab) ask(out any, fn string, args ...any) error {
	res, err := t.invoke(fn, true, args...)
	if err != nil || out == nil {
		return err
	}
	if err := json.Unmarshal(res.Value, out); err != nil {
		return fmt.Errorf("read the page's %s: %w", fn, err)
	}
	return nil
}

// askObject calls a function of the scripts that returns an element.
func (t *tab) askObject(fn string, args ...any) (ref, error) {
	res, err := t.invoke(fn, false, args...)
	if err != nil {
		return "", err
	}
	if res.ObjectID == "" {
		return "", fmt.Errorf("the page's %s has no result", fn)
	}
	return ref(res.ObjectID), nil
}

func (t *tab) invoke(fn string, byValue bool, args ...any) (*runtime.RemoteObject, error) {
	lib, _, err := t.library()
	if err != nil {
		return nil, err
	}
	params := runtime.CallFunctionOnParams{
		FunctionDeclaration: "function(...a){return this." + fn + "(...a)}",
		ObjectID:            lib,
		AwaitPromise:        new(true),
		Silent:              new(true),
		ReturnByValue:       &byValue,
	}
	for _, a := range args {
		arg := &runtime.CallArgument{}
		switch a := a.(type) {
		case nil:
			arg.Value = []byte("null")
		case ref:
			arg.ObjectID = runtime.RemoteObjectID(a)
		default:
			if arg.Value, err = json.Marshal(a); err != nil {
				return nil, err
			}
		}
		params.Arguments = append(params.Arguments, arg)
	}
	res, err := call(t, runtime.CallFunctionOn, params)
	if err != nil {
		return nil, err
	}
	if res.ExceptionDetails != nil {
		return nil, fmt.Errorf("the page's %s failed: %s", fn, exceptionText(res.ExceptionDetails))
	}
	return res.Result, nil
}

// resolve makes a node of the accessibility tree an object of our world.
func (t *tab) resolve(node cdp.BackendNodeID) (ref, error) {
	_, world, err := t.library()
	if err != nil {
		return "", err
	}
	res, err := call(t, dom.ResolveNode, dom.ResolveNodeParams{BackendNodeID: node, ExecutionContextID: world})
	if err != nil {
		return "", err
	}
	return ref(res.Object.ObjectID), nil
}

func jsonString(raw []byte) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return string(raw)
	}
	return s
}
