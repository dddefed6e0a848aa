// Command git-agent is the git subcommand "git agent": one file per command,
// with its flags, its output and its exit code.
//
// It holds no logic: what a command does is in session, hooks, features,
// progress and the packages under internal.
package main
