package browser

import (
	"path"
	"slices"
	"strconv"
	"strings"
)

// argumentOfOther gives each part its place, for the verbs beside the everyday
// ones.
func (f *fields) argumentOfOther(st *Step) error {
	switch f.verb {
	case VerbUpload:
		f.uploading(st)
	case VerbDrag:
		st.Target, st.To = f.first("target", "text"), f.take("onto", "into", "target")
		st.In = f.take("in", "from")
	case VerbScroll:
		return f.scrolling(st)
	case VerbCount:
		return f.counting(st)
	case VerbTitle:
		st.Text = f.first("is", "text")
	case VerbAnimates, VerbStill, VerbEnabled, VerbDisabled:
		st.Target = f.first("target", "of", "text")
		st.In = f.take("in")
	case VerbResize:
		st.Text = f.first("target", "text")
		if w, h := f.take("width"), f.take("height"); w != "" && h != "" {
			st.Text = w + "x" + h
		}
		if _, err := parseSize(st.Text); err != nil {
			return err
		}
	case VerbPopup:
		st.Text = f.first("target", "text", "url")
		switch strings.ToLower(st.Text) {
		case "", "true":
			st.Text = ""
		case "close", "closed", "false", "back":
			st.Text = "close"
		}
	case VerbFresh:
		return f.freshly(st)
	}
	return nil
}

// opening reads a path; a few words say where to go without one.
func (f *fields) opening(st *Step) error {
	where := f.first("url", "target")
	if w := canonical(where); w == "back" || w == "reload" || w == "refresh" {
		f.verb, _ = verbOf(w)
		st.Verb = f.verb
		return nil
	}
	p, err := cleanPath(where)
	st.Text = p
	return err
}

// freshly reads where the second profile starts, or that the first goes on.
func (f *fields) freshly(st *Step) error {
	where := f.first("url", "target", "text")
	switch strings.ToLower(where) {
	case "", "true":
		where = "/"
	case "false", "first", "back", "close":
		st.Text = "first"
		return nil
	}
	p, err := cleanPath(where)
	st.Text = p
	return err
}

func (f *fields) uploading(st *Step) {
	st.Content = f.take("content")
	switch {
	case f.has("into") || f.has("target"):
		st.Target, st.Text = f.take("into", "target"), f.first("text")
	case f.has("text") && f.hasArg: // {"upload":"Photo","file":"a.png"}
		st.Target, st.Text = f.takeArg(), f.take("text")
	default:
		st.Text, st.Target = f.first("text"), f.take("in")
	}
	st.In = f.take("in")
}

// directions are the words for scrolling; anything else names an element.
func directions() []string { return []string{"down", "up", "left", "right", "top", "bottom"} }

func (f *fields) scrolling(st *Step) error {
	arg := f.first("text")
	if arg == "true" {
		arg = "down"
	}
	if to := f.take("into", "onto", "target"); to != "" {
		if arg == "" {
			arg = to
		} else if st.In = to; !slices.Contains(directions(), strings.ToLower(arg)) {
			return wrong("scroll takes a direction or one name: write %s", formOf(VerbScroll))
		}
	}
	if in := f.take("in", "of"); in != "" {
		st.In = in
	}
	if w := strings.ToLower(arg); slices.Contains(directions(), w) {
		st.Text = w
		return nil
	}
	if n, err := strconv.ParseFloat(arg, 64); err == nil {
		st.Text = "down"
		if n < 0 {
			st.Text = "up"
		}
		return nil
	}
	st.Target = arg
	return nil
}

// counting accepts {"count":3,"of":"listitem"} and {"count":"listitem","is":3}.
func (f *fields) counting(st *Step) error {
	n, of := f.takeArg(), f.take("of", "target", "role")
	if is := f.take("is", "text"); is != "" {
		if of == "" {
			of = n
		}
		n = is
	}
	st.In = f.take("in")
	if of == "" && st.In != "" {
		of, st.In = st.In, ""
	}
	st.Text, st.Target = strings.TrimSpace(n), of
	return nil
}

// status reads which failing answer of the server is expected.
func (f *fields) status(st *Step) error {
	must, may := f.take("expect_status"), f.take("allow_status")
	text := must
	if text == "" {
		text, st.StatusMay = may, may != ""
	}
	if text == "" {
		return nil
	}
	if must != "" && may != "" {
		return wrong("expect_status and allow_status at once: write one of them")
	}
	n, err := failingStatus(text)
	st.Status = n
	return err
}

func failingStatus(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 400 || n > 599 {
		return 0, wrong("expect_status is one failing HTTP status, such as 404, not %q", clip(text, 40))
	}
	return n, nil
}

// validateOther checks what the verbs beside the everyday ones need.
func (st *Step) validateOther() error {
	if st.Status != 0 && !st.Action() && !slices.Contains([]Verb{VerbOpen, VerbReload, VerbBack, VerbWait, VerbFresh}, st.Verb) {
		return wrong("%s asks nothing of the server: put \"expect_status\" on the step that does", st.Verb)
	}
	switch st.Verb {
	case VerbUpload:
		if st.Target == "" || st.Text == "" {
			return wrong("upload needs a file name and a field: write %s", formOf(st.Verb))
		}
		if name := path.Base(st.Text); name != st.Text || strings.HasPrefix(name, ".") || strings.ContainsAny(name, "\\:\x00") || len(name) > 100 {
			return wrong("upload takes the plain name of a file, such as \"notes.txt\", not %q; the harness makes the file, with \"content\" in it", clip(st.Text, 80))
		}
	case VerbDrag:
		if st.Target == "" || st.To == "" {
			return wrong("drag needs two names: write %s", formOf(st.Verb))
		}
	case VerbTitle:
		if collapse(st.Text) == "" {
			return wrong("title needs a text: write %s", formOf(st.Verb))
		}
	case VerbAnimates, VerbStill, VerbEnabled, VerbDisabled:
		if st.Target == "" {
			return wrong("%s needs a name: write %s", st.Verb, formOf(st.Verb))
		}
	case VerbScroll:
		if st.Text == "" && st.Target == "" {
			return wrong("scroll needs a direction or a name: write %s", formOf(st.Verb))
		}
	case VerbCount:
		n, err := strconv.Atoi(st.Text)
		if err != nil || n < 0 || n > 10000 || st.Target == "" {
			return wrong("count needs a number and what to count: write %s", formOf(st.Verb))
		}
	}
	return nil
}

// size is how large the window is for the page, in CSS pixels.
type size struct {
	width, height int64
	mobile        bool
}

// parseSize reads "mobile", "tablet", "desktop" or "800x600".
func parseSize(text string) (size, error) {
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "mobile", "phone":
		return size{390, 844, true}, nil
	case "tablet":
		return size{820, 1180, true}, nil
	case "desktop":
		return size{viewportWidth, viewportHeight, false}, nil
	}
	w, h, ok := strings.Cut(strings.NewReplacer("×", "x", "X", "x", "*", "x", ",", "x", " ", "").Replace(text), "x")
	x, err1 := strconv.ParseInt(w, 10, 64)
	y, err2 := strconv.ParseInt(h, 10, 64)
	if !ok || err1 != nil || err2 != nil || x < 200 || y < 200 || x > 4000 || y > 4000 {
		return size{}, wrong("resize takes \"mobile\", \"tablet\", \"desktop\" or a size such as \"800x600\", not %q", clip(text, 40))
	}
	return size{x, y, false}, nil
}
