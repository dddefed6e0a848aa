package session

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"gitagent/gitops"
	"gitagent/internal/hint"
	"gitagent/internal/model"
)

// Settings are personal: they come from flags, GIT_AGENT_* variables and git
// config, in that order, and never from a file of the repository.
type Settings struct {
	Host        string
	Models      map[model.Tier]string
	NumCtx      int    // tokens; 0 lets the client choose
	AllowRemote bool   // models that run on somebody else's machine
	Think       string // "", true, false, low, medium or high
	TextTools   bool   // the fenced-text protocol even where the model claims tool calls
	Browser     string
	Sandbox     string        // auto, require, or a level that is wanted as it is
	Turns       int           // a attempt
	Attempts    int           // a plan revision
	Time        time.Duration // a session
	Park        int           // incomplete sessions before a feature is parked
	Command     time.Duration // limit of one command of the model
}

// Flags are what was said on the command line; empty means not said.
type Flags struct {
	Host, Model string
	NumCtx      int
	Turns       int
	Attempts    int
	Time        time.Duration
}

// LoadSettings reads the settings, flags first. It fails with a usage error
// that names the key when a value cannot be read.
func LoadSettings(cfg gitops.Config, env func(string) string, f Flags) (Settings, error) {
	if env == nil {
		env = os.Getenv
	}
	src := source{cfg: cfg, env: env}
	s := Settings{
		Host:    src.text("host", f.Host),
		Browser: src.text("browser", ""),
		Sandbox: src.text("sandbox", ""),
		Models:  map[model.Tier]string{},
	}
	if s.Host == "" {
		s.Host = env("OLLAMA_HOST")
	}
	main := src.text("model", f.Model)
	for _, tier := range []model.Tier{model.Cheap, model.Medium, model.Strong} {
		s.Models[tier] = src.text("model"+string(tier), "")
		if s.Models[tier] == "" || f.Model != "" {
			s.Models[tier] = main
		}
	}
	s.NumCtx = src.number("numCtx", f.NumCtx, 0)
	s.Turns = src.number("turns", f.Turns, 60)
	s.Attempts = src.number("attempts", f.Attempts, 3)
	s.Park = src.number("park", 0, 3)
	s.Time = f.Time
	if s.Time <= 0 {
		s.Time = time.Duration(src.number("minutes", 0, 45)) * time.Minute
	}
	s.Command = time.Duration(src.number("commandSeconds", 0, 120)) * time.Second
	s.AllowRemote = src.text("allowRemote", "") == "true"
	s.TextTools = src.text("textTools", "") == "true"
	s.Think = src.text("think", "")
	if s.Sandbox == "" {
		s.Sandbox = sandboxAuto
	}
	if s.Sandbox != sandboxAuto && s.Sandbox != sandboxRequire && sandboxLevel(s.Sandbox) == 0 {
		src.fail("sandbox", s.Sandbox, "auto, require, namespaces, landlock, seccomp or processes")
	}
	return s, src.err
}

// source looks one setting up in the order flag, environment, git config.
type source struct {
	cfg gitops.Config
	env func(string) string
	err error
}

func (s *source) text(key, flag string) string {
	if flag != "" {
		return flag
	}
	if v := s.env("GIT_AGENT_" + strings.ToUpper(key)); v != "" {
		return v
	}
	v, _ := s.cfg.Get("agent." + key)
	return v
}

func (s *source) number(key string, flag, def int) int {
	if flag > 0 {
		return flag
	}
	v := s.text(key, "")
	if v == "" {
		return def
	}
	n, err := strconv.Atoi(v)
	if err != nil || n < 1 {
		s.fail(key, v, "a whole number above zero")
		return def
	}
	return n
}

func (s *source) fail(key, value, want string) {
	if s.err == nil {
		s.err = hint.New(fmt.Errorf("agent.%s is %q, which is not %s", key, value, want),
			"set it with: git config agent."+key+" VALUE")
	}
}

// ModelSettings is the part that the model client wants.
func (s Settings) ModelSettings() model.Settings {
	return model.Settings{Host: s.Host, Models: s.Models, NumCtx: s.NumCtx, AllowRemote: s.AllowRemote, Think: s.Think, TextTools: s.TextTools}
}
