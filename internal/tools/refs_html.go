package tools

import (
	"encoding/json"
	"path"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// htmlRefs walks the tokens of a page: attributes that load or link, srcset,
// style sheets and scripts written inline, import maps. It obeys <base>.
func htmlRefs(content string) []ref {
	var h htmlScan
	z := html.NewTokenizer(strings.NewReader(content))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return h.rebased()
		case html.StartTagToken, html.SelfClosingTagToken:
			h.tag(z.Token())
		case html.TextToken:
			h.text(string(z.Raw()))
		case html.EndTagToken:
			h.inside = ""
		}
	}
}

type htmlScan struct {
	refs   []ref
	base   string
	inside string // style, script or importmap: what the next text is
}

func (h *htmlScan) add(kind use, to string) { h.refs = append(h.refs, ref{to, kind}) }

func (h *htmlScan) tag(t html.Token) {
	attr := map[string]string{}
	for _, a := range t.Attr {
		if _, seen := attr[a.Key]; !seen { // the first of two counts
			attr[a.Key] = a.Val
		}
	}
	if style := attr["style"]; style != "" {
		h.refs = append(h.refs, cssRefs(style)...)
	}
	h.inside = ""
	switch t.Data {
	case "base":
		if h.base == "" {
			h.base = attr["href"]
		}
	case "style":
		h.inside = "style"
	case "script":
		h.script(attr)
	case "link":
		if loads(attr["rel"]) {
			h.add(asset, attr["href"])
		}
	case "a", "area":
		if _, download := attr["download"]; download {
			h.add(asset, attr["href"])
		} else {
			h.add(link, attr["href"])
		}
	case "form":
		h.add(link, attr["action"])
	case "iframe", "frame":
		h.add(link, attr["src"])
	case "object":
		h.add(asset, attr["data"])
	case "image", "use":
		h.add(asset, attr["href"])
		h.add(asset, attr["xlink:href"])
	case "img", "source", "audio", "video", "track", "embed", "input":
		h.add(asset, attr["src"])
		h.add(asset, attr["poster"])
		for _, to := range srcset(attr["srcset"]) {
			h.add(asset, to)
		}
	}
}

func (h *htmlScan) script(attr map[string]string) {
	h.add(asset, attr["src"])
	switch strings.ToLower(strings.TrimSpace(attr["type"])) {
	case "", "module", "text/javascript", "application/javascript":
		h.inside = "script"
	case "importmap":
		h.inside = "importmap"
	}
}

// text takes what stands inside a style sheet or a script.
func (h *htmlScan) text(raw string) {
	switch h.inside {
	case "style":
		h.refs = append(h.refs, cssRefs(raw)...)
	case "script":
		h.refs = append(h.refs, jsRefs(raw)...)
	case "importmap":
		var m struct {
			Imports map[string]string `json:"imports"`
		}
		if json.Unmarshal([]byte(raw), &m) != nil {
			return
		}
		var targets []string
		for _, to := range m.Imports {
			if !strings.HasSuffix(to, "/") {
				targets = append(targets, to)
			}
		}
		slices.Sort(targets)
		for _, to := range targets {
			h.add(asset, to)
		}
	}
}

// rebased puts <base> in front of relative references; an external base leaves
// nothing local.
func (h *htmlScan) rebased() []ref {
	if h.base == "" {
		return h.refs
	}
	base, ok := local(h.base)
	if !ok {
		return nil
	}
	if !strings.HasSuffix(base, "/") {
		base = path.Dir(base) + "/"
	}
	for i, r := range h.refs {
		if to, ok := local(r.to); ok && !strings.HasPrefix(to, "/") {
			h.refs[i].to = joined(base, to)
		}
	}
	return h.refs
}

func joined(base, to string) string {
	p := path.Join(base, to)
	if strings.HasSuffix(to, "/") {
		p += "/"
	}
	return p
}

// loads says whether a browser loads what such a link names.
func loads(rel string) bool {
	for _, r := range strings.Fields(strings.ToLower(rel)) {
		switch r {
		case "stylesheet", "icon", "manifest", "modulepreload", "preload", "prefetch", "apple-touch-icon", "mask-icon":
			return true
		}
	}
	return false
}

// srcset lists the files of a srcset attribute.
func srcset(s string) []string {
	if strings.Contains(s, "data:") {
		return nil // commas inside data: URLs cannot be told from separators simply
	}
	var out []string
	for _, part := range strings.Split(s, ",") {
		if f := strings.Fields(part); len(f) > 0 {
			out = append(out, f[0])
		}
	}
	return out
}
