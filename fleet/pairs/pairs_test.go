package pairs

import (
	"math"
	"testing"

	"github.com/diffprof/diffprof/fleet/samples"
)

// TestPairs checks §2.3: which consecutive samples are pairs, and why the others are left out.
func TestPairs(t *testing.T) {
	const at, hour = int64(1_700_000_000_000), int64(3_600_000)
	c := samples.NewClient(1, 1)
	add := func(time int64, level int32, state samples.State, trigger samples.Trigger, model uint32, apps ...uint32) {
		c.Add(&samples.Sample{Time: at + time, Level: level * samples.Percent, Step: 5 * samples.Percent, State: state, Trigger: trigger, Features: []uint32{model}, Apps: apps})
	}
	add(0, 95, samples.Discharging, samples.LevelChanged, 1, 7)
	add(hour, 90, samples.Discharging, samples.Other, 1, 7, 8)       // pair 0: its end is inexact
	add(2*hour, 90, samples.Discharging, samples.LevelChanged, 1, 9) // pair 1: its beginning is inexact
	add(2*hour, 85, samples.Discharging, samples.Other, 1)           // same time, another level
	add(3*hour, 90, samples.Discharging, samples.Other, 1)           // rises
	add(4*hour, 95, samples.Charging, samples.Other, 1)              // charges
	add(5*hour, 95, samples.Discharging, samples.Restarted, 1)       // charged before
	add(6*hour, 90, samples.Discharging, samples.Restarted, 1)       // restarted
	add(7*hour, 90, samples.Discharging, samples.Other, 2)           // another device
	add(40*hour, 85, samples.Discharging, samples.Other, 2)          // too long
	add(40*hour+300_000, 50, samples.Discharging, samples.Other, 2)  // too fast: 30 % in five minutes
	add(40*hour+301_000, 45, samples.Discharging, samples.Other, 2)  // pair 2: the level may fall by a step at any time
	add(41*hour, 100, samples.Unknown, samples.Other, 2)             // rises
	add(42*hour, 100, samples.Unknown, samples.Other, 2)             // full: it may charge
	w := &Work{Options: Options{Model: 0}}
	w.Load(c)
	if len(w.Pairs) != 3 {
		t.Fatalf("%d pairs: %+v", len(w.Pairs), w.Pairs)
	}
	const percent = samples.Percent
	for i, want := range []Pair{
		{From: 0, To: 1, Drop: 5 * percent, Least: 5 * percent, Most: 10 * percent, Time: hour},
		{From: 1, To: 2, Drop: 0, Least: 0, Most: 0, Time: hour}, // never below 0
	} {
		if w.Pairs[i] != want {
			t.Errorf("pair %d is %+v, want %+v", i, w.Pairs[i], want)
		}
	}
	for cause, want := range []int64{Charging: 2, Rising: 2, Restarted: 1, Rounded: 1, LongGap: 1, OtherDevice: 1, TooFast: 1, Full: 1} {
		if w.Unpaired[cause] != want {
			t.Errorf("%d %s, want %d", w.Unpaired[cause], Causes[cause], want)
		}
	}
	// An app ran in a pair if either end has it.
	for pair, want := range []map[uint32]uint8{{7: 2, 8: 1}, {7: 1, 8: 1, 9: 1}} {
		if len(w.Running(pair)) != len(want) {
			t.Errorf("pair %d has %d apps, want %d", pair, len(w.Running(pair)), len(want))
		}
		for i, a := range w.Running(pair) {
			if got := w.Ends(pair)[i]; got != want[w.Apps[a]] {
				t.Errorf("pair %d has app %d at %d ends, want %d", pair, w.Apps[a], got, want[w.Apps[a]])
			}
		}
	}
	if got := w.Pairs[0].Rate(w.Pairs[0].Drop); got != 1_388_889 { // 5 % in an hour
		t.Errorf("the rate is %d", got)
	}
}

// TestRoundedTimes has a client whose times are rounded down to ten minutes. Its rate stays the
// same, except that the drop at the last time is unknown. A duplicate sample changes nothing.
func TestRoundedTimes(t *testing.T) {
	const minute = 60_000
	rateOf := func(round int64, twice bool) float64 {
		c := samples.NewClient(1, 0)
		for n := range int64(80) {
			at := 1_700_000_400_000 + n*3*minute
			s := &samples.Sample{Time: at - at%round, Level: int32(100-n) * samples.Percent, State: samples.Discharging}
			if c.Add(s); twice && n%5 == 0 {
				c.Add(s)
			}
		}
		w := &Work{Options: Options{Model: -1}}
		w.Load(c)
		var drop, time int64
		for i := range w.Pairs {
			drop, time = drop+w.Pairs[i].Drop, time+w.Pairs[i].Time
		}
		return float64(drop) / samples.Percent / (float64(time) / minute)
	}
	exact := rateOf(1, false)
	for _, got := range []float64{rateOf(1, true), rateOf(10*minute, false), rateOf(10*minute, true)} {
		if math.Abs(got-exact) > 0.03*exact {
			t.Errorf("the rate is %.4f %% a minute, want %.4f", got, exact)
		}
	}
}
