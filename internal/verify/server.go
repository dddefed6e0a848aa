package verify

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"gitagent/internal/browser"
	"gitagent/internal/plain"
	"gitagent/internal/sandbox"
)

// app is the product while it is served: by the built-in route, or by its own
// server, which runs in the cell and ends with it.
type app struct {
	url  string
	port int
	proc *sandbox.Process // nil for a static folder
	stop func()
	// restart ends the server and starts it again on the same port; nil for a
	// static folder, which has nothing to restart.
	restart func(context.Context) error
}

// serveError says why the product is not there to be looked at.
type serveError struct {
	verdict string // Fail when it is the product's own doing
	means   bool   // something of this machine is missing
	msg     string
	output  []byte
}

func (e *serveError) Error() string { return e.msg }

func notServed(err error, tr *trial) {
	var e *serveError
	if !errors.As(err, &e) {
		tr.without("%v", err)
		return
	}
	tr.end(e.verdict, "%s", e.msg)
	if e.means {
		tr.noMeans = tr.Reason
	}
	for _, line := range lastLines(e.output, 8) {
		tr.see("server: %s", line)
	}
}

// serve brings the product up in cell. Without a start command a folder is
// served: the configured one, else the top of the tree, where a project that
// has only just begun puts its page.
func (v *Verifier) serve(ctx context.Context, cell *room, t Target) (*app, error) {
	if t.Config.Start != "" {
		return v.startServer(ctx, cell, t)
	}
	dir, err := staticDir(t)
	if err != nil {
		return nil, err
	}
	ln, err := cell.Listen(ctx)
	if err != nil {
		return nil, err
	}
	srv := browser.ServeStatic(ln, dir)
	return &app{url: srv.URL(), stop: func() { srv.Close() }}, nil
}

// staticDir is the folder to serve. This process serves it, outside the cell: a
// link that the product's own commands put there must not lead to files of the
// user.
func staticDir(t Target) (string, error) {
	dir := filepath.Join(t.Dir, filepath.FromSlash(t.Config.Static))
	root, err := filepath.EvalSymlinks(t.Dir)
	if err != nil {
		return "", err
	}
	real, err := filepath.EvalSymlinks(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return dir, nil // the server says so
	}
	if err != nil {
		return "", err
	}
	if rel, err := filepath.Rel(root, real); err != nil || !filepath.IsLocal(rel) {
		return "", &serveError{verdict: Fail, msg: fmt.Sprintf("the folder %s of the page leads out of the project", plain.Line(t.Config.Static, 80))}
	}
	return real, nil
}

func (v *Verifier) startServer(ctx context.Context, cell *room, t Target) (*app, error) {
	port, err := v.freePort(ctx, cell, t.Config.Port)
	if err != nil {
		return nil, err
	}
	a := &app{url: "http://127.0.0.1:" + strconv.Itoa(port), port: port}
	a.stop = func() {
		stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		a.proc.Stop(stop) // what does not end in time ends with the cell
	}
	start := func(life context.Context) error {
		proc, err := cell.Start(life, sandbox.Spec{
			Argv: []string{"/bin/sh", "-c", t.Config.Start},
			Env:  []string{"PORT=" + strconv.Itoa(port), "HOST=127.0.0.1"},
		})
		if err != nil {
			return err
		}
		a.proc = proc
		if err := v.awaitServer(life, cell, a, t.Config.Start); err != nil {
			a.stop()
			return err
		}
		return v.ownsPort(a)
	}
	if err := start(ctx); err != nil {
		return nil, err
	}
	a.restart = func(context.Context) error {
		a.stop()
		if err := silent(ctx, cell, port); err != nil {
			return err
		}
		return start(ctx) // as long as the check, not as the step
	}
	return a, nil
}

// silent waits until nobody answers on the port any more.
func silent(ctx context.Context, cell *room, port int) error {
	for range 100 {
		conn, err := cell.Dial(ctx, "tcp", address(port))
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			return nil
		}
		conn.Close()
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(30 * time.Millisecond):
		}
	}
	return fmt.Errorf("something still answers on port %d after the server was ended", port)
}

// ownsPort makes sure that what answers is what was started here. In a network
// of its own nothing else can answer.
func (v *Verifier) ownsPort(a *app) error {
	if v.Sandbox.Level() >= sandbox.Namespaces || listenerIsOurs(a.port) {
		return nil
	}
	a.stop()
	return &serveError{verdict: Unverified, means: true,
		msg: fmt.Sprintf("another program answers on port %d, so what is seen there would not be this project", a.port)}
}

// freePort gives a port on which nothing answers, so that what answers later
// is the server that is started now.
func (v *Verifier) freePort(ctx context.Context, cell *room, fixed int) (int, error) {
	if fixed > 0 {
		if conn, err := cell.Dial(ctx, "tcp", address(fixed)); err == nil {
			conn.Close()
			return 0, &serveError{verdict: Unverified, means: true,
				msg: fmt.Sprintf("another program already answers on port %d, so what is seen there would not be this project", fixed)}
		}
		return fixed, nil
	}
	ln, err := cell.Listen(ctx)
	if err != nil {
		return 0, err
	}
	defer ln.Close()
	_, port, err := net.SplitHostPort(ln.Addr().String())
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(port)
}

func address(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }

// awaitServer waits until the port answers or the command has ended.
func (v *Verifier) awaitServer(ctx context.Context, cell *room, a *app, command string) error {
	ready := v.ServerReady
	if ready == 0 {
		ready = 30 * time.Second
	}
	limit := time.NewTimer(ready)
	defer limit.Stop()
	again := time.NewTicker(40 * time.Millisecond)
	defer again.Stop()
	for {
		if conn, err := cell.Dial(ctx, "tcp", address(a.port)); err == nil {
			conn.Close()
			if a.died() == "" {
				return nil
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-a.proc.Done():
			return exited(command, a.proc.Result())
		case <-limit.C:
			return &serveError{verdict: Unverified, output: a.proc.Output(),
				msg: fmt.Sprintf("the server (%s) did not listen on PORT (%d) within %s", plain.Line(command, 80), a.port, ready)}
		case <-again.C:
		}
	}
}

// exited judges a start command that ended by itself: the product's fault,
// unless the program it names is not on this machine.
func exited(command string, res sandbox.Result) error {
	e := &serveError{verdict: Fail, output: res.Output,
		msg: fmt.Sprintf("the server (%s) ended with exit code %d before it listened", plain.Line(command, 80), res.ExitCode)}
	if name := missingProgram(command, res); name != "" {
		e.verdict, e.means = Unverified, true
		e.msg = fmt.Sprintf("the server (%s) cannot start: %s is not installed", plain.Line(command, 80), name)
	}
	return e
}

// died says how the server ended, "" while it runs.
func (a *app) died() string {
	if a.proc == nil {
		return ""
	}
	select {
	case <-a.proc.Done():
		res := a.proc.Result()
		text := fmt.Sprintf("the server ended meanwhile with exit code %d", res.ExitCode)
		if lines := lastLines(res.Output, 3); len(lines) > 0 {
			text += ": " + strings.Join(lines, " / ")
		}
		return text
	default:
		return ""
	}
}

// missingProgram names the first word of a command that the shell did not
// find, when it is a program of the machine and not a file of the project.
func missingProgram(command string, res sandbox.Result) string {
	if res.ExitCode != 127 {
		return ""
	}
	for _, line := range strings.Split(string(res.Output), "\n") {
		rest, ok := strings.CutSuffix(strings.TrimSpace(line), "not found")
		if !ok {
			continue
		}
		rest = strings.TrimSuffix(strings.TrimSuffix(strings.TrimSpace(rest), " command"), ":")
		name := strings.TrimSpace(rest[strings.LastIndexAny(rest, ": ")+1:])
		if name == "" || strings.Contains(name, "/") || !strings.Contains(command, name) {
			continue
		}
		if _, err := exec.LookPath(name); err != nil {
			return name
		}
	}
	return ""
}

// lastLines gives the last n lines of output that are not empty, cleaned.
func lastLines(output []byte, n int) []string {
	var out []string
	for _, line := range strings.Split(plain.Text(string(output)), "\n") {
		if line = plain.Line(line, 200); line != "" {
			out = append(out, line)
		}
	}
	if len(out) > n {
		out = out[len(out)-n:]
	}
	return out
}
