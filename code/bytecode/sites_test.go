package bytecode_test

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/code/bytecode"
	"github.com/diffprof/diffprof/name"
)

// classOf reads the class in a file that a real compiler wrote. javac compiled testdata/Feed.java
// to Feed.class. D8 9.5.28 converted that to Feed.dex with --min-api 21.
func classOf(t *testing.T, file string) *bytecode.Class {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytecode.IsDex(data) {
		class, err := bytecode.Parse(data)
		if err != nil {
			t.Fatal(err)
		}
		return class
	}
	classes, err := bytecode.ParseDex(data, func(class string) bool { return class == "com.mine.Feed" })
	if err != nil || len(classes) != 1 {
		t.Fatalf("%d classes, %v", len(classes), err)
	}
	return classes[0]
}

// TestDexHasTheClass compares the class that javac wrote with its conversion by D8.
func TestDexHasTheClass(t *testing.T) {
	class, dex := classOf(t, "testdata/Feed.class"), classOf(t, "testdata/Feed.dex")
	order := func(a, b bytecode.Method) int { return strings.Compare(a.Label(), b.Label()) }
	slices.SortFunc(class.Methods, order)
	slices.SortFunc(dex.Methods, order)
	for i := range class.Methods { // D8 replaces List.of by a field, because old devices lack it.
		m := &class.Methods[i]
		m.Calls = slices.DeleteFunc(m.Calls, func(c bytecode.Call) bool { return c.Callee.Name == "of" })
	}
	if got, want := fmt.Sprintf("%+v", dex), fmt.Sprintf("%+v", class); got != want {
		t.Errorf("the class of the dex file is\n%s\nwant\n%s", got, want)
	}
}

// TestShrunkDex reads a file that R8 wrote. R8 changes lines, so they are not source lines.
func TestShrunkDex(t *testing.T) {
	data, err := os.ReadFile("testdata/Feed.dex")
	if err != nil {
		t.Fatal(err)
	}
	data = bytes.Replace(data, []byte("~~D8{"), []byte("~~R8{"), 1)
	if classes, err := bytecode.ParseDex(data, func(string) bool { return true }); err != nil || len(classes) != 0 {
		t.Errorf("%d classes, %v", len(classes), err)
	}
}

// TestSitesOfAClass queries the calls of a class file, and of the dex file that was made from it.
func TestSitesOfAClass(t *testing.T) {
	for _, file := range []string{"testdata/Feed.class", "testdata/Feed.dex"} {
		t.Run(file, func(t *testing.T) { sitesOf(t, classOf(t, file)) })
	}
}

func sitesOf(t *testing.T, class *bytecode.Class) {
	var sites bytecode.Sites
	sites.Add(class)
	related := func(a, b string) bool { return a == "java.util.List" && b == "java.util.Collection" }
	feed := func(method, signature string) name.Method { return name.OfClass("com.mine.Feed", method, signature) }
	for _, c := range []struct {
		caller, callee name.Method
		want           string
	}{
		{feed("refresh", "(Ljava/util/List;)V"), name.OfClass("java.util.List", "add", "(Ljava/lang/Object;)Z"), "[7 9]"},
		{feed("refresh", "(Ljava/util/List;)V"), name.OfClass("java.util.Collection", "add", "(Ljava/lang/Object;)Z"), "[7 9]"},
		{feed("refresh", "(Ljava/util/List;)V"), name.OfClass("java.util.List", "add", ""), "[7 8 9]"},
		{feed("refresh", "(Ljava/util/List;)V"), name.OfClass("java.util.Map", "add", "(Ljava/lang/Object;)Z"), "[]"},
		{feed("refresh", ""), name.OfClass("java.util.List", "add", "(Ljava/lang/Object;)Z"), "[]"}, // two methods
		{feed("refresh", "()V"), feed("refresh", "(Ljava/util/List;)V"), "[14]"},
		{feed("none", "()V"), feed("refresh", "()V"), "[]"},
	} {
		file, lines := sites.Lines(c.caller, c.callee, related)
		if fmt.Sprint(lines) != c.want || len(lines) > 0 && file != "Feed.java" {
			t.Errorf("%s calls %s in %s on %v, want %s", c.caller.Label(), c.callee.Label(), file, lines, c.want)
		}
	}
	// R8 changes lines, and marks this in the file name of the class.
	class.File = "r8-map-id-0123"
	var shrunk bytecode.Sites
	shrunk.Add(class)
	if _, lines := shrunk.Lines(feed("refresh", "()V"), feed("refresh", "(Ljava/util/List;)V"), related); lines != nil {
		t.Errorf("a class without a source file has the lines %v", lines)
	}
}

// FuzzParse checks that any data gives an error, or lines that are not negative.
func FuzzParse(f *testing.F) {
	data, err := os.ReadFile("testdata/Feed.class")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		class, err := bytecode.Parse(data)
		if err != nil {
			return
		}
		for _, m := range class.Methods {
			for _, c := range m.Calls {
				if c.Line < 0 {
					t.Errorf("%s calls on line %d", m.Label(), c.Line)
				}
			}
		}
	})
}

// FuzzParseDex checks that any data gives an error, or lines that are not negative.
func FuzzParseDex(f *testing.F) {
	data, err := os.ReadFile("testdata/Feed.dex")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		classes, _ := bytecode.ParseDex(data, func(string) bool { return true })
		for _, class := range classes {
			for _, m := range class.Methods {
				for _, c := range m.Calls {
					if c.Line < 0 {
						t.Errorf("%s calls on line %d", m.Label(), c.Line)
					}
				}
			}
		}
	})
}
