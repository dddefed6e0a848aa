package verify

import (
	"context"
	"strings"
	"testing"
	"time"

	"gitagent/internal/verify/contract"
)

const adder = `#!/bin/sh
case "$1" in
boom) echo "cannot add boom" >&2; exit 2 ;;
loop) while :; do sleep 1; done ;;
ask) read a; echo "you said $a" ;;
kill) kill -9 $$ ;;
*) echo "$1 plus $2 is $(($1 + $2))" ;;
esac
`

func TestCommandChecks(t *testing.T) {
	v := verifier(t)
	v.Command = 2 * time.Second
	target := folder(t, map[string]string{"add": adder})
	is := "3 plus 5 is 8"
	cases := map[string]struct {
		cmd             contract.Command
		verdict, reason string
	}{
		"right":            {contract.Command{Run: "./add 3 5", StdoutHas: []string{"8"}}, Pass, ""},
		"all of it":        {contract.Command{Run: "./add 3 5", StdoutIs: &is}, Pass, ""},
		"not all of it":    {contract.Command{Run: "./add 3 6", StdoutIs: &is}, Fail, "is not"},
		"part of a number": {contract.Command{Run: "./add 13 5", StdoutHas: []string{"8"}}, Fail, `does not hold "8"`},
		"wrong exit code":  {contract.Command{Run: "./add boom", StdoutHas: []string{"cannot"}}, Fail, "exit code was 2, expected 0"},
		"a refusal":        {contract.Command{Run: "./add boom", Exit: 2, OutputHas: []string{"cannot add boom"}}, Pass, ""},
		"on stderr":        {contract.Command{Run: "./add boom", Exit: 2, StdoutHas: []string{"cannot"}}, Fail, "standard output"},
		"input":            {contract.Command{Run: "./add ask", Stdin: "Zoë\n", StdoutHas: []string{"Zoë"}}, Pass, ""},
		"never ends":       {contract.Command{Run: "./add loop", StdoutHas: []string{"8"}}, Fail, "did not end"},
		"no such file":     {contract.Command{Run: "./sub 3 5", StdoutHas: []string{"8"}}, Fail, "127"},
		"killed":           {contract.Command{Run: "./add kill", Exit: 9, StdoutHas: []string{"8"}}, Fail, ""},
		"no such tool":     {contract.Command{Run: "no-such-tool-here 3 5", StdoutHas: []string{"8"}}, Unverified, "no-such-tool-here is not installed"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := run(t, v, command(c.cmd), target)
			if out.Verdict != c.verdict || !strings.Contains(out.Checks[0].Reason, c.reason) {
				t.Fatalf("%s: %+v", out.Verdict, out.Checks)
			}
			if (out.NoMeans != "") != (c.verdict == Unverified) {
				t.Errorf("NoMeans = %q", out.NoMeans)
			}
			if len(out.Checks[0].Observed) == 0 {
				t.Error("nothing observed")
			}
		})
	}
}

func TestNothingIsNoPass(t *testing.T) {
	v := verifier(t)
	target := folder(t, map[string]string{"index.html": "<h1>8</h1>"})
	if out := run(t, v, &contract.Contract{}, target); out.Verdict != Unverified {
		t.Errorf("no checks: %s", out.Verdict)
	}
	out := run(t, v, pages(`{"open":"/","steps":[{"see":"8"}]}`), target)
	if out.Verdict != Unverified || !strings.Contains(out.NoMeans, "no browser") {
		t.Errorf("no browser: %+v", out)
	}
	odd := &contract.Contract{Checks: []contract.Check{{ID: "c1", Kind: "http"}}}
	if out := run(t, v, odd, target); out.Verdict != Unverified {
		t.Errorf("unknown kind: %s", out.Verdict)
	}
	if out := run(t, &Verifier{Temp: t.TempDir()}, command(contract.Command{Run: "./x", StdoutHas: []string{"8"}}), target); out.Verdict != Unverified {
		t.Errorf("no sandbox: %s", out.Verdict)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := v.Contract(ctx, command(contract.Command{Run: "true"}), target, ""); err == nil {
		t.Error("a cancelled run gave no error")
	}
}

const server = `const http = require('http');
const mode = process.argv[2];
if (mode === 'exit') { console.error('no database'); process.exit(3); }
else if (mode === 'silent') setInterval(() => {}, 1000);
else http.createServer((q, s) => s.end('hello ' + q.url)).listen(process.env.PORT, '127.0.0.1');
`

const get = `fetch('http://127.0.0.1:' + process.env.PORT + process.argv[2]).then(r => r.text()).then(t => console.log(t));
`

func TestServerOfTheProject(t *testing.T) {
	need(t, "node")
	v := verifier(t)
	v.ServerReady = time.Second
	base := folder(t, map[string]string{"server.js": server, "get.js": get})
	cases := map[string]struct{ start, verdict, reason string }{
		"answers":       {"node server.js", Pass, ""},
		"ends at once":  {"node server.js exit", Fail, "ended with exit code 3 before it listened"},
		"never listens": {"node server.js silent", Unverified, "did not listen on PORT"},
		"no runtime":    {"no-such-runtime server.js", Unverified, "no-such-runtime is not installed"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			target, v := base, *v
			target.Config.Start = c.start
			if c.verdict == Pass {
				v.ServerReady = 0 // on a busy machine a second is short
			}
			out := run(t, &v, command(contract.Command{Run: "node get.js /there $PORT", StdoutHas: []string{"hello /there"}}), target)
			if out.Verdict != c.verdict || !strings.Contains(out.Checks[0].Reason, c.reason) {
				t.Fatalf("%s: %+v", out.Verdict, out.Checks)
			}
			if name == "ends at once" && !strings.Contains(strings.Join(out.Checks[0].Observed, "\n"), "no database") {
				t.Errorf("the server's words are missing: %q", out.Checks[0].Observed)
			}
		})
	}
}

const calculator = `<!doctype html><title>Calc</title><output role="status" aria-label="Display" id="d">0</output>
<button>7</button><button>+</button><button>1</button><button>=</button>
<script>let s='';for(const b of document.querySelectorAll('button'))b.onclick=()=>{const d=document.getElementById('d');
if(b.textContent==='='){EQUALS}else{s+=b.textContent;d.textContent=s}}</script>`

func TestPages(t *testing.T) {
	v := verifier(t)
	v.Browser = chromium(t)
	app := func(equals, display string) Target {
		return folder(t, map[string]string{"index.html": strings.NewReplacer("{EQUALS}", "{"+equals+"}", ">0<", ">"+display+"<").Replace(calculator)})
	}
	c := pages(`{"open":"/","steps":[{"click":"7"},{"click":"+"},{"click":"1"},{"click":"="},{"see":"8","in":"Display"}]}`)
	honest := app("d.textContent=s=String(Function('return '+s)())", "0")

	out, err := v.Contract(context.Background(), c, honest, t.TempDir())
	if err != nil || out.Verdict != Pass {
		t.Fatalf("honest: %v %+v", err, out)
	}
	if passed, why, err := v.BiteWithoutActions(context.Background(), c, honest, out); passed || err != nil {
		t.Errorf("without its actions the honest page passes: %s %v", why, err)
	}
	bites, why, _, err := v.Bite(context.Background(), c, folder(t, nil))
	if !bites || err != nil {
		t.Errorf("the contract does not fail on an empty tree: %s %v", why, err)
	}

	out = run(t, v, c, app("", "0"))
	if out.Verdict != Fail || !strings.Contains(strings.Join(out.Checks[0].Observed, "\n"), "7+1") {
		t.Errorf("equals does nothing: %+v", out)
	}

	// A page that shows the answer as it opens satisfies a contract that never
	// looks before it acts; the bite on the finished tree finds it.
	still := app("", "8")
	still.Dir = folder(t, map[string]string{"index.html": `<h1>Result</h1><p>8</p><button>=</button>`}).Dir
	loose := pages(`{"open":"/","steps":[{"click":"="},{"see":"8"}]}`)
	passed, _, err := v.BiteWithoutActions(context.Background(), loose, still, Outcome{})
	if err != nil || !passed {
		t.Errorf("a page that never changes was not found out: %v", err)
	}
	if passed, _, err := v.BiteWithoutActions(context.Background(), pages(`{"open":"/","steps":[{"see":"Result"}]}`), still, Outcome{}); passed || err != nil {
		t.Errorf("a page that is only looked at is exempt: %v", err)
	}
}

func TestBiteHollow(t *testing.T) {
	v := verifier(t)
	c := &contract.Contract{Version: 1, Feature: "F001", Revision: 1}
	for id, cmd := range map[string]contract.Command{
		"honest":  {Run: "./add 3 5", StdoutHas: []string{"8"}},
		"refuses": {Run: "./add boom", Exit: 2, OutputHas: []string{"cannot"}},
		"echoes":  {Run: "cat && ./add", Stdin: "8", StdoutHas: []string{"8"}},
		"tests":   {Run: "node --test"},
	} {
		c.Checks = append(c.Checks, contract.Check{ID: id, Kind: contract.KindCommand, Command: &cmd})
	}
	hollow := folder(t, map[string]string{"add": ""})
	if got, err := v.BiteHollow(context.Background(), c, hollow, nil); err != nil || len(got) != 1 || got[0] != "echoes" {
		t.Fatalf("%v %v", got, err)
	}
	if got, err := v.BiteHollow(context.Background(), c, hollow, []string{"honest"}); err != nil || len(got) != 0 {
		t.Fatalf("%v %v", got, err)
	}
}
