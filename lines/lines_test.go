package lines_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/lines"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/repeats"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// A frame is a method and a line of it. A negative line is a complemented position.
type frame struct {
	method trace.MethodID
	line   int32
}

// A recording is samples of stacks, the outermost frame first.
type recording struct {
	methods int
	stacks  [][]frame
	energy  []units.Energy
	// numbered is set if the samples number their stacks.
	numbered bool
}

func (r *recording) Scan(_ context.Context, sink trace.Sink) (*trace.Trace, error) {
	tr := &trace.Trace{Threads: make([]trace.Thread, 1), Events: int64(len(r.stacks)), CodeUnits: make([]int32, r.methods)}
	for m := range r.methods {
		tr.Methods = append(tr.Methods, name.OfClass("a.B", fmt.Sprint("m", m), "()V"))
		tr.CodeUnits[m] = int32(100 + m)
	}
	ids := make(map[string]trace.StackID)
	for i, stack := range r.stacks {
		s := trace.Sample{Energy: r.energy[i], CPU: int64(r.energy[i]), Count: 1}
		for _, f := range stack {
			s.Stack, s.Lines = append(s.Stack, f.method), append(s.Lines, f.line)
		}
		if key := fmt.Sprint(s.Stack); r.numbered {
			if ids[key] == 0 {
				ids[key] = trace.StackID(len(ids) + 1)
			}
			s.ID = ids[key]
		}
		if err := sink.Samples([]trace.Sample{s}); err != nil {
			return nil, err
		}
	}
	return tr, nil
}

// random returns a random recording with recursion, unknown lines and equal stacks.
func random(r *rand.Rand) *recording {
	rec := &recording{methods: 1 + r.IntN(6), numbered: r.IntN(2) == 0}
	for range r.IntN(200) {
		var stack []frame
		for range r.IntN(8) {
			stack = append(stack, frame{trace.MethodID(r.IntN(rec.methods)), int32(r.IntN(4))})
		}
		if n := len(rec.stacks); n > 0 && r.IntN(3) == 0 {
			stack = rec.stacks[r.IntN(n)]
		}
		rec.stacks, rec.energy = append(rec.stacks, stack), append(rec.energy, units.Energy(r.IntN(1000)))
	}
	return rec
}

// table makes the table of a recording.
func table(t *testing.T, rec trace.Recording, resolve func(name.Method) []name.Method) *lines.Table {
	t.Helper()
	split := lines.Split(rec)
	tree, tr, err := cct.Build(t.Context(), split, cct.Limits{Deep: true})
	if err != nil {
		t.Fatal(err)
	}
	if resolve != nil {
		tree, err = lines.Resolve(t.Context(), tree, tr.Accounts, func(m trace.MethodID) []name.Method { return resolve(tree.Methods[m]) })
		if err != nil {
			t.Fatal(err)
		}
	}
	return lines.New(tree,
		func(v int32) float64 { return float64(tree.Seen.Self(v)) },
		func(v int32) float64 { return float64(tree.Seen.All(v)) }, split.Each, 1, split.Errors, 1)
}

// key identifies a line of a method.
func key(m name.Method, line int) string { return fmt.Sprintf("%s:%d", m.Label(), line) }

// TestAgainstSums compares tables with sums over the samples. A line's own energy is the sum over
// its samples as the innermost frame. Its energy with callees is the sum over the samples with the
// line anywhere on the stack.
func TestAgainstSums(t *testing.T) {
	for seed := range uint64(300) {
		rec := random(rand.New(rand.NewPCG(seed, 1)))
		got := table(t, rec, nil)
		own, all, seen := make(map[string]units.Energy), make(map[string]units.Energy), make(map[string]float64)
		var total, outside units.Energy
		for i, stack := range rec.stacks {
			total += rec.energy[i]
			on := make(map[string]bool)
			for _, f := range stack {
				on[fmt.Sprint("m", f.method)] = true
				on[key(name.OfClass("a.B", fmt.Sprint("m", f.method), "()V"), int(f.line))] = true
			}
			for k := range on {
				all[k] += rec.energy[i]
			}
			if len(stack) == 0 {
				outside += rec.energy[i]
				continue
			}
			last := stack[len(stack)-1]
			k := key(name.OfClass("a.B", fmt.Sprint("m", last.method), "()V"), int(last.line))
			own[k] += rec.energy[i]
			own[fmt.Sprint("m", last.method)] += rec.energy[i]
			seen[k]++
		}
		if got.Total != total || got.Outside != outside || got.Located+got.Unknown+got.Outside != got.Total {
			t.Fatalf("seed %d: total %d outside %d located %d unknown %d, want %d and %d", seed, got.Total, got.Outside, got.Located, got.Unknown, total, outside)
		}
		rows := 0
		for _, r := range got.Rows {
			k := key(r.Method, r.Line)
			if r.Own != own[k] || r.All != all[k] || r.Samples != seen[k] {
				t.Fatalf("seed %d: %s has %d, %d and %v samples; want %d, %d and %v", seed, k, r.Own, r.All, r.Samples, own[k], all[k], seen[k])
			}
			rows++
		}
		for _, r := range got.ByMethod().Rows {
			if r.Line != 0 || r.Own != own[r.Method.Name] || r.All != all[r.Method.Name] {
				t.Fatalf("seed %d: method %s has %d and %d, want %d and %d", seed, r.Method.Name, r.Own, r.All, own[r.Method.Name], all[r.Method.Name])
			}
		}
		for k := range all {
			if all[k] > 0 && strings.Contains(k, ":") && !slices.ContainsFunc(got.Rows, func(r lines.Row) bool { return key(r.Method, r.Line) == k }) {
				t.Fatalf("seed %d: no row for %s", seed, k)
			}
		}
	}
}

// TestResolve replaces positions by lines, and lines by inlined frames. It compares the table with
// the table of a recording that has these frames from the start.
func TestResolve(t *testing.T) {
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 2))
		rec := random(r)
		for _, stack := range rec.stacks {
			for i := range stack {
				if stack[i].line > 0 {
					stack[i].line = ^stack[i].line
				}
			}
		}
		// Positions 1 and 2 are line 10. Position 3 is line 30 of m0, inlined into line 20 of the
		// method.
		chain := func(f frame) []frame {
			switch f.line {
			case ^int32(1), ^int32(2):
				return []frame{{f.method, 10}}
			case ^int32(3):
				return []frame{{f.method, 20}, {0, 30}}
			}
			return []frame{f}
		}
		want := &recording{methods: rec.methods, energy: rec.energy}
		for _, stack := range rec.stacks {
			var out []frame
			for _, f := range stack {
				out = append(out, chain(f)...)
			}
			want.stacks = append(want.stacks, out)
		}
		got := table(t, rec, func(m name.Method) []name.Method {
			unit, ok := m.Unit()
			if !ok {
				return []name.Method{m}
			}
			if unit == 3 {
				return []name.Method{m.OnLine(20), name.OfClass("a.B", "m0", "()V").OnLine(30)}
			}
			return []name.Method{m.OnLine(10)}
		})
		if expected := table(t, want, nil); !equal(got, expected) {
			t.Fatalf("seed %d: got %v, want %v", seed, text(got), text(expected))
		}
	}
}

func equal(a, b *lines.Table) bool { return text(a) == text(b) }

// text lists the rows with figures.
func text(t *lines.Table) string {
	var b strings.Builder
	fmt.Fprintln(&b, t.Total, t.Located, t.Unknown, t.Outside, t.Samples, t.LocatedSamples)
	for _, r := range t.Rows {
		if r.All > 0 || r.Samples > 0 {
			fmt.Fprintln(&b, key(r.Method, r.Line), r.Own, r.All, r.Samples, r.AllSamples)
		}
	}
	return b.String()
}

// TestIntervals simulates runs whose true energies are known. Lines have different shares and
// powers, and work lasts for some time. A sampler takes samples at random moments. The intervals
// must contain the true energy for 90 to 99 of 100 lines that have a figure.
func TestIntervals(t *testing.T) {
	for _, streak := range []float64{0.1, 1, 10} { // the mean duration of work, in intervals of the sampler
		held, shown := 0, 0
		for seed := range uint64(40) {
			r := rand.New(rand.NewPCG(seed, 3))
			const each = 1000 // nanojoules per interval at the power of the run
			n := 40
			weights, power := make([]float64, n), make([]float64, n)
			for i := range weights {
				weights[i], power[i] = math.Exp(1.5*r.NormFloat64()), math.Exp(lines.Power*r.NormFloat64())
			}
			rec := &recording{methods: 1}
			truth := make([]float64, n)
			next, now := r.ExpFloat64(), 0.0
			for now < 2000 {
				line := pick(r, weights)
				took := streak * r.ExpFloat64()
				truth[line] += took * each * power[line]
				for end := now + took; next < end; next += r.ExpFloat64() {
					rec.stacks = append(rec.stacks, []frame{{0, int32(line + 1)}})
					rec.energy = append(rec.energy, each)
				}
				now += took
			}
			got := table(t, rec, nil)
			for i := range got.Rows {
				row := &got.Rows[i]
				interval, ok := got.Own(row)
				if !ok {
					continue
				}
				shown++
				if x := truth[row.Line-1]; float64(interval.Least) <= x && x <= float64(interval.Most) {
					held++
				}
			}
		}
		if share := float64(held) / float64(shown); share < 0.90 || share > 0.99 {
			t.Errorf("work of %v intervals: %d of %d intervals hold the truth", streak, held, shown)
		} else {
			t.Logf("work of %v intervals: %d of %d intervals hold the truth", streak, held, shown)
		}
	}
}

// TestUnequalSamples checks that samples of unequal energy widen intervals. A line with small
// samples may have missed a large sample, so its interval must contain the energy of a large
// sample. In all intervals, the energy of one sample is Recording.Each, the mean energy of a sample
// weighted by energy.
func TestUnequalSamples(t *testing.T) {
	const large = 1_000_000
	make := func(second units.Energy) *lines.Table {
		rec := &recording{methods: 1}
		for line, energy := range []units.Energy{1, second} {
			for range 20 {
				rec.stacks, rec.energy = append(rec.stacks, []frame{{0, int32(line + 1)}}), append(rec.energy, energy)
			}
		}
		return table(t, rec, nil)
	}
	interval := func(t *testing.T, all *lines.Table, line int) lines.Interval {
		t.Helper()
		at := slices.IndexFunc(all.Rows, func(r lines.Row) bool { return r.Line == line })
		i, ok := all.Own(&all.Rows[at])
		if !ok || i.Least > all.Rows[at].Own || i.Most < all.Rows[at].Own || i.Least < 0 || i.Most > all.Total {
			t.Fatalf("line %d: interval %v of %d", line, i, all.Rows[at].Own)
		}
		return i
	}
	equal, unequal := make(1), make(large)
	if equal.Each != 1 || unequal.Each < large*0.999 || unequal.Each > large {
		t.Errorf("samples count as %v and %v", equal.Each, unequal.Each)
	}
	if i := interval(t, equal, 1); i.Least < 8 || i.Most > 40 {
		t.Errorf("20 of 40 equal samples: interval %v", i)
	}
	if i := interval(t, unequal, 1); i.Most < large || i.Least > 1 {
		t.Errorf("20 small samples and 20 large ones: interval %v", i)
	}
	if i := interval(t, unequal, 2); i.Least < 16*large || i.Least > 19*large {
		t.Errorf("20 large samples: interval %v", i)
	}
}

// TestCallers checks which recordings have lines only for innermost frames.
func TestCallers(t *testing.T) {
	for _, tt := range []struct {
		stacks [][]frame
		want   bool
	}{
		{nil, true},
		{[][]frame{{{0, 3}}}, true}, // There are no callers.
		{[][]frame{{{0, 0}}, {{0, 0}, {1, 0}}}, true},
		{[][]frame{{{0, 0}, {1, 5}}}, false},
		{[][]frame{{{0, 2}}, {{0, 0}, {1, 5}}}, false},
		{[][]frame{{{0, 2}, {1, 5}}}, true},
		{[][]frame{{{0, 2}, {1, 0}}, {{0, 0}, {1, 5}}}, true},
	} {
		rec := &recording{methods: 2, stacks: tt.stacks, energy: make([]units.Energy, len(tt.stacks))}
		if got := table(t, rec, nil).Callers; got != tt.want {
			t.Errorf("%v: %v", tt.stacks, got)
		}
	}
}

// pick returns an index with a probability proportional to its weight.
func pick(r *rand.Rand, weights []float64) int {
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	at := r.Float64() * sum
	for i, w := range weights {
		if at -= w; at < 0 {
			return i
		}
	}
	return len(weights) - 1
}

// TestGrade checks the grades. It also checks that a run that is longer by the stated factor has
// the next grade.
func TestGrade(t *testing.T) {
	even := func(lineCount, samples int) *recording {
		rec := &recording{methods: 1}
		for i := range samples {
			rec.stacks = append(rec.stacks, []frame{{0, int32(1 + i%lineCount)}})
			rec.energy = append(rec.energy, 100)
		}
		return rec
	}
	if g, longer := table(t, &recording{methods: 1, stacks: [][]frame{{{0, 0}}}, energy: []units.Energy{5}}, nil).Grade(); g != lines.Nothing || longer != 0 {
		t.Errorf("a run without lines has grade %d and %v", g, longer)
	}
	g, longer := table(t, even(20, 100), nil).Grade()
	if g != lines.Methods || longer <= 1 {
		t.Fatalf("5 samples per line have grade %d and %v", g, longer)
	}
	if g, _ := table(t, even(20, 20*int(math.Ceil(5*longer))), nil).Grade(); g != lines.Lines {
		t.Errorf("a run %v times as long has grade %d", longer, g)
	}
}

// TestUnsampled has a line that lost most of its samples. Its measured time is divided among all lines, so only intervals with the share
// that was not sampled hold.
func TestUnsampled(t *testing.T) {
	worked := []units.Energy{600, 600, 600, 1200} // the true energies of the lines; each of 60 samples of the first three has 10
	seen := []int{60, 60, 60, 20}
	rec := &recording{methods: 1}
	for line, n := range seen {
		for range n {
			rec.stacks, rec.energy = append(rec.stacks, []frame{{0, int32(line + 1)}}), append(rec.energy, 15)
		}
	}
	tab := table(t, rec, nil)
	hold := func() (n int) {
		for i := range tab.Rows {
			r := &tab.Rows[i]
			if in, ok := tab.Own(r); ok && in.Least <= worked[r.Line-1] && worked[r.Line-1] <= in.Most {
				n++
			}
		}
		return n
	}
	if g, _ := tab.Grade(); g != lines.Lines || hold() == len(seen) {
		t.Errorf("without the share: grade %d, %d intervals hold", g, hold())
	}
	tab.Unsampled = 1 - 200.0*10/float64(tab.Total)
	if g, longer := tab.Grade(); g != lines.Methods || longer != 0 || hold() != len(seen) {
		t.Errorf("grade %d, %v times as long, %d of %d intervals hold", g, longer, hold(), len(seen))
	}
}

// TestCompare checks that equal runs have no difference, that swapping the runs swaps the signs,
// and that a line that uses ten times as much energy is found.
func TestCompare(t *testing.T) {
	make := func(heavy int) *lines.Table {
		rec := &recording{methods: 2}
		add := func(line int32, n int) {
			for range n {
				rec.stacks, rec.energy = append(rec.stacks, []frame{{0, line}}), append(rec.energy, 100)
			}
		}
		for line := int32(1); line <= 8; line++ {
			add(line, 50)
		}
		add(9, heavy)
		return table(t, rec, nil)
	}
	small, large := make(60), make(600)
	for _, p := range lines.Compare(small, small, lines.Own, 0.3, true, nil) {
		if p.Saving != 0 || p.Estimate.Verdict != 0 {
			t.Errorf("line %d of a run differs from itself: %+v", p.Subject.Line, p)
		}
	}
	more, less := lines.Compare(large, small, lines.Own, 0.3, true, nil), lines.Compare(small, large, lines.Own, 0.3, true, nil)
	for i := range more {
		if more[i].Saving != -less[i].Saving {
			t.Errorf("pair %d: %d and %d", i, more[i].Saving, less[i].Saving)
		}
	}
	if p := more[0]; p.Subject.Line != 9 || p.Estimate.Verdict == 0 || more[1].Estimate.Verdict != 0 {
		t.Errorf("the first pairs are %+v and %+v", more[0], more[1])
	}
	moved := lines.Compare(large, small, lines.Own, 0.3, true, func(r *lines.Row) int { return (r.Line + 1) % 10 })
	for _, p := range moved {
		if p.Subject != nil && p.Reference != nil && p.Subject.Line != p.Reference.Line+1 {
			t.Errorf("line %d is paired with line %d", p.Subject.Line, p.Reference.Line)
		}
	}
}

// TestCompareWithCallees checks that a method that uses more energy makes the line that calls it
// differ, and that equal callers have no difference.
func TestCompareWithCallees(t *testing.T) {
	make := func(heavy int) *lines.Table {
		rec := &recording{methods: 3}
		for line := int32(1); line <= 8; line++ {
			n := 50
			if line == 5 {
				n = heavy
			}
			for range n {
				rec.stacks, rec.energy = append(rec.stacks, []frame{{0, line}, {1, line % 2}, {2, 7}}), append(rec.energy, 100)
			}
		}
		return table(t, rec, nil)
	}
	small, large := make(50), make(2000)
	pairs := lines.Compare(large, small, lines.All, 0.3, true, nil)
	found := false
	for _, p := range pairs {
		if p.Subject.All-p.Reference.All != p.Saving {
			t.Errorf("line %d has a saving of %d", p.Subject.Line, p.Saving)
		}
		if p.Subject.Method.Name != "m0" {
			continue
		}
		if heavy := p.Subject.Line == 5; heavy != (p.Estimate.Verdict == repeats.Costlier) {
			t.Errorf("line %d: %+v", p.Subject.Line, p.Estimate)
		} else {
			found = found || heavy
		}
	}
	if !found {
		t.Error("no row for the line that calls more")
	}
	for _, p := range lines.Compare(small, small, lines.All, 0.3, true, nil) {
		if p.Saving != 0 || p.Estimate.Verdict != 0 {
			t.Errorf("line %d of a run differs from itself: %+v", p.Subject.Line, p)
		}
	}
}

func BenchmarkSplit(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	rec := &recording{methods: 500, numbered: true}
	var stacks [][]frame
	for range 500 {
		var stack []frame
		for range 40 {
			stack = append(stack, frame{trace.MethodID(r.IntN(500)), int32(1 + r.IntN(30))})
		}
		stacks = append(stacks, stack)
	}
	for range 20_000 {
		rec.stacks, rec.energy = append(rec.stacks, stacks[r.IntN(len(stacks))]), append(rec.energy, 10)
	}
	for _, split := range []bool{false, true} {
		b.Run(fmt.Sprint("split=", split), func(b *testing.B) {
			for b.Loop() {
				in := trace.Recording(rec)
				if split {
					in = lines.Split(rec)
				}
				if _, _, err := cct.Build(b.Context(), in, cct.Limits{Deep: true}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
