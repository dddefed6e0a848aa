package model

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/ollama/ollama/api"

	"gitagent/internal/hint"
)

// Tier says how strong a model a role gets.
type Tier string

// The three tiers. One configured model is enough: every tier falls back to it.
const (
	Cheap  Tier = "cheap"
	Medium Tier = "medium"
	Strong Tier = "strong"
)

// Settings say which server and models to use. The zero value of every field
// but Models is a usable default.
type Settings struct {
	Host        string          // as OLLAMA_HOST; "" takes that variable, then 127.0.0.1:11434
	Models      map[Tier]string // at least one
	NumCtx      int             // context in tokens; 0 chooses
	MinCtx      int             // a loaded model's context is adopted from here on; 0 means 16384
	KeepAlive   time.Duration   // how long the server keeps the model after a request; 0 means 30 minutes
	Idle        time.Duration   // a server that sends nothing for so long is given up; 0 means 30 minutes
	Think       string          // "", "true", "false", "low", "medium" or "high"; "" leaves it to the server
	AllowRemote bool            // models that run on someone else's machine
	TextTools   bool            // use the fenced-text protocol even where the model claims tools
}

const (
	defaultMinCtx    = 16384
	defaultMaxCtx    = 32768
	defaultKeepAlive = 30 * time.Minute
	defaultIdle      = 30 * time.Minute
)

// Client talks to one Ollama server. It is safe for concurrent use.
type Client struct {
	set     Settings
	base    *url.URL
	api     *api.Client
	backoff time.Duration // first wait when the server is busy; doubles
}

// New makes a client; it does not connect. The error names a host that cannot
// be understood.
func New(set Settings) (*Client, error) {
	host := set.Host
	if host == "" {
		host = os.Getenv("OLLAMA_HOST")
	}
	base, err := parseHost(host)
	if err != nil {
		return nil, err
	}
	if set.MinCtx == 0 {
		set.MinCtx = defaultMinCtx
	}
	if set.KeepAlive == 0 {
		set.KeepAlive = defaultKeepAlive
	}
	if set.Idle == 0 {
		set.Idle = defaultIdle
	}
	if _, err := thinkValue(set.Think); err != nil {
		return nil, err
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.DialContext = (&net.Dialer{Timeout: 15 * time.Second, KeepAlive: 30 * time.Second}).DialContext
	return &Client{
		set:     set,
		base:    base,
		api:     api.NewClient(base, &http.Client{Transport: transport}), // no total timeout: a reply may take an hour
		backoff: 500 * time.Millisecond,
	}, nil
}

// Host is the address that the client talks to.
func (c *Client) Host() string { return c.base.String() }

// Version asks for the server's version: the cheapest proof that it is there.
func (c *Client) Version(ctx context.Context) (string, error) {
	v, err := c.api.Version(ctx)
	if err != nil {
		return "", c.explain(ctx, "", err)
	}
	return v, nil
}

// Model is the name configured for a tier, or the nearest other tier's.
func (c *Client) Model(tier Tier) (string, error) {
	for _, t := range []Tier{tier, Cheap, Medium, Strong} {
		if name := strings.TrimSpace(c.set.Models[t]); name != "" {
			return name, nil
		}
	}
	return "", hint.Errorf("name one: git config agent.model NAME (ollama list shows what is there)", "no model is configured")
}

// parseHost reads an address by the rules of Ollama's own OLLAMA_HOST, except
// that a port it cannot read is an error and the wildcard addresses, which are
// for listening, become the loopback address.
func parseHost(s string) (*url.URL, error) {
	s = strings.Trim(strings.TrimSpace(s), "\"'")
	bad := func(why string) error {
		return hint.Errorf("give it as http://HOST:PORT", "model host %q: %s", s, why)
	}
	scheme, rest, ok := strings.Cut(s, "://")
	port := "11434"
	switch {
	case !ok:
		scheme, rest = "http", s
		if s == "ollama.com" {
			scheme, port = "https", "443"
		}
	case scheme == "http":
		port = "80"
	case scheme == "https":
		port = "443"
	default:
		return nil, bad("only http and https are understood")
	}
	hostport, path, _ := strings.Cut(rest, "/")
	host := hostport
	if h, p, err := net.SplitHostPort(hostport); err == nil {
		host = h
		if p != "" {
			port = p
		}
	}
	host = strings.Trim(host, "[]")
	if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
		return nil, bad("the port is not a number from 1 to 65535")
	}
	if strings.ContainsAny(host, " \t@?#") {
		return nil, bad("not a host name")
	}
	if ip := net.ParseIP(host); host == "" || (ip != nil && ip.IsUnspecified()) {
		host = "127.0.0.1"
	}
	u := &url.URL{Scheme: scheme, Host: net.JoinHostPort(host, port)}
	if path != "" {
		u.Path = "/" + path
	}
	return u, nil
}

func thinkValue(s string) (*api.ThinkValue, error) {
	switch s {
	case "":
		return nil, nil
	case "true", "false":
		return &api.ThinkValue{Value: s == "true"}, nil
	case "low", "medium", "high":
		return &api.ThinkValue{Value: s}, nil
	}
	return nil, hint.Errorf("use true, false, low, medium or high", "think %q is not understood", s)
}

// sameModel compares model names; a name without a tag means latest.
func sameModel(a, b string) bool {
	full := func(s string) string {
		s = strings.ToLower(s)
		if i := strings.LastIndexByte(s, ':'); i < 0 || strings.ContainsRune(s[i:], '/') {
			s += ":latest"
		}
		return strings.TrimPrefix(strings.TrimPrefix(s, "registry.ollama.ai/"), "library/")
	}
	return full(a) == full(b)
}

// pause waits, or ends early with the context's error.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("waiting for the model server: %w", context.Cause(ctx))
	}
}
