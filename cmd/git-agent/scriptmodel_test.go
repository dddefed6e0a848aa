package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/ollama/ollama/api"
	"github.com/ollama/ollama/types/model"
	"github.com/rogpeppe/go-internal/testscript"

	"gitagent/internal/model/modeltest"
)

// script says what a scripted model answers. Each list is used in its order and
// its last entry for ever.
type script struct {
	// Areas and Features are the planner's answers, Contract those to requests
	// for a contract: a list, or one list for each feature. Without any, those
	// of testdata/sums.contracts.json. {"meanwhile": COMMAND} in a list is run
	// before the next answer of it is given.
	Areas    []json.RawMessage            `json:"areas"`
	Features []json.RawMessage            `json:"features"`
	Contract []json.RawMessage            `json:"contract"`
	ByID     map[string][]json.RawMessage `json:"contracts"`
	// Replies are the executor's: each an object with one tool call,
	// {"write_file": {"path": …}}, or a list of those, or one of
	//	{"say": TEXT}               prose, or a call that is printed as text
	//	{"fail": STATUS, "error": TEXT}
	//	{"cut": true}               the connection breaks
	// "meanwhile": COMMAND beside any of them is run in $WORK by sh before the
	// answer is given: what a person does while the model thinks.
	Replies []json.RawMessage `json:"replies"`
	Context int               `json:"context"` // tokens
	NoTools bool              `json:"no_tools"`
	Models  []string          `json:"models"`
}

//go:embed testdata/sums.contracts.json
var sumsContracts []byte

type modelKey struct{}

// scripted is a script being played.
type scripted struct {
	script
	srv  *modeltest.Server
	dir  string
	env  []string
	fail func(format string, args ...any)

	mu    sync.Mutex
	turns map[string]int

	beside sync.WaitGroup // what "meanwhile" runs
}

// startModel starts a model for the rest of the story, or until the next one.
func startModel(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: model FILE.json")
	}
	env, _ := ts.Value(envKey{}).(*testscript.Env)
	t := env.T().(testing.TB) // testscript.Run promises that
	m := &scripted{dir: ts.Getenv("WORK"), turns: map[string]int{}, fail: t.Errorf}
	dec := json.NewDecoder(strings.NewReader(ts.ReadFile(filepath.Join(m.dir, args[0]))))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&m.script); err != nil {
		ts.Fatalf("%s: %v", args[0], err)
	}
	if m.Contract == nil && m.ByID == nil {
		ts.Check(json.Unmarshal(sumsContracts, &m.ByID))
	}
	m.srv = modeltest.New(t, m.answer)
	if m.Context > 0 {
		m.srv.Trained = m.Context
	}
	if m.NoTools {
		m.srv.Capabilities = []model.Capability{model.CapabilityCompletion}
	}
	if m.Models != nil {
		m.srv.Models = m.Models
	}
	ts.Setenv("OLLAMA_HOST", m.srv.URL)
	for _, name := range []string{"WORK", "PATH", "HOME", "TMPDIR", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "GIT_CONFIG_NOSYSTEM", "LC_ALL", "TERM", "OLLAMA_HOST"} {
		m.env = append(m.env, name+"="+ts.Getenv(name))
	}
	env.Values[modelKey{}] = m
}

type envKey struct{}

// answer is the policy of the fake server.
func (m *scripted) answer(_ int, req api.ChatRequest) modeltest.Step {
	if len(req.Format) > 0 {
		return m.structured(req)
	}
	raw := m.next("replies", m.Replies)
	step, err := m.reply(raw)
	if err != nil {
		m.fail("the model's script: %s: %v", raw, err)
		return modeltest.Fail(418, err.Error())
	}
	return step
}

// structured answers a request whose answer has to have a form.
func (m *scripted) structured(req api.ChatRequest) modeltest.Step {
	for _, kind := range []struct {
		mark, name string
		list       []json.RawMessage
	}{{`"areas"`, "areas", m.Areas}, {`"features"`, "features", m.Features}, {`"checks"`, "contract", m.Contract}} {
		if !bytes.Contains(req.Format, []byte(kind.mark)) {
			continue
		}
		if kind.name == "contract" && kind.list == nil {
			_, rest, _ := strings.Cut(said(req), "\nFeature ")
			kind.name, _, _ = strings.Cut(rest, ":")
			kind.list = m.ByID[kind.name]
		}
		text := m.next(kind.name, kind.list)
		var event struct{ Meanwhile string }
		if json.Unmarshal(text, &event) == nil && event.Meanwhile != "" {
			if err := m.meanwhile(event.Meanwhile); err != nil {
				m.fail("the model's script: %v", err)
			}
			text = m.next(kind.name, kind.list)
		}
		if text != nil {
			return modeltest.Say(unquoted(text))
		}
		m.fail("the model's script has no answer of the kind %s", kind.name)
	}
	return modeltest.Fail(418, "the script has no answer")
}

// unquoted is the text of a JSON string, or any other JSON as it stands: an
// answer may be garbage.
func unquoted(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

// next takes the next entry of a list; nil where there is none.
func (m *scripted) next(name string, list []json.RawMessage) json.RawMessage {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(list) == 0 {
		return nil
	}
	n := m.turns[name]
	m.turns[name]++
	return list[min(n, len(list)-1)]
}

func (m *scripted) reply(raw json.RawMessage) (modeltest.Step, error) {
	var parts []map[string]json.RawMessage
	if json.Unmarshal(raw, &parts) != nil {
		var one map[string]json.RawMessage
		if err := json.Unmarshal(raw, &one); err != nil {
			return modeltest.Step{}, err
		}
		parts = append(parts, one)
	}
	var s modeltest.Step
	for _, part := range parts {
		if len(part) == 0 {
			return s, fmt.Errorf("an empty reply")
		}
		for key, value := range part {
			var err error
			if s, err = m.part(s, key, value); err != nil {
				return s, err
			}
		}
	}
	return s, nil
}

// part adds one thing to a reply.
func (m *scripted) part(s modeltest.Step, key string, value json.RawMessage) (modeltest.Step, error) {
	switch key {
	case "meanwhile":
		return s, m.meanwhile(unquoted(value))
	case "say":
		s.Text = unquoted(value)
	case "error":
		s.Error = unquoted(value)
	case "fail":
		return s, json.Unmarshal(value, &s.Status)
	case "cut":
		s.Cut = true
	default:
		var args api.ToolCallFunctionArguments
		if err := json.Unmarshal(value, &args); err != nil {
			return s, err
		}
		s = s.And(key)
		s.Calls[len(s.Calls)-1].Function.Arguments = args
	}
	return s, nil
}

// meanwhile does what a person does while the model thinks.
func (m *scripted) meanwhile(command string) error {
	m.beside.Add(1)
	defer m.beside.Done()
	cmd := exec.Command("/bin/sh", "-ec", command)
	cmd.Dir, cmd.Env = m.dir, m.env
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("meanwhile %s: %w\n%s", command, err, out)
	}
	return nil
}

// settled waits until what ran beside the session has ended, which may be later
// than the session itself.
func settled(ts *testscript.TestScript, neg bool, args []string) {
	m, _ := ts.Value(modelKey{}).(*scripted)
	if neg || len(args) != 0 || m == nil {
		ts.Fatalf("usage: settled, after model")
	}
	m.beside.Wait()
}

// heard is everything that the model was told, message by message; a message
// that was sent again and again is there once for each conversation.
func (m *scripted) heard() string {
	var b strings.Builder
	seen := map[string]bool{}
	for _, req := range m.srv.Chats() {
		if text := said(req); !seen[text] {
			seen[text] = true
			b.WriteString(text)
		}
	}
	return b.String()
}

// said is one request in words.
func said(req api.ChatRequest) string {
	var b strings.Builder
	for _, msg := range req.Messages {
		fmt.Fprintf(&b, "[%s]\n%s\n", msg.Role, msg.Content)
	}
	return b.String()
}

// TestSums holds the built-in answers to the form that the stories rely on.
func TestSums(t *testing.T) {
	var contracts map[string][]json.RawMessage
	if err := json.Unmarshal(sumsContracts, &contracts); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat("testdata/sums.json"); err != nil || len(contracts) < 2 {
		t.Fatalf("the list of sums has %d contracts: %v", len(contracts), err)
	}
}
