package gitops

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// CommitInfo is a commit as people see it.
type CommitInfo struct {
	ID, Tree OID
	Parents  []OID
	Author   string    // "Name <mail>"
	Time     time.Time // of the author
	Subject  string    // the first paragraph, in one line
	Body     string    // the rest, trailers included
	Trailers map[string][]string
}

// Trailer returns the values of a trailer; case does not matter, as in git.
func (c CommitInfo) Trailer(key string) []string {
	var values []string
	for k, v := range c.Trailers {
		if strings.EqualFold(k, key) {
			values = append(values, v...)
		}
	}
	return values
}

// LogOptions select commits; the zero value is everything from HEAD.
type LogOptions struct {
	Range       string // as git understands it, "" = HEAD
	Max         int    // 0 = no limit
	FirstParent bool
	Reverse     bool
	Paths       []string
}

// Commit reads the commit that rev names, or ErrNotFound.
func (r *Repo) Commit(ctx context.Context, rev string) (CommitInfo, error) {
	id := OID(rev)
	if !r.isOID(rev) {
		var err error
		if id, err = r.Resolve(ctx, rev); err != nil {
			return CommitInfo{}, err
		}
	}
	data, err := r.object(ctx, id, "commit")
	if err != nil {
		return CommitInfo{}, err
	}
	c, err := parseCommit(data)
	if err != nil {
		return CommitInfo{}, fmt.Errorf("read commit %s: %w", id.Short(), err)
	}
	c.ID = id
	return c, nil
}

// Log lists commits, newest first unless Reverse. A HEAD without a commit has
// none.
func (r *Repo) Log(ctx context.Context, o LogOptions) ([]CommitInfo, error) {
	args := []string{"rev-list"}
	if o.Max > 0 {
		args = append(args, "--max-count="+strconv.Itoa(o.Max))
	}
	if o.FirstParent {
		args = append(args, "--first-parent")
	}
	if o.Reverse {
		args = append(args, "--reverse")
	}
	if o.Range == "" {
		if _, err := r.Resolve(ctx, "HEAD"); errors.Is(err, ErrNotFound) {
			return nil, nil
		}
		o.Range = "HEAD"
	}
	args = append(args, "--end-of-options")
	args = append(args, strings.Fields(o.Range)...)
	args = append(args, "--")
	out, err := r.run(ctx, call{args: append(args, o.Paths...)})
	if err != nil {
		return nil, fmt.Errorf("list commits of %s: %w", o.Range, err)
	}
	var commits []CommitInfo
	for _, id := range strings.Fields(string(out)) {
		c, err := r.Commit(ctx, id)
		if err != nil {
			return nil, err
		}
		commits = append(commits, c)
	}
	return commits, nil
}

// parseCommit reads a commit object. Only its own header lines count, not what
// a signature or a merged tag carries inside.
func parseCommit(data []byte) (CommitInfo, error) {
	head, msg, ok := strings.Cut(string(data), "\n\n")
	if !ok {
		head, msg = strings.TrimSuffix(string(data), "\n"), ""
	}
	var c CommitInfo
	for line := range strings.SplitSeq(head, "\n") {
		key, value, _ := strings.Cut(line, " ")
		switch key {
		case "tree":
			c.Tree = OID(value)
		case "parent":
			c.Parents = append(c.Parents, OID(value))
		case "author":
			c.Author, c.Time = parseIdent(value)
		}
	}
	if c.Tree == "" {
		return c, errors.New("malformed commit")
	}
	msg = strings.TrimLeft(msg, "\n")
	subject, body, _ := strings.Cut(msg, "\n\n")
	c.Subject = strings.Join(strings.Split(strings.TrimSpace(subject), "\n"), " ")
	c.Body = strings.Trim(body, "\n")
	c.Trailers = parseTrailers(c.Body)
	return c, nil
}

// parseIdent reads "Name <mail> seconds zone".
func parseIdent(s string) (string, time.Time) {
	end := strings.LastIndexByte(s, '>')
	if end < 0 {
		return s, time.Time{}
	}
	f := strings.Fields(s[end+1:])
	if len(f) == 0 {
		return s[:end+1], time.Time{}
	}
	sec, err := strconv.ParseInt(f[0], 10, 64)
	if err != nil {
		return s[:end+1], time.Time{}
	}
	zone := time.UTC
	if len(f) > 1 {
		if n, err := strconv.Atoi(f[1]); err == nil && n > -2400 && n < 2400 {
			zone = time.FixedZone(f[1], (n/100*60+n%100)*60)
		}
	}
	return s[:end+1], time.Unix(sec, 0).In(zone)
}

// parseTrailers reads the last paragraph of a message body by git's rules: all
// of it trailers, or a quarter of it if git itself wrote one of them.
func parseTrailers(body string) map[string][]string {
	trailers := map[string][]string{}
	body = strings.TrimRight(body, " \t\n")
	lines := strings.Split(body, "\n")
	start := len(lines)
	for start > 0 && strings.TrimSpace(lines[start-1]) != "" {
		start--
	}
	var last string
	good, bad, known := 0, 0, false
	for _, line := range lines[start:] {
		if (strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t")) && last != "" {
			values := trailers[last]
			values[len(values)-1] += " " + strings.TrimSpace(line)
			continue
		}
		if strings.HasPrefix(line, "(cherry picked from commit ") {
			known, last = true, ""
			good++
			continue
		}
		key, value, ok := cutTrailer(line)
		if !ok {
			bad++
			last = ""
			continue
		}
		known = known || key == "Signed-off-by"
		good++
		last = key
		trailers[key] = append(trailers[key], value)
	}
	if bad > 0 && (!known || good*3 < bad) {
		return map[string][]string{}
	}
	return trailers
}

// cutTrailer splits "Key: value".
func cutTrailer(line string) (key, value string, ok bool) {
	key, value, ok = strings.Cut(line, ":")
	key = strings.TrimRight(key, " \t")
	if !ok || key == "" {
		return "", "", false
	}
	for _, c := range key {
		if c != '-' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
			return "", "", false
		}
	}
	return key, strings.TrimSpace(value), true
}

// IsAncestor says whether branch has commit in its history.
func (r *Repo) IsAncestor(ctx context.Context, commit OID, branch string) (bool, error) {
	_, err := r.run(ctx, call{args: []string{"merge-base", "--is-ancestor", string(commit), branch}})
	switch exitCode(err) {
	case 1:
		return false, nil
	case 128: // no such branch any more
		if _, rerr := r.Resolve(ctx, branch); errors.Is(rerr, ErrNotFound) {
			return false, nil
		}
	}
	if err != nil {
		return false, fmt.Errorf("look for %s on %s: %w", commit.Short(), branch, err)
	}
	return true, nil
}

// MergeBases lists the commits that two histories last had in common, none when
// they never had one.
func (r *Repo) MergeBases(ctx context.Context, a, b OID) ([]OID, error) {
	out, err := r.run(ctx, call{args: []string{"merge-base", "--all", string(a), string(b)}})
	if exitCode(err) == 1 {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("find what %s and %s come from: %w", a.Short(), b.Short(), err)
	}
	var ids []OID
	for _, id := range strings.Fields(string(out)) {
		ids = append(ids, OID(id))
	}
	return ids, nil
}
