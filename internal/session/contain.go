package session

import (
	"context"

	"gitagent/internal/hint"
	"gitagent/internal/project"
	"gitagent/internal/sandbox"
)

// The settings of agent.sandbox beside the names of the levels.
const (
	sandboxAuto    = "auto"    // the best there is
	sandboxRequire = "require" // nothing below namespaces
)

// sandboxLevel is the level of that name, 0 when there is none.
func sandboxLevel(name string) sandbox.Level {
	for l := sandbox.Processes; l <= sandbox.Namespaces; l++ {
		if l.String() == name {
			return l
		}
	}
	return 0
}

// contain opens the sandbox that the settings ask for.
func contain(ctx context.Context, setting string) (*sandbox.Sandbox, error) {
	opt := sandbox.Options{ForceLevel: sandboxLevel(setting)}
	sb, err := sandbox.New(ctx, opt)
	if err != nil && ctx.Err() == nil {
		return nil, hint.New(err, "take the best there is with: git config agent.sandbox auto")
	}
	if err == nil && setting == sandboxRequire && sb.Level() < sandbox.Namespaces {
		return nil, hint.Errorf("run it where user namespaces are allowed, or take the best there is with: git config agent.sandbox auto",
			"agent.sandbox is require, but %s", sb.Describe())
	}
	return sb, err
}

// openSandbox finds out how well commands can be contained here, says so, and
// asks once where files of the machine are within their reach.
func (s *step) openSandbox(ctx context.Context) error {
	sb, err := contain(ctx, s.set.Sandbox)
	if err != nil {
		return err
	}
	s.sb = sb
	s.emit(Event{Kind: "note", Text: "sandbox " + sb.Level().String() + ": " + sb.Level().Brief(), Detail: sb.Describe()})
	level := sb.Level().String()
	if sb.Level() >= sandbox.Landlock || s.set.Sandbox == level || s.trust.Has(project.TrustUnsandboxed, level) {
		return nil
	}
	what := exposed(sb.Level())
	if s.opt.Ask == nil || !s.opt.Ask("On this machine "+what+". Go on like this in this clone?") {
		return hint.New(hint.Errorf("see what is missing, and why, with: git agent doctor", "%s", what), "allow it for this clone with: git config agent.sandbox "+level)
	}
	return s.trust.Grant(project.TrustUnsandboxed, level)
}

// exposed says what the commands of a session reach at a level below Landlock.
func exposed(level sandbox.Level) string {
	if level == sandbox.Seccomp {
		return "the model's commands can read and change all files that you can, and send what they read to programs that listen on this machine"
	}
	return "the model's commands can read and change all files that you can, and use the network"
}
