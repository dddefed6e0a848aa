package browser

// uncovered is what an element shows without what lies under something opaque.
type uncovered struct {
	Raw  string `json:"raw"`
	Seen string `json:"seen"`
	By   string `json:"by"` // what hides something of it
}

func coveredBy(what string) string {
	if what == "" {
		what = "something else"
	}
	return " (covered by " + what + ")"
}

// bare says whether what an element shows is not hidden by an element over it:
// a person sees only what is on top.
func (t *tab) bare(s Step, m match, c content) (ok bool, by string, err error) {
	if collapse(s.Text) == "" || c.framed {
		return true, "", nil
	}
	var u uncovered
	if err := t.ask(&u, "bare", s.Text, m.el); err != nil {
		return false, "", err
	}
	switch {
	case u.By == "":
		return true, "", nil
	case c.Has:
		return false, u.By, nil
	}
	c.Raw, c.Seen = u.Raw, u.Seen
	if s.Verb == VerbValue {
		return c.equals(s.Text), u.By, nil
	}
	return c.shows(s.Text), u.By, nil
}

// barePage is bare for the page as a whole.
func (t *tab) barePage(text string) (ok bool, by string, err error) {
	frames, err := t.shownFrames()
	if err != nil {
		return false, "", err
	}
	var all sight
	for i, f := range frames {
		var u uncovered
		err := t.askIn(f, &u, "bare", text, nil)
		var under bool
		if err == nil && i > 0 {
			under, err = t.frameCovered(f)
		}
		switch {
		case err == nil && under:
			by = "what lies over its frame"
		case err == nil:
			all.Raw, all.Seen = all.Raw+"\n"+u.Raw, all.Seen+"\n"+u.Seen
			if by == "" {
				by = u.By
			}
		case i == 0 || !passing(err):
			return false, "", err
		}
	}
	return by == "" || all.shows(text), by, nil
}
