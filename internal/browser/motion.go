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
	Changed int      `json:"changed_px"` // from one picture to the next, the second most that was seen
	Of      int      `json:"of"`         // pixels of the element
	Control int      `json:"control_px"` // changed where nothing should; -1 when there is no such place
	CSS     []string `json:"css,omitempty"`
	most    int      // changed pixels, from one picture to the next
	least   int      // how many have to change for a movement
}

func (m Motion) String() string {
	s := fmt.Sprintf("%d of %d pixels change", m.Changed, m.Of)
	if m.Changed == 0 && m.most > 0 {
		s = fmt.Sprintf("%d of %d pixels change once", m.most, m.Of)
	}
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

// caret is how many pixels a blinking caret may change.
func (b box) caret() int {
	if b.Focus {
		return 80
	}
	return 0
}

func (b box) rect(in image.Rectangle) image.Rectangle {
	return image.Rect(int(b.X), int(b.Y), int(b.X+b.W+0.999), int(b.Y+b.H+0.999)).Intersect(in)
}

const (
	// stillFor is how long what should be still is watched: two steps of what
	// moves twice a second. movesFor is the same for what should move, once a
	// second, and for what should not have moved yet.
	stillFor    = 1200 * time.Millisecond
	movesFor    = 2500 * time.Millisecond
	motionPause = 100 * time.Millisecond // between two pictures
	// motionPatience is how long all the watching before actions may take in one
	// run; after that it is done in three pictures.
	motionPatience = 15 * time.Second
)

// motion looks whether the element moves, in pictures of the page that are
// compared inside the element and, as a control, beside it. What moves changes at
// least twice; what is still does not change at all. An animation of the page's
// own list counts when it changes something that can be seen. Before an action,
// one change is enough to say that it may have moved all along.
func (t *tab) motion(s Step) (ok bool, saw string, err error) {
	m, err := t.locate(s.Target, s.In, s.Nth, wantAny)
	if err != nil {
		return false, "", err
	}
	b, err := t.movingBox(m.el)
	if err != nil {
		return false, "", err
	}
	seen, err := t.watched(s, b)
	if err != nil {
		return false, "", err
	}
	seen.Target = s.Target
	t.motions = append(t.motions, seen)
	if s.Verb == VerbStill {
		return seen.most <= b.caret() && len(b.Running) == 0, seen.String(), nil
	}
	if t.memo != nil {
		return seen.most >= seen.least, seen.String(), nil
	}
	return seen.Changed >= seen.least && seen.Control <= 0, seen.String(), nil
}

// movingBox is where the element is on the whole page.
func (t *tab) movingBox(el ref) (b box, err error) {
	if err := t.ask(&b, "moving", el); err != nil {
		return b, err
	}
	for el.frame != t.rec.main {
		owner, err := t.ownerOf(el.frame)
		if err != nil {
			return b, err
		}
		at := aimed{}
		if err := t.ask(&at, "through", owner, b.X, b.Y); err != nil {
			return b, err
		}
		b.X, b.Y, el = at.X, at.Y, owner
	}
	return b, nil
}

// watched is what was seen of the element; assertions that are looked at
// together share it.
func (t *tab) watched(s Step, b box) (Motion, error) {
	long := stillFor
	if s.Verb == VerbAnimates {
		long = movesFor
	}
	if t.memo == nil {
		return t.watch(b, min(long, s.waitFor()+time.Second), s.Verb == VerbStill)
	}
	key := fmt.Sprintf("%s %q in %q, %d", s.Verb, s.Target, s.In, s.Nth)
	if m, ok := t.memo.motions[key]; ok {
		return m, nil
	}
	if *t.memo.patience <= 0 {
		long = 0
	}
	begun := time.Now()
	m, err := t.watch(b, long, false)
	if err != nil {
		return m, err
	}
	*t.memo.patience -= time.Since(begun)
	t.memo.motions[key] = m
	return m, nil
}

// watch takes pictures until the element has moved, or one change is too much, or
// its time is up; three at least.
func (t *tab) watch(b box, long time.Duration, still bool) (Motion, error) {
	film := filming{box: b}
	for end := time.Now().Add(long); ; {
		img, err := t.picture()
		if err != nil {
			return Motion{}, err
		}
		film.add(img)
		m := film.motion()
		switch moved := m.Changed >= m.least; {
		case film.n >= 3 && (moved || time.Now().After(end)), still && m.most > b.caret():
			return m, nil
		}
		if err := sleep(t.ctx, motionPause); err != nil {
			return Motion{}, err
		}
	}
}

// picture is what is in view.
func (t *tab) picture() (*image.RGBA, error) {
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
	return rgba, nil
}

// filming compares each picture with the one before.
type filming struct {
	box    box
	n      int
	last   *image.RGBA
	of     int
	pairs  []int // changed pixels inside the box, from picture to picture
	beside []int // the most in each strip beside it, -1 for one too small to tell
}

func (f *filming) add(img *image.RGBA) {
	all := img.Rect
	in := f.box.rect(all)
	strips := []image.Rectangle{
		image.Rect(all.Min.X, all.Min.Y, all.Max.X, in.Min.Y), image.Rect(all.Min.X, in.Max.Y, all.Max.X, all.Max.Y),
		image.Rect(all.Min.X, all.Min.Y, in.Min.X, all.Max.Y), image.Rect(in.Max.X, all.Min.Y, all.Max.X, all.Max.Y),
	}
	if f.n++; f.n == 1 {
		f.beside = make([]int, len(strips))
	} else {
		changed, _ := differ(f.last, img, in)
		f.pairs = append(f.pairs, changed)
	}
	for i, strip := range strips {
		switch {
		case strip.Dx()*strip.Dy() < 2000:
			f.beside[i] = -1
		case f.n > 1:
			changed, _ := differ(f.last, img, strip)
			f.beside[i] = max(f.beside[i], changed)
		}
	}
	f.last, f.of = img, in.Dx()*in.Dy()
}

// motion sums up: the second of its changes counts, or the first of an animation
// in the page's own list, which may move by long steps.
func (f *filming) motion() Motion {
	m := Motion{Control: -1, CSS: f.box.Running, Of: f.of, least: max(8, f.of/2000, f.box.caret()+1)}
	for _, n := range f.pairs {
		m.most, m.Changed = max(m.most, n), max(m.Changed, min(m.most, n))
	}
	if len(f.box.Running) > 0 && m.Changed == 0 && f.n > 3 {
		m.Changed = m.most
	}
	for _, n := range f.beside {
		if n >= 0 && (m.Control < 0 || n < m.Control) {
			m.Control = n
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
