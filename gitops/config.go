package gitops

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Config is git's config of all scopes, includes followed, as git sees it.
type Config struct{ settings []setting }

type setting struct {
	scope, key, value string
	bare              bool // a key without "=", which means true
}

// Config reads the whole config once.
func (r *Repo) Config(ctx context.Context) (Config, error) {
	out, err := r.run(ctx, call{mode: settings, args: []string{"config", "--list", "-z", "--show-scope"}})
	if err != nil {
		return Config{}, fmt.Errorf("read config: %w", err)
	}
	fields := records(out)
	var c Config
	for i := 0; i+1 < len(fields); i += 2 {
		key, value, ok := strings.Cut(fields[i+1], "\n")
		c.settings = append(c.settings, setting{scope: fields[i], key: foldKey(key), value: value, bare: !ok})
	}
	return c, nil
}

// foldKey lowers section and name; a subsection in between keeps its case.
func foldKey(key string) string {
	first, last := strings.IndexByte(key, '.'), strings.LastIndexByte(key, '.')
	if first < 0 || first == last {
		return strings.ToLower(key)
	}
	return strings.ToLower(key[:first]) + key[first:last] + strings.ToLower(key[last:])
}

func (c Config) last(key string) (setting, bool) {
	key = foldKey(key)
	for i := len(c.settings) - 1; i >= 0; i-- {
		if c.settings[i].key == key {
			return c.settings[i], true
		}
	}
	return setting{}, false
}

// Get returns the value that counts: the last one.
func (c Config) Get(key string) (string, bool) {
	s, ok := c.last(key)
	return s.value, ok
}

// All returns every value of key in git's order.
func (c Config) All(key string) []string {
	key = foldKey(key)
	var values []string
	for _, s := range c.settings {
		if s.key == key {
			values = append(values, s.value)
		}
	}
	return values
}

// Section returns the last value of every key that starts with prefix, for
// example "hook.".
func (c Config) Section(prefix string) map[string]string {
	values := map[string]string{}
	for _, s := range c.settings {
		if strings.HasPrefix(s.key, prefix) {
			values[s.key] = s.value
		}
	}
	return values
}

// Scope tells where the value that counts comes from: system, global, local,
// worktree or command; "" when the key is not set.
func (c Config) Scope(key string) string {
	s, _ := c.last(key)
	return s.scope
}

// Bool reads a boolean as git does; def when the key is not set.
func (c Config) Bool(key string, def bool) (bool, error) {
	s, ok := c.last(key)
	if !ok {
		return def, nil
	}
	if s.bare {
		return true, nil
	}
	switch strings.ToLower(s.value) {
	case "true", "yes", "on":
		return true, nil
	case "false", "no", "off", "":
		return false, nil
	}
	if n, err := parseInt(s.value); err == nil {
		return n != 0, nil
	}
	return def, fmt.Errorf("config %s: %q is not a boolean", key, s.value)
}

// Int reads a whole number as git does, with the suffixes k, m and g; def when
// the key is not set.
func (c Config) Int(key string, def int) (int, error) {
	s, ok := c.last(key)
	if !ok {
		return def, nil
	}
	n, err := parseInt(s.value)
	if err != nil {
		return def, fmt.Errorf("config %s: %q is not a number", key, s.value)
	}
	return n, nil
}

func parseInt(s string) (int, error) {
	unit := 1
	if s != "" {
		switch s[len(s)-1] {
		case 'k', 'K':
			unit = 1 << 10
		case 'm', 'M':
			unit = 1 << 20
		case 'g', 'G':
			unit = 1 << 30
		}
		if unit > 1 {
			s = s[:len(s)-1]
		}
	}
	n, err := strconv.Atoi(strings.TrimSpace(s))
	return n * unit, err
}

// SetConfig sets key in the repository's own config.
func (r *Repo) SetConfig(ctx context.Context, key, value string) error {
	_, err := r.run(ctx, call{mode: settings, args: []string{"config", "--local", "--replace-all", key, value}})
	if err != nil {
		return fmt.Errorf("set config %s: %w", key, err)
	}
	return nil
}

// HooksPath says where git looks for hooks.
type HooksPath struct {
	Dir           string // absolute
	Configured    bool   // by core.hooksPath, to something else than the default
	Scope, Origin string // of that setting
	InWorktree    bool   // Dir lies in the work tree
	Tracked       bool   // files in it are tracked
	Disabled      bool   // set to /dev/null or to nothing
}

// HooksPath finds the hooks folder that counts; it need not exist.
func (r *Repo) HooksPath(ctx context.Context) (HooksPath, error) {
	def := filepath.Join(r.commonDir, "hooks")
	out, err := r.run(ctx, call{mode: settings, args: []string{"config", "-z", "--show-scope", "--show-origin", "--type=path", "--get", "core.hooksPath"}})
	if exitCode(err) == 1 {
		return HooksPath{Dir: def}, nil
	}
	if err != nil {
		return HooksPath{}, fmt.Errorf("read core.hooksPath: %w", err)
	}
	fields := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	if len(fields) != 3 {
		return HooksPath{}, errors.New("read core.hooksPath: git gave an answer that is not understood")
	}
	h := HooksPath{Configured: true, Scope: fields[0], Origin: fields[1], Dir: fields[2]}
	if h.Dir == "" || h.Dir == os.DevNull {
		h.Disabled = true
		return h, nil
	}
	if !filepath.IsAbs(h.Dir) {
		h.Dir = filepath.Join(r.base(), h.Dir)
	}
	if same(h.Dir, def) {
		return HooksPath{Dir: def}, nil
	}
	return h, r.placeHooks(ctx, &h)
}

// placeHooks finds out whether writing there would change tracked files.
func (r *Repo) placeHooks(ctx context.Context, h *HooksPath) error {
	if r.top == "" || !within(r.top, h.Dir) && !strings.HasPrefix(h.Dir, r.top+string(filepath.Separator)) {
		return nil
	}
	if within(r.gitDir, h.Dir) || within(r.commonDir, h.Dir) {
		return nil
	}
	h.InWorktree = true
	rel, err := filepath.Rel(r.top, h.Dir)
	if err != nil {
		return nil
	}
	out, err := r.run(ctx, call{args: []string{"ls-files", "-z", "--", rel}})
	if err != nil {
		return fmt.Errorf("look for tracked hooks: %w", err)
	}
	h.Tracked = len(out) > 0
	return nil
}

// same compares two folders, links resolved.
func same(a, b string) bool {
	if ra, err := filepath.EvalSymlinks(a); err == nil {
		a = ra
	}
	if rb, err := filepath.EvalSymlinks(b); err == nil {
		b = rb
	}
	return filepath.Clean(a) == filepath.Clean(b)
}
