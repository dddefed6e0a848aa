package gitops

// WithoutGoGit makes r read objects through git itself.
func WithoutGoGit(r *Repo) { r.noFast = true }

// ParseTrailers is for comparing with git.
func ParseTrailers(body string) map[string][]string { return parseTrailers(body) }

// AtLeast is the version rule.
func AtLeast(v string, major, minor int) bool { return atLeast(v, major, minor) }
