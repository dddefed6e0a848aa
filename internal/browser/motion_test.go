package browser

import "testing"

// TestMotion has what moves in steps beside what changes once.
func TestMotion(t *testing.T) {
	board := `<h1>Game</h1><canvas id=c width=200 height=100 aria-label=Board></canvas><button id=b>Start</button><button id=p>Pause</button><script>const x=c.getContext('2d');let n=0,h=0;const step=()=>{x.clearRect(0,0,200,100);x.fillRect(20*(n++%9),0,20,20)};step();`
	every := func(ms string) string { return board + `b.onclick=()=>h=h||setInterval(step,` + ms + `);` }
	pause := `p.onclick=()=>{clearInterval(h);h=0}</script>`
	runCases(t, []pageCase{
		{"steps of half a second", every("500") + `</script>`, `["click Start",{"animates":"Board"}]`, Pass, ""},
		{"steps of half a second that moved all along", every("500") + `b.click()</script>`, `["click Start",{"animates":"Board"}]`, Unverified, "already held"},
		{"steps of a second", every("1000") + `</script>`, `["click Start",{"animates":"Board"}]`, Pass, ""},
		{"steps of a second that moved all along", every("1000") + `b.click()</script>`, `["click Start",{"animates":"Board"}]`, Unverified, "already held"},
		{"paused steps", every("500") + pause, `["click Start","click Pause",{"still":"Board"}]`, Pass, ""},
		{"a pause that does nothing", every("500") + `</script>`, `["click Start","click Pause",{"still":"Board","timeout":0.2}]`, Fail, "to be still, but it moves"},
		{"a pause that only slows down", every("150") + `p.onclick=()=>{clearInterval(h);setInterval(step,700)}</script>`, `["click Start","click Pause",{"still":"Board"}]`, Fail, "to be still, but it moves"},
		{"paused, started and paused again", every("400") + pause, `["click Start",{"animates":"Board"},"click Pause",{"still":"Board"},"click Start",{"animates":"Board"},"click Pause",{"still":"Board"}]`, Pass, ""},
		{"one step alone", board + `b.onclick=()=>setTimeout(step,150)</script>`, `["click Start",{"animates":"Board","timeout":0.5}]`, Fail, "pixels change once"},
		{"a caret that blinks", `<h1>Start</h1><form aria-label=Form><label>Name <input id=i style="font-size:30px"></label></form><button id=b>Start</button><script>b.onclick=()=>i.focus()</script>`, `["click button:Start",{"animates":"Form","timeout":0.5}]`, Fail, "to move, but it does not"},
		{"a field with a caret is still", every("100") + pause + `<label>Name <input id=i></label>`, `["click Start",{"click":"Pause"},{"click":"Name"},{"still":"Board"}]`, Pass, ""},
	})
}

// TestStillByItself plays again with nobody acting, where everything is still:
// that takes nothing back unless it was moving by itself.
func TestStillByItself(t *testing.T) {
	clock := `<p id=k>0</p><script>setInterval(()=>k.textContent=+k.textContent+1,100)</script>`
	board := `<canvas id=c width=200 height=100 aria-label=Board></canvas><button id=b>Start</button><button id=p>Pause</button><script>const x=c.getContext('2d');let n=0,h=0;const step=()=>{x.clearRect(0,0,200,100);x.fillRect(20*(n++%9),0,20,20)};step();`
	for _, c := range []pageCase{
		{"honest pause beside a clock", clock + board + `b.onclick=()=>h=setInterval(step,100);p.onclick=()=>clearInterval(h)</script>`, `["click Start","click Pause",{"still":"Board"}]`, Pass, ""},
		{"it stops by itself", board + `h=setInterval(step,100);setTimeout(()=>clearInterval(h),2500)</script>`, `["click Pause",{"still":"Board","timeout":5}]`, Unverified, "shows this by itself"},
		{"honest switch beside a clock", clock + `<output id=o aria-label=Out>off</output><button id=b>Switch</button><script>b.onclick=()=>o.textContent=o.textContent=='on'?'off':'on'</script>`, `["click Switch",{"see":"on","in":"Out"},"click Switch",{"see":"off","in":"Out"}]`, Pass, ""},
		{"honest removal beside a clock", clock + `<p id=o></p><button id=a>Add</button><button id=b>Remove</button><script>a.onclick=()=>o.textContent='tea';b.onclick=()=>o.textContent=''</script>`, `["click Add",{"see":"tea"},"click Remove",{"not_see":"tea"}]`, Pass, ""},
		{"it switches by itself", `<output id=o aria-label=Out>off</output><button id=a>Wait</button><button id=b>Switch</button><script>let i=0;setInterval(()=>o.textContent=++i%2?'on':'off',700)</script>`, `[{"click":"Wait"},{"see":"on","in":"Out"},{"click":"Switch"},{"see":"off","in":"Out"}]`, Unverified, "shows this by itself"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			base := site(t, map[string]string{"index.html": "<!doctype html><html lang=en><title>T</title>" + c.html})
			if r := playStage(t, Stage{URL: base, Alone: true}, c.scenario); r.Verdict != c.verdict {
				t.Errorf("got %s: %s\n%s", r.Verdict, r.Reason, r.Inline())
			}
		})
	}
}
