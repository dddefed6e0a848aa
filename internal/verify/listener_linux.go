package verify

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// listenerIsOurs says whether the process that listens on the port descends from
// this one, as all that cells start does: orphans are inherited by their keeper.
// Where the kernel does not tell, it is not doubted: nobody answered there before.
func listenerIsOurs(port int) bool {
	inodes := listeners(port)
	if len(inodes) == 0 {
		return true
	}
	links, err := filepath.Glob("/proc/[0-9]*/fd/*")
	if err != nil {
		return true
	}
	found := false
	for _, link := range links {
		to, err := os.Readlink(link)
		if err != nil || !inodes[to] {
			continue
		}
		found = true
		pid := filepath.Base(filepath.Dir(filepath.Dir(link)))
		if descends(pid, strconv.Itoa(os.Getpid())) {
			return true
		}
	}
	return !found
}

// descends says whether process pid has the other one among its ancestors.
func descends(pid, ancestor string) bool {
	for range 100 { // pids read at different moments could form a loop
		stat, err := os.ReadFile("/proc/" + pid + "/stat")
		if err != nil {
			return false
		}
		fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:]) // the name may hold anything
		if len(fields) < 2 {
			return false
		}
		if pid = string(fields[1]); pid == ancestor {
			return true
		}
	}
	return false
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
