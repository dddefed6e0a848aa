// Package testspan finds the tests that stand inside product files.
//
// It knows Rust's test modules and functions and doctests, Python's test
// functions and classes, doctests and self-tests under __name__, and Go's test
// and example functions; of other languages it only says that a file has tests
// inside. It reads anything and never fails: what it does not recognise is
// product.
package testspan
