package tools

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"
	"unicode/utf8"
)

const (
	maxRead  = 8 << 20 // bytes of a file that is read at all
	maxWrite = 1 << 20 // bytes of a file that is written
)

// errNotText is a file that is no text.
var errNotText = errors.New("is not a text file")

// readText reads a regular text file of the tree. Links are followed inside the
// tree; os.Root refuses those that lead out. O_NONBLOCK keeps a FIFO that slips
// in between the two looks from hanging the session.
func readText(root *os.Root, name string) ([]byte, error) {
	info, err := root.Stat(name)
	if err != nil {
		return nil, plainError(name, err)
	}
	if err := regular(name, info); err != nil {
		return nil, err
	}
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, plainError(name, err)
	}
	defer f.Close()
	if info, err = f.Stat(); err != nil {
		return nil, plainError(name, err)
	}
	if err := regular(name, info); err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f, maxRead+1))
	if err != nil {
		return nil, plainError(name, err)
	}
	if len(data) > maxRead {
		return nil, fmt.Errorf("%s is larger than %d bytes", name, maxRead)
	}
	if !isText(data) {
		return nil, fmt.Errorf("%s (%d bytes) %w", name, len(data), errNotText)
	}
	return data, nil
}

func regular(name string, info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return fmt.Errorf("%s is a folder; list_files shows what is in it", name)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a regular file", name)
	case info.Size() > maxRead:
		return fmt.Errorf("%s is %d bytes, more than the %d that can be read", name, info.Size(), maxRead)
	}
	return nil
}

// isText looks for NUL bytes and broken UTF-8 as git and grep do, at the head.
func isText(data []byte) bool {
	head := data[:min(len(data), 8000)]
	if bytes.IndexByte(head, 0) >= 0 {
		return false
	}
	broken := 0
	for len(head) > utf8.UTFMax {
		r, n := utf8.DecodeRune(head)
		if r == utf8.RuneError && n == 1 {
			broken++
		}
		head = head[n:]
	}
	return broken <= 20
}

// writable refuses paths that a session may not write: by name, by the caller's
// rules, or because something other than a plain file or folder is in the way.
func writable(env *Env, name string) error {
	if name == "." {
		return errors.New("the path names the project folder itself; name a file")
	}
	if why := Forbidden(name); why != "" {
		return fmt.Errorf("%s may not be written in a session: %s", name, why)
	}
	if env.Protected != nil {
		if why := env.Protected(name); why != "" {
			return fmt.Errorf("%s may not be written in a session: %s", name, why)
		}
	}
	parts := strings.Split(name, "/")
	for i := range parts {
		part := strings.Join(parts[:i+1], "/")
		info, err := env.Root.Lstat(part)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return plainError(part, err)
		}
		last := i == len(parts)-1
		switch {
		case info.Mode()&fs.ModeSymlink != 0:
			to, _ := env.Root.Readlink(part)
			return fmt.Errorf("%s is a symbolic link to %q; write the file it leads to", part, to)
		case last && info.IsDir():
			return fmt.Errorf("%s is a folder; name a file in it", part)
		case last && !info.Mode().IsRegular():
			return fmt.Errorf("%s is not a regular file", part)
		case !last && !info.IsDir():
			return fmt.Errorf("%s is a file, so nothing can be inside it", part)
		}
	}
	return nil
}

// replace writes a file as a whole or not at all: a new file in the same folder
// takes its place, so that a hard link's other names keep their content. An
// existing file keeps its mode; a new script that begins with #! is executable.
func replace(env *Env, name string, data []byte) error {
	if len(data) > maxWrite {
		return fmt.Errorf("the content is %d bytes; at most %d can be written", len(data), maxWrite)
	}
	if err := writable(env, name); err != nil {
		return err
	}
	mode := fs.FileMode(0o644)
	if bytes.HasPrefix(data, []byte("#!")) {
		mode = 0o755
	}
	if info, err := env.Root.Lstat(name); err == nil {
		mode = info.Mode().Perm() | 0o600
	}
	dir := path.Dir(name)
	if err := env.Root.MkdirAll(dir, 0o755); err != nil {
		return plainError(dir, err)
	}
	temp, err := writeTemp(env.Root, dir, data, mode)
	if err != nil {
		return plainError(name, err)
	}
	if err := env.Root.Rename(temp, name); err != nil {
		return plainError(name, errors.Join(err, env.Root.Remove(temp)))
	}
	return nil
}

// writeTemp writes a new file beside the target and returns its path.
func writeTemp(root *os.Root, dir string, data []byte, mode fs.FileMode) (string, error) {
	var random [8]byte
	if _, err := rand.Read(random[:]); err != nil {
		return "", err
	}
	temp := path.Join(dir, ".tmp-"+hex.EncodeToString(random[:]))
	f, err := root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Chmod(mode) // the umask must not decide about the executable bit
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return "", errors.Join(err, root.Remove(temp))
	}
	return temp, nil
}

// plainError says what went wrong without the name of the operation.
func plainError(name string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s does not exist", name)
	case errors.Is(err, syscall.ENOTDIR):
		return fmt.Errorf("%s: a part of the path is a file, not a folder", name)
	case strings.Contains(err.Error(), "escapes from parent"):
		return fmt.Errorf("%s leads out of the project folder", name)
	}
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return fmt.Errorf("%s: %w", name, pe.Err)
	}
	return fmt.Errorf("%s: %w", name, err)
}
