package hooks

import (
	"path"
	"strings"

	"gitagent/gitops"
	"gitagent/internal/project"
)

const (
	whyTests = "an existing test, fixture or snapshot says what worked before; new ones may be added"
	whyRules = "what decides how git reads and shows files must not change with the work that is judged"
)

// testsGuard: existing tests, fixtures and snapshots stay as they are.
func (c *commit) testsGuard(patterns []string) []Violation {
	added := c.added()
	var found []Violation
	for _, ch := range c.changed(func(string) bool { return true }) {
		v := Violation{Guard: GuardTests, Path: ch.Path, Why: whyTests, Override: override(GuardTests)}
		isTest := !harness(ch.Path) && project.IsTestPath(ch.Path, patterns)
		switch {
		case isTest && ch.Status != 'A':
			v.Code, v.What = testChange(ch, added)
		case c.session && attributes(ch.Path) && ch.Status != 'A':
			v.Code, v.What, v.Why = "tests.attributes", ch.Path+" is changed", whyRules
		case c.session && ch.NewMode == modeGitlink && ch.OldMode != modeGitlink:
			v.Code, v.What, v.Why = "tests.nested", ch.Path+" becomes a nested repository, whose files no check can see", whyRules
		default:
			continue
		}
		found = append(found, v)
	}
	return found
}

// testChange puts the change of an existing test into words.
func testChange(ch gitops.Change, added map[gitops.OID]string) (code, what string) {
	switch {
	case ch.Status == 'D' && added[ch.OldOID] != "":
		return "tests.moved", "existing test " + ch.Path + " is moved to " + added[ch.OldOID]
	case ch.Status == 'D':
		return "tests.deleted", "existing test " + ch.Path + " is deleted"
	case kindGroup(ch.OldMode) != kindGroup(ch.NewMode):
		return "tests.replaced", "existing test " + ch.Path + " is replaced by " + kindOf(ch.NewMode)
	case ch.OldOID == ch.NewOID:
		return "tests.mode", "existing test " + ch.Path + " becomes " + kindOf(ch.NewMode)
	}
	return "tests.changed", "existing test " + ch.Path + " is changed"
}

// kindGroup is the kind of an entry, the run bit aside.
func kindGroup(mode string) string {
	if mode == modeExec {
		return modeFile
	}
	return mode
}

// added maps the content of new files to where they are.
func (c *commit) added() map[gitops.OID]string {
	out := map[gitops.OID]string{}
	for p, ch := range c.diffs[0] {
		if ch.Status == 'A' && (out[ch.NewOID] == "" || p < out[ch.NewOID]) {
			out[ch.NewOID] = p
		}
	}
	return out
}

// attributes says whether git takes rules from this file.
func attributes(p string) bool {
	base := strings.ToLower(path.Base(p))
	return base == ".gitattributes" || base == ".gitmodules"
}
