package cct_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/internal/shorten"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// booked is a script in which each event is on one of three accounts. If only is not negative, the
// energy on all other accounts is left out.
type booked struct {
	script
	only int
}

func (r booked) Scan(ctx context.Context, sink trace.Sink) (*trace.Trace, error) {
	return r.script.Scan(ctx, booker{sink, r.only})
}

type booker struct {
	trace.Sink
	only int
}

func (b booker) Events(batch []trace.Event) error {
	for i := range batch {
		e := &batch[i]
		e.Account = trace.AccountID((int(e.Time) + int(e.Ref) + 100) % 3)
		if b.only >= 0 && int(e.Account) != b.only {
			e.Energy = 0
		}
		if b.only >= 0 {
			e.Account = 0
		}
	}
	return b.Sink.Events(batch)
}

// TestAccountsAreColumns checks that a tree's column for an account equals the energy of a tree
// with only the events on that account, and that the columns add up to the field.
func TestAccountsAreColumns(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	divided := 0
	for range shorten.Count(1000) {
		s := make([]byte, r.IntN(60))
		for i := range s {
			s[i] = "abcdeABCDE01239|!@$%&"[r.IntN(21)]
		}
		whole := must(t, booked{script(s), -1})
		var parts [3]*cct.Tree
		for a := range parts {
			parts[a] = must(t, booked{script(s), a})
		}
		for i := range int32(len(whole.Nodes)) {
			sum := int64(0)
			for a, part := range parts {
				key := cct.Key{Quantity: cct.Energy, Account: trace.AccountID(a)}
				if got, want := whole.Self(i, key), int64(part.Energy.Self(i)); got != want {
					t.Fatalf("%q: %v has %d on account %d, want %d", s, whole.Path(i), got, a, want)
				}
				if got, want := whole.All(i, key), int64(part.Energy.All(i)); got != want {
					t.Fatalf("%q: %v has %d in all on account %d, want %d", s, whole.Path(i), got, a, want)
				}
				sum += whole.Self(i, key)
			}
			if sum != int64(whole.Energy.Self(i)) {
				t.Fatalf("%q: %v has %d on its accounts and %d in all", s, whole.Path(i), sum, whole.Energy.Self(i))
			}
		}
		for thread, e := range whole.ThreadEnergy {
			sum := units.Energy(0)
			for a, part := range parts {
				got := whole.EnergyOfThread(thread, trace.AccountID(a))
				if want := part.ThreadEnergy[thread]; got != want {
					t.Fatalf("%q: thread %d has %d on account %d, want %d", s, thread, got, a, want)
				}
				sum += got
			}
			if sum != e {
				t.Fatalf("%q: thread %d has %d on its accounts and %d in all", s, thread, sum, e)
			}
		}
		if slices.ContainsFunc(whole.Keys(), func(k cct.Key) bool { return k.Account == 2 }) {
			divided++
		}
	}
	if divided < shorten.Count(500) {
		t.Errorf("only %d runs have energy on the last account", divided)
	}
}

// TestMergeKeepsAccountsOfThreads checks that the threads of merged runs have the same energy on
// each account as in their own runs.
func TestMergeKeepsAccountsOfThreads(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 9))
	for range shorten.Count(300) {
		var trees []*cct.Tree
		for range 1 + r.IntN(3) {
			trees = append(trees, must(t, booked{script(randomRun(r, "abcdefABCDEF0123|!$&")), -1}))
		}
		merged := merge(t, trees...)
		at := 0
		for _, tree := range trees {
			for thread := range tree.ThreadEnergy {
				for a := range trace.AccountID(3) {
					if got, want := merged.EnergyOfThread(at, a), tree.EnergyOfThread(thread, a); got != want {
						t.Fatalf("thread %d has %d on account %d, want %d", at, got, a, want)
					}
				}
				at++
			}
		}
	}
}

func TestColumn(t *testing.T) {
	// 0(1(2 3) 4)
	ends := []int32{5, 4, 3, 4, 5}
	c := cct.NewColumn(ends, []int64{1, 2, 4, 8, 16})
	var self, all []int64
	for i := range int32(len(ends)) {
		self, all = append(self, c.Self(i)), append(all, c.All(i))
	}
	if !slices.Equal(self, []int64{1, 2, 4, 8, 16}) || !slices.Equal(all, []int64{31, 14, 4, 8, 16}) || c.Total() != 31 {
		t.Errorf("self %v, all %v, total %d", self, all, c.Total())
	}
	var zero cct.Column[int64]
	if zero.Self(3) != 0 || zero.All(0) != 0 || zero.Total() != 0 {
		t.Error("the zero column is not 0")
	}
}

// sampled is a recording of samples of the given stacks, on alternating threads.
type sampled struct {
	stacks [][]trace.MethodID
	// numbered is true if stacks have ids.
	numbered bool
}

func (r sampled) Scan(ctx context.Context, sink trace.Sink) (*trace.Trace, error) {
	tr, err := script("").Scan(ctx, sink)
	if err != nil {
		return nil, err
	}
	var batch []trace.Sample
	for i, stack := range r.stacks {
		s := trace.Sample{Thread: trace.ThreadID(i % 5 / 2), Stack: stack, Weight: int64(i), Count: 2, Energy: 3, CPU: 5}
		if r.numbered {
			s.ID = trace.StackID(1 + slices.IndexFunc(r.stacks, func(other []trace.MethodID) bool { return slices.Equal(other, stack) }))
		}
		batch = append(batch, s)
	}
	return tr, sink.Samples(batch)
}

// TestSamples checks that stacks with ids give the same tree as stacks without ids, and that
// weights and counts are columns.
func TestSamples(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range shorten.Count(300) {
		var stacks [][]trace.MethodID
		for range 1 + r.IntN(40) {
			stack := make([]trace.MethodID, r.IntN(4))
			for i := range stack {
				stack[i] = trace.MethodID(r.IntN(3))
			}
			stacks = append(stacks, stack)
		}
		want, got := must(t, sampled{stacks, false}), must(t, sampled{stacks, true})
		if a, b := render(want), render(got); a != b {
			t.Fatalf("stacks %v:\n got %s\nwant %s", stacks, b, a)
		}
		for i := range int32(len(want.Nodes)) {
			if !slices.Equal(want.Threads(i), got.Threads(i)) {
				t.Fatalf("stacks %v: %v ran on %v, want %v", stacks, want.Path(i), got.Threads(i), want.Threads(i))
			}
			weight := int64(0)
			for n, stack := range stacks {
				if fold(letters(stack)) == pathOf(want, i) {
					weight += int64(n)
				}
			}
			if got.Weight.Self(i) != weight || got.Seen.Self(i)*3 != 2*int64(got.Energy.Self(i)) {
				t.Fatalf("stacks %v: %v has weight %d, want %d, seen %d times with %d nJ", stacks, want.Path(i),
					got.Weight.Self(i), weight, got.Seen.Self(i), got.Energy.Self(i))
			}
		}
		if n := int64(len(stacks)); got.Weight.Total() != n*(n-1)/2 || got.Seen.Total() != 2*n {
			t.Fatalf("%d stacks have weight %d, seen %d times", n, got.Weight.Total(), got.Seen.Total())
		}
	}
}

func letters(stack []trace.MethodID) []byte {
	var out []byte
	for _, m := range stack {
		out = append(out, 'a'+byte(m))
	}
	return out
}

func must(t *testing.T, rec trace.Recording) *cct.Tree {
	t.Helper()
	tree, _, err := cct.Build(t.Context(), rec, cct.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}
