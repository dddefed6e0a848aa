package sandbox

import (
	"fmt"
	"net"
	"os"
	"os/signal"
	"strconv"
	"syscall"
)

// A joiner stands for a process of a cell where a library wants a child of
// its own: it hands its descriptors to a keeper, waits, and ends as the
// process ended. Its own end ends the process.

// join is the main function of a joiner: args are the descriptor of the
// connection, which is its last, and the command.
func join(args []string) int {
	code, err := joined(args)
	if err != nil {
		fmt.Fprintln(os.Stderr, "git-agent:", err)
	}
	return code
}

func joined(args []string) (int, error) {
	if len(args) < 2 {
		return 126, fmt.Errorf("no command to join")
	}
	last, err := strconv.Atoi(args[0])
	if err != nil || last < 3 {
		return 126, fmt.Errorf("no connection to a cell")
	}
	conn, err := connOf(os.NewFile(uintptr(last), "cell"))
	if err != nil {
		return 126, err
	}
	life, theirs, err := pair()
	if err != nil {
		return 126, err
	}
	files := make([]*os.File, 0, last+1)
	for fd := range last {
		files = append(files, os.NewFile(uintptr(fd), "passed"))
	}
	err = send(conn, order{Argv: args[1:]}, append(files, theirs)...)
	closeAll(append(files[3:], theirs))
	conn.Close() // so that its end tells the keeper that we, the harness, are gone
	if err != nil {
		return 126, fmt.Errorf("reach the cell: %w", err)
	}
	return await(life)
}

// await passes signals on until the process has ended.
func await(life *net.UnixConn) (int, error) {
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	go func() {
		for range asked {
			_ = send(life, signalling{}) // when it is gone, so are we
		}
	}()
	for {
		var e event
		if _, err := receive(life, &e); err != nil {
			return 137, fmt.Errorf("the cell has ended")
		}
		switch {
		case e.Missing:
			return 127, fmt.Errorf("%s", e.Err)
		case e.Err != "":
			return 126, fmt.Errorf("%s", e.Err)
		case !e.Started:
			return e.Code, nil
		}
	}
}
