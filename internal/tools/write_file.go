package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"unicode/utf8"
)

const maxRefs = 50 // references named in an answer

func writeFileTool() tool {
	return tool{
		name:  "write_file",
		about: "Create or overwrite a file with its complete content. The answer names missing_refs: referenced files that do not exist yet.",
		params: []param{
			pathParam(),
			{name: "content", kind: text, aliases: []string{"contents", "text", "body", "data", "code", "filetext", "filecontent", "filecontents", "source"}},
		},
		run: writeFile,
	}
}

// written is the answer of write_file.
type written struct {
	Path        string   `json:"path"`
	Bytes       int      `json:"bytes"`
	Refs        []string `json:"refs"`
	MissingRefs []string `json:"missing_refs"`
	Notes       []string `json:"notes,omitempty"`
}

// writeFile writes one whole file and says at once which of the files that it
// refers to do not exist.
func writeFile(_ context.Context, env *Env, a values) Result {
	name, err := cleanPath(a.text("path"))
	if err != nil {
		return refuse("write_file: %s.", err)
	}
	if err := writable(env, name); err != nil {
		return refuse("write_file: %s.", err)
	}
	old, exists, err := current(env, name)
	if err != nil {
		return refuse("write_file: %s.", err)
	}
	content, notes := tidy(name, a.text("content"), old)
	if !utf8.ValidString(content) || strings.ContainsRune(content, 0) {
		return refuse("write_file: the content is not text.")
	}
	if exists && len(content) < len(old) {
		if line := placeholder(content, string(old)); line != "" {
			return refuse("write_file: not written. The line %q leaves out code that %s has now. Write the complete file, or change a part with edit_file.", line, name)
		}
	}
	data := []byte(content)
	if exists && bytes.Equal(old, data) {
		notes = append(notes, "unchanged: the file already had exactly this content")
	} else if err := replace(env, name, data); err != nil {
		return refuse("write_file: %s.", err)
	}
	if exists && len(data)*2 < len(old) {
		notes = append(notes, fmt.Sprintf("the file shrank from %d to %d lines (%d to %d bytes); if that was not meant, write it again complete",
			countLines(old), countLines(data), len(old), len(data)))
	}
	res := written{Path: name, Bytes: len(data), Notes: notes}
	res.Refs, res.MissingRefs = checkRefs(env, name, content)
	out := Result{Text: res.json(), OK: true, Note: fmt.Sprintf("%d bytes", res.Bytes)}
	if len(res.MissingRefs) > 0 {
		out.Note += "; not there yet: " + strings.Join(capList(res.MissingRefs), ", ")
	}
	if !bytes.Equal(old, data) || !exists {
		out.Touched = []string{name}
	}
	return out
}

// json caps the lists; a number stands for the rest.
func (w written) json() string {
	w.Refs, w.MissingRefs = capList(w.Refs), capList(w.MissingRefs)
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(w); err != nil {
		return fmt.Sprintf("%s: %d bytes written", w.Path, w.Bytes)
	}
	return strings.TrimSpace(b.String())
}

func capList(list []string) []string {
	if len(list) <= maxRefs {
		return append([]string{}, list...) // [] rather than null
	}
	return append(append([]string{}, list[:maxRefs]...), fmt.Sprintf("and %d more", len(list)-maxRefs))
}

// current reads the file that is about to be replaced; a binary one counts as
// its bytes.
func current(env *Env, name string) (data []byte, exists bool, err error) {
	info, err := env.Root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, plainError(name, err)
	}
	data, err = readText(env.Root, name)
	if errors.Is(err, errNotText) || info.Size() > maxRead {
		return nil, true, nil
	}
	return data, true, err
}

// tidy undoes what models do to content on its way: a Markdown fence around
// all of it, line numbers copied from read_file. A CRLF file stays one.
func tidy(name, content string, old []byte) (string, []string) {
	var notes []string
	if ext := path.Ext(name); ext != ".md" && ext != ".markdown" {
		if inner := unfence(strings.TrimSpace(content)); inner != strings.TrimSpace(content) {
			content = inner
			notes = append(notes, "the Markdown fence around the content was taken off")
		}
	}
	if stripped, ok := stripNumbers(content); ok && strings.HasPrefix(content, "1|") && !isTable(name) {
		content = stripped
		notes = append(notes, "line numbers copied from read_file were taken off")
	}
	if isCRLF(old) && !strings.Contains(content, "\r") {
		content = strings.ReplaceAll(content, "\n", "\r\n")
		notes = append(notes, "CRLF line ends were kept")
	}
	if !strings.Contains(content, "\n") && strings.Count(content, `\n`) >= 3 {
		notes = append(notes, `the content is one line with \n written out; if line breaks were meant, write it again with real ones`)
	}
	return content, notes
}

// isTable names files whose lines may begin with numbers of their own.
func isTable(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case "", ".csv", ".tsv", ".psv", ".txt", ".dat", ".md", ".markdown":
		return true
	}
	return false
}

// isCRLF says whether every line end is CRLF, and there is one.
func isCRLF(data []byte) bool {
	n := bytes.Count(data, []byte("\r\n"))
	return n > 0 && n == bytes.Count(data, []byte("\n"))
}

func countLines(data []byte) int {
	n := bytes.Count(data, []byte("\n"))
	if len(data) > 0 && data[len(data)-1] != '\n' {
		n++
	}
	return n
}
