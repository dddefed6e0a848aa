package runner

import "testing"

func FuzzGoEvents(f *testing.F) {
	f.Add([]byte(`{"Action":"pass","Package":"p","Test":"TestA"}` + "\n" + `{"Action":"pass","Package":"p","Test":"TestGitAgentEnd_x"}` + "\n" + `{"Action":"pass","Package":"p"}`))
	f.Add([]byte(`{"Action":"run","Package":"p","Test":"TestA"}` + "\n" + `{"Action":"pass","Package":"p","Test":"TestA"}` + "\nwords\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		e := readGoEvents(data, "TestGitAgentEnd_x", "a word that nobody knows")
		if e.unfinished([]goPackage{{ImportPath: "p", TestGoFiles: []string{"a"}}}) == "" && e.packages["p"] == "pass" {
			t.Fatal("finished without the end test")
		}
		for id, result := range e.results() {
			if result == Pass {
				t.Fatalf("%s passes without the end test", id)
			}
		}
	})
}

func FuzzNodeEvents(f *testing.F) {
	f.Add([]byte(`{"t":"file","file":"/r/a.js"}` + "\n" + `{"t":"start","file":"/r/a.js","name":"x","nesting":0}` + "\n" + `{"t":"end","file":"/r/a.js","name":"x","nesting":0,"result":"pass"}` + "\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if readNodeEvents(data, "/r", "a nonce that nobody knows").unfinished() == "" {
			t.Fatal("finished without the nonce")
		}
	})
}
