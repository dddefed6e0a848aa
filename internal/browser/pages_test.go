package browser

import (
	"strings"
	"testing"
)

// pageCase is a page, what is done on it, and the verdict of a person.
type pageCase struct {
	name, html, scenario string
	verdict              string
	reason               string // part of the reason
}

func runCases(t *testing.T, cases []pageCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := playQuick(t, "<!doctype html><html lang=en><title>T</title>"+c.html, c.scenario)
			if r.Verdict != c.verdict || !strings.Contains(r.Reason, c.reason) {
				t.Errorf("got %s: %s\nwant %s: …%s…\n%s", r.Verdict, r.Reason, c.verdict, c.reason, r.Inline())
			}
		})
	}
}

// say is a script: clicking the button with this id shows the text in #o.
func say(id, js string) string {
	return `<output id=o aria-label=Out></output><script>document.getElementById('` + id + `').onclick=()=>{` + js + `}</script>`
}

const outGo = `document.getElementById('o').textContent='done'`

func TestClicks(t *testing.T) {
	runCases(t, []pageCase{
		{"plain", `<button id=b>Go</button>` + say("b", outGo), `["click Go","see done"]`, Pass, ""},
		{"does nothing", `<button id=b>Go</button>` + say("b", ``), `["click Go",{"see":"done","timeout":0.3}]`, Fail, `expected to see "done"`},
		{"covered", `<button id=b>Go</button><div style="position:fixed;inset:0;background:#fff8">wait</div>` + say("b", outGo), `[{"click":"Go","timeout":0.4},"see done"]`, Fail, "covered by <div>"},
		{"pointer-events none", `<button id=b style="pointer-events:none">Go</button>` + say("b", outGo), `[{"click":"Go","timeout":0.4},"see done"]`, Fail, "covered"},
		{"disabled", `<button id=b disabled>Go</button>` + say("b", outGo), `[{"click":"Go","timeout":0.4},"see done"]`, Fail, "disabled"},
		{"disabled by fieldset", `<fieldset disabled><button id=b>Go</button></fieldset>` + say("b", outGo), `[{"click":"Go","timeout":0.4},"see done"]`, Fail, "disabled"},
		{"aria-disabled", `<button id=b aria-disabled=true>Go</button>` + say("b", outGo), `[{"click":"Go","timeout":0.4},"see done"]`, Fail, "aria-disabled"},
		{"enabled later", `<button id=b disabled>Go</button>` + say("b", outGo) + `<script>setTimeout(()=>b.disabled=false,300)</script>`, `["click Go","see done"]`, Pass, ""},
		{"far below", `<div style="height:5000px">top</div><button id=b>Go</button>` + say("b", outGo), `["click Go","see done"]`, Pass, ""},
		{"outside the page", `<p>Hello</p><button id=b style="position:absolute;left:-9999px">Go</button>` + say("b", outGo), `[{"click":"Go","timeout":0.4},"see done"]`, Fail, "not visible"},
		{"appears late", `<p>Hello</p>` + `<output id=o></output><script>setTimeout(()=>{const b=document.createElement('button');b.textContent='Go';b.onclick=()=>o.textContent='done';document.body.append(b)},300)</script>`, `["click Go","see done"]`, Pass, ""},
		{"absent", `<button>Save</button><button>Load</button>`, `[{"click":"Sav","timeout":0.2},"see done"]`, Fail, `nearest: "button:Save"`},
		{"moving, then still", `<button id=b style="position:relative;animation:m .5s linear">Go</button><style>@keyframes m{from{left:300px}to{left:0}}</style>` + say("b", outGo), `["click Go","see done"]`, Pass, ""},
		{"duplicate names", `<button>Delete</button><button>Delete</button>`, `["click Delete","see gone"]`, Unverified, `2 elements are named "Delete"`},
		{"duplicate, by number", `<button>Go</button><button id=b>Go</button>` + say("b", outGo), `[{"click":"Go","nth":2},"see done"]`, Pass, ""},
		{"duplicate, by list item", `<ul><li>Milk <button>Delete</button></li><li>Bread <button id=b>Delete</button></li></ul>` + say("b", outGo), `[{"click":"Delete","in":"Bread"},"see done"]`, Pass, ""},
		{"hidden twin", `<button hidden>Go</button><button id=b>Go</button>` + say("b", outGo), `["click Go","see done"]`, Pass, ""},
		{"heading of the same name", `<h2>Go</h2><button id=b>Go</button>` + say("b", outGo), `["click Go","see done"]`, Pass, ""},
		{"div with a listener", `<div id=b>Go</div>` + say("b", outGo), `["click Go","see done"]`, Pass, ""},
		{"icon button", `<button id=b aria-label="Go"><svg width=20 height=20><rect width=20 height=20 /></svg></button>` + say("b", outGo), `["click Go","see done"]`, Pass, ""},
		{"other case and spaces", "<button id=b>  Go\n on </button>" + say("b", outGo), `["click go on","see done"]`, Pass, ""},
		{"open shadow root", `<div id=h></div><output id=o></output><script>const r=h.attachShadow({mode:'open'});r.innerHTML='<button>Go</button>';r.firstChild.onclick=()=>o.textContent='done'</script>`, `["click Go","see done"]`, Pass, ""},
		{"closed shadow root", `<div id=h></div><output id=o></output><script>const r=h.attachShadow({mode:'closed'});r.innerHTML='<button>Go</button>';r.firstChild.onclick=()=>o.textContent='done'</script>`, `["click Go","see done"]`, Pass, ""},
		{"only a synthetic click would work", `<button id=b>Go</button><output id=o></output><script>b.addEventListener('click',e=>{if(!e.isTrusted)o.textContent='done'})</script>`, `["click Go",{"see":"done","timeout":0.3}]`, Fail, "expected to see"},
		{"double click", `<button id=b>Go</button><output id=o></output><script>b.ondblclick=()=>o.textContent='done'</script>`, `["dblclick Go","see done"]`, Pass, ""},
		{"hover", `<div id=b>Menu</div><output id=o></output><script>b.onmouseenter=()=>o.textContent='done'</script>`, `["hover Menu","see done"]`, Pass, ""},
		{"link to another page", `<a href="/?two">Two</a><output id=o></output><script>if(location.search)o.textContent='done'</script>`, `["click link:Two","see done"]`, Pass, ""},
		{"wrong role", `<a href="#x">Go</a>`, `[{"click":"button:Go","timeout":0.2},"see done"]`, Fail, `nothing visible is named "button:Go"`},
		{"press means click", `<button id=b>Start</button>` + say("b", outGo), `["press Start","see done"]`, Pass, ""},
	})
}

func TestInput(t *testing.T) {
	form := `<form id=f><label>Name <input name=n></label><button>Send</button></form><output id=o></output><script>f.onsubmit=e=>{e.preventDefault();o.textContent='Hello '+f.n.value}</script>`
	runCases(t, []pageCase{
		{"enter submits", form, `[{"type":"Zoë","into":"Name"},{"press":"Enter"},{"see":"Hello Zoë"}]`, Pass, ""},
		{"replaces what is there", `<label>Name <input id=i value=old></label><output id=o></output><script>i.oninput=()=>o.textContent='<'+i.value+'>'</script>`, `[{"type":"new","into":"Name"},{"see":"<new>"}]`, Pass, ""},
		{"emoji", form, `[{"type":"日本 🎉","into":"Name"},{"press":"Enter"},{"see":"Hello 日本 🎉"}]`, Pass, ""},
		{"long text", form, `[{"type":"` + strings.Repeat("ab ", 30) + `end","into":"Name"},{"press":"Enter"},{"see":"ab end"}]`, Pass, ""},
		{"keydown only", `<label>Name <input id=i></label><output id=o></output><script>i.onkeydown=e=>o.textContent+=e.key</script>`, `[{"type":"abc","into":"Name"},{"see":"abc","in":"o"}]`, Pass, ""},
		{"keys to the page", `<p>Play</p><output id=o></output><script>onkeydown=e=>o.textContent='key '+e.code</script>`, `[{"press":"ArrowLeft"},{"see":"key ArrowLeft"}]`, Pass, ""},
		{"shortcut", `<p>Play</p><output id=o></output><script>onkeydown=e=>{if(e.ctrlKey&&e.key==='b')o.textContent='bold'}</script>`, `[{"press":"Control+b"},{"see":"bold"}]`, Pass, ""},
		{"contenteditable", `<div contenteditable role=textbox aria-label=Note id=i></div><output id=o></output><script>i.oninput=()=>o.textContent='n:'+i.textContent</script>`, `[{"type":"hey","into":"Note"},{"see":"n:hey"}]`, Pass, ""},
		{"textarea by placeholder", `<textarea id=i placeholder="Your story"></textarea><output id=o></output><script>i.oninput=()=>o.textContent=i.value.length+' letters'</script>`, `[{"type":"four","into":"Your story"},{"see":"4 letters"}]`, Pass, ""},
		{"read-only", `<label>Name <input readonly></label>`, `[{"type":"x","into":"Name"},"see x"]`, Fail, "read-only"},
		{"date", `<label>Day <input type=date id=i></label><output id=o></output><script>i.onchange=()=>o.textContent='on '+i.value</script>`, `[{"type":"2026-11-30","into":"Day"},{"see":"on 2026-11-30"}]`, Pass, ""},
		{"select", `<label>Size <select id=i><option>Small<option>Large</select></label><output id=o></output><script>i.onchange=()=>o.textContent='size '+i.value</script>`, `[{"select":"Large","from":"Size"},{"see":"size Large"}]`, Pass, ""},
		{"no such option", `<label>Size <select id=i><option>Small<option>Large</select></label>`, `[{"select":"Huge","from":"Size"},{"see":"size"}]`, Fail, "it has: Small, Large"},
		{"label-wrapped check box", `<label><input type=checkbox id=i> Agree</label><output id=o></output><script>i.onchange=()=>o.textContent=i.checked?'agreed':'not agreed'</script>`, `[{"check":"Agree"},{"see":"agreed","in":"o"},{"uncheck":"Agree"},{"see":"not agreed"}]`, Pass, ""},
		{"hidden box in a styled label", `<style>input{position:absolute;opacity:0;width:0}</style><label><input type=checkbox id=i> <span>Agree</span></label><output id=o></output><script>i.onchange=()=>o.textContent='agreed'</script>`, `[{"check":"Agree"},{"see":"agreed"}]`, Pass, ""},
		{"box that refuses", `<label><input type=checkbox id=i onclick="return false"> Agree</label>`, `[{"check":"Agree"},{"value":"Agree","is":"checked"}]`, Fail, "did not change"},
		{"value of a field", `<label>Name <input id=i></label><button id=b>Fill</button><script>b.onclick=()=>i.value='Bob'</script>`, `[{"click":"Fill"},{"value":"Bob","of":"Name"}]`, Pass, ""},
		{"value is exact", `<label>Name <input id=i></label><button id=b>Fill</button><script>b.onclick=()=>i.value='Bob!'</script>`, `[{"click":"Fill"},{"value":"Name","is":"Bob","timeout":0.2}]`, Fail, `it is "Bob!"`},
		{"clear", `<label>Name <input id=i value=x></label><output id=o></output><script>i.oninput=()=>o.textContent='now '+i.value.length</script>`, `[{"clear":"Name"},{"see":"now 0"}]`, Pass, ""},
		{"what was typed is no evidence", `<label>Name <input></label>`, `[{"type":"Bob","into":"Name"},{"value":"Bob","of":"Name"}]`, Unverified, "nothing was asserted that"},
		{"typed text is not page text", `<label>Name <input></label>`, `[{"type":"Bob","into":"Name"},{"see":"Bob","timeout":0.2}]`, Fail, "expected to see"},
	})
}

func TestSeeing(t *testing.T) {
	shown := func(style, text string) string {
		return `<button id=b>Go</button><div id=w></div><script>b.onclick=()=>w.innerHTML='<p style="` + style + `">` + text + `</p>'</script>`
	}
	see := `["click Go",{"see":"done","timeout":0.2}]`
	runCases(t, []pageCase{
		{"visible", shown("", "done"), see, Pass, ""},
		{"below the fold", shown("margin-top:4000px", "done"), see, Pass, ""},
		{"scrolled out of a list", `<button id=b>Go</button><div id=w style="height:40px;overflow:auto"></div><script>b.onclick=()=>w.innerHTML='<p style="margin-top:400px">done</p>'</script>`, see, Pass, ""},
		{"hidden text", shown("opacity:0", "done"), see, Fail, "expected to see"},
		{"in the title only", `<p>Hi</p><button id=b>Go</button><script>b.onclick=()=>document.title='done'</script>`, see, Fail, ""},
		{"in an attribute only", `<p id=p>Hi</p><button id=b>Go</button><script>b.onclick=()=>p.setAttribute('aria-label','done')</script>`, see, Fail, ""},
		{"by css content", `<style>.x::after{content:"done"}</style><p id=p>x</p><button id=b>Go</button><script>b.onclick=()=>p.className="x"</script>`, `["click Go",{"see":"xdone","timeout":0.2}]`, Pass, ""},
		{"in a read-only field", `<input readonly id=i aria-label=Display><button id=b>Go</button><script>b.onclick=()=>i.value='done'</script>`, see, Pass, ""},
		{"in a named field", `<input id=i aria-label=Display><button id=b>Go</button><script>b.onclick=()=>i.value='done'</script>`, `["click Go",{"see":"done","in":"Display"}]`, Pass, ""},
		{"elsewhere than named", `<div role=region aria-label=List>x</div>` + shown("", "done"), `["click Go",{"see":"done","in":"List","timeout":0.2}]`, Fail, `in "List"`},
		{"in a div with a name", `<div id=w aria-label=Result>0</div><button id=b>8</button><script>b.onclick=()=>w.textContent='8'</script>`, `["click 8",{"see":"8","in":"Result"}]`, Pass, ""},
		{"in an element by id", `<div id=result>0</div><button id=b>8</button><script>b.onclick=()=>result.textContent='8'</script>`, `["click 8",{"see":"8","in":"Result"}]`, Pass, ""},
		{"in an output with a label", `<label for=r>Sum</label> <output id=r>0</output><button id=b>8</button><script>b.onclick=()=>r.textContent='8'</script>`, `["click 8",{"see":"8","in":"Sum"}]`, Pass, ""},
		{"under a heading", `<div><h2>Open</h2><ul><li>Milk</ul></div><div><h2>Done</h2><ul id=w></ul></div><button id=b>Go</button><script>b.onclick=()=>w.innerHTML='<li>Milk'</script>`, `["click Go",{"see":"Milk","in":"Done"},{"see":"Milk","in":"Open","timeout":0.2}]`, Unverified, "already held"},
		{"under the other heading", `<div><h2>Open</h2><ul id=w></ul></div><div><h2>Done</h2><ul><li>Bread</ul></div><button id=b>Go</button><script>b.onclick=()=>w.innerHTML='<li>Milk'</script>`, `["click Go",{"see":"Milk","in":"Done","timeout":0.2}]`, Fail, "saw \"Done Bread\""},
		{"in a list item with parts", `<ul><li><span>Milk</span> <button>Done</button><li><span>Bread</span> <button id=b>Done</button> <i id=w></i></ul><script>b.onclick=()=>w.textContent='ok'</script>`, `[{"click":"Done","in":"Bread"},{"see":"ok","in":"Bread"},{"not_see":"ok","in":"Milk"}]`, Pass, ""},
		{"in a table row", `<table><tr><td>Milk<td id=m>1<tr><td>Bread<td>5</table><button id=b>Go</button><script>b.onclick=()=>m.textContent=2</script>`, `["click Go",{"see":"2","in":"Milk"}]`, Pass, ""},
		{"8 is not 18", shown("", "18"), `["click Go",{"see":"8","timeout":0.2}]`, Fail, ""},
		{"8 is not 78", shown("", "<span>7</span><span>8</span>"), `["click Go",{"see":"8","timeout":0.2}]`, Fail, ""},
		{"8 is = 8", shown("", "7 + 1 = 8"), `["click Go",{"see":8}]`, Pass, ""},
		{"upper case by style", shown("text-transform:uppercase", "done"), `["click Go","see DONE"]`, Pass, ""},
		{"case counts", shown("", "Done"), see, Fail, ""},
		{"late", `<button id=b>Go</button><p id=p>x</p><script>b.onclick=()=>setTimeout(()=>p.textContent='done',600)</script>`, `["click Go","see done"]`, Pass, ""},
		{"wait for", `<button id=b>Go</button><p id=p>x</p><script>b.onclick=()=>setTimeout(()=>p.textContent='done',600)</script>`, `["click Go",{"wait":"done","timeout":3}]`, Pass, ""},
		{"not_see after deleting", `<ul><li id=l>Milk</li></ul><button id=b>Delete</button><script>b.onclick=()=>l.remove()</script>`, `["see Milk","click Delete",{"not_see":"Milk"}]`, Pass, ""},
		{"not_see of what never was", `<p>x</p><button>Delete</button>`, `["click Delete",{"not_see":"Milk"}]`, Unverified, "nothing was asserted that"},
		{"not_see fails", `<p>Milk</p><button>Delete</button>`, `["click Delete",{"not_see":"Milk","timeout":0.2}]`, Fail, "not to see"},
		{"held before the action", `<p>done</p><button>Go</button>`, see, Unverified, "already held before the action"},
		{"held, changed, held again", calculator, `["click 7","click C",{"see":"0","in":"Display"}]`, Pass, ""},
		{"only shows something", `<h1>Opening hours</h1>`, `{"open":"/","steps":["see \"Opening hours\""]}`, Pass, ""},
		{"no assertion", `<button>Go</button>`, `["click Go"]`, Unverified, "nothing was asserted"},
		{"only preconditions", `<p>Hi</p><button>Go</button>`, `["see Hi","click Go"]`, Unverified, "nothing was asserted that"},
	})
}
