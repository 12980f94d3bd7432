package cct_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// played is the calls that a player received, as a recording. Each call has an Enter, and an Exit
// with its exclusive energy.
type played struct {
	events  []trace.Event
	trace   *trace.Trace
	open    map[trace.ThreadID][]trace.MethodID
	latest  map[trace.ThreadID]int64
	drained units.Energy
	log     strings.Builder
	fault   error
}

func newPlayed() *played {
	return &played{open: make(map[trace.ThreadID][]trace.MethodID), latest: make(map[trace.ThreadID]int64)}
}

func (p *played) Scan(_ context.Context, sink trace.Sink) (*trace.Trace, error) {
	return p.trace, sink.Events(append([]trace.Event(nil), p.events...))
}

// note records a call, and checks it against the laws of a Player.
func (p *played) note(what string, c *cct.Call) {
	fmt.Fprintf(&p.log, "%s %d/%d @%d %d", what, c.Thread, c.Method, c.Time, c.Energy)
	if c.All != c.Energy {
		fmt.Fprintf(&p.log, " of %d", c.All)
	}
	p.log.WriteString("\n")
	if c.Time < p.latest[c.Thread] {
		p.fault = fmt.Errorf("thread %d goes back to %d", c.Thread, c.Time)
	}
	p.latest[c.Thread] = c.Time
}

func (p *played) Open(c *cct.Call) error {
	p.note("open", c)
	p.open[c.Thread] = append(p.open[c.Thread], c.Method)
	p.events = append(p.events, trace.Event{Kind: trace.Enter, Ref: trace.Ref(c.Method), Thread: c.Thread})
	return nil
}

func (p *played) Close(c *cct.Call) error {
	p.note("close", c)
	open := p.open[c.Thread]
	if len(open) == 0 || open[len(open)-1] != c.Method {
		p.fault = fmt.Errorf("thread %d closes %d of %v", c.Thread, c.Method, open)
		return p.fault
	}
	p.open[c.Thread] = open[:len(open)-1]
	p.events = append(p.events, trace.Event{Kind: trace.Exit, Ref: trace.Ref(c.Method), Thread: c.Thread, Energy: c.Energy})
	return nil
}

func (p *played) Extra(c *cct.Call) error {
	p.events = append(p.events, trace.Event{Kind: trace.Charge, Ref: trace.NoRef, Thread: c.Thread, Energy: c.Energy})
	fmt.Fprintf(&p.log, "apart %d/%d @%d %d\n", c.Thread, c.Method, c.Time, c.Energy)
	return nil
}

func (p *played) Drain(_ int64, _ trace.ThreadID, _ trace.AccountID, e units.Energy) error {
	p.drained += e
	return nil
}

// play replays a recording.
func play(t *testing.T, rec trace.Recording) *played {
	t.Helper()
	r, err := cct.NewReplay(t.Context(), rec, cct.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	p := newPlayed()
	p.trace = r.Trace
	if err := r.Play(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	if p.fault != nil {
		t.Fatalf("%v\n%s", p.fault, p.log.String())
	}
	for id, open := range p.open {
		if len(open) > 0 {
			t.Errorf("thread %d: %v stay open", id, open)
		}
	}
	return p
}

// shape lists the contexts of a tree with their exclusive energies.
func shape(t *testing.T, rec trace.Recording) (string, units.Energy) {
	t.Helper()
	tree, _, err := cct.Build(t.Context(), rec, cct.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return render(tree), tree.Energy.Total()
}

// TestReplayIsTheTree checks that the tree of the played calls equals the tree of the recording,
// whatever is wrong with its stacks. Energy charged to calls that have ended goes to Extra, so only
// the sums are equal there.
func TestReplayIsTheTree(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for i := range 1000 {
		letters := "abcdeABCDE0123|"
		if i%3 == 0 {
			letters += "!@$%&"
		}
		var b strings.Builder
		for range r.IntN(60) {
			b.WriteByte(letters[r.IntN(len(letters))])
		}
		s := script(b.String())
		p := play(t, s)
		want, total := shape(t, s)
		got, sum := shape(t, p)
		if sum != total || p.drained != total {
			t.Errorf("%s: played %d, drained %d of %d", s, sum, p.drained, total)
		}
		if i%3 != 0 && got != want {
			t.Errorf("%s: played %s, want %s\n%s", s, got, want, p.log.String())
		}
	}
}

func TestReplay(t *testing.T) {
	for _, c := range []struct{ name, script, want string }{
		{"nested", "a1b2B3A", "open 0/0 @0 0\nopen 0/1 @1 0\nclose 0/1 @3 2\nclose 0/0 @6 4 of 6\n"},
		{"open at the start", "1B2A", "open 0/0 @1 0\nopen 0/1 @1 0\nclose 0/1 @1 1\nclose 0/0 @3 2 of 3\n"},
		{"open at the end", "a1b2", "open 0/0 @0 0\nopen 0/1 @1 0\nclose 0/1 @1 0\nclose 0/0 @1 1\n"},
		{"outside of calls", "a1A5aA", "open 0/0 @0 0\nclose 0/0 @1 1\nopen 0/0 @6 0\nclose 0/0 @6 0\napart 0/-1 @6 5\n"},
		{"charged while open", "a@b3%BA", "open 0/0 @0 0\nopen 0/1 @0 0\nclose 0/1 @3 0\nclose 0/0 @3 3\n"},
		{"charged later", "a@Ab3%B", "open 0/0 @0 0\nclose 0/0 @0 0\nopen 0/1 @0 0\napart 0/0 @3 3\nclose 0/1 @3 0\n"},
	} {
		if got := play(t, script(c.script)).log.String(); got != c.want {
			t.Errorf("%s:\n%s\nwant:\n%s", c.name, got, c.want)
		}
	}
}

// stacksOf is a recording of samples of one thread.
type stacksOf []trace.Sample

func (s stacksOf) Scan(_ context.Context, sink trace.Sink) (*trace.Trace, error) {
	tr, err := script("").Scan(context.Background(), sink)
	if err != nil {
		return nil, err
	}
	return tr, sink.Samples(append([]trace.Sample(nil), s...))
}

// TestReplayOfSamples checks that frames that consecutive samples share are one call. A stack that
// was not seen for a long time has ended.
func TestReplayOfSamples(t *testing.T) {
	at := func(time int64, stack ...trace.MethodID) trace.Sample {
		return trace.Sample{Time: time, Stack: stack, CPU: 10, Energy: 7}
	}
	p := play(t, stacksOf{at(0, 0, 1), at(11, 0, 1, 2), at(21, 0, 3), at(90, 0, 3), at(100)})
	const want = `open 0/0 @0 0
open 0/1 @0 0
open 0/2 @11 0
close 0/2 @21 7
close 0/1 @21 7 of 14
open 0/3 @21 0
close 0/3 @31 7
close 0/0 @31 0 of 21
open 0/0 @90 0
open 0/3 @90 0
close 0/3 @100 7
close 0/0 @100 0 of 7
apart 0/-1 @110 7
`
	if got := p.log.String(); got != want {
		t.Errorf("%s\nwant:\n%s", got, want)
	}
	if p.drained != 35 {
		t.Errorf("drained %d", p.drained)
	}
}

func TestReplayLimits(t *testing.T) {
	for _, s := range []script{"abcdefgh", "ABCDEFGH"} {
		if _, err := cct.NewReplay(t.Context(), s, cct.Limits{Bytes: 400}); !errors.Is(err, cct.ErrTooLarge) {
			t.Errorf("%s: %v", s, err)
		}
	}
	r, err := cct.NewReplay(t.Context(), script("a1A"), cct.Limits{})
	if err != nil || !r.HasTimes {
		t.Error(r, err)
	}
	if r, err = cct.NewReplay(t.Context(), script("aA"), cct.Limits{}); err != nil || r.HasTimes {
		t.Error(r, err)
	}
	if _, err := cct.NewReplay(t.Context(), one{Energy: -1}, cct.Limits{}); err == nil {
		t.Error("no error for negative energy")
	}
}
