package analysis_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/lines/metered"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

const (
	socketRead = "java.net.SocketInputStream.read([BII)I"
	acquire    = "android.os.PowerManager$WakeLock.acquire()V"
	release    = "android.os.PowerManager$WakeLock.release()V"
)

// A timedCall is a call of one thread. Its times are in milliseconds. The thread works during the
// call unless it waits.
type timedCall struct {
	begin, end int
	method     string
	waits      bool
	inner      []timedCall
}

// chromeTrace writes a Chrome trace of calls of one thread.
func chromeTrace(t *testing.T, path string, calls ...timedCall) string {
	t.Helper()
	var events []string
	waited := 0
	event := func(phase, method string, at int) {
		events = append(events, fmt.Sprintf(`{"pid":1,"tid":1,"ph":%q,"ts":%d,"tts":%d,"name":%q}`, phase, at*1000, (at-waited)*1000, method))
	}
	var add func(c timedCall)
	add = func(c timedCall) {
		event("B", c.method, c.begin)
		for _, inner := range c.inner {
			add(inner)
		}
		if c.waits {
			waited += c.end - c.begin
		}
		event("E", c.method, c.end)
	}
	for _, c := range calls {
		add(c)
	}
	write(t, path, []byte("["+strings.Join(events, ",\n")+"]"))
	return path
}

// browsing is an app that reads three times, works after the first read, and holds a wakelock.
func browsing(t *testing.T, path string) string {
	return chromeTrace(t, path, timedCall{begin: 0, end: 60_000, method: "com.mine.Main.run()V", inner: []timedCall{
		{begin: 1000, end: 1100, method: "com.mine.Net.load()V", inner: []timedCall{{begin: 1000, end: 1100, method: socketRead, waits: true}}},
		{begin: 1200, end: 2200, method: "com.mine.Feed.parse()V", inner: []timedCall{{begin: 1300, end: 1800, method: "org.json.JSON.read()V"}}},
		{begin: 9000, end: 9100, method: "com.mine.Net.load()V", inner: []timedCall{{begin: 9000, end: 9100, method: socketRead, waits: true}}},
		{begin: 21_000, end: 21_100, method: socketRead, waits: true},
		{begin: 30_000, end: 30_001, method: acquire},
		{begin: 45_000, end: 45_001, method: release},
		{begin: 45_002, end: 59_000, method: "java.lang.Object.wait()V", waits: true},
	}})
}

// TestBundlesOfARun lists the active periods of a run's components, the calls that caused them, and
// the routines that ran during their tails.
func TestBundlesOfARun(t *testing.T) {
	folder := t.TempDir()
	var got strings.Builder
	for _, model := range []string{"lte", ""} {
		in, err := analysis.Read(t.Context(), analysis.Options{Subject: analysis.Side{Path: browsing(t, filepath.Join(folder, "run.json"))}, PowerModel: model, Bundles: true})
		if err != nil {
			t.Fatal(err)
		}
		b := in.Bundles
		if b == nil {
			fmt.Fprintf(&got, "model %q: none\n", model)
			continue
		}
		label := func(m trace.MethodID) string {
			if m < 0 {
				return "none"
			}
			return in.Tree.Source.Methods[m].Short()
		}
		path := func(methods []trace.MethodID) string {
			var all []string
			for _, m := range methods {
				all = append(all, label(m))
			}
			return strings.Join(all, " > ")
		}
		fmt.Fprintf(&got, "model %q: %d unseen\n", model, b.Unseen)
		sums := make(map[string]units.Energy)
		for i, one := range b.List {
			sums[one.Component] += one.Energy
			fmt.Fprintf(&got, "%s ×%d: %d nJ, tail %d nJ\n", one.Component, one.Count, one.Energy, one.Tail)
			if one.Use+one.Tail != one.Energy {
				t.Errorf("%s: %d and %d do not add up to %d", one.Component, one.Use, one.Tail, one.Energy)
			}
			for k, state := range one.States {
				fmt.Fprintf(&got, "  state of kind %v, %d nJ:", state.Kind, state.Energy)
				for _, d := range state.Drivers {
					fmt.Fprintf(&got, " [%s] %d nJ,", path(b.Paths[d.Context]), d.Energy)
				}
				for _, r := range b.Ran[i][k] {
					fmt.Fprintf(&got, " ran %s %v;", label(r.Method), r.Time)
				}
				got.WriteString("\n")
				if state.Tails != nil {
					t.Error("a state has indices of tails")
				}
			}
		}
		for i, h := range b.Holds {
			fmt.Fprintf(&got, "%s held from %d to %d by %s, released by %s; the app last ran at %d\n", h.Component, h.Begin, h.End, path(b.Paths[h.By]), path(b.Paths[h.Releaser]), b.LastRan[i])
		}
		for _, c := range in.Components {
			if sum, ok := sums[c.Name]; ok && sum != c.Energy() {
				t.Errorf("the bundles of %s have %d, the component has %d", c.Name, sum, c.Energy())
			}
		}
	}
	const want = `model "lte": 0 unseen
cellular ×1: 20792129499 nJ, tail 20474854000 nJ
  state of kind ramp, 314903070 nJ: [Main.run > Net.load > SocketInputStream.read] 314903070 nJ,
  state of kind productive, 2372429 nJ: [Main.run > Net.load > SocketInputStream.read] 2372429 nJ,
  state of kind tail, 20474854000 nJ: [Main.run > Net.load > SocketInputStream.read] 20474854000 nJ, ran Main.run 18.376s; ran Feed.parse 840.79936ms;
cellular ×1: 12586070079 nJ, tail 12270560000 nJ
  state of kind ramp, 314903070 nJ: [Main.run > SocketInputStream.read] 314903070 nJ,
  state of kind productive, 607009 nJ: [Main.run > SocketInputStream.read] 607009 nJ,
  state of kind tail, 12270560000 nJ: [Main.run > SocketInputStream.read] 12270560000 nJ, ran Main.run 11.576s;
wakelock ×1: 288600000 nJ, tail 0 nJ
  state of kind on, 288600000 nJ: [Main.run > PowerManager$WakeLock.acquire] 288600000 nJ, [Main.run > PowerManager$WakeLock.release] 0 nJ,
wakelock held from 30000000000 to 45000000000 by Main.run > PowerManager$WakeLock.acquire, released by Main.run > PowerManager$WakeLock.release; the app last ran at 44900000000
model "": none
`
	if got.String() != want {
		t.Errorf("got\n%s\nwant\n%s", got.String(), want)
	}
}

// played writes the calls and the energy that a replay plays.
type played struct {
	methods []name.Method
	text    strings.Builder
	sum     units.Energy
}

func (p *played) Open(c *cct.Call) error {
	fmt.Fprintf(&p.text, "open %s\n", p.methods[c.Method].Short())
	return nil
}

func (p *played) Close(c *cct.Call) error {
	fmt.Fprintf(&p.text, "close %s\n", p.methods[c.Method].Short())
	return nil
}
func (p *played) Extra(*cct.Call) error { return nil }
func (p *played) Drain(_ int64, _ trace.ThreadID, _ trace.AccountID, e units.Energy) error {
	p.sum += e
	return nil
}

// TestReplayPlaysTheCalls plays a recording, with and without a mapping file. Its energy is that of
// the run.
func TestReplayPlaysTheCalls(t *testing.T) {
	folder := t.TempDir()
	run := chromeTrace(t, filepath.Join(folder, "run.json"), timedCall{begin: 0, end: 50, method: "a.a.a()V", inner: []timedCall{{begin: 10, end: 20, method: "a.a.b()V"}}}, timedCall{begin: 60, end: 70, method: "a.a.b()V"})
	names := filepath.Join(folder, "mapping.txt")
	write(t, names, []byte("com.mine.Feed -> a.a:\n    void load() -> a\n    void draw() -> b\n"))
	for mapping, want := range map[string]string{
		"":    "open a.a\nopen a.b\nclose a.b\nclose a.a\nopen a.b\nclose a.b\n",
		names: "open Feed.load\nopen Feed.draw\nclose Feed.draw\nclose Feed.load\nopen Feed.draw\nclose Feed.draw\n",
	} {
		o := analysis.Options{Subject: analysis.Side{Path: run, Mapping: mapping}}
		r, err := analysis.OpenReplay(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		if !r.Moments || r.Input.Path != run {
			t.Fatalf("the replay is of %+v", r.Input)
		}
		p := &played{methods: r.Input.Trace.Methods}
		if err := r.Play(t.Context(), p); err != nil {
			t.Fatal(err)
		}
		in, err := analysis.Read(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		if p.text.String() != want || p.sum != in.Energy {
			t.Errorf("mapping %q: energy %d of %d, calls\n%s", mapping, p.sum, in.Energy, p.text.String())
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
	o := analysis.Options{Subject: analysis.Side{Path: run}, APICosts: "costs.csv"}
	if _, err := analysis.OpenReplay(t.Context(), o); err == nil || !strings.Contains(err.Error(), "leave out --api-costs") {
		t.Errorf("API costs: %v", err)
	}
	if _, err := analysis.OpenReplay(t.Context(), analysis.Options{Subject: analysis.Side{Path: filepath.Join(folder, "none.json")}}); err == nil {
		t.Error("a missing file is played")
	}
	second := chromeTrace(t, filepath.Join(folder, "second.json"), timedCall{begin: 0, end: 50, method: "a.a.a()V"})
	mean, err := analysis.OpenReplay(t.Context(), analysis.Options{Subject: analysis.Side{Path: run, Repeats: []string{second}}})
	if err != nil || mean.Moments || mean.Input != nil || mean.Close() != nil {
		t.Errorf("several runs: %+v, %v", mean, err)
	}
}

// lined writes a pprof file of two methods, with a sample on each of the lines.
func lined(t *testing.T, path string) string {
	t.Helper()
	bind := &profile.Function{ID: 1, Name: "com.mine.Feed.bind", Filename: "Feed.java", StartLine: 3}
	draw := &profile.Function{ID: 2, Name: "com.other.View.draw", Filename: "View.java", StartLine: 3}
	p := &profile.Profile{
		SampleType: []*profile.ValueType{{Type: "samples", Unit: "count"}, {Type: "cpu", Unit: "nanoseconds"}},
		PeriodType: &profile.ValueType{Type: "cpu", Unit: "nanoseconds"}, Period: 10_000_000, Function: []*profile.Function{bind, draw}, DurationNanos: 5e9,
	}
	for i, at := range []struct {
		f    *profile.Function
		line int64
		n    int64
	}{{bind, 4, 30}, {bind, 5, 20}, {bind, 6, 10}, {bind, 0, 3}, {draw, 9, 40}} {
		l := &profile.Location{ID: uint64(i + 1), Line: []profile.Line{{Function: at.f, Line: at.line}}}
		p.Location = append(p.Location, l)
		p.Sample = append(p.Sample, &profile.Sample{Location: []*profile.Location{l}, Value: []int64{at.n, at.n * 10_000_000}})
	}
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	write(t, path, b.Bytes())
	return path
}

const feedSource = `package com.mine;
class Feed {
	void bind() {
		load();
		load();
		draw();
	}
	void load() {}
	void twice() { load(); }
}
`

// sources writes the sources of an app.
func sources(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	if err := os.MkdirAll(filepath.Join(folder, "com", "mine"), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(folder, "com", "mine", "Feed.java"), []byte(feedSource))
	return folder
}

// TestStoredLines checks that a stored run keeps its lines, sorted by energy, with their texts.
func TestStoredLines(t *testing.T) {
	known := sources(t) // The sources are older than the recording.
	run := lined(t, filepath.Join(t.TempDir(), "run.pprof"))
	for _, c := range []struct {
		sources []string
		want    string
	}{
		{nil, `View.draw:9 "" 0, Feed.bind:4 "" 0, Feed.bind:5 "" 0, Feed.bind:6 "" 0`},
		{[]string{known}, `View.draw:9 "" 0, Feed.bind:4 "load();" 0, Feed.bind:5 "load();" 1, Feed.bind:6 "draw();" 0`},
	} {
		kept, err := analysis.ReadForStore(t.Context(), analysis.Options{Subject: analysis.Side{Path: run}, Sources: c.sources})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		last := units.Energy(1 << 62)
		for _, l := range kept[0].Input.StoredLines {
			got = append(got, fmt.Sprintf("%s:%d %q %d", l.Method.Short(), l.Line, l.Text, l.Number))
			if l.Own > last || l.Own <= 0 {
				t.Errorf("%s:%d has %d after %d", l.Method.Short(), l.Line, l.Own, last)
			}
			last = l.Own
		}
		if text := strings.Join(got, ", "); text != c.want {
			t.Errorf("sources %q: got %s, want %s", c.sources, text, c.want)
		}
	}
}

// TestPlacesInSources finds declarations, calls and texts of methods in the sources of an app.
func TestPlacesInSources(t *testing.T) {
	folder := sources(t)
	in, err := analysis.Read(t.Context(), analysis.Options{Subject: analysis.Side{Path: lined(t, filepath.Join(t.TempDir(), "run.pprof"))}, Sources: []string{folder}})
	if err != nil {
		t.Fatal(err)
	}
	method := func(of string) name.Method { return name.OfClass("com.mine.Feed", of, "()V").At("Feed.java", 0) }
	bind, load, twice := method("bind"), method("load"), method("twice")
	other := name.OfClass("com.other.View", "draw", "()V").At("View.java", 0)
	for _, c := range []struct {
		what           string
		caller, callee name.Method
		line           int
	}{
		{"a call", twice, load, 9},
		{"two calls", bind, load, 4},
		{"no such call", twice, bind, 9},
		{"no callee", bind, name.Method{}, 3},
		{"a method that the class lacks", method("gone"), name.Method{}, 2},
		{"another class", other, name.Method{}, 0},
	} {
		path, line, ok := in.Called(c.caller, c.callee)
		if ok != (c.line > 0) || line != c.line || ok && filepath.Base(path) != "Feed.java" {
			t.Errorf("%s: %s:%d, %v, want line %d", c.what, path, line, ok, c.line)
		}
	}
	if path, line, ok := in.Declared(load); !ok || line != 8 || filepath.Base(path) != "Feed.java" {
		t.Errorf("load is declared at %s:%d, %v", path, line, ok)
	}
	if _, _, ok := in.Declared(other); ok {
		t.Error("a method of another class is declared")
	}
	if s, ok := in.Text(bind); !ok || s.First != 3 || s.Last != 7 || filepath.Base(s.Path) != "Feed.java" {
		t.Errorf("bind is at %+v, %v", s, ok)
	}
	if s, ok := in.Text(other); ok {
		t.Errorf("a method of another class is at %+v", s)
	}
	if got := analysis.TopLevel(name.OfClass("com.mine.Feed$Row$1", "run", "()V")); got != "com.mine.Feed" {
		t.Errorf("the top-level class is %s", got)
	}
}

// TestPathsAreCountedAndMeasured reads the executions and the measured energy of lines of a
// recording with paths. Other recordings have neither.
func TestPathsAreCountedAndMeasured(t *testing.T) {
	const folder = "../lines/metered/testdata/"
	side := analysis.Side{Path: folder + "simulated.calls"}
	read := func(side analysis.Side) (*analysis.Input, analysis.Options) {
		o := analysis.Options{Subject: side, Lines: true}
		in, err := analysis.Read(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		return in, o
	}
	in, o := read(side)
	x, err := analysis.Executions(t.Context(), in, o)
	if err != nil || x == nil || x.Paths == 0 || len(x.Rows) == 0 {
		t.Errorf("the executions are %+v, %v", x, err)
	}
	if m, err := analysis.Metered(t.Context(), in, o, 0, false); m != nil || err != nil || in.Metered() {
		t.Errorf("without a meter: %+v, %v", m, err)
	}
	side.With = []string{folder + "simulated.csv"}
	in, o = read(side)
	for _, printed := range []bool{false, true} {
		m, err := analysis.Metered(t.Context(), in, o, 0, printed)
		if err != nil || m == nil || m.Metered == 0 || len(m.Rows) == 0 || (m.Method == "printed") != printed || !in.Metered() {
			t.Errorf("printed %v: %+v, %v", printed, m, err)
		}
	}
	names := filepath.Join(t.TempDir(), "mapping.txt")
	class := x.Rows[0].Method.Class()
	write(t, names, []byte("com.mine.Original -> "+class+":\n"))
	o.Subject.Mapping = names
	renamed, err := analysis.Executions(t.Context(), in, o)
	if err != nil || len(renamed.Rows) != len(x.Rows) {
		t.Fatalf("with a mapping file: %+v, %v", renamed, err)
	}
	for _, l := range renamed.Rows {
		if l.Method.Class() == class {
			t.Errorf("%s has its short name", l.Method.Label())
		}
	}
	m, err := analysis.Metered(t.Context(), in, o, 0, false)
	if err != nil || !slices.ContainsFunc(m.Rows, func(r metered.Row) bool { return r.Method.Class() == "com.mine.Original" }) {
		t.Errorf("with a mapping file: %+v, %v", m, err)
	}
	plain, o := read(analysis.Side{Path: lined(t, filepath.Join(t.TempDir(), "run.pprof"))})
	if x, err := analysis.Executions(t.Context(), plain, o); x != nil || err != nil {
		t.Errorf("a recording without paths: %+v, %v", x, err)
	}
	if plain.Metered() {
		t.Error("a recording without paths is measured")
	}
}
