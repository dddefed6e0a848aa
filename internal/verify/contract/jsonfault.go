package contract

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"gitagent/internal/plain"
)

// jsonFault says what is wrong with the JSON of a contract, and where, in the
// words of whoever wrote it.
func jsonFault(data []byte, err error) string {
	var sem *json.SemanticError
	var syn *jsontext.SyntacticError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "its JSON ends too early; something that was opened is not closed"
	case errors.As(err, &syn):
		before := data[:min(max(syn.ByteOffset, 0), int64(len(data)))]
		line := 1 + bytes.Count(before, []byte("\n"))
		return fmt.Sprintf("line %d, column %d: %s", line, len(before)-bytes.LastIndexByte(before, '\n'), plain.Line(syn.Err.Error(), 100))
	case errors.As(err, &sem) && errors.Is(sem.Err, json.ErrUnknownName):
		return fmt.Sprintf("unknown key %q in %s; its keys are %s",
			plain.Line(sem.JSONPointer.LastToken(), 60), where(sem.JSONPointer.Parent()), strings.Join(keysOf(sem.GoType), ", "))
	case errors.As(err, &sem) && sem.GoType != nil:
		return fmt.Sprintf("%s must be %s", where(sem.JSONPointer), kindOf(sem.GoType))
	}
	return plain.Line(err.Error(), 200)
}

// where is a JSON pointer as a person reads it: checks[0].http.
func where(p jsontext.Pointer) string {
	var b strings.Builder
	for t := range p.Tokens() {
		switch {
		case strings.Trim(t, "0123456789") == "":
			b.WriteString("[" + t + "]")
		case b.Len() > 0:
			b.WriteString("." + t)
		default:
			b.WriteString(t)
		}
	}
	if b.Len() == 0 {
		return "the contract"
	}
	return plain.Line(b.String(), 100)
}

// keysOf are the keys that a person may write in an object.
func keysOf(t reflect.Type) (keys []string) {
	if t == nil || t.Kind() != reflect.Struct {
		return nil
	}
	for i := range t.NumField() {
		if name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ","); name != "" && name != "-" {
			keys = append(keys, name)
		}
	}
	return keys
}

func kindOf(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Int, reflect.Int64, reflect.Float64:
		return "a number"
	case reflect.String:
		return "a text"
	case reflect.Bool:
		return "true or false"
	case reflect.Pointer:
		return kindOf(t.Elem())
	}
	return "an object"
}
