package browser

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
)

// world is the isolated world of one document: our scripts, which the page can
// neither see nor change.
type world struct {
	lib runtime.RemoteObjectID
	ctx runtime.ExecutionContextID
	doc int // the document of the frame that it belongs to
}

// ref is an object of a page, in the world of its frame.
type ref struct {
	id    runtime.RemoteObjectID
	frame cdp.FrameID
}

// frames are the documents that are part of the page: the main one first, then
// the inner ones. All of them live in this tab's process, also those of other
// sites (see the flags in open.go).
func (t *tab) frames() []cdp.FrameID {
	out := []cdp.FrameID{t.rec.main}
	for _, f := range t.rec.children() {
		out = append(out, f.id)
	}
	return out
}

// docOf counts the documents of a frame; ok is false when it has gone.
func (r *recorder) docOf(frame cdp.FrameID) (doc int, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if frame == r.main {
		return r.doc, true
	}
	for _, f := range r.frames {
		if f.id == frame {
			// A new document above replaces this one too.
			return r.doc<<16 + f.doc, true
		}
	}
	return 0, false
}

// parentOf is the frame around a frame, "" around the main one.
func (r *recorder) parentOf(frame cdp.FrameID) cdp.FrameID {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, f := range r.frames {
		if f.id == frame {
			return f.parent
		}
	}
	return ""
}

// world gives the scripts in the isolated world of the frame's current document.
func (t *tab) world(frame cdp.FrameID) (*world, error) {
	doc, ok := t.rec.docOf(frame)
	if !ok {
		return nil, errFrameGone
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if w := t.worlds[frame]; w != nil && w.doc == doc {
		return w, nil
	}
	delete(t.worlds, frame)
	made, err := call(t, page.CreateIsolatedWorld, page.CreateIsolatedWorldParams{FrameID: frame, WorldName: "w"})
	if err != nil {
		return nil, err
	}
	res, err := call(t, runtime.Evaluate, runtime.EvaluateParams{Expression: scripts(), ContextID: made.ExecutionContextID, Silent: new(true)})
	if err != nil {
		return nil, err
	}
	if res.ExceptionDetails != nil || res.Result == nil || res.Result.ObjectID == "" {
		return nil, errors.New("the page could not be read: " + exceptionText(res.ExceptionDetails))
	}
	w := &world{lib: res.Result.ObjectID, ctx: made.ExecutionContextID, doc: doc}
	t.worlds[frame] = w
	return w, nil
}

var errFrameGone = errors.New("a frame of the page has gone")

// scripts is one expression: what act.js makes of what cover.js makes of what
// see.js gives.
func scripts() string {
	return strings.TrimSpace(actScript) + "(" + strings.TrimSpace(coverScript) + "(" + seeScript + "))"
}

// ask calls a function of the scripts and decodes its answer into out; out may
// be nil. Arguments are JSON values or refs; the first ref says in which frame,
// without one it is the main frame.
func (t *tab) ask(out any, fn string, args ...any) error {
	return t.askIn(t.frameOf(args), out, fn, args...)
}

func (t *tab) askIn(frame cdp.FrameID, out any, fn string, args ...any) error {
	res, err := t.invoke(frame, fn, true, args...)
	if err != nil || out == nil {
		return err
	}
	if err := json.Unmarshal(res.Value, out); err != nil {
		return fmt.Errorf("read the page's %s: %w", fn, err)
	}
	return nil
}

func (t *tab) frameOf(args []any) cdp.FrameID {
	for _, a := range args {
		if r, ok := a.(ref); ok {
			return r.frame
		}
	}
	return t.rec.main
}

// askObject calls a function of the scripts that returns an element.
func (t *tab) askObject(frame cdp.FrameID, fn string, args ...any) (ref, error) {
	res, err := t.invoke(frame, fn, false, args...)
	if err != nil {
		return ref{}, err
	}
	if res.ObjectID == "" {
		return ref{}, fmt.Errorf("the page's %s has no result", fn)
	}
	return ref{res.ObjectID, frame}, nil
}

func (t *tab) invoke(frame cdp.FrameID, fn string, byValue bool, args ...any) (*runtime.RemoteObject, error) {
	w, err := t.world(frame)
	if err != nil {
		return nil, err
	}
	params := runtime.CallFunctionOnParams{
		FunctionDeclaration: "function(...a){return this." + fn + "(...a)}",
		ObjectID:            w.lib,
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
			arg.ObjectID = a.id
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
func (t *tab) resolve(frame cdp.FrameID, node cdp.BackendNodeID) (ref, error) {
	w, err := t.world(frame)
	if err != nil {
		return ref{}, err
	}
	res, err := call(t, dom.ResolveNode, dom.ResolveNodeParams{BackendNodeID: node, ExecutionContextID: w.ctx})
	if err != nil {
		return ref{}, err
	}
	return ref{res.Object.ObjectID, frame}, nil
}

// ownerOf is the element around a frame, in the frame that holds it.
func (t *tab) ownerOf(frame cdp.FrameID) (ref, error) {
	parent := t.rec.parentOf(frame)
	if parent == "" {
		return ref{}, errFrameGone
	}
	res, err := call(t, dom.GetFrameOwner, dom.GetFrameOwnerParams{FrameID: frame})
	if err != nil {
		return ref{}, err
	}
	return t.resolve(parent, res.BackendNodeID)
}

// frameShown says whether a person can see the frame at all.
func (t *tab) frameShown(frame cdp.FrameID) (bool, error) {
	for frame != t.rec.main {
		owner, err := t.ownerOf(frame)
		if err != nil {
			return false, err
		}
		var d description
		if err := t.ask(&d, "describe", owner, nil); err != nil || !d.Visible {
			return false, err
		}
		frame = owner.frame
	}
	return true, nil
}

// frameCovered says whether something opaque lies over the frame.
func (t *tab) frameCovered(frame cdp.FrameID) (covered bool, err error) {
	for frame != t.rec.main && !covered {
		owner, err := t.ownerOf(frame)
		if err != nil {
			return false, err
		}
		if err := t.ask(&covered, "hidden", owner); err != nil {
			return false, err
		}
		frame = owner.frame
	}
	return covered, nil
}

// shownFrames are the main frame and the inner frames that can be seen. A frame
// that goes meanwhile is left out.
func (t *tab) shownFrames() ([]cdp.FrameID, error) {
	out := []cdp.FrameID{t.rec.main}
	for _, f := range t.rec.children() {
		shown, err := t.frameShown(f.id)
		switch {
		case err != nil && !passing(err):
			return nil, err
		case err == nil && shown:
			out = append(out, f.id)
		}
	}
	return out, nil
}

// lift is the element of frame that holds el, which may be in a frame inside it.
func (t *tab) lift(el ref, frame cdp.FrameID) (ref, bool, error) {
	for el.frame != frame {
		if el.frame == t.rec.main {
			return ref{}, false, nil
		}
		owner, err := t.ownerOf(el.frame)
		if err != nil {
			return ref{}, false, err
		}
		el = owner
	}
	return el, true, nil
}

// inside returns the frame that el is the element of, "" for any other element.
func (t *tab) inside(el ref) (cdp.FrameID, error) {
	for _, f := range t.rec.children() {
		if f.parent != el.frame {
			continue
		}
		owner, err := t.ownerOf(f.id)
		if err != nil {
			return "", err
		}
		var same bool
		if err := t.ask(&same, "isSame", el, owner); err != nil {
			return "", err
		}
		if same {
			return f.id, nil
		}
	}
	return "", nil
}
