package contract

import (
	stdjson "encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// exchanges tells requests and what is looked for in their answers.
func (n *narrator) exchanges(list []Exchange) error {
	n.f.later, n.inputs().later = map[string]bool{}, map[string]bool{}
	n.add(event{kind: arriving})
	saved := map[string]string{}
	for i := range list {
		e := &list[i]
		if e.Restart {
			n.add(event{kind: arriving, verb: "restart"})
			continue
		}
		if err := n.request(e, saved); err != nil {
			return err
		}
		if err := n.answer(e, saved); err != nil {
			return err
		}
		for name, path := range e.Save {
			n.f.later[name], n.inputs().later[name] = true, true
			saved[name] = path
		}
	}
	return nil
}

// renamed calls saved values by where they come from: their names are the
// writer's.
func renamed(text string, saved map[string]string) string {
	for _, name := range slices.Sorted(maps.Keys(saved)) {
		text = strings.ReplaceAll(text, "{"+name+"}", "{"+saved[name]+"}")
	}
	return text
}

func (n *narrator) request(e *Exchange, saved map[string]string) error {
	f := n.inputs()
	var seen []hole
	f.met = func(h hole) { seen = append(seen, h) }
	path, err := f.fill(e.Path)
	if err != nil {
		return err
	}
	body, err := f.fillJSON(e.Body, true)
	if err != nil {
		return err
	}
	sent := flat(body)
	for _, name := range slices.Sorted(maps.Keys(e.Headers)) {
		value, err := f.fill(e.Headers[name])
		if err != nil {
			return err
		}
		sent = append(sent, name+": "+value)
	}
	n.add(event{kind: doing, verb: e.Verb(), on: []string{renamed(path, saved)}, holes: seen})
	for _, line := range sent {
		n.add(event{kind: doing, verb: "send", part: true, on: []string{renamed(line, saved)}, holes: seen})
	}
	return nil
}

func (n *narrator) answer(e *Exchange, saved map[string]string) error {
	x := &e.Expect
	if x.Status >= 300 {
		n.add(event{kind: looking, look: look{verb: "status", text: strconv.Itoa(x.Status)}})
	}
	for _, at := range slices.Sorted(maps.Keys(x.JSON)) {
		if err := n.member(at, x.JSON[at], saved); err != nil {
			return err
		}
	}
	for _, text := range x.Has {
		if err := n.looksFor(look{verb: toShow}, text); err != nil {
			return err
		}
	}
	for _, text := range x.HasNot {
		if err := n.looksFor(look{verb: toHide}, text); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(x.Header)) {
		if err := n.looksFor(look{verb: toShow, place: "header " + name}, x.Header[name]); err != nil {
			return err
		}
	}
	return nil
}

// member tells what is expected at a path of the answer.
func (n *narrator) member(at string, want stdjson.RawMessage, saved map[string]string) error {
	path, seen, err := n.fill(at)
	if err != nil {
		return err
	}
	n.f.met = func(h hole) { seen = append(seen, h) }
	filled, err := n.f.fillJSON(want, false)
	if err != nil {
		return err
	}
	w, err := parseWanted(filled)
	if err != nil {
		return err
	}
	l := look{verb: toShow, place: path, exact: true, text: renamed(strings.Join(scalars(filled), " "), saved)}
	switch w.op {
	case "not":
		l.verb, l.exact = toHide, false
	case "count":
		l.verb = w.op
	case "has":
		l.exact = false
	}
	n.add(event{kind: looking, look: l, holes: seen})
	return nil
}

// flat gives the members of a JSON value in one order, each with its path.
func flat(body stdjson.RawMessage) []string {
	v, err := DecodeJSON(body)
	if len(body) == 0 || err != nil {
		return nil
	}
	var lines []string
	var walk func(at string, v any)
	walk = func(at string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for _, name := range slices.Sorted(maps.Keys(v)) {
				walk(at+"."+name, v[name])
			}
		case []any:
			for i, item := range v {
				walk(at+"."+strconv.Itoa(i), item)
			}
		case string:
			lines = append(lines, at+"="+v)
		default:
			raw, _ := stdjson.Marshal(v) // decoded from JSON
			lines = append(lines, at+"="+string(raw))
		}
	}
	walk("", v)
	return lines
}
