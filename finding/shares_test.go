package finding_test

import (
	"iter"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/appcode"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/trace/tracetest"
	"github.com/diffprof/diffprof/units"
)

// TestInPackages lists the grains whose rows belong to one package.
func TestInPackages(t *testing.T) {
	for _, grain := range finding.Grains() {
		want := strings.Contains(" package class method line ", " "+grain+" ")
		if got := finding.Grain(grain).InPackages(); got != want {
			t.Errorf("%s: %v, want %v", grain, got, want)
		}
	}
}

// TestInputOutput adds up the energy of all components except for the processor.
func TestInputOutput(t *testing.T) {
	table := finding.ByMethod(read(t, tracetest.Booked{Text: "p.A.a 5 0 0\np.A.b 7 1 0\np.A.b 11 2 1\np.A.c 13 3 1\np.A.d;p.A.a 1 4 1\np.A.d 1 0 2\n", Only: -1, Method: jvm}))
	if got, want := table.InputOutput(), (finding.IO{Energy: 7 + 11 + 13 + 1, Routines: 3, AllRoutines: 4}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	plain := finding.ByMethod(&compare(t, "p.A.a 5\n", "p.A.a 5\n").Result.Subject)
	if got := plain.InputOutput(); got != (finding.IO{}) {
		t.Errorf("a run without components has %+v", got)
	}
}

// TestWideComponents compares ranges around a tenth of a component's energy. Wider ones are shown.
func TestWideComponents(t *testing.T) {
	for width, want := range map[units.Energy]bool{0: false, 99: false, 101: true, 500: true} {
		c := finding.Component{Drain: finding.Drain{Use: 600, Tail: 300, Rest: 100}, Least: 900, Most: 900 + width}
		if got := c.Wide(); got != want {
			t.Errorf("a range of %d around 1000 is wide: %v, want %v", width, got, want)
		}
	}
}

// TestLinked lists the callers and the callees of a method, the costliest first.
func TestLinked(t *testing.T) {
	set := compare(t, "p.A.a;p.A.c;p.A.d 5\np.A.b;p.A.c;p.A.e 9\np.A.b;p.A.c 1\n", "p.A.a;p.A.c 100\n")
	table := finding.ByMethod(&set.Result.Subject)
	row := table.Find("p.A.c")
	if len(row) != 1 {
		t.Fatalf("p.A.c is in the rows %v", row)
	}
	for callers, want := range map[bool]string{true: "b 10, a 5", false: "e 9, d 5"} {
		var got []string
		for _, l := range table.Linked(row[0], callers) {
			other := l.Callee
			if callers {
				other = l.Caller
			}
			got = append(got, table.Methods[other].Method.Name+" "+strconv.FormatInt(int64(l.Runs[0].All), 10))
		}
		if got := strings.Join(got, ", "); got != want {
			t.Errorf("callers %v: %s, want %s", callers, got, want)
		}
	}
}

// TestRecordedMethods looks for methods of the subject, of the reference, and of neither.
func TestRecordedMethods(t *testing.T) {
	set := compare(t, "p.A.a 5\n", "p.A.a 5\np.B.b 5\n")
	for label, want := range map[string]bool{"p.A.a": true, "p.B.b": true, "p.B.a": false} {
		if m, ok := set.Recorded(label); ok != want || ok && m.Label() != label {
			t.Errorf("%s: %v %v", label, m, ok)
		}
	}
}

// TestAcceptingUnclearRows accepts a row whose difference may be chance, and a row whose class moved
// to another package.
func TestAcceptingUnclearRows(t *testing.T) {
	set := repeated(t)
	unclear := -1
	for i, task := range set.Tasks() {
		if task.Method.Short() == "File.exists" {
			unclear = i
		}
	}
	if unclear < 0 || set.Tasks()[unclear].IsFinding {
		t.Fatalf("no unclear row in %+v", set.Tasks())
	}
	left, a := set.Accept([]finding.Accepted{{ID: set.ID(unclear), Saving: 1}})
	if a.Removed.Tasks != 1 || len(a.Increases) != 0 || len(a.Gone) != 0 || len(left.Result.Tasks) != len(set.Result.Tasks)-1 {
		t.Errorf("an unclear row: %+v", a)
	}

	old, moved := grownCode(t, "com.old"), grownCode(t, "com.fresh")
	row := codeRow(t, old, "Feed.work")
	known := finding.Accepted{
		ID: old.CodeID(row), Name: old.Result.AppCode.Rows[row].Method.Label(), Method: old.Result.AppCode.Rows[row].Method, Saving: old.Result.AppCode.Rows[row].Saving,
		Interval: finding.Interval{Least: old.Result.AppCode.Rows[row].Saving, Most: old.Result.AppCode.Rows[row].Saving},
	}
	if moved.CodeID(codeRow(t, moved, "Feed.work")) == known.ID {
		t.Fatal("the package is not a part of the identity")
	}
	if _, a := moved.Accept([]finding.Accepted{known}); a.Removed.Code != 1 || len(a.Gone) != 0 {
		t.Errorf("a moved class: %+v", a)
	}
	other := known
	other.Method.Name = "play"
	if _, a := moved.Accept([]finding.Accepted{other}); a.Removed.Code != 0 {
		t.Errorf("another method: %+v", a)
	}
}

// grownCode compares two runs. The subject uses more energy in a method of the app.
func grownCode(t *testing.T, scope string) *finding.Set {
	t.Helper()
	run := func(work string) string {
		return "android.os.Handler.handle()V;" + scope + ".Feed.onClick()V;" + scope + ".Feed.work()V " + work + "\n" +
			"android.os.Handler.handle()V;" + scope + ".Feed.onClick()V;" + scope + ".Feed.rest()V 50\n"
	}
	return clear(t, run("300"), run("100"))
}

// codeRow returns the row of a method's own code.
func codeRow(t *testing.T, set *finding.Set, short string) int {
	t.Helper()
	for i := range set.Result.AppCode.Rows {
		if r := &set.Result.AppCode.Rows[i]; r.Method.Short() == short && r.Method.Type != "" {
			return i
		}
	}
	t.Fatalf("no row of %s", short)
	return -1
}

// TestIgnoredWastes ignores wastes by their identities, by the methods that cause them, and by the
// methods on the way to them.
func TestIgnoredWastes(t *testing.T) {
	in, all := wastes(t, recorded(t, 10000, call{1, 1000, 1, "android.os.PowerManager$WakeLock.acquire()V", false}, call{2, 1001, 1000, "com.nav.Main.work()V", false},
		call{1, 9001, 1, "android.os.PowerManager$WakeLock.release()V", false}))
	if len(all) != 1 || all[0].ID == "" {
		t.Fatalf("wastes %+v", all)
	}
	var methods []string
	ways := 0
	ignored := finding.IgnoredWastes(all, func(id, method string, up iter.Seq[string]) bool {
		methods = append(methods, method)
		for range up {
			ways++
		}
		return id == all[0].ID
	})
	path := all[0].Path
	if !ignored[all[0].ID] || len(ignored) != 1 || len(methods) != 1 || methods[0] != path[len(path)-1].Label() || ways != len(path)-1 {
		t.Errorf("ignored %v, asked for %v with %d on the way; the path is %v", ignored, methods, ways, path)
	}
	out, removed := finding.WithoutWastes(in, func(string, string, iter.Seq[string]) bool { return true })
	if removed != 1 || len(finding.Wastes(out)) != 0 || len(finding.Wastes(in)) != 1 {
		t.Errorf("%d are removed, %d stay", removed, len(finding.Wastes(out)))
	}
	if out, removed := finding.WithoutWastes(in, func(string, string, iter.Seq[string]) bool { return false }); removed != 0 || out != in {
		t.Errorf("%d are removed", removed)
	}
}

// TestMethodOfARow finds the method that represents a row. Several parts of a callback may be of one
// method.
func TestMethodOfARow(t *testing.T) {
	r := compare(t, "p.A.a 5\np.A.b 5\np.A.c 5\n", "p.A.a 5\n").Result
	id := func(method string) trace.MethodID {
		return trace.MethodID(slices.IndexFunc(r.Subject.Tree.Source.Methods, func(m name.Method) bool { return m.Name == method }))
	}
	parts := []appcode.Part{{Method: id("a"), Energy: 5}, {Method: id("b"), Energy: 3}, {Method: id("c"), Energy: 4}, {Method: id("b"), Energy: 3}}
	for want, row := range map[string]appcode.Row{
		"b 6":   {Kind: appcode.Callback, Side: appcode.Side{Energy: 15, Parts: parts}},
		"a 5":   {Kind: appcode.Callback, Side: appcode.Side{Energy: 5, Parts: parts[:1]}},
		"own 9": {Kind: appcode.Method, Side: appcode.Side{Method: name.Method{Name: "own"}, Energy: 9, Parts: parts}},
		"own 7": {Kind: appcode.Callback, Side: appcode.Side{Method: name.Method{Name: "own"}, Energy: 7}},
	} {
		m, e := finding.RowMethod(r, &row)
		if got := m.Name + " " + strconv.FormatInt(int64(e), 10); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// TestFindingsOfCodeAreMatched checks which findings about app code have a counterpart.
func TestFindingsOfCodeAreMatched(t *testing.T) {
	set := grownCode(t, "com.mine")
	matched := map[string]bool{}
	for _, f := range set.Code() {
		matched[f.Method.Short()] = f.Matched
	}
	alone := clear(t, "android.os.Handler.handle()V;com.mine.Feed.onClick()V;com.mine.Feed.fresh()V 300\nandroid.os.Handler.handle()V;com.mine.Feed.onClick()V 50\n", "android.os.Handler.handle()V;com.mine.Feed.onClick()V 50\n")
	for _, f := range alone.Code() {
		matched[f.Method.Short()] = f.Matched
	}
	if work, ok := matched["Feed.work"]; !work || !ok {
		t.Errorf("a method of both runs: %v", matched)
	}
	if fresh, ok := matched["Feed.fresh"]; fresh || !ok {
		t.Errorf("a method of one run: %v", matched)
	}
}
