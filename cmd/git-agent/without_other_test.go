//go:build !linux

package main

import (
	"fmt"
	"os"
)

// without needs what Linux has.
func without() {
	fmt.Fprintln(os.Stderr, "without: only on Linux")
	os.Exit(125)
}
