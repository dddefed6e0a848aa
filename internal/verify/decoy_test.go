package verify

import (
	"fmt"
	"net"
	"strings"
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
	decoy, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer decoy.Close()
	asked := make(chan struct{}, 100)
	go func() {
		for {
			conn, err := decoy.Accept()
			if err != nil {
				return
			}
			asked <- struct{}{}
			fmt.Fprint(conn, "HTTP/1.1 200 OK\r\nContent-Length: 12\r\nConnection: close\r\n\r\nhello /there")
			conn.Close()
		}
	}()
	for level := sandbox.Processes; level <= sandbox.Namespaces; level++ {
		t.Run(level.String(), func(t *testing.T) {
			s, err := sandbox.New(t.Context(), sandbox.Options{ForceLevel: level})
			if err != nil {
				t.Skip(err)
			}
			v := verifier(t)
			v.Sandbox, v.ServerReady = s, time.Second
			target := folder(t, map[string]string{"server.js": server, "get.js": get})
			target.Config.Port = decoy.Addr().(*net.TCPAddr).Port
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
			if level == sandbox.Namespaces { // there the port is the project's own
				target.Config.Start = "node server.js"
				v.ServerReady = 0
				if out := run(t, v, check, target); out.Verdict != Pass {
					t.Errorf("the project beside a decoy: %+v", out.Checks)
				}
				for len(asked) > 0 {
					t.Error("the decoy was asked from inside")
					<-asked
				}
			} else {
				for len(asked) > 0 {
					<-asked
				}
			}
		})
	}
}
