package verify

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"gitagent/internal/testenv"
	"gitagent/internal/verify/contract"
)

// The second table: for every row of the catalogue of cheats that concerns pages
// and servers (C and D), an honest product and a twin that looks like it. Both
// are judged by the same contract. The twin may never pass, the honest one has
// to.

// product is what a contract is run on.
type product struct {
	files files
	start string // "" = a folder of pages
}

// pageRow is one row: a contract, and its two products.
type pageRow struct {
	row, what    string
	by           agreed
	honest, twin product
}

// agreed is a contract, but for its frame.
type agreed struct{ vars, examples, checks string }

func (a agreed) contract(t *testing.T) *contract.Contract {
	t.Helper()
	return parsed(t, a.vars, a.examples, a.checks)
}

// sums is the contract of a page that adds two numbers.
func sums() agreed {
	return agreed{`{"a":"int 12..99","b":"int 100..899"}`, `{"a":"12","b":"130"}`,
		`{"id":"c1","kind":"page","covers":[1],"page":{"open":"/","steps":[{"type":"{a}","into":"First"},{"type":"{b}","into":"Second"},{"click":"Add"},{"see":"{a+b}","in":"Sum"}]}}`}
}

// twice is that of one that goes on adding.
func twice() agreed {
	a := sums()
	a.vars, a.examples = `{"a":"int 12..99","b":"int 100..899","c":"int 12..99"}`, `{"a":"12","b":"130","c":"77"}`
	a.checks = strings.Replace(a.checks, `]}}`, `,{"type":"{c}","into":"First"},{"click":"Add"},{"see":"{c+b}","in":"Sum"}]}}`, 1)
	return a
}

// kept is the contract of notes that another person sees.
func kept() agreed {
	return agreed{`{"item":"word"}`, `{"item":"milk"}`,
		`{"id":"c1","kind":"page","covers":[1],"page":{"open":"/","steps":[{"type":"{item}","into":"Note"},{"click":"Save"},{"see":"{item}"},{"fresh":"/"},{"see":"{item}"}]}}`}
}

// reloaded is that of notes that are there after a reload.
func reloaded() agreed {
	a := kept()
	a.checks = strings.Replace(a.checks, `{"fresh":"/"}`, `"reload"`, 1)
	return a
}

// asked is the contract of an API that keeps items.
func asked() agreed {
	return agreed{`{"item":"word","n":"int 12..99"}`, `{"item":"milk","n":"17"}`, apiCheck}
}

// adds is the page of sums: script knows first, second and sum, and is done at a
// click; the rest of the page may be changed.
func adds(script string, change ...string) product {
	const honest = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Sums</title><h1>Sums</h1>
<label>First <input id="first"></label> <label>Second <input id="second"></label>
<button id="go">Add</button> <output role="status" aria-label="Sum" id="sum">0</output>
<script type="module">const [first, second, sum, go] = ['first', 'second', 'sum', 'go'].map((id) => document.getElementById(id));
const add = () => +first.value + +second.value, show = (v) => { sum.textContent = v; };
go.addEventListener('click', () => { SCRIPT });</script></html>`
	page := strings.Replace(honest, "SCRIPT", script, 1)
	return product{files: files{"index.html": strings.NewReplacer(change...).Replace(page)}}
}

// notesApp is a server of notes with its page; in it some words may be changed.
func notesApp(change ...string) product {
	const server = `const http = require('http');
const notes = [];
const page = '<!doctype html><html lang="en"><meta charset="utf-8"><title>Notes</title><h1>Notes</h1><label>Note <input id="note"></label><button id="save">Save</button><ul id="list"></ul>' +
  '<script src="/app.js"></script></html>';
const app = ` + "`" + `(() => {
/*BEFORE*/
const at = (id) => document.getElementById(id);
const show = async () => at('list').replaceChildren(...(await (await fetch('/notes')).json()).map((n) => Object.assign(document.createElement('li'), { textContent: n })));
at('save').onclick = async () => { await fetch('/notes', { method: 'POST', body: at('note').value }); at('note').value = ''; await show(); };
show();
})();` + "`" + `;
http.createServer((q, a) => {
  if (q.url === '/favicon.ico') return a.writeHead(204).end();
  if (q.url === '/app.js') return a.setHeader('Content-Type', 'text/javascript') && a.end(app);
  if (q.url === '/') return a.setHeader('Content-Type', 'text/html') && a.end(page);
  /*ROUTES*/
  if (q.url !== '/notes') return a.writeHead(404).end();
  if (q.method === 'GET') return a.end(JSON.stringify(notes));
  let t = ''; q.on('data', (d) => t += d).on('end', () => { notes.push(t); a.end('ok'); });
}).listen(process.env.PORT, '127.0.0.1');
`
	return product{files{"server.js": strings.NewReplacer(change...).Replace(server)}, "node server.js"}
}

// items is the API of twins_test.go with its three places filled.
func items(add, list, remove string, change ...string) product {
	body := strings.NewReplacer("ADD", add, "LIST", list, "DELETE;", remove+";").Replace(api)
	return product{files{"server.js": strings.NewReplacer(change...).Replace(body)}, "node server.js"}
}

// with gives the product more files.
func (p product) with(more files) product {
	all := files{}
	for _, layer := range []files{p.files, more} {
		for name, content := range layer {
			all[name] = content
		}
	}
	return product{all, p.start}
}

// TestTablesOfPages tries the whole table with GIT_AGENT_TABLES=1 (make tables),
// else a random few rows of it.
func TestTablesOfPages(t *testing.T) {
	need(t, "node")
	rows := pageRows()
	all := len(rows)
	if os.Getenv("GIT_AGENT_TABLES") == "" {
		r := rand.New(rand.NewPCG(testenv.Seed(t), 2))
		r.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		rows = rows[:3]
	}
	v := verifier(t)
	v.Browser = chromium(t)
	lines := make([]string, len(rows))
	t.Run("rows", func(t *testing.T) {
		for i, c := range rows {
			t.Run(c.row+" "+c.what, func(t *testing.T) {
				t.Parallel()
				lines[i] = fmt.Sprintf("%-4s %-58s %-70s %s", c.row, c.what, c.try(t, v, c.twin, false), c.try(t, v, c.honest, true))
			})
		}
	})
	t.Logf("%-4s %-58s %-70s %s", "row", "cheat", "twin", "honest")
	lines = slices.DeleteFunc(lines, func(s string) bool { return s == "" }) // not asked for
	for _, line := range lines {
		t.Log(line)
	}
	t.Logf("%d of %d rows", len(lines), all)
	others := notAboutPages()
	for _, row := range slices.Sorted(maps.Keys(others)) {
		t.Logf("%-4s is not in the table: %s", row, others[row])
	}
}

// try judges one of a row's products as sessions do: the checks, then the same
// without their actions.
func (c pageRow) try(t *testing.T, v *Verifier, p product, passes bool) string {
	t.Helper()
	target := folder(t, p.files)
	target.Config.Start, target.First = p.start, true
	k := c.by.contract(t)
	out := run(t, v, k, target)
	verdict, why := out.Verdict, firstReason(out.Checks)
	if verdict == Pass {
		empty, says, err := v.BiteWithoutActions(context.Background(), k, target, out)
		if err != nil {
			t.Fatal(err)
		}
		if empty {
			verdict, why = Fail, "passes without its actions: "+says
		}
	}
	if passes != (verdict == Pass) {
		t.Errorf("honest: %v; %s: %s\n%+v", passes, verdict, why, out.Checks)
	}
	if out.NoMeans != "" {
		t.Errorf("something is missing: %s", out.NoMeans)
	}
	if verdict == Pass {
		return verdict
	}
	return verdict + ": " + firstN(why, 60)
}
