// Package gitagent is the root of the module; the program is in cmd/git-agent.
package gitagent
