package gitops

// WithoutGoGit makes r read objects through git itself.
func WithoutGoGit(r *Repo) { r.noFast = true }

// ParseTrailers is for comparing with git.
func ParseTrailers(body string) map[string][]string { return parseTrailers(body) }

// AtLeast is the version rule.
func AtLeast(v string, major, minor int) bool { return atLeast(v, major, minor) }

// Parsers are what read git's formats.
func Parsers(data []byte) (entries []Entry, info CommitInfo, changes []Change, err [3]error) {
	entries, err[0] = parseTree(data, 20)
	info, err[1] = parseCommit(data)
	changes, err[2] = ParseRaw(data)
	return entries, info, changes, err
}
