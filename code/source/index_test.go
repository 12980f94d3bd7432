package source

import (
	"context"
	"testing"
)

// updated returns an index with one file.
func updated(t *testing.T, path, text string) *Index {
	t.Helper()
	x := New(Options{})
	if err := x.Update(context.Background(), path, []byte(text), 1); err != nil {
		t.Fatal(err)
	}
	return x
}

// TestRemovedFile removes the only file of an index. No declaration of it may remain.
func TestRemovedFile(t *testing.T) {
	const path = "/app/A.kt"
	x := updated(t, path, "package a\ntypealias B = A\nclass A\ninline fun each(f: () -> Unit) = f()\ninline fun A.each(f: () -> Unit) = f()\n")
	if len(x.inline) != 1 || len(x.aliases) != 1 || len(x.types) != 2 {
		t.Fatalf("the index has %v, %v and %v", x.inline, x.aliases, x.types)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.remove(path)
	if len(x.files)+len(x.packages)+len(x.inline)+len(x.aliases)+len(x.types) != 0 {
		t.Errorf("the index has %v, %v, %v, %v and %v", x.files, x.packages, x.inline, x.aliases, x.types)
	}
}

// TestOnlyUnknownPackage resolves a class that is not declared. If the file imports exactly one
// package without known classes as a whole, the class must be in that package.
func TestOnlyUnknownPackage(t *testing.T) {
	for imports, want := range map[string]string{
		"import lib.*;": "lib.Widget",
		"import lib.*; import java.util.*; import android.view.*; import here.*;": "lib.Widget",
		"import lib.*; import static other.Names.*; import other.Thing;":          "lib.Widget",
		"import lib.*; import other.*;":                                           "",
		"import java.util.*;":                                                     "",
		"import static lib.Names.*;":                                              "",
		"import lib.Other;":                                                       "",
	} {
		const path = "/app/A.java"
		x := updated(t, path, "package here; "+imports+" class A { Widget w; }")
		e := x.entryOf(path)
		if got := x.resolver(x.table()).resolve(e, 0, "Widget"); got != want {
			t.Errorf("%s: Widget is %q, want %q", imports, got, want)
		}
	}
}
