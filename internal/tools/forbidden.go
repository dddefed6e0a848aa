package tools

import (
	"path"
	"regexp"
	"strings"
)

// Forbidden says why a session may never write a path, whoever asks; "" when it
// may. Spelling does not matter: case, Unicode forms, trailing dots. It looks
// at names alone, so that what does not exist yet is protected too.
func Forbidden(p string) (reason string) {
	p = strings.ReplaceAll(p, `\`, "/")
	var parts []string
	for _, name := range strings.Split(path.Clean(p), "/") {
		if isGitDir(name) {
			return name + " is git's own folder"
		}
		parts = append(parts, fold(name))
	}
	if why := harnessFile(parts); why != "" {
		return why
	}
	if standIn.MatchString(parts[0]) {
		return "it would stand in for what runs the tests"
	}
	for _, name := range parts {
		if why := forbiddenName(name); why != "" {
			return why
		}
	}
	if len(parts) > 1 && parts[0] == ".github" && (strings.HasPrefix(parts[1], "copilot") ||
		parts[1] == "instructions" || parts[1] == "prompts" || parts[1] == "agents" || parts[1] == "chatmodes") {
		return "it steers coding agents"
	}
	return ""
}

// harnessFile names what the harness alone writes, in the root; a folder of
// that name would be in the way too.
func harnessFile(parts []string) string {
	switch parts[0] {
	case "features.json", "progress.md":
		return "the harness alone writes " + parts[0]
	case "init.sh":
		return "init.sh belongs to the person; it finds lockfiles and manifests by itself"
	}
	return ""
}

var (
	hookName = regexp.MustCompile(`^(\.husky|\.huskyrc.*|husky\.config\..*|\.githooks|\.git-hooks|\.?git_hooks|\.hooks|githooks|` +
		`\.?lefthook(-local)?(\..+)?|\.pre-commit-.*|\.overcommit\.yml|captainhook\.json|` +
		`\.lintstagedrc.*|\.?lint-staged\.config\..*|\.?simple-git-hooks\..*)$`)
	gitName     = regexp.MustCompile(`^\.(gitattributes|gitmodules|gitconfig|lfsconfig)$`)
	packageName = regexp.MustCompile(`^(\.npmrc|\.yarnrc.*|\.yarn|\.pnp\..*|\.?pnpmfile\..*|bunfig\.toml|\.bunfig\.toml|` +
		`\.pypirc|\.?pip\.(conf|ini)|\.condarc|\.gemrc|\.bundle|\.cargo|\.mvn|nuget\.config|\.netrc|_netrc)$`)
	installedName = regexp.MustCompile(`^(node_modules|bower_components|\.?venv|site-packages|__pycache__)$`)
	// standIn are names that Python finds in the project's folder before its own.
	standIn    = regexp.MustCompile(`^(unittest|pytest|_pytest|pluggy|sitecustomize|usercustomize)(\.py)?$`)
	shellName  = regexp.MustCompile(`^(\.envrc|\.direnv|\.?mise(\..*)?\.toml|\.mise)$`)
	editorName = regexp.MustCompile(`^(\.vscode|\.idea|\.vs|\.fleet|\.zed|\.helix|\.nvim|\.nvimrc|\.nvim\.lua|\.exrc|\.vimrc|\.vim|` +
		`\.dir-locals(-2)?\.el|\.devcontainer|\.devcontainer\.json|.*\.code-workspace|.*\.sublime-(project|workspace))$`)
	agentName = regexp.MustCompile(`^(\.agents?|\.claude|\.claude\..*|\.cursor|\.cursorrules|\.cursorignore|\.cursorindexingignore|` +
		`\.windsurf|\.windsurfrules|\.clinerules.*|\.cline|\.roo|\.roomodes|\.rooignore|\.roorules.*|\.codex|\.gemini|\.aider.*|` +
		`\.continue|\.continuerc.*|\.continuerules|\.amazonq|\.kiro|\.opencode|opencode\.jsonc?|\.goose|\.goosehints|\.junie|` +
		`\.augment.*|\.trae|\.qodo|\.qwen|\.kilocode.*|\.crush.*|crush\.json|\.factory|\.mcp\.json|mcp\.json|\.rules|` +
		`agents?(\.override)?(\.local)?\.md|claude(\.local)?\.md|gemini\.md|qwen\.md|warp\.md|crush\.md|copilot-instructions\.md)$`)
)

// forbiddenName judges one folded component, at any depth.
func forbiddenName(name string) string {
	switch {
	case gitName.MatchString(name):
		return name + " changes what git does"
	case hookName.MatchString(name):
		return "git hooks belong to the person"
	case packageName.MatchString(name):
		return name + " changes what the package manager runs or where it asks"
	case installedName.MatchString(name):
		return name + " holds what is installed; name the package in the manifest"
	case shellName.MatchString(name):
		return name + " runs by itself in the person's shell"
	case editorName.MatchString(name):
		return "editor configuration belongs to the person"
	case agentName.MatchString(name):
		return name + " steers coding agents"
	}
	return ""
}
