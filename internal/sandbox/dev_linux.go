package sandbox

import (
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// deviceNames are the only devices of a cell. Root in a namespace of its own
// could open a disk through the machine's /dev.
var deviceNames = [...]string{"null", "zero", "full", "random", "urandom", "tty"}

func cloneDevices() (map[string]int, error) {
	out := map[string]int{}
	for _, name := range deviceNames {
		path := filepath.Join("/dev", name)
		if _, err := os.Lstat(path); err != nil {
			continue
		}
		fd, err := cloneDevice(path)
		if err != nil {
			return nil, err
		}
		out[name] = fd
	}
	return out, nil
}

// cloneDevice takes a device into the cell, read-only: it can be written all
// the same, but root cannot change its mode or times.
func cloneDevice(path string) (int, error) {
	fd, err := clone(path, false)
	if err != nil {
		return -1, err
	}
	if err := setAttr(fd, "", unix.AT_EMPTY_PATH, unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NOEXEC|unix.MOUNT_ATTR_RDONLY); err != nil {
		return -1, fmt.Errorf("limit %s: %w", path, err)
	}
	return fd, nil
}

// mountDev gives the cell a /dev of its own.
func mountDev(devices map[string]int) error {
	const quiet = unix.MS_NOSUID | unix.MS_NOEXEC
	if err := unix.Mount("tmpfs", "/dev", "tmpfs", quiet, "mode=0755,size=1m"); err != nil {
		return fmt.Errorf("mount /dev: %w", err)
	}
	for name, fd := range devices {
		path := filepath.Join("/dev", name)
		if err := os.WriteFile(path, nil, 0o666); err != nil {
			return err
		}
		if err := attach(fd, path); err != nil {
			return err
		}
	}
	for _, dir := range []string{"/dev/pts", "/dev/shm"} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			return err
		}
	}
	if err := unix.Mount("devpts", "/dev/pts", "devpts", quiet, "newinstance,ptmxmode=0666,mode=0620"); err != nil {
		return fmt.Errorf("mount /dev/pts: %w", err)
	}
	if err := unix.Mount("tmpfs", "/dev/shm", "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=1777,"+shmMax); err != nil {
		return fmt.Errorf("mount /dev/shm: %w", err)
	}
	links := map[string]string{"ptmx": "pts/ptmx", "fd": "/proc/self/fd", "stdin": "/proc/self/fd/0", "stdout": "/proc/self/fd/1", "stderr": "/proc/self/fd/2"}
	for name, target := range links {
		if err := os.Symlink(target, filepath.Join("/dev", name)); err != nil {
			return err
		}
	}
	return closeFolder("/dev")
}

// closeProc makes the parts of /proc read-only that speak of the whole
// machine: as root they could be written.
func closeProc() error {
	for _, name := range []string{"sys", "sysrq-trigger", "irq", "bus", "fs", "acpi", "scsi"} {
		path := filepath.Join("/proc", name)
		if _, err := os.Lstat(path); err != nil {
			continue
		}
		fd, err := clone(path, true)
		if err != nil {
			return err
		}
		if err := setAttr(fd, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, tight|unix.MOUNT_ATTR_RDONLY); err != nil {
			return fmt.Errorf("close %s: %w", path, err)
		}
		if err := attach(fd, path); err != nil {
			return err
		}
	}
	return nil
}
