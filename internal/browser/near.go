package browser

import "gitagent/internal/plain"

// near are the five names most like loc of what the verb could use.
func near(loc string, nodes []node, w want) []string {
	_, name := splitRole(loc)
	var names []string
	for _, n := range nodes {
		if n.name != "" && !isText(n.role) && w.accepts(n.role) {
			names = append(names, shortRole(n.role)+":"+plain.Line(n.name, 60))
		}
	}
	if len(names) == 0 {
		for _, n := range nodes {
			names = append(names, plain.Line(n.name, 60))
		}
	}
	byName := nearest(name, trimRoles(names), 5)
	out := make([]string, 0, 5)
	for _, b := range byName {
		for _, n := range names {
			if _, rest := splitRole(n); rest == b || n == b {
				out = append(out, n)
				break
			}
		}
	}
	return out
}

func trimRoles(names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		_, out[i] = splitRole(n)
	}
	return out
}
