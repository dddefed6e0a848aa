package progress

import (
	"bytes"
	"errors"
)

// ErrRewritten says that one side did not only go on where both come from.
var ErrRewritten = errors.New("one side changed what both come from, instead of going on")

// Merge joins two logs, or status files, that went on from base: all of ours,
// then what theirs has beyond base. An entry that both have stands once where
// both added nothing else before it.
func Merge(base, ours, theirs []byte) ([]byte, error) {
	if !IsPrefix(base, ours) || !IsPrefix(base, theirs) {
		return nil, ErrRewritten
	}
	mine, more := ours[len(base):], theirs[len(base):]
	common := 0 // whole lines that both added first
	for i := 0; i < len(mine) && i < len(more) && mine[i] == more[i]; i++ {
		if mine[i] == '\n' {
			common = i + 1
		}
	}
	if common == len(more) {
		return ours, nil
	}
	out := bytes.Clone(ours)
	if len(out) > 0 && out[len(out)-1] != '\n' {
		out = append(out, '\n')
	}
	return append(out, more[common:]...), nil
}
