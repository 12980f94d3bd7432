package profile_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/ingest"
	"github.com/diffprof/diffprof/ingest/process"
	"github.com/diffprof/diffprof/internal/shorten"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/render"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// timelines are the formats that show calls at their times.
var timelines = []string{"perfetto", "chrome"}

// counted counts the calls that are passed to a timeline.
type counted struct {
	cct.Player
	calls, apart int
}

func (c *counted) Open(call *cct.Call) error  { c.calls++; return c.Player.Open(call) }
func (c *counted) Extra(call *cct.Call) error { c.apart++; return c.Player.Extra(call) }

// played writes the run in a file as a timeline.
func played(t testing.TB, file, format string) ([]byte, *counted) {
	t.Helper()
	r, err := analysis.OpenReplay(t.Context(), analysis.Options{Subject: analysis.Side{Path: file}})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if !r.Moments {
		t.Fatalf("%s: no moments", file)
	}
	renderer, _ := render.Find(report.FullRecording, format)
	var b bytes.Buffer
	to := renderer.Timeline(&b, r.Input, "test")
	c := &counted{Player: to}
	if err := errors.Join(r.Play(t.Context(), c), to.End()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), c
}

// TestTimelineGolden writes a small trace of a system, with two threads.
func TestTimelineGolden(t *testing.T) {
	const file = "testdata/timeline.txtar"
	ar, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	subject := put(t, "app.ftrace", ar.Files[0].Data)
	got := &txtar.Archive{Comment: ar.Comment, Files: ar.Files[:1:1]}
	for _, format := range timelines {
		data, _ := played(t, subject, format)
		if format == "perfetto" {
			data = []byte(packets(t, data))
		}
		got.Files = append(got.Files, txtar.File{Name: format, Data: data})
	}
	if *update {
		if err := os.WriteFile(file, txtar.Format(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	for i, f := range got.Files {
		if i >= len(ar.Files) || !bytes.Equal(bytes.TrimSpace(ar.Files[i].Data), bytes.TrimSpace(f.Data)) {
			t.Errorf("%s:\n%s", f.Name, f.Data)
		}
	}
}

// TestTimeline writes real runs and reads them again: Each call must be a slice, and the totals
// must be equal to the nanojoule. The energies of the contexts must also be equal, except that
// contexts from Perfetto also have a process.
func TestTimeline(t *testing.T) {
	var files []string
	for _, pattern := range []string{
		"../../testdata/cases/dfndr-turbo/*.trace", "../../../shared/data/art/firefox*", "../../../shared/data/art/jag*", "../../../shared/data/perfetto/*",
		"../../../shared/data/simpleperf/studio*callchain*", "../../../shared/data/chrome/*116*", "../../../shared/data/jfr/cortex*0*",
	} {
		more, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, slices.DeleteFunc(more, func(f string) bool { return strings.HasSuffix(f, "conformance") })...)
	}
	if len(files) == 0 {
		t.Fatal("no runs")
	}
	for _, file := range shorten.Some(files) {
		d := recorded(t, file)
		for _, format := range timelines {
			data, calls := played(t, file, format)
			o := analysis.Options{Subject: analysis.Side{Path: put(t, "again", data)}}
			if format == "perfetto" {
				o.Ingest.Process = process.All
			}
			again, err := analysis.Read(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			if again.Energy != d.Input.Energy || again.Trace.Energy != trace.Given {
				t.Errorf("%s as %s: %d nJ (%s), want %d", file, format, again.Energy, again.Trace.Energy, d.Input.Energy)
			}
			if format == "chrome" {
				if got := slicesOf(t, data); got != calls.calls+calls.apart {
					t.Errorf("%s: %d slices, want %d", file, got, calls.calls+calls.apart)
				}
				if again.CPU != d.Input.CPU {
					t.Errorf("%s: %v of processor time, want %v", file, again.CPU, d.Input.CPU)
				}
			}
			if len(d.Input.Tree.Source.Handovers) > 0 {
				continue
			}
			deeper := 0
			if format == "perfetto" {
				deeper = 1
			}
			if got, want := spent(again, deeper), spent(d.Input, 0); !slices.Equal(got, want) {
				t.Errorf("%s as %s: %d contexts with energy, want %d", file, format, len(got), len(want))
			}
		}
	}
}

// TestTimelineOfComponents writes a run whose components are modelled. Each component must have a
// counter, and the energy that it used after the end of calls must be included.
func TestTimelineOfComponents(t *testing.T) {
	const file = "../../testdata/cases/wish-letgo/subject.trace.gz"
	o := analysis.Options{Subject: analysis.Side{Path: file}, PowerModel: "lte"}
	in, err := analysis.Read(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	r, err := analysis.OpenReplay(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	renderer, _ := render.Find(report.FullRecording, "perfetto")
	var b bytes.Buffer
	to := renderer.Timeline(&b, r.Input, "test")
	c := &counted{Player: to}
	if err := errors.Join(r.Play(t.Context(), c), to.End()); err != nil {
		t.Fatal(err)
	}
	again, err := analysis.Read(t.Context(), analysis.Options{Subject: analysis.Side{Path: put(t, "again", b.Bytes())}, Ingest: ingest.Options{Process: process.All}})
	if err != nil {
		t.Fatal(err)
	}
	if again.Energy != in.Energy || c.apart == 0 {
		t.Errorf("%d nJ, %d of it charged later; want %d", again.Energy, c.apart, in.Energy)
	}
	for _, counter := range []string{"cpu so far", "cellular tail so far"} {
		if !bytes.Contains(b.Bytes(), []byte(counter)) {
			t.Errorf("no counter %s", counter)
		}
	}
}

// spent lists the exclusive energies of the contexts within calls, the deepest first.
func spent(in *analysis.Input, deeper int) []units.Energy {
	var list []units.Energy
	for i, n := range in.Tree.Source.Nodes {
		if i > deeper && n.Method != cct.NoMethod && in.Tree.Source.Methods[n.Method].Label() != cct.RootLabel {
			if e := in.Tree.Source.Energy.Self(int32(i)); e != 0 {
				list = append(list, e)
			}
		}
	}
	slices.Sort(list)
	return list
}

// slicesOf counts the slices of a Chrome trace. The begins and ends of each thread must match.
func slicesOf(t *testing.T, data []byte) int {
	t.Helper()
	var file struct {
		TraceEvents []struct {
			Ph       string
			Pid, Tid int64
			Ts       float64
		}
	}
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	open := make(map[[2]int64]int)
	n := 0
	for _, e := range file.TraceEvents {
		thread := [2]int64{e.Pid, e.Tid}
		switch e.Ph {
		case "B":
			n++
			open[thread]++
		case "E":
			if open[thread]--; open[thread] < 0 {
				t.Errorf("an end without a begin at %v", e.Ts)
			}
		}
	}
	for thread, n := range open {
		if n != 0 {
			t.Errorf("thread %v: %d slices have no end", thread, n)
		}
	}
	return n
}

// TestTimelineNumbers gives threads with equal numbers in the recording different numbers, and adds
// up energy by component. Energy that a call gets after its end is on a separate track.
func TestTimelineNumbers(t *testing.T) {
	in := &analysis.Input{Path: "x/app.trace", Trace: &trace.Trace{
		Clock: trace.WallClock, Calls: trace.CountedCalls, Energy: trace.Modelled,
		Threads:  []trace.Thread{{ID: 7, Name: "a", Events: 1}, {ID: 7, Events: 1}, {ID: -1, Name: "c", Events: 1}, {ID: 1 << 40, Events: 1}},
		Accounts: []trace.Account{{Component: "cpu"}, {Component: "wifi", Part: trace.Tail}},
	}}
	var b bytes.Buffer
	r, _ := render.Find(report.FullRecording, "chrome")
	to := r.Timeline(&b, in, "test")
	for i := range int64(1 << 14) {
		if err := to.Drain(i*1e6, 0, trace.AccountID(i%2), units.Energy(i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(to.Extra(&cct.Call{Thread: 1, Method: cct.NoMethod, Time: 9, Energy: 3, All: 3}), to.End()); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	for _, want := range []string{
		`"tid":7,"name":"thread_name","args":{"name":"a"}`, `"tid":8,"name":"thread_name","args":{"name":"thread 8"}`,
		`"tid":9,"name":"thread_name","args":{"name":"c"}`, `"tid":10,"name":"thread_name","args":{"name":"thread 10"}`,
		`"name":"process_name","args":{"name":"app"}`,
		`"name":"cpu so far","args":{"nJ":67100672}}`, `"ts":16383000,"name":"wifi tail so far","args":{"nJ":67108864}`,
		`{"ph":"B","pid":1,"tid":8,"ts":0.009,"name":"(toplevel)"}`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is not in\n%.1500s…%s", want, text, text[max(0, len(text)-300):])
		}
	}
	if n := strings.Count(text, `"ph":"C"`); n > 1<<13+2 {
		t.Errorf("%d values of counters", n)
	}
}
