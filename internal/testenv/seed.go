package testenv

import (
	"os"
	"strconv"
	"testing"
	"time"
)

// Number is what an environment variable says, def where it says nothing. Clean
// clears every GIT_* variable, so it is to be asked before.
func Number(t testing.TB, name string, def uint64) uint64 {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return def
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// Seed is where a randomized test begins, and is printed: GIT_AGENT_SEED plays
// it again. It is to be asked before Clean.
func Seed(t testing.TB) uint64 {
	t.Helper()
	seed := Number(t, "GIT_AGENT_SEED", uint64(time.Now().UnixNano()))
	t.Logf("GIT_AGENT_SEED=%d", seed)
	return seed
}
