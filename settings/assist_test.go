package settings

import (
	"slices"
	"strings"
	"testing"
)

// TestSuggest queries the position of the bar in each text, for expected and unexpected
// suggestions.
func TestSuggest(t *testing.T) {
	for _, c := range []struct{ text, want, not string }{
		{"|", "subject pairs severity", "true error"},
		{"sub|", "subject", ""},
		{"subject: a\n|\nunit: mJ", "reference", "true"},
		{"unit: |", "auto uAh", "subject"},
		{"unit: u|", "uAh", ""},
		{"partial: |", "true false", "subject"},
		{"alpha: |", "auto paper 3", ""},
		{"severity:\n  |", "error warning", "subject true"},
		{"severity:\n  error: |", "", "subject warning"},
		{"codeLens:\n  class: |", "true false", ""},
		{"ignore:\n  - |", "task path id reason", "subject"},
		{"ignore:\n  - task: a\n    |", "path reason", "subject"},
		{"ignore:\n  - task: a\n\n  # why\n  - |", "path reason", "subject"},
		{"unit: mJ\nignore:\n- task: a\n  |", "path reason", "subject"},
		{"ignore:\n- |", "path reason", "subject"},
		{"pairs:\n  free:\n    |", "subject mappingReference", "unit"},
		{"pairs:\n  free: {subject: a}\n  paid:\n    sub|", "subject flowsSubject", "unit"},
		{"merge:\n  - |", "async app", "subject"},
		{"merge: [|", "async app", "subject"},
		{"nothing: |", "", "subject true"},
		{"nothing:\n  |", "", "subject true"},
		{"match: |\r\n", "lemma likeness", "subject"},
	} {
		before, _, _ := strings.Cut(c.text, "|")
		line, column := strings.Count(before, "\n"), len(before)-strings.LastIndexByte(before, '\n')-1
		var labels []string
		for _, s := range Suggest([]byte(strings.Replace(c.text, "|", "", 1)), line, column) {
			labels = append(labels, s.Label)
			if s.Insert == "" || s.Key && s.Doc == "" {
				t.Errorf("%q: %+v", c.text, s)
			}
		}
		for _, want := range strings.Fields(c.want) {
			if !slices.Contains(labels, want) {
				t.Errorf("%q: %q is not among %q", c.text, want, labels)
			}
		}
		for _, not := range strings.Fields(c.not) {
			if slices.Contains(labels, not) {
				t.Errorf("%q: %q is among %q", c.text, not, labels)
			}
		}
	}
}

// TestSuggestedKeysAreRead checks that the reader accepts each suggested key.
func TestSuggestedKeysAreRead(t *testing.T) {
	for _, around := range []string{"", "severity:\n  ", "codeLens:\n  ", "ignore:\n  - ", "pairs:\n  a:\n    "} {
		line := strings.Count(around, "\n")
		list := Suggest([]byte(around), line, len(around)-strings.LastIndexByte(around, '\n')-1)
		if len(list) < 2 {
			t.Errorf("%q: %d suggestions", around, len(list))
		}
		for _, s := range list {
			_, problems := Default().WithYAML([]byte(around+s.Insert), "")
			for _, p := range problems {
				if strings.Contains(p.Message, "unknown") {
					t.Errorf("%q: %v", around+s.Insert, p)
				}
			}
		}
	}
}

func TestExplain(t *testing.T) {
	const text = "# mine\nunit: mJ\nseverity:\n  error: 5%\nnothing: x\n"
	for _, c := range []struct {
		line, column int
		want         string
	}{{1, 2, "**unit** The unit in which energy is shown"}, {1, 7, ""}, {3, 4, "**error**"}, {4, 1, ""}, {0, 3, ""}, {9, 9, ""}, {2, 0, "**severity**"}} {
		doc, from, to, ok := Explain([]byte(text), c.line, c.column)
		if ok != (c.want != "") || !strings.HasPrefix(doc, c.want) || ok && (from > c.column || to <= c.column) {
			t.Errorf("at %d:%d: %q, %d to %d", c.line, c.column, doc, from, to)
		}
	}
}

func TestFind(t *testing.T) {
	const text = "subject: é a.trace # the new one\npairs:\n  free: {subject: 'b.trace', reference: c}\n"
	for _, c := range []struct {
		keys       string
		line       int
		from, to   int
		isNotThere bool
	}{{"subject", 1, 10, 20, false}, {"pairs free subject", 3, 19, 28, false}, {"pairs free reference", 3, 41, 42, false}, {"reference", 0, 0, 0, true}, {"subject x", 0, 0, 0, true}} {
		at, ok := Find([]byte(text), strings.Fields(c.keys)...)
		if ok == c.isNotThere || at.Line != c.line || at.Column != c.from || at.EndColumn != c.to {
			t.Errorf("%s: %+v, %v", c.keys, at, ok)
		}
	}
	if _, ok := Find([]byte("a: ["), "a"); ok {
		t.Error("a place in what is no YAML")
	}
}

// FuzzSuggest checks that Suggest has a result at every position of any text.
func FuzzSuggest(f *testing.F) {
	f.Add("ignore:\n  - task: a\n    ", 2, 4)
	f.Add("severity: {error: \n", 0, 17)
	f.Add("\xff- - a:\r\n\t- x", 1, 2)
	f.Fuzz(func(t *testing.T, text string, line, column int) {
		Suggest([]byte(text), line, column)
		Explain([]byte(text), line, column)
		Find([]byte(text), "severity", "error")
	})
}

// TestAllKeysAreAssisted checks that every setting, and every key of an object, is suggested and
// explained at its position. So are the values of settings with few values.
func TestAllKeysAreAssisted(t *testing.T) {
	labels := func(text string, line, column int) []string {
		var out []string
		for _, s := range Suggest([]byte(text), line, column) {
			out = append(out, s.Label)
		}
		return out
	}
	check := func(around, name, doc string, schema object) {
		line, column := strings.Count(around, "\n"), len(around)-strings.LastIndexByte(around, '\n')-1
		if !slices.Contains(labels(around, line, column), name) {
			t.Errorf("%q: %s is not suggested", around, name)
		}
		text := around + name + ": "
		explained, from, to, ok := Explain([]byte(text+"x"), line, column)
		if !ok || !strings.Contains(plain.Replace(explained), plain.Replace(doc)) || from != column || to != column+len(name) {
			t.Errorf("%q: %s is explained as %q from %d to %d", around, name, explained, from, to)
		}
		var want []string
		switch values, _ := schema["enum"].([]string); {
		case values != nil:
			want = values
		case schema["type"] == "boolean":
			want = []string{"true", "false"}
		}
		got := labels(text, line, len(text)-strings.LastIndexByte(text, '\n')-1)
		for _, value := range want {
			if !slices.Contains(got, value) {
				t.Errorf("%q: %s is not among %q", text, value, got)
			}
		}
	}
	for _, k := range keys() {
		check("", k.name, k.doc, k.schema)
	}
	for _, k := range pairKeys() {
		check("pairs:\n  free:\n    ", k.name, k.doc, k.schema)
	}
	for _, k := range severityKeys() {
		check("severity:\n  ", k.name, k.doc, k.schema)
	}
	for _, k := range lensKeys() {
		check("codeLens:\n  ", k.name, k.doc, k.schema)
	}
	for _, k := range ignoreKeys() {
		check("ignore:\n  - ", k.name, k.doc, k.schema)
	}
}
