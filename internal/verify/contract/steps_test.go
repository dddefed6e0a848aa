package contract

import (
	"strings"
	"testing"

	"gitagent/features"
)

func TestCause(t *testing.T) {
	steps := []string{`Open the page: it shows "0"`, `Type "2" into "First"`, `Press "Add"`, `The page shows "2"`, `The footer shows "me"`, `Press "Reset", and the page shows "0"`,
		`The title still shows "Sums"`, `Reload the page`, `The page shows "0"`, "Run sh sum.sh 2 3", `It prints "5"`, `Press "Add": the list shows "a"`, `The footer shows "me"`}
	for n, want := range map[int]int{1: 0, 2: 0, 4: 3, 5: 0, 6: 6, 7: 0, 9: 0, 11: 10, 12: 12, 13: 0} {
		if got := cause(steps, n); got != want {
			t.Errorf("step %d: cause %d, want %d", n, got, want)
		}
	}
}

func TestWhatAStepDoes(t *testing.T) {
	cases := map[string]string{ // step → objects of its actions
		`Press "7", "+" and "8": the display shows "15"`: "7 + 8",
		`Press '7', '+' and '8'`:                         "7 + 8",
		`Type "milk" into "New item" and press "Enter"`:  "milk Enter",
		`Click the red "Save" button`:                    "Save",
		`Click Delete right next to "milk"`:              "",
		`The user selects "Red"`:                         "Red",
		`Open "/about"`:                                  "",
		`The press release "News" is there`:              "",
		`The list shows "type \"x\""`:                    "",
	}
	for step, want := range cases {
		var got []string
		for _, v := range valuesOf(step) {
			if v.done {
				got = append(got, v.text)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %q", step, got, want)
		}
	}
	for step, want := range map[string]bool{
		"Open the page": false, "Fill in the form": true, "Then press Enter": true, "After clicking Add the list grows": true,
		`The button "Press me" is there`: false, "The list is sorted by type": false, "Select all": true, "A user types a name": true,
	} {
		if acts(step) != want {
			t.Errorf("%s: acts = %v", step, !want)
		}
	}
}

func TestRunIn(t *testing.T) {
	for step, want := range map[string]string{
		"Run sh sum.sh 40 2 and it prints 42":     "sum.sh 40 2",
		"Run `node ./cli/add.js --all -1, twice`": "./cli/add.js --all -1",
		"Run node ./cli/add.js --all -1, twice":   "./cli/add.js --all -1",
		"Running ./calc 3.5 shows 7":              "./calc 3.5",
		"Run app.py 3 times":                      "app.py",
		"Run the timer for 3 seconds":             "",
		"Run node todo.js add milk":               "todo.js",
		"Run the program with 2 and 3":            "",
		"Open index.html":                         "",
		`Press "Run app.py"`:                      "",
	} {
		if got := strings.Join(runIn(step), " "); got != want {
			t.Errorf("%s: %q, want %q", step, got, want)
		}
	}
}

// Contracts that hold the words of the steps and would pass without the work.
func TestContractsThatProveNothing(t *testing.T) {
	add := features.Feature{ID: "F001", Steps: []string{"Open the page", `Type "2" into "First" and "3" into "Second"`, `Press "Add"`, `The page shows "5"`}}
	gone := features.Feature{ID: "F001", Steps: []string{`Press "Delete": the list no longer shows "milk"`}}
	sum := features.Feature{ID: "F001", Steps: []string{"Run sh sum.sh 2 3", `It prints "5"`, `Run sh sum.sh 40 2 and it prints "42"`}}
	greet := features.Feature{ID: "F001", Steps: []string{"Enter test as the name and a greeting appears"}}
	say := features.Feature{ID: "F001", Steps: []string{`Run say.sh with "milk" and it prints "milk"`}}
	list := features.Feature{ID: "F001", Steps: []string{`Type "milk" into "New" and press "Enter": the list shows "milk"`}}
	serve := features.Feature{ID: "F001", Steps: []string{"Start node server.js", `The page shows "Hello"`}}
	api := features.Feature{ID: "F001", Steps: []string{`Run node server.js; GET /api returns "ok"`}}
	fill := `{"do":"type","what":"2","in":"First"},{"do":"type","what":"3","in":"Second"},{"do":"click","what":"Add","in":""},`
	page := func(covers, open, steps string) string {
		return `{"kind":"page","covers":` + covers + `,"open":"` + open + `","steps":[` + steps + `]}`
	}
	see := func(do, what, in string) string { return `{"do":"` + do + `","what":"` + what + `","in":"` + in + `"}` }
	command := func(covers, run, want string) string {
		return `{"kind":"command","covers":` + covers + `,"run":"` + run + `","stdin":"","exit":0,"stdout_has":[` + want + `]}`
	}
	cases := map[string]struct {
		f      features.Feature
		checks string
		want   string // "" = fine
	}{
		"honest":              {add, page("[1,2,3,4]", "/", fill+see("see", "5", "")), ""},
		"looked at in a list": {add, page("[1,2,3,4]", "/", fill+see("see", "5", "Result")), ""},
		"words in the path":   {add, page("[1,2,3,4]", "/?2&3&First&Second&Add", see("see", "5", "")), "no check that covers step 2 does it"},
		"only looks": {add, page("[1,2,3,4]", "/", see("see", "2", "")+","+see("see", "3", "")+","+see("see", "First", "")+","+see("see", "Second", "")+","+see("see", "Add", "")+","+see("see", "5", "")),
			"no check that covers step 2 does it"},
		"looks in another check":   {add, page("[1,2,3]", "/", fill+see("see", "Done", "")) + "," + page("[4]", "/", see("see", "5", "")), "step 4 is what step 3 leads to"},
		"wants it absent":          {add, page("[1,2,3,4]", "/", fill+see("not_see", "5", "")+","+see("see", "Done", "")), `step 4 says that "5" is shown, but`},
		"looks before":             {add, page("[1,2,3,4]", "/", see("see", "5", "")+","+fill+see("see", "Done", "")), "shown after an action"},
		"reads back what it typed": {add, page("[1,2,3,4]", "/", `{"do":"type","what":"5","in":"Result"},`+fill+see("value", "5", "textbox:Result")), "shown after an action"},
		"names the place":          {add, page("[1,2,3,4]", "/", fill+see("see", "Done", "5")), `step 4 says that "5" is shown, but`},
		"presses another":          {add, page("[1,2,3,4]", "/", strings.Replace(fill, `"what":"Add"`, `"what":"First"`, 1)+see("see", "Add", "")+","+see("see", "5", "")), `does something with "Add"`},
		"gone":                     {gone, page("[1]", "/", see("click", "Delete", "milk")+","+see("not_see", "milk", "")), ""},
		"runs it":                  {sum, command("[1,2]", "sh sum.sh 2 3", `"5"`) + "," + command("[3]", "cd x && sh ../sum.sh 40 2", `"42"`), ""},
		"runs another program":     {sum, command("[1,2]", "sh a.sh", `"5"`) + "," + command("[3]", "sh sum.sh 40 2", `"42"`), `step 1 runs "sum.sh 2 3"`},
		"one run for both":         {sum, command("[1,2,3]", "sh sum.sh 2 3", `"5","42"`), `step 3 runs "sum.sh 40 2"`},
		"other arguments":          {sum, command("[1,2]", "sh sum.sh 5", `"5"`) + "," + command("[3]", "sh sum.sh 40 2", `"42"`), `step 1 runs "sum.sh 2 3"`},
		"prints in another check":  {sum, command("[1]", "sh sum.sh 2 3", `"x"`) + "," + command("[2]", "sh b.sh", `"5"`) + "," + command("[3]", "sh sum.sh 40 2", `"42"`), "step 2 is what step 1 leads to"},
		"told the answer":          {sum, command("[1,2]", "sh sum.sh 2 3 5", `"5"`) + "," + command("[3]", "sh sum.sh 40 2", `"42"`), "gives it to the program"},
		"repeats what it is given": {say, command("[1]", "sh say.sh milk", `"milk"`), ""},
		"types and shows":          {list, page("[1]", "/", see("type", "milk", "New")+","+see("press", "Enter", "")+","+see("see", "milk", "")), ""},
		"types and looks away":     {list, page("[1]", "/", see("type", "milk", "New")+","+see("press", "Enter", "")+","+see("see", "Added", "")), `step 1 says that "milk" is shown`},
		"a server's page":          {serve, page("[1]", "/", see("see", "Hello", "")) + "," + page("[2]", "/", see("see", "Hello", "")), ""},
		"a server's answer":        {api, command("[1]", "curl -s http://localhost:$PORT/api", `"ok"`), ""},
		"its own tests":            {greet, `{"kind":"command","covers":[1],"run":"node --test","stdin":"","exit":0,"stdout_has":[]}`, "covered only by a test run"},
	}
	for name, k := range cases {
		c, err := FromModel([]byte(`{"checks":[`+k.checks+`]}`), k.f)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var all []string
		for _, p := range c.Validate(k.f) {
			all = append(all, p.String())
		}
		got := strings.Join(all, "; ")
		if (k.want == "") != (got == "") || !strings.Contains(got, k.want) {
			t.Errorf("%s: %q, want %q", name, got, k.want)
		}
	}
}
