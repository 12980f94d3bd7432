package meter_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/diffprof/diffprof/ingest/formattest"
	"github.com/diffprof/diffprof/ingest/meter"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/trace/tracetest"
)

// A file is a recording for tracetest.
type file []byte

func (f file) Scan(ctx context.Context, sink trace.Sink) (*trace.Trace, error) {
	return meter.Decode(ctx, bytes.NewReader(f), sink)
}

// drained returns the total energy of signals, in nJ.
func drained(l *tracetest.Listener) int64 {
	var last int64
	for _, s := range l.Signals {
		if s.Kind == trace.Drain {
			last = s.Value
		}
	}
	return last
}

func TestRows(t *testing.T) {
	for name, test := range map[string]struct {
		text    string
		drained int64
		elapsed int64
	}{
		"power at moments":   {"time,watts\n0,1\n1,3\n2,3\n", 5e9, 2e9},
		"milliwatts":         {"Time (ms); Power (mW)\n0;500,5\n1000;500,5\n", 500_500_000, 1e9},
		"energy since":       {"time,joules\n10,7\n11,0.5\n12,0.25\n", 750_000_000, 2e9},
		"energy in all":      {"timestamp_ms,energy_total_mJ\n5,100\n6,150\n9,400\n", 300_000_000, 4e6},
		"current times volt": {"time_s\tcurrent_mA\tvoltage_mV\n0\t100\t4000\n10\t100\t4000\n", 4e9, 10e9},
		"between moments":    {"start_time,end_time,power_w\n1700000000000,1700000001000,2\n1700000003000,1700000004000,1\n", 3e9, 4e9},
		"durations":          {"time,duration_ms,power_w\n0,500,2\n1,500,2\n", 2e9, 1.5e9},
		"charging":           {"time,current_a,voltage_v\n0,-1,4\n1,-1,4\n", 0, 1e9},
		"JSON lines":         {"{\"time\": 0, \"watts\": 1}\n{\"watts\": 1.5, \"time\": 2}\n", 2.5e9, 2e9},
		"dates":              {"time,watts\n2026-11-22T08:00:00Z,1\n2026-11-22T08:00:01.5Z,1\n", 1.5e9, 1.5e9},
		"exponents":          {"time,watts\n1.7e12,2\n1.700000001e12,2\n", 2e9, 1e9},
		"leading zeros":      {"time,watts\n000000000000.5,2\n000000000001.5,2\n", 2e9, 1e9},
		"microseconds":       {"time,watts\n1700000000000000,2\n1700000000500000.5,2\n", 1_000_001_000, 500_000_500},
		"days before":        {"time,watts\n-5,2\n-4,2\n", 2e9, 1e9},
		"rows that lack":     {"time,watts\n0,2\n,3\n1,\n2,2\n", 4e9, 2e9},
	} {
		t.Run(name, func(t *testing.T) {
			if !meter.Sniff([]byte(test.text)) {
				t.Error("it is not known for a meter's")
			}
			var got tracetest.Listener
			tr, err := meter.Decode(t.Context(), iotest.OneByteReader(strings.NewReader(test.text)), &got)
			if err != nil {
				t.Fatal(err)
			}
			if drained(&got) != test.drained || int64(tr.Elapsed) != test.elapsed {
				t.Errorf("drained %d nJ in %d ns, want %d in %d", drained(&got), tr.Elapsed, test.drained, test.elapsed)
			}
			if err := tracetest.Check(t.Context(), file(test.text)); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestStates checks the tracks of columns that state when a component is on, and that a state is
// sent only when it changes.
func TestStates(t *testing.T) {
	text := "time,Screen(ON/OFF),watts,Mobile Radio (ON/OFF),Flash (on/off)\n" +
		"10,True,1,off,0\n" +
		"11,1,1,On,0\n" +
		"12,False,1,on,1\n"
	var got tracetest.Listener
	tr, err := meter.Decode(t.Context(), strings.NewReader(text), &got)
	if err != nil {
		t.Fatal(err)
	}
	var tracks, states []string
	for _, track := range tr.Tracks {
		tracks = append(tracks, track.Name+"="+track.Component)
	}
	for _, s := range got.Signals {
		if s.Kind == trace.State {
			states = append(states, fmt.Sprintf("%s %d at %d s", tr.Tracks[s.Track].Name, s.Value, s.Time/1e9))
		}
	}
	if got, want := strings.Join(tracks, ", "), "meter=device, screen=screen, mobile_radio=cellular, flash="; got != want {
		t.Errorf("tracks %s, want %s", got, want)
	}
	want := "screen 1 at 0 s, mobile_radio 0 at 0 s, flash 0 at 0 s, mobile_radio 1 at 1 s, screen 0 at 2 s, flash 1 at 2 s"
	if got := strings.Join(states, ", "); got != want {
		t.Errorf("states %s\nwant %s", got, want)
	}
}

func TestBadTables(t *testing.T) {
	for text, want := range map[string]string{
		"time,watts\n":                           "no row has both a time",
		"time,watts\n0,one\n":                    `line 2: a meter's table: watts: "one" is not a decimal number`,
		"time,energy_total_j\n0,5\n1,4\n":        "line 3: a meter's table: the total falls from 5000000000 to 4000000000 nJ: the meter was reset, or its counter overflowed; cut the table there, or give powers",
		"start_time,end_time,power_w\n5,4,1\n":   "line 2: a meter's table: the row ends 1s before it begins",
		"time,watts\n0,\"1\n":                    "line 2: a meter's table: a quote is not closed",
		"a,b\n1,2\n":                             "no column is called time",
		"{\"time\":0,\"watts\":1}\n{\"time\":\n": "line 2: a meter's table: no JSON object",
		"time,watts\n0,9000000000\n":             "line 2: a meter's table: the power is more than a megawatt",
		"time,watts\n0,900000\n90000,900000\n":   "line 3: a meter's table: the energy leaves the range of 9.2 GJ",
	} {
		_, err := meter.Decode(t.Context(), strings.NewReader(text), tracetest.Discard{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("of %q: %v, want %q", text, err, want)
		}
	}
}

func TestSniff(t *testing.T) {
	for _, text := range []string{"", "a;b 1\n", "time,name\n", "package,watts\n", "{\"nodes\": [1]}\n", "*version\n", "app.Main.run,12.5\n"} {
		if meter.Sniff([]byte(text)) {
			t.Errorf("%q is taken for a meter's", text)
		}
	}
}

// TestReal compares the energies of real tables with plain sums of their columns.
func TestReal(t *testing.T) {
	paths, err := filepath.Glob("../../../shared/data/batterystats/powdroid/*.csv")
	if err != nil || len(paths) == 0 {
		t.Skip("no real tables: ../shared is not here")
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !meter.Sniff(data[:min(len(data), 8<<10)]) {
			t.Errorf("%s is not known for a meter's", path)
			continue
		}
		var got tracetest.Listener
		tr, err := meter.Decode(t.Context(), bytes.NewReader(data), &got)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		want := sum(t, data)
		// Each row is rounded separately.
		if diff := drained(&got) - want; diff < -1000 || diff > 1000 {
			t.Errorf("%s: drained %d nJ, its column adds up to %d (%v)", path, drained(&got), want, tr.Warnings)
		}
		if err := tracetest.Check(t.Context(), file(data)); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// TestCoarseCharge checks the warning about energies of a battery whose charge counter falls in
// large steps.
func TestCoarseCharge(t *testing.T) {
	table := func(charges ...int) string {
		text := "start_time,Duration (mS),Voltage (mV),Remaining_charge (mAh),Power (W),Energy (J)\n"
		for i, c := range charges {
			text += fmt.Sprintf("%d,10000,4000,%d,%d,%d\n", 1_700_000_000_000+10_000*i, c, 14-i%2, 140-10*(i%2))
		}
		return text
	}
	var fine []int
	for i := range 40 {
		fine = append(fine, 3000-9*i)
	}
	for _, c := range []struct{ text, want string }{
		{table(3000, 3000, 2950, 2950), "the battery's charge, from which the table's energies are computed, falls in steps of up to 50 mAh, which is 720 J: the energy is only known to that accuracy, and the power of a row (up to 14.0 W) is not the actual power"},
		{table(3000, 3000, 3000), "the battery's charge, from which the table's energies are computed, does not fall within the table, so the energies come from readings that the table does not have, and the power of a row (up to 14.0 W) is not the actual power"},
		{table(fine...), ""},
		{strings.ReplaceAll(table(3000, 3000, 2950), "Remaining_charge", "Something"), ""},
		{strings.ReplaceAll(table(3000, 3000), ",3000,", ",none,"), ""},
	} {
		tr, err := meter.Decode(t.Context(), strings.NewReader(c.text), tracetest.Discard{})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, w := range tr.Warnings {
			got += w.Message
		}
		if got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

// sum adds up the column Energy (J) of PowDroid's tables, in nJ.
func sum(t *testing.T, data []byte) int64 {
	r := csv.NewReader(bytes.NewReader(data))
	r.TrimLeadingSpace, r.FieldsPerRecord = true, -1
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	total := new(big.Rat)
	for _, row := range rows[1:] {
		cell := strings.Replace(strings.TrimSpace(row[8]), ",", ".", 1)
		if cell == "" || strings.TrimSpace(row[0]) == "" {
			continue // The row is the sum of the rows above, or empty.
		}
		joules, ok := new(big.Rat).SetString(cell)
		if !ok {
			t.Fatalf("energy %q", cell)
		}
		total.Add(total, joules)
	}
	total.Mul(total, big.NewRat(1e9, 1))
	return new(big.Int).Quo(total.Num(), total.Denom()).Int64()
}

// TestCut reads a table that is truncated at every byte.
func TestCut(t *testing.T) {
	text := "time,watts,Screen(ON/OFF)\n1700000000.5,1.5,True\n1700000001.5,\"2,5\",False\n1700000002.5,2,True\n"
	for n := range len(text) {
		if _, err := meter.Decode(t.Context(), strings.NewReader(text[:n]), tracetest.Discard{}); err != nil && err.Error() == "" {
			t.Errorf("cut at %d: an error without words", n)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte("time,watts\n0,1\n1,3\n"))
	f.Add([]byte("start_time,end_time,Energy (J),Screen(ON/OFF)\n1700000000000,1700000001000,\"0,25\",True\n"))
	f.Add([]byte("{\"time\": 0, \"watts\": 1}\n"))
	f.Add([]byte("time;current_mA;voltage_mV\n0;-5;4000\n1;5;4000\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, err := file(data).Scan(t.Context(), tracetest.Discard{}); err != nil {
			return
		}
		if err := tracetest.Check(t.Context(), file(data)); err != nil {
			t.Error(err)
		}
	})
}

func TestOpens(t *testing.T) {
	formattest.Opens(t, meter.Format, []byte("time,watts\n0,1\n1,3\n2,3\n"))
}

// TestQuotedCells reads cells in quotes, with delimiters, quotes and nothing in them.
func TestQuotedCells(t *testing.T) {
	for name, text := range map[string]string{
		"all":    "\"time\",\"watts\"\n\"0\",\"1\"\n\"2\",\"1\"\n",
		"some":   "time,note,watts\n0,\"\",1\n2,\"a, \"\"b\"\"\",1\n",
		"spaces": "time,note,watts\n0, \"\" ,1\n2, \"a\" ,1\n",
		"last":   "time,watts,note\n0,1,\"\"\n2,1,\"\"\"\"\n",
	} {
		var got tracetest.Listener
		tr, err := meter.Decode(t.Context(), strings.NewReader(text), &got)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if drained(&got) != 2e9 || int64(tr.Elapsed) != 2e9 {
			t.Errorf("%s: %d nJ in %v", name, drained(&got), tr.Elapsed)
		}
	}
	for _, text := range []string{"time,note,watts\n0,\"a,1\n2,\"b\",1\n", "time,note,watts\n0,\"a\"b,1\n2,\"b\",1\n"} {
		if _, err := meter.Decode(t.Context(), strings.NewReader(text), &tracetest.Listener{}); err == nil {
			t.Errorf("%q: no error", text)
		}
	}
}

// TestWarningsOfRows checks the warnings about rows that are left out, and the signals of rows with
// and without ends.
func TestWarningsOfRows(t *testing.T) {
	const text = "time,watts\n0,1\n,3\n1,\n2,1\n1,9\n0.5,9\n3,1\n"
	var got tracetest.Listener
	tr, err := meter.Decode(t.Context(), strings.NewReader(text), &got)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, w := range tr.Warnings {
		all = append(all, w.Code+": "+w.Message)
	}
	if message := strings.Join(all, "\n"); len(all) != 2 || strings.Count(message, "2 ") < 2 {
		t.Errorf("the warnings are\n%s", message)
	}
	if drained(&got) != 3e9 {
		t.Errorf("%d nJ", drained(&got))
	}
	for text, want := range map[string][]int64{
		"start_time,end_time,power_w\n0,1,2\n3,4,1\n": {0, 0, 1e9, 2e9, 3e9, 2e9, 4e9, 3e9},
		"start_time,end_time,power_w\n0,1,2\n1,2,1\n": {0, 0, 1e9, 2e9, 2e9, 3e9},
		"time,watts\n0,2\n1,2\n":                      {0, 0, 0, 0, 1e9, 2e9},
	} {
		var got tracetest.Listener
		if _, err := meter.Decode(t.Context(), strings.NewReader(text), &got); err != nil {
			t.Fatal(err)
		}
		var list []int64
		for _, s := range got.Signals {
			list = append(list, s.Time, s.Value)
		}
		if !slices.Equal(list, want) {
			t.Errorf("%q: %v, want %v", text, list, want)
		}
	}
}
