package phone

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/energy/machine"
	"github.com/diffprof/diffprof/energy/model"
	"github.com/diffprof/diffprof/units"
)

// removals simulates each app without each of its threads. It compares the energy that this saves
// with the energy that a policy charges to the thread. It returns the mean error of each policy, as
// a share of the app's energy. The truth favors no policy by construction: if two threads share a
// tail, removing one of them does not save the tail.
func removals(t *testing.T, d *model.Device, regressed map[string]linear) map[string]float64 {
	const seeds = 8
	off, threads := map[string]float64{}, 0
	for _, app := range Apps() {
		whole, charged := 0.0, map[string]map[string]float64{}
		for seed := range uint64(seeds) {
			r := Simulate(d, processor, app, seed)
			whole += joules(r.Measured)
			estimates := map[string]estimate{fitted: regressed[app.Name].account(use(t, d, r)), machine.SplitTime.String(): splitTime(r)}
			for _, p := range []machine.Policy{machine.LastTrigger, machine.FirstTrigger, machine.Utilisation} {
				estimates[p.String()] = account(t, d, r, p)
			}
			for name, e := range estimates {
				if charged[name] == nil {
					charged[name] = map[string]float64{}
				}
				for i, entity := range r.Entities {
					charged[name][entity.Process+"/"+entity.Thread] += joules(e.by[i : i+1])
				}
			}
		}
		if len(app.Threads) < 2 {
			continue
		}
		for i, removed := range app.Threads {
			rest, without := app, 0.0
			rest.Threads = nil
			for k, th := range app.Threads {
				if k != i {
					rest.Threads = append(rest.Threads, th)
				}
			}
			for seed := range uint64(seeds) {
				without += joules(Simulate(d, processor, rest, seed).Measured)
			}
			threads++
			for name, by := range charged {
				off[name] += math.Abs(by[removed.Process+"/"+removed.Name]-(whole-without)) / whole
			}
		}
	}
	for name := range off {
		off[name] /= float64(threads)
	}
	return off
}

// joules returns the sum of energies.
func joules(energies []units.Energy) float64 {
	sum := units.Energy(0)
	for _, e := range energies {
		sum += e
	}
	return float64(sum) / 1e9
}

// removed writes the policies' errors as a table.
func removed(off map[string]float64, policies []string) string {
	var s strings.Builder
	s.WriteString("| policy | error |\n|---|---:|\n")
	for _, name := range policies {
		fmt.Fprintf(&s, "| %s | %.1f %% |\n", name, 100*off[name])
	}
	return s.String()
}
