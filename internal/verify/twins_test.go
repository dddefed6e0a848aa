package verify

import (
	"context"
	"strings"
	"testing"

	"gitagent/internal/verify/contract"
	"gitagent/internal/verify/evidence"
)

// parsed reads a contract of these checks with variables.
func parsed(t *testing.T, vars, examples, checks string) *contract.Contract {
	t.Helper()
	c, err := contract.Parse([]byte(`{"version":1,"feature":"F001","revision":1,"vars":` + vars + `,"examples":` + examples + `,"checks":[` + checks + `]}`))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// twin is a product and whether it may pass.
type twin struct {
	files   map[string]string
	start   string
	verdict string
	reason  string
}

func tryTwins(t *testing.T, v *Verifier, c *contract.Contract, twins map[string]twin) {
	for name, w := range twins {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			target := folder(t, w.files)
			target.Config.Start, target.First = w.start, true
			out := run(t, v, c, target)
			if out.Verdict != w.verdict || !strings.Contains(firstReason(out.Checks), w.reason) {
				t.Fatalf("%s: %+v", out.Verdict, out.Checks)
			}
			if w.verdict != Pass {
				return
			}
			if passed, why, err := v.BiteWithoutActions(context.Background(), c, target, out); err != nil || passed {
				t.Errorf("without its actions it passes: %s %v", why, err)
			}
		})
	}
}

func TestCannedSums(t *testing.T) {
	v := verifier(t)
	c := parsed(t, `{"a":"int 2..99","b":"int 2..99"}`, `{"a":"40","b":"2"}`, `{"id":"c1","kind":"command","covers":[1,2],"command":{"run":"sh sum.sh {a} {b}","exit":0,"stdout_has":["{a+b}"]}}`)
	sum := func(body string) map[string]string { return map[string]string{"sum.sh": body} }
	tryTwins(t, v, c, map[string]twin{
		"honest":            {sum(`echo $(($1 + $2))`), "", Pass, ""},
		"the steps' answer": {sum(`echo 42`), "", Fail, `with a = `},
		"a table":           {sum(`case "$1 $2" in "40 2") echo 42;; "2 3") echo 5;; *) echo 42;; esac`), "", Fail, "with a = "},
		"many answers":      {sum(`i=0; while [ $i -lt 60 ]; do echo $i; i=$((i+1)); done; echo $(($1 * $2))`), "", Fail, ""},
		"wrong words":       {sum(`[ "$1" = 40 ] && exit 1; echo $(($1 + $2))`), "", Fail, "with a = 40, b = 2"},
		"echoes":            {sum(`echo "$1 + $2"`), "", Fail, ""},
		"all answers":       {sum(`seq 4 198`), "", Fail, "give the one answer, not all"},
		"all in one line":   {sum(`seq -s ' ' 4 198`), "", Fail, "give the one answer, not all"},
		"tells its working": {sum(`echo "$1 + $2 = $(($1 + $2))"; echo; echo 'usage: sum.sh A B (numbers from 2 to 99)'`), "", Pass, ""},
		"by the first":      {sum(`echo $(($1 + 2))`), "", Fail, "with a = "},
	})
}

const pad = `<!doctype html><title>Calculator</title><output role="status" aria-label="Display" id="d">0</output>
<div>BUTTONS</div><script>let s='';const d=document.getElementById('d');
for(const b of document.querySelectorAll('button'))b.onclick=()=>{if(b.textContent==='='){EQUALS}else{s+=b.textContent;d.textContent=s}}</script>`

func TestCannedCalculator(t *testing.T) {
	v := verifier(t)
	v.Browser = chromium(t)
	c := parsed(t, `{"a":"int 12..99","b":"int 2..9"}`, `{"a":"12","b":"7"}`,
		`{"id":"c1","kind":"page","covers":[1,2],"page":{"open":"/","steps":[{"click_each":"button:{a}"},{"click":"button:*"},{"click":"button:{b}"},{"click":"button:="},{"see":"{a*b}","in":"Display"}]}}`)
	page := func(equals string) map[string]string {
		var buttons strings.Builder
		for _, name := range "0123456789*=" {
			buttons.WriteString("<button>" + string(name) + "</button>")
		}
		return map[string]string{"index.html": strings.NewReplacer("BUTTONS", buttons.String(), "EQUALS", equals).Replace(pad)}
	}
	tryTwins(t, v, c, map[string]twin{
		"honest":  {page(`const [x,y]=s.split('*');s=String(x*y);d.textContent=s`), "", Pass, ""},
		"a table": {page(`d.textContent={'12*7':84,'9*9':81}[s]||s`), "", Fail, "with a = "},
		"nothing": {page(``), "", Fail, "with a = 12, b = 7"},
		"all":     {page(`d.textContent=Array.from({length:1000},(_,i)=>i).join(' ')`), "", Fail, "give the one answer, not all"},
		"adds":    {page(`const [x,y]=s.split('*');s=String(+x + +y);d.textContent=s`), "", Fail, ""},
	})
}

// api is a server with a list of items; the words in capitals are what the twins
// differ in.
const api = `const http=require('http');const items=[];let next=1;
http.createServer((q,s)=>{let b='';q.on('data',c=>b+=c).on('end',()=>{
 const send=(n,v,h)=>{s.writeHead(n,Object.assign({'content-type':'application/json'},h));s.end(v===undefined?'':JSON.stringify(v))};
 const id=+q.url.split('/')[2];const one=items.find(x=>x.id===id);
 if(q.method==='POST'&&q.url==='/items'){const x=Object.assign({id:next++},JSON.parse(b));ADD;return send(201,x)}
 if(q.method==='GET'&&q.url==='/items'){return send(200,LIST)}
 if(q.method==='GET'&&id){return one?send(200,one):send(404,{error:'no such item'})}
 if(q.method==='DELETE'&&id){DELETE;return send(204)}
 send(404,{error:'not found'})})}).listen(process.env.PORT,'127.0.0.1')`

const apiCheck = `{"id":"c1","kind":"http","covers":[1,2,3],"http":[
 {"method":"POST","path":"/items","body":{"name":"{item}","count":"{n}"},"expect":{"status":201,"json":{"$.name":"{item}"}},"save":{"id":"$.id"}},
 {"path":"/items/{id}","expect":{"status":200,"json":{"$.name":"{item}","$.count":"{n}","$.id":"{id}"}}},
 {"path":"/items","expect":{"json":{"$[*].name":"{item}","$.length":1},"header":{"Content-Type":"json"}}},
 {"method":"DELETE","path":"/items/{id}","expect":{"status":204}},
 {"path":"/items","expect":{"json":{"$[*].name":{"not":"{item}"}},"has_not":["{item}"]}},
 {"path":"/items/{id}","expect":{"status":404}}]}`

func TestCannedAPI(t *testing.T) {
	need(t, "node")
	v := verifier(t)
	c := parsed(t, `{"item":"word","n":"int 2..9"}`, `{"item":"milk","n":"2"}`, apiCheck)
	server := func(add, list, remove string) twin {
		return twin{files: map[string]string{"server.js": strings.NewReplacer("ADD", add, "LIST", list, "DELETE;", remove+";", "'DELETE'", "'DELETE'").Replace(api)}, start: "node server.js"}
	}
	const add, remove = "items.push(x)", "items.splice(items.indexOf(one),1)"
	with := func(w twin, verdict, reason string) twin { w.verdict, w.reason = verdict, reason; return w }
	tryTwins(t, v, c, map[string]twin{
		"honest":         with(server(add, "items", remove), Pass, ""),
		"canned list":    with(server(add, `[{"id":1,"name":"milk","count":2}]`, remove), Fail, "exchange"),
		"keeps nothing":  with(server("0", "items", "0"), Fail, "exchange 2 (GET /items/1): the status was 404"),
		"deletes not":    with(server(add, "items", "0"), Fail, "exchange 5"),
		"hides the name": with(server(add, "items.map(x=>({id:x.id}))", remove), Fail, "$[*].name is not in the answer"),
		"falls over":     with(server("process.exit(3)", "items", remove), Fail, "had no answer"),
		"no server":      {map[string]string{"server.js": "process.exit(4)"}, "node server.js", Fail, "ended with exit code 4 before it listened"},
	})
}

// Cookies are kept within a check and not from one run to the next.
func TestCookies(t *testing.T) {
	need(t, "node")
	v := verifier(t)
	c := parsed(t, `{"who":"name"}`, `{"who":"Ann"}`, `{"id":"c1","kind":"http","covers":[1],"http":[
 {"path":"/me","expect":{"status":401}},
 {"method":"POST","path":"/login","headers":{"Content-Type":"application/x-www-form-urlencoded"},"body":"user={who}","expect":{"status":303,"header":{"Location":"/me"}}},
 {"path":"/me","expect":{"has":["Hello, {who}"]}}]}`)
	server := func(hello string) map[string]string {
		return map[string]string{"server.js": `require('http').createServer((q,s)=>{let b='';q.on('data',c=>b+=c).on('end',()=>{
 if(q.url==='/login'){s.writeHead(303,{location:'/me','set-cookie':'u='+b.split('=')[1]+'; Path=/'});return s.end()}
 const m=/u=(\w+)/.exec(q.headers.cookie||'');if(!m){s.writeHead(401);return s.end('who?')}
 s.end(` + hello + `)})}).listen(process.env.PORT,'127.0.0.1')`}
	}
	tryTwins(t, v, c, map[string]twin{
		"honest":  {server("`<p>Hello, ${m[1]}</p>`"), "node server.js", Pass, ""},
		"one Ann": {server("'<p>Hello, Ann</p>'"), "node server.js", Fail, `does not hold "Hello, `},
	})
}

// A server that shows what is asked whatever was sent is found out by asking it
// without sending.
func TestAskedWithoutSending(t *testing.T) {
	need(t, "node")
	v := verifier(t)
	target := folder(t, map[string]string{"server.js": `require('http').createServer((q,s)=>s.end(JSON.stringify([{name:'milk'}]))).listen(process.env.PORT,'127.0.0.1')`})
	target.Config.Start = "node server.js"
	c, err := contract.Parse([]byte(`{"version":1,"feature":"F001","revision":1,"checks":[{"id":"c1","kind":"http","covers":[1],"http":[
 {"method":"POST","path":"/items","body":{"name":"milk"}},{"path":"/items","expect":{"json":{"$[*].name":"milk"}}}]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	out := run(t, v, c, target)
	if passed, why, err := v.BiteWithoutActions(context.Background(), c, target, out); out.Verdict != Pass || !passed || err != nil || !strings.Contains(why, "c1 (GET /items) passes although nothing is sent") || !strings.Contains(why, "check of its own") {
		t.Errorf("%s: %v %s %v", out.Verdict, passed, why, err)
	}
}

// TestDrawsAreRecorded: what a check was tried with is in its evidence, the
// steps' own values first, and a contract without variables is run once.
func TestDrawsAreRecorded(t *testing.T) {
	v := verifier(t)
	c := parsed(t, `{"a":"int 2..99","b":"int 2..99"}`, `{"a":"40","b":"2"}`, `{"id":"c1","kind":"command","covers":[1,2],"command":{"run":"sh sum.sh {a} {b}","exit":0,"stdout_has":["{a+b}"]}},
 {"id":"c2","kind":"command","covers":[2],"command":{"run":"sh sum.sh 1 1","exit":0,"stdout_has":["2"]}}`)
	out := run(t, v, c, folder(t, map[string]string{"sum.sh": `echo $(($1 + $2))`}))
	if out.Verdict != Pass || len(out.Checks) != 2 || len(out.Checks[1].Draws) != 1 {
		t.Fatalf("%+v", out)
	}
	draws := out.Checks[0].Draws
	if len(draws) != 3 || draws[0].Seed != "" || draws[0].Values["a"] != "40" || draws[1].Seed == "" || draws[1].Values["a"] == draws[2].Values["a"] {
		t.Errorf("%+v", draws)
	}
	rec := evidence.Record{Feature: "F001", Checks: out.Checks, Verdict: Pass}
	if again, err := evidence.Parse(rec.Bytes()); err != nil || len(again.Checks[0].Draws) != 3 {
		t.Errorf("%v", err)
	}
	if out.Started("c1") {
		t.Error("a check that passed is none that failed")
	}
}

// TestStarted: a program that ran and printed something else is told apart from
// one that was not there.
func TestStarted(t *testing.T) {
	v := verifier(t)
	c := command(contract.Command{Run: "sh sum.sh 40 2", StdoutHas: []string{"42"}})
	for body, want := range map[string]bool{"echo 41": true, "echo 42 >&2; exit 1": false, "": false} {
		files := map[string]string{"sum.sh": body}
		if body == "" {
			files = nil
		}
		if out := run(t, v, c, folder(t, files)); out.Verdict != Fail || out.Started("c1") != want {
			t.Errorf("%q: %s, started %v", body, out.Verdict, out.Started("c1"))
		}
	}
}

// TestEveryAnswerInJSON: a list of all that could be asked for is no answer, and
// one that has what others have kept besides is.
func TestEveryAnswerInJSON(t *testing.T) {
	need(t, "node")
	v := verifier(t)
	c := parsed(t, `{"n":"int 12..99"}`, `{"n":"17"}`, `{"id":"c1","kind":"http","covers":[1],"http":[
 {"method":"POST","path":"/items","body":{"name":"milk","count":"{n}"},"expect":{"status":201}},{"path":"/items","expect":{"json":{"$[*].count":"{n}","$[*].name":{"not":"{n}"}}}}]}`)
	server := func(list string) twin {
		return twin{files: map[string]string{"server.js": strings.NewReplacer("ADD", "items.push(x)", "LIST", list).Replace(api)}, start: "node server.js"}
	}
	with := func(w twin, verdict, reason string) twin { w.verdict, w.reason = verdict, reason; return w }
	tryTwins(t, v, c, map[string]twin{
		"honest":      with(server("items"), Pass, ""),
		"with others": with(server(`items.concat({id:7,name:"tea",count:3},{id:8,name:"ink",count:4})`), Pass, ""),
		"every count": with(server(`Array.from({length:100},(_,i)=>({id:i,name:"milk",count:i}))`), Fail, "give the one answer, not all"),
	})
}

// TestSomeOfAllAnswers: where other answers are shown too, it is asked again.
func TestSomeOfAllAnswers(t *testing.T) {
	v := verifier(t)
	c := parsed(t, `{"a":"int 2..99","b":"int 2..99"}`, `{"a":"40","b":"2"}`, `{"id":"c1","kind":"command","covers":[1],"command":{"run":"sh sum.sh {a} {b}","exit":0,"stdout_has":["{a+b}"]}}`)
	passed, more := 0, 0
	for range 40 {
		target := folder(t, files{"sum.sh": `seq 42 120`}) // right in half of all cases
		target.First = true
		if run(t, v, c, target).Verdict == Pass {
			passed++
		}
	}
	for range 20 {
		target := folder(t, files{"sum.sh": `echo $(($1 + $2)); seq 60 5 130`}) // honest, with numbers beside
		target.First = true
		out := run(t, v, c, target)
		if out.Verdict != Pass {
			t.Errorf("honest: %+v", out.Checks)
		}
		if len(out.Checks[0].Draws) == 1+draws+moreDraws {
			more++
		}
	}
	if passed > 4 || more == 0 {
		t.Errorf("%d of 40 with a part of all answers pass, %d of 20 honest ones were asked again", passed, more)
	}
}
