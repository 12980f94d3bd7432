package eflask

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/preprocess"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// countedApps is apps, of runs that count calls.
func countedApps(subject, reference string) (s, r *preprocess.Tree) {
	a, b := parseTree(subject), parseTree(reference)
	a.Counted, b.Counted = trace.CountedCalls, trace.CountedCalls
	return preprocess.Pair(a, b, preprocess.Options{Steps: preprocess.Steps{App: true, Hierarchy: true}, Platform: twoApps})
}

// shifted compares two trees as runs of one app.
func shifted(tb testing.TB, s, r *preprocess.Tree, m *Matching) ([]Counterpart, []Shift, []Task) {
	tb.Helper()
	own := mine(s, r)
	list := Moves(s, r, Counterparts(s, r, m, false), own)
	shifts := Shifts(s, r, list, own)
	return list, shifts, Shifted(Tasks(s, r, list), shifts, BothCount(s, r))
}

func TestMoved(t *testing.T) {
	const rest = " android/Q(app/Rest.run(android/S.append android/S.close) app/Rest.call(android/S.size))"
	for _, c := range []struct {
		name, subject, reference string
		want                     string
	}{
		{
			name:      "one task",
			subject:   "android/L(app/Main.onStop app/Main.onStart(app/Page.show(android/V.inflate(android/X.parse android/X.make))))" + rest,
			reference: "android/L(app/Main.onStart app/Main.onStop(app/Page.show(android/V.inflate(android/X.parse android/X.make))))" + rest,
			want:      "inflate moved from *.onStop to *.onStart",
		},
		{
			name:      "an own method with its tasks, and a task inside of one of them",
			subject:   "android/L(app/Main.onStart(app/Page.show(android/V.inflate(android/X.parse(app/Node.make(android/Z.draw(android/Z.line)))) android/W.ask)))" + rest,
			reference: "android/L(app/Main.onStop(app/Page.show(android/V.inflate(android/X.parse(app/Node.make(android/Z.draw(android/Z.line)))) android/W.ask)))" + rest,
			want:      "inflate moved from *.onStop to *.onStart; ask moved from *.onStop to *.onStart",
		},
		{
			name:      "another method of the app calls the same",
			subject:   "android/L(app/Main.onStart(app/Page.show(android/V.inflate(android/X.parse))))" + rest,
			reference: "android/L(app/Main.onStop(app/List.fill(android/V.inflate(android/X.parse))))" + rest,
			want:      "",
		},
		{
			name:      "a library calls it in both",
			subject:   "android/L(app/Main.onStart(lib/Loader.load(android/V.inflate(android/X.parse))))" + rest,
			reference: "android/L(app/Main.onStop(lib/Loader.load(android/V.inflate(android/X.parse))))" + rest,
			want:      "",
		},
		{
			name:      "a method whose class has a name that obfuscators give",
			subject:   "android/L(app/Main.onStart(app/a.b(android/V.inflate(android/X.parse))))" + rest,
			reference: "android/L(app/Main.onStop(app/a.b(android/V.inflate(android/X.parse))))" + rest,
			want:      "",
		},
		{
			name:      "a part of the calls",
			subject:   "android/L(app/Main.onStart(app/Page.show(android/V.inflate) app/Head.show(android/V.inflate)) app/Main.onStop(app/Foot.show(android/V.inflate)))" + rest,
			reference: "android/L(app/Main.onStart(app/Head.show(android/V.inflate)) app/Main.onStop(app/Foot.show(android/V.inflate) app/Page.show(android/V.inflate)))" + rest,
			want:      "inflate takes 1 call in from *.onStop",
		},
		{
			name:      "the only calls of a task, which the reference makes in a task with others",
			subject:   "android/L(app/Main.onStart(app/Page.show(android/V.inflate)) app/Main.onStop(app/Foot.show(android/V.inflate)))" + rest,
			reference: "android/L(app/Main.onStop(app/Foot.show(android/V.inflate) app/Page.show(android/V.inflate)))" + rest,
			want:      "inflate takes 1 call in from *.onStop",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, r := countedApps(c.subject, c.reference)
			list, shifts, tasks := shifted(t, s, r, match(t, s, r, 0, Options{}))
			label := func(id preprocess.LabelID) string {
				m := s.Labels.Method(id)
				return m.Type + "." + m.Name
			}
			var said []string
			for _, p := range list {
				if p.Found == Moved {
					here, there := Callbacks(s, r, p.Subject, p.Reference)
					said = append(said, fmt.Sprintf("%s moved from %s to %s", s.Labels.Method(s.Nodes[p.Subject].Label).Name, label(there), label(here)))
				}
			}
			for _, x := range shifts {
				said = append(said, fmt.Sprintf("%s takes %d call in from %s",
					s.Labels.Method(s.Nodes[x.Subject].Label).Name, x.Calls, label(r.Nodes[r.Nodes[x.Reference].Parent].Label)))
			}
			if got := strings.Join(said, "; "); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			for _, task := range tasks {
				if task.Saving != task.Energy-task.PeerEnergy-task.Elsewhere() {
					t.Errorf("%+v: the saving is not the difference", task)
				}
			}
		})
	}
}

// TestShiftsKeepTheLaws: no task gives more than it has, no calls are shifted between
// counterparts, what all tasks of both runs differ by stays, and swapped runs have swapped shifts.
func TestShiftsKeepTheLaws(t *testing.T) {
	names := []string{"android/A.a", "android/B.c", "android/L.l", "app/Main.one", "app/Main.two", "app/Other.three", "app/Other.four"}
	rnd := rand.New(rand.NewPCG(23, 5))
	found := 0
	for i := range 3000 {
		a, b := randomTree(rnd, 1+rnd.IntN(40), names), randomTree(rnd, 1+rnd.IntN(40), names)
		s, r := apps(a, b)
		if i%2 == 0 {
			s, r = countedApps(a, b)
		}
		m := match(t, s, r, 0, Options{})
		list, shifts, tasks := shifted(t, s, r, m)
		where := fmt.Sprintf("pair %d: %s | %s", i, a, b)
		found += len(shifts)
		given := make(map[int32]units.Energy)
		for _, x := range shifts {
			given[x.Reference] += x.Energy
			if !IsTask(s, x.Subject) || !IsTask(r, x.Reference) || x.Energy < 0 || given[x.Reference] > r.Energy.All(x.Reference) {
				t.Fatalf("%s: shift %+v", where, x)
			}
			if slices.ContainsFunc(list, func(c Counterpart) bool {
				return c.Evidence.Sure() && c.Subject == x.Subject && c.Reference == x.Reference
			}) {
				t.Fatalf("%s: %+v is between counterparts", where, x)
			}
		}
		var here, there, saving units.Energy
		matched := make(map[int32]bool)
		for _, task := range tasks {
			here, saving = here+task.Energy, saving+task.Saving
			if task.Peer >= 0 {
				matched[task.Peer] = true
			}
			if task.Split != nil && task.Split.Calls+task.Split.PerCall != task.Saving {
				t.Fatalf("%s: the split %+v is not of %d", where, *task.Split, task.Saving)
			}
		}
		for w := range r.Nodes {
			if w := int32(w); w > 0 && IsTask(r, w) {
				if there += r.Energy.All(w); !matched[w] {
					saving -= r.Energy.All(w) - given[w]
				}
			}
		}
		if saving != here-there {
			t.Fatalf("%s: the rows differ by %d, the tasks by %d", where, saving, here-there)
		}
		_, back, _ := shifted(t, r, s, swapped(m))
		if len(back) != len(shifts) {
			t.Fatalf("%s: %v, swapped %v", where, shifts, back)
		}
		for _, x := range back {
			if !slices.ContainsFunc(shifts, func(y Shift) bool { return y.Subject == x.Reference && y.Reference == x.Subject }) {
				t.Fatalf("%s: %v, swapped %v", where, shifts, back)
			}
		}
		if list, shifts, _ := shifted(t, s, s, match(t, s, s, 0, Options{})); len(shifts) > 0 ||
			slices.ContainsFunc(list, func(c Counterpart) bool { return c.Found != Exact }) {
			t.Fatalf("%s: against itself %v, %v", where, list, shifts)
		}
	}
	if found < 300 {
		t.Errorf("%d shifts: too few to test anything", found)
	}
}
