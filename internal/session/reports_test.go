package session_test

import (
	"bufio"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestEveryReportHasItsTest reads testdata/reported.txt and looks for each test
// that it names.
func TestEveryReportHasItsTest(t *testing.T) {
	tests := map[string]bool{}
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case strings.HasSuffix(path, ".txtar"):
			tests[filepath.Base(path)] = true
		case strings.HasSuffix(path, "_test.go"):
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			for line := range strings.Lines(string(data)) {
				if name, ok := strings.CutPrefix(line, "func "); ok && strings.HasPrefix(name, "Test") {
					name, _, _ = strings.Cut(name, "(")
					tests[name] = true
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(filepath.Join("testdata", "reported.txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	row := 0
	for lines := bufio.NewScanner(f); lines.Scan(); {
		line := lines.Text()
		if strings.HasPrefix(line, "#") {
			continue
		}
		row++
		if !strings.HasPrefix(line, fmt.Sprintf("%02d  ", row)) {
			t.Fatalf("row %d is %q", row, line)
		}
		held := 0
		for _, word := range strings.Fields(line) {
			if !strings.HasPrefix(word, "Test") && !strings.HasSuffix(word, ".txtar") {
				continue
			}
			if held++; !tests[word] {
				t.Errorf("row %d: there is no %s", row, word)
			}
		}
		if held == 0 {
			t.Errorf("row %d is held by nothing", row)
		}
	}
	if row != 28 {
		t.Errorf("%d rows", row)
	}
}
