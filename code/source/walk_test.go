package source

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// tree creates empty files below a folder. A name with -> creates a symbolic link.
func tree(t *testing.T, root string, names ...string) {
	for _, name := range names {
		name, content, hasContent := strings.Cut(name, "=")
		name, target, link := strings.Cut(name, "->")
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if link {
			if err := os.Symlink(filepath.FromSlash(target), path); err != nil {
				t.Skip("no links here: ", err)
			}
			continue
		}
		if !hasContent {
			content = "class A { }"
		}
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func walked(t *testing.T, w *walker, root string, roots ...string) []string {
	for i := range roots {
		roots[i] = filepath.Join(root, roots[i])
	}
	if err := w.walk(context.Background(), roots); err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, f := range w.files {
		rel, err := filepath.Rel(root, f.path)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, filepath.ToSlash(rel))
	}
	return out
}

// TestWalkAgain checks that each walk uses the current rules.
func TestWalkAgain(t *testing.T) {
	root := t.TempDir()
	tree(t, root, ".git/config", ".gitignore=gen\n", "gen/A.java", "src/B.java", "src/C.java")
	w := &walker{maxFile: 1 << 20}
	for _, step := range []struct {
		write string
		want  []string
	}{
		{"", []string{"src/B.java", "src/C.java"}},
		{"", []string{"src/B.java", "src/C.java"}},
		{".gitignore=# all\n", []string{"gen/A.java", "src/B.java", "src/C.java"}},
		{"src/.gitignore=C.java\n", []string{"gen/A.java", "src/B.java"}},
		{".gitignore=B.java\n", []string{"gen/A.java"}},
		{"src/.gitignore=!B.java\n", []string{"gen/A.java", "src/B.java", "src/C.java"}},
	} {
		if step.write != "" {
			tree(t, root, step.write)
		}
		if got := walked(t, w, root, ""); !slices.Equal(got, step.want) {
			t.Errorf("after %q: %v, want %v", step.write, got, step.want)
		}
	}
}

func TestWalkFindsSources(t *testing.T) {
	root := t.TempDir()
	tree(t, root,
		"app/src/main/java/com/build/Main.java", "app/src/main/java/bin/Other.kt", "app/build/generated/Gen.java",
		"app/out/Out.java", "app/bin/Bin.java", "app/.gradle/Hidden.java", ".git/config", "app/Script.kts",
		"app/README.md", "app/src/main/kotlin/A b#é.kt", "app/.hidden.java", "node_modules/x/N.java",
	)
	got := walked(t, &walker{maxFile: 1 << 20}, root, "", "app")
	want := []string{
		"app/Script.kts", "app/src/main/java/bin/Other.kt", "app/src/main/java/com/build/Main.java", "app/src/main/kotlin/A b#é.kt",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

func TestWalkRespectsGitignore(t *testing.T) {
	root := t.TempDir()
	tree(t, root,
		".git/config", ".gitignore=generated/\n*.tmp.java\n/top.java\n# comment\n\n!keep.tmp.java\r\n",
		"a/A.java", "a/generated/G.java", "a/x.tmp.java", "a/keep.tmp.java", "top.java", "a/top.java",
		"a/b/.gitignore=!x.tmp.java\nB*.kt\n", "a/b/x.tmp.java", "a/b/B1.kt", "a/b/C.kt",
	)
	want := []string{"a/A.java", "a/b/C.kt", "a/b/x.tmp.java", "a/keep.tmp.java", "a/top.java"}
	if got := walked(t, &walker{maxFile: 1 << 20}, root, ""); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	// The .gitignore rules of a repository apply to a root inside the repository.
	want = []string{"a/b/C.kt", "a/b/x.tmp.java"}
	if got := walked(t, &walker{maxFile: 1 << 20}, root, "a/b"); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

func TestWalkFollowsLinksOnce(t *testing.T) {
	root := t.TempDir()
	tree(t, root,
		"a/A.java", "shared/S.java", "a/up->..", "a/self->.", "a/s1->../shared", "a/s2->../shared",
		"b/L.java->../a/A.java", "b/gone.java->nowhere", "b/loop.java->loop.java",
	)
	got := walked(t, &walker{maxFile: 1 << 20}, root, "a", "b", "shared")
	for _, name := range []string{"A.java", "S.java"} {
		n := 0
		for _, f := range got {
			if strings.HasSuffix(f, name) || name == "A.java" && strings.HasSuffix(f, "L.java") {
				n++
			}
		}
		if n != 1 {
			t.Errorf("%s is found %d times in %q", name, n, got)
		}
	}
}

// TestWalkStaysInside checks that symbolic links out of the roots are not followed, and that a
// warning reports them.
func TestWalkStaysInside(t *testing.T) {
	root := t.TempDir()
	tree(t, root, "in/A.java", "in/out->../out", "in/up->..", "in/root->/", "in/O.java->../out/B.java", "in/text->../out/x.txt", "in/also->../too", "out/B.java", "out/x.txt", "too/C.java")
	w := &walker{maxFile: 1 << 20}
	if got := walked(t, w, root, "in", "too"); !slices.Equal(got, []string{"in/A.java", "in/also/C.java"}) {
		t.Errorf("got %q", got)
	}
	if len(w.warnings) != 4 || !strings.Contains(w.warnings[0].Message, "outside of") {
		t.Errorf("the warnings are %v", w.warnings)
	}
}

func TestLoadSkipsLargeFiles(t *testing.T) {
	root := t.TempDir()
	tree(t, root, "Small.java", "Large.java="+strings.Repeat("class A { }\n", 100))
	x := New(Options{Roots: []string{root, filepath.Join(root, "missing")}, MaxFile: 500})
	warnings, err := x.Load(context.Background(), nil)
	if err != nil || x.Len() != 1 || len(warnings) != 2 {
		t.Errorf("%v, %d files, warnings %v", err, x.Len(), warnings)
	}
	if err := x.Update(context.Background(), filepath.Join(root, "New.java"), make([]byte, 501), 1); err == nil {
		t.Error("a large open file is taken")
	}
	if err := x.Refresh(context.Background(), filepath.Join(root, "Large.java")); err == nil {
		t.Error("a large file that changed is taken")
	}
}

func TestRefreshDropsMissingFiles(t *testing.T) {
	root := t.TempDir()
	tree(t, root, "a/A.java", "a/B.java", "ab/C.java")
	x := New(Options{Roots: []string{root}})
	ctx := context.Background()
	if _, err := x.Load(ctx, nil); err != nil || x.Len() != 3 {
		t.Fatal(err, x.Len())
	}
	if err := os.RemoveAll(filepath.Join(root, "a")); err != nil {
		t.Fatal(err)
	}
	if err := x.Refresh(ctx, filepath.Join(root, "a")); err != nil || x.Len() != 1 {
		t.Error(err, x.Len())
	}
}

func TestChanges(t *testing.T) {
	root := t.TempDir()
	ctx := context.Background()
	write := func(name, text string, modified time.Time) string {
		path := filepath.Join(root, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, modified, modified); err != nil {
			t.Fatal(err)
		}
		return path
	}
	before := time.Now().Add(-time.Hour)
	written := write("A.java", "class A { }", before)
	gone := write("B.java", "class B { }", before)
	write("C.kt", "class C", before)
	open := write("D.java", "class D { }", before)
	x := New(Options{Roots: []string{root}})
	if _, err := x.Load(ctx, nil); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{open, filepath.Join(root, "Unsaved.java")} {
		if err := x.Update(ctx, path, []byte("class D { int x; }"), 1); err != nil {
			t.Fatal(err)
		}
	}
	expect := func(when string, want ...string) {
		t.Helper()
		got, err := x.Changes(ctx)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, %v; want %v", when, got, err, want)
		}
		for _, path := range got {
			if err := x.Refresh(ctx, path); err != nil {
				t.Error(err)
			}
		}
	}
	expect("at first")
	write("A.java", "class A2 { }", before.Add(time.Second))
	if err := os.Remove(gone); err != nil {
		t.Fatal(err)
	}
	write("D.java", "class D { int x; }", before.Add(time.Second))
	added := write("E.kt", "class E", before)
	expect("changed", written, gone, open, added)
	expect("taken in")
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := x.Changes(cancelled); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestLineMap(t *testing.T) {
	m := newLineMap([]byte("a\nb\nc\nd\n"), []byte("a\nB\nB2\nc\nd\n"))
	for line, want := range map[int]int{0: 0, 1: 1, 2: 0, 3: 4, 4: 5} {
		if got := m.line(line); got != want {
			t.Errorf("line %d is %d, want %d", line, got, want)
		}
	}
	if newLineMap([]byte("a"), []byte("a")) != nil {
		t.Error("equal texts differ")
	}
	if got := newLineMap([]byte("a\r\nb\r\n"), []byte("a\nb\n")).line(2); got != 2 {
		t.Errorf("line ends move line 2 to %d", got)
	}
	if got := newLineMap(nil, []byte("a\n")).line(1); got != 0 {
		t.Errorf("a file that is not on disk has line %d", got)
	}
}
