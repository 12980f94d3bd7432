package finding_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/server/internal/finding"
	"github.com/diffprof/diffprof/units"
)

// compare compares two texts of folded stacks.
func compare(t testing.TB, subject, reference string) *finding.Set {
	t.Helper()
	folder := t.TempDir()
	var paths []string
	for name, text := range map[string]string{"a.folded": subject, "b.folded": reference} {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	slices.Sort(paths)
	r, err := analysis.Compare(context.Background(), analysis.Options{Subject: paths[0], Reference: paths[1], Alpha: analysis.AutoAlpha})
	if err != nil {
		t.Fatal(err)
	}
	set, err := finding.New(context.Background(), r, "test")
	if err != nil {
		t.Fatal(err)
	}
	return set
}

const other = "android.os.Handler.handle()V;org.other.X.run()V 1\n"

func TestCosts(t *testing.T) {
	set := compare(t, strings.Join([]string{
		"android.os.Handler.handle()V;p.A.run()V 100",
		"android.os.Handler.handle()V;p.A.run()V;p.A$B.help()V;android.util.Log.i()I 30",
		"android.os.Handler.handle()V;p.A.run()V;p.A$B.help()V;p.A.more()V;android.util.Log.i()I 7",
		"android.os.Handler.handle()V;p.A$B.help()V;android.util.Log.i()I 1000",
	}, "\n")+"\n", other)
	energy := make(map[string]units.Energy)
	for _, c := range set.Methods {
		energy[c.Method.Label()] = c.Energy
	}
	for name, want := range map[string]units.Energy{
		"p.A.run()V": 137, "p.A$B.help()V": 1037, "p.A.more()V": 7, "android.util.Log.i()I": 1037, "android.os.Handler.handle()V": 1137,
	} {
		if energy[name] != want {
			t.Errorf("%s drains %d, want %d", name, energy[name], want)
		}
	}
	// Calls from A into A$B and back count once for A, and A$B's own count for it.
	for name, want := range map[string]units.Energy{"p.A": 1137, "p.A$B": 1037} {
		if c := set.Classes[name]; c == nil || c.Energy != want {
			t.Errorf("class %s: %+v, want %d", name, c, want)
		}
	}
	// All energy below Log.i is in one task or several, each credited to callers.
	var saving, credited units.Energy
	for _, task := range set.Result.Tasks {
		saving += max(task.Saving, 0)
	}
	for _, c := range set.Methods {
		for _, part := range c.Tasks {
			credited += part.Saving
		}
	}
	if saving != credited || saving == 0 {
		t.Errorf("methods may save %d, tasks %d", credited, saving)
	}
}

func TestTasks(t *testing.T) {
	set := compare(t, "android.os.Handler.handle()V;p.A.run()V;android.util.Log.i()I 30\n", other)
	if len(set.Tasks) != 1 || set.Tasks[0].Callee.Label() != "android.util.Log.i()I" || set.Tasks[0].Callers[0].Method.Label() != "p.A.run()V" {
		t.Errorf("tasks: %+v", set.Tasks)
	}
	if i, ok := set.ByID[set.Report.Tasks[0].ID]; !ok || i != 0 {
		t.Errorf("task %q is not found", set.Report.Tasks[0].ID)
	}
	if first, again := set.Why(0), set.Why(0); first != again {
		t.Errorf("the task is explained by %q, then by %q", first, again)
	}
	if got := set.Share(15); got != 0.5 {
		t.Errorf("the share of a half is %v", got)
	}
}

// TestOddNames: class names that begin or end with dollar signs, or are nothing.
func TestOddNames(t *testing.T) {
	set := compare(t, "a;p.$A.b()V;p.A$.c()V;p.A$$Lambda$1.d()V;$.e()V 1\n", other)
	for name := range set.Classes {
		if name == "" || strings.HasSuffix(name, ".") {
			t.Errorf("there is a class %q", name)
		}
	}
}

func Example() {
	fmt.Println(finding.Name("/traces/WhatsApp.trace.gz"), finding.Name("Pandora 8.3.trace"), finding.Name(".trace"))
	// Output:
	// WhatsApp Pandora 8.3 .trace
}
