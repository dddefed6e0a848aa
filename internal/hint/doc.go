// Package hint carries what a person can do next along with an error.
//
// It knows nothing about any subject. A hint is a short sentence or a command
// to type; it must never be a complete command that destroys something.
package hint
