package sandbox

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"

	"golang.org/x/sys/unix"
)

// Between this process, the holder, keepers and joiners go JSON messages with
// their length before them, over connected Unix sockets that have no name.
// Descriptors travel with the length.

const maxMessage = 16 << 20 // bytes

// template is what a keeper learns from us; a joiner cannot change it.
type template struct {
	Env    []string
	Dir    string
	Joined bool // a joiner sends the rest, and a socket of its own last
	Trial  bool // start nothing, only find out whether Rules can be had
	Rules  rules
}

// order is a process to start, with its descriptors.
type order struct{ Argv []string }

// signalling tells a keeper to end what it keeps.
type signalling struct{ Kill bool }

// event is what a keeper tells: first that it started or why not, then the end.
type event struct {
	Started bool
	Err     string
	Missing bool // there is no such program
	Code    int
	Signal  string
}

// request goes to the holder, with a socket for the answer.
type request struct {
	Op            string // keep, listen, dial
	Network, Addr string
	TimeoutMs     int64
}

// answer is the holder's, with the descriptor asked for.
type answer struct{ Err string }

// pair gives the two ends of a connection: one for us and one to hand over.
func pair() (*net.UnixConn, *os.File, error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("make a socket pair: %w", err)
	}
	ours, theirs := os.NewFile(uintptr(fds[0]), "cell"), os.NewFile(uintptr(fds[1]), "cell")
	conn, err := connOf(ours)
	if err != nil {
		theirs.Close()
		return nil, nil, err
	}
	return conn, theirs, nil
}

// connOf makes a connection of a socket; it takes over f.
func connOf(f *os.File) (*net.UnixConn, error) {
	defer f.Close()
	conn, err := net.FileConn(f)
	if err != nil {
		return nil, fmt.Errorf("use a socket: %w", err)
	}
	u, ok := conn.(*net.UnixConn)
	if !ok {
		conn.Close()
		return nil, errors.New("not a unix socket")
	}
	return u, nil
}

// send writes v and passes files, which stay open here.
func send(c *net.UnixConn, v any, files ...*os.File) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	var rights []byte
	if len(files) > 0 {
		fds := make([]int, len(files))
		for i, f := range files {
			fds[i] = int(f.Fd())
		}
		rights = unix.UnixRights(fds...)
	}
	head := binary.BigEndian.AppendUint32(nil, uint32(len(body)))
	if _, _, err := c.WriteMsgUnix(head, rights, nil); err != nil {
		return err
	}
	_, err = c.Write(body)
	return err
}

// receive reads a message into v and gives the files that came with it.
func receive(c *net.UnixConn, v any) ([]*os.File, error) {
	head := make([]byte, 4)
	rights := make([]byte, unix.CmsgSpace(4*253)) // the most that the kernel passes at once
	n, m, _, _, err := c.ReadMsgUnix(head, rights)
	if err != nil {
		return nil, err
	}
	if n == 0 {
		return nil, io.EOF
	}
	files, err := filesOf(rights[:m])
	if err == nil {
		_, err = io.ReadFull(c, head[n:])
	}
	size := binary.BigEndian.Uint32(head)
	if err == nil && size > maxMessage {
		err = fmt.Errorf("a message of %d bytes", size)
	}
	if err == nil {
		body := make([]byte, size)
		if _, err = io.ReadFull(c, body); err == nil {
			err = json.Unmarshal(body, v)
		}
	}
	if err != nil {
		closeAll(files)
		return nil, err
	}
	return files, nil
}

func filesOf(rights []byte) ([]*os.File, error) {
	if len(rights) == 0 {
		return nil, nil
	}
	messages, err := unix.ParseSocketControlMessage(rights)
	if err != nil {
		return nil, err
	}
	var files []*os.File
	for _, m := range messages {
		fds, err := unix.ParseUnixRights(&m)
		if err != nil {
			closeAll(files)
			return nil, err
		}
		for _, fd := range fds {
			files = append(files, os.NewFile(uintptr(fd), "passed"))
		}
	}
	return files, nil
}
