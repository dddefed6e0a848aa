package browser

import (
	"bytes"
	_ "embed" // the form of the page with the pictures
	"encoding/base64"
	"html/template"
	"os"
	"path/filepath"
)

//go:embed picture.html
var pictureForm string

// Page is the run as one file for a person to look at: the steps, what was seen
// after each, and the pictures from the folder shots, which are part of it.
// Nothing in it is loaded from elsewhere, and nothing in it runs.
func (r Result) Page(title, shots string) []byte {
	form, err := template.New("page").Funcs(template.FuncMap{"picture": func(name string) template.URL {
		data, err := os.ReadFile(filepath.Join(shots, filepath.Base(name)))
		if err != nil {
			return ""
		}
		return template.URL("data:image/png;base64," + base64.StdEncoding.EncodeToString(data))
	}}).Parse(pictureForm)
	var b bytes.Buffer
	if err == nil {
		err = form.Execute(&b, struct {
			Title string
			Result
			Rest []string
		}{title, r, r.restOfShots()})
	}
	if err != nil { // the form is part of this package: cannot happen
		return encode(r)
	}
	return b.Bytes()
}

// restOfShots are the pictures that belong to no step.
func (r Result) restOfShots() []string {
	of := map[string]bool{}
	for _, i := range r.Interactions {
		of[i.Shot] = true
	}
	var out []string
	for _, s := range r.Shots {
		if !of[s] {
			out = append(out, s)
		}
	}
	return out
}
