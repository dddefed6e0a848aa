package session

import (
	"bytes"
	"encoding/json"
	"time"
)

// transcript is the session's own record, one JSON object a line. It is kept
// on a private ref and never fed back to a model.
type transcript struct{ buf bytes.Buffer }

// transcriptLimit bounds one transcript, in bytes.
const transcriptLimit = 16 << 20

func (t *transcript) add(kind string, v any) {
	if t.buf.Len() > transcriptLimit {
		return
	}
	data, err := json.Marshal(struct {
		Time time.Time `json:"time"`
		Kind string    `json:"kind"`
		Data any       `json:"data"`
	}{time.Now().UTC(), kind, v})
	if err != nil {
		return
	}
	t.buf.Write(append(data, '\n'))
}

func (t *transcript) bytes() []byte { return t.buf.Bytes() }
