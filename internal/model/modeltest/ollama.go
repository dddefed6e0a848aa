//go:build ollama

package modeltest

import (
	"bufio"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ollama/ollama/api"

	"gitagent/internal/testenv"
)

// Ollama is a real Ollama server with one tiny model.
type Ollama struct {
	URL   string
	Model string

	bin     string
	context int // that the model was trained for, tokens

	mu  sync.Mutex
	log strings.Builder
}

// Log is what the server has written so far.
func (o *Ollama) Log() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.log.String()
}

// Template of the tiny model; naming .Tools gives it the tools ability.
const tinyTemplate = `{{ if .Tools }}Tools: {{ .Tools }}
{{ end }}{{ range .Messages }}{{ .Role }}: {{ .Content }}{{ range .ToolCalls }}<tool_call>{"name": "{{ .Function.Name }}", "arguments": {{ .Function.Arguments }}}</tool_call>{{ end }}
{{ end }}assistant: `

// StartOllama starts the server and gives it a tiny model with this trained
// context. It fails where there is no binary: a skipped test would prove nothing.
func StartOllama(t testing.TB, context int) *Ollama {
	t.Helper()
	bin := serverPath(t)
	home := testenv.Clean(t)
	return startOllama(t, bin, home, context)
}

func startOllama(t testing.TB, bin, home string, context int) *Ollama {
	t.Helper()
	o := &Ollama{Model: "tiny:latest", bin: bin, context: context}
	o.serve(t, bin, home)
	o.create(t, context)
	return o
}

// Another starts one more server, with a model like o's.
func (o *Ollama) Another(t testing.TB) *Ollama {
	t.Helper()
	return startOllama(t, o.bin, t.TempDir(), o.context)
}

// serverPath finds the server: $GIT_AGENT_OLLAMA, or where build.sh puts it.
func serverPath(t testing.TB) string {
	bin := os.Getenv("GIT_AGENT_OLLAMA")
	if bin == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			t.Fatal(err)
		}
		bin = filepath.Join(cache, "git-agent", "ollama-v0.17.4", "ollama")
	}
	if _, err := os.Stat(bin); err != nil {
		t.Fatalf("no Ollama server at %s: build it with scripts/ollama/build.sh, or set GIT_AGENT_OLLAMA to its path", bin)
	}
	return bin
}

var listening = regexp.MustCompile(`Listening on (127\.0\.0\.1:\d+)`)

// serve starts the server on a free port and waits until it says which.
func (o *Ollama) serve(t testing.TB, bin, home string) {
	t.Helper()
	cmd := exec.Command(bin, "serve")
	cmd.Env = append(os.Environ(), "OLLAMA_HOST=127.0.0.1:0", "OLLAMA_MODELS="+filepath.Join(home, "models"), "OLLAMA_NUM_PARALLEL=1")
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	address := make(chan string, 1)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		o.follow(stderr, address)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt) // it ends its runner, too
		select {
		case <-ended:
		case <-time.After(20 * time.Second):
			_ = cmd.Process.Kill()
			<-ended
		}
		_ = cmd.Wait() // an interrupt is no clean exit
		if t.Failed() {
			t.Logf("the server's log:\n%s", o.Log())
		}
	})
	select {
	case a := <-address:
		o.URL = "http://" + a
	case <-ended:
		t.Fatalf("the server ended:\n%s", o.Log())
	case <-time.After(2 * time.Minute):
		t.Fatalf("the server does not start:\n%s", o.Log())
	}
}

func (o *Ollama) follow(r io.Reader, address chan<- string) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		o.mu.Lock()
		o.log.WriteString(lines.Text() + "\n")
		o.mu.Unlock()
		if m := listening.FindStringSubmatch(lines.Text()); m != nil {
			select {
			case address <- m[1]:
			default:
			}
		}
	}
}

// create writes the model's file and registers it.
func (o *Ollama) create(t testing.TB, trained int) {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "tiny.gguf"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := WriteTiny(f, trained); err != nil {
		t.Fatal(err)
	}
	sum := sha256.New()
	for _, do := range []func() error{
		func() error { _, err := f.Seek(0, io.SeekStart); return err },
		func() error { _, err := io.Copy(sum, f); return err },
		func() error { _, err := f.Seek(0, io.SeekStart); return err },
	} {
		if err := do(); err != nil {
			t.Fatal(err)
		}
	}
	digest := fmt.Sprintf("sha256:%x", sum.Sum(nil))
	base, err := url.Parse(o.URL)
	if err != nil {
		t.Fatal(err)
	}
	client := api.NewClient(base, http.DefaultClient)
	ctx := context.Background()
	if err := client.CreateBlob(ctx, digest, f); err != nil {
		t.Fatal(err)
	}
	req := &api.CreateRequest{
		Model: o.Model, Files: map[string]string{"tiny.gguf": digest}, Template: tinyTemplate,
		Parameters: map[string]any{"num_thread": 1}, // several would spin against each other on a busy machine
	}
	if err := client.Create(ctx, req, func(api.ProgressResponse) error { return nil }); err != nil {
		t.Fatalf("making the tiny model: %v", err)
	}
}
