package analysis_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/analysis"
)

// TestWrongMapping gives an app of 100 methods mappings that rename none, one or all of them.
func TestWrongMapping(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	var stacks, whole strings.Builder
	for i := range 100 {
		fmt.Fprintf(&stacks, "android.os.Looper.loop()V;q.c%d.a()V;java.lang.String.trim()Ljava/lang/String; 10\n", i)
		fmt.Fprintf(&whole, "com.mine.Class%d -> q.c%[1]d:\n    void run() -> a\n", i)
	}
	run := write("run.folded", stacks.String())
	for name, c := range map[string]struct{ mapping, want string }{
		"none": {"com.other.Class -> z.z:\n    void run() -> a\n", "renames none of 102 methods"},
		"one":  {"com.other.Class -> q.c1:\n    void run() -> a\n", "renames only 1 of the app's 100 methods: it likely belongs to another build"},
		"all":  {whole.String(), ""},
	} {
		in, err := analysis.Read(t.Context(), analysis.Options{Subject: analysis.Side{Path: run, Mapping: write(name+".txt", c.mapping)}})
		if err != nil {
			t.Fatal(err)
		}
		found := ""
		for _, w := range in.Trace.Warnings {
			if w.Code == "useless-mapping" {
				found = w.Message
			}
		}
		if (c.want == "") != (found == "") || !strings.Contains(found, c.want) {
			t.Errorf("%s: %q, want %q", name, found, c.want)
		}
	}
}
