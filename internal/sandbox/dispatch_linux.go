package sandbox

import (
	"fmt"
	"net"
	"os"
	"strconv"
	"syscall"
)

// The words by which this binary, started by itself, knows its part.
const (
	holderWord = "__cell"
	keeperWord = "__keep"
	joinerWord = "__join"
	// selfPath is this binary, also when it was replaced or is hidden.
	selfPath = "/proc/self/exe"
)

// Dispatch must be the first line of main and of every TestMain that uses the
// package: when this process is a part of a cell, it plays it and never returns.
func Dispatch() {
	if len(os.Args) < 2 {
		return
	}
	switch os.Args[1] {
	case holderWord:
		os.Exit(connected(hold))
	case keeperWord:
		os.Exit(connected(keep))
	case joinerWord:
		os.Exit(join(os.Args[2:]))
	}
}

// connected runs a part with its connection, descriptor 3. Any other that we
// inherited from whoever started us must not get into a cell.
func connected(part func(*net.UnixConn) int) int {
	if err := closeInherited(3); err != nil {
		fmt.Fprintln(os.Stderr, "git-agent:", err)
		return 2
	}
	conn, err := connOf(os.NewFile(3, "cell"))
	if err != nil {
		fmt.Fprintln(os.Stderr, "git-agent: this command is for git agent itself")
		return 2
	}
	return part(conn)
}

// closeInherited keeps what this process starts from having descriptors above last.
func closeInherited(last int) error {
	names, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return err
	}
	for _, n := range names {
		if fd, err := strconv.Atoi(n.Name()); err == nil && fd > last {
			syscall.CloseOnExec(fd)
		}
	}
	return nil
}
