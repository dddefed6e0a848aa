package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

const (
	tight = unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV
	// Files in memory are bounded in number as well.
	shmMax     = "size=512m,nr_inodes=20k" // Chromium wants 256 MiB
	tempInodes = "nr_inodes=200k"
)

// mountAll turns this mount namespace into the cell's view: everything
// read-only and without devices, ms on top, /dev, /proc and /dev/shm of its
// own; temp is the size of a private folder in bytes. limit runs while the new /proc is still writable.
func mountAll(ms []mount, temp int64, limit func() error) error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("make the mounts private: %w", err)
	}
	if err := unix.Mount("proc", "/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
		return fmt.Errorf("mount /proc: %w", err)
	}
	sources, err := clones(ms)
	if err != nil {
		return err
	}
	devices, err := cloneDevices()
	if err != nil {
		return err
	}
	// /proc stays writable (a browser's own sandbox needs it), so it is
	// cloned before and put back.
	proc, err := clone("/proc", false)
	if err != nil {
		return err
	}
	if err := limit(); err != nil {
		return err
	}
	if err := setAttr(unix.AT_FDCWD, "/", unix.AT_RECURSIVE, tight|unix.MOUNT_ATTR_RDONLY); err != nil {
		return fmt.Errorf("make the system read-only: %w", err)
	}
	if err := attach(proc, "/proc"); err != nil {
		return err
	}
	if err := mountDev(devices); err != nil {
		return err
	}
	if err := place(ms, sources, temp); err != nil {
		return err
	}
	return closeProc()
}

// clones takes the folders that will be shown, while they can be seen.
func clones(ms []mount) (map[string]int, error) {
	out := map[string]int{}
	for _, m := range ms {
		if m.Kind != readOnly && m.Kind != writable {
			continue
		}
		fd, err := clone(m.Path, true)
		if err != nil {
			return nil, err
		}
		attrs := uint64(tight)
		if m.Kind == readOnly {
			attrs |= unix.MOUNT_ATTR_RDONLY
		}
		if err := setAttr(fd, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, attrs); err != nil {
			return nil, fmt.Errorf("limit %s: %w", m.Path, err)
		}
		out[m.Path] = fd
	}
	return out, nil
}

func clone(path string, deep bool) (int, error) {
	flags := uint(unix.OPEN_TREE_CLONE | unix.OPEN_TREE_CLOEXEC)
	if deep {
		flags |= unix.AT_RECURSIVE
	}
	fd, err := unix.OpenTree(unix.AT_FDCWD, path, flags)
	if err != nil {
		return -1, fmt.Errorf("take %s into the cell: %w", path, err)
	}
	return fd, nil
}

// attach mounts what was cloned at path.
func attach(fd int, path string) error {
	defer unix.Close(fd)
	if err := unix.MoveMount(fd, "", unix.AT_FDCWD, path, unix.MOVE_MOUNT_F_EMPTY_PATH); err != nil {
		return fmt.Errorf("mount %s: %w", path, err)
	}
	return nil
}

func setAttr(fd int, path string, flags uint, attrs uint64) error {
	return unix.MountSetattr(fd, path, flags, &unix.MountAttr{Attr_set: attrs})
}

// place puts every mount of the plan on top; empty folders are closed last,
// since mount points are made in them.
func place(ms []mount, sources map[string]int, temp int64) error {
	var empty []string
	for _, m := range ms {
		var err error
		switch m.Kind {
		case hide:
			var dir bool
			if dir, err = conceal(m.Path); dir {
				empty = append(empty, m.Path)
			}
		case private:
			err = unix.Mount("tmpfs", m.Path, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, fmt.Sprintf("mode=1777,size=%d,%s", temp, tempInodes))
		default:
			if err = mountPoint(sources[m.Path], m.Path); err == nil {
				err = attach(sources[m.Path], m.Path)
			}
		}
		if err != nil {
			return fmt.Errorf("%s %s: %w", m.Kind, m.Path, err)
		}
	}
	for _, path := range empty {
		if err := closeFolder(path); err != nil {
			return err
		}
	}
	return nil
}

// conceal covers path with an empty folder or file.
func conceal(path string) (dir bool, err error) {
	st, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) { // in a temporary folder of the cell
		if err := os.MkdirAll(path, 0o755); err != nil {
			return false, err
		}
		st, err = os.Lstat(path)
	}
	if err != nil {
		return false, err
	}
	if st.IsDir() {
		return true, unix.Mount("tmpfs", path, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=0755,size=1m")
	}
	fd, err := cloneDevice(os.DevNull)
	if err != nil {
		return false, err
	}
	return false, attach(fd, path)
}

// mountPoint makes a folder or file to mount on, in an empty folder of ours.
func mountPoint(fd int, path string) error {
	if _, err := os.Lstat(path); err == nil {
		return nil
	}
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return err
	}
	if st.Mode&unix.S_IFMT == unix.S_IFDIR {
		return os.MkdirAll(path, 0o755)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, nil, 0o644)
}

func closeFolder(path string) error {
	if err := setAttr(unix.AT_FDCWD, path, 0, unix.MOUNT_ATTR_RDONLY); err != nil {
		return fmt.Errorf("close %s: %w", path, err)
	}
	return nil
}
