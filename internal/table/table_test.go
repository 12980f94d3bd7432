package table_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/internal/table"
)

// render reads a file of fruits, each with a color and a list of seasons, and formats the values
// and the problems.
func render(text string) string {
	var out strings.Builder
	root, err := table.Read([]byte(text), "fruits")
	if err == nil {
		root.Object(map[string]func(table.Value){
			"fruits": func(v table.Value) {
				for name, fruit := range v.Entries() {
					fmt.Fprintf(&out, "%d %s\n", fruit.Line(), name)
					fruit.Object(map[string]func(table.Value){
						"colour": func(v table.Value) {
							if text, ok := v.Text(); ok {
								fmt.Fprintf(&out, "  %d colour %s\n", v.Line(), text)
							}
						},
						"seasons": func(v table.Value) {
							for _, season := range v.List() {
								if text, ok := season.Text(); ok && text == "monsoon" {
									season.Fail("%s is no season here", text)
								}
							}
						},
					})
				}
			},
		})
		err = root.Err()
	}
	var problems table.Problems
	if errors.As(err, &problems) {
		for _, p := range problems {
			fmt.Fprintln(&out, p)
		}
	}
	return out.String()
}

func TestRead(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"sound", "fruits:\n  apple:\n    colour: green\n    seasons: [autumn]\n  plum: {colour: 7, seasons: summer}\n",
			"3 apple\n  3 colour green\n5 plum\n  5 colour 7\n"},
		{"alias of a text", "fruits:\n  apple: {colour: &c green}\n  pear: {colour: *c}\n",
			"2 apple\n  2 colour green\n3 pear\n  3 colour green\n"},
		{"all problems", "fruits:\n  apple:\n    color: green\n    seasons:\n    - autumn\n    - monsoon\n  apple: {}\n  plum: 3\nherbs: {}\n",
			"3 apple\n8 plum\n" +
				"line 3: fruits: fruits.apple: unknown key \"color\"; did you mean colour?\n" +
				"line 6: fruits: fruits.apple.seasons: monsoon is no season here\n" +
				"line 7: fruits: fruits: apple is given twice\n" +
				"line 8: fruits: fruits.plum: use keys and values here, KEY: VALUE\n" +
				"line 9: fruits: unknown key \"herbs\"; the keys are fruits\n"},
		{"no YAML", "fruits:\n  apple: [\n", "line 2: fruits: this is not YAML: did not find expected node content\n"},
		{"empty", "# nothing\n", "line 1: fruits: the file is empty\n"},
		{"two documents", "fruits: {}\n---\nfruits: {}\n", "line 2: fruits: the file has two documents; remove the line ---\n"},
		{"a list", "- fruits\n", "line 1: fruits: use keys and values here, KEY: VALUE\n"},
		{"null", "fruits:\n  apple: {colour: , seasons: }\n",
			"2 apple\nline 2: fruits: fruits.apple.colour: use a text here\nline 2: fruits: fruits.apple.seasons: use a text here\n"},
		{"merge", "fruits:\n  apple: &a {colour: red}\n  pear:\n    <<: *a\n",
			"2 apple\n  2 colour red\n4 pear\nline 4: fruits: fruits.pear: a key is not a text\n"},
		{"alias of an object", "fruits:\n  apple: &a {colour: red}\n  pear: *a\n",
			"2 apple\n  2 colour red\n3 pear\nline 3: fruits: fruits.pear: use keys and values here, KEY: VALUE\n"},
		{"circle", "fruits: &a\n  apple: *a\n", "2 apple\nline 2: fruits: fruits.apple: use keys and values here, KEY: VALUE\n"},
	} {
		if got := render(c.in); got != c.want {
			t.Errorf("%s:\n%s\nwant:\n%s", c.name, got, c.want)
		}
	}
}

// TestBounds reads files that would become large or endless if aliases were expanded.
func TestBounds(t *testing.T) {
	bomb := "a: &a [x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c < 'z'; c++ {
		bomb += fmt.Sprintf("%c: &%c [*%c,*%c,*%c,*%c,*%c,*%c,*%c]\n", c, c, c-1, c-1, c-1, c-1, c-1, c-1, c-1)
	}
	for name, text := range map[string]string{
		"bomb":  bomb,
		"large": "fruits: {" + strings.Repeat(" ", table.MaxFile) + "}",
		"deep":  strings.Repeat("[", 100_000),
		"many":  strings.Repeat("x: y\n", 100_000),
	} {
		out := render(text)
		if out == "" || strings.Count(out, "\n") > 200 {
			t.Errorf("%s: %.200q", name, out)
		}
	}
}

func TestProblems(t *testing.T) {
	_, err := table.Read([]byte("a: ["), "fruits")
	if want := "line 1: fruits: this is not YAML: did not find expected node content"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	root, _ := table.Read([]byte("a: 1\nb: 2\n"), "fruits")
	root.Object(map[string]func(table.Value){"zebra": nil})
	if want := "line 1: fruits: unknown key \"a\"; the keys are zebra (and 1 more)"; root.Err() == nil || root.Err().Error() != want {
		t.Errorf("error %v, want %s", root.Err(), want)
	}
}
