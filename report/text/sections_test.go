package text

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/energy/fit"
	"github.com/diffprof/diffprof/energy/model"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// skeleton returns the figures of a text, line by line, with the names that begin with "zz". All
// other words are left out, so that a test does not depend on the wording.
func skeleton(t *testing.T, write func(io.Writer) error) string {
	t.Helper()
	var all bytes.Buffer
	if err := write(&all); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for line := range strings.Lines(all.String()) {
		var kept []string
		for _, word := range strings.Fields(line) {
			if strings.ContainsAny(word, "0123456789") || strings.Contains(word, "zz") {
				kept = append(kept, strings.Trim(word, "(),;:."))
			}
		}
		if len(kept) > 0 {
			b.WriteString(strings.Join(kept, " ") + "\n")
		}
	}
	return b.String()
}

// shows compares the skeleton of a text with the wanted lines.
func shows(t *testing.T, what string, write func(io.Writer) error, want ...string) {
	t.Helper()
	if got := skeleton(t, write); got != strings.Join(want, "\n")+"\n" {
		t.Errorf("%s has the figures\n%swant\n%s\n", what, got, strings.Join(want, "\n"))
	}
}

// wide is the width at which no sentence wraps.
var wide = report.Options{Width: 500}

// TestPowerModelText writes a model with each kind of state, transition and work.
func TestPowerModelText(t *testing.T) {
	const mW = units.Milliwatt
	d := &model.Device{
		Name: "zzphone", Title: "zztitle", Source: "zzsource", Voltage: 3_850 * units.Volt / 1000, Battery: 40 * units.Joule,
		Services: []model.Service{{Name: "zznet", Component: "zzradio"}},
		Components: []model.Component{{
			Name: "zzradio", Source: "zzshared", Rails: []string{"zzrail1", "zzrail2"},
			States: []model.State{
				{Name: "zzbase", Kind: model.Base, Power: 99 * mW, Source: "zznever"},
				{Name: "zzon", Kind: model.Productive, Power: 250 * mW, PerLevel: 3 * mW},
				{Name: "zztail", Kind: model.Tail, Power: 120 * mW, Source: "zzown"},
			},
			Transitions: []model.Transition{
				{From: 0, To: 1, On: []trace.Verb{trace.OpSend, trace.OpReceive}, MinBytes: 1500},
				{From: 0, To: 1, On: []trace.Verb{trace.OpSend}, Source: "zznever"},
				{From: 1, To: 2, Idle: true, Source: "zznever"},
				{From: 2, To: 0, After: 5 * time.Second},
			},
			Work: []model.Work{
				{On: []trace.Verb{trace.OpSend}, Fixed: 2 * time.Millisecond, PerKiB: 3 * time.Millisecond, Energy: 4 * units.Millijoule, EnergyPerKiB: 5 * units.Millijoule, EnergyPerPacket: 6 * units.Millijoule},
				{On: []trace.Verb{trace.OpReceive}, PerKiB: 7 * time.Millisecond, Source: "zzown"},
			},
		}},
		CPU: &model.CPU{Source: "zzcpu", Base: 10 * mW, Clusters: []model.Cluster{{Name: "zzbig", Cores: []int{4, 5}, Points: []model.Point{
			{Frequency: 300 * units.Megahertz, Active: 20 * mW}, {Frequency: 600 * units.Megahertz, Active: 30 * mW}, {Frequency: 900 * units.Megahertz, Active: 40 * mW, Shared: 50 * mW},
		}}}},
	}
	shows(t, "the model", func(w io.Writer) error { return PowerModel(w, d) },
		"zzphone zztitle", "zzsource", "3.85 40.0 zznet zzradio", "zzradio", "zzbase",
		"zzon 250 3.00 zzshared", "zztail 120 zzown",
		"zzbase zzon 1500", "zzbase zzon", "zzon zztail", "zztail zzbase 5 zzshared",
		"2 3 4000 5000 6000 zzshared", "7 zzown", "zzrail1 zzrail2",
		"zzcpu", "10.0", "zzbig 2 3", "300 20.0", "900 40.0 50.0")
	assumed, all := d.Assumed()
	shows(t, "the list of models", func(w io.Writer) error {
		return ReadyModels(w, []*model.Device{d, {Name: "zzplain", Title: "zzother"}})
	},
		"zzphone zztitle", fmt.Sprintf("%d %d zzradio", assumed, all), "zzplain zzother", "0 0")
}

// TestFittedText writes how a model agrees with measurements. The last row adds up the clusters
// that were fitted.
func TestFittedText(t *testing.T) {
	const mJ, mW = units.Millijoule, units.Milliwatt
	f := &analysis.Fitted{
		Processor: "zznever",
		Clusters: []fit.Cluster{
			{Name: "zzlittle", Spans: 7, Measured: 100 * mJ, Before: 80 * mJ, After: 99 * mJ, OffBefore: 0.25, OffAfter: 0.02, Active: 1.5, Idle: 0.75},
			{Name: "zzmid", Spans: 3, Measured: 500 * mJ, Before: 500 * mJ, After: 500 * mJ, Refused: "zzfew"},
			{Name: "zzbig", Spans: 9, Measured: 200 * mJ, Before: 240 * mJ, After: 201 * mJ, OffBefore: 0.2, OffAfter: 0.01, Active: 0.8, Idle: 1},
		},
		Components: []fit.Component{
			{Name: "zzgps", Refused: "zznone"},
			{Name: "zzwifi", Runs: 2, Spans: 11, Measured: 300 * mJ, Before: 200 * mJ, After: 290 * mJ, OffBefore: 0.33, OffAfter: 0.04, OffOther: 0.06, Always: 5 * mW, States: []fit.State{
				{Name: "zzactive", Time: 1500 * time.Millisecond, Before: 100 * mW, After: 120 * mW, Deviation: 7 * mW},
				{Name: "zztail", Time: 3 * time.Second, Before: 60 * mW, After: 60 * mW, Refused: "zzunsure"},
			}},
			{Name: "zzdisk", Runs: 1, Spans: 4, Measured: 30 * mJ, Before: 20 * mJ, After: 29 * mJ, OffBefore: 0.5, OffAfter: 0.1, OffOther: 0.77},
		},
	}
	shows(t, "the fitted model", func(w io.Writer) error { return Fitted(w, f) },
		"zzlittle 7 100 80.0 25 99.0 2 1.5 0.75", "zzmid 3 zzfew", "zzbig 9 200 240 20 201 1 0.8 1", "300 320 300",
		"zzgps zznone",
		"zzwifi 300 11 2 5.00", "200 33 290 4 6", "zzactive 100 120 7.00 1.5", "zztail 60.0 zzunsure",
		"zzdisk 30.0 4 1 0", "20.0 50 29.0 10")
	f.Clusters = nil
	if got := skeleton(t, func(w io.Writer) error { return Fitted(w, f) }); !strings.HasPrefix(got, "zznever\nzzgps") {
		t.Errorf("without clusters, the figures are\n%s", got)
	}
}

// tracks returns one track of each kind. Their order differs from the order in the text.
func tracks() []report.Track {
	return []report.Track{
		{Name: "zzl", Kind: "level", Span: 1, Unit: "zz%", Least: new(int64(3)), Most: new(int64(9))},
		{Name: "zzg", Kind: "gauge", Span: 1, Least: new(int64(5)), Most: new(int64(5))},
		{Name: "zzs", Kind: "state", Span: 1, Active: new(int64(4e9))},
		{Name: "zzoff", Kind: "state", Span: 1, Active: new(int64(0))},
		{Name: "zzsleep", Kind: "suspend", Span: 1, Active: new(int64(6e9))},
		{Name: "zzi", Kind: "idle", Span: 1, Active: new(int64(2e9))},
		{Name: "zzf", Kind: "frequency", Span: 1, Mean: new(1.5e9), Least: new(int64(3e8)), Most: new(int64(2e9))},
		{Name: "zzc", Kind: "switch", Span: 1, Active: new(int64(7e9))},
		{Name: "zzidle", Kind: "switch", Span: 1, Active: new(int64(0))},
		{Name: "zzless", Kind: "drain", Span: 1, Energy: new(2 * units.Millijoule)},
		{Name: "zzmore", Kind: "drain", Span: 1, Energy: new(8 * units.Millijoule)},
		{Name: "zznever", Kind: "drain", Span: 0, Energy: new(9 * units.Millijoule)},
	}
}

// TestTracksText writes the signals of a recording. A list has twelve items at most.
func TestTracksText(t *testing.T) {
	write := func(list []report.Track) func(io.Writer) error {
		return func(w io.Writer) error {
			p := newPage(wide, 0)
			p.tracks(list)
			return p.flush(w)
		}
	}
	shows(t, "the tracks", write(tracks()),
		"zzmore 8.00 zzless 2.00", "zzc 7", "zzf 1500 300 2000", "zzi 2", "zzs 4 zzsleep 6", "zzl 3 9 zz%", "zzg 5")
	for _, c := range []struct {
		n    int
		last string
	}{{12, "zz12 12"}, {13, "zz12 12 1"}, {20, "zz12 12 8"}} {
		var list []report.Track
		for i := range c.n {
			list = append(list, report.Track{Name: fmt.Sprint("zz", i+1), Kind: "idle", Span: 1, Active: new(int64(i+1) * 1e9)})
		}
		if got := strings.TrimSpace(skeleton(t, write(list))); !strings.HasSuffix(got, c.last) || strings.Count(got, "zz") != 12 {
			t.Errorf("%d tracks: %s, want them to end with %s", c.n, got, c.last)
		}
	}
}

// recorded returns the content of a readable file.
func recorded() *report.Recording {
	return &report.Recording{
		Size: 3 << 20, Compression: []string{"zzgzip"}, Threads: 9, Unlisted: 4, HandOvers: 5,
		Tracks: tracks()[5:6], AppPackages: []string{"zz1", "zz2", "zz3", "zz4", "zz5", "zz6", "zz7"},
		Warnings: []report.Note{{Code: "zzcode", Message: "zzwarning"}},
		Input: report.Input{Format: "zzformat", VM: "zzvm", Technique: "sampled", Clock: "dual", Calls: "counted", Threads: 7, Methods: 1234, Events: 56789, CCTNodes: 321,
			WallTime: 8e9, CPUTime: 3e9, Energy: 20 * units.Millijoule, EnergyFrom: "zzfrom", PowerSource: "zzpower",
			Measured: &report.Measured{Energy: 30 * units.Millijoule, By: "zzmeter", Accounted: new(11 * units.Millijoule), ModelOnly: new(12 * units.Millijoule),
				Parts: []report.Part{{Name: "zzpart", Measured: 13 * units.Millijoule, Modelled: 14 * units.Millijoule, Charged: 15 * units.Millijoule, Rest: 16 * units.Millijoule}}},
			Aligned: []report.AlignedRecording{{Path: "zzbeside", How: "zzhow"}}},
	}
}

// TestInfoText writes a recording, a folder, a problem and the formats.
func TestInfoText(t *testing.T) {
	format := report.Format{Name: "zzformat", Title: "zztitle", Start: "zz`magic`", Extensions: []string{"zza", "zzb"}, Facts: []report.Fact{{Name: "zzfact", Detail: "zzcarried"}},
		Record: []report.Recipe{{Tools: "zztool", Steps: []string{"zzstep 1", "zzstep 2"}, Note: "zznote"}}}
	info := &report.Info{
		Files: []report.File{
			{Path: "zzfile", Recording: recorded()},
			{Path: "zzfolder", Folder: []report.Runs{{Name: "zzruns", Format: "zzformat", Files: []string{"zzr1", "zzr2"}, Fault: "zzfault"}}, Problem: &report.Problem{Hint: "zzwhich"}},
			{Path: "zzbad", Problem: &report.Problem{Message: "zzmessage", Hint: "zzhint"}},
		},
		Formats: []report.Format{format},
	}
	shows(t, "the files", func(w io.Writer) error { return Info(w, info, wide) },
		"zzfile", "zztitle 3.0 zzgzip", "zzvm", "9 7", "1,234 4", "56,789 5 321", "8", "3", "20.0 zzfrom", "zzpower",
		"30.0 zzmeter 11.0 12.0", "zzpart 13.0 14.0 15.0 16.0", "zzbeside zzhow", "zzi 2", "zz1 zz2 zz3 zz4 zz5 2", "zzwarning",
		"zzfolder", "1", "zzruns 2 zzformat", "zzr1 zzr2", "zzruns zzfault", "zzwhich",
		"zzbad", "zzmessage", "zzhint",
		"zztitle", "zztool", "zzstep 1", "zzstep 2", "zznote")
	shows(t, "the formats", func(w io.Writer) error { return Info(w, &report.Info{Formats: []report.Format{format}}, wide) },
		"zztitle", "zzmagic", "*.zza *.zzb", "zzfact zzcarried", "zztool", "zzstep 1", "zzstep 2", "zznote")
	// A recording with only signals has no calls to describe.
	alone := recorded()
	alone.Input.Events = 0
	shows(t, "signals alone", func(w io.Writer) error {
		return Info(w, &report.Info{Files: []report.File{{Path: "zzfile", Recording: alone}}}, wide)
	},
		"zzfile", "3.0 zzgzip", "8", "zzi 2", "zzwarning")
	// Without parts, there are no lines with figures of parts.
	bare := &report.Recording{Input: report.Input{Events: 6, Threads: 2, Methods: 3, CCTNodes: 4, EnergyFrom: "zzfrom", PowerSource: "zzpower"}, Threads: 2}
	shows(t, "a bare recording", func(w io.Writer) error {
		return Info(w, &report.Info{Files: []report.File{{Path: "zzfile", Recording: bare}}}, wide)
	},
		"zzfile", "0", "2", "3", "6 4", "0 zzfrom", "zzpower")
}

// TestInfoWords checks that all clocks, kinds of calls and techniques have different words.
func TestInfoWords(t *testing.T) {
	differ(t, "clocks", clocks, "dual", "thread-cpu", "cycles", "wall", "none")
	differ(t, "calls", calls, "counted", "estimated", "")
	differ(t, "technique", func(technique string) string {
		in := &report.Recording{Input: report.Input{Events: 1, Technique: technique}}
		return rendered(t, func(w io.Writer) error { return Info(w, &report.Info{Files: []report.File{{Recording: in}}}, wide) })
	}, "unknown", "sampled", "instrumented")
	differ(t, "own code", func(packages string) string { return packagesList(strings.Fields(packages)) }, "", "a", "a b", "a b c d e", "a b c d e f", "a b c d e f g")
}

// rendered returns a text.
func rendered(t *testing.T, write func(io.Writer) error) string {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// differ checks that no two values have the same text.
func differ(t *testing.T, what string, text func(string) string, values ...string) {
	t.Helper()
	seen := map[string]string{}
	for _, v := range values {
		shown := text(v)
		if other, ok := seen[shown]; ok {
			t.Errorf("%s: %q and %q are both %q", what, other, v, shown)
		}
		seen[shown] = v
	}
}

// TestTreeStages checks that the words differ for a recorded tree, a preprocessed tree, and a tree
// with merged methods of the app. The raw tree does not depend on the steps.
func TestTreeStages(t *testing.T) {
	stage := func(steps string) string {
		words := strings.Fields(steps)
		tree := &report.Tree{Stage: words[0], Input: report.Input{Rules: report.Rules{Steps: words[1:]}}}
		for line := range strings.Lines(rendered(t, func(w io.Writer) error { return Tree(w, tree, wide) })) {
			if name, value, ok := strings.Cut(line, "  "); ok && name == "tree" {
				return strings.TrimSpace(value)
			}
		}
		t.Fatalf("%s: no line of the stage", steps)
		return ""
	}
	differ(t, "stages", stage, "raw app detail", "merged app detail", "merged detail")
	if stage("raw app") != stage("raw") || stage("merged") != stage("raw") || stage("merged app") != stage("merged detail app") {
		t.Errorf("raw is %q, with app %q; merged is %q, with app %q", stage("raw"), stage("raw app"), stage("merged"), stage("merged app"))
	}
}

// TestNoiseText writes the differences that repeated runs can show.
func TestNoiseText(t *testing.T) {
	n := &report.Noise{
		Runs: make([]report.RepeatedRun, 4), Sought: 0.07, Power: 0.8, Rate: 0.05, Tested: 9,
		Total: report.NoisyRow{Deviation: 0.034, Least: new(0.12), Needed: 13},
		Input: report.Input{Path: "zzruns", Energy: 90 * units.Millijoule},
		Tasks: []report.NoisyRow{
			{Method: "zzA.a()V", Path: []string{"(toplevel)", "zzB.b()V", "zzA.a()V"}, Energy: 40 * units.Millijoule, Share: 0.444, Deviation: 0.021, Least: new(0.33), Needed: 17},
			{Method: "zzC.c()V", Path: []string{"(toplevel)", "zzC.c()V"}, Energy: 3 * units.Millijoule, Share: 0.033, Deviation: 0.25},
		},
		Methods:  methodsOf("zzA.a()V", "zzB.b()V", "zzC.c()V"),
		Warnings: []report.Note{{Message: "zzwarning"}},
	}
	lines := strings.Split(skeleton(t, func(w io.Writer) error { return Noise(w, n, wide) }), "\n")
	for _, want := range []string{"zzruns 90.0", "40.0 44.4% 2.1% 33.0% 17 zzA.a zzB.b", "3.00 3.3% 25.0% >1000 zzC.c", "7 0", "zzwarning"} {
		if !slices.Contains(lines, want) {
			t.Errorf("no line has the figures %q in\n%s", want, strings.Join(lines, "\n"))
		}
	}
	if n.Tested = 2; slices.Contains(strings.Split(skeleton(t, func(w io.Writer) error { return Noise(w, n, wide) }), "\n"), "0 0") {
		t.Error("a list of all tasks says that there are more")
	}
}
