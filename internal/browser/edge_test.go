package browser

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// edge is one of the cases that break page checks, with what a person would say.
type edge struct {
	n       int
	name    string
	files   map[string]string // of the site; "" = index.html
	steps   string
	verdict string
	reason  string // part of it
	see     func(t *testing.T, r Result)
	play    func(t *testing.T) Result // instead of files and steps
}

func page1(html string) map[string]string { return map[string]string{"": html} }

// TestEdgeCases has the 70 cases by their numbers; each has its verdict on a
// real browser.
func TestEdgeCases(t *testing.T) {
	all := slices.Concat(edgeDialogs(), edgeClicks(), edgeInputs(), edgeErrors(), edgeStates(), edgeRobust())
	have := map[int]bool{}
	for _, e := range all {
		have[e.n] = true
	}
	for n := 1; n <= 70; n++ {
		if !have[n] {
			t.Errorf("case %d is missing", n)
		}
	}
	for _, e := range all {
		t.Run(fmt.Sprintf("%02d-%s", e.n, strings.ReplaceAll(e.name, " ", "-")), func(t *testing.T) {
			t.Parallel()
			var r Result
			if e.play != nil {
				r = e.play(t)
			} else {
				files := map[string]string{}
				for name, text := range e.files {
					if name == "" {
						name, text = "index.html", "<!doctype html><html lang=en><title>T</title>"+text
					}
					files[name] = text
				}
				r = playStage(t, Stage{URL: site(t, files)}, e.steps)
			}
			if r.Verdict != e.verdict || !strings.Contains(r.Reason, e.reason) {
				t.Errorf("got %s: %s\nwant %s: …%s…\n%s", r.Verdict, r.Reason, e.verdict, e.reason, r.Inline())
			}
			if e.see != nil {
				e.see(t, r)
			}
		})
	}
}

// has fails unless one of the texts holds part.
func has(t *testing.T, what string, texts []string, part string) {
	t.Helper()
	if !strings.Contains(strings.Join(texts, "\n"), part) {
		t.Errorf("%s do not tell of %q: %q", what, part, texts)
	}
}

func edgeDialogs() []edge {
	confirm := page1(`<button id=b>Delete</button><p id=p>Milk</p><script>b.onclick=()=>{p.textContent=confirm('Sure?')?'gone':'kept'}</script>`)
	return []edge{
		{n: 1, name: "alert on click", files: page1(`<button id=b>Go</button><p id=p>x</p><script>b.onclick=()=>{alert('hi');p.textContent='done'}</script>`), steps: `["click Go","see done"]`, verdict: Pass,
			see: func(t *testing.T, r Result) { has(t, "dialogs", r.Interactions[0].Dialogs, `alert "hi" (accepted)`) }},
		{n: 2, name: "alert while parsing", files: page1(`<p>Hello</p><script>alert('hi')</script>`), steps: `["see Hello"]`, verdict: Pass},
		{n: 3, name: "confirm unanswered", files: confirm, steps: `["click Delete","see kept"]`, verdict: Unverified, reason: "does not say what to answer"},
		{n: 4, name: "confirm accepted", files: confirm, steps: `[{"click":"Delete","dialog":"accept","dialog_says":"Sure?"},"see gone"]`, verdict: Pass},
		{n: 5, name: "prompt text", files: page1(`<button id=b>Rename</button><p id=p>x</p><script>b.onclick=()=>{p.textContent='name '+prompt('New name','old')}</script>`),
			steps: `[{"click":"Rename","answer":"Zoë"},"see \"name Zoë\""]`, verdict: Pass},
		{n: 6, name: "beforeunload after typing", files: page1(`<label>Name <input id=i></label><p id=p></p><script>onbeforeunload=e=>e.preventDefault();p.textContent='visits '+(localStorage.n=+(localStorage.n||0)+1)</script>`),
			steps: `["see \"visits 1\"",{"type":"x","into":"Name"},{"reload":true},"see \"visits 2\""]`, verdict: Pass,
			see: func(t *testing.T, r Result) { has(t, "dialogs", r.Interactions[2].Dialogs, "beforeunload") }},
		{n: 7, name: "storm of alerts", files: page1(`<button id=b>Go</button><p id=p>x</p><script>b.onclick=()=>{for(let i=0;i<200;i++)alert(i);p.textContent='done'}</script>`), steps: `["click Go","see done"]`, verdict: Fail, reason: "more than 20 dialogs"},
		{n: 8, name: "popup alerts while loading", files: map[string]string{"": `<button id=b>Help</button><script>b.onclick=()=>open('help.html')</script>`, "help.html": `<title>Help</title><script>alert('welcome')</script><h1>How it works</h1>`},
			steps: `[{"click":"Help","dialog_says":"welcome"},{"popup":"Help"},{"see":"How it works"}]`, verdict: Pass},
		{n: 9, name: "alert in a frame", files: map[string]string{"": `<p>Outer</p><iframe src=in.html title=Inner></iframe>`, "in.html": `<button id=b>Go</button><p id=p>x</p><script>b.onclick=()=>{alert('from inside');p.textContent='done'}</script>`},
			steps: `[{"click":"Go","dialog_says":"from inside"},"see done"]`, verdict: Pass},
		{n: 10, name: "alert after the last step", files: page1(`<button id=b>Go</button><p id=p>x</p><script>b.onclick=()=>{p.textContent='done';setTimeout(()=>alert('late'),200)}</script>`), steps: `["click Go","see done"]`, verdict: Pass},
		{n: 11, name: "print", files: page1(`<button id=b>Print</button><p id=p>x</p><script>b.onclick=()=>{print();p.textContent='printed'}</script>`), steps: `["click Print","see printed"]`, verdict: Pass},
	}
}

func edgeClicks() []edge {
	go1 := `<button id=b>Go</button>` + say("b", outGo)
	inside := `<button id=b>Go</button><p id=p>x</p><script>b.onclick=()=>p.textContent='done'</script>`
	return []edge{
		{n: 12, name: "covered", files: page1(go1 + `<div style="position:fixed;inset:0;background:#fff8">wait</div>`), steps: `[{"click":"Go","timeout":0.4},"see done"]`, verdict: Fail, reason: "covered by <div>"},
		{n: 13, name: "disabled", files: page1(`<button id=b disabled>Go</button>` + say("b", outGo)), steps: `[{"click":"Go","timeout":0.4},"see done"]`, verdict: Fail, reason: "disabled"},
		{n: 14, name: "offscreen", files: page1(`<div style="height:5000px">top</div>` + go1), steps: `["click Go","see done"]`, verdict: Pass},
		{n: 15, name: "appears after 300 ms", files: page1(`<p>Hello</p><output id=o></output><script>setTimeout(()=>{const b=document.createElement('button');b.textContent='Go';b.onclick=()=>o.textContent='done';document.body.append(b)},300)</script>`), steps: `["click Go","see done"]`, verdict: Pass},
		{n: 16, name: "moving target", files: page1(`<button id=b style="position:relative;animation:m .2s linear infinite alternate">Go</button><style>@keyframes m{from{left:300px}to{left:0}}</style>` + say("b", outGo)), steps: `[{"click":"Go","timeout":0.6},"see done"]`, verdict: Fail, reason: "moving"},
		{n: 17, name: "opacity 0 and pointer-events none", files: page1(`<p>Hi</p><button id=b style="opacity:0">Go</button>` + say("b", outGo)), steps: `[{"click":"Go","timeout":0.4},"see done"]`, verdict: Fail, reason: "not visible"},
		{n: 17, name: "pointer-events none", files: page1(`<button id=b style="pointer-events:none">Go</button>` + say("b", outGo)), steps: `[{"click":"Go","timeout":0.4},"see done"]`, verdict: Fail, reason: "covered"},
		{n: 18, name: "duplicate names", files: page1(`<ul><li>Milk <button>Delete</button><li>Bread <button>Delete</button></ul>`), steps: `["click Delete","see gone"]`, verdict: Unverified, reason: `2 elements are named "Delete": 1. button:Delete, 2. button:Delete`},
		{n: 19, name: "div with a listener", files: page1(`<div id=b>Go</div>` + say("b", outGo)), steps: `["click Go","see done"]`, verdict: Pass},
		{n: 20, name: "closed shadow root", files: page1(`<div id=h></div><output id=o></output><script>const r=h.attachShadow({mode:'closed'});r.innerHTML='<button>Go</button>';r.firstChild.onclick=()=>o.textContent='done'</script>`), steps: `["click Go","see done"]`, verdict: Pass},
		{n: 21, name: "open shadow root", files: page1(`<div id=h></div><script>const r=h.attachShadow({mode:'open'});r.innerHTML='<button>Go</button><p>x</p>';r.firstChild.onclick=()=>r.lastChild.textContent='done'</script>`), steps: `["click Go","see done"]`, verdict: Pass},
		{n: 22, name: "same-origin frame", files: map[string]string{"": `<p style="margin-top:300px">Outer</p><div style="padding:20px;border:5px solid"><iframe src=in.html title=Inner style="border:7px solid;padding:9px"></iframe></div>`, "in.html": `<div style="height:400px">tall</div>` + inside},
			steps: `["click Go",{"see":"done"},{"see":"done","in":"Inner"}]`, verdict: Pass},
		{n: 22, name: "frame that is covered", files: map[string]string{"": `<iframe src=in.html title=Inner></iframe><div style="position:fixed;inset:0;background:#fff8">wait</div>`, "in.html": inside}, steps: `[{"click":"Go","timeout":0.4},"see done"]`, verdict: Fail, reason: "covered by <div>"},
		{n: 22, name: "frame that is hidden", files: map[string]string{"": `<p>Hi</p><button id=b>Go</button><iframe id=f src=in.html style="display:none"></iframe><script>b.onclick=()=>f.contentDocument.body.textContent='done'</script>`, "in.html": `<p>x</p>`}, steps: `["click button:Go",{"see":"done","timeout":0.3}]`, verdict: Fail, reason: "expected to see"},
		{n: 23, name: "frame of another site", play: func(t *testing.T) Result {
			other := site(t, map[string]string{"index.html": inside})
			other = strings.Replace(other, "127.0.0.1", "localhost", 1)
			base := site(t, map[string]string{"index.html": `<!doctype html><p>Outer</p><iframe title=Shop src="` + other + `"></iframe>`})
			return playStage(t, Stage{URL: base}, `["click Go",{"see":"done","in":"Shop"}]`)
		}, verdict: Pass},
		{n: 24, name: "fixed header covers after scrolling", files: page1(`<div style="position:fixed;top:0;left:0;right:0;height:120px;background:#ddd;z-index:1">Head</div><div style="height:1500px"></div>` + go1 + `<div style="height:1500px"></div>`), steps: `["click Go","see done"]`, verdict: Pass},
		{n: 25, name: "check box in its label", files: page1(`<label><input type=checkbox id=i> Agree</label><output id=o></output><script>i.onchange=()=>o.textContent=i.checked?'agreed':'not agreed'</script>`), steps: `[{"check":"Agree"},{"see":"agreed","in":"o"}]`, verdict: Pass},
		{n: 26, name: "hidden check box in a styled label", files: page1(`<style>input{position:absolute;opacity:0;width:0}</style><label><input type=checkbox id=i> <span>Agree</span></label><output id=o></output><script>i.onchange=()=>o.textContent='agreed'</script>`), steps: `[{"check":"Agree"},{"see":"agreed"}]`, verdict: Pass},
		{n: 27, name: "inert", files: page1(`<div inert><button id=b>Go</button></div>` + say("b", outGo)), steps: `[{"click":"Go","timeout":0.4},"see done"]`, verdict: Fail, reason: "inert"},
		{n: 27, name: "aria-disabled", files: page1(`<button id=b aria-disabled=true>Go</button>` + say("b", outGo)), steps: `[{"click":"Go","timeout":0.4},"see done"]`, verdict: Fail, reason: "aria-disabled"},
		{n: 28, name: "link over several lines", files: page1(`<div style="width:150px">Some text before <a href="#x" id=b>a link that wraps over several lines</a></div>` + say("b", outGo)), steps: `["click link:a link that wraps over several lines","see done"]`, verdict: Pass},
	}
}
