package session

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"time"
)

// transcript is the session's own record, one JSON object a line. It is kept
// on a private ref and never fed back to a model.
type transcript struct {
	buf  bytes.Buffer
	file *os.File // a copy, for the case that this process is killed
}

// writeTo has the transcript written to a file as well, line by line.
func (t *transcript) writeTo(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("transcript: %w", err)
	}
	t.file = f
	_, err = f.Write(t.buf.Bytes())
	return err
}

func (t *transcript) close() {
	if t != nil && t.file != nil {
		_ = t.file.Close()
		t.file = nil
	}
}

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
	data = append(data, '\n')
	t.buf.Write(data)
	if t.file != nil {
		_, _ = t.file.Write(data) // the one in memory is what counts
	}
}

func (t *transcript) bytes() []byte { return t.buf.Bytes() }
