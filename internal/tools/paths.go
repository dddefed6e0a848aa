package tools

import (
	"fmt"
	"path"
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

const (
	maxPath      = 1024 // bytes of a path
	maxComponent = 240  // bytes of one name, with room for a temporary suffix
)

// cleanPath makes a slash path below the root out of what a model sent, or says
// why it cannot be one. The root itself is ".".
func cleanPath(sent string) (string, error) {
	p := unquote(strings.TrimSpace(sent))
	switch {
	case !utf8.ValidString(p):
		return "", fmt.Errorf("the path %q is not UTF-8", p)
	case len(p) > maxPath:
		return "", fmt.Errorf("the path is longer than %d bytes", maxPath)
	case strings.ContainsFunc(p, func(r rune) bool { return r < 0x20 || r == 0x7f }):
		return "", fmt.Errorf("the path %q has control characters", p)
	}
	p = strings.ReplaceAll(p, `\`, "/")
	if strings.HasPrefix(p, "/") {
		return "", fmt.Errorf("the path %s is absolute; paths are relative to the project folder, as in %s", p, example(p))
	}
	for _, name := range strings.Split(p, "/") {
		if err := checkName(name); err != nil {
			return "", fmt.Errorf("the path %s: %w", p, err)
		}
	}
	return path.Clean(p), nil
}

// rootless takes "/" for the project folder where only looking is meant: many
// models ask for it first.
func rootless(sent string) string {
	if strings.TrimSpace(sent) == "/" {
		return "."
	}
	return sent
}

// unquote takes a pair of quotes off, which models like to put around paths.
func unquote(s string) string {
	if len(s) >= 2 && strings.IndexByte("\"'`", s[0]) >= 0 && s[len(s)-1] == s[0] {
		return s[1 : len(s)-1]
	}
	return s
}

// example turns an absolute path into a likely relative one.
func example(p string) string {
	if e := path.Base(path.Clean(p)); e != "/" && e != "." && e != ".." {
		return e
	}
	return "index.html"
}

// checkName refuses one component that leads out of the tree, or that means
// something else on another system.
func checkName(name string) error {
	switch {
	case name == "" || name == ".":
		return nil
	case name == "..":
		return fmt.Errorf("%q leads out of the project folder", name)
	case len(name) > maxComponent:
		return fmt.Errorf("a name is longer than %d bytes", maxComponent)
	case strings.HasPrefix(name, "~"):
		return fmt.Errorf("%q is not expanded; paths are relative to the project folder", name)
	case strings.Contains(name, ":"):
		return fmt.Errorf("%q has a colon, which names a drive or a stream", name)
	case strings.HasSuffix(name, ".") || strings.HasSuffix(name, " "):
		return fmt.Errorf("%q ends in a dot or a space", name)
	case isGitDir(name):
		return fmt.Errorf("%q is git's own folder; the harness alone uses git", name)
	case shortName.MatchString(fold(name)):
		return fmt.Errorf("%q looks like a Windows short name", name)
	case reserved.MatchString(fold(name)):
		return fmt.Errorf("%q is a reserved name on Windows", name)
	}
	return nil
}

var (
	// shortName is an 8.3 alias such as GIT~1, which opens .git on NTFS.
	shortName = regexp.MustCompile(`^[^.]{1,7}~[0-9]{1,6}(\.[^.]{0,3})?$`)
	reserved  = regexp.MustCompile(`^(con|prn|aux|nul|conin\$|conout\$|com[0-9]|lpt[0-9])[ ]*(\..*)?$`)
)

// fold makes every spelling that some file system takes for the same name the
// same: compatibility forms, case, characters that HFS+ ignores, and the
// trailing dots, spaces and streams that NTFS drops.
func fold(name string) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case r >= 0x200b && r <= 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2060 && r <= 0x206f, r == 0xfeff, r == 0xad:
			return -1
		}
		return r
	}, name)
	name = norm.NFKC.String(cases.Fold().String(norm.NFKC.String(name)))
	name, _, _ = strings.Cut(name, ":")
	return strings.TrimRight(name, ". ")
}

func isGitDir(name string) bool {
	f := fold(name)
	return f == ".git" || strings.HasPrefix(f, "git~")
}
