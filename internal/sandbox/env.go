package sandbox

import (
	"net/url"
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// facts is what is known of the machine; it is gathered once, by New.
type facts struct {
	env    map[string]string // of this process
	homes  []string          // real homes of this user
	root   bool
	closed []string // for root: what other users may not read of the system
	memory int64    // bytes, 0 when unknown
	// links is what the links in the folders of PATH lead to; looking them up
	// takes longer than all else about a cell.
	links map[string][]string
}

func gather() facts {
	f := facts{env: map[string]string{}, root: os.Geteuid() == 0, memory: machineMemory()}
	for _, kv := range os.Environ() {
		if name, value, ok := strings.Cut(kv, "="); ok && name != "" {
			f.env[name] = value
		}
	}
	homes := []string{f.env["HOME"]}
	if u, err := user.Current(); err == nil {
		homes = append(homes, u.HomeDir)
	}
	for _, h := range homes {
		if real, err := filepath.EvalSymlinks(h); err == nil && filepath.IsAbs(real) && !slices.Contains(f.homes, real) {
			f.homes = append(f.homes, real)
		}
	}
	f.links = map[string][]string{}
	for _, dir := range f.searched() {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			f.links[real] = links(real)
		}
	}
	if f.root {
		f.closed = append(closed("/etc", 2, true), closed("/var", 2, false)...)
	}
	return f
}

// closed finds what other users may not read below dir, some levels deep;
// files only where wanted. Root in a cell owns it all the same.
func closed(dir string, levels int, files bool) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		info, err := e.Info()
		switch {
		case err != nil || path == "/var/tmp" || !e.IsDir() && (!files || !e.Type().IsRegular()):
		case e.IsDir() && info.Mode().Perm()&0o5 != 0o5, !e.IsDir() && info.Mode().Perm()&0o4 == 0:
			out = append(out, path)
		case e.IsDir() && levels > 1:
			out = append(out, closed(path, levels-1, files)...)
		}
	}
	return out
}

// environ is the whole environment of a cell: an allow-list, so that no secret
// of the user and no GIT_* can be in it.
func (f facts) environ(p Policy, tools toolchains) []string {
	cache := func(name string) string { return filepath.Join(p.Cache, name) }
	env := []string{
		"PATH=" + strings.Join(tools.path, string(os.PathListSeparator)),
		"HOME=" + p.Home, "TMPDIR=" + p.Temp, "XDG_CACHE_HOME=" + p.Cache,
		"TERM=dumb", "SHELL=/bin/sh",
		"LANG=" + f.or("LANG", "C.UTF-8"), "USER=" + f.or("USER", "user"), "LOGNAME=" + f.or("USER", "user"),
		// modcacherw: a module cache that its owner can remove.
		"GOENV=off", "GOTOOLCHAIN=local", "GOFLAGS=-modcacherw", "GOCACHE=" + cache("go-build"),
		"npm_config_cache=" + cache("npm"), "npm_config_update_notifier=false", "npm_config_audit=false", "npm_config_fund=false",
		"PIP_CACHE_DIR=" + cache("pip"), "PIP_DISABLE_PIP_VERSION_CHECK=1",
		"CARGO_HOME=" + cache("cargo"),
	}
	if tz := f.env["TZ"]; tz != "" {
		env = append(env, "TZ="+tz)
	}
	env = append(env, f.goModules(p, tools)...)
	env = append(env, tools.env...)
	if p.Network == Loopback { // fail at once where there is no network, instead of retrying for minutes
		env = append(env, "npm_config_offline=true", "PIP_RETRIES=0", "CARGO_NET_OFFLINE=true", "GOSUMDB=off")
	} else {
		env = append(env, f.networkEnv()...)
	}
	if runtime.GOOS == "windows" {
		env = append(env, f.windowsEnv(p)...)
	}
	return merge(env, p.Env)
}

func (f facts) or(name, fallback string) string {
	if v := f.env[name]; v != "" {
		return v
	}
	return fallback
}

// goModules makes what the user's module cache holds available offline. The
// cell fills a module cache of its own from the archives in the user's, which
// stay read-only, so that set-up can add to it and nothing can poison it.
func (f facts) goModules(p Policy, tools toolchains) []string {
	own := "GOMODCACHE=" + filepath.Join(p.Cache, "go-mod")
	remote := "off"
	if p.Network == Host {
		if remote = f.env["GOPROXY"]; remote == "" {
			return []string{own} // Go's own default
		}
	}
	if tools.modules == "" {
		return []string{own, "GOPROXY=" + remote}
	}
	archives := url.URL{Scheme: "file", Path: filepath.ToSlash(filepath.Join(tools.modules, "cache", "download"))}
	return []string{own, "GOPROXY=" + archives.String() + "," + remote}
}

// networkEnv is what a machine behind a proxy needs, without passwords.
func (f facts) networkEnv() []string {
	var env []string
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy",
		"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "npm_config_registry", "PIP_INDEX_URL"} {
		value, ok := f.env[name]
		if u, err := url.Parse(value); !ok || err == nil && u.User != nil {
			continue
		}
		env = append(env, name+"="+value)
	}
	return env
}

func (f facts) windowsEnv(p Policy) []string {
	env := []string{"USERPROFILE=" + p.Home, "TEMP=" + p.Temp, "TMP=" + p.Temp}
	for _, name := range []string{"SystemRoot", "ComSpec", "PATHEXT", "ProgramFiles"} {
		if v, ok := f.env[name]; ok {
			env = append(env, name+"="+v)
		}
	}
	return env
}

// merge adds entries to an environment; the later of two with one name wins.
func merge(base, extra []string) []string {
	out := make([]string, 0, len(base)+len(extra))
	at := map[string]int{}
	for _, kv := range slices.Concat(base, extra) {
		name, _, ok := strings.Cut(kv, "=")
		if !ok || name == "" {
			continue
		}
		if i, seen := at[name]; seen {
			out[i] = kv
			continue
		}
		at[name] = len(out)
		out = append(out, kv)
	}
	return out
}

// added is what a library put into an environment beyond this process's own.
func added(env []string) []string {
	own := os.Environ()
	return slices.DeleteFunc(slices.Clone(env), func(kv string) bool { return slices.Contains(own, kv) })
}
