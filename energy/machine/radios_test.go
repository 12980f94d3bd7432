package machine_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/diffprof/diffprof/energy/machine"
	"github.com/diffprof/diffprof/energy/model"
	"github.com/diffprof/diffprof/internal/shorten"
	"github.com/diffprof/diffprof/trace"
)

// A request is an operation of a random run, in seconds and bytes.
type request struct {
	verb              trace.Verb
	begin, end, bytes float64
	owner             int
	// From at on, the radio works for the request for left seconds or until end. It then waits for
	// trip seconds.
	at, left, trip float64
	estimated      bool
	number         int
	late           bool
}

// paperRadio charges a radio by the rules of the paper (Pathak et al., EuroSys 2012, Sections 4.1
// to 4.3) and of docs/energy.md. It computes in floating point, from one event to the next. The
// figures of the model are all that it shares with the machine.
type paperRadio struct {
	ramp, active, tail       float64 // watts
	ramps, tails             float64 // seconds
	perByte, cost, roundTrip map[trace.Verb]float64
	use, rest                map[int]float64 // joules by owner
}

func newPaperRadio(t *testing.T, c *model.Component) *paperRadio {
	r := &paperRadio{
		perByte: map[trace.Verb]float64{}, cost: map[trace.Verb]float64{}, roundTrip: map[trace.Verb]float64{},
		use: map[int]float64{}, rest: map[int]float64{},
	}
	for _, s := range c.States {
		switch p := float64(s.Power) / 1e6; s.Kind {
		case model.Ramp:
			r.ramp = p
		case model.Productive:
			r.active = p
		case model.Tail:
			r.tail = p
		}
	}
	for _, tr := range c.Transitions {
		if tr.After > 0 && c.States[tr.From].Kind == model.Ramp {
			r.ramps = tr.After.Seconds()
		} else if tr.After > 0 {
			r.tails = tr.After.Seconds()
		}
	}
	for _, w := range c.Work {
		for _, v := range w.On {
			r.perByte[v], r.cost[v], r.roundTrip[v] = w.PerKiB.Seconds()/1024, float64(w.EnergyPerKiB)/1e9/1024, w.Latency.Seconds()
		}
	}
	if r.ramps == 0 || r.tails == 0 || r.perByte[trace.OpSend] == 0 {
		t.Fatalf("%s is another kind of radio", c.Name)
	}
	return r
}

// charge charges requests. They are sorted by their begin.
func (r *paperRadio) charge(requests []*request) {
	const off, ramping, working, trailing = 0, 1, 2, 3
	var waiting, jobs, receives []*request
	for i, q := range requests {
		q.number = i
		q.left, q.trip = q.bytes*r.perByte[q.verb], r.roundTrip[q.verb]
		q.at, q.estimated = q.begin, true
		switch q.verb {
		case trace.OpReceive:
			q.at, q.estimated = max(q.begin, q.end-q.left), false
		case trace.OpOpen, trace.OpClose:
			q.trip = min(q.trip, q.end-q.begin)
		}
		waiting = append(waiting, q)
	}
	slices.SortStableFunc(waiting, func(a, b *request) int {
		if a.at < b.at {
			return -1
		}
		return 1
	})
	state, now, until := off, 0.0, math.Inf(1)
	cause, tripOwner, last := -1, -1, -1
	trip, ended := math.Inf(-1), math.Inf(-1)
	tripping := false
	lastNumber, tripNumber := -1, -1
	progressing := func() []*request { return jobs[:min(len(jobs), 16)] }
	claim := func(q *request, end float64) {
		if !q.late && (end > ended || end == ended && q.number > lastNumber) {
			last, ended, lastNumber = q.owner, end, q.number
		}
	}
	for {
		// Find the next event.
		next := until
		if len(waiting) > 0 {
			next = min(next, waiting[0].at)
		}
		for _, q := range receives {
			next = min(next, q.end)
		}
		if tripping {
			next = min(next, trip)
		}
		if state != ramping {
			for _, q := range progressing() {
				next = min(next, now+q.left*float64(len(progressing())))
			}
		}
		if math.IsInf(next, 1) {
			return
		}
		// Charge the energy up to the event.
		next = max(next, now)
		dt := next - now
		active := append(slices.Clone(progressing()), receives...)
		switch {
		case state == off:
		case state == ramping:
			r.use[cause] += dt * r.ramp
		case len(active) > 0:
			for _, q := range active {
				r.use[q.owner] += dt * r.active / float64(len(active))
			}
		case state == working && tripping:
			r.use[tripOwner] += dt * r.active
		case state == trailing:
			r.rest[last] += dt * r.tail
		}
		if n := float64(len(progressing())); state != ramping {
			for _, q := range progressing() {
				q.left -= dt / n
			}
		}
		now = next
		// Process the event.
		if now >= until {
			until = math.Inf(1)
			if state == ramping {
				state = working
			} else {
				state, last, ended = off, -1, math.Inf(-1)
			}
		}
		for len(waiting) > 0 && waiting[0].at <= now {
			q := waiting[0]
			waiting = waiting[1:]
			if state == off {
				state, until, cause = ramping, now+r.ramps, q.owner
			} else if state == trailing {
				state, until = working, math.Inf(1)
			}
			r.use[q.owner] += q.bytes * r.cost[q.verb]
			if q.estimated {
				jobs = append(jobs, q)
			} else {
				receives = append(receives, q)
			}
		}
		for _, q := range slices.Clone(receives) {
			if q.end <= now {
				receives = slices.DeleteFunc(receives, func(o *request) bool { return o == q })
				if state == ramping { // earlier sends are complete by now
					for _, o := range requests {
						o.late = o.late || o.estimated && o.begin <= now
					}
				}
				claim(q, now)
			}
		}
		for state != ramping {
			i := slices.IndexFunc(progressing(), func(q *request) bool { return q.left <= 1e-13 })
			if i < 0 {
				break
			}
			q := jobs[i]
			jobs = slices.Delete(jobs, i, i+1)
			if q.trip > 0 && (!tripping || now+q.trip > trip || now+q.trip == trip && q.number > tripNumber) {
				tripping, trip, tripOwner, tripNumber = true, now+q.trip, q.owner, q.number
			}
			claim(q, now+q.trip)
		}
		if tripping && trip <= now {
			tripping = false
		}
		if state == working && len(jobs)+len(receives) == 0 && !tripping {
			state, until = trailing, now+r.tails
		}
	}
}

// TestRadiosByThePaper runs 700 random runs under the built-in models, and compares them with the
// rules of the paper.
func TestRadiosByThePaper(t *testing.T) {
	radios := [][2]string{{"lte", "cellular"}, {"wifi", "wifi"}, {"5g", "cellular"}}
	cells, tails, queued := 0, 0, 0
	for seed := range uint64(shorten.Count(700)) {
		rnd := rand.New(rand.NewPCG(seed, 2012))
		radio := radios[seed%uint64(len(radios))]
		d, err := model.Ready(radio[0])
		if err != nil {
			t.Fatal(err)
		}
		c := d.Component(radio[1])
		requests := anyRequests(rnd)
		use, rest := map[int]float64{}, map[int]float64{}
		m := machine.New(c, machine.LastTrigger, machine.Options{Emit: func(s *machine.Interval) error {
			for _, share := range s.Shares {
				if s.Part == trace.Tail {
					rest[int(share.Owner)] += float64(share.Energy) / 1e9
				} else {
					use[int(share.Owner)] += float64(share.Energy) / 1e9
				}
			}
			return nil
		}})
		ns := func(s float64) int64 { return int64(math.Round(s * 1e9)) }
		for _, q := range requests {
			op := machine.Operation{Begin: ns(q.begin), End: ns(q.end), Verb: q.verb, Bytes: int64(q.bytes), Owner: machine.Owner(q.owner)}
			if err := m.Do(op); err != nil {
				t.Fatal(err)
			}
		}
		if err := m.Finish(ns(requests[len(requests)-1].end)); err != nil {
			t.Fatal(err)
		}
		want := newPaperRadio(t, c)
		want.charge(requests)
		for owner := range 8 {
			for part, pair := range map[string][2]float64{"use": {use[owner], want.use[owner]}, "tail": {rest[owner], want.rest[owner]}} {
				cells++
				if got, exact := pair[0], pair[1]; math.Abs(got-exact) > 3e-6+2e-6*exact {
					t.Errorf("seed %d, %s: %s of %d is %.9f J, by the paper %.9f", seed, radio[0], part, owner, got, exact)
				}
			}
			if want.rest[owner] > 0 {
				tails++
			}
		}
		queued += len(requests)
	}
	if tails < cells/100 || queued < cells/10 {
		t.Errorf("%d tails and %d operations in %d cells are too few to tell", tails, queued, cells)
	}
}

// anyRequests returns random requests of a few seconds, in bursts, in order of their begin.
func anyRequests(r *rand.Rand) []*request {
	var all []*request
	at, received := 0.01, 0.0
	for range 1 + r.IntN(6) {
		at += r.Float64() * []float64{0.05, 0.5, 4, 20}[r.IntN(4)]
		for range 1 + r.IntN([]int{3, 12, 60}[r.IntN(3)]) {
			at = math.Round((at+r.Float64()*0.01)*1e9+1) / 1e9
			q := &request{
				verb:  []trace.Verb{trace.OpSend, trace.OpSend, trace.OpSend, trace.OpReceive, trace.OpOpen, trace.OpClose}[r.IntN(6)],
				begin: at, bytes: float64(1 + r.IntN(20000)), owner: r.IntN(8),
			}
			q.end = math.Round((q.begin+r.Float64()*[]float64{0.0001, 0.05, 0.6}[r.IntN(3)])*1e9) / 1e9
			switch q.verb {
			case trace.OpReceive:
				// Receives of one connection come one after the other.
				if q.begin <= received {
					q.verb = trace.OpSend
				} else {
					received = q.end + time.Millisecond.Seconds()
				}
			case trace.OpOpen, trace.OpClose:
				q.bytes = 0
			}
			all = append(all, q)
		}
	}
	return all
}
