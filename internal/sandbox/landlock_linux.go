package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// oldestLandlock is the first version worth having: before it a file that may
// not be written could still be emptied, or nothing moved between folders.
const oldestLandlock = 3

// landlockVersion is what this kernel has, 0 for nothing.
func landlockVersion() int {
	v, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return int(v)
}

// fence is a Landlock ruleset to be made.
type fence struct {
	Version int // 0 for none
	Rules   []fileRule
	// Connects says that no TCP connection may be made; a broker makes them.
	Connects bool
	// Scopes are LANDLOCK_SCOPE_… flags.
	Scopes uint64
}

const (
	readAccess = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	fileAccess = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE |
		unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV | unix.LANDLOCK_ACCESS_FS_RESOLVE_UNIX
	deviceAccess = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR | unix.LANDLOCK_ACCESS_FS_WRITE_FILE |
		unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	notWritten = unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
)

// handledFiles is every right that this version knows.
func handledFiles(version int) uint64 {
	all := uint64(unix.LANDLOCK_ACCESS_FS_TRUNCATE)<<1 - 1
	if version >= 5 {
		all |= unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	if version >= 9 {
		all |= unix.LANDLOCK_ACCESS_FS_RESOLVE_UNIX
	}
	return all
}

// make gives the ruleset, to be put on by fenceIn; nil when there is none.
func (f fence) make() (*os.File, error) {
	if f.Version == 0 {
		return nil, nil
	}
	attr := unix.LandlockRulesetAttr{Handled_access_fs: handledFiles(f.Version)}
	if f.Connects && f.Version >= 4 {
		attr.Handled_access_net = unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
	}
	if f.Version >= 6 {
		attr.Scoped = f.Scopes
	}
	// An older kernel takes the longer structure as long as the rest is zero.
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0)
	if errno != 0 {
		return nil, fmt.Errorf("make a Landlock ruleset: %w", errno)
	}
	set := os.NewFile(fd, "landlock")
	for _, r := range f.Rules {
		if err := addRule(int(fd), r, attr.Handled_access_fs); err != nil {
			set.Close()
			return nil, fmt.Errorf("a Landlock rule for %s: %w", r.Path, err)
		}
	}
	return set, nil
}

// addRule allows what r says; what is gone meanwhile needs no rule.
func addRule(set int, r fileRule, handled uint64) error {
	path, err := unix.Open(r.Path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return nil
	}
	if err != nil {
		return err
	}
	defer unix.Close(path)
	var st unix.Stat_t
	if err := unix.Fstat(path, &st); err != nil {
		return err
	}
	access := handled
	switch r.Access {
	case mayRead:
		access &= readAccess
	case mayUse:
		access &= deviceAccess
	case mayWrite:
		access &^= notWritten
	}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR {
		access &= fileAccess
	}
	attr := unix.LandlockPathBeneathAttr{Allowed_access: access, Parent_fd: int32(path)}
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(set), unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&attr)), 0, 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}

// fenceIn puts a ruleset on this thread, for good, and on all that it will start.
func fenceIn(set int) error {
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(set), 0, 0); errno != 0 {
		return fmt.Errorf("restrict the access to files: %w", errno)
	}
	return nil
}
