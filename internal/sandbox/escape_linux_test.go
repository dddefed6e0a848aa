package sandbox

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gitagent/internal/testenv"
)

// TestWritesOutside tries every writer on a file of its own that can be read
// but not written, as the session tree is for the model's commands.
func TestWritesOutside(t *testing.T) {
	everyLevel(t, func(t *testing.T, level Level) {
		outside := tempDir(t)
		if err := os.Chmod(outside, 0o777); err != nil {
			t.Fatal(err)
		}
		c, dir := openAt(t, level, func(p *Policy) { p.ReadOnly = append(p.ReadOnly, outside) })
		var script strings.Builder
		files := map[string]string{}
		writers := testenv.Writers()
		for name, s := range writers {
			file := filepath.Join(outside, fmt.Sprintf("v%d", len(files)))
			files[name] = file
			write(t, file, "as it was\n")
			work := filepath.Join(dir, filepath.Base(file))
			write(t, filepath.Join(work, "own"), "x\n")
			write(t, filepath.Join(work, "script"), s)
			fmt.Fprintf(&script, "(cd %s; V=%s sh ./script) </dev/null & ", work, file)
		}
		script.WriteString("wait")
		res, err := c.Run(t.Context(), Spec{Argv: []string{"sh", "-c", script.String()}, Env: []string{fmt.Sprint("HARNESS=", os.Getpid())}, Timeout: 40 * time.Second})
		if err != nil || res.TimedOut {
			t.Fatalf("%v, %+v", err, res)
		}
		written, idle := 0, []string{}
		for name, file := range files {
			st, err := os.Lstat(file)
			b, _ := os.ReadFile(file)
			if err == nil && st.Mode().IsRegular() && string(b) == "as it was\n" {
				idle = append(idle, name)
				continue
			}
			written++
			if level >= Landlock {
				t.Errorf("%s wrote outside", name)
			}
		}
		if level < Landlock && written < len(writers)-20 { // some programs may not be installed, some need privileges
			t.Errorf("only %d of %d wrote: are they ways to write at all? Idle: %q\n%s", written, len(writers), idle, res.Output)
		}
		admits(t, level, level < Landlock, "files outside the tree can be read and written")
	})
}

// admits checks that Describe names what is not held, and does not where it is.
func admits(t *testing.T, level Level, lacks bool, words string) {
	t.Helper()
	_, missing, _ := strings.Cut(sandboxAt(t, level).Describe(), "missing: ")
	if strings.Contains(missing, words) != lacks {
		t.Errorf("%s: says %q is missing: %v, want %v: %q", level, words, !lacks, lacks, missing)
	}
}

// TestWritesInsideAreAllowed keeps the fence from being too narrow.
func TestWritesInsideAreAllowed(t *testing.T) {
	everyLevel(t, func(t *testing.T, level Level) {
		c, dir := openAt(t, level, nil)
		write(t, filepath.Join(dir, "a", "f"), "x")
		for _, script := range []string{
			"echo m >&2", "ls /missing 2>/dev/null; true", "echo x > /dev/null", "mkdir -p b/c && mv a/f b/c/g && ln b/c/g a/h && rm -r b", "mkfifo p && rm p",
			"echo x > $TMPDIR/f && mv $TMPDIR/f ~/f && mkdir -p $XDG_CACHE_HOME/d && mv ~/f $XDG_CACHE_HOME/d", "echo x > /dev/shm/gitagent-test-$$ && rm /dev/shm/gitagent-test-$$",
			"mktemp", "chmod +x a/h && touch -d 2001-01-01 a/h && truncate -s 0 a/h", "head -c 1 /dev/urandom >/dev/null && cat /etc/passwd /proc/self/status >/dev/null",
			"ls /usr/bin >/dev/null && test -x /bin/sh", "echo x | tee /dev/stderr >/dev/null",
		} {
			if out, code := sh(t, c, script); code != 0 {
				t.Errorf("%s: %d: %s", script, code, out)
			}
		}
	})
}

// readers print the file $S, or take it into the tree.
var readers = map[string]string{
	"cat": `cat "$S"`, "dd": `dd if="$S"`, "copy": `cp "$S" got; cat got`, "move": `mv "$S" got; cat got`, "symlink": `ln -s "$S" l; cat l`, "hard link": `ln "$S" h; cat h`,
	"dots": `cat "$PWD/../../../../../../../../$S"`, "own root": `cat "/proc/self/root$S"`, "harness": `cat "/proc/$HARNESS/root$S"`, "first": `cat "/proc/1/root$S"`,
	"tar": `tar -cf - "$S"`, "find": `find "$(dirname "$(dirname "$S")")" -exec cat {} \;`, "input": `cat < "$S"`, "perl": `perl -e 'open F, "<", $ENV{S}; print <F>'`,
	"in a namespace": `unshare -rm sh -c 'umount -l "$(dirname "$(dirname "$S")")"; cat "$S"'`, "bind": `mount --bind "$(dirname "$S")" . && cat *`,
	"git": `git init -q r && git -C r hash-object -w "$S" | xargs git -C r cat-file -p`,
}

// TestSecretsCannotBeRead tries every reader on a file in the home and one in
// the checkout.
func TestSecretsCannotBeRead(t *testing.T) {
	home := tempDir(t)
	t.Setenv("HOME", home)
	checkout := filepath.Join(tempDir(t), "checkout")
	folders := []string{filepath.Join(home, ".ssh"), filepath.Join(checkout, ".git")}
	holder := exec.Command("sleep", "100")
	holder.Env = []string{"TOKEN=SECRET-IN-ENVIRONMENT"}
	if err := holder.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = holder.Process.Kill(); _ = holder.Wait() })
	eachLevel(t, func(t *testing.T, level Level) {
		c, dir := openAt(t, level, func(p *Policy) { p.Hidden = []string{checkout, filepath.Dir(filepath.Dir(checkout))} })
		var script strings.Builder
		var files []string
		for _, folder := range folders {
			for _, s := range readers {
				f := filepath.Join(folder, fmt.Sprint("f", len(files)))
				files = append(files, f)
				write(t, f, "SECRET")
				work := filepath.Join(dir, filepath.Base(f))
				write(t, filepath.Join(work, "script"), s)
				fmt.Fprintf(&script, "(cd %s; S=%s sh ./script 2>&1 | grep -a -o SECRET | head -1) & ", work, f)
			}
		}
		res, err := c.Run(t.Context(), Spec{Argv: []string{"sh", "-c", script.String() + "wait"}, Env: []string{fmt.Sprint("HARNESS=", os.Getpid())}, Timeout: 40 * time.Second})
		if err != nil || res.TimedOut {
			t.Fatalf("%v, %+v", err, res)
		}
		read := strings.Count(string(res.Output), "SECRET")
		if level >= Landlock && read > 0 || level < Landlock && read < len(readers) {
			t.Errorf("%d of %d readers read a secret", read, len(files))
		}
		for _, f := range files {
			if b, err := os.ReadFile(f); level >= Landlock && string(b) != "SECRET" {
				t.Errorf("%s: %q, %v", f, b, err)
			}
		}
		out, _ := sh(t, c, fmt.Sprintf("cat /proc/%d/environ /proc/*/environ 2>/dev/null | grep -a -o SECRET-IN | head -1; true", holder.Process.Pid))
		if leaks := out != ""; leaks && level >= Landlock {
			t.Errorf("the environment of another process is read")
		}
		admits(t, level, level < Landlock, "other processes of yours can be read")
	})
}

// TestOtherProcessesAreSafe sends signals to a process of the machine.
func TestOtherProcessesAreSafe(t *testing.T) {
	everyLevel(t, func(t *testing.T, level Level) {
		victim := exec.Command("sleep", "100")
		if err := victim.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan struct{})
		go func() { _ = victim.Wait(); close(ended) }()
		t.Cleanup(func() { _ = victim.Process.Kill(); <-ended })
		c, _ := openAt(t, level, nil)
		_, code := sh(t, c, fmt.Sprintf("kill -KILL %d", victim.Process.Pid))
		killed := code == 0 && waitFor(ended, 5*time.Second)
		held := level == Namespaces || level == Landlock && sandboxAt(t, level).layers.landlock >= 6
		if killed == held {
			t.Errorf("a process of the machine was killed: %v", killed)
		}
		if level == Landlock {
			admits(t, level, !held, "other processes of yours can be ended")
		} else {
			admits(t, level, !held, "other processes of yours can be read, changed and ended")
		}
	})
}

// TestReadOnlyInsideWritable shows what a rule that only adds cannot hold.
func TestReadOnlyInsideWritable(t *testing.T) {
	everyLevel(t, func(t *testing.T, level Level) {
		tree := tempDir(t)
		file := filepath.Join(tree, "fixed", "f")
		write(t, file, "as it was")
		c, _ := openAt(t, level, func(p *Policy) {
			p.Writable, p.ReadOnly = append(p.Writable, tree), append(p.ReadOnly, filepath.Dir(file))
		})
		sh(t, c, "echo x > "+file)
		b, err := os.ReadFile(file)
		if written := string(b) != "as it was"; err != nil || written != (level < Namespaces) {
			t.Errorf("written: %v, %v", written, err)
		}
		if level == Landlock {
			admits(t, level, true, "read-only folders inside writable ones can be written")
		}
	})
}

// TestModesOfOthersFiles shows what only a mount namespace holds.
func TestModesOfOthersFiles(t *testing.T) {
	everyLevel(t, func(t *testing.T, level Level) {
		outside := tempDir(t)
		file := filepath.Join(outside, "f")
		write(t, file, "")
		c, _ := openAt(t, level, func(p *Policy) { p.ReadOnly = append(p.ReadOnly, outside) })
		sh(t, c, "chmod 600 "+file)
		st, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		if changed := st.Mode().Perm() == 0o600; changed != (level < Namespaces) {
			t.Errorf("the mode was changed: %v", changed)
		}
		if level == Landlock {
			admits(t, level, true, "modes and times of files outside the tree can be changed")
		}
	})
}
