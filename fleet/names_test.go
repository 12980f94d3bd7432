package fleet_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/diffprof/diffprof/fleet"
	"github.com/diffprof/diffprof/fleet/samples"
	"github.com/diffprof/diffprof/fleet/simulation"
)

// A namedRow is a sample of a fleet with many rare names.
type namedRow struct {
	Client  string   `parquet:"client"`
	Time    int64    `parquet:"time"`
	Level   float64  `parquet:"level"`
	State   string   `parquet:"state"`
	Apps    []string `parquet:"apps,list"`
	Screen  string   `parquet:"screen"`
	Model   string   `parquet:"model"`
	Network string   `parquet:"network"`
	Carrier string   `parquet:"carrier"`
}

// namedRows returns a fleet with hogs and bugs, most of whose names are rare: apps, versions, models,
// networks and carriers.
func namedRows(seed uint64) (rows []namedRow, rareApps int) {
	made := simulation.New(simulation.Options{Seed: seed, Clients: 70, Apps: 60, Hogs: 4, Innocent: 6, Bugs: 12, Days: 4, Named: &simulation.Named{Name: "com.named", Version: "4.12", Before: "4.10"}})
	r := rand.New(rand.NewPCG(seed, 7))
	rare := map[string]bool{}
	for i := range made.Clients {
		model := simulation.ModelName(made.Model(i))
		if i%20 == 0 {
			model = fmt.Sprint("Rare model ", i)
		}
		// An app of few clients starts and stops between samples. While it runs, the device uses
		// more energy.
		mine := fmt.Sprint("org.rare.group", i/4)
		rare[mine] = true
		made.Client(i, func(s *simulation.Sample) {
			row := namedRow{
				Client: simulation.ClientName(i), Time: simulation.Start + s.Time*1000, Level: float64(s.Level), State: "discharging", Screen: "off",
				Model: model, Network: "wifi", Carrier: fmt.Sprint("carrier ", i%9),
			}
			if s.Charging {
				row.State = "charging"
			}
			if s.Screen {
				row.Screen = "on"
			}
			if i%13 == 0 {
				row.Network, row.Carrier = fmt.Sprint("rare network ", i, " ", r.IntN(2)), fmt.Sprint("rare carrier ", i)
			}
			for _, a := range s.Apps {
				name := made.Apps[a].Name
				if v := made.Version(i, a); v != "" {
					name += "@" + v
				} else if a%5 == 0 {
					name += fmt.Sprintf("@%d.%d", i, s.Time/200_000) // a version of one client, with updates
				}
				row.Apps = append(row.Apps, name)
			}
			if s.Time/20_000%3 == 0 {
				row.Apps = append(row.Apps, mine+"@1", mine+"@1")
			}
			if r.IntN(4) == 0 {
				once := fmt.Sprintf("org.once.a%x", r.Uint64())
				rare[once] = true
				row.Apps = append(row.Apps, once)
			}
			rows = append(rows, row)
		})
	}
	return rows, len(rare)
}

// csvOf returns rows as CSV.
func csvOf(rows []namedRow) string {
	var b strings.Builder
	b.WriteString("client,time,level,state,apps,screen,model,network,carrier\n")
	for _, r := range rows {
		fmt.Fprintf(&b, "%s,%d,%g,%s,%s,%s,%s,%s,%s\n", r.Client, r.Time, r.Level, r.State, strings.Join(r.Apps, " "), r.Screen, r.Model, r.Network, r.Carrier)
	}
	return b.String()
}

// sumsOf analyzes a file. It returns the sums without the number of hidden apps, and this number.
func sumsOf(t *testing.T, o samples.Options, method fleet.Method) (text string, hidden int) {
	t.Helper()
	o.Map.Features = []string{"carrier"}
	set, err := samples.Open(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	options := fleet.Defaults()
	options.Method = method
	f, err := fleet.Analyze(context.Background(), set, options, nil)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := f.Sums.Write(&b); err != nil {
		t.Fatal(err)
	}
	var kept strings.Builder
	for line := range strings.Lines(b.String()) {
		if !strings.HasPrefix(line, "hidden") {
			kept.WriteString(line)
		}
	}
	hogs, err := f.Hogs()
	if err != nil || len(hogs) == 0 {
		t.Fatalf("%d hogs, %v", len(hogs), err)
	}
	return kept.String(), f.Hidden()
}

// TestMaxNames analyzes fleets with and without their rare names. The sums of the other names are the
// same, byte for byte, and the number of rare apps is stated.
func TestMaxNames(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for seed := range uint64(max(1, *seeds)) {
		rows, rare := namedRows(seed + 1)
		dir := t.TempDir()
		csv, columns := filepath.Join(dir, "s.csv"), filepath.Join(dir, "s.parquet")
		if err := os.WriteFile(csv, []byte(csvOf(rows)), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := parquet.WriteFile(columns, rows, parquet.MaxRowsPerRowGroup(4000)); err != nil {
			t.Fatal(err)
		}
		for i, path := range []string{csv, columns} {
			for k, method := range []fleet.Method{fleet.Within, fleet.Paper} {
				if *seeds == 0 && i != k {
					continue // One format per method is enough.
				}
				o := samples.Options{Paths: []string{path}, Reread: true}
				want, all := sumsOf(t, o, method)
				if all > rare || all < rare*9/10 { // A few ran in no pair.
					t.Errorf("%s, method %s: %d apps are hidden, want %d", path, method, all, rare)
				}
				common, err := samples.FindCommon(ctx, samples.Options{Paths: o.Paths, Map: samples.Map{Features: []string{"carrier"}}})
				if err != nil {
					t.Fatal(err)
				}
				if n := common.Len(); n > 200 {
					t.Errorf("%d names are common", n)
				}
				o.Common, o.MaxNames = common, 200
				got, hidden := sumsOf(t, o, method)
				if got != want {
					t.Errorf("%s, method %s: without rare names the sums differ: %s", path, method, firstDifference(got, want))
				}
				if off := hidden - rare; off*off > rare*rare/1e6+16 {
					t.Errorf("%s, method %s: about %d apps are left out, want %d", path, method, hidden, rare)
				}
			}
		}
	}
}

// firstDifference returns the first lines in which two texts differ.
func firstDifference(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return fmt.Sprintf("%q, want %q", x[i], y[i])
		}
	}
	return fmt.Sprintf("%d lines, want %d", len(x), len(y))
}

// TestTooManyNames reads samples with more names than are allowed. This is also an error if enough
// clients have the names.
func TestTooManyNames(t *testing.T) {
	var b strings.Builder
	b.WriteString("client,time,level,apps\n")
	for n := range 4000 {
		fmt.Fprintf(&b, "c%d,%d,50,org.a%d\n", n%8, 1_704_067_200+60*n, n/8)
	}
	path := filepath.Join(t.TempDir(), "s.csv")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	o := samples.Options{Paths: []string{path}, MaxNames: 100}
	if _, err := samples.Open(context.Background(), o); !errors.Is(err, samples.ErrNames) {
		t.Errorf("the error is %v", err)
	}
	common, err := samples.FindCommon(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if common.Len() != 500 {
		t.Errorf("%d names are common, want 500", common.Len())
	}
	o.Common = common
	const want = "too many different names: more than 100 apps, versions and values that at least 5 clients have: give more with --max-names"
	if _, err := samples.Open(context.Background(), o); err == nil || err.Error() != want {
		t.Errorf("the error is %v, want %s", err, want)
	}
}

// TestMergeWithFewNames adds up the shares of a first stage in several orders, with all apps in
// memory and with few apps in memory. The resulting states are the same, byte for byte, and have no
// rare app.
func TestMergeWithFewNames(t *testing.T) {
	made := simulation.New(simulation.Options{Seed: 5, Clients: 40, Apps: 300, Hogs: 3, Innocent: 10, Days: 3})
	for _, method := range []fleet.Method{fleet.Within, fleet.Paper} {
		o := fleet.Defaults()
		o.Method = method
		var state *fleet.Fleet
		for _, stage := range fleet.StagesOf(method)[:2] {
			f := state
			if f == nil {
				var err error
				if f, err = fleet.New(o, simulation.Features); err != nil {
					t.Fatal(err)
				}
			}
			var lines []string
			for _, shard := range split(t, made, 4) {
				table, err := f.Share(context.Background(), shard, stage, nil)
				if err != nil {
					t.Fatal(err)
				}
				var b strings.Builder
				if err := f.WriteShare(&b, stage, table); err != nil {
					t.Fatal(err)
				}
				lines = append(lines, strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")...)
			}
			before := ""
			if state != nil {
				before = string(bytesOf(t, state))
			}
			var want string
			for n, most := range []int{1 << 20, 7, 100, 0} {
				r := rand.New(rand.NewPCG(uint64(n), 3))
				r.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
				m := fleet.NewMerger(most, t.TempDir())
				for _, share := range []string{strings.Join(lines[:len(lines)/3], "\n"), strings.Join(lines[len(lines)/3:], "\n")} {
					if err := m.Read(strings.NewReader(share)); err != nil {
						t.Fatal(err)
					}
				}
				table, err := m.Sums()
				if err != nil {
					t.Fatal(err)
				}
				m.Close()
				from := state
				if before != "" {
					if from, err = fleet.Read(strings.NewReader(before)); err != nil {
						t.Fatal(err)
					}
				}
				merged, err := fleet.Merge(from, table)
				if err != nil {
					t.Fatal(err)
				}
				got := string(bytesOf(t, merged))
				if n == 0 {
					want, f = got, merged
				} else if got != want {
					t.Errorf("method %s, stage %s: with %d names the state differs", method, stage, most)
				}
				if merged.Sums.Count("ran") > 0 && merged.Hidden() == 0 {
					t.Errorf("method %s, stage %s: no app is hidden, so nothing is tested", method, stage)
				}
			}
			state = f
		}
	}
}
