// Package model talks to a model served by Ollama.
//
// It knows the protocol: how a model is loaded and its context budgeted, how a
// conversation is kept so that the server's prompt cache goes on working, how
// the ways in which servers and small models lose a tool call are mended, and
// how exchanges are recorded and replayed. It must never run a tool, never drop
// or change a message that was sent, and never let code leave the machine
// unless the user allowed it.
package model
