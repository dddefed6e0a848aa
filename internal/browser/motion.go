package browser

import (
	"bytes"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"time"

	"github.com/chromedp/cdproto/page"
)

// Motion is what was seen of an element that should move or be still.
type Motion struct {
	Target  string   `json:"target"`
	Changed int      `json:"changed_px"` // between two frames, the lesser of two pairs
	Of      int      `json:"of"`         // pixels of the element
	Control int      `json:"control_px"` // changed where nothing should; -1 when there is no such place
	CSS     []string `json:"css,omitempty"`
}

func (m Motion) String() string {
	s := fmt.Sprintf("%d of %d pixels change", m.Changed, m.Of)
	if m.Control > 0 {
		s += fmt.Sprintf(", and %d elsewhere", m.Control)
	}
	if len(m.CSS) > 0 {
		s += ", running: " + m.CSS[0]
	}
	return s
}

// box is a rectangle in CSS pixels of the viewport.
type box struct {
	X, Y, W, H float64
	Focus      bool     // the caret may blink in it
	Running    []string // animations of the page's own list
}

func (b box) rect(in image.Rectangle) image.Rectangle {
	return image.Rect(int(b.X), int(b.Y), int(b.X+b.W+0.999), int(b.Y+b.H+0.999)).Intersect(in)
}

// motion looks whether the element moves: three frames of the page, compared
// inside the element and, as a control, beside it. An animation of the page's own
// list counts when it changes something that can be seen.
func (t *tab) motion(s Step) (ok bool, saw string, err error) {
	m, err := t.locate(s.Target, s.In, s.Nth, wantAny)
	if err != nil {
		return false, "", err
	}
	var b box
	if err := t.ask(&b, "moving", m.el); err != nil {
		return false, "", err
	}
	for el := m.el; el.frame != t.rec.main; {
		owner, err := t.ownerOf(el.frame)
		if err != nil {
			return false, "", err
		}
		at := aimed{}
		if err := t.ask(&at, "through", owner, b.X, b.Y); err != nil {
			return false, "", err
		}
		b.X, b.Y, el = at.X, at.Y, owner
	}
	pause := 100 * time.Millisecond
	frames, err := t.film(3, pause)
	if err != nil {
		return false, "", err
	}
	seen := compare(frames, b)
	if seen.Changed == 0 && len(b.Running) > 0 && s.Verb == VerbAnimates {
		// It may move by long steps.
		later, err := t.film(1, 700*time.Millisecond)
		if err != nil {
			return false, "", err
		}
		seen.Changed, _ = differ(frames[0], later[0], b.rect(frames[0].Rect))
	}
	seen.Target = s.Target
	t.motions = append(t.motions, seen)
	least := max(8, seen.Of/2000)
	if s.Verb == VerbStill {
		allowed := 0
		if b.Focus {
			allowed = 80 // a caret
		}
		return seen.Changed <= allowed && len(b.Running) == 0, seen.String(), nil
	}
	return seen.Changed >= least && seen.Control <= 0, seen.String(), nil
}

// film takes n pictures of what is in view, with a pause before each but the
// first of several.
func (t *tab) film(n int, pause time.Duration) ([]*image.RGBA, error) {
	var out []*image.RGBA
	for i := range n {
		if i > 0 || n == 1 {
			if err := sleep(t.ctx, pause); err != nil {
				return nil, err
			}
		}
		res, err := call(t, page.CaptureScreenshot, page.CaptureScreenshotParams{Format: page.CaptureScreenshotFormatPng, OptimizeForSpeed: new(true)})
		if err != nil {
			return nil, err
		}
		img, err := png.Decode(bytes.NewReader(res.Data))
		if err != nil {
			return nil, unverifiedf("a picture of the page could not be read: %v", err)
		}
		rgba := image.NewRGBA(img.Bounds())
		draw.Draw(rgba, rgba.Rect, img, img.Bounds().Min, draw.Src)
		out = append(out, rgba)
	}
	return out, nil
}

// compare counts what changes from frame to frame inside the box, and in the
// quietest strip beside it.
func compare(frames []*image.RGBA, b box) Motion {
	all := frames[0].Rect
	in := b.rect(all)
	m := Motion{Control: -1, CSS: b.Running, Of: in.Dx() * in.Dy()}
	for i := 1; i < len(frames); i++ {
		n, _ := differ(frames[i-1], frames[i], in)
		if i == 1 || n < m.Changed {
			m.Changed = n
		}
	}
	for _, strip := range []image.Rectangle{
		image.Rect(all.Min.X, all.Min.Y, all.Max.X, in.Min.Y), image.Rect(all.Min.X, in.Max.Y, all.Max.X, all.Max.Y),
		image.Rect(all.Min.X, all.Min.Y, in.Min.X, all.Max.Y), image.Rect(in.Max.X, all.Min.Y, all.Max.X, all.Max.Y),
	} {
		if strip.Dx()*strip.Dy() < 2000 {
			continue
		}
		worst := 0
		for i := 1; i < len(frames); i++ {
			n, _ := differ(frames[i-1], frames[i], strip)
			worst = max(worst, n)
		}
		if m.Control < 0 || worst < m.Control {
			m.Control = worst
		}
	}
	return m
}

// differ counts the pixels of a rectangle that are not the same in both.
func differ(a, b *image.RGBA, in image.Rectangle) (changed, of int) {
	if a.Rect != b.Rect {
		return in.Dx() * in.Dy(), in.Dx() * in.Dy()
	}
	for y := in.Min.Y; y < in.Max.Y; y++ {
		i, j := a.PixOffset(in.Min.X, y), a.PixOffset(in.Max.X, y)
		ra, rb := a.Pix[i:j], b.Pix[i:j]
		if bytes.Equal(ra, rb) {
			continue
		}
		for k := 0; k < len(ra); k += 4 {
			if !bytes.Equal(ra[k:k+4], rb[k:k+4]) {
				changed++
			}
		}
	}
	return changed, in.Dx() * in.Dy()
}
