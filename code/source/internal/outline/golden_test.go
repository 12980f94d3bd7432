package outline

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/diffprof/diffprof/code/source/internal/syntaxtree"
	"github.com/diffprof/diffprof/internal/shorten"
)

var update = flag.Bool("update", false, "write testdata/*.golden; read the diff")

// A source is a source file used by the tests. They use all test sources of code/source.
type source struct {
	archive, name string
	lang          syntaxtree.Language
	text          []byte
}

func sources(t *testing.T) (all []source) {
	t.Helper()
	archives, err := filepath.Glob("../../testdata/find/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatal("no sources", err)
	}
	for _, archive := range append(archives, "testdata/arguments.txtar") {
		a, err := txtar.ParseFile(archive)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range a.Files {
			if lang, ok := map[string]syntaxtree.Language{".java": syntaxtree.Java, ".kt": syntaxtree.Kotlin}[path.Ext(f.Name)]; ok {
				all = append(all, source{strings.TrimSuffix(filepath.Base(archive), ".txtar"), f.Name, lang, f.Data})
			}
		}
	}
	return all
}

// TestOutlines compares complete outlines with a golden file. The tests of code/source check that
// outlines are right. This test shows which part of an outline has changed.
func TestOutlines(t *testing.T) {
	p := syntaxtree.NewParser()
	defer p.Close()
	got := map[syntaxtree.Language]*strings.Builder{syntaxtree.Java: {}, syntaxtree.Kotlin: {}}
	for _, s := range sources(t) {
		f, err := Parse(context.Background(), p, s.lang, path.Base(s.name), s.text)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(got[s.lang], "%s %s\n", s.archive, s.name)
		describe(got[s.lang], f)
	}
	for lang, name := range map[syntaxtree.Language]string{syntaxtree.Java: "testdata/java.golden", syntaxtree.Kotlin: "testdata/kotlin.golden"} {
		if *update {
			if err := os.WriteFile(name, []byte(got[lang].String()), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		lines, wanted := strings.Split(got[lang].String(), "\n"), strings.Split(string(want), "\n")
		for i := range max(len(lines), len(wanted)) {
			if i >= len(lines) || i >= len(wanted) || lines[i] != wanted[i] {
				t.Errorf("%s:%d has\n%s\ngot\n%s", name, i+1, strings.Join(wanted[min(i, len(wanted)):min(i+3, len(wanted))], "\n"), strings.Join(lines[min(i, len(lines)):min(i+3, len(lines))], "\n"))
				break
			}
		}
	}
}

// TestMovedEqualsParsed adds a comment or indentation to sources. The moved outline must have the
// same positions as the outline of the new text, and must lack nothing. If a declaration is added,
// the moved outline must lack it.
func TestMovedEqualsParsed(t *testing.T) {
	p := syntaxtree.NewParser()
	defer p.Close()
	random := rand.New(rand.NewPCG(5, 8))
	parse := func(s source, text []byte) (*File, string) {
		f, err := Parse(context.Background(), p, s.lang, path.Base(s.name), text)
		if err != nil {
			t.Fatal(err)
		}
		var w strings.Builder
		describe(&w, f)
		return f, w.String()
	}
	for _, s := range sources(t) {
		if bytes.Contains(s.text, []byte("diffprof:ignore")) || bytes.Contains(s.text, []byte(`"""`)) { // These parts of the text are more than their code.
			continue
		}
		f, _ := parse(s, s.text)
		lines := bytes.SplitAfter(s.text, []byte{'\n'})
		var begins []int // The lines that begin with code, except for the first, where the file's own class begins.
		for i, line := range lines {
			if word := bytes.TrimLeft(line, " "); i > 0 && len(word) > 1 && (word[0] == '}' || word[0] >= 'a' && word[0] <= 'z') {
				begins = append(begins, i)
			}
		}
		if len(begins) == 0 {
			continue
		}
		for range max(1, shorten.Count(40)/10) {
			at := begins[random.IntN(len(begins))]
			piece := []string{"// é\n", "  ", "/* 漢 */\n\n"}[random.IntN(3)]
			text := slices.Concat(bytes.Join(lines[:at], nil), []byte(piece), bytes.Join(lines[at:], nil))
			want, parsed := parse(s, text)
			e := NewEdit(s.text, text)
			moved := f.Moved(e)
			var w strings.Builder
			describe(&w, moved)
			if w.String() != parsed {
				t.Fatalf("%s %s:\n%s\nmoved\n%s\nparsed\n%s", s.archive, s.name, text, w.String(), parsed)
			}
			if at, ok := moved.Missing(want, e, 0); ok {
				t.Fatalf("%s %s lacks what is at %d of\n%s", s.archive, s.name, at, text)
			}
		}
		added := map[syntaxtree.Language]string{syntaxtree.Java: "\nclass Added { void added() { adds(); } }\n", syntaxtree.Kotlin: "\nfun added() { adds() }\n"}[s.lang]
		kept := bytes.TrimRight(s.text, "\n")
		text := append(slices.Clone(kept), added...)
		whole, _ := parse(s, text)
		if at, ok := f.Missing(whole, &Edit{after: text}, uint32(len(kept))); !whole.Broken && (!ok || int(at) < len(kept)) {
			t.Errorf("%s %s lacks %d %v, want what was added behind %d", s.archive, s.name, at, ok, len(kept))
		}
		if end := NewEdit(s.text, text).End(); int(end) <= len(kept) || int(end) > len(text) {
			t.Errorf("%s %s: the edit ends at %d of %d", s.archive, s.name, end, len(text))
		}
	}
}

// describe writes an outline, with a line for each type, member and site. It omits fields that are
// zero.
func describe(w *strings.Builder, f *File) {
	fmt.Fprintf(w, " file package=%s lines=%d%s", f.Package, f.Lines, words("broken", f.Broken))
	if f.Facade != "" {
		fmt.Fprintf(w, " facade=%s", f.Facade)
	}
	w.WriteByte('\n')
	for _, i := range f.Imports {
		fmt.Fprintf(w, " import %s as %q%s\n", i.Name, i.Alias, words("*", i.Wildcard, "static", i.Static))
	}
	for _, a := range f.Aliases {
		fmt.Fprintf(w, " alias %s = %s\n", a.Name, a.Type)
	}
	for _, e := range f.Suppressed {
		fmt.Fprintf(w, " suppressed %s\n", extent(e))
	}
	for i, t := range f.Types {
		fmt.Fprintf(w, " type %d %q kind=%d outer=%d owner=%d super=%q %q at %s %s head %d%s\n", i, t.Name, t.Kind, t.Outer, t.Owner, t.Super, t.Interfaces, place(t.At), extent(t.Extent), t.HeaderEndLine,
			words("inner", t.Inner, "local", t.Local, "data", t.Data, "value", t.Value))
	}
	numbers := f.Numbers(nil)
	for i, m := range f.Members {
		fmt.Fprintf(w, " member %d %q kind=%d type=%d parent=%d %q defaults=%d result=%q at %s %s first %d%s", i, m.Name, m.Kind, m.Type, m.Parent, m.Params, m.Defaults, m.Result, place(m.At), extent(m.Extent), m.First,
			words("static", m.Static, "suspend", m.Suspend, "inline", m.Inline, "abstract", m.Abstract, "varargs", m.Varargs, "overloads", m.Overloads,
				"delegated", m.Delegated, "primary", m.Primary, "field", m.Field, "local", m.Local, "extension", m.Extension, "counted", m.Counted, "crossinline", m.Crossinline))
		for _, text := range [][2]string{{"passed", m.PassedTo}, {"jvm", m.JVM}, {"setter", m.JVMSetter}, {"path", m.Path}, {"inferred", m.Inferred}} {
			if text[1] != "" {
				fmt.Fprintf(w, " %s=%s", text[0], text[1])
			}
		}
		if n := numbers.Number(int32(i)); n >= 0 {
			fmt.Fprintf(w, " number %d of %d %d", n, numbers.Home(int32(i)).Type, numbers.Home(int32(i)).Lambda)
		}
		w.WriteByte('\n')
	}
	for _, s := range f.Sites {
		fmt.Fprintf(w, " site %q on %q kind=%d owner=%d at %s tail %d %d (", f.Names[s.Name], f.Names[s.Receiver], s.Kind, s.Owner, place(s.At), s.Tail.Bytes, s.Tail.Width)
		for i := range int(s.Count) {
			fmt.Fprintf(w, " %d%s", s.Arg(i), f.ArgType(&s, i))
		}
		fmt.Fprintf(w, " )%s\n", words("spread", s.Spread(), "static", s.Static(), "default", s.Default()))
	}
	for _, s := range f.Sections {
		fmt.Fprintf(w, " section %q owner=%d at %s tail %d %d\n", s.Text, s.Owner, place(s.At), s.Tail.Bytes, s.Tail.Width)
	}
}

func place(p Place) string {
	return fmt.Sprintf("%d:%d+%d(%d,%d)", p.Line, p.Column, p.Width, p.Offset, p.Bytes)
}

func extent(e Extent) string {
	return fmt.Sprintf("%d:%d-%d:%d(%d-%d)", e.StartLine, e.StartColumn, e.EndLine, e.EndColumn, e.Start, e.End)
}

// words joins words whose condition is true. The arguments are pairs of a word and a condition.
func words(pairs ...any) string {
	text := ""
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1].(bool) {
			text += " " + pairs[i].(string)
		}
	}
	return text
}
