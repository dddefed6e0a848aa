package hooks

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"gitagent/features"
	"gitagent/internal/hint"
	"gitagent/internal/plain"
	"gitagent/progress"
)

const (
	whyList    = "the list says what was asked for; whoever builds may not change what counts as done"
	whyFile    = "a list that can be read in two ways, or not at all, proves nothing"
	personsAct = "use git agent features add|edit|split|retire; or "
)

// featuresGuard: goal, ids, steps, wording and order stay.
func (c *commit) featuresGuard(ctx context.Context) ([]Violation, error) {
	found := c.lookalikes()
	if !c.changedAnywhere(features.Path) {
		return found, nil
	}
	if v, broken, err := c.listFile(ctx); err != nil || broken {
		return append(found, v...), err
	}
	parents, before, err := c.parentLists(ctx)
	if err != nil {
		return nil, err
	}
	list, _, _ := c.new.features(ctx)
	if before != nil && len(parents) == 0 {
		return append(found, c.listViolation("features.unreadable", "features.json could not be read before this commit, so nobody can say what it changes ("+before.Error()+")")), nil
	}
	differences := differences(parents, list)
	for _, d := range differences {
		if code := codeOf(d.Kind); code != "" {
			found = append(found, c.listViolation(code, features.Path+": "+d.String()))
		}
	}
	if len(parents) == 1 && len(c.parents) == 1 && len(differences) == 0 {
		if bad := layout(parents[0], list); bad != "" {
			found = append(found, c.listViolation("features.layout", bad))
		}
	}
	return found, nil
}

// listFile judges features.json as a file: there, ordinary, readable. broken
// says that comparing its content makes no sense.
func (c *commit) listFile(ctx context.Context) (vs []Violation, broken bool, err error) {
	for _, d := range c.diffs {
		ch, ok := d[features.Path]
		if !ok {
			continue
		}
		switch {
		case ch.Status == 'D':
			return []Violation{c.listViolation("features.deleted", "features.json is deleted")}, true, nil
		case ch.NewMode != modeFile:
			v := c.listViolation("features.mode", "features.json becomes "+kindOf(ch.NewMode))
			v.Why, v.Override = whyFile, ""
			return []Violation{v}, true, nil
		}
	}
	_, bad, err := c.new.features(ctx)
	if err != nil || bad == nil {
		return nil, false, err
	}
	v := c.listViolation("features.invalid", "features.json cannot be read: "+bad.Error())
	v.Why, v.Override = whyFile, ""
	var syntax *features.SyntaxError
	if errors.As(bad, &syntax) && syntax.Mend != "" {
		v.What += " (" + syntax.Mend + ")"
	} else if hints := hint.Of(bad); len(hints) > 0 {
		v.What += " (" + hints[0] + ")"
	}
	return []Violation{v}, true, nil
}

func (c *commit) listViolation(code, what string) Violation {
	return Violation{Guard: GuardFeatures, Code: code, Path: features.Path, What: what, Why: whyList, Override: personsAct + override(GuardFeatures)}
}

// changedAnywhere says whether path differs from any parent.
func (c *commit) changedAnywhere(path string) bool {
	for _, d := range c.diffs {
		if _, ok := d[path]; ok {
			return true
		}
	}
	return false
}

// parentLists are the lists that can be read; bad is why one cannot.
func (c *commit) parentLists(ctx context.Context) (lists []*features.List, bad, err error) {
	for _, p := range c.parents {
		list, broken, err := p.features(ctx)
		switch {
		case err != nil:
			return nil, nil, err
		case broken != nil:
			bad = broken
		case list != nil:
			lists = append(lists, list)
		}
	}
	return lists, bad, nil
}

// differences compares a list with those it comes from. With one parent that is
// all there is; in a merge what one parent brings is no difference: an entry is
// changed when it differs from every parent that has it, added when none has
// it, taken out when all have it.
func differences(parents []*features.List, list *features.List) []features.Difference {
	if list == nil || len(parents) == 0 {
		return nil
	}
	type key struct {
		kind features.Kind
		id   string
	}
	count := map[key]int{}
	var order []features.Difference
	for _, p := range parents {
		for _, d := range features.Compare(p, list) {
			k := key{d.Kind, d.ID}
			if count[k] == 0 {
				order = append(order, d)
			}
			count[k]++
		}
	}
	var out []features.Difference
	for _, d := range order {
		needed := len(parents)
		switch d.Kind {
		case features.KindFlipped, features.KindUnflipped: // the flags guard's
			continue
		case features.KindAdded, features.KindAddedTrue:
		case features.KindRemoved, features.KindRemovedTrue: // one kind: the parents may differ in the flag
			other := features.KindRemoved
			if d.Kind == other {
				other = features.KindRemovedTrue
			}
			needed -= count[key{other, d.ID}]
		default:
			if d.ID != "" {
				needed = having(parents, d.ID)
			}
		}
		if count[key{d.Kind, d.ID}] >= needed && !renamed(parents, list, d) {
			out = append(out, d)
		}
	}
	return out
}

// renamed says whether what a merge seems to add is a feature of one parent under
// another id: both sides had given that id away.
func renamed(parents []*features.List, list *features.List, d features.Difference) bool {
	if d.Kind != features.KindAdded || len(parents) < 2 {
		return false
	}
	f := list.Get(d.ID)
	for _, p := range parents {
		for i := range p.Features {
			was := p.Features[i]
			now := list.Get(was.ID)
			if was.Description == f.Description && slices.Equal(was.Steps, f.Steps) && was.Category == f.Category && !was.Passes && now != nil && now.Description != was.Description {
				return true
			}
		}
	}
	return false
}

func having(lists []*features.List, id string) int {
	n := 0
	for _, l := range lists {
		if l.Get(id) != nil {
			n++
		}
	}
	return n
}

// codeOf is the code of a difference between lists.
func codeOf(kind features.Kind) string {
	switch kind {
	case features.KindFlipped, features.KindUnflipped:
		return ""
	case features.KindAddedTrue:
		return "features.added"
	case features.KindRemovedTrue:
		return "features.removed"
	case features.KindDepends:
		return "features.depends"
	}
	return "features." + string(kind)
}

// layout says where two lists of the same content differ in their bytes by more
// than flags; "" when they do not.
func layout(old, new *features.List) string {
	for _, f := range new.Features { // a flag that went back is the flags guard's
		if was := old.Get(f.ID); was != nil && was.Passes && !f.Passes {
			return ""
		}
	}
	if _, err := features.Flipped(old.Bytes(), new.Bytes()); err != nil {
		return plain.Line(err.Error(), 200)
	}
	return ""
}

// lookalikes finds new files that another file system, or a reader, would take
// for the list or the log.
func (c *commit) lookalikes() []Violation {
	var found []Violation
	for _, ch := range c.changed(func(p string) bool { return lookalike(p) != "" }) {
		if ch.Status == 'D' {
			continue
		}
		v := c.listViolation("features.lookalike", fmt.Sprintf("%s stands beside %s and is the same file where case is ignored", ch.Path, lookalike(ch.Path)))
		v.Path, v.Why, v.Override = ch.Path, whyFile, override(GuardFeatures)
		found = append(found, v)
	}
	return found
}

// lookalike is the file of the harness that p differs from in case alone.
func lookalike(p string) string {
	for _, name := range []string{features.Path, progress.Path} {
		if p != name && strings.EqualFold(p, name) {
			return name
		}
	}
	if dir, _, ok := strings.Cut(p, "/"); ok && dir != ".agent" && strings.EqualFold(dir, ".agent") {
		return path.Join(".agent", strings.TrimPrefix(p, dir+"/"))
	}
	return ""
}
