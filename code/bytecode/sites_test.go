package bytecode_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/diffprof/diffprof/code/bytecode"
	"github.com/diffprof/diffprof/name"
)

// TestSitesOfAClass asks for the calls of a class that a real compiler wrote: testdata/Feed.java.
func TestSitesOfAClass(t *testing.T) {
	data, err := os.ReadFile("testdata/Feed.class")
	if err != nil {
		t.Fatal(err)
	}
	class, err := bytecode.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
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
	// R8 renumbers lines, and marks that in the name of the file.
	class.File = "r8-map-id-0123"
	var shrunk bytecode.Sites
	shrunk.Add(class)
	if _, lines := shrunk.Lines(feed("refresh", "()V"), feed("refresh", "(Ljava/util/List;)V"), related); lines != nil {
		t.Errorf("a class without a source file has the lines %v", lines)
	}
}

// FuzzParse holds any data to an error or to lines that are not negative.
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
