package paper_test

import (
	"math"
	"math/rand/v2"
	"sort"
	"testing"

	"github.com/diffprof/diffprof/fleet/paper"
	"github.com/diffprof/diffprof/fleet/simulation"
)

// drained is the level of a made-up client over its first charge: the moments, in seconds, at which
// it had lost another per cent.
func drained(made *simulation.Fleet, client int) []int64 {
	var at []int64
	made.Client(client, func(s *simulation.Sample) {
		if s.Level == 100-len(at) && !s.Charging && len(at) < 90 {
			at = append(at, s.Time)
		}
	})
	return at
}

// TestPriorEstimates is §4: devices that report few samples, in coarse steps, are estimated with the
// a-priori distribution of the others. The paper measures on one device each: with 9 samples at
// 5 % a mean that is 0.00088 %/s off, with 19 samples at 1 % one of 0.00015. Over a made-up
// fleet the errors are smaller, their order is the same; their sign is not, since it depends on
// where the slices lie in the a-priori distribution.
func TestPriorEstimates(t *testing.T) {
	made := simulation.New(simulation.Options{Seed: 4, Clients: 200, Apps: 20, Days: 3})
	var clients [][]int64
	for i := range made.Clients {
		clients = append(clients, drained(made, i))
	}
	random := rand.New(rand.NewPCG(11, 12))
	// off is by how much the mean of rates is too high, with so many samples at steps of so many
	// per cent, over all clients.
	off := func(samples int, step float64) float64 {
		// Exact rates are those of devices that told when their level changed, by a step.
		var prior paper.Prior
		for _, at := range clients {
			for n := int(step); n < len(at); n += int(step) {
				rate := int64(step * 1e9 / float64(at[n]-at[n-int(step)]))
				prior.Add(paper.Class(rate), 1, float64(rate))
			}
		}
		sum, n := 0.0, 0
		for _, at := range clients {
			if len(at) < 60 {
				continue
			}
			end := at[len(at)-1]
			read := func(time int64) float64 {
				level := 100.0
				for level > 0 && int(100-level)+1 < len(at) && at[int(100-level)+1] <= time {
					level--
				}
				return math.Ceil(level/step) * step
			}
			// The first sample comes at any level, the last before the end.
			begin := at[3+random.IntN(5)] + random.Int64N(60)
			pause := (end - begin) / int64(samples-1)
			mean, last := 0.0, read(begin)
			for k := 1; k < samples; k++ {
				now := read(begin + int64(k)*pause)
				least, most := max(0, last-now-step), last-now+step
				rate, _ := prior.Expect(int64(least/float64(pause)*1e9), int64(most/float64(pause)*1e9))
				mean += float64(rate) / 1e9 / float64(samples-1)
				last = now
			}
			whole := sort.Search(len(at), func(i int) bool { return at[i] > begin }) - 1
			sum += mean - float64(len(at)-1-whole)/float64(end-begin)
			n++
		}
		return sum / float64(n)
	}
	coarse, fine := off(9, 5), off(19, 1)
	t.Logf("9 samples at 5 %%: %+.5f %%/s; 19 samples at 1 %%: %+.5f %%/s", coarse, fine)
	if math.Abs(coarse) > 0.00088 || math.Abs(fine) > 0.00015 {
		t.Errorf("9 samples at 5 %% are %+.5f off, 19 at 1 %% %+.5f; the paper has 0.00088 and 0.00015", coarse, fine)
	}
	if math.Abs(fine) >= math.Abs(coarse)/2 {
		t.Errorf("19 samples at 1 %% are %+.5f off, as much as 9 at 5 %%", fine)
	}
}

// TestPredictionsHold is §5.7: where rates are independent, at least 95 % of the predictions d ± e
// hold the truth (the paper has 95.2 %), and Figure 18: the interval shrinks with the root of the
// number of rates.
func TestPredictionsHold(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	draw := func(mean float64, n int) (d paper.Dist) {
		for range n {
			d.Add(int64(mean * random.ExpFloat64() * 1e9))
		}
		return d
	}
	const trials, subject, reference = 400, 0.004, 0.003
	holds := 0
	for range trials {
		gap := paper.Compare(draw(subject, 200), draw(reference, 200), paper.Normal)
		if math.Abs(gap.Distance-(subject-reference)) <= gap.Error {
			holds++
		}
	}
	if holds*100 < trials*95 {
		t.Errorf("%d of %d predictions hold", holds, trials)
	}
	few, many := draw(subject, 100).Error(paper.Normal), draw(subject, 10_000).Error(paper.Normal)
	if ratio := few / many; ratio < 7 || ratio > 14 {
		t.Errorf("with a hundred times as many rates the error falls by %.1f, not about 10", ratio)
	}
}
