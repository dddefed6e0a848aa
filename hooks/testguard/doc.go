// Package testguard holds the rule that existing tests, fixtures and snapshots
// stay as they are.
//
// It knows where the languages look for tests, and when a changed test file only
// gained tests. It must never decide that a change of an existing test is an
// improvement: that is a person's to say.
package testguard
