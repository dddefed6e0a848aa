package features

import (
	"fmt"
	"slices"

	"gitagent/internal/hint"
)

// Import reads a list made elsewhere: the own format (version, project, goal,
// ids and passes may be missing), a bare array of {category, description,
// steps, passes}, or {userStories: [{id, title, acceptanceCriteria, passes,
// priority, …}]}. A complete list in the own format keeps its bytes; anything
// else is laid out anew, with project and goal as given where the file has
// none. Ids that are given stay; a true stays true, and it is for the caller to
// treat it as a claim. Errors about the text wrap a *SyntaxError.
func Import(data []byte, project, goal string) (*List, error) {
	form, err := formOf(data)
	if err != nil {
		return nil, located("", err)
	}
	switch form {
	case "array":
		return importArray(data, project, goal)
	case "userStories":
		return importStories(data, project, goal)
	}
	l, complete, err := parse(data, true)
	if err != nil {
		return nil, located("", err)
	}
	if !complete {
		return New(either(l.Project, project), either(l.Goal, goal), l.Features)
	}
	if err := distinct(l.Features); err != nil {
		return nil, err
	}
	return l, nil
}

func either(a, b string) string {
	if blank(a) {
		return b
	}
	return a
}

// formOf looks at the outermost keys.
func formOf(data []byte) (string, error) {
	s, err := newScanner(data)
	if err != nil {
		return "", err
	}
	form := "own"
	switch s.peek() {
	case '[':
		return "array", nil
	case '{':
		_, err = s.object("'{'", func(key string, _ span) error {
			if key == "userStories" {
				form = key
			}
			return s.skip()
		})
		if err == nil {
			err = s.end()
		}
		return form, err
	}
	if s.pos == len(data) {
		return "", s.fail(0, "the file is empty", smallest)
	}
	return "", s.fail(s.pos, "expected a list of features in JSON", smallest)
}

// smallest shows the least that Import takes.
const smallest = `the smallest one: [{"description": "The page greets", "steps": ["Open the page", "It says \"hello\""]}]`

func importArray(data []byte, project, goal string) (*List, error) {
	s, err := newScanner(data)
	if err != nil {
		return nil, located("", err)
	}
	var fs []Feature
	_, err = s.array("'['", func(int) error {
		f, _, err := readFeature(s, true)
		fs = append(fs, f)
		return err
	})
	if err == nil {
		err = s.end()
	}
	if err != nil {
		return nil, located("", err)
	}
	if len(fs) == 0 {
		return nil, hint.Errorf("give a list with at least one feature", "the list is empty")
	}
	return New(project, goal, fs)
}

var (
	prdKeys   = []string{"project", "branchName", "description", "userStories"}
	storyKeys = []string{"id", "title", "description", "acceptanceCriteria", "priority", "passes", "notes", "dependsOn"}
)

func importStories(data []byte, project, goal string) (*List, error) {
	s, err := newScanner(data)
	if err != nil {
		return nil, located("", err)
	}
	var fs []Feature
	var name, about string
	_, err = s.object("'{'", func(key string, at span) (err error) {
		switch key {
		case "project":
			name, _, err = s.text("the project's name in double quotes")
		case "description":
			about, _, err = s.text("a description in double quotes")
		case "userStories":
			_, err = s.array("a list of stories in '[' and ']'", func(int) error {
				f, err := s.story()
				fs = append(fs, f)
				return err
			})
		default:
			err = s.foreign(key, at, prdKeys)
		}
		return err
	})
	if err == nil {
		err = s.end()
	}
	if err != nil {
		return nil, located("", err)
	}
	if len(fs) == 0 {
		return nil, hint.Errorf("give a list with at least one story", "the list is empty")
	}
	return New(either(project, name), either(goal, about), fs)
}

// story reads one user story as a feature.
func (s *scanner) story() (f Feature, err error) {
	var title, about string
	where, err := s.object("a story in '{' and '}'", func(key string, at span) (err error) {
		var v span
		switch key {
		case "id":
			if f.ID, v, err = s.str("an id in double quotes"); err == nil {
				err = s.checkID(f.ID, v)
			}
		case "title":
			title, _, err = s.text("a title in double quotes")
		case "description":
			about, _, err = s.text("a description in double quotes")
		case "acceptanceCriteria":
			f.Steps, _, _, err = s.texts("a list of criteria in '[' and ']'", "criterion")
		case "dependsOn":
			f.DependsOn, _, _, err = s.texts("a list of ids in '[' and ']'", "id")
		case "priority":
			f.Priority, _, err = s.integer()
		case "passes":
			f.Passes, _, err = s.boolean()
		default:
			err = s.foreign(key, at, storyKeys)
		}
		return err
	})
	if err != nil {
		return f, err
	}
	f.Category = "functional"
	f.Description = storyText(title, about)
	if f.Description == "" {
		return f, s.fail(where.start, "the story "+f.ID+" has no title", `add one: "title": "…"`)
	}
	if len(f.Steps) == 0 {
		return f, s.fail(where.start, "the story "+f.ID+" has no acceptance criteria, so it cannot be verified", `add them: "acceptanceCriteria": ["…"]`)
	}
	return f, nil
}

func storyText(title, about string) string {
	title, about = oneLine(title), oneLine(about)
	switch {
	case title == "":
		return about
	case about == "" || Fold(title) == Fold(about):
		return title
	}
	return title + ": " + about
}

// foreign passes over a key that this program has no use for, but not over one
// that looks like a slip of the pen.
func (s *scanner) foreign(key string, at span, known []string) error {
	if near := nearest(key, known); near != "" && !slices.Contains(known, key) {
		return s.unknownKey(key, at, known)
	}
	if err := s.skip(); err != nil {
		return fmt.Errorf("under %s: %w", quote(key), err)
	}
	return nil
}
