package tools

import "strings"

// cssRefs finds url(…) and @import "…" in a style sheet, outside comments and
// strings.
func cssRefs(content string) []ref {
	var out []ref
	for i := 0; i < len(content); {
		rest := content[i:]
		switch {
		case strings.HasPrefix(rest, "/*"):
			end := strings.Index(rest[2:], "*/")
			if end < 0 {
				return out
			}
			i += 2 + end + 2
		case rest[0] == '"' || rest[0] == '\'':
			_, n := cssString(rest)
			i += n
		case hasFold(rest, "url("):
			to, n := cssURL(rest[4:])
			out = append(out, ref{to, asset})
			i += 4 + n
		case hasFold(rest, "@import"):
			i += len("@import")
			trimmed := strings.TrimLeft(content[i:], " \t\r\n")
			if trimmed != "" && (trimmed[0] == '"' || trimmed[0] == '\'') {
				to, n := cssString(trimmed)
				out = append(out, ref{to, asset})
				i = len(content) - len(trimmed) + n
			}
		default:
			i++
		}
	}
	return out
}

func hasFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// cssURL reads the inside of url(…) and returns the bytes it took.
func cssURL(s string) (string, int) {
	trimmed := strings.TrimLeft(s, " \t\r\n")
	lead := len(s) - len(trimmed)
	if trimmed != "" && (trimmed[0] == '"' || trimmed[0] == '\'') {
		to, n := cssString(trimmed)
		return to, lead + n
	}
	end := strings.IndexByte(trimmed, ')')
	if end < 0 {
		return "", len(s)
	}
	return strings.TrimSpace(trimmed[:end]), lead + end + 1
}

// cssString reads a quoted string and returns its text and the bytes it took,
// at least one. A line end closes a broken one.
func cssString(s string) (string, int) {
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case c == s[0]:
			return b.String(), i + 1
		case c == '\n':
			return "", i
		case c == '\\' && i+1 < len(s):
			i++
			b.WriteByte(s[i])
		default:
			b.WriteByte(c)
		}
	}
	return "", len(s)
}
