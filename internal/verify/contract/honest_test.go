package contract

import (
	"strings"
	"testing"

	"gitagent/features"
)

// Steps as people write them, and contracts that an honest model gives for them:
// none may be refused.
func TestHonestContracts(t *testing.T) {
	page := func(covers string, steps ...string) string {
		return `{"kind":"page","covers":` + covers + `,"open":"/","steps":[` + strings.Join(steps, ",") + `]}`
	}
	do := func(verb, what, in string) string {
		return `{"do":"` + verb + `","what":"` + what + `","in":"` + in + `"}`
	}
	command := func(covers, run, stdin, want string) string {
		return `{"kind":"command","covers":` + covers + `,"run":"` + run + `","stdin":"` + stdin + `","exit":0,"stdout_has":["` + want + `"]}`
	}
	for name, c := range map[string]struct {
		steps  []string
		checks []string
	}{
		"countdown": {[]string{"Open the page", "Press Start", "After two seconds the display shows less than 25:00"},
			[]string{page("[1,2,3]", do("see", "25:00", ""), do("click", "Start", ""), do("not_see", "25:00", ""), do("see", "24:5", "Display"))}},
		"list": {[]string{"Open the page", `Type "milk" into "New item" and press "Enter"`, `The list shows "milk"`, "Reload the page", `The list still shows "milk"`},
			[]string{page("[1,2,3,4,5]", do("type", "milk", "New item"), do("press", "Enter", ""), do("see", "milk", "list"), do("reload", "", ""), do("see", "milk", "list"))}},
		"list in two checks": {[]string{`Type "milk" into "New item" and press "Add": it shows "milk"`, `Reload the page: it still shows "milk"`},
			[]string{page("[1]", do("type", "milk", "New item"), do("click", "Add", ""), do("see", "milk", "")), page("[2]", do("type", "milk", "New item"), do("click", "Add", ""), do("reload", "", ""), do("see", "milk", ""))}},
		"delete": {[]string{`Add "milk"`, `Click the "Delete" button next to "milk"`, `"milk" disappears and the page shows "Nothing to buy"`},
			[]string{page("[1,2,3]", do("type", "milk", "New item"), do("click", "Add", ""), do("click", "Delete", "milk"), do("not_see", "milk", ""), do("see", "Nothing to buy", ""))}},
		"calculator": {[]string{`Press "7", "+", "8" and "="`, `The display shows "15"`, `Press "C": the display shows "0"`},
			[]string{page("[1,2,3]", do("click", "7", ""), do("click", "+", ""), do("click", "8", ""), do("click", "=", ""), do("see", "15", "Display"), do("click", "C", ""), do("see", "0", "Display"))}},
		"colour": {[]string{`Select "Red" from "Colour" and tick "Large"`, `The summary reads "Large, Red"`},
			[]string{page("[1,2]", do("select", "Red", "Colour"), do("check", "Large", ""), do("see", "Large, Red", "summary"))}},
		"static": {[]string{"Open the page", `The heading reads "Score board"`, `There is a button "Add player"`},
			[]string{page("[1,2,3]", do("see", "Score board", ""), do("see", "Add player", ""))}},
		"greeting": {[]string{"Run python3 greet.py", `Enter "Zoë" when asked for the name`, `It prints "Hello, Zoë"`},
			[]string{command("[1,2,3]", "python3 greet.py", "Zoë\\n", "Hello, Zoë")}},
		"todo": {[]string{"Run node todo.js add milk", "Run node todo.js list: it prints \"1. milk\""},
			[]string{command("[1,2]", "rm -f todo.json && node todo.js add milk && node todo.js list", "", "1. milk")}},
		"todo in two": {[]string{"Run node todo.js add milk, it prints \"added milk\"", "Run node todo.js --count, it prints \"0\""},
			[]string{command("[1]", "node todo.js add milk", "", "added milk"), command("[2]", "rm -f todo.json && node todo.js --count", "", "0")}},
		"quoted command": {[]string{"Run `node calc.js 3 + 5`; the output is `8`", "Running `node calc.js` without arguments shows \"usage\""},
			[]string{command("[1]", "node calc.js 3 + 5", "", "8"), command("[2]", "node calc.js", "", "usage")}},
		"go":      {[]string{`Run go run . 20 and it prints "40"`}, []string{command("[1]", "go run . 20", "", "40")}},
		"library": {[]string{`add(2, 3) returns "5"`}, []string{command("[1]", "node -e \\\"import('./add.mjs').then(m => console.log(m.add(2, 3)))\\\"", "", "5")}},
		"export": {[]string{`Run node app.js export out.csv`, `out.csv contains "name,points"`},
			[]string{command("[1,2]", "node app.js export out.csv && cat out.csv", "", "name,points")}},
		"tests": {[]string{"All unit tests pass"}, []string{command("[1]", "node --test", "", "")}},
	} {
		f := features.Feature{ID: "F001", Steps: c.steps}
		got, err := FromModel([]byte(`{"checks":[`+strings.Join(c.checks, ",")+`]}`), f)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, p := range got.Validate(f) {
			t.Errorf("%s: %s", name, p)
		}
	}
}
