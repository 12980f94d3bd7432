package energy_test

import (
	"testing"

	"github.com/diffprof/diffprof/energy"
	"github.com/diffprof/diffprof/energy/machine"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/trigger"
	"github.com/diffprof/diffprof/units"
)

// TestBundles checks for every policy that the bundles add up to the energy of the components, and
// that they have the call paths that caused them. A second scan gives the same bundles.
func TestBundles(t *testing.T) {
	const run = `0 main +app.A.run
		1 main +java.io.FileInputStream.read
		2 main -java.io.FileInputStream.read
		3 main +java.io.FileInputStream.read
		4 main -java.io.FileInputStream.read
		12 main +java.io.FileInputStream.read
		13 main -java.io.FileInputStream.read
		14 main read disk
		20 main +android.os.PowerManager$WakeLock.acquire
		20 main -android.os.PowerManager$WakeLock.acquire
		40 main -app.A.run`
	triggers, err := trigger.BuiltIn()
	if err != nil {
		t.Fatal(err)
	}
	for p := machine.LastTrigger; p <= machine.Utilisation; p++ {
		tape := newTape(run)
		m := energy.Meter(tape, energy.Options{CPU: 1, Device: handset(), Triggers: triggers, Policy: p, Bundles: true})
		if m.Bundles() != nil {
			t.Error("there are bundles before a scan")
		}
		for range 2 {
			tr, err := m.Scan(t.Context(), newBill())
			if err != nil {
				t.Fatal(err)
			}
			book := m.Bundles()
			list, err := book.Bundles()
			if err != nil {
				t.Fatal(err)
			}
			left := map[string]units.Energy{}
			for _, c := range m.Components() {
				left[c.Name] = c.Energy()
			}
			read, held := int64(0), 0
			for _, b := range list {
				left[b.Component] -= b.Energy
				for _, s := range b.States {
					for _, d := range s.Drivers {
						if d.Context < 0 || d.Operations == 0 {
							continue
						}
						var path string
						for _, id := range book.Path(d.Context) {
							path += tr.Methods[id].Short() + ";"
						}
						switch path {
						case "A.run;FileInputStream.read;", "A.run;":
							read += d.Operations
						case "A.run;PowerManager$WakeLock.acquire;":
							held++
						default:
							t.Errorf("%v: %q drove %s", p, path, b.Component)
						}
					}
				}
			}
			for name, e := range left {
				if e != 0 {
					t.Errorf("%v: %s drained %d nJ more than its bundles", p, name, e)
				}
			}
			if read != 4 || held != 1 || len(book.Holds()) != 1 || book.Holds()[0].Released || book.Holds()[0].Thread != trace.ThreadID(0) {
				t.Errorf("%v: %d reads, %d holds, %+v", p, read, held, book.Holds())
			}
		}
	}
}
