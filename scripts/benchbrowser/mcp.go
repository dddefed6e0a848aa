package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// mcp is the Playwright MCP server, asked as a model's client asks it.
type mcp struct {
	*child
	dir string // where it writes what it does not answer with
	id  int
}

func startMCP(o options) (*mcp, error) {
	dir, err := os.MkdirTemp("", "bench-mcp-")
	if err != nil {
		return nil, err
	}
	c, err := start(dir, "node", filepath.Join(o.modules, "node_modules/@playwright/mcp/cli.js"),
		"--headless", "--isolated", "--no-sandbox", "--browser", "chromium", "--executable-path", o.browser, "--viewport-size", "1280x800", "--output-dir", dir)
	if err != nil {
		return nil, err
	}
	m := &mcp{child: c, dir: dir}
	if _, err := m.ask("initialize", map[string]any{"protocolVersion": "2025-03-26", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "bench", "version": "1"}}); err != nil {
		m.end()
		return nil, err
	}
	return m, m.send(map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"})
}

func (m *mcp) end() {
	m.child.end()
	os.RemoveAll(m.dir)
}

func (m *mcp) send(v any) error {
	data, err := json.Marshal(v)
	if err == nil {
		_, err = fmt.Fprintf(m.in, "%s\n", data)
	}
	return err
}

func (m *mcp) ask(method string, params any) (json.RawMessage, error) {
	m.id++
	if err := m.send(map[string]any{"jsonrpc": "2.0", "id": m.id, "method": method, "params": params}); err != nil {
		return nil, err
	}
	for {
		line, err := m.line()
		if err != nil {
			return nil, err
		}
		var r struct {
			ID     int             `json:"id"`
			Result json.RawMessage `json:"result"`
			Error  json.RawMessage `json:"error"`
		}
		if json.Unmarshal([]byte(line), &r) != nil || r.ID != m.id {
			continue
		}
		if r.Error != nil {
			return nil, fmt.Errorf("%s: %s", method, r.Error)
		}
		return r.Result, nil
	}
}

var linked = regexp.MustCompile(`\(([^()\s]+\.(?:yml|yaml|md))\)`)

// tool calls one tool; what the answer only links to is read as well.
func (m *mcp) tool(name string, args map[string]any) (string, error) {
	raw, err := m.ask("tools/call", map[string]any{"name": name, "arguments": args})
	if err != nil {
		return "", err
	}
	var r struct {
		Content []struct{ Text string } `json:"content"`
		IsError bool                    `json:"isError"`
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		return "", err
	}
	var b strings.Builder
	for _, c := range r.Content {
		b.WriteString(c.Text + "\n")
	}
	text := b.String()
	if r.IsError {
		return "", fmt.Errorf("%s: %s", name, text)
	}
	for _, l := range linked.FindAllStringSubmatch(text, -1) {
		path := l[1]
		if !filepath.IsAbs(path) {
			path = filepath.Join(m.dir, path)
		}
		if data, err := os.ReadFile(path); err == nil {
			text += string(data)
		}
	}
	return text, nil
}

// once plays the scenario as a model does: look, four clicks, look.
func (m *mcp) once(url string) error {
	if _, err := m.tool("browser_navigate", map[string]any{"url": url}); err != nil {
		return err
	}
	snap, err := m.tool("browser_snapshot", map[string]any{})
	if err != nil {
		return err
	}
	for _, name := range []string{"7", "×", "8", "="} {
		ref := regexp.MustCompile(`button "` + regexp.QuoteMeta(name) + `"[^\n]*\[ref=(\w+)\]`).FindStringSubmatch(snap)
		if ref == nil {
			return fmt.Errorf("no button %q in %.600s", name, snap)
		}
		if _, err := m.tool("browser_click", map[string]any{"element": name, "target": ref[1], "ref": ref[1]}); err != nil {
			return err
		}
	}
	if snap, err = m.tool("browser_snapshot", map[string]any{}); err != nil {
		return err
	}
	if !regexp.MustCompile(`status "Display"[^\n]*56`).MatchString(snap) {
		return fmt.Errorf("no 56 in %.600s", snap)
	}
	return nil
}
