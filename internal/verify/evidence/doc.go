// Package evidence is the record of one verification: which tree was tried,
// against which contract, what was observed, and the verdict.
//
// It knows the format alone. It must never run anything, and never turn a
// missing answer into a pass.
package evidence
