package session

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2/maybe"
)

// writeFile writes a file of the user's checkout whole or not at all.
func writeFile(path string, data []byte, exec bool) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("make folder: %w", err)
	}
	mode := os.FileMode(0o644)
	if exec {
		mode = 0o755
	}
	if err := maybe.WriteFile(path, data, mode); err != nil {
		return fmt.Errorf("write %s: %w", filepath.Base(path), err)
	}
	return nil
}
