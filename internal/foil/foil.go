package foil

import "slices"

// fewest is how many different foils it takes to tell.
const fewest = 4

// Among gives the foils that are shown beside what is wanted, where they are so
// many that nothing was answered: most of at least four different ones. What the
// wanted text itself has is no foil of it.
func Among(want string, foils []string, shown func(text string) bool, has func(text, part string) bool) []string {
	foils = slices.Clone(foils)
	slices.Sort(foils)
	foils = slices.DeleteFunc(slices.Compact(foils), func(f string) bool { return f == "" || has(want, f) })
	if len(foils) < fewest {
		return nil
	}
	var found []string
	for _, f := range foils {
		if shown(f) {
			found = append(found, f)
		}
	}
	if len(found) < fewest || len(found)*2 <= len(foils) {
		return nil
	}
	return found
}
