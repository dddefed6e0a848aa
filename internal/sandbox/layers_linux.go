package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// What each level consists of on Linux, and how it is found out.

// layers is what there is beside what a level says.
type layers struct {
	landlock int    // its version, 0 when it is not used
	filter   bool   // system calls are filtered
	broker   bool   // connects are judged one by one
	why      string // there is no broker
}

// reach finds out whether a level can be had, by having it once.
func (s *Sandbox) reach(ctx context.Context, level Level) error {
	s.level, s.layers = level, layers{}
	if level == Processes {
		return nil
	}
	if v := landlockVersion(); v >= oldestLandlock && level >= Landlock {
		s.layers.landlock = v
	} else if level == Landlock {
		return missingLandlock(v)
	}
	if s.layers.filter = auditArch != 0; !s.layers.filter && level == Seccomp {
		return fmt.Errorf("no system call filter is known for %s", runtime.GOARCH)
	}
	s.layers.broker = s.layers.filter
	err := s.probe(ctx)
	if err != nil && s.layers.broker && ctx.Err() == nil {
		s.layers.broker, s.layers.why = false, err.Error()
		err = s.probe(ctx)
	}
	return err
}

func missingLandlock(version int) error {
	if version == 0 {
		return errors.New("this kernel has no Landlock")
	}
	return fmt.Errorf("Landlock is too old here: version %d, not %d", version, oldestLandlock)
}

// probe opens and closes a cell, so that a refusal shows before work starts.
func (s *Sandbox) probe(ctx context.Context) error {
	pl, err := s.plan(Policy{Dir: "/"})
	if err != nil {
		return err
	}
	defer pl.discard()
	be, err := s.backend(ctx, pl)
	if err != nil {
		return err
	}
	return errors.Join(be.(*linuxCell).trial(ctx), be.close())
}

// trial has a keeper put its rules on and try them.
func (c *linuxCell) trial(ctx context.Context) error {
	conn, _, err := c.keeper(template{Trial: true})
	if err != nil {
		return err
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(openDelay))
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Now()) })
	defer stop()
	var e event
	if _, err := receive(conn, &e); err != nil {
		return fmt.Errorf("a trial of the sandbox ended: %w", err)
	}
	if e.Err != "" {
		return errors.New(e.Err)
	}
	return nil
}

// rules are those of every process of a cell.
func (s *Sandbox) rules(pl plan) rules {
	p := pl.policy
	shared := s.level < Namespaces
	r := rules{Procs: p.MaxProcs, Drop: shared, Fenced: s.layers.landlock > 0}
	switch {
	case !shared && !newerKernel(5, 14): // the limit would count what the user runs outside as well
		r.Procs = 0
	case shared: // it does
		r.Procs += threadsOfUser()
	}
	if !s.layers.filter {
		return r
	}
	judged := shared && p.Network == Loopback
	r.Calls = &callRules{Shared: shared, Judged: judged, Nested: p.Nested, Brokered: s.layers.broker}
	r.Broker = brokerRules{Loopback: judged, Abstract: !shared && p.Network == Loopback, Private: !shared, Mounts: pl.mounts}
	return r
}

func (s *Sandbox) fence(pl plan, r rules) fence {
	f := fence{Version: s.layers.landlock}
	if f.Version == 0 {
		return f
	}
	if s.level == Namespaces {
		f.Rules = cellRules(pl.mounts, pl.inside())
	} else {
		f.Rules = hostRules(pl.mounts, entries)
		if pl.policy.Nested && !s.host.root { // the maps of a user namespace are written there
			f.Rules = append(f.Rules, fileRule{"/proc", mayWrite})
		}
		f.Scopes = unix.LANDLOCK_SCOPE_SIGNAL
		f.Connects = r.Broker.Loopback && s.layers.broker
	}
	if !r.Broker.Abstract {
		f.Scopes |= unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET
	}
	return f
}

// threadsOfUser counts what a limit of processes counts.
func threadsOfUser() int {
	uid, n := uint32(os.Geteuid()), 0
	for _, p := range processes() {
		var st unix.Stat_t
		if unix.Stat("/proc/"+strconv.Itoa(p.pid), &st) == nil && st.Uid == uid {
			n += p.threads
		}
	}
	return n
}

// findings is what Describe says. Whatever a level cannot hold is named here.
func (s *Sandbox) findings() (holds, missing []string) {
	has := func(there bool, yes, no string) {
		if there && yes != "" {
			holds = append(holds, yes)
		} else if !there {
			missing = append(missing, no)
		}
	}
	l, why := s.layers, s.layers.why
	if why != "" {
		why = " (" + why + ")"
	}
	switch s.level {
	case Namespaces:
		holds = append(holds, "own user, process, network, file, ipc and host name spaces: loopback only, the system read-only, home hidden")
		has(l.filter, "system calls filtered", "a system call filter for "+runtime.GOARCH)
		has(l.landlock > 0, fmt.Sprintf("Landlock %d", l.landlock), "Landlock")
		has(l.broker, "no sockets of the machine", "sockets of the machine outside hidden folders are kept away by nothing"+why)
		return holds, missing
	case Landlock:
		holds = append(holds, fmt.Sprintf("Landlock %d: the system read-only, home hidden", l.landlock))
		has(l.filter, "system calls filtered", "a system call filter for "+runtime.GOARCH)
	case Seccomp:
		holds = append(holds, "system calls filtered")
	case Processes:
		holds = append(holds, "process groups, limits and a scrubbed environment only")
	}
	has(l.broker, "of the network only the machine's loopback, without UDP, no sockets of the machine", openNetwork(l)+why)
	if s.level < Landlock {
		missing = append(missing, "files outside the tree can be read and written", "other processes of yours can be read, changed and ended")
		if l.broker { // who can move files can move a socket to where it may be used
			missing = append(missing, "sockets of the machine can be moved and used")
		}
		return holds, missing
	}
	if l.landlock < 6 {
		missing = append(missing, "other processes of yours can be ended")
	}
	return holds, append(missing, "other processes and what listens on loopback are seen, modes and times of files outside the tree can be changed, read-only folders inside writable ones can be written, /dev/shm is shared, no /tmp")
}

func openNetwork(l layers) string {
	if l.filter {
		return "TCP reaches the whole network and sockets of the machine can be used"
	}
	return "the network is open and sockets of the machine can be used"
}
