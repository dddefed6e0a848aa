// Package tools is what a role may do: read and change files of the session
// tree, run commands and page checks through its caller, calculate, and end.
//
// It must never touch a path outside the session tree, write one that a session
// may not write, start a process itself, or panic on what a model sends.
package tools
