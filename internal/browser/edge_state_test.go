package browser

import (
	"strings"
	"testing"
)

func edgeStates() []edge {
	canvas := `<canvas id=c width=200 height=100 aria-label=Field></canvas><h1>Game</h1><button id=b>Start</button><script>const x=c.getContext('2d');let n=0;x.fillRect(0,0,20,20);`
	draw := `const f=()=>{x.clearRect(0,0,200,100);x.fillRect(n++%180,0,20,20);requestAnimationFrame(f)};`
	css := func(frames string) map[string]string {
		return page1(`<style>@keyframes k{` + frames + `}.on{animation:k 1s infinite alternate}.box{width:60px;height:60px;background:#393}</style><h1>Show</h1><div class=box id=d aria-label=Box role=img></div><button id=b>Start</button><script>b.onclick=()=>d.classList.add('on')</script>`)
	}
	store := `<label>Note <input id=i></label><button id=b>Save</button><p id=p></p><script>p.textContent='note: '+(localStorage.n||'none');b.onclick=()=>{localStorage.n=i.value;p.textContent='note: '+i.value}</script>`
	return []edge{
		{n: 49, name: "canvas that moves", files: page1(canvas + draw + `b.onclick=f</script>`), steps: `["click Start",{"animates":"Field"}]`, verdict: Pass,
			see: func(t *testing.T, r Result) {
				if len(r.Animation) != 1 || r.Animation[0].Changed < 8 || r.Animation[0].Control != 0 {
					t.Errorf("%+v", r.Animation)
				}
			}},
		{n: 49, name: "canvas that is still", files: page1(canvas + `b.onclick=()=>x.fillRect(50,50,9,9)</script>`), steps: `["click Start",{"animates":"Field","timeout":0.5}]`, verdict: Fail, reason: "to move, but it does not"},
		{n: 49, name: "canvas that stops", files: page1(canvas + `let on=true;const f=()=>{x.clearRect(0,0,200,100);x.fillRect(n++%180,0,20,20);if(on)requestAnimationFrame(f)};f();b.onclick=()=>on=false</script>`), steps: `["click Start",{"still":"Field"}]`, verdict: Pass},
		{n: 49, name: "canvas that moved all along", files: page1(canvas + draw + `f()</script>`), steps: `["click Start",{"animates":"Field"}]`, verdict: Unverified, reason: "already held before the action"},
		{n: 50, name: "css animation", files: css(`from{margin-left:0}to{margin-left:200px}`), steps: `["click Start",{"animates":"Box"}]`, verdict: Pass,
			see: func(t *testing.T, r Result) {
				if len(r.Animation) == 0 || len(r.Animation[len(r.Animation)-1].CSS) == 0 || !strings.Contains(r.Animation[len(r.Animation)-1].CSS[0], "CSSAnimation") {
					t.Errorf("%+v", r.Animation)
				}
			}},
		{n: 50, name: "css animation of nothing", files: css(`from{opacity:1}to{opacity:1}`), steps: `["click Start",{"animates":"Box","timeout":0.5}]`, verdict: Fail, reason: "to move, but it does not"},
		{n: 51, name: "a popup and the page behind it goes on", files: map[string]string{"": canvas + draw + `b.onclick=()=>{open('pop.html');f()}</script>`, "pop.html": "<title>Pop</title><p>Popped"},
			steps: `["click Start",{"popup":true},{"see":"Popped"},{"popup":"close"},{"animates":"Field"}]`, verdict: Pass},
		{n: 51, name: "a popup in the background", files: map[string]string{"": canvas + draw + `b.onclick=()=>{open('pop.html');f()}</script>`, "pop.html": "<title>Pop</title><p>Popped"},
			steps: `["click Start",{"animates":"Field"}]`, verdict: Pass},
		{n: 51, name: "a link to a new tab", files: map[string]string{"": `<a href=pop.html target=_blank>Help</a>`, "pop.html": "<title>Pop</title><button id=b>Go</button>" + say("b", outGo)},
			steps: `["click Help",{"popup":true},"click Go",{"see":"done"},{"popup":"close"},"click Help",{"popup":"Pop"},"click Go",{"see":"done"}]`, verdict: Pass},
		{n: 51, name: "windows with and without their opener", files: map[string]string{"": `<button onclick="window.open('pop.html?a','','noopener')">One</button><button onclick="window.open('pop.html?b')">Two</button><a href="pop.html?c" target=_blank>Three</a>`, "pop.html": "<p id=p>x</p><script>p.textContent='is '+location.search</script>"},
			steps: `["click One","click Two","click Three",{"popup":"?c"},{"see":"is ?c"},{"popup":"close"},{"popup":"?b"},{"see":"is ?b"},{"popup":"close"},{"popup":"?a"},{"see":"is ?a"}]`, verdict: Pass},
		{n: 51, name: "an error in a new tab", files: map[string]string{"": `<a href=pop.html target=_blank>Help</a>`, "pop.html": "<p>Popped</p><script>nobody.home()</script>"},
			steps: `["click Help",{"popup":true},{"see":"Popped"}]`, verdict: Fail, reason: "nobody is not defined"},
		{n: 51, name: "a new tab that alerts", files: map[string]string{"": `<a href=pop.html target=_blank>Help</a>`, "pop.html": "<p id=p>Popped</p><script>setTimeout(()=>{alert('hi');p.textContent='said'},300)</script>"},
			steps: `["click Help",{"popup":true},{"see":"said"}]`, verdict: Pass},
		{n: 51, name: "no popup", files: page1(`<button>Help</button>`), steps: `["click Help",{"popup":true,"timeout":0.3},{"see":"x"}]`, verdict: Fail, reason: "opened no window"},
		{n: 52, name: "prefers reduced motion", files: page1(`<style>@keyframes k{to{margin-left:90px}}.on{animation:k 1s infinite alternate}@media(prefers-reduced-motion:reduce){.on{animation:none}}</style><h1>Show</h1><div id=d role=img aria-label=Box>box</div><button id=b>Start</button><p id=p></p><script>b.onclick=()=>{d.className='on';p.textContent=matchMedia('(prefers-reduced-motion:reduce)').matches?'calm':'lively'}</script>`),
			steps: `{"prefers":"reduced-motion","steps":["click Start","see calm",{"still":"Box"}]}`, verdict: Unverified, reason: "already held"},
		{n: 52, name: "prefers reduced motion shown", files: page1(`<button id=b>Start</button><p id=p></p><script>b.onclick=()=>p.textContent=matchMedia('(prefers-reduced-motion:reduce)').matches?'calm':'lively'</script>`),
			steps: `{"prefers":"reduced-motion","steps":["click Start","see calm"]}`, verdict: Pass},
		{n: 53, name: "mobile viewport", files: page1(`<meta name=viewport content="width=device-width"><style>#m{display:none}@media(max-width:600px){#m{display:block}#n{display:none}}</style><nav id=n>Home About</nav><button id=m>Menu</button><p id=p></p><script>m.onclick=()=>p.textContent='opened'</script>`),
			steps: `[{"not_see":"Menu"},{"resize":"mobile"},{"see":"Menu"},"click Menu","see opened"]`, verdict: Pass},
		{n: 54, name: "storage across reload", files: page1(store), steps: `["see \"note: none\"",{"type":"Milk","into":"Note"},"click Save",{"reload":true},"see \"note: Milk\""]`, verdict: Pass},
		{n: 54, name: "a restart without a server", files: page1(store), steps: `["see \"note: none\"",{"type":"Milk","into":"Note"},"click Save",{"restart":true},"see \"note: Milk\""]`, verdict: Unverified, reason: "a restart proves nothing"},
		{n: 54, name: "no storage across scenarios", play: func(t *testing.T) Result {
			base := site(t, map[string]string{"index.html": store})
			if r := playOn(t, base, `["see \"note: none\"",{"type":"Milk","into":"Note"},"click Save","see \"note: Milk\""]`); r.Verdict != Pass {
				t.Errorf("%s", r.Inline())
			}
			return playOn(t, base, `["see \"note: none\""]`)
		}, verdict: Pass},
		{n: 54, name: "no storage in a second profile", files: page1(store), steps: `["see \"note: none\"",{"type":"Milk","into":"Note"},"click Save",{"fresh":"/"},"see \"note: none\"",{"fresh":"first"},"see \"note: Milk\""]`, verdict: Pass},
	}
}
