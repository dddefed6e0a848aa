package contract

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// passing are contracts of features that pass.
func passing(t *testing.T) []*Contract {
	t.Helper()
	var out []*Contract
	for _, text := range []string{
		`{"version":1,"feature":"F001","revision":1,"vars":{"a":"int 2..99","b":"int 2..99"},"checks":[
		  {"id":"c1","kind":"command","covers":[1],"command":{"run":"sh sum.sh {a} {b}","exit":0,"stdout_has":["Sum: {a+b}","of {a}"]}}]}`,
		`{"version":1,"feature":"F002","revision":1,"vars":{"x":"word"},"checks":[
		  {"id":"c1","kind":"page","covers":[1],"page":{"open":"/","steps":[{"type":"{x}","into":"New"},{"press":"Enter"},{"see":"{x}","in":"Items"},{"see":"1 left"}]}},
		  {"id":"c2","kind":"page","covers":[1],"page":{"open":"/","steps":[{"type":"{x}","into":"New"},{"press":"Enter"},{"type":"{x[:3]}","into":"Search"},{"see":"Found {x}"}]}}]}`,
		`{"version":1,"feature":"F003","revision":1,"vars":{"a":"int 2..99","b":"int 2..99"},"checks":[
		  {"id":"c1","kind":"page","covers":[1],"page":{"open":"/calc","steps":[{"click_each":"button:{a}"},{"click":"+"},{"click_each":"{b}"},{"value":"{b}","of":"Display"},{"click":"="},{"value":"{a+b}","of":"Display"}]}}]}`,
		`{"version":1,"feature":"F004","revision":1,"vars":{"w":"word"},"checks":[
		  {"id":"c1","kind":"http","covers":[1],"http":[{"method":"POST","path":"/items","body":{"name":"{w}","n":2},"expect":{"status":201},"save":{"id":"$.id"}},{"path":"/items/{id}","expect":{"json":{"$.name":"{w}"}}}]}]}`,
		`{"version":1,"feature":"F005","revision":1,"vars":{"n":"int 2..99"},"checks":[
		  {"id":"c1","kind":"page","covers":[1],"page":{"open":"/","steps":[{"type":"{n*5}","into":"Bill"},{"see":"Total: {n*5+10}"}]}}]}`,
		`{"version":1,"feature":"F006","revision":1,"vars":{"a":"int 2..99","b":"int 2..99"},"checks":[
		  {"id":"c1","kind":"page","covers":[1],"page":{"open":"/pay","steps":[{"type":"{a}","into":"Bill"},{"type":"{b}","into":"Tip"},{"click":"Pay"},{"see":"{a+b}"}]}}]}`,
	} {
		c, err := Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, c)
	}
	return out
}

const (
	isNew     = "new"
	isRepeat  = "repeat"
	isNeither = "neither"
)

func worth(n Novelty) string {
	switch {
	case n.New:
		return isNew
	case n.Repeats:
		return isRepeat
	}
	return isNeither
}

func pageCheck(open, steps string) string {
	return `{"id":"c1","kind":"page","covers":[1],"page":{"open":"` + open + `","steps":[` + steps + `]}}`
}

func requests(list string) string {
	return `{"id":"c1","kind":"http","covers":[1],"http":[` + list + `]}`
}

// The same check in another dress shows nothing new; one that does or sees more
// does.
func TestNovelty(t *testing.T) {
	add := `{"type":"{x}","into":"New"},{"press":"Enter"}`
	cases := map[string]struct {
		vars  Values
		check string
		want  string
	}{
		// commands
		"the same":                    {twoInts, command("sh sum.sh {a} {b}", `"Sum: {a+b}","of {a}"`), isRepeat},
		"other names":                 {Values{"first": "int 2..99", "z": "int 2..99"}, command("sh sum.sh {z} {first}", `"Sum: {z+first}"`), isRepeat},
		"other ranges":                {Values{"a": "int 1000..9000", "b": "int -50..50"}, command("sh sum.sh {a} {b}", `"Sum: {a+b}"`), isRepeat},
		"another formula":             {twoInts, command("sh sum.sh {a} {b}", `"Sum: {b+a+0}"`), isRepeat},
		"less of the text":            {twoInts, command("sh sum.sh {a} {b}", `"{a+b}"`), isRepeat},
		"one variable for both":       {Values{"a": "int 2..99"}, command("sh sum.sh {a} {a}", `"{a*2}"`), isRepeat},
		"quotes and paths":            {twoInts, command("cd . && bash ./sum.sh '{a}'   {b}", `"{a+b}"`), isRepeat},
		"options of the shell":        {twoInts, command("sh -e +x sum.sh {a} {b}", `"{a+b}"`), isRepeat},
		"an option with a value":      {twoInts, command("bash -o errexit -- sum.sh {a} {b}", `"{a+b}"`), isRepeat},
		"from another folder":         {twoInts, command("mkdir t && cd t && sh ../sum.sh {a} {b}", `"{a+b}"`), isRepeat},
		"by its whole path":           {twoInts, command(`sh \"$PWD/sum.sh\" {a} {b}`, `"{a+b}"`), isRepeat},
		"a copy":                      {twoInts, command("mkdir t && cp sum.sh t/add.sh && sh t/add.sh {a} {b}", `"{a+b}"`), isRepeat},
		"a copy of a copy":            {twoInts, command("cp sum.sh x.sh && mv x.sh add.sh && ./add.sh {a} {b}", `"{a+b}"`), isRepeat},
		"blanks beside a value":       {twoInts, command("sh sum.sh ' {a}' '{b} '", `"{a+b}"`), isRepeat},
		"by a variable":               {twoInts, command("A={a} sh sum.sh A {b}", `"{a+b}"`), isNeither},
		"by an exported variable":     {twoInts, command("export A={a} B={b} && sh sum.sh A B", `"{a+b}"`), isNeither},
		"a variable that says more":   {twoInts, command("BY={a} sh sum.sh {b} 3", `"Sum: {a*(b+3)}"`), isNew},
		"one argument too many":       {twoInts, command("sh sum.sh {a} {b} 7", `"{a+b}"`), isRepeat},
		"a fixed case of it":          {nil, command("sh sum.sh 2 3", `"Sum: 5"`), isRepeat},
		"a constant more":             {twoInts, command("sh sum.sh {a} {b}", `"{a+b}","Sum"`), isRepeat},
		"a formula that is constant":  {twoInts, command("sh sum.sh {a} {b}", `"{a+b}","{a-a+1} sum"`), isRepeat},
		"without its arguments":       {nil, command("sh sum.sh", `"usage"`), isNeither},
		"a difference":                {twoInts, command("sh sum.sh {a} {b}", `"{a-b}"`), isNew},
		"more of the text":            {twoInts, command("sh sum.sh {a} {b}", `"The Sum: {a+b}"`), isNew},
		"three numbers":               {Values{"a": "int 2..99", "b": "int 2..99", "c": "int 2..99"}, command("sh sum.sh {a} {b} {c}", `"{a+b+c}"`), isNew},
		"another program":             {twoInts, command("sh add.sh {a} {b}", `"{a+b}"`), isNew},
		"words for numbers":           {Values{"a": "word", "b": "word"}, command("sh sum.sh {a} {b}", `"{a+b}"`), isNew},
		"another program, fixed":      {nil, command("sh add.sh 2 3", `"5"`), isNeither},
		"few values":                  {Values{"op": "one of plus|minus"}, command("sh calc.sh {op}", `"{op}"`), isNeither},
		"only the exit code is other": {Values{"a": "int 2..99"}, `{"id":"c1","kind":"command","covers":[1],"command":{"run":"sh sum.sh {a} {a}","exit":3,"output_has":["{a*2}"]}}`, isRepeat},
		// pages
		"a page":                   {Values{"y": "word"}, pageCheck("/", `{"type":"{y}","into":"New"},{"press":"Enter"},{"see":"{y}","in":"Items"}`), isRepeat},
		"anywhere":                 {Values{"x": "word"}, pageCheck("/", add+`,{"see":"{x}"}`), isRepeat},
		"another case":             {Values{"x": "word"}, pageCheck("/index.html", `{"type":"{x}","into":"textbox:NEW"},{"press":"enter"},{"see":"{x.upper()}","in":"items"}`), isRepeat},
		"aliases":                  {Values{"x": "word"}, pageCheck("/", `{"fill":"New","value":"{x}"},{"key":"Enter"},{"expect":"{x}"}`), isRepeat},
		"steps that do nothing":    {Values{"x": "word"}, pageCheck("/", `{"scroll":"down"},{"clear":"New"},{"type":"{x}","into":"New"},{"wait":1},{"shot":"a"},{"press":"Enter"},{"still":"Items"},{"hover":"Items"},{"wait":"{x}"}`), isRepeat},
		"a known deed besides":     {Values{"x": "word", "y": "word"}, pageCheck("/", `{"type":"{y}","into":"New"},`+add+`,{"see":"{x}"},{"see":"{y}"}`), isRepeat},
		"a reload before":          {Values{"x": "word"}, pageCheck("/", `{"reload":true},`+add+`,{"see":"{x}"}`), isRepeat},
		"joined":                   {Values{"x": "word", "y": "word"}, pageCheck("/", add+`,{"see":"{x}"},{"open":"/"},{"type":"{y}","into":"New"},{"press":"Enter"},{"type":"{y[:3]}","into":"Search"},{"see":"Found {y}"}`), isRepeat},
		"joined with another page": {Values{"x": "word", "a": "int 2..9", "b": "int 2..9"}, pageCheck("/", add+`,{"see":"{x}"},{"open":"/calc"},{"click_each":"{a}"},{"click":"+"},{"click_each":"{b}"},{"click":"="},{"value":"{a+b}","of":"Display"}`), isRepeat},
		"the first part":           {twoInts, pageCheck("/calc", `{"click_each":"{a}"},{"click":"+"},{"click_each":"{b}"},{"value":"{b}","of":"Display"}`), isRepeat},
		"the first part, constant": {Values{"x": "word"}, pageCheck("/", `{"type":"{x}","into":"New"},{"press":"Enter"},{"see":"Items"}`), isRepeat},
		"a fixed page":             {nil, pageCheck("/", `{"type":"milk","into":"New"},{"press":"Enter"},{"see":"milk"}`), isRepeat},
		"digits as clicks":         {nil, pageCheck("/calc", `{"click":"1"},{"click":"7"},{"click":"+"},{"click":"2"},{"click":"="},{"value":"19","of":"Display"}`), isRepeat},
		"computed input":           {Values{"k": "int 10..60"}, pageCheck("/", `{"type":"{k*5}","into":"Bill"},{"see":"Total: {10+k*5}"}`), isRepeat},
		"reads its field back":     {Values{"x": "word"}, pageCheck("/", `{"type":"{x}","into":"Title"},{"value":"{x}","of":"Title"}`), isNeither},
		"a text is clicked":        {Values{"x": "word"}, pageCheck("/", add+`,{"click":"Items"},{"see":"{x}"}`), isNeither},
		"kept":                     {Values{"x": "word"}, pageCheck("/", add+`,{"reload":true},{"see":"{x}"}`), isNew},
		"another's browser":        {Values{"x": "word"}, pageCheck("/", add+`,{"fresh":"/"},{"see":"{x}"}`), isNew},
		"gone":                     {Values{"x": "word"}, pageCheck("/", add+`,{"see":"{x}"},{"click":"Delete"},{"not_see":"{x}"}`), isNew},
		"never there":              {Values{"x": "word"}, pageCheck("/", add+`,{"click":"Delete"},{"not_see":"{x}y"}`), isNeither},
		"gone with the page":       {Values{"x": "word"}, pageCheck("/", add+`,{"see":"{x}"},{"open":"/calc"},{"not_see":"{x}"}`), isRepeat},
		"a box beside it":          {Values{"x": "word"}, pageCheck("/", add+`,{"check":"{x}"},{"see":"0 left"}`), isNew},
		"another place":            {Values{"x": "word"}, pageCheck("/", add+`,{"see":"{x}","in":"Basket"}`), isNew},
		"another field":            {Values{"x": "word"}, pageCheck("/", `{"type":"{x}","into":"Note"},{"press":"Enter"},{"see":"{x}"}`), isNew},
		"another page":             {Values{"x": "word"}, pageCheck("/notes", add+`,{"see":"{x}"}`), isNew},
		"another key":              {Values{"x": "word"}, pageCheck("/", `{"type":"{x}","into":"New"},{"click":"Add"},{"see":"{x}"}`), isNew},
		"how many":                 {Values{"x": "word"}, pageCheck("/", add+`,{"see":"{len(x)} letters"}`), isRepeat},
		"cleared display":          {twoInts, pageCheck("/calc", `{"click_each":"{a}"},{"click":"+"},{"click_each":"{b}"},{"click":"="},{"value":"{a+b}","of":"Display"},{"click":"C"},{"value":"0","of":"Display"}`), isNew},
		"only looked at":           {nil, pageCheck("/", `{"see":"About"}`), isNeither},
		"another order":            {twoInts, pageCheck("/pay", `{"type":"{b}","into":"Tip"},{"type":"{a}","into":"Bill"},{"click":"Pay"},{"see":"{a+b}"}`), isRepeat},
		// requests
		"requests":           {Values{"v": "word"}, requests(`{"method":"POST","path":"/items","body":{"n":2,"name":"{v}"},"save":{"key":"$.id"}},{"path":"/items/{key}","expect":{"has":["{v}"]}}`), isRepeat},
		"more requests":      {Values{"v": "word"}, requests(`{"method":"POST","path":"/items","body":{"n":2,"name":"{v}","more":1},"save":{"key":"$.id"}},{"path":"/items"},{"path":"/items/{key}","expect":{"json":{"$.name":"{v}"}}}`), isNeither},
		"kept by the server": {Values{"v": "word"}, requests(`{"method":"POST","path":"/items","body":{"name":"{v}","n":2},"save":{"id":"$.id"}},{"restart":true},{"path":"/items/{id}","expect":{"json":{"$.name":"{v}"}}}`), isNew},
		"another member":     {Values{"v": "word"}, requests(`{"method":"POST","path":"/items","body":{"name":"{v}","n":2},"save":{"id":"$.id"}},{"path":"/items/{id}","expect":{"json":{"$.slug":"{v.upper()}"}}}`), isNew},
	}
	olds := passing(t)
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			k := varied(t, c.vars, nil, c.check)
			n, ok := k.Novelty(olds)["c1"]
			if got := worth(n); got != c.want || !ok {
				t.Errorf("%s, %v (shared with %v), want %s", got, ok, n.Features(), c.want)
			}
			if n := k.Novelty(nil)["c1"]; n.Repeats || len(n.Features()) > 0 {
				t.Error("it repeats something where there is nothing")
			}
		})
	}
}

// A module is its file, however Python is asked to run it.
func TestNoveltyOfModules(t *testing.T) {
	old := varied(t, twoInts, nil, command("python3 -m shop.calc {a} {b}", `"{a+b}"`))
	pkg := varied(t, twoInts, nil, command("python3 calc {a} {b}", `"{a+b}"`))
	for _, run := range []string{"python3 -B shop/calc.py", "python3 -Bm shop.calc", "cd shop && python3 -W ignore calc.py", "python3 shop/calc/__main__.py", "python3 calc"} {
		c := varied(t, twoInts, nil, command(run+" {a} {b}", `"{a+b}"`))
		for _, o := range []*Contract{old, pkg} {
			if n := c.Novelty([]*Contract{o})["c1"]; !n.Repeats {
				t.Errorf("%s: %s", run, worth(n))
			}
		}
	}
}

// Checks are compared one by one, with all features that pass.
func TestNoveltyOfSeveral(t *testing.T) {
	page := pageCheck("/", `{"type":"{y}","into":"New"},{"press":"Enter"},{"see":"{y}"}`)
	k := varied(t, Values{"p": "int 2..99", "q": "int 2..99", "y": "word", "z": "word"}, nil, page+
		strings.Replace(`,`+command("sh sum.sh {p} {q}", `"{p+q}"`), `"c1"`, `"c2"`, 1)+
		strings.Replace(`,`+command("sh greet.sh {z}", `"hello {z}"`), `"c1"`, `"c3"`, 1))
	seen := k.Novelty(passing(t))
	if !seen["c1"].Repeats || !seen["c2"].Repeats || !seen["c3"].New {
		t.Errorf("%+v", seen)
	}
	if got := strings.Join(seen["c2"].Features(), " "); got != "F001" {
		t.Errorf("the sum is shared with %s", got)
	}
}

// What a check shares with others was there where one of them passed.
func TestNoveltyWithin(t *testing.T) {
	k := varied(t, Values{"x": "word"}, nil, pageCheck("/", `{"type":"{x}","into":"New"},{"press":"Enter"},{"see":"{x}"},{"click":"Items"},{"see":"Items"}`))
	n := k.Novelty(passing(t))["c1"]
	for id, want := range map[string]bool{"F001": false, "F002": true} {
		if got := n.Within(func(f string) bool { return f == id }); got != want {
			t.Errorf("within %s: %v", id, got)
		}
	}
	if n := (Novelty{}); !n.Within(func(string) bool { return false }) {
		t.Error("what shares nothing needs nobody")
	}
}

// What is done many times over is the same in many ways, and all of them are
// looked at.
func TestNoveltyOfRepeatedClicks(t *testing.T) {
	times := func(n int) string { return strings.Repeat(`{"click":"More"},`, n) }
	old := varied(t, nil, nil, pageCheck("/", times(5)+`{"see":"5","in":"Count"}`))
	c := varied(t, Values{"x": "word"}, nil, pageCheck("/", times(16)+`{"type":"{x}","into":"Name"},{"click":"Save"},{"see":"Saved {x}"}`))
	if n := c.Novelty([]*Contract{old})["c1"]; !n.New {
		t.Errorf("%+v", n)
	}
}

// Two checks that are alike in a hundred ways are compared in bounded time.
func TestNoveltyIsBounded(t *testing.T) {
	vars := Values{"a": "word", "b": "words 6", "c": "word", "d": "int 2..99"}
	for name, check := range map[string]string{
		"many": pageCheck("/", strings.Repeat(`{"type":"{a}{b}{c}{d}","into":"New"},`, 50)+`{"see":"{a}{b}{c}{d}"}`),
		"long": strings.Replace(command("sh x.sh", `"{a}{b}{c}{d}"`), `"exit"`, `"stdin":"`+strings.Repeat("x y {a}{b}{c}{d} ", 2500)+`","exit"`, 1),
	} {
		c := varied(t, vars, nil, check)
		begun := time.Now()
		if n := c.Novelty([]*Contract{c})["c1"]; n.New {
			t.Errorf("%s: it is new beside itself", name)
		}
		if took := time.Since(begun); took > 10*time.Second {
			t.Errorf("%s: it took %s", name, took)
		}
	}
}

func FuzzNovelty(f *testing.F) {
	f.Add(`{"type":"{x}","into":"New"},{"press":"Enter"},{"see":"{x}"}`, "word")
	f.Add(`{"click_each":"button:{x}"},{"value":"{x*2}","of":"Display"}`, "int 2..99")
	f.Add(`"click {x}",{"drag":"{x}","to":"b"},{"popup":true},{"see":"{x}"}`, "one of a|b")
	f.Fuzz(func(t *testing.T, steps, kind string) {
		vars, _ := json.Marshal(Values{"x": kind})
		c, err := Parse([]byte(`{"version":1,"feature":"F009","revision":1,"vars":` + string(vars) + `,"checks":[` + pageCheck("/", steps) + `]}`))
		if err != nil {
			return
		}
		other := c.Next(2)
		other.Feature = "F008"
		for id, n := range c.Novelty([]*Contract{other}) {
			if n.New {
				t.Errorf("check %s is new beside itself: %s", id, steps)
			}
		}
	})
}

// What could not be compared whole may have more in common with others than is
// known, so that it failed elsewhere shows nothing.
func TestNoveltyPartly(t *testing.T) {
	yes := func(string) bool { return true }
	clicks := func(names ...string) string {
		var steps []string
		for _, n := range names {
			steps = append(steps, `{"click_each":"{`+n+`}"},{"click":"+"}`)
		}
		return pageCheck("/", strings.Join(steps, ",")+`,{"see":"{`+strings.Join(names, "+")+`}"}`)
	}
	vars := Values{"a": "int 100000..999999", "b": "int 100000..999999", "c": "int 100000..999999", "d": "int 100000..999999"}
	old, c := varied(t, vars, nil, clicks("a", "b", "c", "d")), varied(t, vars, nil, clicks("d", "c", "b", "a"))
	n := c.Novelty([]*Contract{old})["c1"]
	if !n.partly || n.New || n.Within(yes) {
		t.Errorf("a comparison that was cut counts as whole: %+v", n)
	}
	if n := old.Novelty([]*Contract{varied(t, Values{"x": "word"}, nil, pageCheck("/", `{"type":"{x}","into":"New"},{"see":"{x}"}`))})["c1"]; n.partly || !n.Within(yes) {
		t.Errorf("a whole comparison counts as cut: %+v", n)
	}
}
