package runner

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// event is a line of the reports that the harness's own scripts write.
type event struct {
	T      string `json:"t"` // test, list, canary, note or end
	ID     string `json:"id"`
	Result string `json:"result"`
	Text   string `json:"text"`
	Nonce  string `json:"nonce"`
	Exit   int    `json:"exit"`
	Ran    int    `json:"ran"`
}

// readEvents reads the lines of a report; what is cut or is no event is left
// out, and so the end is missing.
func readEvents(data []byte) []event {
	var out []event
	for line := range bytes.Lines(data) {
		var e event
		if json.Unmarshal(line, &e) == nil && e.T != "" {
			out = append(out, e)
		}
	}
	return out
}

// The canary is a test of the harness that has to fail, among the product's
// own and with what they use to assert. What makes every test pass makes it
// pass too.
const (
	canaryFailed = "failed" // as it has to
	canaryNone   = "none"   // it cannot be run under this configuration
)

// take fills a report from the events of a script. A run that is over without
// its end, or whose canary did not fail, is not finished.
func (rep *Report) take(events []event, nonce string) {
	rep.Results = map[string]string{}
	var text strings.Builder
	var canary, reason string
	ended, ran := false, 0
	for _, e := range events {
		switch e.T {
		case "test":
			rep.put(e.ID, e.Result)
			if e.Result == Fail {
				fmt.Fprintf(&text, "failed: %s\n%s\n", e.ID, e.Text)
			}
		case "canary":
			canary, reason = e.Result, e.Text
		case "note":
			fmt.Fprintln(&text, e.Text)
		case "end":
			if e.Nonce == nonce {
				ended, rep.Exit, ran = true, e.Exit, e.Ran
			}
		}
	}
	rep.Output = text.String()
	switch {
	case !ended:
		rep.unfinished("the tests ended early, before their own end (an exit in the program or in a test)")
	case canary != canaryFailed && canary != canaryNone:
		rep.unfinished("a test of the harness that has to fail did not fail, so the results say nothing: " + orElse(reason, "it was kept from running"))
	case ran > len(rep.Results):
		rep.unfinished(fmt.Sprintf("the runner told of %d tests and reported %d", ran, len(rep.Results)))
	default:
		rep.unfinished("")
	}
}

// put notes a result; of two with one id, the worse counts, and a failure
// stays.
func (rep *Report) put(id, result string) {
	switch result {
	case Pass, Fail, Skip:
	default:
		result = Fail
	}
	if old, ok := rep.Results[id]; ok && rank(old) > rank(result) {
		return
	}
	rep.Results[id] = result
}

func rank(result string) int {
	switch result {
	case Fail:
		return 2
	case Skip:
		return 1
	}
	return 0
}

// listed are the ids that a script listed, and whether it came to its end.
func listed(events []event, nonce string) (ids []string, ended bool) {
	for _, e := range events {
		switch e.T {
		case "list":
			ids = append(ids, e.ID)
		case "end":
			ended = ended || e.Nonce == nonce
		}
	}
	return ids, ended
}

func orElse(s, other string) string {
	if s != "" {
		return s
	}
	return other
}
