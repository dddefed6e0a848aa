// Package features knows the list of features: how features.json is read, what
// is a legal change of it and which feature comes next.
//
// It works on bytes. Reading is strict, so that no two readers can see two
// different lists in one file; writing splices, so that what was not meant to
// change stays as it was, byte for byte. It must never touch a file, a
// repository or a clock, and it must never set a flag back.
package features
