package finding_test

import (
	"context"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/finding"
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
	r, err := analysis.Compare(context.Background(), analysis.Options{Subject: analysis.Side{Path: paths[0]}, Reference: analysis.Side{Path: paths[1]}, Alpha: analysis.AutoAlpha, Noise: 1e-4})
	if err != nil {
		t.Fatal(err)
	}
	set := finding.New(r)
	return set
}

// clear compares two texts of folded stacks with amounts multiplied by a million, so that no
// difference is chance. Both get a method of the app's own code, so that they show one app and
// have something in common.
func clear(t testing.TB, subject, reference string) *finding.Set {
	t.Helper()
	larger := func(text string) string {
		return strings.ReplaceAll(text, "\n", "000000\n") + "android.view.View.draw()V;p.Both.onDraw()V 1\n"
	}
	return compare(t, larger(subject), larger(reference))
}

// million is the factor of clear.
const million = 1_000_000

const other = "android.os.Handler.handle()V;org.other.X.run()V 1\n"

func TestCosts(t *testing.T) {
	set := clear(t, strings.Join([]string{
		"android.os.Handler.handle()V;p.A.run()V 100",
		"android.os.Handler.handle()V;p.A.run()V;p.A$B.help()V;android.util.Log.i()I 30",
		"android.os.Handler.handle()V;p.A.run()V;p.A$B.help()V;p.A.more()V;android.util.Log.i()I 7",
		"android.os.Handler.handle()V;p.A$B.help()V;android.util.Log.i()I 1000",
	}, "\n")+"\n", other)
	energy := make(map[string]units.Energy)
	for _, c := range set.Methods() {
		energy[c.Method.Label()] = c.Energy
	}
	for name, want := range map[string]units.Energy{
		"p.A.run()V": 137, "p.A$B.help()V": 1037, "p.A.more()V": 7, "android.util.Log.i()I": 1037, "android.os.Handler.handle()V": 1137,
	} {
		if energy[name] != want*million {
			t.Errorf("%s drains %d, want %d", name, energy[name], want)
		}
	}
	// Calls from A into A$B and back count once for A. A$B's exclusive energy also counts for A.
	for name, want := range map[string]units.Energy{"p.A": 1137, "p.A$B": 1037} {
		if c := set.Classes()[name]; c == nil || c.Energy != want*million {
			t.Errorf("class %s: %+v, want %d", name, c, want)
		}
	}
	// All energy below Log.i is in one task or in several. Each is credited to callers.
	var saving, credited units.Energy
	for i, task := range set.Result.Tasks {
		if set.Tasks()[i].IsFinding {
			saving += max(task.Saving, 0)
		}
	}
	for _, c := range set.Methods() {
		for _, part := range c.Tasks {
			credited += part.Saving
		}
	}
	if saving != credited || saving == 0 {
		t.Errorf("methods may save %d, tasks %d", credited, saving)
	}
}

func TestTasks(t *testing.T) {
	set := clear(t, "android.os.Handler.handle()V;p.A.run()V;android.util.Log.i()I 30\n", other)
	if len(set.Tasks()) != 1 {
		t.Fatalf("tasks: %+v", set.Tasks())
	}
	f := set.Tasks()[0]
	if f.Code != finding.UnmatchedTask || f.Method.Label() != "android.util.Log.i()I" || f.Callee.Label() != f.Method.Label() ||
		f.Sites[0].Method.Label() != "p.A.run()V" || f.Saving.Least <= 0 || f.Saving.Most != 30*million {
		t.Errorf("finding: %+v", f)
	}
	if i, ok := set.ByID(f.ID); !ok || i != 0 || set.ID(0) != f.ID {
		t.Errorf("task %q is not found", f.ID)
	}
	want := set.Result.Explain(0)
	if first, again := set.Why(0), set.Why(0); first != want || again != want || want == (analysis.Reason{}) {
		t.Errorf("the task is explained by %v, then by %v, want %v", first, again, want)
	}
	if got := set.Share(15 * million); got < 0.49 || got > 0.51 {
		t.Errorf("the share of a half is %v", got)
	}
}

// TestCodes checks that a task is a finding if it uses more than in the reference.
func TestCodes(t *testing.T) {
	stack := "android.os.Handler.handle()V;p.A.run()V;android.util.Log.%s()I %s\n"
	lines := func(pairs ...string) (text string) {
		for i := 0; i < len(pairs); i += 2 {
			text += strings.NewReplacer("%s()", pairs[i]+"()", "%s\n", pairs[i+1]+"\n").Replace(stack)
		}
		return text
	}
	set := clear(t, lines("more", "9", "less", "2", "same", "5"), lines("more", "4", "less", "3", "same", "5"))
	var got []string
	for _, f := range set.Tasks() {
		got = append(got, f.Method.Name+" "+string(f.Code))
	}
	want := []string{"more costlier-task", "same ", "less "}
	if !slices.Equal(got, want) {
		t.Errorf("findings %q, want %q", got, want)
	}
}

// TestFind checks that tasks and rows of app code are found by their identities, also the first.
func TestFind(t *testing.T) {
	stack := "android.os.Handler.handle()V;p.A.run()V;%s 10\n"
	text := strings.ReplaceAll(stack, "%s", "android.util.Log.i()I") + strings.ReplaceAll(stack, "%s", "android.util.Log.d()I") +
		strings.ReplaceAll(stack, "%s", "p.B.work()V") + strings.ReplaceAll(stack, "%s", "p.C.work()V")
	set := clear(t, text, other)
	tasks, rows := len(set.Result.Tasks), len(set.Result.AppCode.Rows)
	if tasks < 2 || rows < 2 {
		t.Fatalf("%d tasks and %d rows", tasks, rows)
	}
	for i := range tasks {
		if at, ok := set.Find(set.ID(i)); !ok || at.Code || at.Index != i {
			t.Errorf("task %d is found at %+v, %v", i, at, ok)
		}
	}
	for i := range rows {
		if at, ok := set.Find(set.CodeID(i)); !ok || !at.Code || at.Index != i {
			t.Errorf("row %d is found at %+v, %v", i, at, ok)
		}
	}
	if at, ok := set.Find("none"); ok {
		t.Errorf("found at %+v", at)
	}
}

// TestForeign checks that a task is foreign if no method of the app calls it.
func TestForeign(t *testing.T) {
	set := clear(t, "android.os.Handler.handle()V;p.A.run()V;android.util.Log.i()I 30\n"+
		"android.os.Handler.handle()V;okhttp3.RealCall.run()V;android.util.Log.d()I 30\n", other)
	foreign := finding.Foreign(set.Result)
	for _, f := range set.Tasks() {
		task, _ := set.Find(f.ID)
		if foreign[task.Index] != (f.Method.Name == "d") {
			t.Errorf("the task %s is foreign: %v", f.Method.Label(), foreign[task.Index])
		}
	}
	if len(set.Result.Tasks) != 2 {
		t.Errorf("%d tasks", len(set.Result.Tasks))
	}
}

// TestIdentity checks that identities survive moved lines and other energies, but not another path.
func TestIdentity(t *testing.T) {
	stack := "android.os.Handler.handle()V;p.A.run()V;android.util.Log.i()I "
	one, two := compare(t, stack+"30\n", other), compare(t, "a.B.c()V 7\n"+stack+"4\n", other)
	three := compare(t, "android.view.View.performClick()Z;p.A.onClick()V;android.util.Log.i()I 30\n", other)
	if one.Tasks()[0].ID != two.Tasks()[0].ID || one.Tasks()[0].ID == three.Tasks()[0].ID {
		t.Errorf("tasks %s, %s and, elsewhere, %s", one.Tasks()[0].ID, two.Tasks()[0].ID, three.Tasks()[0].ID)
	}
}

// TestWithout checks that a rule gets the path and the callers, and that matched tasks are removed.
func TestWithout(t *testing.T) {
	set := compare(t, strings.Join([]string{
		"android.os.Handler.handle()V;p.A.run()V;p.A.help()V;android.util.Log.i()I 30",
		"android.os.Handler.handle()V;p.A.run()V;android.util.Log.d()I 20",
	}, "\n")+"\n", other)
	rule := func(id, method string, above iter.Seq[string]) bool {
		return method == "android.util.Log.i()I" && slices.Contains(slices.Collect(above), "p.A.help()V") && slices.Contains(slices.Collect(above), "android.os.Handler.handle()V") && id != ""
	}
	only, fewer := set.Without(rule)
	left := only.Result
	if fewer != (finding.Removed{Tasks: 1}) || len(left.Tasks) != 1 || left.Summary != set.Result.Summary || len(set.Result.Tasks) != 2 {
		t.Errorf("%+v left out, %d left of %d", fewer, len(left.Tasks), len(set.Result.Tasks))
	}
}

// TestWithoutCode checks that app code is removed like tasks, by its name or by its callers.
func TestWithoutCode(t *testing.T) {
	set := clear(t, "android.os.Handler.handle()V;p.Able.run()V 5\nandroid.os.Handler.handle()V;p.Able.run()V;p.Able.help()V 30\n", "android.os.Handler.handle()V;p.Able.run()V 5\n")
	for method, want := range map[string]int{"p.Able.help()V": 1, "android.os.Handler.handle()V": 2, "p.B.none()V": 0} {
		only, fewer := set.Without(func(_, named string, above iter.Seq[string]) bool {
			return named == method || slices.Contains(slices.Collect(above), method)
		})
		left := only.Result
		if fewer != (finding.Removed{Code: want}) || len(left.AppCode.Rows) != 3-want || left.AppCode.Sum != set.Result.AppCode.Sum {
			t.Errorf("%s: %+v left out, %d left", method, fewer, len(left.AppCode.Rows))
		}
	}
	if len(set.Code()) != 1 || set.Code()[0].Method.Name != "help" || set.Code()[0].Code != finding.CostlierCode {
		t.Errorf("findings of app code: %+v", set.Code())
	}
}

// TestOddNames has class names that begin or end with dollar signs, or are empty.
func TestOddNames(t *testing.T) {
	set := compare(t, "a;p.$A.b()V;p.A$.c()V;p.A$$Lambda$1.d()V;$.e()V 1\n", other)
	for name := range set.Classes() {
		if name == "" || strings.HasSuffix(name, ".") {
			t.Errorf("there is a class %q", name)
		}
	}
}
