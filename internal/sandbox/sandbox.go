package sandbox

import (
	"context"
	"fmt"
	"strings"
)

// Level is how much keeps what is started away from the machine.
type Level int

const (
	// Processes: sessions of their own, a scrubbed environment, everything
	// ended together. Nothing is hidden and the network is open.
	Processes Level = iota + 1
	// Namespaces: user, pid, network, mount, ipc and uts namespaces as well.
	Namespaces
)

func (l Level) String() string {
	switch l {
	case Processes:
		return "processes"
	case Namespaces:
		return "namespaces"
	}
	return fmt.Sprintf("level %d", int(l))
}

// Network says what a cell reaches.
type Network int

const (
	// Loopback is a loopback interface of the cell's own and nothing else.
	Loopback Network = iota
	// Host is the network of the machine, for set-up that was allowed it.
	Host
)

// Options of New.
type Options struct {
	// ForceLevel asks for exactly this level; 0 takes the best there is.
	ForceLevel Level
	// Log, when set, gets a line about each cell that opens.
	Log func(line string)
}

// Policy is what a cell may see, write and reach. All paths are absolute.
type Policy struct {
	// Dir is the working folder of what is started. It must be visible.
	Dir string
	// Writable folders may be written, wherever they lie. Home, Temp and
	// Cache are added to them.
	Writable []string
	// Hidden paths appear empty. The user's home, /home, /root, /run, /tmp
	// and /var/tmp always do.
	Hidden []string
	// ReadOnly paths are readable although they lie in a hidden folder, and
	// cannot be written although they lie in a writable one.
	ReadOnly []string

	Network Network

	// Env is added to the scrubbed environment, later entries win.
	Env []string
	// Home and Temp become HOME and TMPDIR; Cache holds the caches of
	// compilers and package managers. Those left empty live and die with the
	// cell. They are made when missing.
	Home, Temp, Cache string

	// MaxOutput is how many bytes of output are kept of a process (head and
	// tail); 0 means 256 KiB. Spec.MaxOutput wins over it.
	MaxOutput int64
	// MaxProcs limits processes and threads together; 0 means 4096. It needs
	// Namespaces, and for root Linux 6.14.
	MaxProcs int
}

// Sandbox opens cells at the level that this system allows.
type Sandbox struct {
	level  Level
	reason string // why the level is not higher
	log    func(string)
	host   facts
}

// New finds out what this system allows, by opening a cell once. It fails only
// when Options.ForceLevel cannot be reached.
func New(ctx context.Context, o Options) (*Sandbox, error) {
	s := &Sandbox{level: Processes, log: o.Log, host: gather()}
	if s.log == nil {
		s.log = func(string) {}
	}
	if o.ForceLevel == Processes {
		s.reason = "asked for"
		return s, nil
	}
	s.level = Namespaces
	if err := s.probe(ctx); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if o.ForceLevel == Namespaces {
			return nil, fmt.Errorf("namespaces are not available: %w", err)
		}
		s.level, s.reason = Processes, err.Error()
	}
	return s, nil
}

// probe opens and closes a cell, so that a refusal shows before work starts.
func (s *Sandbox) probe(ctx context.Context) error {
	c, err := s.open(ctx, Policy{Dir: "/"})
	if err != nil {
		return err
	}
	return c.Close()
}

// Level is the level that was reached.
func (s *Sandbox) Level() Level { return s.level }

// Describe says in one line what holds, what is missing and why.
func (s *Sandbox) Describe() string {
	if s.level == Namespaces {
		return "isolation: own user, process, network, file, ipc and host name spaces; loopback only, the system read-only, home hidden; no system call filter"
	}
	missing := "the network is open, files outside the tree can be read and written"
	return fmt.Sprintf("isolation: process groups and a scrubbed environment only; %s (%s)", missing, strings.TrimSpace(s.reason))
}
