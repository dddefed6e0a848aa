package session

import (
	"crypto/sha256"
	"encoding/json"
)

// repeatLimit is how often the same call may give the same result before it
// is refused; refusalLimit is how many refusals end an attempt.
const (
	repeatLimit  = 3
	refusalLimit = 3
)

// loopGuard sees when a model goes in circles: the same call with the same
// result and nothing new written in between, or the same writes again and
// again.
type loopGuard struct {
	reads   map[digest]repeats // by call; forgotten when something new is written
	writes  map[digest]int     // by call; never forgotten
	refused int
}

type digest [sha256.Size]byte

// repeats counts how often a call gave its last result.
type repeats struct {
	result digest
	times  int
}

func newLoopGuard() *loopGuard {
	return &loopGuard{reads: map[digest]repeats{}, writes: map[digest]int{}}
}

func callDigest(name string, args map[string]any) digest {
	data, err := json.Marshal([]any{name, args}) // map keys are sorted
	if err != nil {
		data = []byte(name)
	}
	return sha256.Sum256(data)
}

// refuses says whether the call was made too often, and counts the refusal.
func (g *loopGuard) refuses(name string, args map[string]any) bool {
	key := callDigest(name, args)
	if g.reads[key].times < repeatLimit && g.writes[key] < repeatLimit {
		return false
	}
	g.refused++
	return true
}

// saw books an executed call.
func (g *loopGuard) saw(name string, args map[string]any, result string, wrote bool) {
	key := callDigest(name, args)
	if wrote {
		if g.writes[key]++; g.writes[key] == 1 {
			clear(g.reads)
		}
		return
	}
	r := g.reads[key]
	if sum := sha256.Sum256([]byte(result)); r.result == sum {
		r.times++
	} else {
		r = repeats{result: sum, times: 1}
	}
	g.reads[key] = r
}

// stuck says whether the attempt should end.
func (g *loopGuard) stuck() bool { return g.refused >= refusalLimit }
