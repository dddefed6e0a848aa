package session

import (
	"testing"

	"gitagent/gitops"
	"gitagent/internal/verify/contract"
	"gitagent/internal/verify/evidence"
)

// The proof of a contract that was replaced since says nothing of the new one.
func TestProvedOn(t *testing.T) {
	c := &contract.Contract{Version: 1, Feature: "F001", Revision: 2}
	for name, want := range map[string]struct {
		record *evidence.Record
		proved bool
	}{
		"none":             {nil, false},
		"this":             {&evidence.Record{Tree: "t", Contract: c.Digest()}, true},
		"another tree":     {&evidence.Record{Tree: "u", Contract: c.Digest()}, false},
		"another contract": {&evidence.Record{Tree: "t", Contract: c.Next(3).Digest()}, false},
	} {
		if o := (&older{contract: c, record: want.record}); o.provedOn(gitops.OID("t")) != want.proved {
			t.Errorf("%s: not %v", name, want.proved)
		}
	}
}
