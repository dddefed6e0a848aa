package sandbox

import (
	"slices"
	"strings"
	"testing"
)

func TestHostRulesGoAroundWhatIsHidden(t *testing.T) {
	tree := map[string][]string{
		"/": {"bin", "dev", "etc", "home", "opt", "srv", "tmp", "usr", "var"}, "/etc": {"hosts", "shadow", "ssl"}, "/etc/ssl": {"certs", "private"},
		"/srv": {"app", "data"}, "/var": {"lib", "tmp"}, "/home/a/sdk": {"bin", "secret"},
	}
	ms := mounts(Policy{
		Hidden:   []string{"/home", "/etc/shadow", "/etc/ssl/private", "/srv/app", "/home/a/sdk/secret"},
		Writable: []string{"/home/a/tree", "/srv/data/out"},
		ReadOnly: []string{"/home/a/tree/node_modules", "/tmp/shown"},
	}, []string{"/home/a/sdk"})
	var got []string
	for _, r := range hostRules(ms, func(dir string) []string { return tree[dir] }) {
		if !strings.HasPrefix(r.Path, "/dev/") {
			got = append(got, string(r.Access)+" "+r.Path)
		}
	}
	slices.Sort(got)
	want := []string{"read /bin", "read /etc/hosts", "read /etc/ssl/certs", "read /home/a/sdk/bin", "read /home/a/tree/node_modules",
		"read /opt", "read /srv/data", "read /tmp/shown", "read /usr", "read /var/lib", "write /home/a/tree", "write /srv/data/out"}
	if !slices.Equal(got, want) {
		t.Errorf("\n got %q\nwant %q", got, want)
	}
}

func TestSocketsLieWhereTheCellWrites(t *testing.T) {
	ms := mounts(Policy{Hidden: []string{"/home"}, Writable: []string{"/home/a/tree"}, ReadOnly: []string{"/home/a/tree/fixed", "/tmp/shown"}}, nil)
	for path, want := range map[string][2]bool{ // with temporary folders of its own, and without
		"/home/a/tree/s": {true, true}, "/home/a/tree/fixed/s": {}, "/home/a/s": {}, "/tmp/s": {true, false}, "/tmp/shown/s": {}, "/opt/s": {}, "/": {}, "/home/a/tree (deleted)": {},
	} {
		for i, private := range []bool{true, false} {
			if got := (brokerRules{Private: private, Mounts: ms}).own(path); got != want[i] {
				t.Errorf("%s, own temporary folders %v: %v", path, private, got)
			}
		}
	}
}
