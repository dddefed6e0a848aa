package features

import (
	"errors"
	"fmt"

	"gitagent/internal/hint"
)

const (
	// Path is where the list stands in a repository.
	Path = "features.json"
	// MaxBytes is the largest list that is read.
	MaxBytes = 16 << 20
	// MaxDepth is how deep brackets may nest; the list itself needs four.
	MaxDepth = 8
	// Version is the only version of the format so far.
	Version = 1

	maxNumber = 1_000_000_000
	maxID     = 40
	maxItems  = 1000 // steps, or dependencies, of one feature
)

// Feature is one entry of the list.
type Feature struct {
	ID, Category, Description string
	Steps, DependsOn          []string
	Priority                  int // lowest first
	Passes                    bool
}

// List is a list as it was read. Features are in the order of the file. To
// change it use the methods that return new bytes; changing its fields changes
// nothing but the copy at hand.
type List struct {
	Version       int
	Project, Goal string
	Features      []Feature

	data  []byte
	spots []spot // one for each feature
	array span   // the list of features, brackets included
	index map[string]int
}

// spot is where a feature and its values stand.
type spot struct {
	object span
	values map[string]span // by key
	keys   map[string]span
	items  []span // the elements of depends_on
}

var listKeys = []string{"version", "project", "goal", "features"}
var featureKeys = []string{"id", "category", "description", "steps", "depends_on", "priority", "passes"}

// Parse reads a list strictly: exact keys, each once, without escapes; literal
// booleans; valid UTF-8 without byte order mark; one document; limits on size
// and depth; valid and unique ids; steps that say something; dependencies that
// exist and make no circle. Errors wrap a *SyntaxError and carry its advice.
func Parse(data []byte) (*List, error) {
	l, _, err := parse(data, false)
	if err != nil {
		return nil, located(Path+", ", err)
	}
	return l, nil
}

// located puts the advice of a *SyntaxError where hint.Of finds it.
func located(prefix string, err error) error {
	var bad *SyntaxError
	if errors.As(err, &bad) && bad.Mend != "" {
		return hint.New(fmt.Errorf("%s%w", prefix, err), bad.Mend)
	}
	return fmt.Errorf("%s%w", prefix, err)
}

// parse reads the own format. A lenient reader accepts that an imported file
// leaves out version, project and goal of the list, id and passes of a feature;
// complete says whether nothing was left out.
func parse(data []byte, lenient bool) (l *List, complete bool, err error) {
	s, err := newScanner(data)
	if err != nil {
		return nil, false, err
	}
	if len(data) == 0 || s.peek() == 0 && s.pos == len(data) {
		return nil, false, s.fail(0, "the file is empty", "take it back from the last commit, or run: git agent init")
	}
	l = &List{data: data}
	seen := map[string]bool{}
	whole, err := s.object("'{'", func(key string, at span) error {
		seen[key] = true
		return l.member(s, key, at, lenient)
	})
	if err == nil {
		err = s.end()
	}
	if err != nil {
		return nil, false, err
	}
	complete = true
	for _, key := range listKeys {
		if seen[key] {
			continue
		}
		complete = false
		if !lenient || key == "features" {
			return nil, false, s.fail(whole.start, "the key "+quote(key)+" is missing", "add it: "+exampleOf(key))
		}
	}
	for _, p := range l.spots {
		complete = complete && len(p.values["id"].text(data)) > 0 && len(p.values["passes"].text(data)) > 0
	}
	l.reindex()
	if complete || !lenient {
		err = l.check(s)
	}
	return l, complete, err
}

func (p span) text(data []byte) []byte { return data[p.start:p.end] }

func nameOf(f Feature) string {
	if f.ID == "" {
		return "the feature"
	}
	return "the feature " + f.ID
}

func exampleOf(key string) string {
	switch key {
	case "version":
		return `"version": 1`
	case "features":
		return `"features": []`
	case "steps":
		return `"steps": ["Open the page", "The title is shown"]`
	case "passes":
		return `"passes": false`
	}
	return `"` + key + `": "…"`
}

// member reads one value of the outer object.
func (l *List) member(s *scanner, key string, at span, lenient bool) (err error) {
	var where span
	switch key {
	case "version":
		l.Version, where, err = s.integer()
		if err == nil && l.Version != Version {
			err = s.fail(where.start, fmt.Sprintf("version %d of the format is not known", l.Version), "this git agent reads version 1; a newer list needs a newer git agent")
		}
	case "project":
		l.Project, where, err = s.text("the project's name in double quotes")
	case "goal":
		l.Goal, where, err = s.text("the goal in double quotes")
	case "features":
		l.array, err = s.array("a list of features in '[' and ']'", func(int) error {
			f, p, err := readFeature(s, lenient)
			l.Features, l.spots = append(l.Features, f), append(l.spots, p)
			return err
		})
	default:
		err = s.unknownKey(key, at, listKeys)
	}
	return err
}

// readFeature reads one entry of the list.
func readFeature(s *scanner, lenient bool) (f Feature, p spot, err error) {
	p = spot{values: make(map[string]span, len(featureKeys)), keys: make(map[string]span, len(featureKeys))}
	p.object, err = s.object("a feature in '{' and '}'", func(key string, at span) (err error) {
		var where span
		switch key {
		case "id":
			if f.ID, where, err = s.str("an id in double quotes"); err == nil {
				err = s.checkID(f.ID, where)
			}
		case "category":
			f.Category, where, err = s.text("a category in double quotes")
		case "description":
			f.Description, where, err = s.text("a description in double quotes")
			if err == nil && blank(f.Description) {
				err = s.fail(where.start, "the description is empty", "say in one line what a person can do once the feature is there")
			}
		case "steps":
			f.Steps, where, _, err = s.texts("a list of steps in '[' and ']'", "step")
			if err == nil && len(f.Steps) == 0 {
				err = s.fail(where.start, "a feature without steps cannot be verified", "write the steps as a person would try it: "+exampleOf("steps"))
			}
		case "depends_on":
			f.DependsOn, where, p.items, err = s.texts("a list of ids in '[' and ']'", "id")
		case "priority":
			f.Priority, where, err = s.integer()
		case "passes":
			f.Passes, where, err = s.boolean()
		default:
			err = s.unknownKey(key, at, featureKeys)
		}
		p.values[key], p.keys[key] = where, at
		return err
	})
	if err != nil {
		return f, p, err
	}
	for _, key := range []string{"id", "description", "steps", "passes"} {
		if _, ok := p.values[key]; !ok && !(lenient && (key == "id" || key == "passes")) {
			return f, p, s.fail(p.object.start, nameOf(f)+" has no "+quote(key), "add it: "+exampleOf(key))
		}
	}
	return f, p, nil
}

func (l *List) reindex() {
	l.index = make(map[string]int, len(l.Features))
	for i := range l.Features {
		if _, ok := l.index[l.Features[i].ID]; !ok {
			l.index[l.Features[i].ID] = i
		}
	}
}

// check holds the rules that need the whole list.
func (l *List) check(s *scanner) error {
	folded := make(map[string]string, len(l.Features))
	for i, f := range l.Features {
		at := l.spots[i].values["id"].start
		key := Fold(f.ID)
		if other, ok := folded[key]; ok {
			return s.fail(at, "the id "+quote(f.ID)+" is taken by "+quote(other), "give one of the two another id")
		}
		folded[key] = f.ID
	}
	for i, f := range l.Features {
		named := make(map[string]bool, len(f.DependsOn))
		for k, id := range f.DependsOn {
			at := l.spots[i].items[k].start
			if _, ok := l.index[id]; !ok {
				return s.fail(at, f.ID+" depends on "+quote(id)+", which is not in the list", "name an id of the list, or take it out")
			}
			if named[id] {
				return s.fail(at, f.ID+" names "+quote(id)+" twice", "keep one of the two")
			}
			named[id] = true
		}
	}
	if circle := circleIn(l.Features, l.index); len(circle) > 0 {
		at := l.spots[l.index[circle[0]]].values["depends_on"].start
		return s.fail(at, "these features wait for each other: "+join(circle), "take one of them out of \"depends_on\"")
	}
	return nil
}

// Bytes returns exactly what was read. The caller must not change it.
func (l *List) Bytes() []byte { return l.data }

// Get returns the feature with this id, or nil.
func (l *List) Get(id string) *Feature {
	if i, ok := l.index[id]; ok {
		return &l.Features[i]
	}
	return nil
}

// Passing counts the features whose flag is true.
func (l *List) Passing() int {
	n := 0
	for i := range l.Features {
		if l.Features[i].Passes {
			n++
		}
	}
	return n
}
