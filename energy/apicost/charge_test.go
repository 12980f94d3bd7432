package apicost_test

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/code/classes"
	"github.com/diffprof/diffprof/code/platform"
	"github.com/diffprof/diffprof/energy/apicost"
	"github.com/diffprof/diffprof/ingest"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// shared has data that is not part of the project.
const shared = "../../../shared/data"

// A run is a recording in memory.
type run struct {
	methods []name.Method
	threads int
	events  []trace.Event
}

func (r *run) Scan(_ context.Context, sink trace.Sink) (*trace.Trace, error) {
	trace.Start(sink, trace.ThreadCPU, trace.NoEnergy)
	if err := sink.Events(slices.Clone(r.events)); err != nil {
		return nil, err
	}
	return &trace.Trace{Methods: r.methods, Threads: make([]trace.Thread, r.threads), Calls: trace.CountedCalls, Clock: trace.ThreadCPU, Technique: trace.Instrumented}, nil
}

func knownPlatform(t testing.TB) *platform.Platform {
	table, err := classes.BuiltIn()
	if err != nil {
		t.Fatal(err)
	}
	p, err := platform.New(platform.Rules{}, table)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func readTable(t testing.TB, text string) *apicost.Table {
	table, err := apicost.Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// sharedTable reads the table that Orka used.
func sharedTable(t testing.TB) *apicost.Table {
	file, err := os.Open(filepath.Join(shared, "api-costs/api_costs.csv"))
	if err != nil {
		t.Skip("the table of Orka is not here:", err)
	}
	defer file.Close()
	table, err := apicost.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// recount is the oracle for Charge. It replays the calls of a recording one by one, without a tree.
// It has the calls and the picojoules of each pair of app method and called method. It also has the
// number of calls for which the table has no cost.
type recount struct {
	methods []name.Method
	known   *platform.Platform
	table   *apicost.Table
	stacks  map[trace.ThreadID][]trace.MethodID
	calls   map[string]int64
	pico    map[string]int64
	// open has the number of calls per thread that began before the recording. No event counts
	// them.
	open map[trace.ThreadID]int
	left int64
}

func (r *recount) enter(thread trace.ThreadID, m trace.MethodID, counts bool) {
	stack := r.stacks[thread]
	r.stacks[thread] = append(stack, m)
	method := r.methods[m]
	if !counts || r.known.Owner(method) != platform.Framework || r.known.Role(method) == platform.Recorder || !r.table.Covers(method) {
		return
	}
	if len(stack) == 0 || r.known.Owner(r.methods[stack[len(stack)-1]]) != platform.App {
		return
	}
	row, _ := r.table.Find(method, r.known.Supertypes)
	if row < 0 {
		r.left++
		return
	}
	key := r.methods[stack[len(stack)-1]].Label() + " calls " + method.Label()
	r.calls[key]++
	r.pico[key] += int64(r.table.Rows[row].Cost)
}

// Open, Close, Extra and Drain make the oracle a cct.Player, for recordings that began in mid-run.
func (r *recount) Open(c *cct.Call) error {
	counts := r.open[c.Thread] == 0
	if !counts {
		r.open[c.Thread]--
	}
	r.enter(c.Thread, c.Method, counts)
	return nil
}

func (r *recount) Close(c *cct.Call) error {
	r.stacks[c.Thread] = r.stacks[c.Thread][:len(r.stacks[c.Thread])-1]
	return nil
}
func (r *recount) Extra(*cct.Call) error { return nil }
func (r *recount) Drain(int64, trace.ThreadID, trace.AccountID, units.Energy) error {
	return nil
}

func newRecount(methods []name.Method, known *platform.Platform, table *apicost.Table) *recount {
	return &recount{methods: methods, known: known, table: table, stacks: map[trace.ThreadID][]trace.MethodID{}, calls: map[string]int64{}, pico: map[string]int64{}, open: map[trace.ThreadID]int{}}
}

// orphans finds the calls that a recording shows only by their exits.
type orphans struct {
	depth, lowest map[trace.ThreadID]int
}

func (o *orphans) Samples([]trace.Sample) error { return nil }
func (o *orphans) Events(batch []trace.Event) error {
	for _, e := range batch {
		switch e.Kind {
		case trace.Enter:
			o.depth[e.Thread]++
		case trace.Exit:
			if o.depth[e.Thread]--; o.depth[e.Thread] < 0 {
				o.depth[e.Thread] = 0
				o.lowest[e.Thread]++
			}
		}
	}
	return nil
}

func charge(t testing.TB, rec trace.Recording, o apicost.Options) (*cct.Tree, *apicost.Bill) {
	t.Helper()
	tree, _, err := cct.Build(t.Context(), rec, cct.Limits{Recursions: true})
	if err != nil {
		t.Fatal(err)
	}
	charged, bill, err := apicost.Charge(tree, o)
	if err != nil {
		t.Fatal(err)
	}
	return charged, bill
}

// compare compares a bill with the oracle, and checks conservation.
func compare(t *testing.T, want *recount, tree *cct.Tree, bill *apicost.Bill) {
	t.Helper()
	routines, apis := map[string]int64{}, map[string]int64{}
	for key, calls := range want.calls {
		routine, api, _ := strings.Cut(key, " calls ")
		routines[routine] += want.pico[key]
		apis[api] += calls
	}
	var costed int64
	var byAPI, byRoutine, byThread units.Energy
	for _, a := range bill.APIs {
		if apis[a.Method.Label()] != a.Calls {
			t.Errorf("%s has %d calls, the oracle counts %d", a.Method.Label(), a.Calls, apis[a.Method.Label()])
		}
		if a.Exact != a.Each.Times(a.Calls).Plus(apicost.Amount{}) {
			t.Errorf("%s costs %s J, %d times %s J", a.Method.Label(), a.Exact.Joules(), a.Calls, a.Each.Joules())
		}
		costed += a.Calls
		byAPI += a.Energy
	}
	for _, r := range bill.Routines {
		if got, want := r.Exact.Joules(), apicost.Cost(routines[r.Method.Label()]).Joules(); got != want {
			t.Errorf("%s costs %s J, the oracle %s J", r.Method.Label(), got, want)
		}
		byRoutine += r.Energy
	}
	if len(apis) != len(bill.APIs) || len(routines) != len(bill.Routines) {
		t.Errorf("%d APIs and %d routines, the oracle has %d and %d", len(bill.APIs), len(bill.Routines), len(apis), len(routines))
	}
	for _, e := range tree.ThreadEnergy {
		byThread += e
	}
	if total := tree.Energy.Total(); byAPI != total || byRoutine != total || byThread != total {
		t.Errorf("the tree has %d nJ, APIs %d, routines %d, threads %d", total, byAPI, byRoutine, byThread)
	}
	if bill.Costed != costed || bill.Calls-bill.Costed != want.left {
		t.Errorf("%s, the oracle costs %d and leaves %d", bill.Share(), costed, want.left)
	}
	var missing int64
	for _, m := range bill.Missing {
		missing += m.Calls
	}
	if missing != want.left {
		t.Errorf("%d calls are missing, the oracle leaves %d", missing, want.left)
	}
}

// costs is an invented table. Its costs are not whole nanojoules.
const costs = `signature,cost,unit
android.widget.Toast.show(),573975.8,nJ
android.widget.TextView.setText(java.lang.CharSequence),1.35324,mJ
"android.widget.TextView.setText(java.lang.CharSequence, android.widget.TextView.BufferType)",1.037028,mJ
android.view.View.invalidate,7777,pJ
android.os.Handler.Handler(),333,pJ
android.util.Log.i(Ljava/lang/String;Ljava/lang/String;)I,0.0000272
android.view.View.setTag(java.lang.Object),0
`

// cast are the methods of generated runs: own code, a library, the framework, native code.
func cast() []name.Method {
	var list []name.Method
	for _, label := range []string{
		"com.mine.Main.onClick(Landroid/view/View;)V", "com.mine.Main.work()V", "com.mine.Main.work(I)V", "okhttp3.Call.execute()V",
		"android.widget.Toast.show()V", "android.widget.EditText.setText(Ljava/lang/CharSequence;)V", "android.widget.TextView.setText(Ljava/lang/CharSequence;)V",
		"android.widget.TextView.setText(Ljava/lang/CharSequence;Landroid/widget/TextView$BufferType;)V", "android.view.View.invalidate()V", "android.widget.Button.invalidate()V",
		"android.os.Handler.<init>()V", "android.os.Handler.<init>(Landroid/os/Looper;)V", "android.util.Log.i(Ljava/lang/String;Ljava/lang/String;)I",
		"android.view.View.setTag(Ljava/lang/Object;)V", "android.view.View.onDraw(Landroid/graphics/Canvas;)V", "java.util.ArrayList.size()I", "android.os.Debug.startMethodTracing()V",
		"android.os.Handler.dispatchMessage(Landroid/os/Message;)V",
	} {
		list = append(list, name.Parse(label, name.JVM))
	}
	return append(list, name.Method{Name: "art_quick_invoke_stub", Lang: name.JVM})
}

// generate makes a run with deep recursion.
func generate(random *rand.Rand, threads, events int) *run {
	r := &run{methods: cast(), threads: threads}
	stacks := make([][]trace.MethodID, threads)
	for range events {
		id := random.IntN(threads)
		stack := stacks[id]
		if len(stack) > 0 && (len(stack) > 12 || random.IntN(2) == 0) {
			r.events = append(r.events, trace.Event{Kind: trace.Exit, Ref: trace.Ref(stack[len(stack)-1]), Thread: trace.ThreadID(id), CPU: 1})
			stacks[id] = stack[:len(stack)-1]
			continue
		}
		m := trace.MethodID(random.IntN(len(r.methods)))
		r.events = append(r.events, trace.Event{Kind: trace.Enter, Ref: trace.Ref(m), Thread: trace.ThreadID(id), CPU: 1})
		stacks[id] = append(stack, m)
	}
	return r
}

// TestChargeAgreesWithRecount charges generated runs and compares them with a recount of the events.
func TestChargeAgreesWithRecount(t *testing.T) {
	known, table := knownPlatform(t), readTable(t, costs)
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 7))
		r := generate(random, 1+random.IntN(3), 20+random.IntN(400))
		want := newRecount(r.methods, known, table)
		for _, e := range r.events {
			switch e.Kind {
			case trace.Enter:
				want.enter(e.Thread, trace.MethodID(e.Ref), true)
			case trace.Exit:
				want.stacks[e.Thread] = want.stacks[e.Thread][:len(want.stacks[e.Thread])-1]
			}
		}
		tree, bill := charge(t, r, apicost.Options{Table: table, Platform: known})
		compare(t, want, tree, bill)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// TestChargeIgnoresOrder interleaves the threads of a run in another way, and reverses the rows of
// the table.
func TestChargeIgnoresOrder(t *testing.T) {
	known, table := knownPlatform(t), readTable(t, costs)
	lines := strings.Split(strings.TrimSpace(costs), "\n")
	slices.Reverse(lines[1:])
	turned := readTable(t, strings.Join(lines, "\n"))
	show := func(r *run, table *apicost.Table) string {
		tree, bill := charge(t, r, apicost.Options{Table: table, Platform: known, Guess: true})
		for i := range bill.APIs {
			bill.APIs[i].Row = table.Rows[bill.APIs[i].Row].Line * 0
		}
		return fmt.Sprint(tree.Pack(), *bill)
	}
	for seed := range uint64(20) {
		r := generate(rand.New(rand.NewPCG(seed, 8)), 3, 300)
		other := *r
		other.events = slices.Clone(r.events)
		slices.SortStableFunc(other.events, func(a, b trace.Event) int { return int(a.Thread) - int(b.Thread) })
		want := show(r, table)
		if got := show(&other, table); got != want {
			t.Fatalf("seed %d: another order of threads gives another result", seed)
		}
		if got := show(r, turned); got != want {
			t.Fatalf("seed %d: another order of rows gives another result", seed)
		}
	}
}

// TestChargeOfRealTraces charges real traces with the table that Orka used, and recounts them.
func TestChargeOfRealTraces(t *testing.T) {
	known, table := knownPlatform(t), sharedTable(t)
	traces, err := filepath.Glob(filepath.Join(shared, "art/*.trace"))
	if err != nil || len(traces) == 0 {
		t.Skip("no traces here")
	}
	charged := 0
	for _, path := range traces {
		t.Run(filepath.Base(path), func(t *testing.T) {
			file, err := ingest.Open(t.Context(), path, ingest.Options{MaxExpanded: ingest.DefaultMaxExpanded})
			if err != nil {
				t.Skip(err)
			}
			defer file.Close()
			replay, err := cct.NewReplay(t.Context(), file, cct.Limits{})
			if err != nil {
				t.Skip(err)
			}
			if replay.Trace.Calls != trace.CountedCalls {
				t.Skip("not counted")
			}
			charged++
			want := newRecount(replay.Trace.Methods, known, table)
			before := &orphans{map[trace.ThreadID]int{}, map[trace.ThreadID]int{}}
			if _, err := file.Scan(t.Context(), before); err != nil {
				t.Fatal(err)
			}
			want.open = before.lowest
			if err := replay.Play(t.Context(), want); err != nil {
				t.Fatal(err)
			}
			tree, bill := charge(t, file, apicost.Options{Table: table, Platform: known})
			compare(t, want, tree, bill)
			t.Logf("%s into android.*, %s J", bill.Share(), units.Fixed(float64(tree.Energy.Total())/1e9, 6))
		})
	}
	if charged == 0 {
		t.Error("no trace was charged")
	}
}

// TestToast reproduces the two apps of Section 6 of the Orka paper: a toast shown 50 times and once.
func TestToast(t *testing.T) {
	known, table := knownPlatform(t), sharedTable(t)
	methods := []name.Method{
		name.Parse("com.mine.Main.onClick(Landroid/view/View;)V", name.JVM),
		name.Parse("android.widget.Toast.makeText(Landroid/content/Context;Ljava/lang/CharSequence;I)Landroid/widget/Toast;", name.JVM),
		name.Parse("android.widget.Toast.show()V", name.JVM),
	}
	for times, want := range map[int]string{50: "0.42193334", 1: "0.0084386668"} {
		r := &run{methods: methods, threads: 1, events: []trace.Event{{Kind: trace.Enter, Ref: 0}}}
		for range times {
			for m := 1; m <= 2; m++ {
				r.events = append(r.events, trace.Event{Kind: trace.Enter, Ref: trace.Ref(m)}, trace.Event{Kind: trace.Exit, Ref: trace.Ref(m)})
			}
		}
		for _, orka := range []bool{false, true} {
			_, bill := charge(t, r, apicost.Options{Table: table, Platform: known, Orka: orka})
			var sum apicost.Amount
			for _, a := range bill.APIs {
				sum = sum.Plus(a.Exact)
			}
			if sum.Joules() != want || bill.Calls != bill.Costed {
				t.Errorf("%d toasts cost %s J, %s, want %s", times, sum.Joules(), bill.Share(), want)
			}
		}
	}
}

// TestGuess charges the other methods of a class with the median cost of the class, on a separate
// account.
func TestGuess(t *testing.T) {
	known := knownPlatform(t)
	table := readTable(t, "android.view.View.a(),0.001\nandroid.view.View.b(),0.003\nandroid.view.View.c(),0.004\nandroid.view.View.d(),0.009\nandroid.view.View.e(),0\n")
	r := &run{threads: 1, methods: []name.Method{
		name.Parse("com.mine.Main.work()V", name.JVM), name.Parse("android.view.View.a()V", name.JVM), name.Parse("android.view.View.e()V", name.JVM),
		name.Parse("android.widget.Button.x()V", name.JVM), name.Parse("android.util.Log.i()V", name.JVM),
	}, events: []trace.Event{{Kind: trace.Enter, Ref: 0}}}
	for m := 1; m < len(r.methods); m++ {
		r.events = append(r.events, trace.Event{Kind: trace.Enter, Ref: trace.Ref(m)}, trace.Event{Kind: trace.Exit, Ref: trace.Ref(m)})
	}
	o := apicost.Options{Table: table, Platform: known, Guess: true}
	tree, bill := charge(t, r, o)
	if got := fmt.Sprint(bill.Calls, bill.Costed, bill.Guessed); got != "4 1 2" {
		t.Errorf("calls, costed and guessed are %s", got)
	}
	cost := tree.Column(cct.Key{Quantity: cct.Energy, Account: apicost.CostAccount}).Total()
	guess := tree.Column(cct.Key{Quantity: cct.Energy, Account: apicost.GuessAccount}).Total()
	if cost != units.Millijoule || guess != 7*units.Millijoule || tree.Energy.Total() != cost+guess {
		t.Errorf("the costs are %d nJ, the guesses %d nJ", cost, guess)
	}
	if len(o.Accounts()) != 2 || bill.Routines[0].Guess != guess || bill.Routines[0].Energy != cost {
		t.Errorf("the method of the app has %d and %d nJ", bill.Routines[0].Energy, bill.Routines[0].Guess)
	}
}

// TestNotCounted checks the errors for a tree whose calls were not counted, and for a sum that is
// too large.
func TestNotCounted(t *testing.T) {
	known, table := knownPlatform(t), readTable(t, costs)
	tree, _, err := cct.Build(t.Context(), generate(rand.New(rand.NewPCG(1, 1)), 1, 50), cct.Limits{Recursions: true})
	if err != nil {
		t.Fatal(err)
	}
	other := *tree
	other.Counted = trace.EstimatedCalls
	if _, _, err := apicost.Charge(&other, apicost.Options{Table: table, Platform: known}); err == nil {
		t.Error("estimated calls were charged")
	}
}

func none(string) iter.Seq[string] { return func(func(string) bool) {} }
