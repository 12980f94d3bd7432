package eflask

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/internal/shorten"
	"github.com/diffprof/diffprof/preprocess"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// countedApps is like apps, but the runs count calls.
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
	return list, shifts, Shifted(s, r, Tasks(s, r, list), shifts, BothCount(s, r))
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
			name:      "a renamed callback",
			subject:   "android/L(app/Main.onStart(app/Page.show(android/V.inflate(android/X.parse))))" + rest,
			reference: "android/L(app/Main.begin(app/Page.show(android/V.inflate(android/X.parse))))" + rest,
			want:      "inflate moved from *.begin to *.onStart",
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
			var lines []string
			for _, p := range list {
				if p.Found == Moved {
					here, there := Callbacks(s, r, p.Subject, p.Reference)
					lines = append(lines, fmt.Sprintf("%s moved from %s to %s", s.Labels.Method(s.Nodes[p.Subject].Label).Name, label(there), label(here)))
				}
			}
			for _, x := range shifts {
				lines = append(lines, fmt.Sprintf("%s takes %d call in from %s",
					s.Labels.Method(s.Nodes[x.Subject].Label).Name, x.Calls, label(r.Nodes[r.Nodes[x.Reference].Parent].Label)))
			}
			if got := strings.Join(lines, "; "); got != c.want {
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

// A plainCall is the calls of a task from one caller, with all callers outwards.
type plainCall struct {
	task    int32
	callers []string
	calls   int64
	energy  units.Energy
}

// plainCalls returns the calls of the tasks of a class. It finds the callers by their definition.
func plainCalls(t *preprocess.Tree, fits func(preprocess.LabelID) bool) []plainCall {
	var out []plainCall
	for v := range int32(len(t.Nodes)) {
		if v == 0 || !IsTask(t, v) || !fits(t.Nodes[v].Label) {
			continue
		}
		for _, c := range t.Callers(v) {
			p := plainCall{v, nil, c.Calls, c.Energy}
			for o := c.Source; o > 0; o = t.Caller(o) {
				m := t.Source.Methods[t.Source.Nodes[o].Method]
				switch node := t.Image[o]; {
				case t.MethodKind(t.Source.Nodes[o].Method) == preprocess.App:
					p.callers = append(p.callers, m.Class()+"."+m.Name)
				case t.Image[t.Caller(o)] != node:
					p.callers = append(p.callers, t.Labels.Text(t.Nodes[node].Label))
				}
			}
			out = append(out, p)
		}
	}
	return out
}

// plainShifts computes Shifts by its definition: for each number of callers, it compares all calls
// with each other.
func plainShifts(s, r *preprocess.Tree, list []Counterpart) map[[2]int32][2]int64 {
	peer := make(map[int32]int32)
	for _, c := range list {
		if c.Evidence.Sure() {
			peer[c.Subject] = c.Reference
		}
	}
	out := make(map[[2]int32][2]int64)
	counted := BothCount(s, r)
	var look func(here, there []plainCall, depth int, owned bool)
	look = func(here, there []plainCall, depth int, owned bool) {
		type sum struct {
			v, w   int32
			c, d   int64
			energy units.Energy
		}
		var rows []*sum
		row := func(v, w int32) *sum {
			for _, x := range rows {
				if v > 0 && x.v == v || w > 0 && x.w == w {
					return x
				}
			}
			rows = append(rows, &sum{v: v, w: w})
			return rows[len(rows)-1]
		}
		for _, c := range here {
			w := int32(0)
			for _, d := range there {
				if p, ok := peer[c.task]; ok && p == d.task {
					w = d.task
				}
			}
			row(c.task, w).c += c.calls
		}
		for _, d := range there {
			x := row(0, d.task)
			x.d, x.energy = x.d+d.calls, x.energy+d.energy
		}
		if len(here) == 0 || len(there) == 0 || len(rows) < 2 {
			return
		}
		if owned {
			var more, fewer, lone, left []*sum
			balance := int64(0)
			for _, x := range rows {
				balance += x.c - x.d
				if x.c > x.d {
					more = append(more, x)
				} else if x.c < x.d {
					fewer = append(fewer, x)
				}
				if x.w == 0 {
					lone = append(lone, x)
				} else if x.v == 0 {
					left = append(left, x)
				}
			}
			add := func(v, w int32, calls int64, energy units.Energy) {
				was := out[[2]int32{v, w}]
				out[[2]int32{v, w}] = [2]int64{was[0] + calls, was[1] + int64(energy)}
			}
			partner := func(x *sum) bool {
				for v, w := range peer {
					if x.w == 0 && v == x.v && x.c == s.Calls.Self(v) || x.v == 0 && w == x.w && x.d == r.Calls.Self(w) {
						return true
					}
				}
				return false
			}
			switch {
			case counted && balance == 0 && len(more) == 0:
				return
			case counted && balance == 0 && len(more) == 1:
				for _, f := range fewer {
					add(more[0].v, f.w, f.d-f.c, f.energy*units.Energy(f.d-f.c)/units.Energy(f.d))
				}
				return
			case counted && balance == 0 && len(fewer) == 1:
				f, before := fewer[0], int64(0)
				all := f.energy * units.Energy(f.d-f.c) / units.Energy(f.d)
				part := func(n int64) units.Energy { return all * units.Energy(n) / units.Energy(f.d-f.c) }
				slices.SortFunc(more, func(a, b *sum) int { return int(a.v - b.v) })
				for _, m := range more {
					add(m.v, f.w, m.c-m.d, part(before+m.c-m.d)-part(before))
					before += m.c - m.d
				}
				return
			case (!counted || balance != 0) && len(lone) == 1 && len(left) == 1 && len(rows) == 2:
				if !partner(lone[0]) && !partner(left[0]) {
					add(lone[0].v, left[0].w, left[0].d, left[0].energy)
				}
				return
			}
		}
		var names []string
		for _, c := range slices.Concat(here, there) {
			if depth < len(c.callers) && !slices.Contains(names, c.callers[depth]) {
				names = append(names, c.callers[depth])
			}
		}
		for _, name := range names {
			with := func(calls []plainCall) []plainCall {
				return slices.DeleteFunc(slices.Clone(calls), func(c plainCall) bool { return depth >= len(c.callers) || c.callers[depth] != name })
			}
			look(with(here), with(there), depth+1, owned || strings.HasPrefix(name, "app."))
		}
	}
	g := newGamma(s.Labels)
	for class := range s.Labels.Len() {
		fits := func(id preprocess.LabelID) bool { return g.class[id] == int32(class) }
		look(plainCalls(s, fits), plainCalls(r, fits), 0, false)
	}
	return out
}

// TestShiftsAgreeWithThePlainProgram compares Shifts with plainShifts on random trees.
func TestShiftsAgreeWithThePlainProgram(t *testing.T) {
	names := []string{"android/A.a", "android/B.c", "android/L.l", "app/Main.one", "app/Main.two", "app/Other.three", "lib/Lib.four"}
	rnd := rand.New(rand.NewPCG(23, 6))
	for i := range shorten.Count(2000) {
		a, b := randomTree(rnd, 1+rnd.IntN(40), names), randomTree(rnd, 1+rnd.IntN(40), names)
		s, r := apps(a, b)
		if i%2 == 0 {
			s, r = countedApps(a, b)
		}
		list, _, _ := shifted(t, s, r, match(t, s, r, 0, Options{}))
		pairer := NewPairer(s, r)
		m := pairer.mover(list)
		m.callers = pairer.callersOf(mine(s, r))
		shifts := sorted(m.callShifts())
		want := plainShifts(s, r, list)
		for _, x := range shifts {
			if got := [2]int64{x.Calls, int64(x.Energy)}; want[[2]int32{x.Subject, x.Reference}] != got {
				t.Fatalf("pair %d: %s | %s: shift %+v, want %v", i, a, b, x, want)
			}
			delete(want, [2]int32{x.Subject, x.Reference})
		}
		if len(want) > 0 {
			t.Fatalf("pair %d: %s | %s: %v are missing in %v", i, a, b, want, shifts)
		}
	}
}

// TestShiftsKeepTheLaws checks these laws: no task loses more calls than it has, no calls are
// shifted between counterparts, the total difference of all tasks does not change, and swapped runs
// have swapped shifts.
func TestShiftsKeepTheLaws(t *testing.T) {
	names := []string{"android/A.a", "android/B.c", "android/L.l", "app/Main.one", "app/Main.two", "app/Other.three", "app/Other.four"}
	rnd := rand.New(rand.NewPCG(23, 5))
	found := 0
	for i := range shorten.Count(3000) {
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
			here, saving = here+task.Energy, saving+task.Saving+task.Inside
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
	if found < shorten.Count(300) {
		t.Errorf("%d shifts: too few to test anything", found)
	}
}
