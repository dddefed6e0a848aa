package features

import (
	"cmp"
	"slices"
)

// Skipped is a failing feature that was passed over, and why.
type Skipped struct{ ID, Reason string }

// Next returns the feature to work on: not passing, everything it depends on
// passing, lowest priority number, first in the list. skip may pass one over by
// returning a reason, for example that it is parked; nil skips none. Skipped
// holds, in the same order, the features that would have come before. The
// feature is nil when none is left.
func (l *List) Next(skip func(id string) (reason string)) (*Feature, []Skipped) {
	order := make([]int, 0, len(l.Features))
	for i := range l.Features {
		if !l.Features[i].Passes {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(l.Features[a].Priority, l.Features[b].Priority)
	})
	var skipped []Skipped
	for _, i := range order {
		f := &l.Features[i]
		reason := ""
		if waits := l.Waits(f.ID); len(waits) > 0 {
			reason = "waits for " + join(waits)
		} else if skip != nil {
			reason = skip(f.ID)
		}
		if reason == "" {
			return f, skipped
		}
		skipped = append(skipped, Skipped{f.ID, reason})
	}
	return nil, skipped
}

// Waits returns the ids that this feature depends on and that do not pass yet.
func (l *List) Waits(id string) []string {
	f := l.Get(id)
	if f == nil {
		return nil
	}
	var out []string
	for _, d := range f.DependsOn {
		if dep := l.Get(d); dep != nil && !dep.Passes {
			out = append(out, d)
		}
	}
	return out
}
