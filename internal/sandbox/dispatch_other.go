//go:build !linux

package sandbox

import (
	"context"
	"errors"
)

// Dispatch does nothing where there is no holder of cells.
func Dispatch() {}

func (s *Sandbox) backend(context.Context, plan) (backend, error) {
	if s.level == Namespaces {
		return nil, errors.New("namespaces exist on Linux only")
	}
	return &direct{}, nil
}
