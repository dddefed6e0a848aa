package verify

import (
	"fmt"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"gitagent/internal/sandbox"
	"gitagent/internal/verify/contract"
)

// TestDecoyServer: what answers on the project's own port is the project, or
// nothing is proved: another program there, started before or by an earlier
// command, is not taken for it.
func TestDecoyServer(t *testing.T) {
	need(t, "node")
	for level := sandbox.Processes; level <= sandbox.Namespaces; level++ {
		t.Run(level.String(), func(t *testing.T) {
			s, err := sandbox.New(t.Context(), sandbox.Options{ForceLevel: level})
			if err != nil {
				t.Skip(err)
			}
			port, asked := decoy(t)
			v := verifier(t)
			v.Sandbox, v.ServerReady = s, time.Second
			target := folder(t, map[string]string{"server.js": server, "get.js": get})
			target.Config.Port = port
			check := command(contract.Command{Run: "node get.js /there $PORT", StdoutHas: []string{"hello /there"}})
			for _, start := range []string{"node server.js exit", "node server.js silent"} {
				target.Config.Start = start
				out := run(t, v, check, target)
				if out.Verdict == Pass {
					t.Errorf("%s: the decoy proved it: %+v", start, out.Checks)
				}
				if level < sandbox.Namespaces && !strings.Contains(out.Checks[0].Reason, "another program already answers") {
					t.Errorf("%s: %q", start, out.Checks[0].Reason)
				}
			}
			if level < sandbox.Namespaces {
				return
			}
			target.Config.Start = "node server.js" // there the port is the project's own
			v.ServerReady = 0
			if out := run(t, v, check, target); out.Verdict != Pass {
				t.Errorf("the project beside a decoy: %+v", out.Checks)
			}
			if n := asked.Load(); n > 0 {
				t.Errorf("the decoy was asked %d times from inside", n)
			}
		})
	}
}

// decoy answers every request on a port of the machine as the project would,
// and counts them.
func decoy(t *testing.T) (port int, asked *atomic.Int32) {
	t.Helper()
	ln, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	asked = new(atomic.Int32)
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			asked.Add(1)
			fmt.Fprint(conn, "HTTP/1.1 200 OK\r\nContent-Length: 12\r\nConnection: close\r\n\r\nhello /there")
			conn.Close()
		}
	}()
	return ln.Addr().(*net.TCPAddr).Port, asked
}
