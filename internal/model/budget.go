package model

import (
	"encoding/json"

	"github.com/ollama/ollama/api"
)

// budget keeps account of a conversation's tokens. What the server has counted
// is exact; what was added since is estimated at a token for three bytes, or for
// fewer when this conversation has shown that its text costs more.
type budget struct {
	context int
	counted int     // tokens of the last prompt and its reply
	fresh   int     // bytes added since
	total   int     // bytes of the whole conversation
	rate    float64 // tokens per byte
	floor   int     // the next prompt cannot honestly be counted lower
}

func newBudget(context int) budget { return budget{context: context, rate: 1.0 / 3} }

func (b *budget) add(bytes int) {
	b.fresh += bytes
	b.total += bytes
}

// used estimates the tokens of the next prompt.
func (b *budget) used() int { return b.counted + int(float64(b.fresh)*b.rate) + 1 }

// reply is the least room that a request is worth sending with.
func (b *budget) reply() int { return min(1024, b.context/8) }

// margin covers what an estimate may be short by.
func (b *budget) margin() int { return 16 + b.context/128 + int(float64(b.fresh)*b.rate)/16 }

func (b *budget) room() int { return b.context - b.used() - b.reply() - b.margin() }

// predict bounds a reply, so that the context does not overflow in its middle:
// what is only estimated is taken for dense text here.
func (b *budget) predict() int {
	return b.context - b.counted - int(float64(b.fresh)*max(b.rate, 0.5)) - b.margin()
}

// calibrateFrom is the conversation size in bytes from which the template's own
// tokens no longer distort the rate.
const calibrateFrom = 2000

// learn takes the server's counts of a request; extra are the bytes that were in
// it but are not part of the conversation. It reports whether the counts show
// that the server cut or shifted the conversation.
func (b *budget) learn(m api.Metrics, sentBytes, extra int) (cut bool) {
	prompt, reply := m.PromptEvalCount, m.EvalCount
	if prompt == 0 { // not told: go on with the estimate
		b.counted = b.used() + reply
		b.fresh = 0
		return false
	}
	// Cutting makes room, so it only ever happens near the limit; counts that
	// fall far from it are a template dropping old thinking.
	near := b.used()+reply > b.context*7/10
	// The last token of a reply is counted and never read, hence the one more.
	cut = prompt >= b.context || prompt+reply > b.context+1 || (near && prompt < b.floor)
	if sentBytes >= calibrateFrom {
		b.rate = max(1.0/3, float64(prompt)/float64(sentBytes))
	}
	b.counted, b.fresh = prompt+reply, 0
	b.floor = max(0, prompt-extra)
	return cut
}

// forget takes back tokens of a reply, or of a correction, that was not kept.
func (b *budget) forget(tokens int) { b.counted = max(0, b.counted-tokens) }

// messageBytes is the size of a message as the estimate counts it: its text, its
// calls and what a template adds around them.
func messageBytes(m api.Message) int {
	n := 24 + len(m.Content) + len(m.Thinking) + len(m.ToolName)
	if len(m.ToolCalls) > 0 {
		if b, err := json.Marshal(m.ToolCalls); err == nil {
			n += len(b)
		}
	}
	return n
}
