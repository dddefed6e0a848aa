package gitops

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Shallow names the commits at the edge of a shallow clone: their parents are
// named in them and are not there. A full clone has none.
func (r *Repo) Shallow() (map[OID]bool, error) {
	data, err := os.ReadFile(filepath.Join(r.commonDir, "shallow"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("find the edge of the shallow clone: %w", err)
	}
	edge := map[OID]bool{}
	for _, id := range strings.Fields(string(data)) {
		edge[OID(id)] = true
	}
	return edge, nil
}
