package model

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/ollama/ollama/api"
)

// toolset knows the tools of a conversation and the other names that models have
// for them and for their arguments.
type toolset struct {
	tools map[string]api.ToolFunction
	names []string
}

func newToolset(tools []api.Tool) *toolset {
	s := &toolset{tools: map[string]api.ToolFunction{}}
	for _, t := range tools {
		s.tools[t.Function.Name] = t.Function
		s.names = append(s.names, t.Function.Name)
	}
	slices.Sort(s.names)
	return s
}

// toolAlias maps what models call common tools to the harness's names.
func toolAlias(name string) string {
	switch name {
	case "bash", "shell", "sh", "run", "exec", "execute", "terminal", "execute_command", "run_terminal_cmd", "run_shell_command", "run_bash":
		return "run_command"
	case "read", "cat", "view", "open_file", "view_file", "get_file":
		return "read_file"
	case "write", "create", "create_file", "save_file", "write_to_file", "new_file":
		return "write_file"
	case "edit", "str_replace", "replace", "str_replace_editor", "replace_in_file", "str_replace_based_edit_tool", "update_file", "modify_file":
		return "edit_file"
	case "ls", "list", "list_dir", "list_directory", "glob", "find_files":
		return "list_files"
	case "grep", "search", "search_files", "find", "rg", "ripgrep", "search_code":
		return "search_text"
	case "finish", "done", "submit", "complete", "end", "attempt_completion", "task_complete", "finish_session":
		return "end_session"
	case "calc", "calculator", "eval", "compute":
		return "calculate"
	case "browser", "open_page", "test_page", "browse":
		return "check_page"
	}
	return ""
}

// resolve gives the tool that a name means.
func (s *toolset) resolve(name string) (string, bool) {
	for _, prefix := range []string{"functions.", "tools.", "tool.", "default_api."} {
		name = strings.TrimPrefix(strings.TrimSpace(name), prefix)
	}
	name, _, _ = strings.Cut(name, "<|") // harmony's leaked channel marks
	if _, ok := s.tools[name]; ok {
		return name, true
	}
	snake := snakeCase(name)
	if _, ok := s.tools[snake]; ok {
		return snake, true
	}
	if alias := toolAlias(snake); alias != "" {
		if _, ok := s.tools[alias]; ok {
			return alias, true
		}
	}
	return "", false
}

// unknown is the answer to a call of a tool that is not there.
func (s *toolset) unknown(name string) string {
	return fmt.Sprintf("there is no tool %q; the tools are: %s", name, strings.Join(s.names, ", "))
}

func snakeCase(s string) string {
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == '-' || r == ' ' || r == '.':
			b.WriteByte('_')
		case unicode.IsUpper(r):
			if i > 0 && !strings.HasSuffix(b.String(), "_") {
				b.WriteByte('_')
			}
			b.WriteRune(unicode.ToLower(r))
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// argAliases are the names that models use for an argument of ours.
func argAliases(arg string) []string {
	switch arg {
	case "path":
		return []string{"file_path", "filepath", "file", "filename", "file_name", "target_file", "absolute_path", "relative_path", "dir", "directory", "folder", "dir_path"}
	case "content":
		return []string{"contents", "file_text", "file_content", "text", "body", "data", "code"}
	case "old_text":
		return []string{"old_string", "old_str", "old", "search", "find", "old_content", "oldtext"}
	case "new_text":
		return []string{"new_string", "new_str", "new", "replace", "replacement", "new_content", "newtext"}
	case "command":
		return []string{"cmd", "script", "shell", "bash", "commands"}
	case "pattern":
		return []string{"query", "regex", "regexp", "search", "text", "search_text", "q"}
	case "expression":
		return []string{"expr", "formula", "input", "code"}
	case "status":
		return []string{"result", "outcome", "state"}
	case "reason":
		return []string{"summary", "message", "explanation", "comment", "text"}
	case "scenario":
		return []string{"steps", "page", "actions", "scenario_json"}
	case "start_line":
		return []string{"start", "from", "line_start", "first_line", "from_line", "offset"}
	case "end_line":
		return []string{"end", "to", "line_end", "last_line", "to_line"}
	}
	return nil
}

// arguments gives a call's arguments under the tool's own names, in its own
// types. What no property fits is kept as it is.
func (s *toolset) arguments(tool string, given api.ToolCallFunctionArguments) map[string]any {
	props := s.tools[tool].Parameters.Properties
	out := make(map[string]any, given.Len())
	var odd []string
	for k, v := range given.All() {
		if p, ok := props.Get(k); ok {
			out[k] = coerce(p, v)
		} else {
			odd = append(odd, k)
		}
	}
	for _, k := range odd {
		v, _ := given.Get(k)
		name := matchArg(props, out, k)
		if p, ok := props.Get(name); ok {
			v = coerce(p, v)
		}
		out[name] = v
	}
	return out
}

// matchArg finds the property, not yet given, that an argument's name means.
func matchArg(props *api.ToolPropertiesMap, have map[string]any, name string) string {
	snake := snakeCase(name)
	for prop := range props.All() {
		if _, taken := have[prop]; taken {
			continue
		}
		if snake == prop || slices.Contains(argAliases(prop), snake) {
			return prop
		}
	}
	return name
}

// coerce gives a value the type that a property asks for, when it can be read
// as such.
func coerce(p api.ToolProperty, v any) any {
	if len(p.Type) != 1 {
		return v
	}
	s, isString := v.(string)
	switch p.Type[0] {
	case "string":
		return asString(v)
	case "integer", "number":
		if isString {
			if n, err := strconv.ParseFloat(strings.TrimSpace(s), 64); err == nil {
				return n
			}
		}
	case "boolean":
		if isString {
			if b, err := strconv.ParseBool(strings.ToLower(strings.TrimSpace(s))); err == nil {
				return b
			}
		}
	case "array", "object":
		var decoded any
		if isString && json.Unmarshal([]byte(s), &decoded) == nil {
			v = decoded
		}
		if _, isObject := v.(map[string]any); isObject && p.Type[0] == "array" {
			return []any{v}
		}
	}
	return v
}

// asString writes what should have been a string: the JSON of a package.json
// given as an object, a number, a truth value.
func asString(v any) any {
	switch v := v.(type) {
	case string:
		return v
	case nil:
		return ""
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case bool:
		return strconv.FormatBool(v)
	}
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return v
	}
	return string(b)
}
