package crashtest

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/ollama/ollama/api"

	"gitagent/internal/model/modeltest"
)

const list = `[
 {"category":"functional","description":"sum.sh adds two numbers","steps":["Run sh sum.sh 2 3","It prints \"5\"","Run sh sum.sh 40 2 and it prints \"42\""],"passes":false},
 {"category":"functional","description":"twice.sh doubles a number","steps":["Run sh twice.sh 21 and it prints \"42\"","Run sh twice.sh 8 and it prints \"16\""],"passes":false}
]`

const sumContract = `{"checks":[
 {"kind":"command","covers":[1,2],"run":"sh sum.sh 2 3","stdin":"","stdout_has":["5"],"exit":0},
 {"kind":"command","covers":[3],"run":"sh sum.sh 40 2","stdin":"","stdout_has":["42"],"exit":0}]}`

const twiceContract = `{"checks":[
 {"kind":"command","covers":[1],"run":"sh twice.sh 21","stdin":"","stdout_has":["42"],"exit":0},
 {"kind":"command","covers":[2],"run":"sh twice.sh 8","stdin":"","stdout_has":["16"],"exit":0}]}`

var (
	giveUp = []modeltest.Step{modeltest.Use("end_session", "status", "blocked", "reason", "I do not know how")}
	done   = modeltest.Use("end_session", "status", "done", "reason", "it works")

	// sumWork builds the first feature. It makes new files around a changed one,
	// so that a landing has a middle.
	sumWork = []modeltest.Step{
		modeltest.Use("write_file", "path", "aa/first.txt", "content", "first\n").And("write_file", "path", "lib.txt", "content", "one\ntwo\nthree\n").
			And("write_file", "path", "zz.txt", "content", "last\n").And("write_file", "path", "sum.sh", "content", "echo $(($1 + $2))\n"),
		modeltest.Use("run_command", "command", "sh sum.sh 2 3"),
		done,
	}
	// work builds the feature that it is asked for: the second one is no more
	// than begun with the first.
	work = append([]modeltest.Step{sumWork[0].And("write_file", "path", "twice.sh", "content", "exit 1\n")}, sumWork[1:]...)
	// workFiles are what work changes.
	workFiles = []string{"aa/first.txt", "lib.txt", "sum.sh", "twice.sh", "zz.txt"}
)

// mind is a model with a script; its last reply is repeated.
type mind struct {
	srv *modeltest.Server

	mu      sync.Mutex
	replies []modeltest.Step
	said    int
	// asked, when set, is told of every request before it is answered: "contract"
	// or the number of the reply.
	asked func(contract bool, reply int)
}

func newMind(t testing.TB, replies []modeltest.Step) *mind {
	m := &mind{replies: replies}
	m.srv = modeltest.New(t, m.answer)
	return m
}

func (m *mind) env() []string { return []string{"OLLAMA_HOST=" + m.srv.URL} }

func (m *mind) answer(_ int, req api.ChatRequest) modeltest.Step {
	m.mu.Lock()
	asked, n := m.asked, m.said
	if len(req.Format) == 0 {
		m.said++
	}
	m.mu.Unlock()
	if asked != nil {
		asked(len(req.Format) > 0, n)
	}
	second := slices.ContainsFunc(req.Messages, func(msg api.Message) bool { return strings.Contains(msg.Content, "Feature F002:") })
	switch {
	case len(req.Format) == 0 && n == 0 && second:
		return m.replies[0].And("write_file", "path", "twice.sh", "content", "echo $(($1 * 2))\n")
	case len(req.Format) == 0:
		return m.replies[min(n, len(m.replies)-1)]
	case second:
		return modeltest.Say(twiceContract)
	}
	return modeltest.Say(sumContract)
}
