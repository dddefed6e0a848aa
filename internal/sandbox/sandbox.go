package sandbox

import (
	"context"
	"fmt"
	"os"
	"strings"
)

// Level is how much keeps what is started away from the machine. Each has what
// those before it have, as far as the system allows; Describe says how far.
type Level int

const (
	// Processes: sessions of their own, a scrubbed environment, limits,
	// everything ended together. Nothing is hidden and the network is open.
	Processes Level = iota + 1
	// Seccomp: a filter of system calls, and connections to this machine's
	// loopback and to the cell's own sockets alone. Nothing is hidden.
	Seccomp
	// Landlock: files outside the policy can neither be read nor written.
	Landlock
	// Namespaces: user, pid, network, mount, ipc and uts namespaces as well.
	Namespaces
)

func (l Level) String() string {
	if names := [...]string{Processes: "processes", Seccomp: "seccomp", Landlock: "landlock", Namespaces: "namespaces"}; l >= Processes && int(l) < len(names) {
		return names[l]
	}
	return fmt.Sprintf("level %d", int(l))
}

// Brief says in a few words what a level holds and what it lacks; Describe of a
// Sandbox says all of it, and what the machine adds or takes away.
func (l Level) Brief() string {
	switch l {
	case Namespaces:
		return "commands see their own files, processes and loopback, nothing of yours"
	case Landlock:
		return "commands read and write their own files alone and reach loopback alone; your processes and what listens on loopback are seen"
	case Seccomp:
		return "commands reach loopback alone, but read and write all of your files"
	}
	return "commands are ended and limited, but read and write all of your files and reach the network"
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
	// MaxProcs limits processes and threads together; 0 means 4096. Where the
	// kernel cannot, whatever goes beyond it ends everything in the cell.
	MaxProcs int
	// MaxMemory is how many bytes everything in the cell may use together, or
	// it is ended; 0 means 8 GiB, or three quarters of a smaller machine.
	MaxMemory int64
	// MaxDisk is by how many bytes the free space may shrink where the cell may
	// write, or everything in it is ended; 0 means 16 GiB. So is what takes the
	// last half GiB.
	MaxDisk int64
	// MaxTemp is how many bytes fit into each temporary folder that the cell
	// has of its own, at Namespaces; 0 means 2 GiB, or an eighth of a smaller
	// machine's memory.
	MaxTemp int64

	// Nested lets what is started make namespaces of its own, as a browser's
	// sandbox does for an ordinary user. It opens much of the kernel.
	Nested bool
}

const (
	defaultProcs  = 4096
	defaultTemp   = 2 << 30
	defaultMemory = 8 << 30
	defaultDisk   = 16 << 30
)

// Sandbox opens cells at the level that this system allows.
type Sandbox struct {
	level   Level
	layers  layers
	reasons []string // why the level is not higher, one for each above it
	log     func(string)
	host    facts
}

// New finds out what this system allows, by opening a cell once. It fails only
// when Options.ForceLevel cannot be reached.
func New(ctx context.Context, o Options) (*Sandbox, error) {
	s := &Sandbox{log: o.Log, host: gather()}
	if s.log == nil {
		s.log = func(string) {}
	}
	sweep(os.TempDir())
	for level := Namespaces; level >= Processes; level-- {
		if o.ForceLevel != 0 && level != o.ForceLevel {
			continue
		}
		err := s.reach(ctx, level)
		if err == nil {
			break
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if o.ForceLevel != 0 {
			return nil, fmt.Errorf("level %s cannot be reached: %w", level, err)
		}
		s.reasons = append(s.reasons, strings.TrimSpace(err.Error()))
	}
	if o.ForceLevel != 0 && o.ForceLevel < Namespaces {
		s.reasons = []string{"asked for"}
	}
	return s, nil
}

// Level is the level that was reached.
func (s *Sandbox) Level() Level { return s.level }

// Describe says in one line what holds, what is missing and why.
func (s *Sandbox) Describe() string {
	holds, missing := s.findings()
	line := "isolation: " + strings.Join(holds, ", ")
	if len(missing) > 0 {
		line += "; missing: " + strings.Join(missing, ", ")
	}
	if len(s.reasons) > 0 {
		line += " (" + strings.Join(s.reasons, "; ") + ")"
	}
	return line
}
