package browser

import (
	"strings"
	"testing"
)

func TestDialogs(t *testing.T) {
	confirm := `<button id=b>Delete</button><p id=p>Milk</p><script>b.onclick=()=>{p.textContent=confirm('Sure?')?'gone':'kept'}</script>`
	prompt := `<button id=b>Rename</button><p id=p>x</p><script>b.onclick=()=>{p.textContent='name '+prompt('New name','old')}</script>`
	runCases(t, []pageCase{
		{"alert on click", `<button id=b>Go</button><p id=p>x</p><script>b.onclick=()=>{alert('hi');p.textContent='done'}</script>`, `["click Go","see done"]`, Pass, ""},
		{"alert while loading", `<p>Hello</p><script>alert('hi')</script>`, `["see Hello"]`, Pass, ""},
		{"what an alert says", `<button id=b>Go</button><script>b.onclick=()=>alert('Saved 3 items')</script>`, `[{"click":"Go","dialog_says":"Saved 3 items"}]`, Pass, ""},
		{"alert says something else", `<button id=b>Go</button><script>b.onclick=()=>alert('Saved 13 items')</script>`, `[{"click":"Go","dialog_says":"3 items","timeout":0.2}]`, Fail, "Saved 13 items"},
		{"no alert", `<button id=b>Go</button>`, `[{"click":"Go","dialog_says":"Saved","timeout":0.2}]`, Fail, "no dialog opened"},
		{"confirm unanswered", confirm, `["click Delete","see kept"]`, Unverified, "does not say what to answer"},
		{"confirm accepted", confirm, `[{"click":"Delete","dialog":"accept","dialog_says":"Sure?"},"see gone"]`, Pass, ""},
		{"confirm dismissed", confirm, `[{"click":"Delete","dialog":"dismiss"},"see kept"]`, Pass, ""},
		{"prompt answered", prompt, `[{"click":"Rename","dialog":"accept","answer":"Zoë"},"see \"name Zoë\""]`, Pass, ""},
		{"prompt unanswered", prompt, `["click Rename","see \"name null\""]`, Unverified, "does not say"},
		{"leaving a form", `<label>Name <input></label><script>onbeforeunload=e=>e.preventDefault()</script>`, `[{"type":"x","into":"Name"},{"open":"/"},{"see":"Name"}]`, Unverified, "nothing was asserted that"},
		{"storm", `<button id=b>Go</button><p id=p>x</p><script>b.onclick=()=>{for(let i=0;i<200;i++)alert(i);p.textContent='done'}</script>`, `["click Go","see done"]`, Fail, "more than 20 dialogs"},
	})
}

func TestPageErrors(t *testing.T) {
	ok := `<button id=b>Go</button><p id=p>x</p>`
	steps := `["click Go","see done"]`
	click := func(js string) string {
		return ok + `<script>b.onclick=()=>{p.textContent='done';` + js + `}</script>`
	}
	runCases(t, []pageCase{
		{"throw", click(`throw new Error('boom')`), steps, Fail, "boom"},
		{"throw while loading", ok + `<script>b.onclick=()=>p.textContent='done';undefinedThing()</script>`, steps, Fail, "undefinedThing"},
		{"rejection", click(`Promise.reject(new Error('late boom'))`), steps, Fail, "late boom"},
		{"rejection handled late", click(`const q=Promise.reject(new Error('x'));setTimeout(()=>q.catch(()=>{}),20)`), `["click Go","see done",{"wait":0.3}]`, Pass, ""},
		{"console.error", click(`console.error('bad',{a:1})`), steps, Fail, "bad"},
		{"console.assert", click(`console.assert(false,'not so')`), steps, Fail, "not so"},
		{"console.warn is none", click(`console.warn('hm')`), steps, Pass, ""},
		{"syntax error", ok + `<script>b.onclick=()=>p.textContent='done'</script><script>let = =</script>`, steps, Fail, "SyntaxError"},
		{"script 404", ok + `<script src=none.js></script><script>b.onclick=()=>p.textContent='done'</script>`, steps, Fail, "/none.js"},
		{"image 404", ok + `<img src=none.png><script>b.onclick=()=>p.textContent='done'</script>`, steps, Fail, "/none.png"},
		{"style 404", ok + `<link rel=stylesheet href=none.css><script>b.onclick=()=>p.textContent='done'</script>`, steps, Fail, "/none.css"},
		{"fetch 404", click(`fetch('/api')`), `["click Go","see done",{"wait":0.3}]`, Fail, "/api"},
		{"module missing", ok + `<script type=module>import './none.mjs'</script><script>b.onclick=()=>p.textContent='done'</script>`, steps, Fail, "/none.mjs"},
		{"outside is blocked, not failed", ok + `<link rel=stylesheet href="http://fonts.example/x.css"><img src="http://192.0.2.7/x.png"><script>b.onclick=()=>p.textContent='done'</script>`, steps, Pass, ""},
		{"needs the outside", ok + `<script src="https://cdn.example/lib.js"></script><script>b.onclick=()=>{lib.go();p.textContent='done'}</script>`, `[{"click":"Go"},{"see":"done","timeout":0.2}]`, Fail, "lib is not defined"},
		{"blank", `<body></body>`, steps, Fail, "blank"},
		{"blank by style", `<body style="display:none">` + ok + `</body>`, steps, Fail, "blank"},
		{"leaves the origin", ok + `<a href="https://elsewhere.example/">Out</a>`, `["click Out","see x"]`, Unverified, "left its origin"},
		{"data page", ok + `<script>b.onclick=()=>location='data:text/html,done'</script>`, `[{"click":"Go"},{"see":"done","timeout":0.2}]`, Fail, "data URL"},
		{"404 page", ok, `{"open":"/none","steps":["see x"]}`, Fail, "404"},
	})
}

func TestBlockedIsListed(t *testing.T) {
	r := play(t, `<!doctype html><p>Hello</p><img src="https://tracker.example/p.gif">`, `["see Hello"]`)
	if r.Verdict != Pass || len(r.Blocked) == 0 || !strings.Contains(r.Blocked[0], "tracker.example") {
		t.Errorf("%s", r.Inline())
	}
}

func TestState(t *testing.T) {
	todo := `<label>Item <input id=i></label><button id=b>Add</button><ul id=l></ul><script>
const show=()=>l.innerHTML=JSON.parse(localStorage.items||'[]').map(x=>'<li>'+x).join('');show();
b.onclick=()=>{localStorage.items=JSON.stringify([...JSON.parse(localStorage.items||'[]'),i.value]);i.value='';show()}</script>`
	forgets := "<script>mem={}</script>" + strings.ReplaceAll(todo, "localStorage", "mem")
	steps := `[{"not_see":"Milk"},{"type":"Milk","into":"Item"},"click Add","see Milk","reload","see Milk"]`
	for _, c := range []pageCase{
		{"kept across reload", todo, steps, Pass, ""},
		{"forgotten", forgets, strings.Replace(steps, `"see Milk"]`, `{"see":"Milk","timeout":0.3}]`, 1), Fail, "step 6"},
		{"back", `<h1 id=h>One</h1><a href="/?two">Two</a><script>if(location.search)h.textContent='Second'</script>`, `["click Two","see Second","back","see One"]`, Pass, ""},
		{"back to nowhere", `<h1>One</h1>`, `["back","see One"]`, Fail, "no page to go back to"},
		{"hash route", `<a href="#two">Two</a><h1 id=h>One</h1><script>onhashchange=()=>h.textContent='Second'</script>`, `["click Two","see Second"]`, Pass, ""},
	} {
		if r := play(t, "<!doctype html><title>T</title>"+c.html, c.scenario); r.Verdict != c.verdict || !strings.Contains(r.Reason, c.reason) {
			t.Errorf("%s: %s", c.name, r.Inline())
		}
	}
	// Nothing is left over from one run to the next, on the same origin.
	base := site(t, map[string]string{"index.html": "<!doctype html>" + todo})
	for range 2 {
		if r := playOn(t, base, steps); r.Verdict != Pass {
			t.Errorf("%s", r.Inline())
		}
	}
}

func TestNothingTellsThatThisIsATest(t *testing.T) {
	r := play(t, `<!doctype html><p id=p>x</p><script>p.textContent=[navigator.webdriver||false,/headless/i.test(navigator.userAgent),innerWidth,innerHeight,document.hasFocus(),Object.keys(window).filter(k=>/cdc|driver|chromedp/i.test(k)).length].join()</script>`,
		`["see false,false,1280,800,true,0"]`)
	if r.Verdict != Pass {
		t.Errorf("%s", r.Inline())
	}
}

func TestPageCannotFoolTheReader(t *testing.T) {
	// The page replaces what a reader in its own world would use.
	r := play(t, `<!doctype html><p>x</p><button id=b>Go</button><script>
Element.prototype.checkVisibility=()=>true;Object.defineProperty(Element.prototype,'innerText',{get:()=>'done'});
Range.prototype.getClientRects=()=>[{left:0,top:0,right:99,bottom:99,width:99,height:99}];
String.prototype.replace=()=>'done';Array.prototype.join=()=>'done';window.getComputedStyle=()=>({display:'block'});
document.elementFromPoint=()=>b</script><p style="display:none">done</p>`, `["click Go",{"see":"done","timeout":0.2}]`)
	if r.Verdict != Fail {
		t.Errorf("%s", r.Inline())
	}
}
