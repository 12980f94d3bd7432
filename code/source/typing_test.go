package source_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/diffprof/diffprof/code/source"
	"github.com/diffprof/diffprof/name"
)

// isBeingTyped has beginnings of typical lines of code, by file extension.
var isBeingTyped = map[string][]string{
	".java": {"if (x) {", "\"abc", "/**", "/*", "run(() -> {", "try {", "\"\"\"", "class Foo {", "switch (x) {", "foo(", "x = ", "'", "@Over", "for (int i", "new Thread(new Runnable() {"},
	".kt":   {"if (x) {", "list.forEach {", "when (x) {", "fun foo() {", "class Foo {", "\"${x", "\"abc", "/**", "\"\"\"", "foo(", "val x = ", "object : Runnable {", "try {", "\"$"},
}

const typedJava = `package com.app;

import java.util.List;

/** A class. */
public class Main {
    /** First. */
    void first(List<String> all) {
        resolver.query(uri);
        run(() -> { other.query(uri); });
    }

    /** Second. */
    void second() {
        resolver.query("x");
        new Thread(new Runnable() {
            public void run() { resolver.query(uri); }
        }).start();
    }

    static class Inner {
        void third() { resolver.query(uri); /* a comment */ }
    }
}
`

const typedKotlin = `package com.app

/** A class. */
class Main(val all: List<String>) {
    /** First. */
    fun first() {
        resolver.query(uri)
        all.map { other.query(it) }.forEach { resolver.query("$it and ${it.length}") }
    }

    /** Second. */
    fun second() {
        resolver.query("""raw""")
        run(object : Runnable { override fun run() { resolver.query(uri) } })
    }

    class Inner {
        fun third() = resolver.query(uri) // a comment
    }
}
`

// asked are methods in the two texts, and methods that they call.
var asked = []string{
	"com.app.Main.first()V", "com.app.Main.second()V", "com.app.Main$Inner.third()V", "com.app.Main$1.run()V", "com.app.Main.lambda$first$0()V",
	"com.app.Main$second$1.run()V", "com.app.Main$first$1.invoke()V", "com.app.Main", "com.app.Main$Inner",
}

// places returns the line of each location of the methods, with the text at the location.
func places(x *source.Index, text []byte) []string {
	lines := bytes.Split(text, []byte("\n"))
	var out []string
	for _, label := range asked {
		m := name.Parse(label, name.JVM)
		if !strings.HasSuffix(label, ")V") {
			m = name.OfClass(label, "", "")
		}
		locations, _ := x.Find(m, time.Time{})
		calls := x.Calls(m, name.Parse("android.content.ContentResolver.query(Landroid/net/Uri;)V", name.JVM), time.Time{})
		for _, l := range slices.Concat(locations, calls) {
			at := l.Range.Start
			out = append(out, fmt.Sprintf("%s %v: %s", label, l.Reason, lines[at.Line][at.Column:l.Range.End.Column]))
		}
	}
	return out
}

// lineOf returns the line of each location of a method.
func lineOf(x *source.Index, label string) []uint32 {
	var out []uint32
	m := name.Parse(label, name.JVM)
	found, _ := x.Find(m, time.Time{})
	for _, l := range slices.Concat(found, x.Calls(m, name.Parse("android.content.ContentResolver.query(Landroid/net/Uri;)V", name.JVM), time.Time{})) {
		out = append(out, l.Range.Start.Line)
	}
	return out
}

// TestHalfTyped types beginnings of code on each line, character by character, and removes them
// again. No location may disappear, and each must stay at its text.
func TestHalfTyped(t *testing.T) {
	for ending, text := range map[string]string{".java": typedJava, ".kt": typedKotlin} {
		t.Run(ending, func(t *testing.T) {
			root := t.TempDir()
			path := filepath.Join(root, "Main"+ending)
			if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
			x := source.New(source.Options{Roots: []string{root}})
			ctx := context.Background()
			if _, err := x.Load(ctx, nil); err != nil {
				t.Fatal(err)
			}
			version := int32(0)
			update := func(now string) {
				version++
				if err := x.Update(ctx, path, []byte(now), version); err != nil {
					t.Fatal(err)
				}
			}
			update(text)
			want := places(x, []byte(text))
			if len(want) < 12 {
				t.Fatalf("only %d places: %q", len(want), want)
			}
			lines := strings.SplitAfter(text, "\n")
			random := rand.New(rand.NewPCG(1, 1))
			for _, typed := range isBeingTyped[ending] {
				// Some of these lines are within methods, and others between methods.
				for at := 5; at < len(lines)-1; at++ {
					if testing.Short() && random.IntN(4) > 0 {
						continue
					}
					head, tail := strings.Join(lines[:at], ""), strings.Join(lines[at:], "")
					for n := 1; n <= len(typed); n++ {
						now := head + "        " + typed[:n] + "\n" + tail
						update(now)
						if got := places(x, []byte(now)); !slices.Equal(got, want) {
							t.Fatalf("after %q before line %d:\n%s\nwant:\n%s", typed[:n], at+1, strings.Join(got, "\n"), strings.Join(want, "\n"))
						}
					}
					update(text)
					if x.Behind(path) {
						t.Fatalf("behind after %q was taken back", typed)
					}
				}
			}
			if got := places(x, []byte(text)); !slices.Equal(got, want) {
				t.Errorf("in the end:\n%s", strings.Join(got, "\n"))
			}
		})
	}
}

// TestDeletedWhileHalfTyped deletes code while the text does not parse. The code must then have no
// location, but must not be reported as missing in its class.
func TestDeletedWhileHalfTyped(t *testing.T) {
	x := source.New(source.Options{})
	ctx := context.Background()
	whole := strings.Replace(typedJava, "package com.app;", "package com.app;\n", 1)
	broken := strings.Replace(whole, "resolver.query(\"x\");", "if (x) {", 1)
	i, j := strings.Index(broken, "    /** Second."), strings.Index(broken, "    static class")
	for version, text := range []string{whole, broken, broken[:i] + broken[j:] + "{{"} {
		if err := x.Update(ctx, "Main.java", []byte(text), int32(version)); err != nil {
			t.Fatal(err)
		}
	}
	if got, reason := x.Find(name.Parse("com.app.Main.second()V", name.JVM), time.Time{}); len(got) != 0 || reason != source.NoClass {
		t.Errorf("the method is %v, %v", got, reason)
	}
	if got := lineOf(x, "com.app.Main.first()V"); !slices.Equal(got, []uint32{8, 9}) {
		t.Errorf("the method before is in the lines %v", got)
	}
}
