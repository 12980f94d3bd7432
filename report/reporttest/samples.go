package reporttest

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/units"
)

// Hold compares renderings with the sections of a golden file in testdata. If update is set, it
// writes the file.
func Hold(t *testing.T, file string, update bool, sections map[string]func(w io.Writer) error) {
	t.Helper()
	path := filepath.Join("testdata", file)
	var got []txtar.File
	for _, section := range sortedKeys(sections) {
		var b bytes.Buffer
		if err := sections[section](&b); err != nil {
			t.Fatalf("%s: %v", section, err)
		}
		got = append(got, txtar.File{Name: section, Data: bytes.TrimSuffix(b.Bytes(), []byte("\n"))})
		got[len(got)-1].Data = append(got[len(got)-1].Data, '\n')
	}
	if update {
		if err := os.WriteFile(path, txtar.Format(&txtar.Archive{Comment: []byte("Samples of package reporttest. go test -update in this package writes this file.\n"), Files: got}), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want := read(t, path)
	for _, f := range got {
		if string(f.Data) != want[f.Name] {
			t.Errorf("%s:\n%s\nwant:\n%s\nIf that is right, run go test -update in this package and read the diff.", f.Name, f.Data, want[f.Name])
		}
	}
	if len(want) != len(got) {
		t.Errorf("the golden file has %d sections, want %d", len(want), len(got))
	}
}

func sortedKeys[V any](m map[string]V) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// The methods of samples.
const (
	bind  = "com.mine.Feed.bind(Landroid/view/View;I)V"
	load  = "com.mine.Feed.load()V"
	draw  = "android.view.View.draw()V"
	parse = "org.json.JSONObject.put(Ljava/lang/String;I)Lorg/json/JSONObject;"
)

const mJ = units.Millijoule

// Methods returns the methods of samples.
func Methods() report.Methods {
	m := report.Methods{}
	for _, label := range []string{bind, load, draw, parse} {
		m[label] = name.Parse(label, name.JVM)
	}
	return m
}

// energy returns a pointer to an amount in millijoules.
func energy(mJs int64) *units.Energy { return new(units.Energy(mJs) * mJ) }

// sampleInput is a run of 100 mJ.
func sampleInput(path string) report.Input {
	return report.Input{Path: path, Runs: 1, Format: "pprof", Methods: 4, Threads: 2, Events: 900, CCTNodes: 40, TreeNodes: 30, Energy: 100 * mJ, CPUTime: 5e9, WallTime: 8e9,
		Clock: "thread-cpu", Technique: "sampled", Unit: "nJ", EnergyFrom: "modelled from CPU time"}
}

// lineUse returns the energy of a line: without callees, its interval, and with callees. Negative
// figures are unknown.
func lineUse(own, least, most, all int64) report.LineUse {
	u := report.LineUse{Own: units.Energy(own) * mJ, OwnShare: float64(own) / 100, Samples: float64(own) * 3}
	if least >= 0 {
		u.Least, u.Most = energy(least), energy(most)
		u.AllLeast, u.AllMost = energy(least+1), energy(most+1)
	}
	if all >= 0 {
		u.All, u.AllShare = energy(all), float64(all)/100
	}
	return u
}

// Lines returns the lines of a run, of two runs, and of runs with a meter or counted paths, by what
// they show.
func Lines() map[string]*report.Lines {
	all := make(map[string]*report.Lines)
	one := func(what string) *report.Lines {
		l := &report.Lines{
			Subject: sampleInput("new.pprof"), Grade: "lines", Sort: report.BySelf, Located: 80 * mJ, Unknown: 15 * mJ, Outside: 5 * mJ, Samples: 300, LocatedSamples: 240,
			Total: 4, Methods: Methods(), Rows: []report.LineRow{
				{Method: bind, File: "Feed.java", Line: 12, Owner: "com.mine", Own: true, Subject: lineUse(40, 31, 52, 75)},
				{Method: load, File: "Feed.java", Lines: 3, Owner: "com.mine", Own: true, Subject: lineUse(20, -1, 0, -1)},
				{Method: draw, File: "View.java", Owner: "Android", Library: "Android", Subject: lineUse(15, 3, 9, 15)},
				{Method: parse, File: "JSONObject.java", Line: 99, Owner: "org.json", Library: "org.json", Subject: lineUse(5, 2, 8, 5)},
			},
		}
		all[what] = l
		return l
	}
	two := func(what string) *report.Lines {
		l := one(what)
		reference := sampleInput("old.pprof")
		reference.Energy = 70 * mJ
		l.Reference = &reference
		for i, there := range []int64{15, 30, 15} {
			r, use := &l.Rows[i], lineUse(there, there-2, there+2, there+3)
			saving := r.Subject.Own - use.Own
			r.Reference, r.Saving, r.From, r.To = &use, &saving, new(saving-2*mJ), new(saving+2*mJ)
			r.Verdict = []string{report.LineMore, report.LineLess, report.LineUnclear}[i]
		}
		l.Rows, l.Rows[0].ReferenceLine = l.Rows[:3], 10
		return l
	}
	one("one run").Subject.Rules.Steps = []string{"app"}
	l := one("one run by callees, shortened")
	l.Sort, l.Total, l.Filtered, l.Grade, l.Longer, l.Minutes = report.ByAll, 9, 2, "methods", 3.5, 1.5
	l.Warnings = []report.Note{{Code: "damaged", Message: "the recording is damaged"}}
	l = one("no lines")
	l.Grade, l.Rows, l.Total, l.Advice, l.LocatedSamples = "nothing", nil, 0, "record lines", 0
	l = two("two runs")
	l.Comparability = []report.Note{{Code: "unlike", Message: "the runs differ"}}
	l = two("two runs by method")
	l.ByMethod, l.Rows[0].Line, l.Rows[0].ReferenceLine, l.Total = true, 0, 0, 5
	l = two("two runs by callees")
	l.Sort = report.ByAll
	listed := func(l *report.Lines, note string) {
		use := func(own, least, most, all int64) *report.LineUse { u := lineUse(own, least, most, all); return &u }
		l.Source = &report.Listing{Path: "src/Feed.java", Method: bind, Note: note, Own: 44 * mJ, Lines: []report.ListedLine{
			{Line: 9, Text: "\tvoid bind(View v, int i) {"},
			{Line: 10, Text: "\t\tload();", Subject: use(0, 0, 0, 31), Reference: use(0, 0, 0, 9)},
			{Line: 11, Text: "\t\tdraw(v);", Subject: use(40, 31, 52, 44), Reference: use(4, -1, 0, -1)},
			{Line: 12, Text: "\t\ti++;", Subject: use(4, -1, 0, -1), Executions: new(int64(1234))},
			{Line: 13, Text: "\t}"},
		}}
	}
	listed(one("a listing"), "")
	listed(two("a listing of two runs"), "the source may differ")
	l = two("a listing of two runs by method")
	listed(l, "")
	l.ByMethod = true
	l = one("a listing of executions")
	listed(l, "")
	l.Executions = sampleExecutions()
	one("executions").Executions = sampleExecutions()
	one("a meter of samples").Meter = sampleMeter("")
	l = two("two meters of samples")
	l.Meter, l.MeterReference = sampleMeter(""), sampleMeter("few")
	one("a meter that is not used").Meter = sampleMeter("shift")
	one("measured").Metered = sampleMetered()
	l = one("measured by method")
	l.Metered = sampleMetered()
	l.Metered.Grade, l.Metered.Outliers, l.Metered.Calls, l.Metered.Undivided, l.Metered.Others = "methods", nil, nil, nil, 0
	l.Metered.IdleKnown, l.Metered.Halves, l.Metered.Unjudged = false, 0.7, 3
	l = one("not measured")
	l.Metered = &report.Metered{Grade: "nothing", Reason: "few", Tracks: []string{"rail"}, Metered: 60 * mJ, Idle: 60 * mJ, Window: 60e9, Elapsed: 60e9, Period: 1e9, Periods: 60}
	l = one("a measured listing")
	l.Metered = sampleMetered()
	listed(l, "")
	measure(l)
	for _, byMethod := range []bool{false, true} {
		what := "two measured runs"
		if byMethod {
			what += " by method"
		}
		l = two(what)
		l.Metered, l.MeteredReference, l.ByMethod, l.MeteredPairs = sampleMetered(), sampleMetered(), byMethod, samplePairs()
		l.MeteredReference.Metered, l.MeteredReference.Lined = 50*mJ, 30*mJ
		if byMethod {
			l.MeteredPairs.Total, l.MeteredPairs.Open = len(l.MeteredPairs.Rows), 0
		}
	}
	l = two("a measured listing of two runs")
	l.Metered, l.MeteredReference, l.MeteredPairs = sampleMetered(), sampleMetered(), samplePairs()
	listed(l, "")
	measure(l)
	return all
}

// measure gives the listed lines measured energy.
func measure(l *report.Lines) {
	each := 9.6
	for i, u := range []*report.MeteredUse{
		nil, {Executions: 3}, {Energy: energy(9), Least: energy(7), Most: energy(11), Each: &each, Executions: 6}, {Energy: energy(2), Each: &each, Executions: 1}, nil,
	} {
		l.Source.Lines[i].Metered = u
		if l.Reference != nil {
			l.Source.Lines[len(l.Source.Lines)-1-i].MeteredReference = u
		}
	}
}

func sampleExecutions() *report.Executions {
	return &report.Executions{Paths: 5000, Stopped: 7, Unknown: 3, Times: 2, Busy: 4e9, Joined: 1e9, Probes: 2e8, Overhead: 0.05, Total: 12, Rows: []report.ExecutionRow{
		{Method: bind, File: "Feed.java", Line: 12, Own: true, Count: 4321, Stopped: 2}, {Method: draw, File: "View.java", Line: 7, Count: 12},
	}}
}

func sampleMeter(reason string) *report.LineMeter {
	return &report.LineMeter{
		Reason: reason, Shift: -2e9, Window: 50e9, Elapsed: 60e9, Period: 1e9, Periods: 50, Tracks: []string{"rail"}, Metered: 90 * mJ, Samples: 50 * mJ, Idle: 30 * mJ, Rest: 10 * mJ,
		IdlePower: 300_000, BusyPower: 1_100_000, IdleKnown: true, PowersVary: 0.2, Scaled: 1.1,
	}
}

func sampleMetered() *report.Metered {
	m := &report.Metered{
		Provenance: "fitted", Grade: "lines", Way: "joined", Window: 50e9, Elapsed: 60e9, Period: 1e9, Periods: 50, Tracks: []string{"rail"},
		Undivided: []report.UndividedPart{{Name: "display", Energy: 30 * mJ}, {Name: "modem", Energy: 4 * mJ}},
		Metered:   90 * mJ, Lined: 50 * mJ, Unlined: 10 * mJ, Probes: 2 * mJ, Events: 3 * mJ, CallEnergy: 4 * mJ, Idle: 20 * mJ, Rest: mJ,
		IdlePower: 300_000, BusyPower: 1_100_000, IdleKnown: true, Opcodes: 40, Spread: 0.3, R2: 0.91, AEE: 0.08, OffJoined: 0.05, OffOpcodes: 0.1, OffTimes: 0.2, PowersVary: 0.2, Scaled: 1.4,
		LeastEvent: 2 * mJ, Total: 9, Others: 5, OthersEnergy: 6 * mJ, MethodsTotal: 2,
		Rows: []report.MeteredRow{
			{Method: bind, File: "Feed.java", Line: 12, Own: true, Energy: 30 * mJ, Least: 25 * mJ, Most: 36 * mJ, Share: 1. / 3, Executions: 4321, Each: 12.4},
			{Method: draw, File: "View.java", Line: 7, Energy: 10 * mJ, Share: 1. / 9, Executions: 12, Each: 7.6},
		},
		ByMethod: []report.MeteredRow{
			{Method: bind, Own: true, Energy: 40 * mJ, Least: 35 * mJ, Most: 46 * mJ, Share: 4. / 9, Executions: 400, Each: 1e5},
			{Method: draw, Energy: 12 * mJ, Least: 9 * mJ, Most: 15 * mJ, Share: 12. / 90, Executions: 12, Each: 1e6},
		},
		Outliers: []report.MeteredEvent{{Method: load, File: "Feed.java", Line: 40, Count: 2, Energy: 5 * mJ}, {Count: 1, Energy: 3 * mJ}},
	}
	for i := range 11 {
		m.Calls = append(m.Calls, report.MeteredEvent{Method: parse, Count: int64(i + 1), Energy: units.Energy(12-i) * mJ})
	}
	return m
}

func samplePairs() *report.MeteredPairs {
	use := func(mJs int64, n int64) report.MeteredUse {
		each := float64(mJs) * float64(mJ) / float64(n)
		return report.MeteredUse{Energy: energy(mJs), Least: energy(mJs - 1), Most: energy(mJs + 1), Each: &each, Executions: n}
	}
	return &report.MeteredPairs{Total: 8, Open: 6, Rows: []report.MeteredPair{
		{Method: bind, File: "Feed.java", Line: 12, ReferenceLine: 10, Own: true, Saving: 20 * mJ, From: 18 * mJ, To: 22 * mJ, Verdict: report.LineMore, Each: report.LineMore, More: 1, Subject: use(30, 4000), Reference: use(10, 2000)},
		{Method: load, File: "Feed.java", Line: 33, Own: true, Saving: -4 * mJ, From: -6 * mJ, To: -2 * mJ, Verdict: report.LineLess, Each: report.LineUnclear, More: -1, Subject: use(4, 10), Reference: use(8, 20)},
		{Method: draw, File: "View.java", Line: 7, Saving: mJ, From: -mJ, To: 3 * mJ, Verdict: report.LineUnclear, Each: report.LineUnclear, Subject: use(3, 7), Reference: report.MeteredUse{Energy: energy(2)}},
	}}
}

// APITables returns descriptions of tables of API costs, by what they show. n is the length of
// their lists.
func APITables(n int) map[string]*report.APITable {
	table := func() *report.APITable {
		return &report.APITable{Path: "costs.csv", Rows: 120, Names: 90, Packages: []string{"android", "java"}, Methods: Methods()}
	}
	long := table()
	long.Unknown, long.Doubled = 7, 1
	long.Charge = &report.APICharge{Table: "costs.csv", Rows: 120, Calls: 400, Costed: 300, Elsewhere: 25}
	long.Bill = &report.APIBill{}
	long.Sites = &report.APISites{Path: "app.apk", Sites: 70, Costed: 50, Elsewhere: 6, Unclear: 2}
	for i := range n {
		method := fmt.Sprintf("android.app.A%02d.run()V", i)
		long.Unreadable = append(long.Unreadable, fmt.Sprintf("line %d: no number", i+2))
		long.Overloads = append(long.Overloads, report.APIOverload{Name: fmt.Sprintf("android.app.O%02d.run", i), Rows: i + 2, Least: fmt.Sprintf("0.0%d", i), Most: fmt.Sprintf("0.%d", i+1)})
		long.Bill.Missing = append(long.Bill.Missing, report.APIMissing{Method: method, Reason: "no-row", Calls: int64(100 - i)})
		long.Sites.APIs = append(long.Sites.APIs, report.APISite{Method: method, Sites: int64(60 - i), Joules: fmt.Sprintf("0.%d", i+1)})
		long.Sites.Missing = append(long.Sites.Missing, report.APINoSites{Method: method, Reason: "no-row", Sites: int64(90 - i)})
	}
	short := table()
	short.Charge = &report.APICharge{Table: "costs.csv", Calls: 4, Costed: 4}
	return map[string]*report.APITable{"a table": table(), "a table and a run": short, "a table, a run and an app": long}
}
