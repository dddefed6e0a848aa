package contract

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"gitagent/features"
	"gitagent/internal/browser"
)

// Version is the only contract version that is read and written.
const Version = 1

// MaxBytes is the size above which a contract is refused unread, MaxChecks the
// number of checks it may hold.
const (
	MaxBytes  = 256 << 10
	MaxChecks = 40
)

// The kinds of check.
const (
	KindPage    = "page"
	KindCommand = "command"
	KindHTTP    = "http"
)

// ByPerson is the By of a contract that a person accepted or wrote.
const ByPerson = "person"

// Contract says how each step of one feature is seen to hold.
type Contract struct {
	Version  int    `json:"version"`
	Feature  string `json:"feature"`
	Revision int    `json:"revision"`
	// Wording is WordingOf the feature that the contract was made for; "" where
	// nobody has said.
	Wording string `json:"wording,omitempty"`
	// By is ByPerson where a person accepted or wrote the contract.
	By string `json:"by,omitempty"`
	// Vars are the variables by name, with what each is drawn from; Examples
	// are the values with which the words of the steps hold.
	Vars     Values  `json:"vars,omitempty"`
	Examples Values  `json:"examples,omitempty"`
	Checks   []Check `json:"checks"`

	avoid []Values // what a draw should not repeat
}

// Check is one thing to try. Exactly one of the kind fields is set.
type Check struct {
	ID   string `json:"id"`
	Kind string `json:"kind"`
	// Covers holds step numbers, counted from 1.
	Covers []int `json:"covers"`
	// Page is a scenario as internal/browser reads it.
	Page    stdjson.RawMessage `json:"page,omitempty"`
	Command *Command           `json:"command,omitempty"`
	HTTP    []Exchange         `json:"http,omitempty"`
}

// Command is a shell command with what it must print.
type Command struct {
	// Run is one line for /bin/sh, in the project's folder.
	Run   string `json:"run"`
	Stdin string `json:"stdin,omitempty"`
	// Exit is the exit code that is expected.
	Exit int `json:"exit"`
	// StdoutHas are texts that standard output holds, each as a whole word or
	// number (see Holds).
	StdoutHas []string `json:"stdout_has,omitempty"`
	// OutputHas is the same for standard output and error together.
	OutputHas []string `json:"output_has,omitempty"`
	// StdoutIs is all of standard output, white space at the end apart.
	StdoutIs *string `json:"stdout_is,omitempty"`
	// Metric judges a number of standard output.
	Metric *Metric `json:"metric,omitempty"`
}

// WordingOf names how a feature is worded: a digest of its description and
// steps. A feature that was reworded needs a new contract, also where the old
// one would still look like one for it.
func WordingOf(f features.Feature) string {
	h := sha256.New()
	for _, text := range append([]string{f.Description}, f.Steps...) {
		fmt.Fprintf(h, "%d\n%s\n", len(text), text)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// Path is where the contract of a feature lies in the repository.
func Path(id string) string { return ".agent/contracts/" + id + ".json" }

// Parse reads a contract strictly: exact keys, no duplicates, no second
// document, the known version. Whether it is a good contract for its feature
// is Validate's business.
func Parse(data []byte) (*Contract, error) {
	if len(data) > MaxBytes {
		return nil, fmt.Errorf("contract has %d bytes, more than %d", len(data), MaxBytes)
	}
	var c Contract
	if err := json.Unmarshal(data, &c, json.RejectUnknownMembers(true)); err != nil {
		return nil, fmt.Errorf("contract is not valid: %s", jsonFault(data, err))
	}
	if c.Version == 0 {
		return nil, fmt.Errorf("contract has no version: write \"version\":%d beside \"feature\", \"revision\" and \"checks\"", Version)
	}
	if c.Version != Version {
		return nil, fmt.Errorf("contract has version %d, this program reads %d", c.Version, Version)
	}
	if err := c.check(); err != nil {
		return nil, fmt.Errorf("contract is not valid: %w", err)
	}
	return &c, nil
}

// check holds what every contract keeps, whatever its feature says.
func (c *Contract) check() error {
	switch {
	case c.Feature == "":
		return errors.New("no feature")
	case c.Revision < 1:
		return fmt.Errorf("revision %d", c.Revision)
	case c.By != "" && c.By != ByPerson:
		return fmt.Errorf("it is by %q: only %q is known", c.By, ByPerson)
	case len(c.Checks) > MaxChecks:
		return fmt.Errorf("%d checks, more than %d", len(c.Checks), MaxChecks)
	}
	ids := make(map[string]bool)
	for i := range c.Checks {
		k := &c.Checks[i]
		if k.ID == "" || ids[k.ID] {
			return fmt.Errorf("check %d has no id of its own", i+1)
		}
		ids[k.ID] = true
		if err := k.compact(); err != nil {
			return fmt.Errorf("check %s: %w", k.ID, err)
		}
	}
	literal, err := c.Literal()
	if err != nil {
		return err
	}
	for _, k := range literal.Checks {
		if err := k.shape(); err != nil {
			return fmt.Errorf("check %s: %w", k.ID, err)
		}
	}
	return nil
}

// compact says whether the fields fit the kind, and compacts JSON so that equal
// contracts have equal bytes.
func (k *Check) compact() error {
	fields := map[string]bool{KindPage: len(k.Page) > 0, KindCommand: k.Command != nil, KindHTTP: len(k.HTTP) > 0}
	if _, known := fields[k.Kind]; !known {
		return fmt.Errorf("kind %q is not known: use page, command or http", k.Kind)
	}
	for kind, set := range fields {
		if set != (kind == k.Kind) {
			return fmt.Errorf("kind %s needs the field %q and no other", k.Kind, k.Kind)
		}
	}
	if k.Command != nil && k.Command.Metric != nil {
		if err := k.Command.Metric.check(); err != nil {
			return err
		}
	}
	raws := []*stdjson.RawMessage{&k.Page}
	for i := range k.HTTP {
		raws = append(raws, k.HTTP[i].values()...)
	}
	for _, raw := range raws {
		if len(*raw) == 0 {
			continue
		}
		v := jsontext.Value(*raw)
		if err := v.Compact(); err != nil {
			return err
		}
		*raw = stdjson.RawMessage(v)
	}
	return nil
}

// shape says whether a check without variables can be tried at all.
func (k *Check) shape() error {
	switch k.Kind {
	case KindPage:
		return pageShape(k.Page)
	case KindHTTP:
		return exchangesShape(k.HTTP)
	}
	return nil
}

// pageForm is the stored form of a page: of all that browser.ParseScenario
// understands, the one with a list of steps.
type pageForm struct {
	Name string `json:"name,omitempty"`
	Open string `json:"open"`
	// Status is the error status that the page must have, Allow one that it may
	// have.
	Status  *int                 `json:"status,omitempty"`
	Allow   *int                 `json:"allow_status,omitempty"`
	Steps   []stdjson.RawMessage `json:"steps"`
	Timeout float64              `json:"timeout,omitempty"` // seconds
	Prefers string               `json:"prefers,omitempty"` // what the person's system asks of pages
}

func pageShape(page []byte) error {
	var p pageForm
	if err := json.Unmarshal(page, &p, json.RejectUnknownMembers(true)); err != nil {
		return fmt.Errorf(`page must be {"open":"/","steps":[…]}: %w`, err)
	}
	s, err := browser.ParseScenario(page)
	if err != nil {
		return err
	}
	if len(s.Steps) != len(p.Steps) {
		return errors.New(`page must be {"open":"/","steps":[…]}`)
	}
	return nil
}

// Bytes is the canonical form: indented, keys in order, a newline at the end.
func (c *Contract) Bytes() []byte {
	out := *c
	out.Version = Version
	out.Checks = make([]Check, len(c.Checks))
	for i, k := range c.Checks {
		if k.Covers == nil {
			k.Covers = []int{}
		}
		out.Checks[i] = k
	}
	var buf bytes.Buffer
	err := json.MarshalWrite(&buf, &out, json.Deterministic(true), jsontext.AllowInvalidUTF8(true), jsontext.WithIndent("  "))
	if err != nil { // only a Page that is not JSON, which no constructor lets in
		panic(fmt.Sprintf("contract of %s: %v", c.Feature, err))
	}
	buf.WriteByte('\n')
	return buf.Bytes()
}

// Digest is the SHA-256 of the canonical bytes, in hex.
func (c *Contract) Digest() string {
	sum := sha256.Sum256(c.Bytes())
	return hex.EncodeToString(sum[:])
}

// Same says whether two checks try the same, whatever they are called and cover.
func (k Check) Same(other Check) bool {
	k.ID, k.Covers = other.ID, other.Covers
	return reflect.DeepEqual(k, other)
}

// Get gives the check with this id, or nil.
func (c *Contract) Get(id string) *Check {
	for i := range c.Checks {
		if c.Checks[i].ID == id {
			return &c.Checks[i]
		}
	}
	return nil
}

// HasPage says whether one of the checks is a page.
func (c *Contract) HasPage() bool {
	for _, k := range c.Checks {
		if k.Kind == KindPage {
			return true
		}
	}
	return false
}

// Next is a copy with another revision number, for a replacement.
func (c *Contract) Next(revision int) *Contract {
	next := *c
	next.Revision = revision
	next.Checks = append([]Check(nil), c.Checks...)
	return &next
}
