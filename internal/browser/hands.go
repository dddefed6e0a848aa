package browser

import (
	"math"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
)

// drag takes the element with the mouse, moves it in steps, and lets it go: what
// listens to the pointer sees the pointer, what is draggable sees a drag.
func (t *tab) drag(s Step) error {
	to, _, err := t.reach(Step{Verb: s.Verb, Target: s.To, Timeout: s.Timeout}, wantPlace, false)
	if err != nil {
		return err
	}
	from, start, err := t.reach(s, wantAny, true)
	if err != nil {
		return err
	}
	var end aimed
	if err := t.aim(&end, to.el, false, false); err != nil { // where it is by now
		return err
	}
	if end.Why != "" {
		return failf("nothing can be dropped on %q: it is %s", s.To, end.Why)
	}
	if err := t.ask(nil, "describe", from.el, nil); err != nil {
		return err
	}
	if _, err := call(t, input.SetInterceptDrags, input.SetInterceptDragsParams{Enabled: true}); err != nil {
		return err
	}
	defer call(t, input.SetInterceptDrags, input.SetInterceptDragsParams{})
	t.rec.takeDrag()
	if err := t.mouse(input.DispatchMouseEventTypeMouseMoved, start, 0); err != nil {
		return err
	}
	if err := t.mouse(input.DispatchMouseEventTypeMousePressed, start, 1); err != nil {
		return err
	}
	return t.carry(from.el, start, end)
}

// carry moves what was taken from start to end and lets it go.
func (t *tab) carry(el ref, start, end aimed) error {
	var native bool
	if err := t.ask(&native, "draggable", el); err != nil {
		return err
	}
	const steps = 8
	var data *input.DragData
	for i := 1; i <= steps; i++ {
		f := float64(i) / steps
		at := aimed{X: start.X + (end.X-start.X)*f, Y: start.Y + (end.Y-start.Y)*f}
		if i == 1 && native { // far enough for a drag to begin, near enough to stay
			at = aimed{X: start.X + math.Copysign(6, end.X-start.X), Y: start.Y + math.Copysign(6, end.Y-start.Y)}
		}
		var err error
		switch {
		case data == nil:
			err = t.mouseHeld(at)
		case i == steps:
			err = t.dragEvent(input.DispatchDragEventTypeDragEnter, at, data)
		default:
			err = t.dragEvent(input.DispatchDragEventTypeDragOver, at, data)
		}
		if err != nil {
			return err
		}
		if data == nil && native {
			data = t.rec.awaitDrag(300 * time.Millisecond)
		}
	}
	if data == nil {
		if err := t.mouseHeld(end); err != nil {
			return err
		}
		return t.mouse(input.DispatchMouseEventTypeMouseReleased, end, 1)
	}
	for _, typ := range []input.DispatchDragEventType{input.DispatchDragEventTypeDragOver, input.DispatchDragEventTypeDragOver, input.DispatchDragEventTypeDrop} {
		if err := t.dragEvent(typ, end, data); err != nil {
			return err
		}
	}
	return nil
}

func (t *tab) dragEvent(typ input.DispatchDragEventType, at aimed, data *input.DragData) error {
	_, err := call(t, input.DispatchDragEvent, input.DispatchDragEventParams{Type: typ, X: at.X, Y: at.Y, Data: data})
	return err
}

// mouseHeld moves the mouse with its left button down.
func (t *tab) mouseHeld(at aimed) error {
	_, err := call(t, input.DispatchMouseEvent, input.DispatchMouseEventParams{
		Type: input.DispatchMouseEventTypeMouseMoved, X: at.X, Y: at.Y, Button: input.MouseButtonLeft, Buttons: 1,
	})
	return err
}

// takeDrag returns the drag that began, once.
func (r *recorder) takeDrag() *input.DragData {
	r.mu.Lock()
	defer r.mu.Unlock()
	d := r.drag
	r.drag = nil
	return d
}

func (r *recorder) awaitDrag(limit time.Duration) *input.DragData {
	for deadline := time.Now().Add(limit); ; time.Sleep(5 * time.Millisecond) {
		if d := r.takeDrag(); d != nil || time.Now().After(deadline) {
			return d
		}
	}
}

// scroll turns the wheel over the page or a place in it, or brings an element
// into view.
func (t *tab) scroll(s Step) error {
	if s.Target != "" {
		_, _, err := t.reach(s, wantAny, false)
		return err
	}
	at, place := aimed{}, any(nil)
	if s.In != "" {
		m, point, err := t.reach(Step{Verb: s.Verb, Target: s.In, Timeout: s.Timeout}, wantPlace, false)
		if err != nil {
			return err
		}
		at, place = point, m.el
	} else if err := t.ask(&at, "middle"); err != nil {
		return err
	}
	far := s.Text == "top" || s.Text == "bottom"
	for range 40 {
		before, err := t.scrolled(place)
		if err != nil {
			return err
		}
		if err := t.wheel(s.Text, at); err != nil {
			return err
		}
		after, err := t.atRest(place)
		if err != nil {
			return err
		}
		if !far || before == after {
			return nil
		}
		if err := t.settle(); err != nil { // what is loaded at the end makes it longer
			return err
		}
	}
	return nil
}

// wheelEvent has both distances always: the browser asks for them.
type wheelEvent struct {
	Type   string  `json:"type"`
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
	DeltaX float64 `json:"deltaX"`
	DeltaY float64 `json:"deltaY"`
}

func (t *tab) wheel(direction string, at aimed) error {
	e := wheelEvent{Type: "mouseWheel", X: at.X, Y: at.Y}
	switch direction {
	case "down":
		e.DeltaY = 600
	case "up":
		e.DeltaY = -600
	case "right":
		e.DeltaX = 600
	case "left":
		e.DeltaX = -600
	case "bottom":
		e.DeltaY = 20000
	case "top":
		e.DeltaY = -20000
	}
	_, err := call(t, cdp.Command[wheelEvent, cdp.Empty]{Method: input.DispatchMouseEvent.Method}, e)
	return err
}

// scrolled is how far the place, or the page, is scrolled.
func (t *tab) scrolled(place any) (pos [2]float64, err error) {
	return pos, t.ask(&pos, "scrolled", place)
}

// atRest waits until scrolling has ended; browsers scroll softly.
func (t *tab) atRest(place any) (pos [2]float64, err error) {
	still := 0
	for range 40 {
		if err := sleep(t.ctx, 30*time.Millisecond); err != nil {
			return pos, err
		}
		now, err := t.scrolled(place)
		if err != nil {
			return pos, err
		}
		if now == pos {
			still++
		} else {
			still = 0
		}
		if pos = now; still >= 3 {
			break
		}
	}
	return pos, nil
}

// setFiles gives files to a file field: to el when it is one, else to the field
// whose chooser a click on el opens.
func (t *tab) setFiles(s Step, files []string) error {
	m, at, err := t.point(s, wantClick)
	if err != nil {
		return err
	}
	var f fieldState
	if err := t.ask(&f, "field", m.el); err != nil {
		return err
	}
	if f.Type == "file" {
		_, err := call(t, dom.SetFileInputFiles, dom.SetFileInputFilesParams{Files: files, ObjectID: m.el.id})
		return err
	}
	if _, err := call(t, page.SetInterceptFileChooserDialog, page.SetInterceptFileChooserDialogParams{Enabled: true}); err != nil {
		return err
	}
	defer call(t, page.SetInterceptFileChooserDialog, page.SetInterceptFileChooserDialogParams{})
	t.rec.takeChooser()
	if err := t.clickAt(at, 1); err != nil {
		return err
	}
	for deadline := time.Now().Add(s.waitFor()); ; {
		if id := t.rec.takeChooser(); id != 0 {
			_, err := call(t, dom.SetFileInputFiles, dom.SetFileInputFilesParams{Files: files, BackendNodeID: id})
			return err
		}
		if time.Now().After(deadline) {
			return failf("%q takes no file", s.Target)
		}
		if err := sleep(t.ctx, 20*time.Millisecond); err != nil {
			return err
		}
	}
}

func (r *recorder) takeChooser() cdp.BackendNodeID {
	r.mu.Lock()
	defer r.mu.Unlock()
	id := r.chooser
	r.chooser = 0
	return id
}
