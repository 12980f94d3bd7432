package apicost_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/energy/apicost"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/units"
)

// jvm returns a method without a signature.
func jvm(method string) name.Method { return name.Parse(method, name.JVM) }

// TestPlus adds the bills of two runs. One row of each list is in both bills, and one row is in each
// bill alone.
func TestPlus(t *testing.T) {
	api := func(method string, calls int64, each apicost.Cost) apicost.API {
		return apicost.API{Method: jvm(method), Calls: calls, Each: each, Exact: each.Times(calls), Energy: each.Times(calls).Energy()}
	}
	missing := func(method string, calls int64, e units.Energy) apicost.Missing {
		return apicost.Missing{Method: jvm(method), Calls: calls, Energy: e}
	}
	routine := func(method string, calls int64, all apicost.Cost, guess units.Energy) apicost.Routine {
		exact := all.Times(1)
		return apicost.Routine{Method: jvm(method), Calls: calls, Exact: exact, Energy: exact.Energy(), Average: exact.Over(calls), Guess: guess}
	}
	first := &apicost.Bill{
		Calls: 10, Costed: 6, Guessed: 3, Elsewhere: 2, Shared: 1,
		APIs:     []apicost.API{api("p.A.both", 4, 3000), api("p.A.first", 2, 1000)},
		Missing:  []apicost.Missing{missing("p.A.lacks", 3, 40), missing("p.A.alone", 1, 5)},
		Routines: []apicost.Routine{routine("p.R.both", 2, 12000, 7), routine("p.R.first", 1, 2000, 0)},
	}
	second := &apicost.Bill{
		Calls: 100, Costed: 60, Guessed: 30, Elsewhere: 20, Shared: 10,
		APIs:     []apicost.API{api("p.A.second", 50, 2000), api("p.A.both", 10, 3000)},
		Missing:  []apicost.Missing{missing("p.A.lacks", 30, 400)},
		Routines: []apicost.Routine{routine("p.R.both", 4, 30000, 70), routine("p.R.second", 7, 700, 0)},
	}
	sum := first.Plus(second)
	if sum.Calls != 110 || sum.Costed != 66 || sum.Guessed != 33 || sum.Elsewhere != 22 || sum.Shared != 11 {
		t.Errorf("the counts are %d, %d, %d, %d, %d", sum.Calls, sum.Costed, sum.Guessed, sum.Elsewhere, sum.Shared)
	}
	var b strings.Builder
	for _, a := range sum.APIs {
		fmt.Fprintln(&b, a.Method.Name, a.Calls, a.Energy, a.Exact.Joules())
	}
	for _, m := range sum.Missing {
		fmt.Fprintln(&b, m.Method.Name, m.Calls, m.Energy)
	}
	for _, r := range sum.Routines {
		fmt.Fprintln(&b, r.Method.Name, r.Calls, r.Energy, r.Exact.Joules(), r.Average.Joules(), r.Guess)
	}
	want := fmt.Sprintln("second", 50, units.Energy(100), "0.0000001") +
		fmt.Sprintln("both", 14, units.Energy(42), "0.000000042") +
		fmt.Sprintln("first", 2, units.Energy(2), "0.000000002") +
		fmt.Sprintln("lacks", 33, units.Energy(440)) +
		fmt.Sprintln("alone", 1, units.Energy(5)) +
		fmt.Sprintln("both", 6, units.Energy(42), "0.000000042", "0.000000007", units.Energy(77)) +
		fmt.Sprintln("first", 1, units.Energy(2), "0.000000002", "0.000000002", units.Energy(0)) +
		fmt.Sprintln("second", 7, units.Energy(1), "0.0000000007", "0.0000000001", units.Energy(0))
	if got := b.String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if first.Plus(nil) != nil || (*apicost.Bill)(nil).Plus(second) != nil {
		t.Error("the sum has a bill though one run lacks it")
	}
	if len(first.APIs) != 2 || first.APIs[0].Calls != 4 {
		t.Error("the first bill is changed")
	}
}

// TestSurvey compares call sites with a table: two methods with a cost, two without, and one in a
// package that the table does not cover.
func TestSurvey(t *testing.T) {
	table := readTable(t, "android.a.B.c(),1\nandroid.a.B.d(),2\nandroid.a.B.e(),0\n")
	s := apicost.NewSurvey(table, map[name.Method]int64{
		jvm("android.a.B.c()V"): 2, jvm("android.a.B.d()V"): 5, jvm("android.a.B.e()V"): 3, jvm("android.a.B.f()V"): 4, jvm("other.a.B.c()V"): 7,
	}, none)
	if s.Sites != 14 || s.Costed != 7 || s.Elsewhere != 7 {
		t.Errorf("%d sites, %d with a cost, %d elsewhere", s.Sites, s.Costed, s.Elsewhere)
	}
	if len(s.Listed) != 2 || s.Listed[0].Method.Name != "d" || s.Listed[0].Sites != 5 || s.Listed[0].Each.Joules() != "2" || s.Listed[1].Method.Name != "c" {
		t.Errorf("with a cost: %+v", s.Listed)
	}
	if len(s.Missing) != 2 || s.Missing[0].Method.Name != "f" || s.Missing[0].Why != apicost.NotListed || s.Missing[1].Why != apicost.NoCost || s.Missing[1].Calls != 3 {
		t.Errorf("without a cost: %+v", s.Missing)
	}
}

// TestTypeArguments reads signatures with type arguments, as in sources. A comma in a type argument
// does not end a parameter.
func TestTypeArguments(t *testing.T) {
	table := readTable(t, `"android.a.B.c(java.util.Map<java.lang.String, java.util.List<int[]>>, int)",1
"android.a.B.d(android.a.B.In<T>[])",2
`)
	for label, want := range map[string]string{
		"android.a.B.c(Ljava/util/Map;I)V":  "1",
		"android.a.B.d([Landroid/a/B$In;)V": "2",
		"android.a.B.c(Ljava/util/Map;II)V": "",
		"com.mine.B.c(Ljava/util/Map;I)V":   "",
	} {
		got := ""
		if row, _ := table.Find(jvm(label), none); row >= 0 {
			got = table.Rows[row].Cost.Joules()
		}
		if got != want {
			t.Errorf("%s costs %q, want %q", label, got, want)
		}
	}
	if row, why := table.Find(name.Parse("android.a.B.c", name.Native), none); row >= 0 || why != apicost.NotListed {
		t.Errorf("a native function is in row %d, %v", row, why)
	}
}
