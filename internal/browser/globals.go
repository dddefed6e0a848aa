package browser

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/chromedp/cdproto/runtime"

	"gitagent/internal/plain"
)

// Globals are the names that the page put where every script can reach them.
type Globals struct {
	Added   []string `json:"added,omitempty"`   // on globalThis
	Lexical []string `json:"lexical,omitempty"` // let, const and class of its scripts
	// Suspicious are those of Added that look like a hook for tests.
	Suspicious []string `json:"suspicious,omitempty"`
}

const nativeNames = "function getOwnPropertyNames() { [native code] }"

// globals compares the names on the page's globalThis with those of an isolated
// world of the same document, which no script of the page has touched.
func (t *tab) globals(known map[string]bool) (*Globals, error) {
	var names []string
	res, err := call(t, runtime.Evaluate, runtime.EvaluateParams{Expression: "Object.getOwnPropertyNames(globalThis)", ReturnByValue: new(true), Silent: new(true)})
	if err != nil {
		return nil, err
	}
	if res.Result == nil || json.Unmarshal(res.Result.Value, &names) != nil {
		return nil, failf("the page hides which names it adds to window")
	}
	how, err := call(t, runtime.Evaluate, runtime.EvaluateParams{Expression: "Object.getOwnPropertyNames", Silent: new(true)})
	if err != nil {
		return nil, err
	}
	if how.Result == nil || how.Result.Description != nativeNames {
		return nil, failf("the page replaces Object.getOwnPropertyNames, which hides the names it adds to window")
	}
	g := &Globals{}
	unknown := func() bool {
		g.Added = slices.DeleteFunc(slices.Clone(names), func(n string) bool { return known[n] || isIndex(n) })
		return len(g.Added) > 0
	}
	if unknown() {
		var own []string
		if err := t.ask(&own, "globals"); err != nil {
			return nil, err
		}
		for _, n := range own {
			known[n] = true
		}
		unknown()
	}
	lex, err := call(t, runtime.GlobalLexicalScopeNames, runtime.GlobalLexicalScopeNamesParams{})
	if err == nil {
		g.Lexical = lex.Names
	}
	for _, n := range g.Added {
		bad, err := t.suspicious(n)
		if err != nil {
			return nil, err
		}
		if bad {
			g.Suspicious = append(g.Suspicious, n)
		}
	}
	return g, nil
}

// isIndex says whether a name is a number: a frame of the page.
func isIndex(n string) bool { return n != "" && strings.Trim(n, "0123456789") == "" }

// suspicious says whether a name on window looks like a door for tests. What a
// classic script declares, or what the page's own markup calls, is ordinary
// unless its name says otherwise.
func (t *tab) suspicious(name string) (bool, error) {
	switch nameLooks(name) {
	case looksOrdinary:
		return false, nil
	case looksHidden:
		return true, nil
	}
	quoted, err := json.Marshal(name)
	if err != nil {
		return false, err
	}
	var used bool
	if err := t.ask(&used, "usedInMarkup", name); err != nil || used {
		return false, err
	}
	res, err := call(t, runtime.Evaluate, runtime.EvaluateParams{
		Expression:    fmt.Sprintf("Object.getOwnPropertyDescriptor(globalThis,%s)?.configurable", quoted),
		ReturnByValue: new(true), Silent: new(true),
	})
	if err != nil || res.Result == nil {
		return false, err
	}
	return string(res.Result.Value) == "true", nil
}

type look int

const (
	looksOrdinary look = iota
	looksTesting       // one of its words is about tests
	looksHidden        // it begins with two underscores
)

func nameLooks(name string) look {
	if strings.HasPrefix(name, "__") {
		bare := strings.ToLower(strings.Trim(name, "_"))
		for _, known := range frameworks() {
			if strings.HasPrefix(bare, known) {
				return looksOrdinary
			}
		}
		return looksHidden
	}
	for _, w := range nameWords(name) {
		if slices.Contains([]string{"test", "tests", "testing", "debug", "debugger", "hook", "hooks", "expose", "exposed", "spec", "harness", "cheat", "automation", "playwright", "puppeteer", "cypress", "selenium", "gitagent"}, w) {
			return looksTesting
		}
	}
	return looksOrdinary
}

// frameworks are the beginnings of names that libraries and compilers use.
func frameworks() []string {
	return []string{"next", "vite", "vue", "react", "svelte", "core-js", "webpack", "zone", "three", "sentry", "apollo", "nuxt", "remix", "emotion", "styled", "mobx", "preact", "lit", "d3", "solid", "ember", "ng", "astro", "qwik", "turbo",
		"assign", "awaiter", "extends", "rest", "spread", "decorate", "generator", "values", "read", "import", "export", "create", "classprivate", "makeTemplate", "maketemplate", "param", "metadata", "await", "async", "esmodule", "esdecorate", "runinitializers", "propkey", "setfunctionname", "adddisposable", "dispose", "commonjs", "toesm", "tocommonjs", "defprop", "getownprop", "hasownprop", "name", "publicfield", "require"}
}

// nameWords divides startTest, start_test and START-TEST into their words.
func nameWords(name string) []string {
	var words []string
	var cur []rune
	flush := func() {
		if len(cur) > 0 {
			words = append(words, strings.ToLower(string(cur)))
			cur = nil
		}
	}
	r := []rune(name)
	for i, c := range r {
		switch {
		case !unicode.IsLetter(c):
			flush()
			continue
		case unicode.IsUpper(c) && i > 0 && (unicode.IsLower(r[i-1]) || (i+1 < len(r) && unicode.IsLower(r[i+1]))):
			flush()
		}
		cur = append(cur, c)
	}
	flush()
	return words
}

// afterwards looks at what the page left behind beside what it shows.
func (r *runner) afterwards() error {
	for _, t := range r.opened {
		if t.ctx.Err() != nil {
			continue
		}
		known := r.p.knownNames()
		g, err := t.globals(known)
		if err != nil {
			if passing(err) {
				continue
			}
			return err
		}
		r.p.learnNames(known)
		r.res.addGlobals(g)
	}
	if r.res.Globals != nil && len(r.res.Globals.Suspicious) > 0 {
		return failf("the page puts %s on window, which looks like a door for tests: keep it inside a module", plain.Line(strings.Join(r.res.Globals.Suspicious, ", "), 200))
	}
	return nil
}

func (r *Result) addGlobals(g *Globals) {
	if len(g.Added)+len(g.Lexical) == 0 {
		return
	}
	if r.Globals == nil {
		r.Globals = &Globals{}
	}
	for _, set := range []struct{ to, from *[]string }{{&r.Globals.Added, &g.Added}, {&r.Globals.Lexical, &g.Lexical}, {&r.Globals.Suspicious, &g.Suspicious}} {
		for _, n := range head(*set.from, maxListed) {
			if n = plain.Line(n, 60); !slices.Contains(*set.to, n) {
				*set.to = append(*set.to, n)
			}
		}
	}
}

// knownNames are the names that a document of this browser has by itself.
func (p *process) knownNames() map[string]bool {
	p.tabsMu.Lock()
	defer p.tabsMu.Unlock()
	out := make(map[string]bool, len(p.names))
	for n := range p.names {
		out[n] = true
	}
	return out
}

func (p *process) learnNames(names map[string]bool) {
	p.tabsMu.Lock()
	defer p.tabsMu.Unlock()
	p.names = names
}
