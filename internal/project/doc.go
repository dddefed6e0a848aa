// Package project knows what kind of project a folder holds: the shared
// settings in .agent/config, how to install, start and test it, which files are
// tests, and which commands this clone has agreed to run.
//
// It only reads and describes. It must never run a command, and nothing a
// repository says may name an endpoint or switch a guard off.
package project
