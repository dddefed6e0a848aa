package browser

import (
	"net/url"
	"testing"
)

// TestCovered hides texts under what a person cannot look through, and has what
// only seems to hide them beside it.
func TestCovered(t *testing.T) {
	veil := `position:fixed;inset:0;background:#fff;`
	shown := func(css, html string) string {
		return `<style>` + css + `</style><button id=b style="position:relative;z-index:9">Go</button><div id=w></div><script>b.onclick=()=>w.innerHTML=` + "`" + html + "`" + `</script>`
	}
	see, in := `["click Go",{"see":"done","timeout":0.3}]`, `["click Go",{"see":"done","in":"Out","timeout":0.3}]`
	tall := `<div style="height:1500px"></div>`
	runCases(t, []pageCase{
		{"opaque layer", shown(`.v{`+veil+`}`, `<p>done</p><div class=v>wait</div>`), see, Fail, `(covered by <div class=v> "wait")`},
		{"in its place", shown(`.v{`+veil+`}`, `<output aria-label=Out>done</output><div class=v></div>`), in, Fail, `covered by <div class=v>`},
		{"layer that lets clicks through", shown(`.v{pointer-events:none;`+veil+`}`, `<p>done</p><div class=v></div>`), see, Fail, "covered by"},
		{"text that lets clicks through", shown(`.v{`+veil+`}p{pointer-events:none}`, `<p>done</p><div class=v></div>`), see, Fail, "covered by"},
		{"display under a layer", shown(`.v{`+veil+`}`, `<input readonly aria-label=Out value=done><div class=v></div>`), in, Fail, "covered by"},
		{"box on the text alone", shown(`.v{position:absolute;left:0;right:0;height:3em;margin-top:-3em;background:#eee}`, `<p>done</p><div class=v></div>`), see, Fail, "covered by"},
		{"far below, under a fixed layer", shown(`.v{`+veil+`}`, tall+`<p>done</p><div class=v></div>`), see, Fail, "covered by"},
		{"under a layer in a shadow root", `<button id=b style="position:relative;z-index:9">Go</button><p id=p></p><x-v></x-v><script>b.onclick=()=>{p.textContent='done';document.querySelector('x-v').attachShadow({mode:'open'}).innerHTML='<div style="` + veil + `"></div>'}</script>`, see, Fail, "covered by"},
		{"in a shadow root under a layer", `<button id=b style="position:relative;z-index:9">Go</button><x-v></x-v><div id=v></div><script>b.onclick=()=>{document.querySelector('x-v').attachShadow({mode:'open'}).innerHTML='<p>done</p>';v.style='` + veil + `'}</script>`, see, Fail, "covered by"},
		{"behind its own page", shown(`main{background:#fff}p{position:relative;z-index:-1}`, `<main><p>done</p></main>`), see, Fail, "covered by"},
		{"in a frame under a layer", `<button id=b style="position:relative;z-index:9">Go</button><iframe id=f srcdoc="<p id=p></p>"></iframe><div id=v></div><script>b.onclick=()=>{f.contentDocument.getElementById('p').textContent='done';v.style='` + veil + `'}</script>`, see, Fail, "covered by"},
		{"gradient", shown(`.v{position:fixed;inset:0;background:linear-gradient(#fff,#eee)}`, `<p>done</p><div class=v></div>`), see, Fail, "covered by"},
		{"gradient that wanders", shown(`.v{position:fixed;inset:0;background:linear-gradient(90deg,#fff,#eee);background-size:200% 200%}`, `<p>done</p><div class=v></div>`), see, Fail, "covered by"},
		{"picture", shown(`.v{position:fixed;inset:0;width:100%;height:100%}`, `<p>done</p><img class=v alt=Sky src="`+picture("#fff")+`">`), `["click Go","wait 100ms",{"see":"done","timeout":0.3}]`, Fail, "covered by <img class=v>"},
		{"canvas that is painted", shown(`.v{position:fixed;left:0;top:0}`, `<p>done</p><canvas class=v id=c width=900 height=500></canvas>`) + `<script>b.addEventListener('click',()=>{const x=c.getContext('2d');x.fillStyle='#036';x.fillRect(0,0,900,500)})</script>`, see, Fail, "covered by <canvas"},
		{"not seen any more", shown(`.v{`+veil+`}`, `<div class=v></div>`) + `<p>done</p>`, `["click Go",{"not_see":"done","timeout":0.3}]`, Pass, ""},
		{"seen when the layer goes", `<button id=b style="position:relative;z-index:9">Go</button><p>done</p><div id=v style="` + veil + `"></div><script>b.onclick=()=>v.remove()</script>`, see, Pass, ""},
	})
	runCases(t, []pageCase{
		{"layer one sees through", shown(`.v{position:fixed;inset:0;background:rgba(255,255,255,.5)}`, `<p>done</p><div class=v></div>`), see, Pass, ""},
		{"gradient that fades out", shown(`.v{position:fixed;inset:0;background:linear-gradient(#fff,transparent)}`, `<p>done</p><div class=v></div>`), see, Pass, ""},
		{"gradient over a part", shown(`.v{position:fixed;inset:0;background:linear-gradient(#fff,#fff) 0 100px/100px 100px no-repeat}`, `<p>done</p><div class=v></div>`), see, Pass, ""},
		{"grid of lines", shown(`.v{position:fixed;inset:0;background:linear-gradient(#036 1px,transparent 1px) 0 0/20px 20px}`, `<p>done</p><div class=v></div>`), see, Pass, ""},
		{"picture with holes", shown(`.v{position:fixed;inset:0;width:100%;height:100%}`, `<p>done</p><img class=v alt=Frame src="`+picture("none")+`">`), `["click Go","wait 100ms",{"see":"done","timeout":0.3}]`, Pass, ""},
		{"picture that is missing yet", shown(`.v{position:fixed;inset:0;width:100%;height:100%}`, `<p>done</p><img class=v alt=Sky>`), see, Pass, ""},
		{"canvas for sparks alone", shown(`.v{position:fixed;left:0;top:0;pointer-events:none}`, `<p>done</p><canvas class=v id=c width=900 height=500></canvas>`) + `<script>b.addEventListener('click',()=>c.getContext('2d').fillRect(300,300,9,9))</script>`, see, Pass, ""},
		{"score over a game", shown(`.g{position:relative}.s{position:absolute;top:5px;left:5px;color:#fff}`, `<div class=g><canvas id=c width=300 height=200></canvas><div class=s>done</div></div>`) + `<script>b.addEventListener('click',()=>c.getContext('2d').fillRect(0,0,300,200))</script>`, see, Pass, ""},
		{"layer without a colour", shown(`.v{position:fixed;inset:0}`, `<p>done</p><div class=v></div>`), see, Pass, ""},
		{"layer that has faded", shown(`.v{opacity:0;pointer-events:none;`+veil+`}`, `<p>done</p><div class=v></div>`), see, Pass, ""},
		{"layer that is hidden", shown(`.v{visibility:hidden;`+veil+`}`, `<p>done</p><div class=v></div>`), see, Pass, ""},
		{"covered in part", shown(`.v{position:absolute;left:0;width:30px;height:3em;margin-top:-3em;background:#eee}`, `<p>all is done</p><div class=v></div>`), see, Pass, ""},
		{"under a header that sticks", shown(`.v{position:fixed;top:0;left:0;right:0;height:120px;background:#ddd}`, `<div class=v>Head</div><p>done</p>`+tall), see, Fail, "covered by"},
		{"below a header that sticks", `<div style="position:sticky;top:0;height:60px;background:#ddd;z-index:1">Head</div><button id=b>Go</button><p id=p></p>` + tall + `<script>b.onclick=()=>{p.textContent='done';scrollTo(0,50)}</script>`, see, Pass, ""},
		{"above, scrolled away", `<p id=p></p>` + tall + `<button id=b>Go</button><script>b.onclick=()=>p.textContent='done'</script>`, see, Pass, ""},
		{"in a list under its header", shown(`.l{height:200px;overflow:auto}th{position:sticky;top:0;background:#fff}`, `<div class=l><table><tr><th>Name`+`${Array.from({length:40},(_,i)=>'<tr><td>row '+i).join('')}`+`<tr><td>done</table></div>`), see, Pass, ""},
		{"label over its field", shown(`label{position:absolute;left:9px;pointer-events:none}input{background:#fff}div{position:relative}`, `<div><input id=i><label for=i>done</label></div>`), see, Pass, ""},
		{"label of a switch", shown(`label{position:relative;display:inline-block;width:60px;height:30px}input{opacity:0}span{position:absolute;inset:0;background:#ccc}`, `<label><input type=checkbox aria-label=Out checked><span></span></label>`), `["click Go",{"value":"checked","of":"Out","timeout":0.3}]`, Pass, ""},
		{"face of a card that was turned", shown(`.c{position:relative;height:90px;transform-style:preserve-3d;transform:rotateY(180deg)}.f,.k{position:absolute;inset:0;backface-visibility:hidden}.f{background:#fff;transform:rotateY(180deg)}.k{background:#036}`, `<div class=c><div class=f>done</div><div class=k></div></div>`), see, Pass, ""},
		{"on its own colour", shown(`button.x{background:#333;color:#fff}`, `<button class=x><b>done</b></button>`), see, Pass, ""},
		{"over a picture", shown(`.p{position:relative;height:90px;background:#036}.t{position:absolute;top:9px;color:#fff}`, `<div class=p><div class=t>done</div></div>`), see, Pass, ""},
		{"in an open dialog", shown(`dialog::backdrop{background:#fff}`, `<dialog id=d>done</dialog>`) + `<script>b.addEventListener('click',()=>d.showModal())</script>`, see, Pass, ""},
		{"beside an open dialog", shown(`dialog{width:50px}`, `<p>done</p><dialog id=d>Hi</dialog>`) + `<script>b.addEventListener('click',()=>d.showModal())</script>`, see, Pass, ""},
		{"once under a layer, once not", shown(`.v{position:absolute;left:0;right:0;height:3em;margin-top:-3em;background:#eee}`, `<p>done</p><div class=v></div><p style="margin-top:9em">done</p>`), see, Pass, ""},
		{"beside what lets clicks through", shown(`.v{position:absolute;left:0;right:0;height:3em;pointer-events:none;background:#eee}`, `<p>done</p><div class=v></div>`), see, Pass, ""},
		{"covered in view, bare far below", shown(`.v{position:absolute;left:0;right:0;height:3em;margin-top:-3em;background:#eee}`, `<p>done</p><div class=v></div>`+tall+`<p>done</p>`), see, Pass, ""},
		{"in two parts, one far below", shown(``, `all is`+tall+`done`), `["click Go",{"see":"all is done"}]`, Pass, ""},
		{"lets clicks through, far below", shown(`p{pointer-events:none}`, tall+`<p>done</p>`), see, Pass, ""},
		{"value that lets clicks through", shown(`input{pointer-events:none}`, `<input readonly aria-label=Out value=done>`), in, Pass, ""},
		{"behind, with the page as its ground", shown(`body{background:#fff}p{position:absolute;z-index:-1}`, `<p>done</p>`), see, Pass, ""},
	})
}

// TestCoverLeavesThePage wants nothing of the page changed by looking.
func TestCoverLeavesThePage(t *testing.T) {
	page := `<style>html{scroll-behavior:smooth}</style><button id=b>Go</button><p id=p></p><p id=q>quiet</p><div style="height:3000px"></div><p id=far></p><script>
new MutationObserver(m=>{if(m.some(x=>x.target!==p&&x.target!==far))q.textContent='changed'}).observe(document,{subtree:true,attributes:true,childList:true});
b.onclick=()=>{p.textContent='done';far.textContent='end';setInterval(()=>{if(scrollY>0||document.adoptedStyleSheets.length)q.textContent='moved'},1)}</script>`
	// Once in view is enough, and what nothing lies over needs no other styles.
	still := `<style>*{transition:pointer-events 1s allow-discrete}</style><button id=b>Go</button><p id=p></p><p id=q>quiet</p><i style="pointer-events:none">§</i><div style="height:3000px"></div><p id=far></p><script>
addEventListener('scroll',()=>q.textContent='moved');addEventListener('transitionrun',()=>q.textContent='restyled');
b.onclick=()=>p.textContent=far.textContent='done'</script>`
	runCases(t, []pageCase{
		{"near text", still, `["click Go",{"see":"done"},{"see":"done"},"wait 100ms",{"not_see":"moved"},{"not_see":"restyled"},{"see":"quiet"}]`, Unverified, `see "quiet": this already held`},
	})
	runCases(t, []pageCase{{"far text", page, `["click Go",{"see":"end"},{"see":"done"},{"see":"quiet"},{"not_see":"moved"}]`, Unverified, `see "quiet": this already held`}})
}

// picture is the address of an image of one colour.
func picture(colour string) string {
	return "data:image/svg+xml," + url.PathEscape(`<svg xmlns='http://www.w3.org/2000/svg' width='40' height='40'><rect width='40' height='40' fill='`+colour+`' stroke='black'/></svg>`)
}
