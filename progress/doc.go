// Package progress knows what has happened: the log that people and models
// read, the history of each feature, and the journal of what sessions that did
// not land have learned.
//
// It only ever adds. What a model said is quoted, capped and marked as its
// words, so that nothing inside a note can pass for an entry or for a fact of
// the harness. It must never rewrite a line, and never decide whether a feature
// passes.
package progress
