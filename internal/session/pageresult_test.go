package session

import (
	"strings"
	"testing"

	"gitagent/internal/browser"
	"gitagent/internal/tools"
)

// TestToldOfAPage names a file for the rest only where there is one.
func TestToldOfAPage(t *testing.T) {
	s := &step{}
	long := browser.Result{Verdict: browser.Fail, Reason: "no", Snapshot: strings.Repeat("line\n", 2000)}
	if got := s.told(long); len(got) > browser.InlineLimit || !strings.Contains(got, tools.PageResult) || !strings.Contains(s.lastPage, long.Snapshot[:4]) || len(s.lastPage) < 10000 {
		t.Errorf("told %q of %d bytes", got, len(s.lastPage))
	}
	if got := s.told(browser.Result{Verdict: browser.Pass, Reason: "fine"}); strings.Contains(got, "full") || s.lastPage != "" {
		t.Errorf("told %q, kept %q", got, s.lastPage)
	}
}
