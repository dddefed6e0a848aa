package runner

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"gitagent/internal/plain"
	"gitagent/internal/project"
)

// junit runs any command that writes JUnit XML. Where the command names $REPORT,
// the file lies outside the tree under a name of this run alone; else the files
// that match the pattern are removed before the run. Most runners write it in the
// process that they test in, so it is that process's own word.
type junit struct{}

func (junit) List(context.Context, *Run) ([]string, error) { return nil, ErrCannotList }

func (junit) Run(ctx context.Context, r *Run) (Report, error) {
	own := strings.Contains(r.Command, project.ReportVariable)
	if !own && r.Reports == "" {
		return Refused("the command names no %s and the test section no reports, so no results can be read", project.ReportVariable), nil
	}
	file := filepath.Join(r.Temp, r.secret()+".xml")
	if !own {
		if err := r.removeReports(); err != nil {
			return Refused("old reports could not be removed: %v", err), nil
		}
	}
	res, err := r.exec(ctx, "", keptOutput, "/bin/sh", "-c", strings.ReplaceAll(r.Command, project.ReportVariable, file))
	if err != nil {
		return Report{}, err
	}
	rep := Report{Output: plain.Text(string(res.Output)), Results: map[string]string{}, OwnWord: true}
	if rep.Interrupted(res, r.Limit, false) {
		return rep, nil
	}
	if res.ExitCode == 127 {
		return Absent(firstWord(r.Command)), nil
	}
	files := []string{file}
	if !own {
		if files, err = r.reports(); err != nil {
			return rep, err
		}
	}
	if len(files) == 0 {
		rep.unfinished("the command wrote no report")
		return rep, nil
	}
	for _, f := range files {
		data, err := readReport(f)
		if err != nil {
			rep.unfinished("the command wrote no report")
			return rep, nil
		}
		if err := rep.readJUnit(data); err != nil {
			rep.unfinished(fmt.Sprintf("the report %s cannot be read: %v", filepath.Base(f), err))
			return rep, nil
		}
	}
	if rep.Exit == 0 && rep.Count(Fail) > 0 {
		rep.Exit = 1
	}
	rep.unfinished("")
	return rep, nil
}

func (r *Run) reports() ([]string, error) {
	names, err := doublestar.Glob(os.DirFS(r.Dir), r.Reports, doublestar.WithFilesOnly(), doublestar.WithNoFollow())
	slices.Sort(names)
	for i, n := range names {
		names[i] = filepath.Join(r.Dir, filepath.FromSlash(n))
	}
	return names, err
}

func (r *Run) removeReports() error {
	files, err := r.reports()
	for _, f := range files {
		err = errors.Join(err, os.Remove(f))
	}
	return err
}

func firstWord(command string) string {
	words := strings.Fields(command)
	if len(words) == 0 {
		return "the command"
	}
	return plain.Line(words[0], 60)
}

type junitCase struct {
	Name    string    `xml:"name,attr"`
	Class   string    `xml:"classname,attr"`
	File    string    `xml:"file,attr"`
	Failure *junitBad `xml:"failure"`
	Error   *junitBad `xml:"error"`
	Skipped *junitBad `xml:"skipped"`
	Rerun   *junitBad `xml:"rerunFailure"`
}

type junitBad struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// readJUnit takes the cases of one file, which has to be whole; what its suites
// say of numbers is not needed.
func (rep *Report) readJUnit(data []byte) error {
	dec := xml.NewDecoder(strings.NewReader(string(data)))
	suites := false
	for {
		tok, err := dec.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		start, ok := tok.(xml.StartElement)
		if !ok {
			continue
		}
		switch start.Name.Local {
		case "testsuites", "testsuite":
			suites = true
		case "testcase":
			var c junitCase
			if err := dec.DecodeElement(&c, &start); err != nil {
				return err
			}
			rep.takeCase(c)
		}
	}
	if !suites {
		return errors.New("it is no JUnit report")
	}
	return nil
}

func (rep *Report) takeCase(c junitCase) {
	id := strings.TrimSpace(orElse(c.Class, c.File) + " " + c.Name)
	result, bad := Pass, (*junitBad)(nil)
	switch {
	case c.Failure != nil:
		result, bad = Fail, c.Failure
	case c.Error != nil:
		result, bad = Fail, c.Error
	case c.Rerun != nil:
		result, bad = Fail, c.Rerun
	case c.Skipped != nil:
		result = Skip
	}
	for base, n := id, 2; rep.Results[id] != ""; n++ {
		id = fmt.Sprintf("%s #%d", base, n)
	}
	rep.Results[id] = result
	if bad != nil && len(rep.Output) < keptOutput {
		rep.Output += fmt.Sprintf("\nfailed: %s\n%s\n", id, plain.Clip(plain.Text(bad.Message+"\n"+bad.Text), 2000))
	}
}
