package browser

import "testing"

func edgeInputs() []edge {
	form := page1(`<form id=f><label>Name <input name=n></label><button>Send</button></form><output id=o></output><script>f.onsubmit=e=>{e.preventDefault();o.textContent='Hello '+f.n.value}</script>`)
	value := func(attrs string) map[string]string {
		return page1(`<label>It <input ` + attrs + ` id=i></label><output id=o></output><script>i.onchange=()=>o.textContent='now '+i.value</script>`)
	}
	file := `<output id=o></output><script>const show=async f=>o.textContent=f.name+' says '+(await f.text()).slice(0,20);i.onchange=()=>show(i.files[0])</script>`
	return []edge{
		{n: 29, name: "unicode and emoji", files: form, steps: `[{"type":"日本 🎉 Zoë","into":"Name"},{"press":"Enter"},{"see":"Hello 日本 🎉 Zoë"}]`, verdict: Pass},
		{n: 30, name: "keydown only", files: page1(`<label>Name <input id=i></label><output id=o></output><script>i.onkeydown=e=>o.textContent+=e.key</script>`), steps: `[{"type":"abc","into":"Name"},{"see":"abc","in":"o"}]`, verdict: Pass},
		{n: 31, name: "contenteditable", files: page1(`<div contenteditable role=textbox aria-label=Note id=i></div><output id=o></output><script>i.oninput=()=>o.textContent='n:'+i.textContent</script>`), steps: `[{"type":"hey","into":"Note"},{"see":"n:hey"}]`, verdict: Pass},
		{n: 32, name: "native select", files: page1(`<label>Size <select id=i><option>Small<option>Large</select></label><output id=o></output><script>i.onchange=()=>o.textContent='size '+i.value</script>`), steps: `[{"select":"Large","from":"Size"},{"see":"size Large"}]`, verdict: Pass},
		{n: 33, name: "date", files: value("type=date"), steps: `[{"type":"2026-11-30","into":"It"},{"see":"now 2026-11-30"}]`, verdict: Pass},
		{n: 33, name: "range", files: value("type=range min=0 max=10 value=2"), steps: `[{"type":"7","into":"It"},{"see":"now 7"}]`, verdict: Pass},
		{n: 33, name: "color", files: value("type=color"), steps: `[{"type":"#ff8800","into":"It"},{"see":"now #ff8800"}]`, verdict: Pass},
		{n: 34, name: "file upload", files: page1(`<label>Photo <input type=file id=i></label>` + file), steps: `[{"upload":"notes.txt","into":"Photo","content":"hello there"},{"see":"notes.txt says hello there"}]`, verdict: Pass},
		{n: 34, name: "file upload by a button", files: page1(`<input type=file id=i hidden><button onclick="i.click()">Choose a file</button>` + file), steps: `[{"upload":"a.csv","into":"Choose a file"},{"see":"a.csv says name,amount"}]`, verdict: Pass},
		{n: 34, name: "file upload in a styled label", files: page1(`<label style="border:1px solid"><input type=file id=i style="position:absolute;opacity:0;width:1px">Add photo</label>` + file), steps: `[{"upload":"x.json","into":"Add photo"},{"see":"x.json says"}]`, verdict: Pass},
		{n: 34, name: "file upload into nothing", files: page1(`<button>Choose</button>`), steps: `[{"upload":"a.csv","into":"Choose","timeout":0.3},{"see":"a.csv"}]`, verdict: Fail, reason: "takes no file"},
		{n: 35, name: "drag and drop of HTML5", files: page1(board(`draggable=true`) + `<script>
for(const c of document.querySelectorAll('.card'))c.ondragstart=e=>{e.dataTransfer.setData('text/plain',c.id)};
for(const l of document.querySelectorAll('section')){l.ondragover=e=>e.preventDefault();l.ondrop=e=>{e.preventDefault();l.append(document.getElementById(e.dataTransfer.getData('text/plain')))}}
document.ondragend=()=>o.textContent='drag ended'</script>`), steps: `[{"drag":"Write","to":"Done"},{"see":"Write","in":"Done"},{"not_see":"Write","in":"Todo"},{"see":"drag ended"}]`, verdict: Pass},
		{n: 35, name: "drag and drop by pointer", files: page1(board(`style="touch-action:none;user-select:none"`) + `<script>
let held;for(const c of document.querySelectorAll('.card'))c.onpointerdown=()=>held=c;
onpointermove=e=>{if(held)o.textContent='moving'};
onpointerup=e=>{const l=document.elementFromPoint(e.clientX,e.clientY).closest('section');if(held&&l)l.append(held);held=null}</script>`), steps: `[{"drag":"Write","to":"heading:Done"},{"see":"Write","in":"Done"},{"see":"moving"}]`, verdict: Pass},
		{n: 35, name: "board that does not drag", files: page1(board(`draggable=true`)), steps: `[{"drag":"Write","to":"Done"},{"see":"Write","in":"Done","timeout":0.3}]`, verdict: Fail, reason: `expected to see "Write" in "Done"`},
		{n: 36, name: "enter submits", files: form, steps: `[{"type":"Zoë","into":"Name"},{"press":"Enter"},{"see":"Hello Zoë"}]`, verdict: Pass},
	}
}

// board has two lists and a card.
func board(attrs string) string {
	return `<style>section{width:200px;min-height:150px;border:1px solid;float:left;margin:20px}</style>
<section aria-label=Todo><h2>Todo</h2><div class=card id=c1 ` + attrs + `>Write</div></section><section aria-label=Done><h2>Done</h2></section><output id=o></output>`
}

func edgeErrors() []edge {
	ok := `<button id=b>Go</button><p id=p>x</p>`
	steps := `["click Go","see done"]`
	click := func(js string) map[string]string {
		return page1(ok + `<script>b.onclick=async()=>{p.textContent='done';` + js + `}</script>`)
	}
	with := func(head string) map[string]string {
		return page1(ok + `<script>b.onclick=()=>p.textContent='done'</script>` + head)
	}
	return []edge{
		{n: 37, name: "throw", files: page1(ok + `<script>b.onclick=()=>{p.textContent='done';throw new Error('boom')}</script>`), steps: steps, verdict: Fail, reason: "boom"},
		{n: 38, name: "rejection", files: click(`throw new Error('late boom')`), steps: steps, verdict: Fail, reason: "late boom"},
		{n: 39, name: "rejection handled late", files: click(`const q=Promise.reject(new Error('x'));setTimeout(()=>q.catch(()=>{}),20)`), steps: `["click Go","see done",{"wait":0.3}]`, verdict: Pass},
		{n: 40, name: "console.error of an object", files: click(`console.error({code:7})`), steps: steps, verdict: Fail, reason: "console.error"},
		{n: 41, name: "404 of an image", files: with(`<img src=no.png alt=Pic>`), steps: steps, verdict: Fail, reason: "/no.png failed: status 404"},
		{n: 41, name: "404 of a script", files: with(`<script src=no.js></script>`), steps: steps, verdict: Fail, reason: "/no.js failed: status 404"},
		{n: 41, name: "404 of a style", files: with(`<link rel=stylesheet href=no.css>`), steps: steps, verdict: Fail, reason: "/no.css failed: status 404"},
		{n: 41, name: "404 of a fetch", files: click(`await fetch('/no.json')`), steps: steps, verdict: Fail, reason: "/no.json failed: status 404"},
		{n: 41, name: "404 that is expected", files: click(`const r=await fetch('/no.json');p.textContent=r.ok?'found':'not found';console.error('missing')`), steps: `[{"click":"Go","expect_status":404},"see \"not found\""]`, verdict: Pass},
		{n: 41, name: "404 that is expected and does not come", files: click(``), steps: `[{"click":"Go","expect_status":404,"timeout":0.3},"see done"]`, verdict: Fail, reason: "did not answer with status 404"},
		{n: 41, name: "another status than expected", files: click(`await fetch('/no.json')`), steps: `[{"click":"Go","allow_status":401},"see done"]`, verdict: Fail, reason: "status 404"},
		{n: 42, name: "syntax error", files: with(`<script>let = ;</script>`), steps: steps, verdict: Fail, reason: "SyntaxError"},
		{n: 43, name: "import of what is missing", files: with(`<script type=module>import './no.js'</script>`), steps: steps, verdict: Fail, reason: "/no.js failed: status 404"},
		{n: 43, name: "import of a name that is missing", files: map[string]string{"": ok + `<script>b.onclick=()=>p.textContent='done'</script><script type=module>import {x} from './a.js'</script>`, "a.js": "export const y=1"}, steps: steps, verdict: Fail, reason: "does not provide an export"},
		{n: 44, name: "module of type mjs", files: map[string]string{"": ok + `<script type=module>import {x} from './a.mjs';b.onclick=()=>p.textContent=x</script>`, "a.mjs": "export const x='done'"}, steps: steps, verdict: Pass},
		{n: 44, name: "module of the wrong type", files: map[string]string{"": ok + `<script>b.onclick=()=>p.textContent='done'</script><script type=module src=a.txt></script>`, "a.txt": "export const x=1"}, steps: steps, verdict: Fail, reason: "MIME"},
		{n: 45, name: "what is outside is blocked", files: with(`<link rel=stylesheet href="https://fonts.example/x.css"><img alt=x src="http://192.0.2.1/x.png">`), steps: steps, verdict: Pass,
			see: func(t *testing.T, r Result) {
				has(t, "blocked", r.Blocked, "https://fonts.example/x.css")
				has(t, "blocked", r.Blocked, "http://192.0.2.1/x.png")
			}},
		{n: 46, name: "error in a worker", files: map[string]string{"": ok + `<script>b.onclick=()=>{p.textContent='done';new Worker('w.js')}</script>`, "w.js": "throw new Error('worker boom')"}, steps: `["click Go","see done",{"wait":0.5}]`, verdict: Fail, reason: "worker boom"},
		{n: 47, name: "csp", files: page1(`<meta http-equiv=Content-Security-Policy content="img-src 'none'">` + ok + `<script>b.onclick=()=>p.textContent='done'</script><img alt=x src=a.png>`), steps: steps, verdict: Fail, reason: "Content Security Policy"},
		{n: 47, name: "cors", play: func(t *testing.T) Result {
			other := site(t, map[string]string{"d.json": "{}"})
			return playQuick(t, ok+`<script>b.onclick=()=>{p.textContent='done';fetch('`+other+`/d.json')}</script>`, `["click Go","see done",{"wait":0.3}]`)
		}, verdict: Fail, reason: "Failed to fetch"},
		{n: 48, name: "no favicon is no error", files: with(``), steps: steps, verdict: Pass,
			see: func(t *testing.T, r Result) {
				if len(r.Network) > 0 {
					t.Errorf("%v", r.Network)
				}
			}},
	}
}
