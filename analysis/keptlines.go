package analysis

import (
	"context"
	"os"
	"strings"

	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/units"
)

// MaxStoredLines is the largest number of source lines that are stored with a run: those that use
// the most energy.
const MaxStoredLines = 1000

// A StoredLine is a source line of a stored run, with its exclusive energy.
type StoredLine struct {
	Method name.Method
	Line   int
	// Text is the line in Options.Sources, without surrounding blanks. It is empty if the source is
	// unknown. Number counts the earlier lines of the method that have the same text.
	Text   string `json:",omitempty"`
	Number int    `json:",omitempty"`
	Own    units.Energy
}

// keptLines reads a recording again by source line. It returns the lines sorted by decreasing
// energy.
func keptLines(ctx context.Context, o Options, path string) ([]StoredLine, error) {
	o.Subject.Path, o.Subject.Repeats = path, nil
	o.Lines, o.Unprocessed, o.Bundles, o.Normalize = true, true, false, Normalization{}
	in, err := Read(ctx, o)
	if err != nil {
		return nil, err
	}
	texts := methodTexts{in: in, lines: make(map[name.Method]map[int]StoredLine)}
	var list []StoredLine
	for _, r := range in.Lines().Rows {
		if r.Line == 0 || r.Own == 0 {
			continue
		}
		if len(list) == MaxStoredLines {
			break
		}
		line := texts.line(r.Method, r.Line)
		line.Method, line.Line, line.Own = r.Method, r.Line, r.Own
		list = append(list, line)
	}
	return list, nil
}

// methodTexts reads the sources of methods.
type methodTexts struct {
	in    *Input
	lines map[name.Method]map[int]StoredLine
	files map[string][]string
}

// line returns the text of a line of a method.
func (t *methodTexts) line(m name.Method, line int) StoredLine {
	lines, ok := t.lines[m]
	if !ok {
		lines = make(map[int]StoredLine)
		t.lines[m] = lines
		at, found := t.in.Text(m)
		if !found || at.Doubt != "" {
			return StoredLine{}
		}
		seen := make(map[string]int)
		for i, text := range t.file(at.Path) {
			if i+1 < at.First || i+1 > at.Last {
				continue
			}
			text = strings.TrimSpace(text)
			lines[i+1] = StoredLine{Text: text, Number: seen[text]}
			seen[text]++
		}
	}
	return lines[line]
}

// file returns the lines of a file. A file that cannot be read has none.
func (t *methodTexts) file(path string) []string {
	lines, ok := t.files[path]
	if !ok {
		if data, err := os.ReadFile(path); err == nil {
			lines = strings.Split(string(data), "\n")
		}
		if t.files == nil {
			t.files = make(map[string][]string)
		}
		t.files[path] = lines
	}
	return lines
}
