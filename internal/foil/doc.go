// Package foil tells an answer from a list of all answers. A foil is what would
// be right for other values than those of a run. It knows texts alone, and must
// never decide that something is right.
package foil
