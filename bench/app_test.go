package bench

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gitagent/internal/verify"
)

const small = `Says hello.
-- features.json --
[{"id":"F001","category":"functional","description":"It greets.","steps":["Run \"sh hello.sh Ann\"; it prints \"Hello, Ann\""]}]
-- contracts.json --
{"F001":{"checks":[{"id":"c1","kind":"command","covers":[1],"command":{"run":"sh hello.sh Ann","exit":0,"stdout_has":["Hello, Ann"]}}]}}
-- right/hello.sh --
who=$1
echo "Hello, $who"
-- wrong/a --
why: a part of a line
fails: F001
in: hello.sh
<<<<<<<
Hello, $who
=======
Hi, $who
>>>>>>>
-- wrong/b --
why: two edits, one of them of two lines
fails: F001 unverified
in: hello.sh
<<<<<<<
who
=$1
=======
>>>>>>>
-- wrong/c --
why: nothing is left
fails: F001
in: hello.sh
<<<<<<<
who=$1
echo "Hello, $who"
=======
>>>>>>>
`

func TestParse(t *testing.T) {
	good := strings.Replace(small, "who\n=$1\n=======\n", "who=$1\n=======\nwho=$2\n>>>>>>>\n<<<<<<<\necho \"Hello\n=======\necho \"Hey\n", 1)
	a, err := Parse("hello", []byte(good))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"who=$1\necho \"Hi, $who\"\n", "who=$2\necho \"Hey, $who\"\n", "\n"} {
		if got := string(a.Wrong[i].Tree["hello.sh"]); got != want {
			t.Errorf("%s: %q", a.Wrong[i].Name, got)
		}
	}
	if a.Wrong[0].Fails["F001"] != verify.Fail || a.Wrong[1].Fails["F001"] != verify.Unverified {
		t.Errorf("%+v", a.Wrong)
	}
	if string(a.Right["hello.sh"]) != "who=$1\necho \"Hello, $who\"\n" {
		t.Error("the right solution was edited")
	}
	for name, text := range map[string]string{
		"no such text":       small,
		"twice":              strings.Replace(good, "Hello, $who\n=======\nHi", "who\n=======\nHi", 1),
		"no such feature":    strings.Replace(good, "fails: F001\n", "fails: F002\n", 1),
		"no such file":       strings.Replace(good, "in: hello.sh", "in: hallo.sh", 1),
		"no reason":          strings.Replace(good, "why: nothing is left\n", "", 1),
		"without an end":     strings.Replace(good, ">>>>>>>\n-- wrong/b", "-- wrong/b", 1),
		"without a contract": strings.Replace(good, `{"F001":{"checks"`, `{"F002":{"checks"`, 1),
		"two wrong ones":     strings.Replace(good, "-- wrong/c --", "-- right/c --", 1),
		"another file":       strings.Replace(good, "-- wrong/c --", "-- c --", 1),
	} {
		if _, err := Parse("hello", []byte(text)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(small))
	f.Add([]byte(strings.Replace(small, "who\n=$1", "who=$1", 1)))
	f.Fuzz(func(t *testing.T, data []byte) {
		a, err := Parse("x", data)
		if err == nil && (len(a.Wrong) < 3 || len(a.Right) == 0 || len(a.Features) != len(a.Contracts)) {
			t.Fatalf("accepted: %q", data)
		}
	})
}

func TestProduct(t *testing.T) {
	dir := t.TempDir()
	want := Tree{"index.html": []byte("a"), "src/app.js": []byte("b")}
	if err := want.Write(dir); err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{".git/config", "features.json", ".agent/contracts/F001.json", "node_modules/x/x.js"} {
		p = filepath.Join(dir, p)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := Product(dir)
	if err != nil || len(got) != 2 || string(got["src/app.js"]) != "b" {
		t.Fatalf("%v %v", got, err)
	}
	if err := want.Write(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, ".git")); err == nil {
		t.Error("what else was in the folder is still there")
	}
}
