package browser

import (
	"context"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// crashTabs crashes the pages of the project, if there is one yet; the command
// never answers.
func crashTabs(b *Browser) (found bool) {
	p, err := b.process(context.Background())
	if err != nil {
		return false
	}
	infos, err := chromedp.Targets(p.ctx)
	if err != nil {
		return false
	}
	for _, info := range infos {
		if info.Type == "page" && strings.HasPrefix(info.URL, "http") {
			found = true
			go func() {
				ctx, cancel := chromedp.NewContext(p.ctx, chromedp.WithTargetID(info.TargetID), chromedp.WithDetachOnCancel())
				defer cancel()
				ctx, stop := context.WithTimeout(ctx, 15*time.Second) // on a busy machine
				defer stop()
				_, _ = chromedp.Call(ctx, page.Crash, cdp.Empty{})
			}()
		}
	}
	return found
}

// freePort is an address where nobody listens.
func freePort(t *testing.T) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	return ln.Addr().String()
}
