package browser

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/chromedp/cdproto/page"
)

// shot writes a picture of the page.
func (r *runner) shot(name string) error {
	if r.stage.Shots == "" {
		return nil
	}
	res, err := call(r.tab, page.CaptureScreenshot, page.CaptureScreenshotParams{Format: page.CaptureScreenshotFormatPng, OptimizeForSpeed: new(true)})
	if err != nil {
		return unverifiedf("no picture could be taken: %v", err)
	}
	name = strings.TrimSuffix(strings.ReplaceAll(name, " ", "-"), ".png")
	file := fmt.Sprintf("%02d-%s.png", len(r.res.Shots)+1, name)
	if err := os.MkdirAll(r.stage.Shots, 0o755); err != nil {
		return unverifiedf("no picture could be kept: %v", err)
	}
	if err := os.WriteFile(filepath.Join(r.stage.Shots, file), res.Data, 0o644); err != nil {
		return unverifiedf("no picture could be kept: %v", err)
	}
	r.res.Shots = append(r.res.Shots, file)
	return nil
}

// lastShot shows the end of the run; where it cannot be taken, the run says
// enough without it.
func (r *runner) lastShot(err error) {
	if r.tab.ctx.Err() != nil || errors.Is(err, errHung) {
		return
	}
	name := "end"
	if err != nil {
		name = "failed"
	}
	_ = r.shot(name)
}
