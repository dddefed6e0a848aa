package browser

import "testing"

// TestPointing has pages that answer to the mouse before it is pressed.
func TestPointing(t *testing.T) {
	out := `<output id=o aria-label=Out></output>`
	plus := `<output id=o aria-label=Out>0</output><script>b.onclick=()=>o.textContent=+o.textContent+1</script>`
	every := func(js string) string {
		return `<button id=b style="position:relative">Go</button>` + out + `<script>b.onclick=()=>o.textContent='done';let n=0;` + js + `</script>`
	}
	go1 := `["click Go","see done"]`
	never := `[{"click":"Go","timeout":0.5},"see done"]`
	runCases(t, []pageCase{
		{"rises a little", `<style>button{transition:transform .2s}button:hover{transform:translateY(-4px)}</style><button id=b>Go</button>` + say("b", outGo), go1, Pass, ""},
		{"pulses under the mouse", `<style>@keyframes p{to{transform:scale(1.2)}}button:hover{animation:p .4s infinite alternate}</style><button id=b>Go</button>` + say("b", outGo), go1, Pass, ""},
		{"clicked again at once while it rises", `<style>button{transition:transform .2s}button:hover{transform:scale(1.1)}</style><button id=b>Plus</button>` + plus, `["click Plus","click Plus","click Plus",{"see":"3","in":"Out"}]`, Pass, ""},
		{"drawn anew whenever the mouse moves", `<div id=w></div>` + out + `<script>const draw=()=>{w.innerHTML='<button>Go</button>';w.firstChild.onclick=()=>o.textContent='done'};draw();onmousemove=draw</script>`, go1, Pass, ""},
		{"drawn anew elsewhere when it is pointed at", `<div id=w></div>` + out + `<script>const draw=(at)=>{w.innerHTML='<button style="position:absolute;top:'+at+'px">Go</button>';const g=w.firstChild;g.onclick=()=>o.textContent='done';if(at<200)g.onmouseenter=()=>draw(200)};draw(100)</script>`, go1, Pass, ""},
		{"covered when it is pointed at", every(`b.onmouseenter=()=>document.body.insertAdjacentHTML('beforeend','<div style="position:fixed;inset:0;background:#fff">Tip</div>')`), never, Fail, "covered by <div>"},
		{"runs from the mouse", every(`b.onmouseenter=()=>b.style.left=(n=n?0:300)+'px'`), never, Fail, "moving"},
		{"is disabled when it is pointed at", every(`b.onmouseenter=()=>b.disabled=true`), never, Fail, "it is disabled"},
		{"moved by a script with every frame", every(`const f=()=>{b.style.left=(n=(n+3)%300)+'px';requestAnimationFrame(f)};f()`), never, Fail, "moving"},
		{"moved by a script, then at rest", every(`const f=()=>{b.style.left=(n+=3)+'px';if(n<60)requestAnimationFrame(f)};f()`), go1, Pass, ""},
		{"moved by a script in a frame of its own", `<iframe title=Inner style="width:600px;height:100px" srcdoc="<button id=b style='position:relative'>Go</button><script>let n=0;const f=()=>{b.style.left=(n=(n+3)%300)+'px';requestAnimationFrame(f)};f()</script>"></iframe>`, never, Fail, "moving"},
		{"a frame that is moved by a script", `<iframe id=i title=Inner style="position:relative;width:200px;height:100px" srcdoc="<button>Go</button>"></iframe><script>let n=0;const f=()=>{i.style.left=(n=(n+3)%300)+'px';requestAnimationFrame(f)};f()</script>`, never, Fail, "it is"},
		{"moved by an animation of a shadow root", `<x-y></x-y>` + out + `<script>const r=document.querySelector('x-y').attachShadow({mode:'open'});r.innerHTML='<style>@keyframes m{to{margin-left:300px}}button{animation:m .2s linear infinite alternate}</style><button>Go</button>'</script>`, never, Fail, "moving"},
		{"a menu that opens under the mouse", `<style>ul{position:absolute;margin:0;opacity:0;visibility:hidden;transition:opacity .2s}nav:hover ul{opacity:1;visibility:visible}</style><nav style="width:120px"><button>File</button><ul><li><button id=b>Open it</button></ul></nav>` + out + `<script>b.onclick=()=>o.textContent='done'</script>`, `[{"hover":"File"},"click Open it","see done"]`, Pass, ""},
		{"a button in a row that shows when it is pointed at", `<style>li button{visibility:hidden}li:hover button{visibility:visible}</style><ul><li>milk <button id=b>Go</button></ul>` + out + `<script>b.onclick=()=>o.textContent='done'</script>`, `[{"hover":"milk"},"click Go","see done"]`, Pass, ""},
		{"an item of a menu that shows when it is pointed at", `<style>li ul{display:none}li:hover ul{display:block}</style><ul><li>Menu<ul><li><button id=b>Go</button></ul></ul>` + out + `<script>b.onclick=()=>o.textContent='done'</script>`, `[{"hover":"Menu"},"click Go","see done"]`, Pass, ""},
		{"text of an item with a button in its middle", `<ul><li style="width:300px;text-align:center" onclick="o.textContent='done'">milk <button onclick="event.stopPropagation();o.textContent='gone'" style="width:120px">Delete</button> <i>new</i></ul>` + out, `["click milk","see done"]`, Pass, ""},
		{"text of an item under its own button", `<ul><li style="position:relative" onclick="o.textContent='done'">milk <button style="position:absolute;left:0;top:0;width:300px;height:30px">Delete</button></ul>` + out, `[{"click":"milk","timeout":0.4},"see done"]`, Fail, "covered by <button>"},
		{"text of an item that nobody can see", `<ul><li style="font-size:0" onclick="o.textContent='done'">milk <button style="font-size:16px">Delete</button></ul>` + out, `[{"click":"milk","timeout":0.4},"see done"]`, Fail, "nothing visible"},
		{"text of two items", `<ul><li>milk <button>x</button><li>milk <button>y</button></ul>`, `["click milk","see done"]`, Unverified, "2 elements are named"},
		{"hears the mouse come before the press", `<button id=b>Go</button>` + out + `<script>const s=[];for(const e of ['mouseover','mousemove','mousedown','mouseup','click'])b.addEventListener(e,()=>{if(!s.includes(e))s.push(e);o.textContent=s.join(' ')})</script>`, `["click Go","see \"mouseover mousemove mousedown mouseup click\""]`, Pass, ""},
	})
}
