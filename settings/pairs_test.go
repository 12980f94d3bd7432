package settings

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestPairs checks that a name selects the pair with all its files, that the first pair is used for
// missing traces, and that problems are reported at their positions.
func TestPairs(t *testing.T) {
	const file = `
mappingSubject: own.txt
unit: mJ
pairs:
  free: {subject: a.trace, reference: b.trace}
  paid:
    subject: c.trace
    reference: d.trace
    mappingSubject: m.txt
    flowsReference: d.flows
`
	in := func(name string) string {
		if name == "" {
			return ""
		}
		return filepath.Join("folder", name)
	}
	for _, c := range []struct{ more, pair, subject, reference, mapping, flows, wrong string }{
		{"", "free", "a.trace", "b.trace", "", "", ""},
		{"pair: paid", "paid", "c.trace", "d.trace", "m.txt", "d.flows", ""},
		{"subject: s\nreference: r", "", "s", "r", "own.txt", "", ""},
		{"subject: s\nreference: r\npair: free", "free", "a.trace", "b.trace", "", "", ""},
		{"pair: payd", "", "", "", "", "", "did you mean paid?"},
		{"pair: x", "", "", "", "", "", "use one of free, paid"},
	} {
		s, problems := Default().WithYAML([]byte(file+c.more), "folder")
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		got, err := s.Selected()
		if (err == nil) != (c.wrong == "") || err != nil && !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%q: error %v, want %q", c.more, err, c.wrong)
		}
		if err == nil && (got.Pair != c.pair || got.Subject.Path != in(c.subject) || got.Reference.Path != in(c.reference) || got.Subject.Mapping != in(c.mapping) || got.Reference.Flows != in(c.flows) || got.Unit == nil) {
			t.Errorf("%q: %+v", c.more, got)
		}
	}
	if _, err := Default().Selected(); err != nil {
		t.Errorf("without pairs: %v", err)
	}
	for text, want := range map[string]string{
		"pairs: [a]":                    "use names",
		"pairs:\n  a: b":                "use keys and values",
		"pairs:\n  a: {subject: b}":     "needs a subject and a reference",
		"pairs:\n  a: {subjet: b}":      "did you mean subject?",
		"pairs:\n  '': {subject: b}":    "needs a name",
		"pairs:\n  a: {subject: [b]}":   "use a text",
		"pairs:\n  a: {}\n  a: {}\n":    "given twice",
		"pairs:\n  a:\n    x: {y: [z]}": "unknown key of pairs.a",
	} {
		s, problems := Default().WithYAML([]byte(text), "")
		found := false
		for _, p := range problems {
			found = found || strings.Contains(p.Message, want) && p.Line > 0
		}
		if !found || len(s.Pairs) > 0 {
			t.Errorf("%q: %v, want %q; %v", text, problems, want, s.Pairs)
		}
	}
}

// TestProcesses checks that a process is a name or a number and never a path: for both sides, for
// one side, and in a pair.
func TestProcesses(t *testing.T) {
	const file = `
process: com.mine
processReference: 1234
pairs:
  free: {subject: a, reference: b, processSubject: com.free, processReference: 0}
`
	s, problems := Default().WithYAML([]byte(file), "folder")
	if len(problems) > 0 || s.Ingest.Process != "com.mine" || s.Subject.Process != "" || s.Reference.Process != "1234" {
		t.Errorf("%q, %q, %q; %v", s.Ingest.Process, s.Subject.Process, s.Reference.Process, problems)
	}
	if p := s.Pairs[0]; p.Subject.Process != "com.free" || p.Reference.Process != "0" {
		t.Errorf("pair: %+v", p)
	}
	if s, err := Default().WithFlag("process", "77"); err != nil || s.Ingest.Process != "77" {
		t.Errorf("--process 77: %q, %v", s.Ingest.Process, err)
	}
	if _, problems := Default().WithYAML([]byte("process: [com.mine]"), ""); len(problems) != 1 || problems[0].Message != "process: use a name or a number" {
		t.Errorf("a list: %v", problems)
	}
}
