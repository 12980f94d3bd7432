package clock

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/diffprof/diffprof/energy"
	"github.com/diffprof/diffprof/ingest"
	"github.com/diffprof/diffprof/ingest/clock"
	"github.com/diffprof/diffprof/internal/shorten"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// shared is a folder with recordings of other programs. A clone of the repository does not have it.
const shared = "../../../shared/data"

// power is the power of a core. At this power, a nanosecond uses a nanojoule.
const power = 1_000_000 * units.Microwatt

// A witness adds up the energy that is charged to a metered recording.
type witness struct {
	clock trace.Clock
	from  trace.Provenance
	// free is the energy that was charged to time that must not be charged. all is all charged
	// energy.
	free, all units.Energy
}

func (w *witness) Start(clock trace.Clock, from trace.Provenance) { w.clock, w.from = clock, from }

func (w *witness) Events(batch []trace.Event) error {
	for i := range batch {
		w.add(batch[i].Activity, batch[i].Energy)
	}
	return nil
}

func (w *witness) Samples(batch []trace.Sample) error {
	for i := range batch {
		w.add(batch[i].Activity, batch[i].Energy)
	}
	return nil
}

func (w *witness) add(a trace.Activity, e units.Energy) {
	if w.all += e; w.from == trace.WallTime && (a == trace.Waiting || a == trace.Unrecorded) {
		w.free += e
	}
}

// check returns an error if the recording at path breaks the law: time that is known to be waiting
// is not charged, other time is charged with the energy that follows from Trace.Usage, and no time
// exceeds cores × elapsed time. A file that cannot be read cannot break the law. format is empty
// for such a file, and for a file without processor time and elapsed time.
func check(ctx context.Context, path string) (format string, err error) {
	f, err := ingest.Open(ctx, path, ingest.Options{MaxExpanded: 256 << 20})
	if err != nil {
		return "", nil
	}
	defer f.Close()
	w := &witness{}
	t, err := energy.Meter(f, energy.Options{CPU: power}).Scan(ctx, w)
	if err == nil && t.Again {
		w = &witness{}
		t, err = energy.Meter(f, energy.Options{CPU: power}).Scan(ctx, w)
	}
	if err != nil || t.Events == 0 || t.Energy != trace.CPUTime && t.Energy != trace.WallTime && t.Energy != trace.CycleTime {
		return "", nil
	}
	u := t.Usage
	charged := u.Working + u.Unknown
	// The energy of each thread is rounded down once.
	slack := units.Energy(len(t.Threads) + 1)
	switch {
	case w.free != 0:
		return t.Format, fmt.Errorf("waiting costs %d nJ", w.free)
	case w.all > units.Energy(charged) || w.all+slack < units.Energy(charged):
		return t.Format, fmt.Errorf("%d nJ are charged for %v", w.all, charged)
	case t.Uncertain < 0 || t.Uncertain > w.all:
		return t.Format, fmt.Errorf("%d of %d nJ are uncertain", t.Uncertain, w.all)
	case u.Unknown > 0 && t.Uncertain == 0 && w.all > slack:
		return t.Format, fmt.Errorf("of %d nJ nothing is uncertain, with %v of unknown time", w.all, u.Unknown)
	}
	lowered := slices.ContainsFunc(t.Warnings, func(w trace.Warning) bool { return w.Code == "impossible-time" })
	switch {
	case t.Again:
		return t.Format, fmt.Errorf("a second scan asks for a third")
	case clock.Exceeds(t, charged, clock.MaxWorking(t)):
		return t.Format, fmt.Errorf("%v of work on %d cores in %v", charged, clock.Cores(t), t.Elapsed)
	case lowered && t.Uncertain == 0 && w.all > slack:
		return t.Format, fmt.Errorf("of %d nJ nothing is uncertain, although times were lowered", w.all)
	}
	return t.Format, nil
}

// samples returns recordings by name: the golden files of all formats, and the shared recordings.
func samples(t *testing.T) map[string][]byte {
	all := make(map[string][]byte)
	goldens, err := filepath.Glob("../../ingest/*/testdata/*.txtar")
	if err != nil || len(goldens) == 0 {
		t.Fatal("no goldens", err)
	}
	for _, golden := range append(goldens, "testdata/time.txtar") {
		ar, err := txtar.ParseFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range ar.Files {
			if f.Name != "want" {
				all[golden+"/"+f.Name] = f.Data
			}
		}
	}
	err = filepath.WalkDir(shared, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if info, err := d.Info(); err != nil || info.Size() > 4<<20 {
			return err
		}
		data, err := os.ReadFile(path)
		all[path] = data
		return err
	})
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return all
}

// TestLaw checks the law on recordings of all formats.
func TestLaw(t *testing.T) {
	all := samples(t)
	for _, name := range shorten.Some(slices.Sorted(maps.Keys(all))) {
		if _, err := check(t.Context(), written(t, "sample", all[name])); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// written writes a file and returns its path.
func written(t *testing.T, name string, data []byte) string {
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestLawOfDamage checks the law on damaged recordings of each format.
func TestLawOfDamage(t *testing.T) {
	all := samples(t)
	// Damage only the smallest recordings of each format, because they allow the most cases in the
	// same time.
	names := slices.SortedFunc(maps.Keys(all), func(a, b string) int {
		if d := len(all[a]) - len(all[b]); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	const each = 3
	files := make(map[string][]string)
	for _, name := range names {
		if len(all[name]) > 256<<10 {
			break
		}
		format, err := check(t.Context(), written(t, "sample", all[name]))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if format != "" && len(files[format]) < each {
			files[format] = append(files[format], name)
		}
	}
	for _, format := range slices.Sorted(maps.Keys(files)) {
		t.Run(format, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(7, uint64(len(format))))
			read := 0
			for i := range shorten.Count(120) {
				name := files[format][i%len(files[format])]
				data := damage(rng, plain(all[name]))
				got, err := check(t.Context(), written(t, "sample", data))
				if err != nil {
					t.Errorf("%s, damage %d: %v", name, i, err)
				}
				if got != "" {
					read++
				}
			}
			t.Logf("%d damaged files could be read", read)
		})
	}
}

// plain returns the data, decompressed if it is a gzip file.
func plain(data []byte) []byte {
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return data
	}
	out, err := io.ReadAll(io.LimitReader(z, 16<<20))
	if err != nil {
		return data
	}
	return out
}

// damage returns a damaged copy of data.
func damage(rng *rand.Rand, data []byte) []byte {
	out := bytes.Clone(data)
	for range 1 + rng.IntN(3) {
		at := rng.IntN(len(out))
		end := min(len(out), at+1+rng.IntN(64))
		switch rng.IntN(5) {
		case 0:
			out[at] ^= 1 << rng.IntN(8)
		case 1: // change a digit of a text
			if digit := bytes.IndexAny(out[at:], "0123456789"); digit >= 0 {
				out[at+digit] = byte('0' + rng.IntN(10))
			}
		case 2:
			out = append(out[:at:at], out[end:]...)
		case 3:
			out = slices.Insert(out, at, bytes.Clone(out[at:end])...)
		case 4: // insert digits
			if digit := bytes.IndexAny(out[at:], "123456789"); digit >= 0 {
				out = slices.Insert(out, at+digit, []byte("999")...)
			}
		}
		if len(out) == 0 {
			return data
		}
	}
	return out
}
