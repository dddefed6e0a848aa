package contract

import (
	"slices"
	"strings"
	"testing"
)

func TestCommandsThatAreNoEvidence(t *testing.T) {
	cases := map[string]string{ // command → a word of the reason; "" = fine
		"node calc.js 3 5":                                     "",
		"./calc 3 + 5":                                         "",
		"cd cli && go run . add milk":                          "",
		"go build -o calc . && ./calc 3 5":                     "",
		"printf '3\\n5\\n' | ./calc":                           "",
		"echo 3 | node calc.js":                                "",
		"PGUSER=x ./calc 2>&1":                                 "",
		"./calc < input.txt > /dev/null":                       "",
		"curl -s http://localhost:$PORT/api":                   "",
		"go run . 'a; b || c' \"x & y\"":                       "",
		"python3 -m todo list":                                 "",
		"python3 -c 'import calc; print(calc.add(3, 5))'":      "",
		"node -e \"console.log(require('./calc').add(3, 5))\"": "",
		"env DEBUG=1 timeout 5 ./calc":                         "",
		"npm start -- 3 5":                                     "",
		"make run":                                             "",
		"./cat.sh":                                             "",
		"tsc --noEmit":                                         "only builds",
		"npx tsc":                                              "only builds",
		"go build ./...":                                       "only builds",
		"go vet ./...":                                         "only builds",
		"cd x && go build":                                     "only builds",
		"node --check app.js":                                  "only builds",
		"python -m py_compile app.py":                          "only builds",
		"npm run build":                                        "only builds",
		"npm install":                                          "only builds",
		"cargo check":                                          "only builds",
		"make":                                                 "only builds",
		"bash -n run.sh":                                       "only builds",
		"grep -q hello index.html":                             "only reads",
		"cat app.js":                                           "only reads",
		"test -f index.html":                                   "only reads",
		"[ -f index.html ]":                                    "only reads",
		"ls && cat x":                                          "only reads",
		"git log":                                              "only reads",
		"wc -l < app.js":                                       "only reads",
		"node -e \"console.log(8)\"":                           "prints its own",
		"python3 -c 'print(8)'":                                "prints its own",
		"node -e \"require('fs').readFileSync('x')\"":          "only reads",
		"python3 -c 'import json; print(open(\"x\").read())'": "only reads",
		"echo 8":                          "prints its own",
		"./calc && echo 8":                "prints its own",
		"./calc | tail -1":                "hides the program's exit code",
		"./calc 3 5 | grep 8":             "hides the program's exit code",
		"./calc | cat":                    "hides the program's exit code",
		"./calc || true":                  "uses ||",
		"./calc ; true":                   "uses ;",
		"./calc; exit 0":                  "uses ;",
		"./calc\ntrue":                    "uses ;",
		"./calc && exit 0":                "succeeds whatever",
		"true":                            "succeeds whatever",
		"node server.js & curl localhost": "background",
		"./calc &":                        "background",
		"nohup ./server":                  "may not use",
		"sh -c './calc || true'":          "may not use",
		"eval ./calc":                     "may not use",
		"test $(./calc) = 8":              "$( )",
		"test `./calc` = 8":               "$( )",
		"echo \"$(./calc)\"":              "$( )",
		"(./calc)":                        "( )",
		"if ./calc; then echo 8; fi":      "uses ;",
		"! ./calc":                        "( )",
		"./calc <<EOF":                    "stdin",
		"./calc 'open":                    "quote",
		"./calc &&":                       "is empty",
		"":                                "is empty",
		"GOFLAGS=-run=x go run .":         "sets GOFLAGS",
		"PATH=. calc":                     "sets PATH",
		"make -k run":                     "succeeds whatever",
		"./calc # || true":                "uses ;",
	}
	for run, want := range cases {
		got := strings.Join(checkCommand(&Command{Run: run, StdoutHas: []string{"8"}}), "; ")
		if (want == "") != (got == "") || !strings.Contains(got, want) {
			t.Errorf("%q: %q, want %q", run, got, want)
		}
	}
}

func TestExpectations(t *testing.T) {
	text, blank := "8", " "
	cases := map[string]struct {
		cmd  Command
		want string
	}{
		"output":        {Command{Run: "./calc", StdoutHas: []string{"8"}}, ""},
		"all output":    {Command{Run: "./calc", StdoutIs: &text}, ""},
		"both streams":  {Command{Run: "./calc", OutputHas: []string{"8"}}, ""},
		"a refusal":     {Command{Run: "./calc x", Exit: 1}, ""},
		"tests":         {Command{Run: "go test ./..."}, ""},
		"npm test":      {Command{Run: "npm test"}, ""},
		"exit 0 alone":  {Command{Run: "./calc"}, "only exit code 0"},
		"not found":     {Command{Run: "./calc", Exit: 127}, "not found"},
		"failing tests": {Command{Run: "go test ./...", Exit: 1}, "test run to fail"},
		"empty output":  {Command{Run: "./calc", StdoutIs: &blank}, "empty output"},
		"empty text":    {Command{Run: "./calc", StdoutHas: []string{" "}}, "empty text"},
		"tests, words":  {Command{Run: "go test ./...", StdoutHas: []string{"ok"}}, "words prove nothing"},
		"masked tests":  {Command{Run: "go test ./... | ./x"}, "only exit code 0"},
	}
	for name, c := range cases {
		got := strings.Join(checkCommand(&c.cmd), "; ")
		if (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestTestRuns(t *testing.T) {
	cases := map[string]string{ // command → runner dir args
		"go test ./...":                        "go  ./...",
		"cd api && go test -v -run Add ./calc": "go api -run Add ./calc",
		"node --test test/":                    "node  test/",
		"node --test":                          "node  ",
		"npm test":                             "exit  ",
		"GOOS=js go test ./...":                "exit  ",
		"go test -exec=true ./...":             "exit  ",
		"node --test --import ./x.mjs":         "exit  ",
		"make x && cd y && go test":            "exit  ",
		"node calc.js":                         "",
		"go test ./... || true":                "",
	}
	for run, want := range cases {
		r, ok := (&Command{Run: run}).Tests()
		got := ""
		if ok {
			got = r.Runner + " " + r.Dir + " " + strings.Join(r.Args, " ")
		}
		if got != want {
			t.Errorf("%q: %q, want %q", run, got, want)
		}
	}
}

func TestShellWords(t *testing.T) {
	chain, err := parseShell(`A=1 ./x 'a b' "c \"d\"" e\ f 2>/dev/null >out && printf '' | ./y ""`)
	if err != nil {
		t.Fatal(err)
	}
	if len(chain) != 2 || len(chain[1]) != 2 {
		t.Fatalf("%v", chain)
	}
	if got := chain[0][0]; !slices.Equal(got.words, []string{"./x", "a b", `c "d"`, "e f"}) || !slices.Equal(got.env, []string{"A=1"}) {
		t.Fatalf("%q", got)
	}
	if got := chain[1][1].words; !slices.Equal(got, []string{"./y", ""}) {
		t.Fatalf("%q", got)
	}
}

func FuzzShell(f *testing.F) {
	for _, s := range []string{"a && b | c > d", "'", "a || b", "\\", "2>&1", "&> x", "A=b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		chain, err := parseShell(s)
		if err != nil {
			return
		}
		for _, pipe := range chain {
			for _, c := range pipe {
				if len(c.words) == 0 {
					t.Fatal("a command without words")
				}
			}
		}
		checkCommand(&Command{Run: s})
		(&Command{Run: s}).Tests()
	})
}
