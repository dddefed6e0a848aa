package contract

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	stdjson "encoding/json"
	"maps"
	mathrand "math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"
)

// NewSeed is what the values of one verification are drawn from. Who has it can
// draw them again.
func NewSeed() string {
	var b [16]byte
	rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// fixedSeed is for values that nobody is judged by.
const fixedSeed = "example"

// Draw gives n sets of values. They differ from each other, from the examples
// and from what c is to avoid, in every variable as far as its kind allows, and
// so do the texts that the checks expect. Neutral numbers (0, 1 and -1) and two
// variables with one value are avoided as well.
func (c *Contract) Draw(seed string, n int) ([]Values, error) {
	kinds, err := c.kinds()
	if err != nil {
		return nil, err
	}
	source := mathrand.New(mathrand.NewChaCha8(sha256.Sum256([]byte(seed))))
	others := slices.Clone(c.avoid)
	if len(c.Examples) > 0 {
		others = append(others, c.Examples)
	}
	shown := make([]map[string]bool, 0, len(others)+n)
	for _, o := range others {
		shown = append(shown, c.expectations(o))
	}
	var out []Values
	for range n {
		v := c.drawOne(source, kinds, others, out, shown)
		out, others, shown = append(out, v), append(others, v), append(shown, c.expectations(v))
	}
	return out, nil
}

// drawTries bounds the search for values without a flaw; where a kind leaves
// none, those with the fewest are taken.
const drawTries = 60

func (c *Contract) drawOne(source *mathrand.Rand, kinds map[string]kind, others, fresh []Values, shown []map[string]bool) Values {
	names := slices.Sorted(maps.Keys(kinds))
	var best Values
	fewest := -1
	for range drawTries {
		v := make(Values, len(names))
		for _, name := range names {
			v[name] = kinds[name].draw(source)
		}
		flaws := 0
		for i, name := range names {
			if v[name] == "0" || v[name] == "1" || v[name] == "-1" {
				flaws += 2
			}
			for _, o := range others {
				if o[name] == v[name] {
					flaws += 2
				}
			}
			for _, other := range names[:i] {
				if v[other] == v[name] {
					flaws += 2
				}
			}
		}
		flaws += c.dull(v, shown)
		if slices.ContainsFunc(fresh, func(o Values) bool { return maps.Equal(o, v) }) {
			flaws += 1000 // the same draw twice proves nothing: rather one that was shown
		}
		flaws = flaws*100 + min(c.mistakable(v), 99) // what was shown proves nothing, and weighs more than bad luck
		if fewest < 0 || flaws < fewest {
			best, fewest = v, flaws
		}
		if flaws == 0 {
			break
		}
	}
	return best
}

// dull counts what is expected with v and was expected in another run as well,
// and weighs heavily what cannot be computed at all (a division by zero).
func (c *Contract) dull(v Values, shown []map[string]bool) int {
	texts := c.expectations(v)
	if texts == nil {
		return 100
	}
	n := 0
	for text := range texts {
		for _, other := range shown {
			if other[text] {
				n++
			}
		}
	}
	return n
}

// mistakable counts what is entered with v and is by chance a part of another
// text of the same page check: a search for it would rightly find more than was
// meant, and an honest product would fail.
func (c *Contract) mistakable(v Values) (n int) {
	env, err := c.env(v)
	if err != nil {
		return 0
	}
	for _, k := range c.Checks {
		if k.Kind != KindPage {
			continue
		}
		others := fixedTexts(k.Page)
		_, _ = k.with(env, func(p place, h hole) { // what cannot be filled is judged by dull
			if p != given {
				return
			}
			value, err := h.expr.value(env)
			if err != nil {
				return
			}
			text, _ := textOf(value)
			if text = strings.ToLower(text); !strings.ContainsFunc(text, unicode.IsLetter) {
				return
			}
			for name, other := range v {
				if !slices.Contains(h.expr.names, name) && strings.Contains(strings.ToLower(other), text) {
					n++
				}
			}
			for _, other := range others {
				if strings.Contains(other, text) {
					n++
				}
			}
		})
	}
	return n
}

// fixedTexts are the texts of a JSON value that no draw changes, in lower case;
// the names of members are none.
func fixedTexts(raw stdjson.RawMessage) (out []string) {
	dec := jsontext.NewDecoder(bytes.NewReader(raw))
	for {
		tok, err := dec.ReadToken()
		if err != nil {
			return out
		}
		if of, n := dec.StackIndex(dec.StackDepth()); tok.Kind() == '"' && (of != '{' || n%2 == 0) && !strings.Contains(tok.String(), "{") {
			out = append(out, strings.ToLower(tok.String()))
		}
	}
}

// expectations are the results of the placeholders in what is expected, nil
// where they cannot be computed.
func (c *Contract) expectations(v Values) map[string]bool {
	env, err := c.env(v)
	if err != nil {
		return nil
	}
	out := map[string]bool{}
	for _, k := range c.Checks {
		_, err := k.with(env, func(p place, h hole) {
			if p != expected {
				return
			}
			if value, err := h.expr.value(env); err == nil {
				text, _ := textOf(value)
				out[text] = true
			}
		})
		if err != nil {
			return nil
		}
	}
	return out
}

// draw picks a value.
func (k kind) draw(r *mathrand.Rand) string {
	switch k.name {
	case "int":
		return strconv.FormatInt(k.lo+r.Int64N(k.hi-k.lo+1), 10)
	case "decimal":
		n := k.lo + r.Int64N(k.hi-k.lo+1)
		if n%10 == 0 && n < k.hi { // digits at the end that programs leave out
			n++
		}
		return decimal(n, k.digits)
	case "one of":
		return k.options[r.IntN(len(k.options))]
	case "name":
		w := word0(r)
		return strings.ToUpper(w[:1]) + w[1:]
	}
	words := make([]string, max(k.count, 1))
	for i := range words {
		words[i] = word0(r)
	}
	return strings.Join(words, " ")
}

func decimal(n int64, digits int) string {
	sign := ""
	if n < 0 {
		sign, n = "-", -n
	}
	s := strconv.FormatInt(n, 10)
	for len(s) <= digits {
		s = "0" + s
	}
	return sign + s[:len(s)-digits] + "." + s[len(s)-digits:]
}

// word0 makes a word that nobody has a list of.
func word0(r *mathrand.Rand) string {
	const vowels, consonants = "aeiou", "bdfgklmnprstvz"
	var b strings.Builder
	for range 3 {
		b.WriteByte(consonants[r.IntN(len(consonants))])
		b.WriteByte(vowels[r.IntN(len(vowels))])
	}
	b.WriteByte(consonants[r.IntN(len(consonants))])
	return b.String()
}

// Run is one way to try a contract.
type Run struct {
	Seed   string // that the values were drawn from, "" for the examples
	N      int    // of the run, from 1
	Values Values
	// Contract is the contract with the values, and only with the checks that
	// this run adds something to.
	Contract *Contract
	Foils    map[string]map[string][]string // see AddFoils
}

// Runs are the ways to try c. A contract with variables is tried with its
// examples, where it has any, so that the words of the steps hold, and then with
// draws different values; checks that use no variable are tried once.
func (c *Contract) Runs(seed string, draws int) ([]Run, error) {
	if len(c.Vars) == 0 {
		plain, err := c.With(nil)
		return []Run{{N: 1, Contract: plain}}, err
	}
	drawn, err := c.Draw(seed, draws)
	if err != nil {
		return nil, err
	}
	var runs []Run
	if len(c.Examples) > 0 {
		v, err := c.exampleValues()
		if err != nil {
			return nil, err
		}
		runs = append(runs, Run{Values: v})
	}
	for _, v := range drawn {
		runs = append(runs, Run{Seed: seed, Values: v})
	}
	for i := range runs {
		runs[i].N = i + 1
		if runs[i].Contract, err = c.With(runs[i].Values); err != nil {
			return nil, err
		}
		if i > 0 {
			runs[i].Contract.Checks = slices.DeleteFunc(runs[i].Contract.Checks, func(k Check) bool { return !c.Varies(k.ID) })
		}
	}
	return runs, nil
}

// Literal is c with the examples in place, as the steps are worded; variables
// without one get a value that is always the same.
func (c *Contract) Literal() (*Contract, error) {
	v, err := c.exampleValues()
	if err != nil {
		return nil, err
	}
	return c.With(v)
}

func (c *Contract) exampleValues() (Values, error) {
	if len(c.Vars) == 0 {
		return nil, nil
	}
	kinds, err := c.kinds()
	if err != nil {
		return nil, err
	}
	if len(c.Examples) == len(kinds) { // each is an example of a variable
		return maps.Clone(c.Examples), nil
	}
	drawn, err := c.Draw(fixedSeed, 1)
	if err != nil {
		return nil, err
	}
	maps.Copy(drawn[0], c.Examples)
	return drawn[0], nil
}

// Avoiding is c, drawn from then on other values than these as far as that is
// possible: what somebody was shown is not what they are judged by.
func (c *Contract) Avoiding(shown ...Values) *Contract {
	out := c.Next(c.Revision)
	out.avoid = append(slices.Clone(c.avoid), shown...)
	return out
}

// Varies says whether what a check is given and what it expects change with the
// draw.
func (c *Contract) Varies(id string) bool {
	k := c.Get(id)
	if k == nil || len(c.Vars) == 0 {
		return false
	}
	u, err := c.uses(*k)
	return err == nil && len(u[given]) > 0 && len(u[expected]) > 0
}

// Varying are the ids of the checks that vary.
func (c *Contract) Varying() []string {
	var ids []string
	for _, k := range c.Checks {
		if c.Varies(k.ID) {
			ids = append(ids, k.ID)
		}
	}
	return ids
}
