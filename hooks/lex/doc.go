// Package lex tells code, comments and strings apart in source text.
//
// It knows just enough of each language that a rule which looks for a word is
// not misled by a comment or a string that holds it. It reads anything: source
// that is broken, or no source at all, gives an answer and never an error. It
// must never grow into a parser.
package lex
