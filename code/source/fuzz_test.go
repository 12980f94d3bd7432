package source_test

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/diffprof/diffprof/code/source"
	"github.com/diffprof/diffprof/name"
)

// checkSource indexes a text and checks the laws of locations for every result: locations are in
// the file, names are on one line, and lines and columns agree with offsets.
func checkSource(t *testing.T, file string, text []byte) {
	x := source.New(source.Options{})
	ctx := context.Background()
	path := "/app/" + file
	if err := x.Update(ctx, path, text, 1); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	defer func() {
		if err := x.Close(ctx, path); err != nil {
			t.Error(err)
		}
	}()
	check := func(r source.Range) {
		if r.Start.Offset > r.End.Offset || int(r.End.Offset) > len(text) {
			t.Fatalf("%q: range %v", text, r)
		}
		if !utf8.Valid(text) {
			return
		}
		for _, p := range []source.Position{r.Start, r.End} {
			if got := offsetOf(string(text), p); got != int(p.Offset) {
				t.Fatalf("%q: %v is at %d", text, p, got)
			}
		}
	}
	for _, c := range x.Classes() {
		for _, q := range []name.Method{
			name.OfClass(c.Name, "", ""), name.OfClass(c.Name, "<init>", ""), name.OfClass(c.Name, "<clinit>", "").At("", 2),
			name.OfClass(c.Name, "run", "(I)V"), name.OfClass(c.Name, "lambda$run$0", "").At("", 3),
			name.OfClass(c.Name+"$run$1", "invoke", ""), name.OfClass(c.Name+"$1", "run", "").At("", 1),
		} {
			locations, _ := x.Find(q, time.Time{})
			for _, l := range locations {
				check(l.Range)
				check(l.Body)
				if bytes.ContainsAny(text[l.Range.Start.Offset:l.Range.End.Offset], "\n") {
					t.Fatalf("%q: name over several lines: %v", text, l.Range)
				}
			}
			for _, callee := range []string{"java.lang.X.go()V", "java.lang.Thread.<init>()V", "a.B.getText()I"} {
				for _, l := range x.Calls(q, name.Parse(callee, name.JVM), time.Time{}) {
					check(l.Range)
				}
			}
		}
	}
}

// FuzzJava checks the laws of locations for any Java text.
func FuzzJava(f *testing.F) {
	for name, text := range samples(f) {
		if strings.HasSuffix(name, ".java") {
			f.Add(text)
		}
	}
	f.Add([]byte("class A { void run() { a.b(() -> { new X() { {;} }; }"))
	f.Fuzz(func(t *testing.T, text []byte) { checkSource(t, "A.java", text) })
}

// FuzzKotlin checks the laws of locations for any Kotlin text.
func FuzzKotlin(f *testing.F) {
	for name, text := range samples(f) {
		if strings.HasSuffix(name, ".kt") {
			f.Add(text)
		}
	}
	f.Add([]byte("class A : B by c {\nfun run() { \"${\"${ x }\"}\"\n}"))
	f.Fuzz(func(t *testing.T, text []byte) { checkSource(t, "A.kt", text) })
}

// FuzzFind queries arbitrary methods. No query may crash, and equal queries must have equal
// results.
func FuzzFind(f *testing.F) {
	all := samples(f)
	x := source.New(source.Options{})
	for i, name := range sampleNames(all) {
		if err := x.Update(context.Background(), "/app/"+name, all[name], int32(i+1)); err != nil {
			f.Fatal(err)
		}
	}
	for _, q := range questions {
		m := name.Parse(q, name.JVM)
		f.Add(m.Class(), m.Name, m.Signature, "Main.kt", 5)
	}
	f.Add("com.example.Main$$", "$", "([[[Lx;", "", -1)
	f.Add("com.example.-$$Lambda$Main$", "access$", "(V)", "x", 1<<40)
	f.Fuzz(func(t *testing.T, class, method, descriptor, file string, line int) {
		m := name.OfClass(class, method, descriptor).At(file, line)
		locations, reason := x.Find(m, time.Time{})
		if len(locations) == 0 && reason != source.NoMethod && reason != source.NoClass {
			t.Errorf("%v: %v, but no place", m, reason)
		}
		for _, l := range locations {
			if l.Reason != reason {
				t.Errorf("%v: %v and %v", m, reason, l.Reason)
			}
		}
		first := x.Calls(m, m, time.Time{})
		second := x.Calls(m, m, time.Time{})
		if len(first) != len(second) {
			t.Errorf("%v: %d calls, then %d", m, len(first), len(second))
		}
		for i := range first {
			if first[i] != second[i] {
				t.Errorf("%v: %v, then %v", m, first[i], second[i])
			}
		}
	})
}

// TestHostileSources checks that time and memory are bounded for malicious texts.
func TestHostileSources(t *testing.T) {
	size := 1 << 17
	if testing.Short() {
		size = 1 << 13
	}
	repeat := func(s string) string { return strings.Repeat(s, size/len(s)) }
	for what, text := range map[string]string{
		"open parentheses": "class A { void f() { " + repeat("("),
		"open braces":      "class A { void f() { " + repeat("{"),
		"open classes":     repeat("class A {"),
		"lambdas":          "class A { Object f = " + repeat("() -> "),
		"calls":            "class A { void f() { a" + repeat(".b()"),
		"nested calls":     "class A { void f() { " + repeat("a("),
		"sums":             "class A { Object f() { return 1" + repeat(" + \"a\"") + "; } }",
		"variables":        "class A { void f() { " + repeat("int a = b; ") + "} }",
		"interfaces":       "class A implements " + repeat("B, ") + "C { class D extends A { } }",
		"line ends":        "class A" + repeat("\n"),
		"quotes":           "class A { String s = " + repeat("\""),
		"templates":        "class A { val s = " + repeat("\"${"),
		"comments":         "class A { " + repeat("/*"),
		"one long line":    "class A { void f() { " + repeat("é.ä(); "),
		"generics":         "class A" + repeat("<T extends "),
		"zeros":            repeat("\x00"),
		"words":            repeat("fun class by in object "),
		"annotations":      repeat("@"),
		"long names":       repeat("class " + strings.Repeat("LongName", 200) + " {\n"),
		"fields":           "class A { Object f() { return a" + repeat(".b") + "; } }",
		"quotes in code":   repeat("\"${ ) \" x \" "),
		"anonymous":        "class A { Object f() { " + repeat("new A() { Object f() { return "),
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			for _, file := range []string{"A.java", "A.kt"} {
				x := source.New(source.Options{})
				begin := time.Now()
				err := x.Update(context.Background(), "/app/"+file, []byte(text), 1)
				if took := time.Since(begin); took > 60*time.Second {
					t.Errorf("%s takes %v (%v)", file, took, err)
				} else if testing.Verbose() {
					t.Logf("%s takes %v (%v)", file, took, err)
				}
				begin = time.Now()
				for _, q := range []name.Method{name.OfClass("A", "f", ""), name.OfClass("A", "<init>", ""), name.OfClass("A$1$1", "f", "").At("", 1), name.OfClass("AKt", "f", "")} {
					x.Find(q, time.Time{})
					x.Calls(q, name.OfClass("java.lang.X", "b", ""), time.Time{})
				}
				x.Classes()
				if took := time.Since(begin); took > 60*time.Second {
					t.Errorf("%s is asked for %v", file, took)
				} else if testing.Verbose() {
					t.Logf("%s is asked for %v", file, took)
				}
				if err := x.Close(context.Background(), "/app/"+file); err != nil {
					t.Error(err)
				}
			}
		})
	}
}
