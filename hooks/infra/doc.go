// Package infra holds the rule that what decides whether tests count stays as it
// is: runner configuration, test scripts, CI, what hides tests, what stands in
// for tools.
//
// It reads each kind of file by key, so that what stands beside a guarded
// setting is free. It never runs anything and asks nothing of the repository
// but which tests it has.
package infra
