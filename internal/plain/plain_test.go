package plain

import (
	"strings"
	"testing"
)

func TestTextRemovesWhatSteersOrHides(t *testing.T) {
	cases := map[string][2]string{
		"plain":         {"a b\tc\nd", "a b\tc\nd"},
		"colour":        {"\x1b[31mred\x1b[0m", "red"},
		"clipboard":     {"a\x1b]52;c;aGk=\x07b", "ab"},
		"clear screen":  {"x\x1b[2Jy", "xy"},
		"c1":            {"x\u009b2Jy", "xy"},
		"bell":          {"a\x07b", "ab"},
		"crlf":          {"a\r\nb\rc", "a\nb\nc"},
		"bidi":          {"a\u202eb\u2066c", "abc"},
		"tags":          {"a\U000E0041b", "ab"},
		"zero width":    {"pa\u200bss", "pass"},
		"emoji joined":  {"👩\u200d💻", "👩\u200d💻"},
		"invalid bytes": {"a\xffb", "a\uFFFDb"},
		"umlaut":        {"Zoë", "Zoë"},
	}
	for name, c := range cases {
		if got := Text(c[0]); got != c[1] {
			t.Errorf("%s: Text(%q) = %q, want %q", name, c[0], got, c[1])
		}
	}
}

func TestClipKeepsHeadAndTail(t *testing.T) {
	s := strings.Repeat("é", 1000) + "END"
	got := Clip(s, 100)
	if !strings.HasPrefix(got, "é") || !strings.HasSuffix(got, "END") || !strings.Contains(got, "bytes left out") {
		t.Fatalf("Clip = %q", got)
	}
}

func TestLine(t *testing.T) {
	if got := Line("a\n  b\x1b[1m c", 10); got != "a b c" {
		t.Fatalf("Line = %q", got)
	}
	if got := Line("abcdef", 4); got != "abc…" {
		t.Fatalf("Line = %q", got)
	}
}

func FuzzText(f *testing.F) {
	f.Add("\x1b]0;t\x07a")
	f.Add("\x1b\x1b[[A\u202e")
	f.Fuzz(func(t *testing.T, s string) {
		got := Text(s)
		for _, r := range got {
			if hidden(r) {
				t.Fatalf("Text(%q) leaves %U", s, r)
			}
		}
		if again := Text(got); again != got {
			t.Fatalf("Text is not idempotent: %q then %q", got, again)
		}
	})
}
