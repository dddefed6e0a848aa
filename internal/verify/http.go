package verify

import (
	"bytes"
	"cmp"
	"context"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/cookiejar"
	"slices"
	"strings"
	"time"

	"gitagent/internal/plain"
	"gitagent/internal/verify/contract"
)

const (
	answerLimit = 4 << 20          // bytes of an answer that are looked at
	answerTime  = 15 * time.Second // for one exchange
)

// httpCheck asks the project's server from outside its process, in bounded time
// with all its starts.
func (v *Verifier) httpCheck(ctx context.Context, list []contract.Exchange, t Target, tr *trial) {
	limit := cmp.Or(v.Exchanges, 3*time.Minute)
	inTime, stop := context.WithTimeout(ctx, limit)
	defer stop()
	if late := v.exchanges(inTime, list, t, tr); late && ctx.Err() == nil {
		tr.end(Unverified, "its exchanges with the server took longer than %s", limit)
	}
}

// exchanges makes all requests of a check and says whether the time was up
// before its verdict. Cookies are kept; redirects are answers like any other.
func (v *Verifier) exchanges(ctx context.Context, list []contract.Exchange, t Target, tr *trial) (late bool) {
	cell, err := v.open(ctx, t, nil)
	if err != nil {
		tr.without("the check could not be isolated: %v", err)
		return ctx.Err() != nil
	}
	defer cell.close()
	app, err := v.serve(ctx, cell, t)
	if err != nil {
		notServed(err, tr)
		return ctx.Err() != nil
	}
	defer app.stop() // may take longer than there is time
	defer func() { late = ctx.Err() != nil && tr.Verdict != Pass }()
	if t.Config.Start == "" {
		tr.end(Fail, "the project starts no server: requests need a start command (start in .agent/config, or a server file that is found by its name)")
		return false
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		tr.without("%v", err)
		return false
	}
	transport := &http.Transport{
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			return cell.Dial(ctx, network, addr)
		},
	}
	defer transport.CloseIdleConnections()
	client := &http.Client{
		Transport: transport, Jar: jar, Timeout: answerTime,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	saved := map[string]stdjson.RawMessage{}
	for i, e := range list {
		if e.Restart {
			transport.CloseIdleConnections()
			if !restarted(ctx, app, i+1, tr) {
				return false
			}
			continue
		}
		if !exchange(ctx, client, app.url, e, saved, i+1, tr) {
			if why := app.died(); why != "" {
				tr.end(Fail, "%s; %s", tr.Reason, why)
			}
			return false
		}
	}
	tr.end(Pass, "")
	return false
}

// restarted starts the server anew and says whether it is there again; where it
// is not, tr says why.
func restarted(ctx context.Context, app *app, n int, tr *trial) bool {
	if app.restart == nil {
		tr.end(Unverified, "exchange %d: there is no server here that could be started anew, so a restart proves nothing: the configuration names no start command", n)
		return false
	}
	err := app.restart(ctx)
	var served *serveError
	switch {
	case err == nil:
		tr.see("%d. restart the server — it is there again", n)
		return true
	case errors.As(err, &served):
		notServed(err, tr)
	default:
		tr.end(Fail, "exchange %d: the server did not come back: %v", n, err)
	}
	return false
}

// exchange tries one request and says whether its answer is the expected one;
// where it is not, tr says why.
func exchange(ctx context.Context, client *http.Client, base string, e contract.Exchange, saved map[string]stdjson.RawMessage, n int, tr *trial) bool {
	e, err := e.Filled(saved)
	if err != nil {
		tr.end(Unverified, "exchange %d: %v", n, err)
		return false
	}
	req, err := request(ctx, base, &e)
	if err != nil {
		tr.end(Unverified, "exchange %d: %v", n, err)
		return false
	}
	res, err := client.Do(req)
	if err != nil {
		tr.see("%d. %s", n, &e)
		tr.end(Fail, "exchange %d (%s %s) had no answer: %v", n, e.Verb(), e.Path, plainError(err))
		return false
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, answerLimit+1))
	tr.see("%d. %s — %d %s", n, &e, res.StatusCode, plain.Line(string(body), 160))
	switch {
	case err != nil:
		tr.end(Fail, "exchange %d (%s %s): the answer broke off: %v", n, e.Verb(), e.Path, plainError(err))
		return false
	case len(body) > answerLimit:
		tr.end(Fail, "exchange %d (%s %s): the answer has more than %d bytes", n, e.Verb(), e.Path, answerLimit)
		return false
	}
	status, rest := judgeAnswer(&e, res, body, tr)
	if status == "" {
		status = save(&e, body, saved)
	}
	if bad := slices.Concat(notEmpty(status), rest); len(bad) > 0 {
		// A wrong status may mean that nobody knows the path.
		tr.started = status == ""
		tr.end(Fail, "exchange %d (%s %s): %s", n, e.Verb(), e.Path, strings.Join(bad, "; "))
		return false
	}
	return true
}

func notEmpty(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}

// plainError is a client's error without the address, which differs each time.
func plainError(err error) error {
	var timeout net.Error
	if errors.As(err, &timeout) && timeout.Timeout() {
		return fmt.Errorf("nothing came within %s", answerTime)
	}
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(err) {
		err = inner
	}
	return err
}

func request(ctx context.Context, base string, e *contract.Exchange) (*http.Request, error) {
	var body []byte
	kind := ""
	if len(e.Body) > 0 {
		var text string
		if body, kind = e.Body, "application/json"; stdjson.Unmarshal(e.Body, &text) == nil {
			if body = []byte(text); !stdjson.Valid(body) {
				kind = "text/plain; charset=utf-8"
			}
		}
	}
	req, err := http.NewRequestWithContext(ctx, e.Verb(), strings.TrimRight(base, "/")+e.Path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	for _, name := range slices.Sorted(maps.Keys(e.Headers)) {
		req.Header.Set(name, e.Headers[name])
	}
	return req, nil
}

// judgeAnswer compares an answer with what was expected of it.
func judgeAnswer(e *contract.Exchange, res *http.Response, body []byte, tr *trial) (status string, bad []string) {
	x := &e.Expect
	switch {
	case x.Status != 0 && res.StatusCode != x.Status:
		status = fmt.Sprintf("the status was %d, expected %d", res.StatusCode, x.Status)
	case x.Status == 0 && (res.StatusCode < 200 || res.StatusCode > 299):
		status = fmt.Sprintf("the status was %d, expected success", res.StatusCode)
	}
	for _, name := range slices.Sorted(maps.Keys(x.Header)) {
		if got := strings.Join(res.Header.Values(name), ", "); !strings.Contains(strings.ToLower(got), strings.ToLower(x.Header[name])) {
			bad = append(bad, fmt.Sprintf("the header %s is %q, expected %q", name, plain.Line(got, 80), x.Header[name]))
		}
	}
	text := plain.Text(string(body))
	for _, want := range x.Has {
		if !contract.Holds(text, want) {
			bad = append(bad, fmt.Sprintf("the answer does not hold %q", want))
		}
		tr.met(want, func(f string) bool { return contract.Holds(text, f) })
	}
	for _, want := range x.HasNot {
		if contract.Holds(text, want) {
			bad = append(bad, fmt.Sprintf("the answer holds %q", want))
		}
	}
	if len(x.JSON) == 0 {
		return status, bad
	}
	doc, err := contract.DecodeJSON(body)
	if err != nil {
		return status, append(bad, "the answer is no JSON")
	}
	for _, path := range slices.Sorted(maps.Keys(x.JSON)) {
		if ok, why := contract.Match(doc, path, x.JSON[path]); !ok {
			bad = append(bad, path+" "+why)
		}
		tr.met(string(x.JSON[path]), func(f string) bool {
			also, _ := contract.Match(doc, path, stdjson.RawMessage(f))
			return also
		})
	}
	return status, bad
}

// save keeps the values of an answer that later exchanges use.
func save(e *contract.Exchange, body []byte, saved map[string]stdjson.RawMessage) (bad string) {
	if len(e.Save) == 0 {
		return ""
	}
	doc, err := contract.DecodeJSON(body)
	if err != nil {
		return "the answer is no JSON"
	}
	for _, name := range slices.Sorted(maps.Keys(e.Save)) {
		path, err := contract.ParsePath(e.Save[name])
		if err != nil {
			return err.Error()
		}
		found, _ := path.Find(doc)
		if len(found) != 1 {
			return fmt.Sprintf("the answer has %d values at %s, where one is to be kept", len(found), e.Save[name])
		}
		switch found[0].(type) {
		case string, bool, stdjson.Number:
		default:
			return fmt.Sprintf("what the answer has at %s is neither a text nor a number", e.Save[name])
		}
		if saved[name], err = stdjson.Marshal(found[0]); err != nil {
			return err.Error()
		}
	}
	return ""
}
