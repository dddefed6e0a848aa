package browser

import (
	"strings"
	"testing"
)

// TestByItself puts pages that change without anybody's doing beside honest
// ones: what would come anyway is no evidence for an action.
func TestByItself(t *testing.T) {
	for _, c := range []struct{ name, html, steps, verdict, reason string }{
		{"clock that runs anyway", `<output aria-label=Time id=o>0</output><button>Start</button><script>let n=0;setInterval(()=>o.textContent=++n<4?n:'over',400)</script>`,
			`["click Start",{"see":"over","in":"Time","timeout":5}]`, Unverified, ""},
		{"clock with a handler that does nothing", `<output aria-label=Time id=o>0</output><button id=b>Start</button><script>let n=0;setInterval(()=>o.textContent=++n<4?n:'over',400);b.onclick=()=>{}</script>`,
			`["click Start",{"see":"over","in":"Time","timeout":5}]`, Unverified, ""},
		{"fast clock", `<output aria-label=Time id=o>0</output><button>Start</button><script>let n=0;setInterval(()=>o.textContent=++n>30?'done':'busy',20)</script>`,
			`["click Start",{"see":"done","in":"Time","timeout":4}]`, Unverified, ""},
		{"result that comes anyway", `<output id=o aria-label=Result></output><button>Add</button><script>setTimeout(()=>o.textContent='56',900)</script>`,
			`["click Add",{"see":"56","in":"Result"}]`, Unverified, ""},
		{"honest clock", `<output aria-label=Time id=o>0</output><button id=b>Start</button><script>let n=0;b.onclick=()=>setInterval(()=>o.textContent=++n<4?n:'over',300)</script>`,
			`["click Start",{"see":"over","in":"Time","timeout":9}]`, Pass, ""},
		{"honest result that takes its time", `<output id=o aria-label=Result></output><button id=b>Add</button><script>b.onclick=()=>setTimeout(()=>o.textContent='56',900)</script>`,
			`["click Add",{"see":"56","in":"Result"}]`, Pass, ""},
		{"honest result beside a clock", `<p id=c>0</p><output id=o aria-label=Result></output><button id=b>Add</button><script>let n=0;setInterval(()=>c.textContent=++n,100);b.onclick=()=>o.textContent='sum'</script>`,
			`["click Add",{"see":"sum","in":"Result"}]`, Pass, ""},
		{"honest result across a reload", `<label>Note <input id=i></label><button id=b>Save</button><p id=p></p><script>setTimeout(()=>p.textContent='note: '+(localStorage.n||'none'),600);b.onclick=()=>{localStorage.n=i.value}</script>`,
			`[{"type":"Milk","into":"Note"},"click Save",{"reload":true},"see \"note: Milk\""]`, Pass, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			base := site(t, map[string]string{"index.html": "<!doctype html><html lang=en><title>T</title>" + c.html})
			r := playStage(t, Stage{URL: base, Alone: true}, c.steps)
			if r.Verdict != c.verdict || (c.reason != "" && !strings.Contains(r.Reason, c.reason)) {
				t.Errorf("got %s: %s\n%s", r.Verdict, r.Reason, r.Inline())
			}
		})
	}
}

// TestSameColour hides text in the colour of what it stands on.
func TestSameColour(t *testing.T) {
	shown := func(html string) string {
		return `<button id=b>Go</button><div id=w></div><script>b.onclick=()=>w.innerHTML=` + "`" + html + "`" + `</script>`
	}
	see := `["click Go",{"see":"done","timeout":0.3}]`
	runCases(t, []pageCase{
		{"white on white", shown(`<p style="color:#fff">done</p>`), see, Fail, "expected to see"},
		{"nearly white on white", shown(`<p style="color:#fdfdfd">done</p>`), see, Fail, "expected to see"},
		{"pale grey on white", shown(`<p style="color:#eee">done</p>`), see, Fail, "expected to see"},
		{"a breath of black on white", shown(`<p style="color:rgba(0,0,0,.08)">done</p>`), see, Fail, "expected to see"},
		{"dark grey on black", shown(`<p style="background:#000;color:#151515">done</p>`), see, Fail, "expected to see"},
		{"yellow on white", shown(`<p style="color:#ff0">done</p>`), see, Pass, ""},
		{"grey on black", shown(`<p style="background:#000;color:#444">done</p>`), see, Pass, ""},
		{"black on black", shown(`<p style="background:#000;color:#000">done</p>`), see, Fail, "expected to see"},
		{"inherited", shown(`<div style="background:#123456"><p style="color:#123456"><b>done</b></p></div>`), see, Fail, "expected to see"},
		{"white on blue", shown(`<p style="background:#00f;color:#fff">done</p>`), see, Pass, ""},
		{"white on a picture", shown(`<p style="background:linear-gradient(red,blue);color:#fff">done</p>`), see, Pass, ""},
		{"white over a dark page", `<style>body{background:#111;color:#fff}</style>` + shown(`<p>done</p>`), see, Pass, ""},
		{"white with an outline", shown(`<p style="color:#fff;text-shadow:0 0 2px #000">done</p>`), see, Pass, ""},
		{"grey on white", shown(`<p style="color:#ddd">done</p>`), see, Pass, ""},
		{"white on a canvas behind the page", `<canvas id=c width=900 height=500 style="position:fixed;inset:0;z-index:-1;pointer-events:none"></canvas><script>c.getContext('2d').fillRect(0,0,900,500)</script>` + shown(`<p style="color:#fff">done</p>`), see, Pass, ""},
		{"white beside a layer", `<div style="position:fixed;top:300px;height:99px;width:99px;background:#036"></div>` + shown(`<p style="color:#fff">done</p>`), see, Fail, "expected to see"},
		{"white on a positioned layer", `<div style="position:fixed;inset:0;background:#036;z-index:-1"></div>` + shown(`<div style="position:absolute;top:90px;color:#fff">done</div>`), see, Pass, ""},
	})
}

// TestAbleAndTitled asserts what a control can be used for, and the title.
func TestAbleAndTitled(t *testing.T) {
	page := `<h2>Next</h2><label>Name <input id=i></label><button id=b disabled><b>Next</b> →</button><button id=c>Name it</button>` +
		`<script>c.onclick=()=>{b.disabled=false;i.disabled=true;document.title='Named (1)'}</script>`
	runCases(t, []pageCase{
		{"becomes enabled", page, `[{"disabled":"button:Next →"},"click Name it",{"enabled":"button:Next →"}]`, Pass, ""},
		{"by a part of its name", page, `["click Name it",{"enabled":"Next →"}]`, Pass, ""},
		{"stays disabled", strings.Replace(page, "b.disabled", "b.hidden", 1), `["click Name it",{"enabled":"Next →","timeout":0.2}]`, Fail, `expected "Next →" to be enabled, but it is disabled`},
		{"field becomes disabled", page, `["click Name it",{"disabled":"Name"}]`, Pass, ""},
		{"was enabled all along", page, `["click Name it",{"enabled":"button:Name it"}]`, Unverified, "already held"},
		{"by its fieldset", `<fieldset id=f><button>Pay</button></fieldset><button id=b>Lock</button><script>b.onclick=()=>f.disabled=true</script>`, `["click Lock",{"disabled":"Pay"}]`, Pass, ""},
		{"only looks so", `<button id=p>Pay</button><button id=b>Lock</button><script>b.onclick=()=>p.style.opacity=.5</script>`, `["click Lock",{"disabled":"Pay","timeout":0.2}]`, Fail, "but it is enabled"},
		{"no such control", page, `["click Name it",{"disabled":"Previous","timeout":0.2}]`, Fail, "nothing visible is named"},
		{"title", page, `["click Name it",{"title":"Named (1)"}]`, Pass, ""},
		{"another title", page, `["click Name it",{"title":"Named (2)","timeout":0.2}]`, Fail, `it is "Named (1)"`},
	})
}

// TestCountsAndScrolls has the verbs that look at many things.
func TestCountsAndScrolls(t *testing.T) {
	list := `<ul aria-label=Todo id=u><li>Milk</ul><ul aria-label=Other><li>x<li>y</ul><button id=b>Add</button><script>b.onclick=()=>u.innerHTML+='<li>Bread'</script>`
	table := `<table><thead><tr><th>A<tbody id=u><tr><td>1</table><button id=b>Add</button><script>b.onclick=()=>u.innerHTML+='<tr><td>2'</script>`
	runCases(t, []pageCase{
		{"items in a list", list, `["click Add",{"count":2,"of":"items","in":"Todo"}]`, Pass, ""},
		{"all items", list, `["click Add",{"count":"listitem","is":4}]`, Pass, ""},
		{"wrong count", list, `["click Add",{"count":3,"of":"li","in":"Todo","timeout":0.3}]`, Fail, `expected 3 of "li" in "Todo", counted 2`},
		{"count that held before", list, `["click Add",{"count":2,"of":"li","in":"Other"}]`, Unverified, "already held"},
		{"rows without the header", table, `["click Add",{"count":2,"of":"rows"}]`, Pass, ""},
		{"buttons of a name", `<button>Delete</button><button id=b>Add</button><script>b.onclick=()=>{const d=document.createElement('button');d.textContent='Delete';document.body.append(d)}</script>`, `["click Add",{"count":2,"of":"button:Delete"}]`, Pass, ""},
		{"none left", `<ul id=u><li>Milk</ul><button id=b>Clear</button><script>b.onclick=()=>u.innerHTML=''</script>`, `["click Clear",{"count":0,"of":"listitem"}]`, Pass, ""},
		{"endless list", `<div id=u style="height:3000px">top</div><output id=o style="position:fixed;top:0"></output><script>onscroll=()=>{if(scrollY>1800)o.textContent='more'}</script>`, `[{"scroll":"bottom"},{"see":"more"}]`, Pass, ""},
		{"scroll in a list", `<div aria-label=Log role=region id=l style="height:100px;width:200px;overflow:auto"><div style="height:1000px">x</div></div><output id=o></output><script>l.onscroll=()=>o.textContent='scrolled'</script>`, `[{"scroll":"down","in":"Log"},{"see":"scrolled"}]`, Pass, ""},
		{"scroll to a name", `<div style="height:3000px">top</div><h2>Far</h2><output id=o style="position:fixed;top:0"></output><script>new IntersectionObserver(e=>{if(e[0].isIntersecting)o.textContent='in view'}).observe(document.querySelector('h2'))</script>`, `[{"scroll":"Far"},{"see":"in view"}]`, Pass, ""},
	})
}
