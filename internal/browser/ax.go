package browser

import (
	"slices"
	"strings"
	"time"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"

	"gitagent/internal/plain"
)

// node is one node of the accessibility tree that has a name or a value.
type node struct {
	frame cdp.FrameID
	id    cdp.BackendNodeID
	role  string
	name  string // white space collapsed
	value string
	state string // checked, disabled, …, for the snapshot
	depth int
}

// glance is what was read of a page at one moment, for questions that are asked
// together.
type glance struct {
	views    [][]node
	wanted   []string // texts of the page that are asked for
	sight    *sight
	motions  map[string]Motion
	patience *time.Duration // that is left for watching what may move
}

// views reads the accessibility trees of the frames that can be seen, the main
// one first.
func (t *tab) views() ([][]node, error) {
	if t.memo != nil && t.memo.views != nil {
		return t.memo.views, nil
	}
	frames, err := t.shownFrames()
	if err != nil {
		return nil, err
	}
	var out [][]node
	for i, f := range frames {
		nodes, err := t.tree(f)
		if err != nil && (i == 0 || !passing(err)) {
			return nil, err
		}
		out = append(out, nodes)
	}
	if t.memo != nil {
		t.memo.views = out
	}
	return out, nil
}

func allNodes(views [][]node) []node { return slices.Concat(views...) }

// tree reads the accessibility tree of a frame in document order.
func (t *tab) tree(frame cdp.FrameID) ([]node, error) {
	p := accessibility.GetFullAXTreeParams{}
	if frame != t.rec.main {
		p.FrameID = frame
	}
	res, err := callWithin(t, 2*answerTimeout, accessibility.GetFullAXTree, p) // large pages take long
	if err != nil {
		return nil, err
	}
	byID := make(map[accessibility.NodeID]*accessibility.Node, len(res.Nodes))
	for _, n := range res.Nodes {
		byID[n.NodeID] = n
	}
	var out []node
	var visit func(n *accessibility.Node, depth int)
	visit = func(n *accessibility.Node, depth int) {
		if depth > 500 {
			return
		}
		if !n.Ignored {
			if nd, ok := readNode(n, depth); ok {
				nd.frame = frame
				out = append(out, nd)
			}
			depth++
		}
		for _, id := range n.ChildIDs {
			if c := byID[id]; c != nil {
				visit(c, depth)
			}
		}
	}
	if len(res.Nodes) > 0 {
		visit(res.Nodes[0], 0)
	}
	return out, nil
}

// treeEmpty says whether the tree has nothing to tell either: it also reaches
// closed shadow roots, which act.js cannot enter.
func (t *tab) treeEmpty() (bool, error) {
	views, err := t.views()
	if err != nil {
		return false, err
	}
	for _, n := range allNodes(views) {
		if n.name != "" {
			return false, nil
		}
	}
	return true, nil
}

func readNode(n *accessibility.Node, depth int) (node, bool) {
	nd := node{id: n.BackendDOMNodeID, role: axText(n.Role), name: collapse(axText(n.Name)), value: axText(n.Value), depth: depth}
	switch nd.role {
	case "InlineTextBox", "ListMarker", "LineBreak", "RootWebArea", "none", "presentation":
		return nd, false
	}
	var states []string
	for _, p := range n.Properties {
		v := axText(p.Value)
		switch string(p.Name) {
		case "checked", "selected", "expanded", "pressed", "disabled", "readonly", "required", "invalid":
			if v != "" && v != "false" {
				word := string(p.Name)
				if v != "true" {
					word += "=" + v
				}
				states = append(states, word)
			}
		}
	}
	nd.state = strings.Join(states, " ")
	return nd, nd.id != 0
}

func axText(v *accessibility.Value) string {
	if v == nil || len(v.Value) == 0 {
		return ""
	}
	if v.Value[0] == '"' {
		return jsonString(v.Value)
	}
	return string(v.Value)
}

// roleNames maps the roles one may write before a name to those of the tree.
func roleNames() map[string][]string {
	field := []string{"textbox", "searchbox", "combobox", "spinbutton", "Date", "DateTime", "InputTime", "ColorWell", "slider"}
	return map[string][]string{
		"button": {"button", "PopUpButton", "ToggleButton", "DisclosureTriangle"}, "link": {"link"},
		"checkbox": {"checkbox", "menuitemcheckbox", "switch"}, "radio": {"radio", "menuitemradio"}, "switch": {"switch"},
		"textbox": field, "input": field, "field": field, "text": field, "textarea": field, "searchbox": field,
		"select": {"combobox", "listbox", "PopUpButton"}, "combobox": {"combobox", "PopUpButton"}, "listbox": {"listbox"}, "dropdown": {"combobox", "listbox", "PopUpButton"},
		"option": {"option", "MenuListOption", "menuitemradio"}, "tab": {"tab"}, "menuitem": {"menuitem", "menuitemcheckbox", "menuitemradio"},
		"heading": {"heading"}, "list": {"list"}, "listitem": {"listitem"}, "row": {"row", "LayoutTableRow"}, "cell": {"cell", "gridcell", "rowheader", "columnheader", "LayoutTableCell"},
		"table": {"table", "grid", "LayoutTable"}, "image": {"image", "img"}, "img": {"image", "img"}, "status": {"status"}, "alert": {"alert"}, "output": {"status"},
		"region": {"region"}, "group": {"group"}, "dialog": {"dialog", "alertdialog"}, "form": {"form"}, "slider": {"slider"},
		"spinbutton": {"spinbutton"}, "progressbar": {"progressbar", "ProgressIndicator"}, "navigation": {"navigation"}, "nav": {"navigation"}, "main": {"main"}, "timer": {"timer"},
		"section": {"region"}, "article": {"article"}, "tabpanel": {"tabpanel"}, "toolbar": {"toolbar"}, "menu": {"menu"}, "complementary": {"complementary"}, "aside": {"complementary"},
	}
}

// splitRole divides "button:7" into its role and name; a colon after anything
// that is not a role belongs to the name.
func splitRole(loc string) (roles []string, name string) {
	role, rest, ok := strings.Cut(loc, ":")
	if ok {
		if r, known := roleNames()[strings.ToLower(strings.TrimSpace(role))]; known && collapse(rest) != "" {
			return r, collapse(rest)
		}
	}
	return nil, loc
}

// isText are roles that only hold text; they are not what a locator means.
func isText(role string) bool {
	return slices.Contains([]string{"StaticText", "LabelText", "generic", "paragraph", "strong", "emphasis", "mark", "code", "time", "superscript", "subscript", "Legend"}, role)
}

func isInteractive(role string) bool {
	return slices.Contains([]string{"button", "PopUpButton", "ToggleButton", "DisclosureTriangle", "link", "checkbox", "radio", "switch", "textbox", "searchbox", "combobox", "spinbutton", "slider",
		"listbox", "option", "MenuListOption", "tab", "menuitem", "menuitemcheckbox", "menuitemradio", "treeitem", "gridcell", "ColorWell", "Date", "DateTime", "InputTime"}, role)
}

func isEditable(role string) bool {
	return slices.Contains([]string{"textbox", "searchbox", "combobox", "spinbutton", "ColorWell", "Date", "DateTime", "InputTime", "slider"}, role)
}

// shortRole is the role as one writes it before a name.
func shortRole(role string) string {
	switch role {
	case "PopUpButton", "ToggleButton", "DisclosureTriangle":
		return "button"
	case "MenuListOption":
		return "option"
	case "Date", "DateTime", "InputTime", "ColorWell":
		return "textbox"
	case "ProgressIndicator":
		return "progressbar"
	}
	return strings.ToLower(role)
}

// outline writes the tree for a model: one line for each node that says
// something its parent does not, and the names of what can be operated.
func outline(nodes []node) (snapshot string, clickable []string) {
	var b strings.Builder
	var parents []node
	for _, n := range nodes {
		for len(parents) > 0 && parents[len(parents)-1].depth >= n.depth {
			parents = parents[:len(parents)-1]
		}
		covered := false
		for _, p := range parents {
			covered = covered || (isText(n.role) && p.name == n.name && n.name != "")
		}
		parents = append(parents, n)
		if isInteractive(n.role) && n.role != "MenuListOption" && n.role != "option" && n.name != "" {
			clickable = append(clickable, shortRole(n.role)+":"+plain.Line(n.name, 80))
		}
		if (n.name == "" && n.value == "" && !isInteractive(n.role)) || covered || n.role == "LabelText" || n.role == "MenuListOption" || b.Len() > 6000 {
			continue
		}
		line := n.name
		if !isText(n.role) {
			line = strings.TrimSpace(shortRole(n.role) + " " + n.name)
		}
		if n.value != "" && n.value != n.name {
			line += ": " + n.value
		}
		if n.state != "" {
			line += " (" + n.state + ")"
		}
		b.WriteString(plain.Line(line, 160) + "\n")
	}
	return strings.TrimRight(b.String(), "\n"), head(clickable, 60)
}
