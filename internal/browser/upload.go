package browser

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
)

// act does what an action step says. A file to upload is made first.
func (r *runner) act(s Step) error {
	if s.Verb != VerbUpload {
		return r.tab.act(s)
	}
	file, err := r.makeFile(s)
	if err != nil {
		return unverifiedf("the file to upload could not be made: %v", err)
	}
	return r.tab.setFiles(s, []string{file})
}

// makeFile makes the file in the profile's folder, which the browser may read
// and which goes with it.
func (r *runner) makeFile(s Step) (string, error) {
	dir := filepath.Join(r.p.profile, "uploads", fmt.Sprint(r.acted))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	content := []byte(s.Content)
	if s.Content == "" {
		content = fileFor(s.Text)
	}
	file := filepath.Join(dir, s.Text)
	return file, os.WriteFile(file, content, 0o600)
}

// fileFor is a small file that fits its name.
func fileFor(name string) []byte {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".png":
		img := image.NewNRGBA(image.Rect(0, 0, 16, 16))
		for i := range 256 {
			img.Set(i%16, i/16, color.NRGBA{uint8(i), 90, 160, 255})
		}
		var b bytes.Buffer
		if png.Encode(&b, img) == nil {
			return b.Bytes()
		}
	case ".svg":
		return []byte(`<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16"><rect width="16" height="16" fill="#369"/></svg>`)
	case ".json":
		return []byte(`[{"name":"Milk","amount":2},{"name":"Bread","amount":1}]`)
	case ".csv":
		return []byte("name,amount\nMilk,2\nBread,1\n")
	}
	return []byte("This is " + name + ".\n")
}
