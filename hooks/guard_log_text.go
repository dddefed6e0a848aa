package hooks

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"gitagent/gitops"
	"gitagent/hooks/hygiene"
	"gitagent/internal/pattern"
	"gitagent/internal/plain"
	"gitagent/progress"
)

const (
	// maxGrowth is how much one commit may add to the log.
	maxGrowth = 256 << 10

	whyClaim  = "an entry says what a session did; one that no session wrote misleads everybody who reads on"
	whyOrders = "the next session reads the log; what gives it orders should come from a person, outside of the log"
	whyUnseen = "the log is printed on terminals and read by models, which such characters deceive"
	whyFlood  = "a log that nobody can read through hides what matters"
)

// orders are words that speak to whoever reads the log next.
var orders = pattern.Lazy(`(?i)\b(?:ignore|disregard|forget)\b.{0,40}\b(?:instructions?|rules?|prompts?|guards?|above)\b|\b(?:skip|do not run|don't run|disable|delete|weaken)\b.{0,30}\b(?:tests?|checks?|guards?|hooks?|verification)\b|\b(?:mark|set|flip)\b.{0,30}\b(?:as )?pass(?:es|ing|ed)?\b|\byou (?:must|should|are now)\b.{0,60}\b(?:skip|ignore|pass|assume)`)

// appended judges what a commit adds to the end of the log or of a status file;
// of a merge, what no parent has.
func (c *commit) appended(ctx context.Context, v *Violation, old, new []byte) (*Violation, error) {
	text, err := c.fresh(ctx, v.Path, old, new)
	if err != nil || len(bytes.TrimSpace(text)) == 0 {
		return nil, err
	}
	line := bytes.Count(new[:max(0, len(new)-len(text))], []byte("\n")) + 1
	if len(c.parents) > 1 {
		line = 0
	}
	tell := func(code, why, format string, args ...any) (*Violation, error) {
		v.Code, v.Why, v.Line, v.What = code, why, line, v.Path+": "+fmt.Sprintf(format, args...)
		return v, nil
	}
	if r := unseenIn(text); r != 0 {
		return tell("log.unseen", whyUnseen, "the new lines have the character U+%04X", r)
	}
	if v.Path != progress.Path {
		return nil, nil
	}
	if len(text) > maxGrowth {
		return tell("log.flood", whyFlood, "%d kB are added at once", len(text)>>10)
	}
	if claim, err := c.claims(ctx, old, text); err != nil || claim != "" {
		if err != nil {
			return nil, err
		}
		return tell("log.claims", whyClaim, "%s", claim)
	}
	if late := beforeTheLog(old, text); late != "" {
		return tell(codeOrder, whyClaim, "%s", late)
	}
	for l := range strings.Lines(string(text)) {
		l = strings.TrimSpace(l)
		if !strings.HasPrefix(l, ">") && !strings.HasPrefix(l, "- ") && orders.MatchString(l) {
			return tell("log.orders", whyOrders, "a new line speaks to the next session: %q", plain.Clip(plain.Line(l, 120), 80))
		}
	}
	return nil, nil
}

// fresh is what is new in a log: in a merge the lines that no parent has.
func (c *commit) fresh(ctx context.Context, path string, old, new []byte) ([]byte, error) {
	if len(c.parents) == 1 {
		return new[min(len(old), len(new)):], nil
	}
	known := map[string]bool{}
	for _, p := range c.parents {
		data, err := p.read(ctx, path)
		if err != nil && !isMissing(err) {
			return nil, err
		}
		for l := range strings.Lines(string(data)) {
			known[strings.TrimSpace(l)] = true
		}
	}
	var out []byte
	for l := range bytes.Lines(new) {
		if !known[string(bytes.TrimSpace(l))] {
			out = append(out, l...)
		}
	}
	return out, nil
}

// unseenIn is a character that a log has no use for, 0 for none.
func unseenIn(text []byte) rune {
	var last rune
	for i, r := range string(text) {
		selected := hygiene.Selects(r) && hygiene.Selects(last)
		last = r
		switch {
		case selected, r == 0x2028, r == 0x2029:
			return r
		case r == '\r' && (i+1 == len(text) || text[i+1] != '\n'):
			return r // what follows is written over what was there
		case r == '\n' || r == '\t' || r == '\r':
		case r < ' ', r >= 0x7f && r < 0xa0, r == unicode.ReplacementChar:
			return r
		case r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069, r >= 0xE0000 && r <= 0xE007F:
			return r
		}
	}
	return 0
}

// entriesIn reads the entries of the end of a log.
func entriesIn(text []byte) []progress.Entry {
	entries, err := progress.Parse(append(progress.New("", "", time.Unix(0, 0)), text...))
	if err != nil || len(entries) == 0 {
		return nil
	}
	return entries[1:]
}

// claims says which new entry tells of a proof that the list does not know of.
// A proof that was undone is told, with its undoing.
func (c *commit) claims(ctx context.Context, old, text []byte) (string, error) {
	entries := entriesIn(text)
	for _, e := range entries {
		if e.Kind != progress.KindSession || e.Outcome != "verified" || e.Feature == "" {
			continue
		}
		if slices.ContainsFunc(entries, func(o progress.Entry) bool { return o.Session == e.Session && e.Session != "" && o.Outcome == "undone" }) {
			continue
		}
		list, bad, err := c.new.features(ctx)
		if err != nil {
			return "", err
		}
		if bad != nil || list == nil {
			return "", nil
		}
		if f := list.Get(e.Feature); f != nil && !f.Passes {
			return fmt.Sprintf("an entry says that %s was verified, but it does not pass", e.Feature), nil
		}
	}
	return "", nil
}

// codeOrder is of entries that are out of their time, as a wrong clock makes
// them as well.
const codeOrder = "log.order"

// beforeTheLog names an entry that is older than the log itself, or not yet to
// be.
func beforeTheLog(old, text []byte) string {
	had, err := progress.Parse(old)
	if err != nil || len(had) == 0 {
		return ""
	}
	for _, e := range entriesIn(text) {
		if e.Time.After(time.Now().Add(48 * time.Hour)) {
			return fmt.Sprintf("an entry is dated %s, which is still to come", e.Time.Format(time.DateOnly))
		}
		if e.Time.Before(had[0].Time.Add(-24 * time.Hour)) {
			return fmt.Sprintf("an entry is dated %s, before the log began", e.Time.Format(time.DateOnly))
		}
	}
	return ""
}

func isMissing(err error) bool { return errors.Is(err, gitops.ErrNotFound) }
