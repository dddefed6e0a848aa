package verify

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// listenerIsOurs says whether the process that listens on the port was started
// with this PORT, as only what we start is. Where the kernel does not tell, it
// is not doubted: nobody answered there before.
func listenerIsOurs(port int) bool {
	inodes := listeners(port)
	if len(inodes) == 0 {
		return true
	}
	links, err := filepath.Glob("/proc/[0-9]*/fd/*")
	if err != nil {
		return true
	}
	mark := []byte("PORT=" + strconv.Itoa(port))
	found := false
	for _, link := range links {
		to, err := os.Readlink(link)
		if err != nil || !inodes[to] {
			continue
		}
		found = true
		env, err := os.ReadFile(filepath.Join(filepath.Dir(filepath.Dir(link)), "environ"))
		if err != nil {
			continue
		}
		for v := range bytes.SplitSeq(env, []byte{0}) {
			if bytes.Equal(v, mark) {
				return true
			}
		}
	}
	return !found
}

// listeners are the sockets that listen on the port, as /proc names them.
func listeners(port int) map[string]bool {
	out := map[string]bool{}
	suffix := fmt.Sprintf(":%04X", port)
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		data, err := os.ReadFile(table)
		if err != nil {
			continue
		}
		for _, line := range strings.Split(string(data), "\n") {
			f := strings.Fields(line)
			if len(f) > 9 && strings.HasSuffix(f[1], suffix) && f[3] == "0A" { // listening
				out["socket:["+f[9]+"]"] = true
			}
		}
	}
	return out
}
