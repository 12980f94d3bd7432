package source_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/diffprof/diffprof/code/source"
	"github.com/diffprof/diffprof/name"
)

// samples returns the sources in testdata, by name with extension.
func samples(t testing.TB) map[string][]byte {
	out := map[string][]byte{}
	files, err := filepath.Glob("testdata/find/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range archive.Files {
			if f.Name != "ask" && f.Name != "want" {
				name := strings.TrimSuffix(filepath.Base(file), ".txtar") + "_" + strings.ReplaceAll(f.Name, "/", "_")
				out[name] = f.Data
			}
		}
	}
	text, err := os.ReadFile("testdata/javac/Names.java")
	if err != nil {
		t.Fatal(err)
	}
	out["Names.java"] = text
	return out
}

func sampleNames(all map[string][]byte) []string {
	var names []string
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// questions are methods that are queried in any index.
var questions = []string{
	"com.example.Main.run()V", "com.example.Main.onCreate()V", "com.example.Main.<init>()V", "com.example.Main.<clinit>()V",
	"com.example.Main$1.run()V", "com.example.Main.lambda$run$0()V", "com.example.Names.lambda$lambdas$3()V",
	"com.example.Main$onCreate$1.invoke()V", "com.example.Main.onCreate$lambda$1()V", "com.example.MainKt.top()V",
	"com.example.Names.local()V", "com.example.Names$Point.<init>(ILjava/lang/String;)V", "com.example.Names$1Local.sum()I",
	"com.example.Main$$ExternalSyntheticLambda0.run()V", "com.example.Main.access$000()V", "com.example.User.copy$default()V",
	"com.example.Types.f(I)V", "com.example.Model.getTitle()Ljava/lang/String;",
}

var callees = []string{
	"java.lang.System.gc()V", "android.widget.TextView.setText(Ljava/lang/CharSequence;)V", "com.example.X.go()V",
	"java.io.PrintStream.println(Ljava/lang/String;)V", "java.lang.Thread.<init>(Ljava/lang/Runnable;)V", "java.lang.StringBuilder.append(I)V",
}

// answers returns an index's results for all questions, with paths relative to root.
func answers(x *source.Index, root string) string {
	var out strings.Builder
	for _, q := range questions {
		for _, line := range []int{0, 5, 11} {
			m := name.Parse(q, name.JVM)
			m.Line = line
			locations, reason := x.Find(m, time.Time{})
			fmt.Fprintln(&out, q, line, reason)
			for _, l := range locations {
				fmt.Fprintln(&out, strings.TrimPrefix(l.Path, root), l.Range, l.Body, l.Reason)
			}
			for _, c := range callees {
				for _, l := range x.Calls(m, name.Parse(c, name.JVM), time.Time{}) {
					fmt.Fprintln(&out, "calls", c, strings.TrimPrefix(l.Path, root), l.Range)
				}
			}
		}
	}
	fmt.Fprintln(&out, x.Classes())
	return out.String()
}

// TestUpdateEqualsLoad edits files at random. An index that followed the edits must have the same
// results as an index that read only the final files.
func TestUpdateEqualsLoad(t *testing.T) {
	all := samples(t)
	snippets := []string{
		"", "\n", "{", "}", "}\n", "(", ")", "\"", "\"\"\"", "/*", "*/", "// x\n", "😀", "é", "\r\n", ";", "class A { }\n",
		"fun f() { g() }\n", "void f(int i) { g(); }\n", " -> ", "$", "${", "`", "in ", "by x ", "interface ", "\xff",
	}
	var compared atomic.Int32
	t.Cleanup(func() {
		if n := compared.Load(); n < 150 && !testing.Short() {
			t.Errorf("only %d texts could be compared", n)
		}
	})
	rounds := 12
	if testing.Short() {
		rounds = 3
	}
	for n, name := range sampleNames(all) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(uint64(n), 1))
			root := t.TempDir()
			path := filepath.Join(root, name)
			edited := source.New(source.Options{Roots: []string{root}})
			text := all[name]
			ctx := context.Background()
			if err := edited.Update(ctx, path, text, 1); err != nil {
				t.Fatal(err)
			}
			for round := range rounds {
				from := random.IntN(len(text) + 1)
				to := min(len(text), from+random.IntN(1+random.IntN(40)))
				insert := snippets[random.IntN(len(snippets))]
				if random.IntN(4) == 0 {
					// Go back to an earlier text.
					text = all[name]
				} else {
					text = slices.Concat(text[:from], []byte(insert), text[to:])
				}
				if err := edited.Update(ctx, path, text, int32(round+2)); err != nil {
					t.Fatal(err)
				}
				fresh := source.New(source.Options{Roots: []string{root}})
				if err := fresh.Update(ctx, path, text, 1); err != nil {
					t.Fatal(err)
				}
				got, want := answers(edited, root), answers(fresh, root)
				if err := fresh.Close(ctx, path); err != nil {
					t.Fatal(err)
				}
				if edited.Behind(path) {
					// The text does not parse, and a new index has no earlier text.
					continue
				}
				compared.Add(1)
				if got != want {
					t.Fatalf("round %d: answers differ for\n%q\nedited:\n%s\nfresh:\n%s", round, text, got, want)
				}
			}
			if err := edited.Close(ctx, path); err != nil {
				t.Fatal(err)
			}
			if edited.Len() != 0 {
				t.Error("a file that is not on disk is kept when it is closed")
			}
		})
	}
}

// TestLoadOrderDoesNotMatter reads the same files with one worker and with many, and together and
// separately.
func TestLoadOrderDoesNotMatter(t *testing.T) {
	all := samples(t)
	root := t.TempDir()
	for name, text := range all {
		if err := os.WriteFile(filepath.Join(root, name), text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	ctx := context.Background()
	var want string
	for _, workers := range []int{1, 2, 8} {
		x := source.New(source.Options{Roots: []string{root, filepath.Join(root, ".")}, Workers: workers})
		calls, last := 0, 0
		if _, err := x.Load(ctx, func(done, total int) {
			calls++
			if done != last+1 || total != len(all) {
				t.Errorf("progress %d of %d after %d", done, total, last)
			}
			last = done
		}); err != nil {
			t.Fatal(err)
		}
		if calls != len(all) || x.Len() != len(all) {
			t.Errorf("%d files, %d calls of progress, want %d", x.Len(), calls, len(all))
		}
		if got := answers(x, root); want == "" {
			want = got
		} else if got != want {
			t.Errorf("%d workers: other answers", workers)
		}
	}
	names := sampleNames(all)
	for seed := range uint64(3) {
		random := rand.New(rand.NewPCG(seed, 2))
		random.Shuffle(len(names), reflect.Swapper(names))
		x := source.New(source.Options{Roots: []string{root}})
		for _, name := range names {
			if err := x.Refresh(ctx, filepath.Join(root, name)); err != nil {
				t.Fatal(err)
			}
		}
		if got := answers(x, root); got != want {
			t.Errorf("order %d: other answers", seed)
		}
	}
}

// TestConcurrentUse queries while files are loaded, edited and closed, for the race detector.
func TestConcurrentUse(t *testing.T) {
	all := samples(t)
	root := t.TempDir()
	for name, text := range all {
		if err := os.WriteFile(filepath.Join(root, name), text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	x := source.New(source.Options{Roots: []string{root}})
	ctx := context.Background()
	var group sync.WaitGroup
	group.Go(func() {
		for range 2 {
			if _, err := x.Load(ctx, nil); err != nil {
				t.Error(err)
			}
		}
	})
	for i, name := range sampleNames(all)[:6] {
		group.Go(func() {
			path := filepath.Join(root, name)
			for version := range int32(3) {
				if err := x.Update(ctx, path, all[name][:len(all[name])/(1+int(version))], version); err != nil {
					t.Error(err)
				}
				answers(x, root)
			}
			if i%2 == 0 {
				if err := x.Close(ctx, path); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	fresh := source.New(source.Options{Roots: []string{root}})
	if _, err := fresh.Load(ctx, nil); err != nil {
		t.Fatal(err)
	}
	for name := range all {
		if err := x.Close(ctx, filepath.Join(root, name)); err != nil {
			t.Error(err)
		}
	}
	if got, want := answers(x, root), answers(fresh, root); got != want {
		t.Error("answers differ from those of a fresh index after all is closed")
	}
}

func TestUpdateIgnoresOldVersions(t *testing.T) {
	x := source.New(source.Options{})
	ctx := context.Background()
	update := func(text string, version int32) {
		if err := x.Update(ctx, "/nowhere/Main.java", []byte(text), version); err != nil {
			t.Fatal(err)
		}
	}
	update("class Main { void second() { } }", 2)
	update("class Main { void first() { } }", 1)
	if _, reason := x.Find(name.OfClass("Main", "second", ""), time.Time{}); reason != source.Exact {
		t.Error("an older version replaced a newer one:", reason)
	}
	if err := x.Update(ctx, "/nowhere/notes.txt", []byte("class Main"), 1); err != nil || x.Len() != 1 {
		t.Error("a file in another language is indexed:", err)
	}
	if err := x.Close(ctx, "/nowhere/Main.java"); err != nil || x.Len() != 0 {
		t.Error("closing leaves the file:", err)
	}
}

func TestLoadIsCancelled(t *testing.T) {
	root := t.TempDir()
	for i := range 50 {
		if err := os.WriteFile(filepath.Join(root, fmt.Sprintf("F%d.java", i)), []byte("class A { void f() { } }"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	x := source.New(source.Options{Roots: []string{root}, Workers: 2})
	_, err := x.Load(ctx, func(done, total int) {
		if done == 5 {
			cancel()
		}
	})
	if err != context.Canceled || x.Len() != 0 {
		t.Errorf("%v, and %d files", err, x.Len())
	}
	if err := x.Update(ctx, filepath.Join(root, "F1.java"), []byte("class A { }"), 1); err == nil {
		t.Error("a cancelled update succeeds")
	}
}
