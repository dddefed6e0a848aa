package browser

// uncovered is what an element shows without what lies under something opaque.
type uncovered struct {
	Raw  string `json:"raw"`
	Seen string `json:"seen"`
	By   string `json:"by"`  // what hides something of it
	All  bool   `json:"all"` // also what is out of view was looked at
}

func coveredBy(what string) string {
	if what == "" {
		what = "something else"
	}
	return " (covered by " + what + ")"
}

// bare says whether what an element shows is not hidden by an element over it:
// a person sees only what is on top. Reading the element mostly told already.
func (t *tab) bare(s Step, m match, c content) (ok bool, by string, err error) {
	if collapse(s.Text) == "" || c.framed || (c.Has && !c.Display) {
		return true, "", nil
	}
	held := func(u uncovered) bool {
		if u.By == "" || c.Has {
			return u.By == ""
		}
		now := content{Raw: u.Raw, Seen: u.Seen}
		if s.Verb == VerbValue {
			return now.equals(s.Text)
		}
		return now.shows(s.Text)
	}
	if u := c.Bare; u != nil && (u.All || held(*u)) {
		return held(*u), u.By, nil
	}
	var u uncovered
	if err := t.ask(&u, "bare", s.Text, m.el); err != nil {
		return false, "", err
	}
	return held(u), u.By, nil
}

// bareOn says whether a text that the page shows is not hidden by an element
// over it.
func (t *tab) bareOn(page sight, text string) (ok bool, by string, err error) {
	u, known := page.Bare[text]
	switch main := (sight{Raw: u.Raw, Seen: u.Seen}); {
	case !known:
	case u.By != "" && main.shows(text), u.By == "" && !page.framed:
		return true, "", nil
	case u.All && !page.framed:
		return false, u.By, nil
	}
	return t.barePage(text)
}

// barePage looks for it everywhere, also in frames.
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
