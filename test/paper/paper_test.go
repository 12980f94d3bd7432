package paper_test

import (
	"cmp"
	"context"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/eflask"
	"github.com/diffprof/diffprof/units"
)

const cases = "../../testdata/cases"

// options returns the options for comparing a pair, whose files may be compressed.
func options(t *testing.T, pair string) analysis.Options {
	t.Helper()
	find := func(side string) string {
		for _, suffix := range []string{".trace", ".trace.gz"} {
			if found, _ := filepath.Glob(filepath.Join(cases, pair, side+suffix)); len(found) == 1 {
				return found[0]
			}
		}
		t.Fatalf("%s has no %s; run make generate", pair, side)
		return ""
	}
	o := analysis.Options{
		Subject: analysis.Side{Path: find("subject")}, Reference: analysis.Side{Path: find("reference")}, Alpha: analysis.PaperAlpha,
		Matching:     eflask.Options{Lemma: true},
		PowerProfile: filepath.Join(cases, "power_profile.xml"),
	}
	if found, _ := filepath.Glob(filepath.Join(cases, pair, "subject.mapping.txt")); len(found) == 1 {
		o.Subject.Mapping = found[0]
	}
	return o
}

func compare(t *testing.T, o analysis.Options) *analysis.Result {
	t.Helper()
	r, err := analysis.Compare(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func uAh(e units.Energy) float64 { return units.MicroampereHour.Amount(e, units.DefaultVoltage) }

// near reports whether got differs from want by at most 0.5 %, or by half of the last printed
// digit.
func near(got, want, digit float64) bool {
	return math.Abs(got-want) <= max(want*0.005, digit/2)
}

// short returns a method's class without its package, and the method's name, as in the paper's
// tables.
func short(label string) string {
	if label == cct.RootLabel {
		return label
	}
	name, _, _ := strings.Cut(label, "(")
	parts := strings.Split(name, ".")
	return strings.Join(parts[max(0, len(parts)-2):], ".")
}

func taskName(in *analysis.Input, node int32) string {
	return short(in.Tree.Labels.Text(in.Tree.Nodes[node].Label))
}

// path returns the short names on the path to a node, without the root and the node itself.
func path(in *analysis.Input, node int32) []string {
	var names []string
	for at := in.Tree.Nodes[node].Parent; at > 0; at = in.Tree.Nodes[at].Parent {
		names = append(names, taskName(in, at))
	}
	slices.Reverse(names)
	return names
}

// task returns the task with this name that uses most.
func task(t *testing.T, r *analysis.Result, name string) eflask.Task {
	t.Helper()
	for _, k := range r.Tasks {
		if taskName(&r.Subject, k.Node) == name {
			return k
		}
	}
	t.Fatalf("no task %s", name)
	return eflask.Task{}
}

// A method is a row of an ordinary profile.
type method struct {
	label string
	uAh   float64
}

// profile returns an ordinary profile: methods over all contexts, sorted by decreasing energy, then
// by name.
func profile(in *analysis.Input, energy func(i int) units.Energy) []method {
	sums := make(map[string]units.Energy)
	tree := in.Tree.Source
	for i := range tree.Nodes {
		sums[tree.Label(int32(i))] += energy(i)
	}
	var rows []method
	for label, e := range sums {
		rows = append(rows, method{label, uAh(e)})
	}
	slices.SortFunc(rows, func(a, b method) int {
		return cmp.Or(cmp.Compare(b.uAh, a.uAh), cmp.Compare(a.label, b.label))
	})
	return rows
}

func inclusive(in *analysis.Input) []method {
	return profile(in, func(i int) units.Energy { return in.Tree.Source.Energy.All(int32(i)) })
}

func exclusive(in *analysis.Input) []method {
	return profile(in, func(i int) units.Energy { return in.Tree.Source.Energy.Self(int32(i)) })
}

// position returns the position of a method's first overload in a profile, from 1.
func position(rows []method, name string) int {
	return 1 + slices.IndexFunc(rows, func(m method) bool { return short(m.label) == name })
}

// findings are the rows of Table 4, with numbers from the text.
var findings = []struct {
	pair, task string
	rank       int     // among diffprof's tasks, 0 if the paper does not state it
	uAh        float64 // as printed in Table 4
	digit      float64 // value of its last digit
	percent    float64 // of the subject's total
	calls      int64   // 0 if the paper does not state it
	position   int     // in the ordinary profile by inclusive energy, 0 if the paper does not state it
	// For a matched task: the reference's numbers, and the part of the split that the paper gives
	// as the reason.
	peer, peerDigit, peerPercent float64
	peerCalls                    int64
	reason                       string
	// caller is the app method that makes the most calls. file is its file.
	caller, file string
}{
	{pair: "hangouts-whatsapp", task: "ContentResolver.query", rank: 1, uAh: 44.3, digit: 0.1, percent: 10.1, calls: 116, position: 27,
		caller: "ConversationStore.loadParticipants", file: "ConversationStore.java"},
	{pair: "kohls-letgo", task: "ObjectInputStream.readObject", rank: 1, uAh: 12.8, digit: 0.1, percent: 3.9, position: 90,
		caller: "FileStore.load", file: "FileStore.java"},
	{pair: "kohls-letgo", task: "ObjectOutputStream.writeObject", rank: 3, uAh: 10.5, digit: 0.1, percent: 3.2, position: 133,
		caller: "FileStore.dump", file: "FileStore.java"},
	{pair: "kaspersky-avg", task: "Thread.getStackTrace", rank: 1, uAh: 39.57, digit: 0.01, percent: 14.8, position: 22,
		caller: "Encoder.onFailure", file: "Encoder.java"},
	{pair: "pandora80-freemusic", task: "SharedPreferencesImpl$EditorImpl.apply", rank: 4, uAh: 22.9, digit: 0.1, percent: 17.5, calls: 30, position: 42,
		caller: "UserPrefsImpl.setElapsed", file: "UserPrefsImpl.java"},
	{pair: "dfndr-turbo", task: "Runtime.exec", rank: 3, uAh: 19.52, digit: 0.01, percent: 5.2, position: 50,
		caller: "Shell.run", file: "Shell.java"},

	{pair: "wish-letgo", task: "Bitmap.compress", rank: 2, uAh: 100.94, digit: 0.01, percent: 15.9,
		peer: 7.14, peerDigit: 0.01, peerPercent: 3.6, reason: "dearer", caller: "DiskCache$Entry.write", file: "DiskCache.java"},
	{pair: "wish-letgo", task: "BitmapFactory.decodeStream", rank: 1, uAh: 126.32, digit: 0.01, percent: 19.9,
		peer: 5.01, peerDigit: 0.01, peerPercent: 2.5, reason: "dearer", caller: "Decoder.decode", file: "Decoder.java"},
	{pair: "pandora57-pandora83", task: "TextView.setText", rank: 1, uAh: 43.63, digit: 0.01, percent: 28.1,
		peer: 0.74, peerDigit: 0.01, peerPercent: 0.7, reason: "dearer", caller: "TrackElapsedTimeView.show", file: "TrackElapsedTimeView.java"},
	{pair: "spotify-pandora83", task: "ProgressBar.setProgress", rank: 1, uAh: 29.2, digit: 0.1, percent: 20.2, calls: 596,
		peer: 1.74, peerDigit: 0.01, peerPercent: 1.6, peerCalls: 29, reason: "more", caller: "SeekbarPresenter.a", file: "SeekbarPresenter.java"},
	{pair: "textnow-whatsapp", task: "ViewRootImpl.performTraversals", rank: 1, uAh: 230.46, digit: 0.01, percent: 40.6,
		peer: 24.0, peerDigit: 0.1, peerPercent: 28.4, reason: "dearer", caller: "MessageHandler.handleMessage", file: "MessageHandler.java"},
	{pair: "solid-fx", task: "Drawable.invalidateSelf", rank: 1, uAh: 35.52, digit: 0.01, percent: 18.9,
		peer: 1.24, peerDigit: 0.01, peerPercent: 2.0, reason: "more", caller: "CircularAnimatedDrawable$1.set", file: "CircularAnimatedDrawable.java"},
}

// TestCaseStudies checks Table 4 and the figures in Section 5.3's text.
func TestCaseStudies(t *testing.T) {
	for _, f := range findings {
		t.Run(f.pair+"/"+f.task, func(t *testing.T) {
			r := compare(t, options(t, f.pair))
			k := task(t, r, f.task)
			if rank := 1 + slices.IndexFunc(r.Tasks, func(o eflask.Task) bool { return o.Node == k.Node }); rank != f.rank {
				t.Errorf("ranks %d, want %d", rank, f.rank)
			}
			if got := uAh(k.Energy); !near(got, f.uAh, f.digit) {
				t.Errorf("drains %.3f µAh, want %g", got, f.uAh)
			}
			if got := 100 * units.Share(k.Energy, r.Subject.Energy); math.Abs(got-f.percent) > 0.05 {
				t.Errorf("share is %.3f %%, want %g", got, f.percent)
			}
			if f.calls != 0 && k.Calls != f.calls {
				t.Errorf("%d calls, want %d", k.Calls, f.calls)
			}
			rows := inclusive(&r.Subject)
			if f.position != 0 {
				if got := position(rows, f.task); got != f.position {
					t.Errorf("an ordinary profile has it at %d, want %d", got, f.position)
				}
			}
			// Section 5.3.1: the methods that use most in an ordinary profile are framework code
			// that neither calls the app nor is called by it.
			for _, row := range rows[:5] {
				if short(row.label) == f.task {
					t.Errorf("an ordinary profile has it among the first five")
				}
			}
			checkCaller(t, r, k, f.caller, f.file)

			if f.peer == 0 {
				if k.Found != eflask.Unmatched {
					t.Errorf("is matched (%v) with %s", k.Found, taskName(&r.Reference, k.Peer))
				}
				return
			}
			if k.Found == eflask.Unmatched {
				t.Fatalf("is unmatched at α = %d", r.Matching.Alpha)
			}
			if got := taskName(&r.Reference, k.Peer); got != f.task {
				t.Errorf("is matched with %s", got)
			}
			if got := uAh(k.PeerEnergy); !near(got, f.peer, f.peerDigit) {
				t.Errorf("the reference drains %.3f µAh, want %g", got, f.peer)
			}
			if got := 100 * units.Share(k.PeerEnergy, r.Reference.Energy); math.Abs(got-f.peerPercent) > 0.05 {
				t.Errorf("the reference's share is %.3f %%, want %g", got, f.peerPercent)
			}
			if f.peerCalls != 0 && k.PeerCalls != f.peerCalls {
				t.Errorf("the reference has %d calls, want %d", k.PeerCalls, f.peerCalls)
			}
			if k.Split == nil || k.Split.Calls+k.Split.PerCall != k.Saving {
				t.Fatalf("split %+v does not add up to %d", k.Split, k.Saving)
			}
			if more := k.Split.Calls > k.Split.PerCall; more != (f.reason == "more") {
				t.Errorf("more calls cost %.2f µAh, dearer calls %.2f; the reason is %s calls", uAh(k.Split.Calls), uAh(k.Split.PerCall), f.reason)
			}
		})
	}
}

// checkCaller checks which app method makes the most calls of a task.
func checkCaller(t *testing.T, r *analysis.Result, k eflask.Task, name, file string) {
	t.Helper()
	var calls int64
	for _, c := range eflask.Callers(r.Subject.Tree, k.Node) {
		calls += c.Calls
	}
	if calls != k.Calls {
		t.Errorf("callers make %d calls of %d", calls, k.Calls)
	}
	tree := r.Subject.Tree.Source
	m := tree.Methods[tree.Nodes[eflask.Callers(r.Subject.Tree, k.Node)[0].Source].Method]
	if got := short(m.Label()); got != name || m.File != file {
		t.Errorf("is called by %s in %s, want %s in %s", got, m.File, name, file)
	}
}

// TestPairs checks general properties of each pair.
func TestPairs(t *testing.T) {
	// The dynamic α of each pair. It is larger for two apps than for two versions of one app.
	alphas := map[string]int{
		"hangouts-whatsapp": 1, "textnow-whatsapp": 2, "kohls-letgo": 3, "wish-letgo": 3, "kaspersky-avg": 3,
		"dfndr-turbo": 3, "pandora80-freemusic": 0, "pandora57-pandora83": 0, "spotify-pandora83": 1, "solid-fx": 1,
	}
	folders, err := filepath.Glob(filepath.Join(cases, "*", "subject.trace*"))
	if err != nil {
		t.Fatal(err)
	}
	seen := make(map[string]bool)
	for _, folder := range folders {
		pair := filepath.Base(filepath.Dir(folder))
		if seen[pair] {
			continue
		}
		seen[pair] = true
		t.Run(pair, func(t *testing.T) {
			r := compare(t, options(t, pair))
			want, ok := alphas[pair]
			if !ok {
				t.Fatal("the test does not know this pair")
			}
			if r.Matching.Alpha != want {
				t.Errorf("α is %d, want %d", r.Matching.Alpha, want)
			}
			// Section 5.1 chooses the smallest α that matches a fifth of the tasks.
			share := func(alpha int) float64 {
				m, err := eflask.Match(context.Background(), r.Subject.Tree, r.Reference.Tree, alpha, eflask.Options{})
				if err != nil {
					t.Fatal(err)
				}
				return eflask.Cover(r.Subject.Tree, alpha, eflask.Counterparts(r.Subject.Tree, r.Reference.Tree, m, true)).Share()
			}
			if got := share(want); got < 0.2 {
				t.Errorf("%.1f %% of the tasks match, not a fifth", 100*got)
			}
			if want > 0 && share(want-1) >= 0.2 {
				t.Errorf("a fifth of the tasks match at α = %d already", want-1)
			}
			s := r.Summary
			if sum := s.MatchedEnergy + s.UnmatchedEnergy + s.OutsideEnergy; sum != r.Subject.Energy {
				t.Errorf("matched, unmatched and outside are %d nJ, the run %d", sum, r.Subject.Energy)
			}
			// Differences that are more than chance come first.
			chance := func(k eflask.Task) int {
				if analysis.Costlier(r.Chance.Task(&k)) {
					return 0
				}
				return 1
			}
			if !slices.IsSortedFunc(r.Tasks, func(a, b eflask.Task) int {
				return cmp.Or(cmp.Compare(chance(a), chance(b)), cmp.Compare(b.Saving, a.Saving))
			}) {
				t.Error("tasks are not in the order of what they save")
			}
		})
	}
	if len(seen) != len(alphas) {
		t.Errorf("%d pairs, want %d", len(seen), len(alphas))
	}
}

// A row is a row of a list in Tables 5 and 6.
type row struct {
	name string
	uAh  float64
}

// lists are Tables 5 and 6: the first five rows of each list.
var lists = []struct {
	pair      string
	inclusive []row
	exclusive []row
	// tasks are sorted by their saving. A star marks unmatched tasks.
	tasks []row
}{
	{
		"hangouts-whatsapp",
		[]row{{"(toplevel)", 436.8}, {"Looper.loop", 220.6}, {"Handler.dispatchMessage", 207.3}, {"Thread.run", 176.9}, {"Method.invoke", 175.4}},
		[]row{{"BinderProxy.transactNative", 50.8}, {"VMRuntime.runHeapTasks", 11.6}, {"MessageQueue.nativePollOnce", 9.86}, {"Throwable.nativeFillInStackTrace", 9.39}, {"Trace.nativeTraceBegin", 7.81}},
		[]row{{"ContentResolver.query*", 44.3}, {"TelephonyManager.getSimState*", 24.9}, {"SQLiteQueryBuilder.query*", 17.2}, {"ObjectOutputStream.writeObject", 11.2}, {"Html.fromHtml", 6.49}},
	},
	{
		"kohls-letgo",
		[]row{{"(toplevel)", 329.71}, {"Method.invoke", 149.74}, {"Looper.loop", 134.65}, {"ActivityThread.main", 132.89}, {"ZygoteInit$MethodAndArgsCaller.run", 132.89}},
		[]row{{"VMRuntime.runHeapTasks", 26.11}, {"BinderProxy.transactNative", 11.9}, {"BitmapFactory.nativeDecodeByteArray", 10.34}, {"DdmVmInternal.threadNotify", 10.02}, {"StringFactory.newStringFromChars", 7.96}},
		[]row{{"ObjectInputStream.readObject*", 12.82}, {"BitmapFactory.decodeByteArray", 11.19}, {"ObjectOutputStream.writeObject*", 10.53}, {"Class.isAnonymousClass", 9.55}, {"JSONObject.toString", 8.24}},
	},
}

// TestTables checks the first five rows of each list of Tables 5 and 6.
func TestTables(t *testing.T) {
	for _, tt := range lists {
		t.Run(tt.pair, func(t *testing.T) {
			r := compare(t, options(t, tt.pair))
			check := func(list string, i int, name string, got float64, want row) {
				t.Helper()
				if name != want.name || !near(got, want.uAh, 0.01) {
					t.Errorf("%s, row %d: %s %.3f µAh, want %s %g", list, i+1, name, got, want.name, want.uAh)
				}
			}
			rows := inclusive(&r.Subject)
			for i, want := range tt.inclusive {
				check("inclusive", i, short(rows[i].label), rows[i].uAh, want)
			}
			rows = exclusive(&r.Subject)
			for i, want := range tt.exclusive {
				check("exclusive", i, short(rows[i].label), rows[i].uAh, want)
			}
			for i, want := range tt.tasks {
				k := r.Tasks[i]
				name := taskName(&r.Subject, k.Node)
				if k.Found == eflask.Unmatched {
					name += "*"
				}
				check("tasks", i, name, uAh(k.Saving), want)
			}
		})
	}
}

// TestSmallDifferenceRanksLow checks that Kohl's View.draw is not among the first tasks: it uses
// more energy than the additional tasks, but letgo's uses nearly as much (Section 5.3.1).
func TestSmallDifferenceRanksLow(t *testing.T) {
	r := compare(t, options(t, "kohls-letgo"))
	k := task(t, r, "View.draw")
	if !near(uAh(k.Energy), 12.16, 0.01) || !near(uAh(k.PeerEnergy), 8.29, 0.01) {
		t.Errorf("View.draw drains %.2f µAh against %.2f, want 12.16 against 8.29", uAh(k.Energy), uAh(k.PeerEnergy))
	}
	for _, top := range r.Tasks[:5] {
		if top.Node == k.Node {
			t.Error("View.draw is among the first five")
		}
	}
}
