package source

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/diffprof/diffprof/code/source/internal/outline"
	"github.com/diffprof/diffprof/code/source/internal/store"
	"github.com/diffprof/diffprof/name"
)

// TestLoadKept checks that an index with a cache has the same files as one without. It must parse
// only sources that are not in the cache, and then add them to it.
func TestLoadKept(t *testing.T) {
	root, folder := t.TempDir(), t.TempDir()
	tree(t, root, "A.java=class A { void f() { g(); } }", "B.kt=fun b() { g() }")
	load := func() *Index {
		x := New(Options{Roots: []string{root}, Kept: func() string { return folder }})
		if warnings, err := x.Load(t.Context(), nil); err != nil || len(warnings) > 0 {
			t.Fatal(err, warnings)
		}
		return x
	}
	first, second := load(), load()
	if len(first.files) != 2 || len(second.files) != 2 {
		t.Fatalf("%d and %d files", len(first.files), len(second.files))
	}
	for path, e := range first.files {
		if !slices.Equal(e.File.Encoded(), second.files[path].File.Encoded()) {
			t.Errorf("%s: kept as another", path)
		}
	}
	// This outline does not fit its source, so it can only come from the cache.
	other := "class A { void f() { h(); } }"
	kept := store.Open(folder, first.roots)
	if _, err := kept.Outline("A.java", []byte(other), func() (*outline.File, error) { return &outline.File{Package: "kept"}, nil }); err != nil {
		t.Fatal(err)
	}
	if err := kept.Save(); err != nil {
		t.Fatal(err)
	}
	tree(t, root, "A.java="+other)
	third := load()
	if got := third.files[filepath.Join(root, "A.java")].Package; got != "kept" {
		t.Errorf("what is kept was parsed again: %q", got)
	}
	// A file that changed is read again.
	if err := third.Refresh(t.Context(), filepath.Join(root, "B.kt")); err != nil {
		t.Fatal(err)
	}
	if b := filepath.Join(root, "B.kt"); !reflect.DeepEqual(third.Declares(b), first.Declares(b)) {
		t.Errorf("B.kt declares %v", third.Declares(b))
	}
}

// TestLoadKeepsNothing checks that nothing is written if Kept returns no folder, from the start or
// later.
func TestLoadKeepsNothing(t *testing.T) {
	root, folder := t.TempDir(), t.TempDir()
	tree(t, root, "A.java")
	asked := 0
	for name, kept := range map[string]func() string{
		"never": nil,
		"no more": func() string {
			if asked++; asked > 1 {
				return ""
			}
			return folder
		},
	} {
		x := New(Options{Roots: []string{root}, Kept: kept})
		if _, err := x.Load(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
			t.Errorf("%s: %v %v", name, left, err)
		}
	}
}

// TestLargeBeforeLoad opens and edits a large file before Load. Until it is parsed, the index must
// use the text on disk.
func TestLargeBeforeLoad(t *testing.T) {
	root := t.TempDir()
	text := "class A {\n  void f() { g(); }\n}\n" + strings.Repeat("// a comment that makes the file large\n", largeFile/38)
	tree(t, root, "A.java="+text)
	path := filepath.Join(root, "A.java")
	x := New(Options{Roots: []string{root}})
	if err := x.Move(path, []byte("\n"+text), 1); err != nil {
		t.Fatal(err)
	}
	if _, err := x.Load(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		found, _ := x.Find(name.Parse("A.f()V", name.JVM), time.Time{})
		if len(found) != 1 || found[0].Range.Start.Line != 2 {
			t.Errorf("found at %+v", found)
		}
		if err := x.Update(t.Context(), path, []byte("\n"+text), 1); err != nil {
			t.Fatal(err)
		}
	}
	if err := x.Close(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	if found, _ := x.Find(name.Parse("A.f()V", name.JVM), time.Time{}); len(found) != 1 || found[0].Range.Start.Line != 1 {
		t.Errorf("closed, found at %+v", found)
	}
	// The file on disk was replaced while the file was open. The file is now opened again before
	// its new text was parsed.
	if err := x.Update(t.Context(), path, []byte("\n\n"+text), 1); err != nil {
		t.Fatal(err)
	}
	tree(t, root, "A.java=\n\n\n"+text)
	if err := x.Close(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	if err := x.Update(t.Context(), path, []byte("\n\n\n"+text), 1); err != nil {
		t.Fatal(err)
	}
	if found, _ := x.Find(name.Parse("A.f()V", name.JVM), time.Time{}); len(found) != 1 || found[0].Range.Start.Line != 4 {
		t.Errorf("opened again, found at %+v", found)
	}
}
