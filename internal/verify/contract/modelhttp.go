package contract

import (
	stdjson "encoding/json"
	"errors"
	"fmt"
	"strings"
)

// draftExchange is an exchange as a model writes it: plain texts and short lists.
type draftExchange struct {
	Method string      `json:"method"`
	Path   string      `json:"path"`
	Body   string      `json:"body"`
	Status int         `json:"status"`
	JSON   []draftPair `json:"json"`
	Has    []string    `json:"has"`
	Save   []draftSave `json:"save"`
}

type draftPair struct {
	Path   string `json:"path"`
	Equals string `json:"equals"`
}

type draftSave struct {
	Name string `json:"name"`
	Path string `json:"path"`
}

// restartMethod stands in a model's form for an exchange that starts the server
// anew.
const restartMethod = "RESTART"

func exchangeSchema(covers string) string {
	pairs := `{"type":"array","maxItems":8,"items":{"type":"object","properties":{"path":{"type":"string"},"equals":{"type":"string"}},"required":["path","equals"],"additionalProperties":false}}`
	save := `{"type":"array","maxItems":4,"items":{"type":"object","properties":{"name":{"type":"string"},"path":{"type":"string"}},"required":["name","path"],"additionalProperties":false}}`
	exchange := `{"type":"object","properties":{"method":{"enum":["` + strings.Join(methodNames[:5], `","`) + `","` + restartMethod + `"]},"path":{"type":"string"},"body":{"type":"string"},` +
		`"status":{"type":"integer","minimum":200,"maximum":599},"json":` + pairs + `,"has":{"type":"array","maxItems":8,"items":{"type":"string"}},"save":` + save + `},` +
		`"required":["method","path","body","status","json"],"additionalProperties":false}`
	return `{"type":"object","properties":{"kind":{"const":"http"},"covers":` + covers + `,"exchanges":{"type":"array","minItems":1,"maxItems":20,"items":` + exchange +
		`}},"required":["kind","covers","exchanges"],"additionalProperties":false}`
}

func exchangesOf(list []draftExchange) ([]Exchange, error) {
	if len(list) == 0 {
		return nil, errors.New("it has no exchange")
	}
	var out []Exchange
	for i, d := range list {
		if d.Method == restartMethod {
			out = append(out, Exchange{Restart: true})
			continue
		}
		e := Exchange{Method: d.Method, Path: strings.TrimSpace(d.Path)}
		e.Expect = Expect{Status: d.Status, Has: notEmpty(d.Has)}
		if body := strings.TrimSpace(d.Body); body != "" {
			e.Body = stdjson.RawMessage(quote(body))
			if v, err := DecodeJSON([]byte(body)); err == nil {
				switch v.(type) {
				case map[string]any, []any:
					e.Body = stdjson.RawMessage(body)
				}
			}
		}
		for _, p := range d.JSON {
			if strings.TrimSpace(p.Path) == "" {
				continue
			}
			if e.Expect.JSON == nil {
				e.Expect.JSON = map[string]stdjson.RawMessage{}
			}
			if _, twice := e.Expect.JSON[p.Path]; twice {
				return nil, fmt.Errorf("exchange %d expects two values at %s", i+1, p.Path)
			}
			e.Expect.JSON[p.Path] = stdjson.RawMessage(quote(p.Equals))
		}
		for _, s := range d.Save {
			if e.Save == nil {
				e.Save = map[string]string{}
			}
			e.Save[strings.Trim(s.Name, "{}")] = s.Path
		}
		out = append(out, e)
	}
	return out, nil
}
