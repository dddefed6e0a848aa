package contract

import (
	"strings"
	"testing"
)

func TestParseNamesTheFault(t *testing.T) {
	for in, want := range map[string]string{
		`{}`:                          `contract has no version: write "version":1`,
		`{"version":2}`:               `contract has version 2, this program reads 1`,
		`{"version":"1"}`:             `version must be a number`,
		`[]`:                          `the contract must be an object`,
		`{"version":1,`:               `its JSON ends too early`,
		"{\n 'a'":                     `line 2, column 2: invalid character '\''`,
		`{"nope":1}`:                  `unknown key "nope" in the contract; its keys are version, feature,`,
		`{"checks":[{"covers":"1"}]}`: `checks[0].covers must be a list`,
		`{"checks":[{},{"http":[{"expext":{}}]}]}`: `unknown key "expext" in checks[1].http[0]; its keys are restart, method, path,`,
		`{"checks":[{"command":{"run":["ls"]}}]}`:  `checks[0].command.run must be a text`,
	} {
		_, err := Parse([]byte(in))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want …%s…", in, err, want)
		}
		if err != nil && strings.Contains(err.Error(), "json:") || strings.Contains(err.Error(), "Go ") {
			t.Errorf("%s: %v names the program's insides", in, err)
		}
	}
}
