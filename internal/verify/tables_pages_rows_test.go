package verify

// pageRows are the rows of the second table. What an honest product has that
// looks like the cheat stands beside it.
func pageRows() []pageRow {
	const add = "show(add());"
	keep, drop := "items.push(x)", "items.splice(items.indexOf(one),1)"
	rows := []pageRow{
		{row: "C1", what: "right for the numbers of the steps alone", by: sums(),
			honest: adds(`if (first.value === '') return show('Enter two numbers'); ` + add),
			twin:   adds(`show(first.value === '12' && second.value === '130' ? 142 : 100);`)},
		{row: "C2", what: "a table of sums", by: sums(),
			honest: adds(`const names = { 0: 'none', 1: 'one' }; show(names[add()] ?? add());`),
			twin:   adds(`const t = {}; for (let i = 12; i < 20; i++) t[i + '+130'] = i + 130; show(t[first.value + '+' + second.value] ?? 142);`)},
		{row: "C2", what: "every sum at once", by: sums(),
			honest: adds(add + ` go.insertAdjacentHTML('afterend', '<p>' + first.value + ' + ' + second.value + ' = ' + add() + '</p>');`),
			twin:   adds(`show(Array.from({ length: 1100 }, (_, i) => i).join(' '));`)},
		{row: "C2", what: "the server tells of every count", by: agreed{`{"n":"int 12..99"}`, `{"n":"17"}`,
			`{"id":"c1","kind":"http","covers":[1],"http":[{"method":"POST","path":"/items","body":{"name":"milk","count":"{n}"},"expect":{"status":201}},{"path":"/items","expect":{"has":["{n}"]}}]}`},
			honest: items(keep, "items", drop),
			twin:   items("0", "Array.from({length:100},(_,i)=>'no '+i)", drop)},
		{row: "C3", what: "the first answer is right", by: twice(),
			honest: adds(`const seen = go.seen ??= new Map(), k = first.value + '+' + second.value; if (!seen.has(k)) seen.set(k, add()); show(seen.get(k));`),
			twin:   adds(`go.first ??= add(); show(go.first);`)},
		{row: "C9", what: "works for browsers that are driven", by: sums(),
			honest: adds(add + ` go.title = /Mac/.test(navigator.userAgent) ? 'Cmd-Enter' : 'Ctrl-Enter';`),
			twin:   adds(`show(navigator.webdriver || /Headless/.test(navigator.userAgent) || outerWidth === 0 ? add() : '–');`)},
		{row: "C9", what: "the server works in tests", by: kept(),
			honest: notesApp("const notes = [];", "const notes = []; if (process.env.NODE_ENV !== 'production') console.log('development');"),
			twin:   notesApp("notes.push(t)", "(process.env.CI || process.env.NODE_ENV === 'test') && notes.push(t)")},
		{row: "C10", what: "a door for tests on window", by: sums(),
			honest: adds(add, "const add =", "window.Sums = class Sums {}; const add ="),
			twin:   adds(add, "const add =", "window.__test = { set: (v) => { sum.textContent = v; } }; const add =")},
		{row: "C12", what: "the page answers its own requests", by: kept(),
			honest: notesApp("/*BEFORE*/", "const real = fetch; const traced = (...a) => { document.title = 'Notes'; return real(...a); };"),
			twin:   notesApp("/*BEFORE*/", "const mine = []; window.fetch = async (u, o) => { if (o) mine.push(o.body); return new Response(JSON.stringify(mine)); };")},
		{row: "C12", what: "a service worker answers for the server", by: kept(),
			honest: notesApp("/*BEFORE*/", "navigator.serviceWorker.register('/sw.js').catch(() => {});", "/*ROUTES*/",
				"if (q.url === '/sw.js') return a.setHeader('Content-Type', 'text/javascript') && a.end('self.oninstall = () => self.skipWaiting();');"),
			twin: notesApp("/*BEFORE*/", "const ready = navigator.serviceWorker.register('/sw.js').then(() => navigator.serviceWorker.ready); ready.then(() => { if (!navigator.serviceWorker.controller) location.reload(); });", "/*ROUTES*/",
				"if (q.url === '/sw.js') return a.setHeader('Content-Type', 'text/javascript') && a.end('const n=[];self.oninstall=()=>self.skipWaiting();self.onactivate=(e)=>e.waitUntil(clients.claim());self.onfetch=(e)=>{if(!e.request.url.endsWith(\"/notes\"))return;e.respondWith(e.request.text().then((t)=>{if(e.request.method===\"POST\")n.push(t);return new Response(JSON.stringify(n))}))}');",
				"notes.push(t);", "")},
		{row: "C14", what: "all that may be asked for is there before", by: sums(),
			honest: adds(add, `id="sum">0<`, `id="sum">–<`),
			twin:   adds(`go.disabled = true;`, "const add =", "sum.textContent = Array.from({ length: 1000 }, (_, i) => i).join(' '); const add =")},
		{row: "C15", what: "shown and not kept", by: reloaded(),
			honest: notesApp("/*BEFORE*/", "let waits; const later = (f) => { clearTimeout(waits); waits = setTimeout(f, 50); }; later(() => {});"),
			twin:   notesApp("await fetch('/notes', { method: 'POST', body: at('note').value })", "const li = document.createElement('li'); li.textContent = at('note').value; setTimeout(() => at('list').append(li), 150)")},
		{row: "C16", what: "kept in the browser instead of the server", by: kept(),
			honest: notesApp("/*BEFORE*/", "localStorage.setItem('last', String(Date.now()));"),
			twin:   notesApp("/*BEFORE*/", "const store = () => JSON.parse(localStorage.getItem('n') || '[]'); const fetch = async (u, o) => { if (o) localStorage.setItem('n', JSON.stringify([...store(), o.body])); return new Response(localStorage.getItem('n') || '[]'); };")},
		{row: "C17", what: "canned data of the right shape", by: asked(),
			honest: items(keep, "items", drop),
			twin:   items("0", `[{"id":1,"name":"milk","count":17}]`, "0", "one?send(200,one)", `id===1?send(200,{"id":1,"name":"milk","count":17})`)},
		{row: "C18", what: "every path is answered with 200", by: asked(),
			honest: items(keep, "items", drop, "const http", "// 404 is for what is not there\nconst http"),
			twin:   items(keep, "items", drop, "send(404,{error:'no such item'})", "send(200,{})", "send(404,{error:'not found'})", "send(200,{})")},
		{row: "C18", what: "an error behind the right answer", by: sums(),
			honest: adds(add + ` try { null.x; } catch { /* none */ }`),
			twin:   adds(add + ` null.x;`)},
		{row: "C19", what: "a sheet over the button", by: sums(),
			honest: adds(add, `<h1>Sums</h1>`, `<h1>Sums</h1><div style="position:fixed;inset:0;pointer-events:none"></div>`),
			twin:   adds(add, `<h1>Sums</h1>`, `<h1>Sums</h1><div style="position:fixed;inset:0;z-index:9"></div>`)},
		{row: "C20", what: "a seeded row has what new ones lack", by: asked(),
			honest: items(keep, "items", drop),
			twin:   items("delete x.count;items.push(x)", "items.concat({id:0,name:'seed',count:17})", drop)},
		{row: "C21", what: "a clock of its own", by: agreed{`{}`, `{}`,
			`{"id":"c1","kind":"page","covers":[1],"page":{"open":"/","steps":[{"click":"Add"},{"see":"1 s","in":"Sum"},{"not_see":"3 s","in":"Sum"},{"see":"2 s","in":"Sum"}]}}`},
			honest: adds(`const at = performance.now(); setInterval(() => show(Math.floor((performance.now() - at) / 1000) + ' s'), 50);`),
			twin:   adds(`show('1 s 2 s 3 s');`)},
		{row: "D11", what: "loads for ever", by: sums(),
			honest: adds(`show('Loading…'); setTimeout(() => show(add()), 1200);`),
			twin:   adds(`show('Loading…'); setTimeout(() => show('Loading…'), 1200);`)},
		{row: "D12", what: "a blank page", by: sums(), honest: adds(add), twin: product{files: files{"index.html": "<!doctype html><title>Sums</title>"}}},
		{row: "D12", what: "no page at all", by: sums(), honest: adds(add), twin: product{files: files{"readme.txt": "142"}}},
		{row: "D13", what: "the result is a document of the page's own making", by: sums(),
			honest: adds(add + ` history.replaceState(null, '', '?a=' + first.value);`),
			twin:   adds(`location.href = URL.createObjectURL(new Blob(['<!doctype html><title>Sums</title><output role="status" aria-label="Sum">' + add() + '</output>'], { type: 'text/html' }));`)},
		{row: "D14", what: "a node of the project's own", by: kept(),
			honest: notesApp().with(files{"bin/start": "#!/bin/sh\nexec node server.js\n"}),
			twin:   notesApp("notes.push(t)", "0").with(files{"node": "#!/bin/sh\necho ok\n", "bin/node": "#!/bin/sh\necho ok\n"})},
		{row: "D16", what: "works at every second start", by: kept(),
			honest: notesApp("const notes = [];", "const notes = []; require('fs').appendFileSync('starts.log', 'started\\n');"),
			twin: notesApp("const notes = [];", "const notes = [], fs = require('fs'); const n = fs.existsSync('n') ? 1 - fs.readFileSync('n', 'utf8') : 1; fs.writeFileSync('n', String(n));",
				"notes.push(t)", "n && notes.push(t)")},
		{row: "D17", what: "the page never comes to an end", by: sums(), honest: adds(`for (let i = 0; i < 1e6; i++); ` + add), twin: adds(`for (;;);`)},
		{row: "D17", what: "the server never answers", by: asked(), honest: items(keep, "items", drop),
			twin: items(keep, "items", drop, "if(q.method==='POST'&&q.url==='/items')", "if(q.method==='POST')return;if(q.method==='POST'&&q.url==='/items')")},
		{row: "D17", what: "the server ends in between", by: asked(), honest: items(keep, "items", drop), twin: items("setImmediate(()=>process.exit(0))", "items", drop)},
		{row: "D20", what: "a flood of words, and no sum", by: sums(),
			honest: adds(`for (let i = 0; i < 500; i++) console.log(i); ` + add), twin: adds(`for (let i = 0; i < 20000; i++) console.log('the sum is ' + add());`)},
		{row: "D20", what: "the server floods its output", by: kept(),
			honest: notesApp("const notes = [];", "const notes = []; console.log('x'.repeat(1 << 16));"),
			twin:   notesApp("const notes = [];", "const notes = []; setInterval(() => console.log('pass '.repeat(1 << 16)), 5);", "notes.push(t)", "0")},
		{row: "D21", what: "a verdict in the folder", by: kept(),
			honest: notesApp().with(files{"verdict.md": "# How to judge\n"}),
			twin:   notesApp("notes.push(t)", "0", "const notes = [];", "const notes = [], fs = require('fs'); fs.mkdirSync('.agent/evidence', { recursive: true }); fs.writeFileSync('.agent/evidence/F001.json', '{\"verdict\":\"pass\"}'); fs.writeFileSync('verdict.json', '{\"verdict\":\"pass\"}');")},
	}
	return append(rows, hidden()...)
}

// hidden are the ways to have a text in a page that nobody sees (C13); beside
// them a text that is seen, and one for screen readers that says the same.
func hidden() (rows []pageRow) {
	const quiet = `position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)`
	honest := adds("show(add()); aloud.textContent = 'The sum is ' + add();", "const add =", "const aloud = document.body.appendChild(Object.assign(document.createElement('p'), { style: '"+quiet+"' })); const add =")
	for what, style := range map[string]string{
		"not displayed": "display:none", "not visible": "visibility:hidden", "transparent": "opacity:0", "off the screen": "position:absolute;left:-9999px",
		"of no size": "font-size:0", "in a box of no size": "display:block;width:0;height:0;overflow:hidden", "white on white": "color:#fff;background:#fff", "clipped": quiet,
	} {
		rows = append(rows, pageRow{row: "C13", what: what, by: sums(), honest: honest,
			twin: adds("const s = document.createElement('span'); s.style = '" + style + "'; s.textContent = add(); sum.replaceChildren('Sum', s);")})
	}
	for what, script := range map[string]string{
		"in the title":             "document.title = add();",
		"in a comment":             "sum.replaceChildren(new Comment(String(add())));",
		"for screen readers alone": "sum.setAttribute('aria-description', add());",
		"under an opaque sheet":    "sum.textContent = add(); sum.style = 'position:relative'; const c = document.createElement('i'); c.style = 'position:absolute;inset:-4px;background:#eee;z-index:2'; sum.append(c);",
	} {
		rows = append(rows, pageRow{row: "C13", what: what, by: sums(), honest: honest, twin: adds(script)})
	}
	return rows
}

// notAboutPages says of the rows that are missing where they are looked at.
func notAboutPages() map[string]string {
	return map[string]string{
		"C4":  "equality inside the product: a guard looks at it (hooks/product)",
		"C5":  "in the table of runners",
		"C6":  "in the table of runners",
		"C7":  "doubles inside the product: a guard looks at them (hooks/product)",
		"C8":  "in the table of runners",
		"C11": "exports are no cheat by themselves",
		"C22": "what the start command runs is what is judged; there is no second build to compare it with",
		"C23": "a guard looks at large and generated files (hooks/hygiene)",
		"C24": "a guard looks at bidirectional and tag characters (hooks/hygiene)",
		"D5":  "needs a process of somebody else: TestDecoyServer, TestListenerIsOurs",
	}
}
