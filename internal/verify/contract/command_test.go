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
		"./calc $'\\'' ; echo 8 #'":       "not every shell",
	}
	for run, want := range cases {
		got := strings.Join(checkCommand(&Command{Run: run, StdoutHas: []string{"8"}}), "; ")
		if (want == "") != (got == "") || !strings.Contains(got, want) {
			t.Errorf("%q: %q, want %q", run, got, want)
		}
	}
}

// Each of these prints what it is told to, beside a program that may do nothing.
func TestCommandsThatSpeakForThemselves(t *testing.T) {
	cases := map[string]string{
		"cat && sh sum.sh":                  "before the program ran",
		"ls 8 && sh sum.sh":                 "before the program ran",
		"sh sum.sh && cat":                  "name it after cat",
		"sh sum.sh && cat -":                "name it after cat",
		"sh sum.sh && cat /proc/self/fd/0":  "name it after cat",
		"sh sum.sh && awk 'BEGIN{print 8}'": "name it after cat",
		"sh sum.sh && sed -n p":             "name it after cat",
		"expr 3 + 5":                        "no program of this project",
		"sh sum.sh && expr 3 + 5":           "no program of this project",
		"xargs echo":                        "no program of this project",
		"echo 8 | xargs echo && sh sum.sh":  "no program of this project",
		"bc":                                "no program of this project",
		"/usr/bin/expr 3 + 5":               "no program of this project",
		"calc 3 5":                          "no program of this project",
		"node /tmp/x.js":                    "no program of this project",
		"sh":                                "from standard input",
		"sh -s 3 5":                         "from standard input",
		"sh -":                              "from standard input",
		"printf 'echo 8' | sh":              "from standard input",
		"node":                              "from standard input",
		"node -":                            "from standard input",
		"node /dev/stdin":                   "from standard input",
		"python3":                           "from standard input",
		"python3 -u -":                      "from standard input",
		"perl":                              "from standard input",
		"sh -o errexit -c 'echo 8'":         "may not use",
		"dash -c 'echo 8'":                  "may not use",
		"sh -ce 'echo 8'":                   "may not use",
		"bash --norc -c 'echo 8'":           "may not use",
		"busybox echo 8":                    "may not use",
		"tee x.sh && sh x.sh":               "may not use",
		"A=8 env":                           "prints its own",
		"printenv A":                        "prints its own",
		"env -S 'echo 8'":                   "no program of this project",
		"npx echo 8":                        "prints its own",
		"npm exec -- echo 8":                "prints its own",
		"node --eval='console.log(8)'":      "prints its own",
		"node -pe 8":                        "prints its own",
		"node --import 'data:text/javascript,console.log(8)' x.js": "prints its own",
		"python3 '-cprint(8)'":                                   "prints its own",
		"python3 -Ic 'print(8)'":                                 "prints its own",
		"perl -E 'say 8'":                                        "prints its own",
		"perl -le 'print 8'":                                     "prints its own",
		"lua -e 'print(8)'":                                      "prints its own",
		"deno eval 'console.log(8)'":                             "prints its own",
		"curl -w 8 http://localhost:$PORT/":                      "prints its own",
		"curl --trace-ascii - -d 8 http://localhost:$PORT/":      "prints its own",
		"curl file:///etc/hostname http://localhost:$PORT/":      "prints its own",
		"curl https://example.com/":                              "no program of this project",
		"$E 8 && sh sum.sh":                                      "the shell turns into",
		"${E:-echo 8} && sh sum.sh":                              "the shell turns into",
		"./s*":                                                   "the shell turns into",
		"mkdir -vp 8 && sh sum.sh":                               "has mkdir print",
		"cp a /dev/stdout && sh sum.sh":                          "has cp print",
		"export NODE_OPTIONS=--import=./x && node sum.js":        "sets NODE_OPTIONS",
		"env NODE_OPTIONS=--import=./x node sum.js":              "sets NODE_OPTIONS",
		"node -e \"require('./x');console.log(8)\" && sh sum.sh": "beside another program",

		"rm -f list.json && node todo.js add milk && node todo.js list":       "",
		"node todo.js export out.csv && cat out.csv":                          "",
		"node todo.js export out.csv && test -f out.csv && head -n 3 out.csv": "",
		"cat numbers.txt | node sum.js":                                       "",
		"printf 'a\\nb\\n' | node sort.js | node upper.js":                    "",
		"export A=8 && node sum.js":                                           "",
		"mkdir -p out && sh build.sh && ./out/calc 3 5":                       "",
		"sh -eu sum.sh 3 5":                                                   "",
		"node calc.js -c -e -p":                                               "",
		"node -r ./register.js --enable-source-maps calc.js":                  "",
		"node .":                       "",
		"python3 -u -W ignore calc.py": "",
		"python3 -m pkg.calc 3 5":      "",
		".venv/bin/todo list":          "",
		".venv/bin/python3 todo.py":    "",
		"bin/calc 3 5":                 "",
		"npx todo list":                "",
		"poetry run todo list":         "",
		"uv run todo.py list":          "",
		"java -cp . Calc 3 5":          "",
		"ruby -I lib calc.rb":          "",
		"php calc.php":                 "",
		"cargo run -- 3 5":             "",
		"mvn -q exec:java":             "",
		"nice -n 5 ./calc":             "",
		"curl -s -o /dev/null -w '%{http_code}\\n' http://localhost:$PORT/": "",
		"curl -s -X POST -d name=8 \"http://127.0.0.1:$PORT/api\"":          "",
		"deno run calc.ts": "",
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
