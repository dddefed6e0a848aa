package foil

import "slices"

// fewest is how many different foils it takes to tell.
const fewest = 4

// Beside gives the foils that are shown beside what is wanted. Where they are a
// crowd, more than three in four of at least four, perhaps nothing was answered; any
// at all are a reason to ask again. What the wanted text itself has is no foil of it.
func Beside(want string, foils []string, shown func(text string) bool, has func(text, part string) bool) (found []string, crowd bool) {
	foils = slices.Clone(foils)
	slices.Sort(foils)
	foils = slices.DeleteFunc(slices.Compact(foils), func(f string) bool { return f == "" || has(want, f) })
	for _, f := range foils {
		if shown(f) {
			found = append(found, f)
		}
	}
	return found, len(found) >= fewest && len(found)*4 > len(foils)*3
}
