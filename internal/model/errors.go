package model

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"github.com/ollama/ollama/api"

	"gitagent/internal/hint"
	"gitagent/internal/plain"
)

var (
	// ErrContextFull says that the next request would not fit the context, or
	// that the server shows signs of having cut the conversation.
	ErrContextFull = errors.New("the model's context is full")
	// ErrIncomplete says that a reply ended without the server's closing word.
	ErrIncomplete = errors.New("the model's reply broke off")
	// ErrRepetition says that the model repeated itself, also when asked again.
	ErrRepetition = errors.New("the model repeats itself")
	// ErrEndless says that more came than was asked for, also when asked again.
	ErrEndless = errors.New("the model's reply does not end")
	// ErrIdle says that the server sent nothing for longer than Settings.Idle.
	ErrIdle = errors.New("the model server sends nothing any more")
	// ErrInvalidReply says that the model did not keep to a schema or a format,
	// also when told why.
	ErrInvalidReply = errors.New("the model's reply is not what was asked for")
)

// IsReply says whether err is about the model's words and not about the server:
// another question, or a new conversation, may bring a better reply.
func IsReply(err error) bool {
	return errors.Is(err, ErrContextFull) || errors.Is(err, ErrIncomplete) ||
		errors.Is(err, ErrRepetition) || errors.Is(err, ErrEndless) || errors.Is(err, ErrInvalidReply)
}

// UnreachableError says that no server answers at Host.
type UnreachableError struct {
	Host string
	Err  error
}

func (e *UnreachableError) Error() string {
	why := e.Err
	var op *net.OpError
	if errors.As(why, &op) { // else the address is said twice
		why = op.Err
	}
	return fmt.Sprintf("no model server answers at %s: %v", e.Host, why)
}

func (e *UnreachableError) Unwrap() error { return e.Err }

// MissingModelError says that the server does not have Model; Near are the
// names it has that look like it.
type MissingModelError struct {
	Model string
	Near  []string
}

func (e *MissingModelError) Error() string {
	s := fmt.Sprintf("the server has no model %q", e.Model)
	if len(e.Near) > 0 {
		s += "; near it: " + strings.Join(e.Near, ", ")
	}
	return s
}

// RemoteModelError says that Model runs on someone else's machine, so that the
// code would leave this one.
type RemoteModelError struct{ Model, Host string }

func (e *RemoteModelError) Error() string {
	return fmt.Sprintf("model %q runs at %s: code would leave this machine", e.Model, e.Host)
}

// fault is what an error of the server means for what to do next.
type fault int

const (
	faultOther    fault = iota
	faultBusy           // wait and ask again
	faultCrash          // ask once more
	faultParse          // the model's mistake: salvage, or tell it
	faultContext        // the conversation does not fit
	faultNoTools        // use the text protocol
	faultNoThink        // leave think out
	faultMissing        // no such model
	faultMemory         // a smaller context or model
	faultSignin         // a cloud model without an account
	faultFormat         // the server rejects the schema
	faultOutdated       // the server is too old for the model
)

// faults are matched in this order against the server's own words; status 0
// matches any.
func faults() []struct {
	status int
	words  string
	fault  fault
} {
	return []struct {
		status int
		words  string
		fault  fault
	}{
		{0, "input length exceeds the context length", faultContext},
		{0, "exceeds the available context size", faultContext},
		{0, "no user query found in messages", faultContext},
		{0, "does not support tools", faultNoTools},
		{0, "does not support thinking", faultNoThink},
		{0, "is not supported for this model", faultNoThink},
		{0, "error parsing tool call", faultParse},
		{0, "failed to parse JSON", faultParse},
		{0, "XML syntax error", faultParse},
		{0, "invalid JSON schema in format", faultFormat},
		{0, "requires more system memory", faultMemory},
		{0, "may be incompatible with your version of Ollama", faultOutdated},
		{0, "runner process has terminated", faultCrash},
		{0, "model runner has unexpectedly stopped", faultCrash},
		{0, "timed out waiting for llama runner", faultCrash},
		{0, "error was encountered while running the model", faultCrash},
		{0, "CUDA error", faultCrash},
		{0, "cudaMalloc failed", faultCrash},
		{http.StatusServiceUnavailable, "", faultBusy},
		{http.StatusTooManyRequests, "", faultBusy},
		{http.StatusUnauthorized, "", faultSignin},
		{http.StatusNotFound, "model", faultMissing},
	}
}

func classify(err error) fault {
	if err == nil {
		return faultOther
	}
	var status api.StatusError
	code, words := 0, err.Error()
	if errors.As(err, &status) {
		code, words = status.StatusCode, status.ErrorMessage
	}
	var auth api.AuthorizationError
	if errors.As(err, &auth) {
		return faultSignin
	}
	for _, f := range faults() {
		if (f.status == 0 || f.status == code) && strings.Contains(words, f.words) {
			return f.fault
		}
	}
	return faultOther
}

// explain turns an error of the API client into one that a person can act on.
func (c *Client) explain(ctx context.Context, model string, err error) error {
	if err == nil {
		return nil
	}
	if cause := context.Cause(ctx); cause != nil {
		return fmt.Errorf("asking the model: %w", cause)
	}
	var op *net.OpError
	var dns *net.DNSError
	if errors.As(err, &dns) || (errors.As(err, &op) && op.Op == "dial") {
		return c.unreachable(err)
	}
	switch classify(err) {
	case faultMissing:
		return c.missing(ctx, model)
	case faultContext:
		return fmt.Errorf("%w: the server says: %s", ErrContextFull, serverWords(err))
	case faultMemory:
		return hint.New(serverError(err), "choose a smaller context: git config agent.numCtx 16384", "or a smaller model: git config agent.model NAME")
	case faultCrash:
		return hint.New(serverError(err), "the server's own log says more", "a smaller context often helps: git config agent.numCtx 16384")
	case faultSignin:
		return hint.New(serverError(err), "sign in: ollama signin", "or choose a local model: git config agent.model NAME")
	case faultOutdated:
		return hint.New(serverError(err), "update Ollama")
	case faultBusy:
		return hint.New(serverError(err), "the server is busy with other requests; try again later")
	}
	var u *url.Error
	if errors.As(err, &u) {
		return c.unreachable(err)
	}
	return serverError(err)
}

func (c *Client) unreachable(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	return hint.New(&UnreachableError{Host: c.Host(), Err: err},
		"start the server: ollama serve",
		"and give it a model, for example: ollama pull qwen3.5:9b",
		"a server elsewhere: git config agent.host http://HOST:11434")
}

func serverError(err error) error {
	return fmt.Errorf("the model server says: %s", serverWords(err))
}

func serverWords(err error) string {
	return plain.Line(err.Error(), 600)
}

var rawInError = regexp.MustCompile(`(?s)raw='(.*)', err=`)

// rawReply is the model's own text that a server quotes when it could not parse
// a tool call, or "".
func rawReply(err error) string {
	if m := rawInError.FindStringSubmatch(err.Error()); m != nil {
		return m[1]
	}
	return ""
}
