package analysis_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/repeats"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// warned returns the warnings of a trace as text.
func warned(tr *trace.Trace) string {
	var all []string
	for _, w := range tr.Warnings {
		all = append(all, w.Code+": "+w.Message)
	}
	return strings.Join(all, "\n")
}

// TestAPICostsOfRuns charges the calls of one run and of two with the costs of a table.
func TestAPICostsOfRuns(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "costs.csv", []byte(countedCosts))
	few := strings.Replace(countedCosts, "android.widget.Toast.show(),2,mJ\n", "", 1) + "android.widget.Toast.cancel(),4,mJ\nandroid.widget.Toast.make(),8,mJ\nandroid.widget.Toast.draw(),8,mJ\n"
	write(t, "few.csv", []byte(few))
	countedRun(t, "a.trace", []burst{{"Start", content, 1, 1}, {"Tick", setText, 10, 2}, {"Ask", toast, 3, 1}})
	countedRun(t, "b.trace", []burst{{"Start", content, 2, 1}, {"Ask", toast, 1, 5}})
	for _, c := range []struct {
		name     string
		options  analysis.Options
		want     string
		energy   units.Energy
		warnings string
	}{
		{"all costs", analysis.Options{APICosts: "costs.csv"}, "runs 1, calls 24, costed 24, guessed 0", 150 + 25 + 6, ""},
		{"as Orka", analysis.Options{APICosts: "costs.csv", APICompat: analysis.OrkaCompat}, "runs 1, calls 24, costed 24, guessed 0", 150 + 25 + 6, ""},
		{"few costs", analysis.Options{APICosts: "few.csv"}, "runs 1, calls 24, costed 21, guessed 0", 150 + 25,
			"api-costs: few.csv has a cost for 21 of 24 calls into android.*; the other calls count as zero energy"},
		{"guesses", analysis.Options{APICosts: "few.csv", APIGuess: true}, "runs 1, calls 24, costed 21, guessed 3", 150 + 25 + 24,
			"api-costs: few.csv has a cost for 21 of 24 calls into android.*; 3 other calls have a guessed cost, the median cost of their class"},
	} {
		o := c.options
		o.Subject.Path = "a.trace"
		in, err := analysis.Read(t.Context(), o)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		costs := in.APICosts
		got := fmt.Sprintf("runs %d, calls %d, costed %d, guessed %d", costs.Runs, costs.Calls, costs.Costed, costs.Guessed)
		nano := c.energy * units.Millijoule
		if got != c.want || in.Energy != nano || in.Tree.Energy.Total() != nano || costs.Packages() != "android.*" || in.PowerSource != "the table of API costs "+o.APICosts {
			t.Errorf("%s: %s, energy %d from %s, want %s and %d", c.name, got, in.Energy, in.PowerSource, c.want, nano)
		}
		if costs.Compat != o.APICompat || costs.Guess != o.APIGuess || len(costs.Bill.Routines) == 0 {
			t.Errorf("%s: %+v", c.name, costs)
		}
		if text := warned(in.Trace); text != c.warnings {
			t.Errorf("%s: warnings %q, want %q", c.name, text, c.warnings)
		}
	}
	both, err := analysis.Read(t.Context(), analysis.Options{Subject: analysis.Side{Path: "a.trace", Repeats: []string{"b.trace"}}, APICosts: "costs.csv"})
	if err != nil || both.APICosts.Runs != 2 || both.APICosts.Calls != 24+7 || both.APICosts.Costed != 24+7 || both.APICosts.Elsewhere != 0 || both.APICosts.Bill == nil {
		t.Errorf("two runs: %+v, %v", both.APICosts, err)
	}
	many := analysis.APICosts{Roots: []string{"android", "java", "kotlin"}}
	if got := many.Packages(); got != "android.*, java.*, kotlin.*" {
		t.Errorf("packages %s", got)
	}
	if many.Roots = append(many.Roots, "org"); many.Packages() != "the packages of the table" {
		t.Errorf("packages %s", many.Packages())
	}
}

// TestAPICostErrors combines options that exclude each other, and charges runs without calls.
func TestAPICostErrors(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "costs.csv", []byte(countedCosts))
	write(t, "none.csv", []byte("signature,cost,unit\nandroid.widget.Toast.show(),,mJ\n"))
	write(t, "a.folded", []byte("p.A.a();p.B.b() 5\n"))
	countedRun(t, "a.trace", []burst{{"Start", content, 1, 1}})
	for want, o := range map[string]analysis.Options{
		"--api-guess and --compat need a table of API costs": {APIGuess: true},
		"--api-guess and --compat need a table of":           {APICompat: analysis.OrkaCompat},
		"are two sources of energy":                          {APICosts: "costs.csv", PowerModel: "lte"},
		"--compat orka2016 makes no guesses":                 {APICosts: "costs.csv", APIGuess: true, APICompat: analysis.OrkaCompat},
		"the table lists 1 methods and no costs":             {APICosts: "none.csv"},
		"gone.csv":                                           {APICosts: "gone.csv"},
	} {
		o.Subject.Path = "a.trace"
		if _, err := analysis.Read(t.Context(), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	_, err := analysis.Read(t.Context(), analysis.Options{Subject: analysis.Side{Path: "a.folded"}, APICosts: "costs.csv"})
	if err == nil || !strings.Contains(err.Error(), "and API costs need every call") {
		t.Errorf("a run without calls: %v", err)
	}
}

// A shelf is a store of runs in memory.
type shelf map[string]*analysis.StoredRun

func (s shelf) Runs(_ context.Context, name string) ([]string, error) {
	if name == analysis.StoredPrefix+"both" {
		return []string{analysis.StoredPrefix + "0", analysis.StoredPrefix + "1"}, nil
	}
	return []string{name}, nil
}

func (s shelf) Load(_ context.Context, run string) (*analysis.StoredRun, error) {
	if k := s[run]; k != nil {
		return k, nil
	}
	return nil, fmt.Errorf("no run %s", run)
}

func (s shelf) Sum(_ context.Context, run string) ([]byte, error) { return []byte(run), nil }

// TestStoredRunsAreCompared stores two runs and compares them again. The result is that of the
// recordings. Options that a stored run cannot follow are errors or warnings.
func TestStoredRunsAreCompared(t *testing.T) {
	t.Chdir(t.TempDir())
	for i, path := range []string{"a.trace", "b.trace"} {
		countedRun(t, path, []burst{{"Start", content, 1, 1}, {"Tick", setText, 20, 1 + i}})
	}
	write(t, "costs.csv", []byte(countedCosts))
	write(t, "other.csv", []byte(countedCosts+"android.widget.Toast.cancel(),4,mJ\n"))
	write(t, "mapping.txt", []byte("com.mine.Start -> a.a:\n"))
	store := func(o analysis.Options) shelf {
		o.Subject = analysis.Side{Path: "a.trace", Repeats: []string{"b.trace"}}
		kept, err := analysis.ReadForStore(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		return shelf{analysis.StoredPrefix + "0": &kept[0], analysis.StoredPrefix + "1": &kept[1]}
	}
	plain, costed := store(analysis.Options{}), store(analysis.Options{APICosts: "costs.csv"})
	const first, second = analysis.StoredPrefix + "0", analysis.StoredPrefix + "1"
	sides := func(o analysis.Options, subject, reference analysis.Side) analysis.Options {
		o.Subject, o.Reference, o.Alpha = subject, reference, analysis.AutoAlpha
		return o
	}
	fresh := compare(t, sides(analysis.Options{}, analysis.Side{Path: "a.trace"}, analysis.Side{Path: "b.trace"}))
	again := compare(t, sides(analysis.Options{Store: plain}, analysis.Side{Path: first}, analysis.Side{Path: second}))
	if fresh.Summary != again.Summary || len(fresh.Tasks) != len(again.Tasks) || len(fresh.Tasks) == 0 || again.Subject.Path != first {
		t.Errorf("stored runs have %+v, recordings %+v", again.Summary, fresh.Summary)
	}
	mean, err := analysis.Read(t.Context(), analysis.Options{Store: plain, Subject: analysis.Side{Path: analysis.StoredPrefix + "both"}})
	if err != nil || len(mean.Runs) != 2 {
		t.Errorf("an entry of two runs: %+v, %v", mean, err)
	}
	for want, o := range map[string]analysis.Options{
		"leave out the mapping mapping.txt":     {Store: plain, Subject: analysis.Side{Path: first, Mapping: "mapping.txt"}},
		"hand-overs were read when it":          {Store: plain, Subject: analysis.Side{Path: first, Flows: "x.flows"}},
		"joined with a recording":               {Store: plain, Subject: analysis.Side{Path: first, With: []string{"meter.csv"}}},
		"no run history:7":                      {Store: plain, Subject: analysis.Side{Path: analysis.StoredPrefix + "7"}},
		"this program keeps no history":         {Subject: analysis.Side{Path: first}},
		"was added without API costs":           {Store: plain, Subject: analysis.Side{Path: first}, APICosts: "costs.csv"},
		"was added with other API costs (costs": {Store: costed, Subject: analysis.Side{Path: first}, APICosts: "other.csv"},
		"with other API costs":                  {Store: costed, Subject: analysis.Side{Path: first}, APICosts: "costs.csv", APIGuess: true},
	} {
		if _, err := analysis.Read(t.Context(), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if in, err := analysis.Read(t.Context(), analysis.Options{Store: costed, Subject: analysis.Side{Path: first}, APICosts: "costs.csv"}); err != nil || in.Energy != (150+25)*units.Millijoule {
		t.Errorf("the same API costs: %+v, %v", in, err)
	}
	otherwise := analysis.Options{Store: plain, Subject: analysis.Side{Path: first, Process: "com.mine"}}
	otherwise.Ingest.SampleType = "wall"
	in, err := analysis.Read(t.Context(), otherwise)
	const want = "kept-otherwise: history:0 was added with the process by default and keeps it, though the settings now say com.mine\n" +
		"kept-otherwise: history:0 was added with the sample type by default and keeps it, though the settings now say wall"
	if err != nil || !strings.Contains(warned(in.Trace), want) {
		t.Errorf("%v, warnings %s", err, warned(in.Trace))
	}
	if in, err = analysis.Read(t.Context(), analysis.Options{Store: plain, Subject: analysis.Side{Path: first}}); err != nil || strings.Contains(warned(in.Trace), "kept-otherwise") {
		t.Errorf("%v, warnings %s", err, warned(in.Trace))
	}
}

// TestNamesOfStoredRuns checks that a file is no stored run, whatever its name.
func TestNamesOfStoredRuns(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "history:file", []byte("x"))
	for name, want := range map[string]bool{"history:4f": true, "history:file": false, "a.trace": false, "": false} {
		if got := analysis.NamesStored(name); got != want {
			t.Errorf("%s is stored: %v", name, got)
		}
	}
	if !analysis.IsStored("history:file") || analysis.IsStored("file") {
		t.Error("IsStored looks at files")
	}
	got, err := analysis.StoredRuns(t.Context(), shelf{}, []string{"a.trace", "history:both", "history:file"})
	if err != nil || strings.Join(got, " ") != "a.trace history:0 history:1 history:file" {
		t.Errorf("%q, %v", got, err)
	}
}

// noisyRuns writes runs of a task with these figures.
func noisyRuns(t *testing.T, prefix string, figures ...int) string {
	t.Helper()
	for i, n := range figures {
		const frame = "android.os.Handler.handle()V;p.A.run()V"
		write(t, fmt.Sprintf("%s%d.folded", prefix, i), fmt.Appendf(nil, "%s;android.util.Log.i()I %d\n%s;java.io.File.exists()Z %d\n%s 50\n", frame, n, frame, 3*n, frame))
	}
	return prefix + "*"
}

// TestNoiseOfRuns computes the noise of repeated runs, and compares it with the deviation of the
// totals.
func TestNoiseOfRuns(t *testing.T) {
	t.Chdir(t.TempDir())
	figures := []int{1000, 1100, 950, 1020}
	in, err := analysis.Read(t.Context(), analysis.Options{Subject: analysis.Side{Path: noisyRuns(t, "a", figures...)}})
	if err != nil {
		t.Fatal(err)
	}
	mean, squares := 0.0, 0.0
	for _, n := range figures {
		mean += float64(4*n+50) / float64(len(figures))
	}
	for _, n := range figures {
		squares += (float64(4*n+50)/mean - 1) * (float64(4*n+50)/mean - 1)
	}
	deviation := math.Sqrt(squares / float64(len(figures)-1))
	for builds, source := range map[float64]analysis.BuildSource{0: analysis.BuildsAssumed, 0.03: analysis.BuildsStated} {
		n := analysis.NewNoise(in, builds)
		noise := builds
		if builds == 0 {
			noise = repeats.DefaultBuilds
		}
		if n.Builds != (analysis.BuildNoise{Total: noise, Rows: noise, Source: source}) {
			t.Errorf("the noise between builds is %+v", n.Builds)
		}
		if math.Abs(n.Total.Deviation-deviation) > deviation/4 || math.Abs(n.Total.Mean-mean) > 1 {
			t.Errorf("the total varies by %+v, want about %v of %v", n.Total, deviation, mean)
		}
		var tasks []string
		for _, task := range n.Tasks {
			tasks = append(tasks, fmt.Sprintf("%s %d", in.Tree.Labels.Text(in.Tree.Nodes[task.Node].Label), task.Energy))
		}
		if got := strings.Join(tasks, ", "); got != "java.io.File.exists()Z 3053, android.util.Log.i()I 1017" {
			t.Errorf("the tasks are %s", got)
		}
	}
}

// TestBuildNoise checks where the noise between builds comes from.
func TestBuildNoise(t *testing.T) {
	t.Chdir(t.TempDir())
	subject, reference := noisyRuns(t, "a", 1000, 1100, 950), noisyRuns(t, "b", 900, 980, 930)
	for _, run := range []string{"equal/subject", "equal/reference", "single/subject", "single/reference"} {
		if err := mkdir(run); err != nil {
			t.Fatal(err)
		}
	}
	noisyRuns(t, "equal/subject/x", 1000, 1003, 1001)
	noisyRuns(t, "equal/reference/x", 1500, 1503, 1501)
	noisyRuns(t, "single/subject/x", 1000)
	noisyRuns(t, "single/reference/x", 1500)
	history := func(n int, found bool) func() ([][]float64, bool) {
		return func() (entries [][]float64, ok bool) {
			for i := range n {
				entries = append(entries, []float64{1000 + 50*float64(i%2), 1001 + 50*float64(i%2)})
			}
			return entries, found
		}
	}
	for _, c := range []struct {
		name   string
		o      analysis.Options
		source analysis.BuildSource
		count  int
	}{
		{"default", analysis.Options{}, analysis.BuildsAssumed, 0},
		{"stated", analysis.Options{Builds: 0.05, EqualBuilds: []string{"equal"}}, analysis.BuildsStated, 0},
		{"equal builds", analysis.Options{EqualBuilds: []string{"equal"}, HistoryBuilds: history(9, true)}, analysis.BuildsEqual, 1},
		{"a history", analysis.Options{HistoryBuilds: history(6, true)}, analysis.BuildsHistory, 6},
		{"a short history", analysis.Options{HistoryBuilds: history(5, true)}, analysis.BuildsAssumed, 0},
		{"another app's history", analysis.Options{HistoryBuilds: history(9, false)}, analysis.BuildsAssumed, 0},
	} {
		o := c.o
		o.Subject.Path, o.Reference.Path, o.Alpha = subject, reference, analysis.AutoAlpha
		got := compare(t, o).Chance.Builds
		if got.Source != c.source || got.Count != c.count || (got.Total == repeats.DefaultBuilds) != (c.source == analysis.BuildsAssumed) || got.Rows <= 0 {
			t.Errorf("%s: %+v", c.name, got)
		}
		if c.source == analysis.BuildsEqual && (got.Total < 0.15 || got.Total > 1) {
			t.Errorf("%s: equal builds differ by a half, and the noise is %+v", c.name, got)
		}
	}
	o := analysis.Options{EqualBuilds: []string{"single"}, Subject: analysis.Side{Path: subject}, Reference: analysis.Side{Path: reference}}
	if _, err := analysis.Compare(t.Context(), o); err == nil || !strings.Contains(err.Error(), "recordings of equal builds in single: each side needs") {
		t.Errorf("one run of equal builds: %v", err)
	}
}

// TestNormalizing scales a run to the subject's, by each quantity.
func TestNormalizing(t *testing.T) {
	t.Chdir(t.TempDir())
	countedRun(t, "a.trace", []burst{{"Start", content, 1, 1}, {"Tick", setText, 20, 1}})
	countedRun(t, "b.trace", []burst{{"Start", content, 1, 1}, {"Tick", setText, 60, 1}})
	write(t, "a.folded", []byte("p.A.a();p.B.b() 5\n"))
	write(t, "none.folded", []byte("p.A.a();p.B.b() 0\n"))
	length := func(path string) int64 {
		in, err := analysis.Read(t.Context(), analysis.Options{Subject: analysis.Side{Path: path}})
		if err != nil {
			t.Fatal(err)
		}
		return int64(analysis.Length(in.Trace))
	}
	energy := func(path string) int64 {
		in, err := analysis.Read(t.Context(), analysis.Options{Subject: analysis.Side{Path: path}})
		if err != nil {
			t.Fatal(err)
		}
		return int64(in.Energy)
	}
	for _, c := range []struct {
		n         analysis.Normalization
		times, of int64
	}{
		{analysis.Normalization{By: analysis.ByTime}, length("a.trace"), length("b.trace")},
		{analysis.Normalization{By: analysis.ByEnergy}, energy("a.trace"), energy("b.trace")},
		{analysis.Normalization{By: analysis.ByCalls, Method: "TextView.setText"}, 20, 60},
		{analysis.Normalization{By: analysis.ByCalls, Method: "android.widget.TextView.setText"}, 20, 60},
		{analysis.Normalization{By: analysis.ByCalls, Method: "android.widget.TextView.setText(Ljava/lang/CharSequence;)V"}, 20, 60},
	} {
		r := compare(t, analysis.Options{Subject: analysis.Side{Path: "a.trace"}, Reference: analysis.Side{Path: "b.trace"}, Normalize: c.n, Alpha: analysis.AutoAlpha})
		s := r.Reference.Scale
		if r.Subject.Scale != nil || s == nil || s.Times != c.times || s.Of != c.of || s.By != c.n.By {
			t.Errorf("%+v: scales %+v and %+v, want %d/%d", c.n, r.Subject.Scale, s, c.times, c.of)
			continue
		}
		want := float64(energy("b.trace")) * float64(c.times) / float64(c.of)
		if math.Abs(float64(r.Reference.Energy)-want) > want/1000+100 || r.Reference.Trace.Calls != trace.NoCalls || r.Reference.Energy != r.Reference.Tree.Energy.Total() {
			t.Errorf("%+v: the energy is %d, want about %v", c.n, r.Reference.Energy, want)
		}
	}
	for want, c := range map[string]struct {
		n         analysis.Normalization
		reference string
	}{
		"does not state its duration":               {analysis.Normalization{By: analysis.ByTime}, "a.folded"},
		"none.folded has no energy":                 {analysis.Normalization{By: analysis.ByEnergy}, "none.folded"},
		"the recording does not count calls":        {analysis.Normalization{By: analysis.ByCalls, Method: "p.A.a"}, "a.folded"},
		"the run does not call TextView.getText":    {analysis.Normalization{By: analysis.ByCalls, Method: "TextView.getText"}, "b.trace"},
		"normalizing b.trace: the run does not cal": {analysis.Normalization{By: analysis.ByCalls, Method: "setText"}, "b.trace"},
	} {
		_, err := analysis.Compare(t.Context(), analysis.Options{Subject: analysis.Side{Path: "a.trace"}, Reference: analysis.Side{Path: c.reference}, Normalize: c.n})
		if err == nil || !strings.Contains(err.Error(), want) && !strings.Contains(err.Error(), "normalizing a.trace") {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func mkdir(path string) error { return os.MkdirAll(filepath.FromSlash(path), 0o755) }
