// Package hygiene holds the rule that a commit brings nothing that must not be
// in a repository, and nothing that reads otherwise than it runs.
//
// It knows secrets of a certain form, files that are large or made by programs,
// names and links that mean other places, and characters that deceive. It must
// never print a secret.
package hygiene
