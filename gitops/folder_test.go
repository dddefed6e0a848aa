package gitops_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gitagent/gitops"
	"gitagent/internal/testenv"
)

func folder(t testing.TB, r *gitops.Repo) *gitops.Folder {
	t.Helper()
	dir := t.TempDir()
	return r.Folder(filepath.Join(dir, "tree"), filepath.Join(dir, "index"))
}

func TestFolderKeepsEveryByte(t *testing.T) {
	home := testenv.Clean(t)
	dir := testenv.Repo(t)
	r, ctx := open(t, dir), t.Context()
	base, err := r.EditTree(ctx, "", []gitops.Edit{
		{Path: "crlf.txt", Data: []byte("a\r\nb\r\n")}, {Path: "mixed.txt", Data: []byte("a\r\nb\n")}, {Path: "utf16.txt", Data: []byte("\xff\xfea\x00")},
		{Path: "ident.c", Data: []byte("$Id$\n")}, {Path: "run.sh", Mode: "100755", Data: []byte("#!/bin/sh\n")},
		{Path: "link", Mode: "120000", Data: []byte("nowhere/at all")}, {Path: "out", Mode: "120000", Data: []byte("/etc/passwd")},
		{Path: "lfs.bin", Data: []byte("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n")},
		{Path: "ü ñ\t\"q\"\n.txt", Data: []byte("odd")}, {Path: "bad\xff", Data: []byte("odd")}, {Path: "-rf", Data: []byte("dash")}, {Path: ":(glob)*", Data: nil},
		{Path: ".gitattributes", Data: []byte("*.txt text eol=crlf\nutf16.txt working-tree-encoding=UTF-16\nident.c ident\n*.bin filter=lfs\n*.c filter=up\n")},
		{Path: "sub/.gitattributes", Data: []byte("[attr]x text\n* text=auto\n")}, {Path: "sub/x.md", Data: []byte("\r\n")},
	})
	must(t, err)
	testenv.Git(t, dir, "config", "core.autocrlf", "true")
	testenv.Git(t, dir, "config", "filter.up.smudge", "tr a-z A-Z")
	testenv.Git(t, dir, "config", "--global", "core.eol", "crlf")
	testenv.Git(t, dir, "config", "--global", "core.fileMode", "false")
	testenv.Git(t, dir, "config", "--global", "core.excludesFile", filepath.Join(home, "ex"))
	testenv.Git(t, dir, "config", "--global", "core.attributesFile", filepath.Join(home, "attr"))
	testenv.Write(t, home, "attr", "* text\n")
	testenv.Write(t, home, "ex", "*\n")
	testenv.Write(t, dir, ".git/info/exclude", "*\n")
	testenv.Write(t, dir, ".git/info/attributes", "* text eol=crlf\n")
	f := folder(t, r)
	must(t, f.Checkout(ctx, base))
	entries, err := r.ListTree(ctx, base)
	must(t, err)
	for _, e := range entries {
		want, err := r.ReadBlob(ctx, e.OID)
		must(t, err)
		path := filepath.Join(f.Dir(), e.Path)
		info, err := os.Lstat(path)
		must(t, err)
		var got []byte
		if e.Mode == gitops.ModeSymlink {
			target, err := os.Readlink(path)
			must(t, err)
			got = []byte(target)
		} else if got, err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
		if string(got) != string(want) || (e.Mode == gitops.ModeExecutable) != (info.Mode()&0o100 != 0 && info.Mode().IsRegular()) {
			t.Errorf("%q: %q, mode %s", e.Path, got, info.Mode())
		}
		if e.Mode != gitops.ModeSymlink {
			touch(t, f.Dir(), e.Path) // so that the content is read again
		}
	}
	if got, err := f.Snapshot(ctx); got != base || err != nil {
		t.Errorf("Snapshot = %s, %v, want %s", got, err, base)
	}
	// New files are seen whatever the user ignores elsewhere; empty folders are no content.
	testenv.Write(t, f.Dir(), "new.txt", "x\r\n")
	must(t, os.MkdirAll(filepath.Join(f.Dir(), "empty", "deep"), 0o755))
	tree, err := f.Snapshot(ctx)
	must(t, err)
	data, err := r.ReadFile(ctx, tree, "new.txt")
	if err != nil || string(data) != "x\r\n" {
		t.Errorf("new.txt in the snapshot: %q, %v", data, err)
	}
	if _, err := os.Lstat(filepath.Join(f.Dir(), ".git")); err == nil {
		t.Error("the folder has a .git")
	}
}

func TestCheckoutUndoesWhatACommandDid(t *testing.T) {
	testenv.Clean(t)
	dir := testenv.Repo(t)
	outside := t.TempDir()
	testenv.Write(t, outside, "precious", "p\n")
	commit(t, dir, "a", "1\n", "d/b", "1\n", "e/c", "1\n", ".gitignore", "node_modules/\n*.log\n")
	r, ctx := open(t, dir), t.Context()
	tree, err := r.TreeOf(ctx, "HEAD")
	must(t, err)
	f := folder(t, r)
	must(t, f.Checkout(ctx, tree))
	in := func(path string) string { return filepath.Join(f.Dir(), path) }
	clean := state(t, f.Dir())
	testenv.Write(t, f.Dir(), "a", "changed\n")
	must(t, os.Chmod(in("e/c"), 0o755))
	must(t, os.RemoveAll(in("d")))
	must(t, os.Symlink(outside, in("d"))) // a folder becomes a way out
	testenv.Write(t, f.Dir(), "left/over", "x\n")
	testenv.Write(t, f.Dir(), "node_modules/m/index.js", "kept\n")
	testenv.Write(t, f.Dir(), "x.log", "kept\n")
	for _, nested := range []string{".", "e", "nested"} {
		must(t, os.MkdirAll(in(nested), 0o755))
		testenv.Git(t, in(nested), "init", "-q")
	}
	testenv.Git(t, in("nested"), "commit", "-q", "--allow-empty", "-m", "x")
	changed, err := f.Untracked(ctx)
	must(t, err)
	if diff := cmp.Diff([]string{"a", "d", "d/b", "e/c", "left/over", "nested/"}, changed); diff != "" {
		t.Errorf("Untracked:\n%s", diff)
	}
	must(t, f.Checkout(ctx, tree))
	want := clean
	want["node_modules/m/index.js"], want["x.log"] = "-rw-r--r-- kept\n", "-rw-r--r-- kept\n"
	if diff := cmp.Diff(want, state(t, f.Dir())); diff != "" {
		t.Errorf("after Checkout:\n%s", diff)
	}
	if data, err := os.ReadFile(filepath.Join(outside, "precious")); err != nil || string(data) != "p\n" {
		t.Errorf("outside: %q, %v", data, err)
	}
	if changed, err := f.Untracked(ctx); len(changed) != 0 || err != nil {
		t.Errorf("Untracked after Checkout: %v, %v", changed, err)
	}
	must(t, f.Checkout(ctx, ""))
	if left := state(t, f.Dir()); len(left) != 2 && len(left) != 0 {
		t.Errorf("the empty tree leaves %v", left)
	}
}

func TestCheckoutThroughASymlinkStaysInside(t *testing.T) {
	testenv.Clean(t)
	dir := testenv.Repo(t)
	outside := t.TempDir()
	testenv.Git(t, outside, "init", "-q")
	commit(t, dir, "d/sub/b", "1\n")
	r, ctx := open(t, dir), t.Context()
	tree, err := r.TreeOf(ctx, "HEAD")
	must(t, err)
	f := folder(t, r)
	must(t, f.Checkout(ctx, tree))
	must(t, os.RemoveAll(filepath.Join(f.Dir(), "d")))
	must(t, os.Symlink(outside, filepath.Join(f.Dir(), "d")))
	before := state(t, outside)
	must(t, f.Checkout(ctx, tree))
	if diff := cmp.Diff(before, state(t, outside)); diff != "" {
		t.Errorf("outside:\n%s", diff)
	}
}

func TestSnapshotRefusesNestedRepositories(t *testing.T) {
	testenv.Clean(t)
	dir := testenv.Repo(t)
	commit(t, dir, "d/b", "1\n")
	r, ctx := open(t, dir), t.Context()
	tree, err := r.TreeOf(ctx, "HEAD")
	must(t, err)
	for _, at := range []string{".", "d", "new"} {
		f := folder(t, r)
		must(t, f.Checkout(ctx, tree))
		sub := filepath.Join(f.Dir(), at)
		must(t, os.MkdirAll(sub, 0o755))
		testenv.Git(t, sub, "init", "-q")
		var nested *gitops.NestedRepoError
		if _, err := f.Snapshot(ctx); !errors.As(err, &nested) || len(nested.Paths) != 1 {
			t.Errorf("%s: %v", at, err)
		}
	}
	link, err := r.EditTree(ctx, tree, []gitops.Edit{{Path: "x", Data: nil}})
	must(t, err)
	testenv.Git(t, dir, "update-index", "--add", "--cacheinfo", "160000,"+testenv.Git(t, dir, "rev-parse", "HEAD")+",sub")
	linked := gitops.OID(testenv.Git(t, dir, "write-tree"))
	f := folder(t, r)
	if err := f.Checkout(ctx, linked); err == nil || !strings.Contains(err.Error(), "submodule") {
		t.Errorf("Checkout of a gitlink: %v (%s)", err, link)
	}
}

// BenchmarkFolder10k holds the targets: create 1 s, snapshot and sync 0.4 s,
// unchanged 0.15 s.
func BenchmarkFolder10k(b *testing.B) {
	testenv.Clean(b)
	dir := testenv.Repo(b)
	for i := range 10_000 {
		testenv.Write(b, dir, fmt.Sprintf("src/d%03d/f%05d.js", i%500, i), strings.Repeat(fmt.Sprintln("line", i), 40))
	}
	testenv.Git(b, dir, "add", "-A")
	testenv.Git(b, dir, "-c", "gc.auto=0", "commit", "-q", "-m", "many")
	testenv.Git(b, dir, "gc", "-q")
	r := open(b, dir)
	ctx := b.Context()
	tree, err := r.TreeOf(ctx, "HEAD")
	must(b, err)
	work, copied := folder(b, r), folder(b, r)
	b.Run("create", func(b *testing.B) {
		for b.Loop() {
			must(b, folder(b, r).Checkout(ctx, tree))
		}
	})
	must(b, work.Checkout(ctx, tree))
	must(b, copied.Checkout(ctx, tree))
	n := 0
	b.Run("snapshot and sync", func(b *testing.B) {
		for b.Loop() {
			n++
			testenv.Write(b, work.Dir(), "src/d001/f00001.js", fmt.Sprint(n))
			tree, err := work.Snapshot(ctx)
			must(b, err)
			must(b, copied.Checkout(ctx, tree))
		}
	})
	b.Run("unchanged", func(b *testing.B) {
		for b.Loop() {
			tree, err := work.Snapshot(ctx)
			must(b, err)
			must(b, copied.Checkout(ctx, tree))
		}
	})
}
