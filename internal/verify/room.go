package verify

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"gitagent/internal/sandbox"
)

// room is a cell with a temporary folder of its own that it may write.
type room struct {
	*sandbox.Cell
	temp string
	dir  string // removed with the cell
}

// open opens a cell on the target.
func (v *Verifier) open(ctx context.Context, t Target, change func(*sandbox.Policy)) (*room, error) {
	return v.openIn(ctx, v.Temp, "c", t, change)
}

// openForPage does so with short paths: a browser makes sockets in its
// temporary folder, and a socket's path has at most 108 bytes.
func (v *Verifier) openForPage(ctx context.Context, t Target) (*room, error) {
	SweepRooms()
	return v.openIn(ctx, os.TempDir(), ourRooms(), t, nil)
}

// TempRoom makes a folder for a browser outside of any check. The caller removes
// it, or, if it is killed, the next page or session does.
func TempRoom() (string, error) {
	SweepRooms()
	return os.MkdirTemp("", ourRooms())
}

// SweepRooms removes the folders of browsers whose git agent was killed.
func SweepRooms() { sweepRooms(os.TempDir()) }

func ourRooms() string { return fmt.Sprintf("%s%d-", roomPrefix, os.Getpid()) }

func (v *Verifier) openIn(ctx context.Context, temp, prefix string, t Target, change func(*sandbox.Policy)) (*room, error) {
	if v.Sandbox == nil {
		return nil, errors.New("no sandbox")
	}
	dir, err := os.MkdirTemp(temp, prefix)
	if err != nil {
		return nil, fmt.Errorf("make a folder for a check: %w", err)
	}
	p := sandbox.Policy{
		Dir: t.Dir, Writable: []string{t.Dir}, Hidden: v.Hidden,
		Home: filepath.Join(dir, "h"), Temp: filepath.Join(dir, "t"), Cache: v.Cache,
	}
	if change != nil {
		change(&p)
	}
	cell, err := v.Sandbox.Open(ctx, p)
	if err != nil {
		os.RemoveAll(dir)
		return nil, err
	}
	return &room{cell, p.Temp, dir}, nil
}

// close ends everything in the cell and removes its folders.
func (r *room) close() {
	r.Cell.Close()
	os.RemoveAll(r.dir)
}

const roomPrefix = "ga-"

// sweepRooms removes the rooms of processes that were killed. It is best
// effort: what is left is tried again by the next page.
func sweepRooms(temp string) {
	entries, err := os.ReadDir(temp)
	if err != nil {
		return
	}
	for _, e := range entries {
		rest, ok := strings.CutPrefix(e.Name(), roomPrefix)
		id, random, both := strings.Cut(rest, "-")
		pid, err := strconv.Atoi(id)
		if !ok || !both || err != nil || pid < 2 || strings.Trim(random, "0123456789") != "" || !e.IsDir() {
			continue
		}
		if p, err := os.FindProcess(pid); err == nil && errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone) {
			os.RemoveAll(filepath.Join(temp, e.Name()))
		}
	}
}
