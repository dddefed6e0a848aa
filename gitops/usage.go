package gitops

import (
	"context"
	"fmt"
	"strconv"
)

// DiskUsage is how many bytes the objects take that only refs below prefix
// ("refs/agent/") hold: no branch, no tag, no remote one.
func (r *Repo) DiskUsage(ctx context.Context, prefix string) (int64, error) {
	out, err := r.line(ctx, "rev-list", "--objects", "--disk-usage", "--glob="+prefix+"*", "--not", "--branches", "--tags", "--remotes")
	if err != nil {
		return 0, fmt.Errorf("size of %s: %w", prefix, err)
	}
	n, err := strconv.ParseInt(out, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("size of %s: %w", prefix, err)
	}
	return n, nil
}
