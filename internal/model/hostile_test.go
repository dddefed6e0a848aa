package model

import (
	"strings"
	"testing"
	"time"
)

// No form of text may hold up a session: what is tested is that the time does not
// grow with the square of the size, which would be minutes here.
func TestHostileTextIsReadInTime(t *testing.T) {
	set := newToolset(someTools())
	for _, unit := range []string{
		"<tool_call>", "<tool_call>\n<function=read_file>", "<function=read_file>", "<function=read_file><parameter=path>",
		"<function=read_file><parameter=path>a</parameter>x", "</parameter>", "{\n", "[\n", "[", `{"a":`, ",]", "```\n", "```tool\n", "```tool\ntool: read_file\n<<<\n",
		"[TOOL_CALLS]", "[TOOL_CALLS]{", "<think>", "</think>", "\"", "\\", `{"name":"read_file"}`, "{}\n", `{"name":"read_file","arguments":{"path":"a"}}`,
	} {
		text := strings.Repeat(unit, 60_000/len(unit))
		start := time.Now()
		salvage(text, set)
		salvageTail(text, set)
		splitThink(text)
		parseBlock(text, set)
		inferCall(text, set)
		jsonCandidates(text)
		var r repetition
		r.add(text)
		if d := time.Since(start); d > 10*time.Second {
			t.Errorf("%q took %s", unit, d)
		}
	}
}
