package browser

import (
	"strings"
	"unicode/utf8"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp/kb"
)

// keyNames are the named keys; a single character is a key too.
func keyNames() map[string]string {
	return map[string]string{
		"enter": kb.Enter, "return": kb.Enter, "tab": kb.Tab, "escape": kb.Escape, "esc": kb.Escape,
		"space": " ", "spacebar": " ", "backspace": kb.Backspace, "delete": kb.Delete, "del": kb.Delete,
		"arrowleft": kb.ArrowLeft, "left": kb.ArrowLeft, "arrowright": kb.ArrowRight, "right": kb.ArrowRight,
		"arrowup": kb.ArrowUp, "up": kb.ArrowUp, "arrowdown": kb.ArrowDown, "down": kb.ArrowDown,
		"home": kb.Home, "end": kb.End, "pageup": kb.PageUp, "pagedown": kb.PageDown, "insert": kb.Insert,
		"f1": kb.F1, "f2": kb.F2, "f3": kb.F3, "f4": kb.F4, "f5": kb.F5, "f6": kb.F6,
		"f7": kb.F7, "f8": kb.F8, "f9": kb.F9, "f10": kb.F10, "f11": kb.F11, "f12": kb.F12,
		"plus": "+",
	}
}

// A keyStroke is one key with the modifiers that are held.
type keyStroke struct {
	key       string // one rune of package kb
	modifiers int64
}

// parseKey reads Enter, a, Control+A, Shift+Tab.
func parseKey(name string) (keyStroke, error) {
	parts := strings.Split(name, "+")
	if strings.HasSuffix(name, "+") { // the key + itself
		parts = append(strings.Split(strings.TrimSuffix(name, "+"), "+"), "+")
		if name == "+" {
			parts = []string{"+"}
		} else if n := len(parts); parts[n-2] == "" {
			parts = append(parts[:n-2], "+")
		}
	}
	var ks keyStroke
	for _, p := range parts[:len(parts)-1] {
		switch strings.ToLower(strings.TrimSpace(p)) {
		case "control", "ctrl":
			ks.modifiers |= int64(kb.ModifierCtrl)
		case "shift":
			ks.modifiers |= int64(kb.ModifierShift)
		case "alt", "option":
			ks.modifiers |= int64(kb.ModifierAlt)
		case "meta", "command", "cmd":
			ks.modifiers |= int64(kb.ModifierMeta)
		default:
			return ks, wrong("unknown modifier %q in the key %q", clip(p, 40), clip(name, 60))
		}
	}
	last := parts[len(parts)-1]
	if utf8.RuneCountInString(last) == 1 {
		ks.key = last
		return ks, nil
	}
	names := keyNames()
	if k, ok := names[strings.ToLower(strings.NewReplacer(" ", "", "_", "", "-", "").Replace(last))]; ok {
		ks.key = k
		return ks, nil
	}
	near := nearest(last, sortedKeys(names), 1)
	return ks, wrong("unknown key %q: did you mean %q? To press a button write {\"click\":%q}", clip(last, 60), near[0], clip(last, 60))
}

// events returns the key events of the stroke. A held Control, Alt or Meta
// types nothing, as on a keyboard.
func (k keyStroke) events() []*input.DispatchKeyEventParams {
	r, _ := utf8.DecodeRuneInString(k.key)
	var out []*input.DispatchKeyEventParams
	for _, ev := range kb.Encode(r) {
		ev.Modifiers |= k.modifiers
		if ev.Type == kb.KeyChar && k.modifiers&^int64(kb.ModifierShift) != 0 {
			continue
		}
		if k.modifiers == int64(kb.ModifierCtrl) && strings.EqualFold(k.key, "a") && ev.Type == kb.KeyDown {
			ev.Commands = []string{"selectAll"}
		}
		out = append(out, ev)
	}
	return out
}
