package energy_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/energy"
	"github.com/diffprof/diffprof/energy/machine"
	"github.com/diffprof/diffprof/energy/model"
	"github.com/diffprof/diffprof/ingest"
	"github.com/diffprof/diffprof/ingest/align"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// millijoules maps seconds to the readings of a meter.
type millijoules map[int]int64

// drains returns a recording of a meter's readings.
func drains(t trace.Track, read millijoules) phone {
	p := phone{tracks: []trace.Track{t}}
	for s := range 100 {
		if mJ, ok := read[s]; ok {
			p.signals = append(p.signals, trace.Signal{Time: int64(s) * second, Value: mJ * 1e6, Kind: trace.Drain, Thread: trace.NoThread})
			p.elapsed = time.Duration(s) * time.Second
		}
	}
	return p
}

// laid returns a recording of the run in text, with meters.
func laid(t *testing.T, text string, meters ...phone) trace.Recording {
	t.Helper()
	var sides []align.Side
	for i, m := range meters {
		sides = append(sides, align.Side{Name: fmt.Sprintf("meter %d", i), Recording: m})
	}
	run, err := align.Join(t.Context(), newTape(text), sides, align.Alignment{Shift: new(time.Duration)})
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// accounted charges a run with the model of a handset whose disk energy is measured. It returns the
// accounts in mJ, followed by the warnings.
func accounted(t *testing.T, rec trace.Recording, policy machine.Policy) (text string, total units.Energy) {
	t.Helper()
	d := handset()
	d.Components[0].Rails = []string{"DISK*"}
	r, err := energy.ReadRails(t.Context(), rec, d)
	if err != nil {
		t.Fatal(err)
	}
	metered := energy.Meter(rec, energy.Options{Device: d, Policy: policy, Rails: r})
	for range 2 { // A second scan charges the same energies.
		c, tr, err := scan(metered)
		if err != nil {
			t.Fatal(err)
		}
		sums := make([]units.Energy, len(tr.Accounts))
		total = 0
		for _, e := range c.events {
			sums[e.Account] += e.Energy
			total += e.Energy
		}
		var b strings.Builder
		for i, a := range tr.Accounts {
			if sums[i] != 0 {
				fmt.Fprintf(&b, "%s %s %s %d\n", a.Component, a.Part, a.Provenance, sums[i]/1e6)
			}
		}
		for _, w := range tr.Warnings {
			fmt.Fprintln(&b, w.Code)
		}
		if text != "" && text != b.String() {
			t.Errorf("the second scan has\n%s", b.String())
		}
		text = b.String()
		for _, c := range metered.Components() {
			sum := c.Unknown
			for _, s := range c.States {
				sum += s.Energy
			}
			if sum != c.Energy() {
				t.Errorf("%s: states have %d, the component %d", c.Name, sum, c.Energy())
			}
		}
	}
	return text, total
}

// The disk works from 1 s to 1.5 s, which is 100 mJ. Its tail lasts until 4.5 s, which is 300 mJ.
const oneRead = `
	0 main +app.A.run
	1 main read disk
	9 main -app.A.run
`

func TestRails(t *testing.T) {
	rail := trace.Track{Name: "DISK0", Core: -1, UID: -1}
	for _, test := range []struct {
		what   string
		meters []phone
		want   string
	}{
		{
			"half of what is modelled up to 2 s, more behind",
			[]phone{drains(rail, millijoules{0: 0, 2: 75, 6: 475})},
			"disk use scaled 50\ndisk tail scaled 275\ndisk rest scaled 150\n",
		}, {
			"nothing is modelled before 1 s: that is nobody's",
			[]phone{drains(rail, millijoules{0: 0, 1: 500, 9: 500})},
			"disk rest scaled 500\n",
		}, {
			"what lies outside of readings stays",
			[]phone{drains(rail, millijoules{4: 0, 9: 40})},
			"disk use scaled 100\ndisk tail scaled 290\n",
		}, {
			"two rails of one component: 133 mJ up to 3 s for 250 mJ, 67 mJ behind for 150 mJ",
			[]phone{drains(rail, millijoules{0: 0, 9: 100}), drains(trace.Track{Name: "DISK1", Core: -1, UID: -1}, millijoules{0: 7, 3: 107, 9: 107})},
			"disk use scaled 53\ndisk tail scaled 146\n",
		}, {
			"a rail of what is not modelled",
			[]phone{drains(trace.Track{Name: "GPU", Component: "gpu", Core: -1, UID: -1}, millijoules{0: 5, 9: 105})},
			"disk use modelled 100\ndisk tail modelled 300\ngpu rest measured 100\n",
		}, {
			"a battery that says more than is modelled",
			[]phone{drains(trace.Track{Name: "battery", Component: "battery", Core: -1, UID: -1}, millijoules{0: 0, 9: 1000})},
			"disk use modelled 100\ndisk tail modelled 300\ndevice rest measured 600\n",
		}, {
			"a battery that says less",
			[]phone{drains(trace.Track{Name: "battery", Component: "battery", Core: -1, UID: -1}, millijoules{0: 0, 9: 200})},
			"disk use scaled 50\ndisk tail scaled 150\n",
		}, {
			"meters of the same",
			[]phone{
				drains(trace.Track{Name: "meter", Component: "device", Core: -1, UID: -1}, millijoules{0: 0, 9: 1000}),
				drains(trace.Track{Name: "battery", Component: "battery", Core: -1, UID: -1}, millijoules{0: 0, 9: 1100}),
			},
			"disk use modelled 100\ndisk tail modelled 300\ndevice rest measured 600\noverlapping-meters\n",
		},
	} {
		got, total := accounted(t, laid(t, oneRead, test.meters...), machine.LastTrigger)
		if got != test.want {
			t.Errorf("%s: got\n%swant\n%s", test.what, got, test.want)
		}
		if total == 0 {
			t.Errorf("%s: nothing is charged", test.what)
		}
	}
}

// TestRailsConserve combines random readings with random operations, under all policies. The
// charged energy must equal the measured energy, to the nanojoule.
func TestRailsConserve(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 6))
	for range 50 {
		var b strings.Builder
		b.WriteString("0 main +app.A.run\n0 other +app.B.run\n")
		at := 0.0
		for range rng.IntN(12) {
			at += rng.Float64() * 3
			fmt.Fprintf(&b, "%.3f %s %s disk\n", at, []string{"main", "other"}[rng.IntN(2)], []string{"read", "write"}[rng.IntN(2)])
		}
		fmt.Fprintf(&b, "%d main -app.A.run\n", int(at)+8)
		read, sum := millijoules{}, int64(rng.IntN(1000))
		first, last := sum, sum
		for s := 0; s <= int(at)+8; s += 1 + rng.IntN(4) {
			read[s], last = sum, sum
			sum += rng.Int64N(700)
		}
		end := int(at) + 8
		read[end], last = sum, sum
		rail := trace.Track{Name: "DISK", Core: -1, UID: -1}
		policy := machine.Policy(rng.IntN(len(machine.Policies())))
		if text, total := accounted(t, laid(t, b.String(), drains(rail, read)), policy); total != units.Energy((last-first)*1e6) {
			t.Fatalf("%v: charged %d nJ, measured %d mJ:\n%s%s", policy, total, last-first, text, b.String())
		}
	}
}

// TestRealMeters combines a real run with every real table of a meter and with all real battery
// statistics. The accounted energy must equal the measured energy, to the nanojoule. Otherwise a
// warning must state that the modelled energy of the processor exceeds the measured energy.
func TestRealMeters(t *testing.T) {
	const data = "../../shared/data/"
	files, err := filepath.Glob(data + "batterystats/*.*")
	if err != nil || len(files) == 0 {
		t.Skip("no real data")
	}
	more, err := filepath.Glob(data + "batterystats/powdroid/*.csv")
	if err != nil {
		t.Fatal(err)
	}
	run, err := ingest.Open(t.Context(), data+"art/cf2204-profile.trace", ingest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()
	d, err := model.Ready("wifi")
	if err != nil {
		t.Fatal(err)
	}
	agreed, beyond, silent := 0, 0, 0
	for _, file := range slices.Concat(files, more) {
		f, err := ingest.Open(t.Context(), file, ingest.Options{})
		if err != nil {
			t.Fatal(err)
		}
		laid, err := align.Join(t.Context(), run, []align.Side{{Name: file, Recording: f}}, align.Alignment{Shift: new(time.Duration)})
		if err != nil {
			t.Fatal(err)
		}
		measured := energy.Measure(laid)
		r, err := energy.ReadRails(t.Context(), laid, d)
		if err != nil {
			t.Fatal(err)
		}
		tree, tr, err := cct.Build(t.Context(), energy.Meter(energy.Frequency(measured, r), energy.Options{CPU: 444_000, Device: d, Rails: r}), cct.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		f.Close()
		want, by := energy.Total(measured.Tracks())
		got, _ := r.Accounted(tr.Accounts, func(a trace.AccountID) units.Energy {
			return tree.Column(cct.Key{Quantity: cct.Energy, Account: a}).Total()
		})
		t.Logf("%s: measured %d nJ, accounted %d nJ", filepath.Base(file), want, got)
		switch {
		case len(by) == 0 || want == 0:
			silent++
		case got == want:
			agreed++
		case slices.ContainsFunc(tr.Warnings, func(w trace.Warning) bool { return w.Code == "beyond-the-meter" }):
			beyond++
		default:
			t.Errorf("%s: measured %d nJ, accounted %d nJ", file, want, got)
		}
	}
	t.Logf("%d agree, %d measured less than the processor drains, %d measured nothing while the run lasted", agreed, beyond, silent)
	if agreed < 25 {
		t.Errorf("only %d agree", agreed)
	}
}
