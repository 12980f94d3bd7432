package metered

import (
	"math/rand/v2"
	"testing"

	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
)

// TestLaws divides random and damaged runs. They have paths that overlap wrongly, last for no time
// or are stopped, threads that run at once, lines without opcodes, and meters with jumps.
func TestLaws(t *testing.T) {
	for seed := range uint64(400) {
		random := rand.New(rand.NewPCG(seed, 8))
		d := &Data{methods: []name.Method{name.OfClass("A", "f", "()V"), name.OfClass("A", "g", "()V")}, Tracks: []string{"meter"}}
		for range 1 + random.IntN(12) {
			p := trace.Path{
				Thread: trace.ThreadID(random.IntN(3)), Method: trace.MethodID(random.IntN(2)), End: trace.PathEnd(random.IntN(4)),
				Continues: random.IntN(2) == 0, Count: 1,
			}
			for range random.IntN(6) {
				p.Lines = append(p.Lines, int32(random.IntN(5)))
				if seed%2 == 0 {
					p.Opcodes = append(p.Opcodes, make([]byte, random.IntN(4)))
				}
			}
			d.paths = append(d.paths, p)
		}
		end := int64(1 + random.IntN(1_000_000))
		for range random.IntN(300) {
			at := random.Int64N(end)
			d.runs = append(d.runs, run{int32(random.IntN(len(d.paths))), at, at + random.Int64N(end)/int64(1+random.IntN(200))})
		}
		value := int64(0)
		var all []reading
		for at := int64(0); at < end; at += 1 + random.Int64N(1+end/100) {
			all = append(all, reading{at, value})
			if value += random.Int64N(1000); random.IntN(20) == 0 {
				value += random.Int64N(1 << 40)
			}
		}
		m, err := newMeter(all)
		if err != nil || len(d.runs) == 0 {
			continue
		}
		d.meter, d.elapsed = m, end
		d.cost = trace.PathCost{Probes: random.Int64N(end), Dropped: int64(random.IntN(2))}
		if d.setWindow(); d.end <= d.begin {
			continue
		}
		for _, printed := range []bool{false, true} {
			check(t, New(d, Options{Printed: printed}))
		}
	}
}

// TestShift has meters whose clock is wrong. The energy of such a meter must not be divided,
// because lines would get wrong parts.
func TestShift(t *testing.T) {
	for _, c := range []struct {
		late int64 // ms
		want string
	}{{0, ""}, {20, "shift"}, {-20, "shift"}, {150, "shift"}, {2600, "any"}, {-5100, "any"}} {
		w := simulate(simulation{seed: 4, rate: 20, seconds: 25, spread: 0.3, power: 0.1, methodCount: 10, noise: 0.01, busy: 0.5, late: c.late * 1e6})
		r := fitted(t, w, Options{})
		if r.Reason != c.want && (c.want != "any" || r.Grade != Nothing) {
			t.Errorf("late by %d ms: reason %q, grade %d, want %q", c.late, r.Reason, r.Grade, c.want)
		}
		if off := r.Shift + c.late*1e6; c.want == "shift" && (off > 15e6 || off < -15e6) {
			t.Errorf("late by %d ms: the shift is %d ns", c.late, r.Shift)
		}
	}
}
