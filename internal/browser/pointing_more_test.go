package browser

import "testing"

// TestPointingMore has pages on which pointing changes what is there.
func TestPointingMore(t *testing.T) {
	out := `<output id=o aria-label=Out></output>`
	done := out + `<script>b.onclick=()=>o.textContent='done'</script>`
	every := func(js string) string {
		return `<button id=b style="position:relative">Go</button>` + out + `<script>b.onclick=()=>o.textContent='done';let n=0;` + js + `</script>`
	}
	go1 := `["click Go","see done"]`
	never := `[{"click":"Go","timeout":0.5},{"see":"done","timeout":0.3}]`
	runCases(t, []pageCase{
		{"runs softly from the mouse", `<style>button{transition:left 4s linear}</style>` + every(`b.onmouseenter=()=>b.style.left=(n=n?0:400)+'px'`), `[{"click":"Go","timeout":0.3},{"see":"done","timeout":0.3}]`, Fail, "moving"},
		{"runs softly by transform", `<style>button{transition:transform 4s linear}button:hover{transform:translate(400px,300px)}</style>` + every(``), `[{"click":"Go","timeout":0.3},{"see":"done","timeout":0.3}]`, Fail, "moving"},
		{"tip of its box", `<style>span{position:relative}span:hover::after{content:"tip";position:absolute;inset:-5px;background:#ffc}</style><span><button id=b>Go</button></span>` + done, never, Fail, "covered by <span>"},
		{"moved by el.animate", every(`b.onmouseenter=()=>b.animate([{},{transform:'translate(400px,300px)'}],{duration:4000,fill:'forwards'})`), `[{"click":"Go","timeout":0.3},{"see":"done","timeout":0.3}]`, Fail, "moving"},
		{"message that will fade", `<style>@keyframes i{from{bottom:0;opacity:0}}@keyframes f{to{bottom:0;opacity:0}}.s{position:fixed;bottom:30px;animation:i .3s,f .5s 2s forwards}</style><button id=a>Delete</button><div id=w></div>` + out + `<script>a.onclick=()=>{w.innerHTML='<div class=s>Deleted <button>Undo</button></div>';w.querySelector('button').onclick=()=>o.textContent='back'}</script>`, `["click Delete","click Undo","see back"]`, Pass, ""},
		{"message of one animation", `<style>@keyframes s{0%,100%{transform:translateX(500px)}10%,90%{transform:none}}.s{position:fixed;right:0;top:50px;animation:s 3s forwards}</style><button id=a>Delete</button><div id=w></div>` + out + `<script>a.onclick=()=>{w.innerHTML='<div class=s>Deleted <button>Undo</button></div>';w.querySelector('button').onclick=()=>o.textContent='back'}</script>`, `["click Delete","click Undo","see back"]`, Pass, ""},
		{"vanishes when it is pointed at", `<style>button:hover{opacity:0}</style><button id=b>Go</button>` + done, never, Fail, "not visible"},
		{"fades when it is pointed at", `<style>button{transition:opacity .2s}button:hover{opacity:0}</style><button id=b>Go</button>` + done, never, Fail, "not visible"},
		{"frame covered by the page around it", `<iframe title=Inner style="width:300px;height:100px" srcdoc="<button id=b>Go</button><script>b.onmouseenter=()=>parent.d.hidden=false;b.onclick=()=>parent.o.textContent='done'</script>"></iframe><div id=d hidden style="position:fixed;inset:0;background:#fff">Wait</div>` + out, never, Fail, "covered by"},
		{"pulses and jumps away", `<style>@keyframes p{to{color:red}}button{animation:p .4s infinite alternate}</style>` + every(`b.onmouseenter=()=>b.style.left=(n=n?0:300)+'px'`), never, Fail, ""},
		{"covered a frame after it is pointed at", every(`b.onmouseenter=()=>requestAnimationFrame(()=>document.body.insertAdjacentHTML('beforeend','<div style="position:fixed;inset:0;background:#fff">Tip</div>'))`), never, Fail, "covered by <div>"},
		{"form under a veil", `<form style="position:relative;width:200px;height:100px"><button id=b type=button>Go</button><div style="position:absolute;inset:0;background:#fff8"></div></form>` + done, never, Fail, "covered by <div>"},
		{"opaque layer in a card", `<div id=b style="position:relative;width:200px;height:100px"><h3>Go</h3><div style="position:absolute;inset:0;background:#fff"></div></div>` + done, never, Fail, "covered by <div>"},
		{"button in the veil", `<div id=b style="position:relative;width:200px;height:100px"><h3 style="margin:0;height:100px">Go</h3><div style="position:absolute;inset:0;background:#fff8"><button style="width:200px;height:100px">Delete</button></div></div>` + done, never, Fail, "covered by <button>"},
		{"faded layer, scaled picture", `<style>.c{position:relative;width:200px;height:100px;overflow:hidden}img{transition:transform .3s}.c:hover img{transform:scale(1.2)}.v{position:absolute;inset:0;opacity:0;background:linear-gradient(#0008,#000);color:#fff;transition:opacity .3s}.c:hover .v{opacity:1}</style><div class=c id=b><img alt=Sunset width=200 height=100 src="` + picture("#fa0") + `"><div class=v><span>A fine day</span></div></div>` + done, `["hover Sunset",{"see":"A fine day"},"click Sunset","see done"]`, Pass, ""},
		{"its transition ends as if nobody had looked", `<style>button{transition:transform .2s}button:hover{transform:translateY(-4px)}</style><button id=b>Go</button>` + out + `<script>const s=[];for(const e of ['transitionrun','transitionstart','transitioncancel','transitionend','click'])b.addEventListener(e,()=>{s.push(e.slice(-5));o.textContent=s.filter(x=>x!='click').join(' ')})</script>`, `["click Go",{"see":"onrun start onend"}]`, Pass, ""},
		{"picture with a layer under the mouse", `<style>.c{position:relative;width:200px;height:100px}.v{display:none;position:absolute;inset:0;background:rgba(0,0,0,.6);color:#fff}.c:hover .v{display:block}</style><div class=c><img alt=Sunset width=200 height=100 src="` + picture("#fa0") + `"><div class=v>A fine day</div></div>`, `["hover Sunset",{"see":"A fine day"}]`, Pass, ""},
		{"text that is replaced", `<div id=w><span>Secret</span></div><script>w.onmouseenter=()=>w.innerHTML='<b>Shown now</b>'</script>`, `["hover Secret",{"see":"Shown now"}]`, Pass, ""},
		{"hover a row that hides its label", `<style>.h:hover .a{display:none}.b{display:none}.h:hover .b{display:block}.h{width:200px;height:40px}</style><div class=h><div class=a>Price</div><div class=b>12 EUR</div></div>`, `["hover Price",{"see":"12 EUR"}]`, Pass, ""},
		{"click a picture with a layer in a card", `<style>.c{position:relative;width:200px;height:100px;cursor:pointer}.v{opacity:0;position:absolute;inset:0;background:rgba(0,0,0,.5)}.c:hover .v{opacity:1}</style><div class=c id=b><img alt=Sunset width=200 height=100 src="` + picture("#fa0") + `"><div class=v></div></div>` + done, `["click Sunset","see done"]`, Pass, ""},
		{"button text changes", `<button id=b onmouseenter="this.textContent='Go now'">Go</button>` + done, go1, Pass, ""},
		{"calendar drawn anew for the day pointed at", `<div id=w></div>` + out + `<script>let at=0;const draw=()=>{w.innerHTML='';for(let d=1;d<29;d++){const k=document.createElement('button');k.textContent=d;k.style.background=d===at?'gold':'';k.onmouseenter=()=>{if(at!==d){at=d;draw()}};k.onclick=()=>o.textContent='day '+d;w.append(k)}};draw()</script>`, `["click button:15",{"see":"day 15"},"click button:20",{"see":"day 20"}]`, Pass, ""},
	})
}
