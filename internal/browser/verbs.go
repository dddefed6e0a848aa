package browser

import (
	"slices"
	"strings"
)

// verbInfo is one verb, the form that messages show, and the other words for it
// that small models write.
type verbInfo struct {
	verb    Verb
	form    string
	aliases []string
}

// verbTable is constant data; nothing writes to it.
var verbTable = [...]verbInfo{
	{VerbOpen, `{"open":"/path"}`, []string{"goto", "go", "navigate", "visit", "load", "browse"}},
	{VerbClick, `{"click":"NAME"}`, []string{"tap", "push", "click_on", "press_button", "submit", "choose"}},
	{VerbDblclick, `{"dblclick":"NAME"}`, []string{"doubleclick", "double_click"}},
	{VerbHover, `{"hover":"NAME"}`, []string{"mouseover", "point_at"}},
	{VerbType, `{"type":"TEXT","into":"NAME"}`, []string{"fill", "input", "enter", "write", "fill_in", "type_text", "enter_text", "set_value"}},
	{VerbClear, `{"clear":"NAME"}`, []string{"empty", "erase"}},
	{VerbPress, `{"press":"Enter"}`, []string{"key", "keypress", "press_key", "hit"}},
	{VerbSelect, `{"select":"OPTION","from":"NAME"}`, []string{"select_option", "pick"}},
	{VerbCheck, `{"check":"NAME"}`, []string{"tick"}},
	{VerbUncheck, `{"uncheck":"NAME"}`, []string{"untick"}},
	{VerbSee, `{"see":"TEXT","in":"NAME"}`, []string{"assert", "expect", "sees", "shows", "should_see", "assert_text", "expect_text", "assert_visible", "visible", "contains", "verify", "display"}},
	{VerbNotSee, `{"not_see":"TEXT"}`, []string{"dont_see", "do_not_see", "not_visible", "assert_not_visible", "should_not_see", "no_see", "unseen", "hidden", "expect_not", "assert_not"}},
	{VerbValue, `{"value":"TEXT","of":"NAME"}`, []string{"assert_value", "expect_value", "has_value", "should_have_value"}},
	{VerbWait, `{"wait":"TEXT"} or {"wait":2}`, []string{"wait_for", "wait_for_text", "sleep", "pause", "await"}},
	{VerbReload, `{"reload":true}`, []string{"refresh"}},
	{VerbBack, `{"back":true}`, []string{"go_back"}},
	{VerbShot, `{"shot":"NAME"}`, []string{"screenshot", "snap", "capture"}},
	{VerbUpload, `{"upload":"notes.txt","into":"NAME","content":"TEXT"}`, []string{"upload_file", "attach", "set_files", "choose_file"}},
	{VerbDrag, `{"drag":"NAME","to":"NAME"}`, []string{"drag_and_drop", "drag_to", "move", "draganddrop"}},
	{VerbScroll, `{"scroll":"down"} or {"scroll":"NAME"}`, []string{"scroll_to", "scroll_into_view", "wheel"}},
	{VerbCount, `{"count":3,"of":"listitem","in":"NAME"}`, []string{"assert_count", "expect_count", "number_of", "has_count", "should_have_count"}},
	{VerbAnimates, `{"animates":"NAME"}`, []string{"animated", "is_animated", "moves", "is_moving", "moving"}},
	{VerbStill, `{"still":"NAME"}`, []string{"is_still", "not_animates", "not_moving", "static", "stopped"}},
	{VerbResize, `{"resize":"mobile"} or {"resize":"800x600"}`, []string{"viewport", "set_viewport", "window_size", "resize_window"}},
	{VerbPopup, `{"popup":true} or {"popup":"close"}`, []string{"new_window", "new_tab", "switch_tab", "window"}},
	{VerbRestart, `{"restart":true}`, []string{"restart_server", "restart_app"}},
	{VerbEnabled, `{"enabled":"NAME"}`, []string{"is_enabled", "assert_enabled", "expect_enabled", "should_be_enabled"}},
	{VerbDisabled, `{"disabled":"NAME"}`, []string{"is_disabled", "assert_disabled", "expect_disabled", "should_be_disabled", "not_enabled", "greyed_out"}},
	{VerbTitle, `{"title":"TEXT"}`, []string{"page_title", "document_title", "assert_title", "expect_title", "has_title"}},
	{VerbFresh, `{"fresh":"/path"} or {"fresh":"first"}`, []string{"new_profile", "new_user", "other_browser", "incognito", "second_browser", "new_session"}},
}

// verbOf resolves a verb or one of its aliases, whatever its case and dashes.
func verbOf(word string) (Verb, bool) {
	word = canonical(word)
	for _, v := range verbTable {
		if string(v.verb) == word || slices.Contains(v.aliases, word) {
			return v.verb, true
		}
	}
	return "", false
}

func canonical(word string) string {
	return strings.NewReplacer("-", "_", " ", "_", "'", "").Replace(strings.ToLower(strings.TrimSpace(word)))
}

// nearestVerb returns the verb whose name or alias is closest to word, and
// whether that is near enough to be meant.
func nearestVerb(word string) (Verb, bool) {
	word = canonical(word)
	best, as, dist := VerbClick, "", 1<<30
	for _, v := range verbTable {
		for i, name := range append([]string{string(v.verb)}, v.aliases...) {
			d := 2 * distance(word, name)
			if i > 0 {
				d++ // the verb itself before an alias that is as near
			}
			if d < dist {
				best, as, dist = v.verb, name, d
			}
		}
	}
	return best, alike(word, as)
}

// nearest returns up to n of names, those closest to word first.
func nearest(word string, names []string, n int) []string {
	type scored struct {
		name string
		d    int
	}
	w := strings.ToLower(clip(word, 80))
	var all []scored
	seen := map[string]bool{}
	for _, name := range names {
		if name == "" || seen[name] {
			continue
		}
		seen[name] = true
		l := strings.ToLower(clip(name, 80))
		d := distance(w, l)
		if w != "" && (strings.Contains(l, w) || strings.Contains(w, l)) {
			d = min(d, 2)
		}
		all = append(all, scored{name, d})
	}
	slices.SortStableFunc(all, func(a, b scored) int { return a.d - b.d })
	var out []string
	for _, s := range all {
		if len(out) == n {
			break
		}
		out = append(out, s.name)
	}
	return out
}

func clip(s string, n int) string {
	r := []rune(s)
	return string(r[:min(n, len(r))])
}

// distance is the number of runes to insert, delete or replace.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i := range x {
		diag := row[0]
		row[0] = i + 1
		for j := range y {
			d := diag
			if x[i] != y[j] {
				d++
			}
			diag = row[j+1]
			row[j+1] = min(d, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(y)]
}
