package browser

import (
	"fmt"
	"strings"
	"testing"
)

// TestWhatIsRendered puts every way of hiding text beside its honest twin on one
// page and looks once.
func TestWhatIsRendered(t *testing.T) {
	hidden := []string{
		`<p style="display:none">%s</p>`,
		`<p style="visibility:hidden">%s</p>`,
		`<p style="opacity:0">%s</p>`,
		`<div style="opacity:.2"><p style="opacity:.2">%s</p></div>`,
		`<p style="position:absolute;left:-9999px">%s</p>`,
		`<p style="position:fixed;top:-200px">%s</p>`,
		`<p style="width:0;height:0;overflow:hidden">%s</p>`,
		`<p style="position:absolute;width:1px;height:1px;overflow:hidden">%s</p>`,
		`<p style="position:absolute;clip:rect(0,0,0,0)">%s</p>`,
		`<p style="clip-path:inset(50%%)">%s</p>`,
		`<p style="font-size:0">%s</p>`,
		`<p style="color:transparent">%s</p>`,
		`<p style="transform:scale(0)">%s</p>`,
		`<div style="height:20px;overflow:hidden"><p style="margin-top:60px">%s</p></div>`,
		`<div style="width:50px;overflow:hidden"><p style="margin-left:400px;width:80px">%s</p></div>`,
		`<p hidden>%s</p>`,
		`<details><summary>more</summary>%s</details>`,
		`<details><summary>more</summary><p>%s</p></details>`,
		`<div style="content-visibility:hidden">%s</div>`,
		`<dialog>%s</dialog>`,
		`<template>%s</template>`,
		`<noscript>%s</noscript>`,
		`<script type="text/plain">%s</script>`,
		`<!-- %s -->`,
		`<p title="%s">x</p>`,
		`<p aria-label="%s">x</p>`,
		`<input type=hidden value="%s">`,
		`<input value="%s" aria-label=f1>`,
		`<input type=password readonly value="%s" aria-label=f2>`,
		`<canvas>%s</canvas>`,
		`<select aria-label=f3><option>a<option>%s</select>`,
		`<p style="text-indent:-9999px">%s</p>`,
	}
	visible := []string{
		`<p>%s</p>`,
		`<p style="opacity:.6">%s</p>`,
		`<p style="position:relative;left:20px">%s</p>`,
		`<div style="position:fixed;top:0;right:0">%s</div>`,
		`<div style="overflow:hidden">%s</div>`,
		`<div style="height:20px;overflow:auto"><p style="margin-top:60px">%s</p></div>`,
		`<div style="overflow:hidden;width:10px;height:10px"><div style="position:absolute">%s</div></div>`,
		`<div style="display:contents">%s</div>`,
		`<div style="visibility:hidden"><b style="visibility:visible">%s</b></div>`,
		`<details open><summary>more</summary>%s</details>`,
		`<summary>%s</summary>`,
		`<dialog open style="position:relative">%s</dialog>`,
		`<input type=button value="%s">`,
		`<input readonly value="%s" aria-label=g1>`,
		`<input placeholder="%s" aria-label=g2>`,
		`<textarea disabled aria-label=g3>%s</textarea>`,
		`<svg width=200 height=30><text y=20>%s</text></svg>`,
		`<table><tr><td>a<td>%s</table>`,
		`<pre>one
%s</pre>`,
		`<p style="color:transparent;background:linear-gradient(red,blue);background-clip:text">%s</p>`,
		`<div style="margin-top:3000px">%s</div>`,
		`<ul><li><label><input type=checkbox>%s</label></ul>`,
		`<button>%s</button><button>next</button>`,
		`<my-box>%s</my-box>`,
	}
	var page strings.Builder
	page.WriteString(`<!doctype html><html lang=en><title>T</title><h1>Start</h1>`)
	var steps []string
	for i, h := range hidden {
		fmt.Fprintf(&page, h+"\n", fmt.Sprintf("hid%02d", i))
		steps = append(steps, fmt.Sprintf(`{"not_see":"hid%02d","timeout":0.01}`, i))
	}
	for i, v := range visible {
		fmt.Fprintf(&page, v+"\n", fmt.Sprintf("vis%02d", i))
		steps = append(steps, fmt.Sprintf(`{"see":"vis%02d","timeout":0.01}`, i))
	}
	page.WriteString(`<script>for(const b of document.querySelectorAll('my-box')){b.attachShadow({mode:'open'}).innerHTML='<i>[</i><slot></slot>'}</script>`)
	base := site(t, map[string]string{"index.html": page.String()})
	for len(steps) > 0 { // a scenario stops at its first fault; show them all
		n := min(MaxSteps, len(steps))
		r := playOn(t, base, `{"open":"/","steps":[`+strings.Join(steps[:n], ",")+`]}`)
		if r.Verdict != Fail {
			if n < len(steps) || r.Asserts.Pass != n {
				steps = steps[n:]
				continue
			}
			return
		}
		t.Errorf("%s", r.Reason)
		steps = steps[r.StepsRun:]
	}
}
