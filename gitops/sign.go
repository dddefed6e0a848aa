package gitops

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// signingTimeout bounds a signature: long enough for a smart card, too short
// to wait for someone who has gone home.
const signingTimeout = 30 * time.Second

// prepareSigning turns c into a signing call when the user's config asks for
// signatures. The signer is cut off from the terminal and told not to ask.
func (r *Repo) prepareSigning(ctx context.Context, c *call) (done func(), err error) {
	done = func() {}
	conf, err := r.Config(ctx)
	if err != nil {
		return done, err
	}
	want, err := conf.Bool("commit.gpgSign", false)
	if err != nil || !want {
		return done, err
	}
	format, ok := conf.Get("gpg.format")
	if !ok {
		format = "openpgp"
	}
	key, program := signer(conf, format)
	if scope := conf.Scope(key); scope == "local" || scope == "worktree" {
		return done, fmt.Errorf("%w: %s is set by this repository's own config", ErrSigning, key)
	}
	for i, a := range c.args {
		if a == "--no-gpg-sign" {
			c.args[i] = "-S"
		}
	}
	c.noTTY = true
	c.env = append(c.env, "SSH_ASKPASS_REQUIRE=never", "SSH_ASKPASS=", "DISPLAY=", "WAYLAND_DISPLAY=", "GPG_TTY=")
	switch filepath.Base(program) {
	case "gpg", "gpg2", "gpgsm":
		return r.quietSigner(c, key, program)
	}
	return done, nil
}

// signer finds the config key and the program that make signatures of format.
func signer(conf Config, format string) (key, program string) {
	keys, def := []string{"gpg.openpgp.program", "gpg.program"}, "gpg"
	switch format {
	case "ssh":
		keys, def = []string{"gpg.ssh.program"}, "ssh-keygen"
	case "x509":
		keys, def = []string{"gpg.x509.program"}, "gpgsm"
	}
	for _, key := range keys {
		if v, ok := conf.Get(key); ok {
			return key, v
		}
	}
	return keys[0], def
}

// quietSigner puts a script before GnuPG that forbids its passphrase dialog;
// GnuPG has no environment variable for that.
func (r *Repo) quietSigner(c *call, key, program string) (func(), error) {
	done := func() {}
	path, err := exec.LookPath(program)
	if err != nil {
		return done, fmt.Errorf("%w: %w", ErrSigning, err)
	}
	dir, err := os.MkdirTemp("", "git-agent-sign-")
	if err != nil {
		return done, fmt.Errorf("prepare signing: %w", err)
	}
	done = func() { os.RemoveAll(dir) }
	script := filepath.Join(dir, "sign")
	quoted := "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
	text := "#!/bin/sh\nexec " + quoted + " --batch --no-tty --pinentry-mode error \"$@\"\n"
	if err := os.WriteFile(script, []byte(text), 0o700); err != nil {
		return done, fmt.Errorf("prepare signing: %w", err)
	}
	c.flags = append(c.flags, "-c", key+"="+script)
	return done, nil
}
