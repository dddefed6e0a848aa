package browser

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A ScenarioError says which step is wrong and how to mend it.
type ScenarioError struct {
	Step int // from 1; 0 = the scenario itself
	Msg  string
}

func (e *ScenarioError) Error() string {
	if e.Step == 0 {
		return "scenario: " + e.Msg
	}
	return fmt.Sprintf("scenario: step %d: %s", e.Step, e.Msg)
}

func wrong(format string, args ...any) error {
	return &ScenarioError{Msg: fmt.Sprintf(format, args...)}
}

// ParseScenario reads a scenario and checks all of it before anything runs.
//
// It takes {"open":"/","steps":[…]}, a bare list of steps, or one step. A step is
// an object with one verb ({"click":"7"}), the {"action":"click","target":"7"}
// form, or a sentence ("click 7"). Errors are *ScenarioError; an unknown verb is
// answered with the nearest one.
func ParseScenario(data []byte) (*Scenario, error) {
	if len(data) > MaxScenarioSize {
		return nil, wrong("larger than %d kB", MaxScenarioSize>>10)
	}
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		return nil, wrong("not valid JSON: %s", jsonFault(data, err))
	}
	s, steps, err := parseTop(v)
	if err != nil {
		return nil, err
	}
	if len(steps) > MaxSteps {
		return nil, wrong("%d steps; at most %d are allowed", len(steps), MaxSteps)
	}
	for i, raw := range steps {
		st, err := parseStep(raw)
		if err == nil {
			err = st.validate()
		}
		if err != nil {
			var se *ScenarioError
			if errors.As(err, &se) {
				se.Step = i + 1
			}
			return nil, err
		}
		s.Steps = append(s.Steps, st)
	}
	if s.Status != 0 && s.opensItself() {
		return nil, wrong(`a status is that of the page to open: write {"open":"/path","status":%d,"steps":[…]}`, s.Status)
	}
	return s, nil
}

// jsonFault names the place of a syntax error by line and column.
func jsonFault(data []byte, err error) string {
	var syn *jsontext.SyntacticError
	var sem *json.SemanticError
	off := int64(-1)
	switch {
	case errors.As(err, &syn):
		off = syn.ByteOffset
	case errors.As(err, &sem):
		off = sem.ByteOffset
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return "it is empty"
	}
	msg := err.Error()
	if i := strings.LastIndex(msg, ": "); i >= 0 && off >= 0 {
		msg = strings.TrimPrefix(msg[:i], "jsontext: ") + msg[i:]
	}
	msg = strings.TrimPrefix(msg, "jsontext: ")
	msg = strings.ReplaceAll(msg, ": jsontext: ", ": ")
	if off >= 0 {
		msg = strings.TrimSuffix(msg, fmt.Sprintf(" after offset %d", off))
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		msg = "it ends too early; something that was opened is not closed"
	}
	if off < 0 || off > int64(len(data)) {
		return clip(msg, 200)
	}
	before := data[:off]
	line := 1 + bytes.Count(before, []byte("\n"))
	col := off - int64(bytes.LastIndexByte(before, '\n'))
	return fmt.Sprintf("line %d, column %d: %s", line, col, clip(msg, 200))
}

// parseTop reads the outer form and returns the raw steps.
func parseTop(v any) (*Scenario, []any, error) {
	s := &Scenario{Timeout: defaultTimeout}
	switch v := v.(type) {
	case []any:
		return s, v, nil
	case string:
		return s, []any{v}, nil
	case map[string]any:
		return parseObject(s, v)
	}
	return nil, nil, wrong(`must be {"open":"/","steps":[…]}`)
}

func parseObject(s *Scenario, m map[string]any) (*Scenario, []any, error) {
	steps, key := any(nil), ""
	for _, k := range []string{"steps", "actions"} {
		if v, ok := m[k]; ok {
			if key != "" {
				return nil, nil, wrong("both %q and %q", key, k)
			}
			steps, key = v, k
		}
	}
	if key == "" {
		return parseSingle(s, m)
	}
	for k, v := range m {
		if k == key {
			continue
		}
		if err := s.setTop(k, v); err != nil {
			return nil, nil, err
		}
	}
	switch steps := steps.(type) {
	case []any:
		return s, steps, nil
	case string, map[string]any:
		return s, []any{steps}, nil
	}
	return nil, nil, wrong("%q must be a list", key)
}

// parseSingle reads an object without a list: one step, perhaps beside the page
// to open.
func parseSingle(s *Scenario, m map[string]any) (*Scenario, []any, error) {
	rest := map[string]any{}
	for k, v := range m {
		switch canonical(k) {
		case "open", "url", "path", "prefers":
			if err := s.setTop(k, v); err != nil {
				return nil, nil, err
			}
		default:
			rest[k] = v
		}
	}
	if s.Open != "" && onlyStatus(rest) {
		for k, v := range rest {
			if err := s.setTop(k, v); err != nil {
				return nil, nil, err
			}
		}
		clear(rest)
	}
	for _, k := range sortedKeys(rest) {
		_, list := rest[k].([]any)
		_, verb := verbOf(k)
		if _, mod := modifierOf(k); list && !verb && !mod {
			return nil, nil, listOf(k)
		}
	}
	if len(rest) == 0 {
		if s.Open == "" {
			return nil, nil, wrong(`nothing to do: give {"open":"/","steps":[…]}`)
		}
		return s, nil, nil
	}
	return s, []any{rest}, nil
}

// listOf is the answer to a list under a name that is not that of the steps.
func listOf(key string) error {
	if canonical(key) == "checks" {
		return wrong(`this is a contract, which has scenarios in it: give one of them, that is {"open":"/","steps":[…]}`)
	}
	return wrong(`unknown key %q: the list is called "steps", as in {"open":"/","steps":[…]}`, clip(key, 60))
}

// onlyStatus says whether nothing but a status is left beside the page to open.
func onlyStatus(m map[string]any) bool {
	for k := range m {
		if mod, _ := modifierOf(k); mod != "expect_status" && mod != "allow_status" {
			return false
		}
	}
	return true
}

func (s *Scenario) setTop(key string, v any) error {
	switch canonical(key) {
	case "name", "title", "description", "note":
		t, ok := v.(string)
		if !ok {
			return wrong("%q must be a text", key)
		}
		if s.Name == "" {
			s.Name = clip(t, 200)
		}
	case "open", "url", "path":
		t, ok := v.(string)
		if !ok {
			return wrong("%q must be a path such as \"/\"", key)
		}
		if s.Open != "" {
			return wrong("the page to open is given twice")
		}
		path, err := cleanPath(t)
		if err != nil {
			return err
		}
		s.Open = path
	case "timeout":
		d, err := seconds(v)
		if err != nil || d <= 0 || d > maxTimeout {
			return wrong("timeout must be a number of seconds up to %g", maxTimeout.Seconds())
		}
		s.Timeout = d
	case "expect_status", "status", "expected_status", "status_code", "allow_status", "may_status":
		text, err := scalar(key, v)
		if err != nil || s.Status != 0 {
			return wrong("the status of the page to open is one number, given once")
		}
		mod, _ := modifierOf(key)
		s.StatusMay = mod == "allow_status"
		s.Status, err = failingStatus(text)
		return err
	case "prefers":
		t, _ := v.(string)
		s.Prefers = strings.ReplaceAll(canonical(t), "_", "-")
		if s.Prefers != "reduced-motion" && s.Prefers != "dark" {
			return wrong("prefers is \"reduced-motion\" or \"dark\"")
		}
	default:
		if canonical(key) == "vars" {
			return wrong("a scenario has no variables, only a contract has: write values here, and try others with git agent verify ID --with NAME=VALUE")
		}
		keys := []string{"name", "open", "status", "allow_status", "steps", "timeout", "prefers"}
		return wrong("unknown key %q: did you mean %q? The keys are %s", clip(key, 60), nearest(key, keys, 1)[0], strings.Join(keys, ", "))
	}
	return nil
}

// seconds reads 2, "2", "2s" or "500ms".
func seconds(v any) (time.Duration, error) {
	switch v := v.(type) {
	case float64:
		if v < 0 || v > 1e6 {
			return 0, errors.New("out of range")
		}
		return time.Duration(v * float64(time.Second)), nil
	case string:
		t := strings.ToLower(strings.TrimSpace(v))
		for _, unit := range []string{" seconds", " second", " secs", " sec", "seconds", "sec"} {
			if n, ok := strings.CutSuffix(t, unit); ok {
				t = strings.TrimSpace(n) + "s"
				break
			}
		}
		t = strings.ReplaceAll(t, " ", "")
		if t != "" && strings.Trim(t, "0123456789.") == "" {
			t += "s"
		}
		return time.ParseDuration(t)
	}
	return 0, errors.New("not a number")
}
