// Package runner runs the test runners that people use and reads each test's
// own result: go test, node --test, vitest, jest, pytest, unittest, cargo test,
// and JUnit XML for any other.
//
// It owns argv, environment, scope and reporter of each run, and says when a
// run did not come to the end that the harness itself has to see. It must never
// take an exit code, or what the product prints, for the result of a test.
package runner
