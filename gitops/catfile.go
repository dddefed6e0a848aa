package gitops

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// catFile reads objects through one long-lived `git cat-file --batch`. It ends
// with its standard input, so never outlives this process.
type catFile struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func (r *Repo) startCatFile() (*catFile, error) {
	cmd := r.command(context.Background(), call{args: []string{"cat-file", "--batch"}})
	cmd.Stdin = nil
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("start git cat-file: %w", err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("start git cat-file: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start git cat-file: %w", err)
	}
	return &catFile{cmd: cmd, in: in, out: bufio.NewReaderSize(out, 64<<10)}, nil
}

func (c *catFile) read(id OID, most int64) (kind string, data []byte, size int64, err error) {
	_, kind, data, size, err = c.ask(string(id), most)
	return kind, data, size, err
}

// ask is read for any name of an object that git knows, on one line.
func (c *catFile) ask(name string, most int64) (id OID, kind string, data []byte, size int64, err error) {
	if _, err := io.WriteString(c.in, name+"\n"); err != nil {
		return "", "", nil, 0, fmt.Errorf("ask git cat-file: %w", err)
	}
	head, err := c.out.ReadString('\n')
	if err != nil {
		return "", "", nil, 0, fmt.Errorf("read from git cat-file: %w", err)
	}
	f := strings.Fields(head)
	if len(f) > 1 && f[len(f)-1] == "missing" {
		return "", "", nil, 0, ErrNotFound
	}
	if len(f) != 3 {
		return "", "", nil, 0, fmt.Errorf("git cat-file answered %q", head)
	}
	if size, err = strconv.ParseInt(f[2], 10, 64); err != nil {
		return "", "", nil, 0, fmt.Errorf("git cat-file answered %q", head)
	}
	if size > most { // git adds a newline
		_, err = io.CopyN(io.Discard, c.out, size+1)
	} else {
		data = make([]byte, size+1)
		_, err = io.ReadFull(c.out, data)
		data = data[:size]
	}
	if err != nil {
		return "", "", nil, 0, fmt.Errorf("read from git cat-file: %w", err)
	}
	return OID(f[0]), f[1], data, size, nil
}

func (c *catFile) close() error {
	c.in.Close()
	kill := time.AfterFunc(2*time.Second, func() { c.cmd.Process.Kill() })
	defer kill.Stop()
	io.Copy(io.Discard, c.out)
	return c.cmd.Wait()
}
