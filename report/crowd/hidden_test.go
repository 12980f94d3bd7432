package crowd

import (
	"context"
	"testing"

	"github.com/diffprof/diffprof/fleet"
	"github.com/diffprof/diffprof/fleet/samples"
	"github.com/diffprof/diffprof/fleet/simulation"
)

// running makes a fleet in which an app of 40 clients doubles the discharge rate. The app starts or
// stops every few samples, or between any two samples.
func running(t *testing.T, period int) *fleet.Fleet {
	t.Helper()
	names := samples.NewNames()
	app, other := names.ID("com.mine"), names.ID("com.other")
	var clients []*samples.Client
	for i := range 40 {
		c := samples.NewClient(samples.ID(i+1)<<32, 0)
		at := int64(simulation.Start)
		for n := range 90 {
			s := samples.Sample{Time: at, Level: int32(100-n) * samples.Percent, Apps: []uint32{other}}
			pause := int64(1200 + 7*((i*31+n*17)%20))
			if n%period < period/2 {
				s.Apps, pause = append(s.Apps, app), int64(600+5*((i*13+n*29)%20))
			}
			c.Add(&s)
			at += pause * 1000
		}
		clients = append(clients, c)
	}
	o := fleet.Defaults()
	o.Within = nil // The app runs for the same hours every day.
	f, err := fleet.Analyze(context.Background(), samples.InMemory(names, nil, clients, 3), o, nil)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestHiddenNote checks that the explanation of a hog has one more note if part of its excess is
// not measured.
func TestHiddenNote(t *testing.T) {
	notes := map[bool]int{}
	for _, period := range []int{4, 6, 10, 30, 90} {
		d, known, err := Explain(running(t, period), "com.mine", "1.0")
		if err != nil || !known || d.App == nil || d.App.Hog == nil {
			t.Fatalf("period %d: known %v, %v", period, known, err)
		}
		hidden := d.App.Hog.hidden()
		if n, ok := notes[hidden]; ok && n != len(d.Notes) {
			t.Errorf("period %d: %d notes, others have %d", period, len(d.Notes), n)
		}
		notes[hidden] = len(d.Notes)
	}
	if len(notes) != 2 || notes[true] != notes[false]+1 {
		t.Errorf("hidden drains have %d notes, others %d", notes[true], notes[false])
	}
}
