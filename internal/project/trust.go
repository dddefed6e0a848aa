package project

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// Kinds of trust.
const (
	TrustCommands    = "commands"    // .agent/config and init.sh: Digest
	TrustContract    = "contract"    // one contract: its own digest
	TrustNetwork     = "network"     // set-up may use the network
	TrustUnsandboxed = "unsandboxed" // commands may run where they cannot be contained
)

// Digest names the commands of a repository: .agent/config and init.sh
// together, each with its length so that no byte can wander between them.
func Digest(cfg []byte, initSh []byte) string {
	h := sha256.New()
	fmt.Fprintf(h, "git-agent commands 1\n%d\n", len(cfg))
	h.Write(cfg)
	fmt.Fprintf(h, "\n%d\n", len(initSh))
	h.Write(initSh)
	return hex.EncodeToString(h.Sum(nil))
}

// Trust is the list of what this clone has agreed to run. It lives in private
// state, so nothing that is fetched can extend it.
type Trust struct{ file string }

type grant struct {
	Kind   string    `json:"kind"`
	Digest string    `json:"digest"`
	Time   time.Time `json:"time"`
}

// OpenTrust uses the list in agentDir (gitops.Repo.AgentDir); nothing is made
// before the first Grant.
func OpenTrust(agentDir string) *Trust {
	return &Trust{file: filepath.Join(agentDir, "trust")}
}

// Has says whether the digest was granted for that kind. A list that cannot be
// read grants nothing.
func (t *Trust) Has(kind, digest string) bool {
	data, err := os.ReadFile(t.file)
	if err != nil || digest == "" {
		return false
	}
	return granted(data, kind, digest)
}

func granted(data []byte, kind, digest string) bool {
	lines := bufio.NewScanner(bytes.NewReader(data))
	for lines.Scan() {
		var g grant
		if json.Unmarshal(lines.Bytes(), &g) == nil && g.Kind == kind && g.Digest == digest {
			return true
		}
	}
	return false
}

// Grant remembers the digest for that kind. Granting twice changes nothing.
func (t *Trust) Grant(kind, digest string) error {
	switch kind {
	case TrustCommands, TrustContract, TrustNetwork, TrustUnsandboxed:
	default:
		return fmt.Errorf("unknown kind of trust %q", kind)
	}
	if digest == "" {
		return errors.New("trust needs a digest")
	}
	if err := os.MkdirAll(filepath.Dir(t.file), 0o700); err != nil {
		return fmt.Errorf("make the folder for trust: %w", err)
	}
	lock := flock.New(t.file+".lock", flock.SetPermissions(0o600))
	if err := lock.Lock(); err != nil {
		return fmt.Errorf("lock the trust list: %w", err)
	}
	defer lock.Close()
	data, err := os.ReadFile(t.file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read the trust list: %w", err)
	}
	if granted(data, kind, digest) {
		return nil
	}
	line, err := json.Marshal(grant{kind, digest, time.Now().UTC().Truncate(time.Second)})
	if err != nil {
		return fmt.Errorf("write the trust list: %w", err)
	}
	if len(data) > 0 && data[len(data)-1] != '\n' {
		data = append(data, '\n')
	}
	return replaceFile(t.file, append(append(data, line...), '\n'))
}

// replaceFile writes a private file as a whole or not at all.
func replaceFile(name string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(name), ".trust-*") // mode 0600
	if err != nil {
		return fmt.Errorf("write the trust list: %w", err)
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return fmt.Errorf("write the trust list: %w", errors.Join(err, os.Remove(f.Name())))
	}
	return nil
}
