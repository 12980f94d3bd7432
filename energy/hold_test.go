package energy_test

import (
	"strings"
	"testing"

	"github.com/diffprof/diffprof/energy"
	"github.com/diffprof/diffprof/energy/machine"
	"github.com/diffprof/diffprof/trigger"
)

// TestSlices charges slices that a table names. Each line takes a second.
func TestSlices(t *testing.T) {
	table, err := trigger.Read(strings.NewReader(`
slices:
  - {component: disk, read: "load*"}
  - {component: wakelock, acquire: "lock*", assumes: the lock is partial}
  - {component: gps, start: "locate*"}
`))
	if err != nil {
		t.Fatal(err)
	}
	const works = "assumed-operations: calls do not show all their parameters; assumed: a component works for the whole time of a slice that moves data"
	for _, c := range []struct {
		what, run, want string
		policy          machine.Policy
	}{
		{
			what: "work for the whole slice",
			run: `0 main +app.A.run
				1 main +load:a
				3 main -load:a
				9 main -app.A.run`,
			want: "A.run;.load:a disk tail: 300 mJ\nA.run;.load:a disk use: 400 mJ\n" + works,
		},
		{
			// If a slice moves data, a call inside it that also moves data is part of the slice's
			// operation.
			what: "data in data",
			run: `0 main +load:a
				1 main +java.io.FileInputStream.read
				2 main -java.io.FileInputStream.read
				2 main +load:b
				3 main -load:b
				4 main -load:a
				9 main +app.A.run`,
			want: ".load:a disk tail: 300 mJ\n.load:a disk use: 800 mJ\n" + works,
		},
		{
			// The locks of two threads overlap. A load inside a lock is an operation.
			what: "held for the slice",
			run: `0 main +lock:a
				1 other +lock:b
				1 main +load:a
				2 main -load:a
				3 main -lock:a
				5 other -lock:b
				9 main +app.A.run`,
			want: `.lock:a wakelock use: 100 mJ
.lock:a;.load:a disk tail: 300 mJ
.lock:a;.load:a disk use: 200 mJ
.lock:b wakelock use: 150 mJ
assumed-operations: calls do not show all their parameters; assumed: a component works for the whole time of a slice that moves data; the lock is partial`,
		},
		{
			// The recording ends inside the second slice.
			what: "held to the end",
			run: `0 main +app.A.run
				0 main +locate:a
				2 main -locate:a
				2 main -app.A.run
				8 main +locate:b
				9 main +app.A.on`,
			want: `.locate:b gps use: 300 mJ
A.run;.locate:a gps use: 600 mJ
held-to-end: gps: 1 operation was still open when the recording ended, and is counted until then`,
		},
		{
			what:   "first trigger",
			policy: machine.FirstTrigger,
			run: `0 main +load:a
				1 main -load:a
				2 main +load:b
				3 main -load:b
				9 main +app.A.run`,
			want: ".load:a disk tail: 400 mJ\n.load:a disk use: 200 mJ\n.load:b disk use: 200 mJ\n" + works,
		},
	} {
		t.Run(c.what, func(t *testing.T) {
			if got := charged(t, c.run, energy.Options{Triggers: table, Policy: c.policy}); got != c.want {
				t.Errorf("charged\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}
