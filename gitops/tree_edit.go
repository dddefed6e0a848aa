package gitops

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os/exec"
	"strings"
)

// Edit is one change to a tree: a file from Data, or from Blob when that is
// set; Mode "" means a regular file. Delete removes a file or a whole folder.
type Edit struct {
	Path, Mode string
	Data       []byte
	Blob       OID
	Delete     bool
}

// EditTree applies edits in order to base ("" = the empty tree) and returns the
// new tree. Folders that become empty go; a file replaces a folder of its name
// and the reverse.
func (r *Repo) EditTree(ctx context.Context, base OID, edits []Edit) (OID, error) {
	if base == "" {
		var err error
		if base, err = r.EmptyTree(ctx); err != nil {
			return "", err
		}
	}
	root := &folderNode{tree: base}
	for _, e := range edits {
		if err := r.applyEdit(ctx, root, e); err != nil {
			return "", fmt.Errorf("edit tree: %s: %w", e.Path, err)
		}
	}
	m := &treeMaker{repo: r, ctx: ctx}
	defer m.close()
	id, err := m.write(root)
	if err != nil {
		return "", fmt.Errorf("edit tree: %w", err)
	}
	if id != "" && len(edits) > 0 {
		return id, nil
	}
	return r.writeEmptyTree(ctx, id)
}

// writeEmptyTree stores the empty tree where id is it or nothing: git knows it
// anyway, but its fsck wants to see what is referred to.
func (r *Repo) writeEmptyTree(ctx context.Context, id OID) (OID, error) {
	empty, err := r.EmptyTree(ctx)
	if err != nil || (id != "" && id != empty) {
		return id, err
	}
	if _, err := r.run(ctx, call{args: []string{"hash-object", "-w", "-t", "tree", "--stdin"}}); err != nil {
		return "", fmt.Errorf("write the empty tree: %w", err)
	}
	return empty, nil
}

// FilterTree returns tree with only the files whose path keep accepts.
func (r *Repo) FilterTree(ctx context.Context, tree OID, keep func(path string) bool) (OID, error) {
	entries, err := r.ListTree(ctx, tree)
	if err != nil {
		return "", err
	}
	var drop []Edit
	for _, e := range entries {
		if !keep(e.Path) {
			drop = append(drop, Edit{Path: e.Path, Delete: true})
		}
	}
	if len(drop) == 0 && tree != "" {
		return tree, nil
	}
	return r.EditTree(ctx, tree, drop)
}

// folderNode is a folder being edited; only folders on the way to an edit are
// ever read.
type folderNode struct {
	tree    OID
	loaded  bool
	changed bool
	entries map[string]Entry
	folders map[string]*folderNode
}

func (r *Repo) load(ctx context.Context, n *folderNode) error {
	if n.loaded {
		return nil
	}
	entries, err := r.level(ctx, n.tree)
	if err != nil {
		return err
	}
	n.entries, n.folders = make(map[string]Entry, len(entries)), map[string]*folderNode{}
	for _, e := range entries {
		n.entries[e.Path] = e
	}
	n.loaded = true
	return nil
}

func (r *Repo) applyEdit(ctx context.Context, root *folderNode, e Edit) error {
	if err := checkPath(e.Path); err != nil {
		return err
	}
	entry := Entry{Mode: e.Mode, OID: e.Blob}
	if !e.Delete {
		if entry.Mode == "" {
			entry.Mode = ModeFile
		}
		if entry.Mode != ModeFile && entry.Mode != ModeExecutable && entry.Mode != ModeSymlink {
			return fmt.Errorf("mode %s cannot be written", entry.Mode)
		}
		if entry.OID == "" {
			var err error
			if entry.OID, err = r.WriteBlob(ctx, e.Data); err != nil {
				return err
			}
		}
	}
	return r.place(ctx, root, strings.Split(e.Path, "/"), entry, e.Delete)
}

func (r *Repo) place(ctx context.Context, n *folderNode, parts []string, entry Entry, remove bool) error {
	if err := r.load(ctx, n); err != nil {
		return err
	}
	name := parts[0]
	n.changed = true
	if len(parts) == 1 {
		delete(n.folders, name)
		delete(n.entries, name)
		if !remove {
			entry.Path = name
			n.entries[name] = entry
		}
		return nil
	}
	child := n.folders[name]
	if child == nil {
		child = &folderNode{}
		if e, ok := n.entries[name]; ok && e.Mode == modeDir {
			child.tree = e.OID
		} else if remove {
			return nil
		}
		n.folders[name] = child
	}
	return r.place(ctx, child, parts[1:], entry, remove)
}

// checkPath refuses what git itself would not check out.
func checkPath(path string) error {
	for part := range strings.SplitSeq(path, "/") {
		switch {
		case part == "" || part == "." || part == "..", strings.ContainsRune(part, 0):
			return fmt.Errorf("not a path in a tree")
		case strings.EqualFold(part, ".git"):
			return fmt.Errorf("a path in a tree may not hold .git")
		}
	}
	return nil
}

// treeMaker writes trees bottom-up through one `git mktree`, started when the
// first is needed.
type treeMaker struct {
	repo *Repo
	ctx  context.Context
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	errs bytes.Buffer
}

// write returns the id of n, "" when nothing is left in it.
func (m *treeMaker) write(n *folderNode) (OID, error) {
	if !n.changed {
		return n.tree, nil
	}
	for name, child := range n.folders {
		id, err := m.write(child)
		if err != nil {
			return "", err
		}
		delete(n.entries, name)
		if id != "" {
			n.entries[name] = Entry{Mode: modeDir, OID: id, Path: name}
		}
	}
	if len(n.entries) == 0 {
		return "", nil
	}
	return m.make(n.entries)
}

func (m *treeMaker) make(entries map[string]Entry) (OID, error) {
	if err := m.start(); err != nil {
		return "", err
	}
	var b strings.Builder
	for name, e := range entries {
		kind := "blob"
		switch e.Mode {
		case modeDir:
			kind = "tree"
		case ModeGitlink:
			kind = "commit"
		}
		fmt.Fprintf(&b, "%s %s %s\t%s\x00", e.Mode, kind, e.OID, name)
	}
	b.WriteByte(0) // ends one tree
	if _, err := io.WriteString(m.in, b.String()); err != nil {
		return "", m.fail(err)
	}
	line, err := m.out.ReadString('\n')
	if err != nil {
		return "", m.fail(err)
	}
	return OID(strings.TrimSpace(line)), nil
}

func (m *treeMaker) start() error {
	if m.cmd != nil {
		return nil
	}
	cmd := m.repo.command(m.ctx, call{args: []string{"mktree", "-z", "--batch"}})
	cmd.Stdin, cmd.Stderr = nil, &m.errs
	in, err := cmd.StdinPipe()
	if err != nil {
		return fmt.Errorf("start git mktree: %w", err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return fmt.Errorf("start git mktree: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start git mktree: %w", err)
	}
	m.cmd, m.in, m.out = cmd, in, bufio.NewReader(out)
	return nil
}

// fail prefers git's own words to a broken pipe.
func (m *treeMaker) fail(err error) error {
	m.close()
	if m.errs.Len() > 0 {
		return &Error{Args: []string{"mktree"}, ExitCode: 128, Stderr: m.errs.String()}
	}
	return fmt.Errorf("git mktree: %w", err)
}

func (m *treeMaker) close() {
	if m.cmd == nil || m.in == nil {
		return
	}
	m.in.Close()
	m.in = nil
	io.Copy(io.Discard, m.out)
	m.cmd.Wait()
}
