package server

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/pprof/profile"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/server/internal/lsp"

	"go.lsp.dev/protocol"
)

// feedJava is the source of the recording of writeLines. Its lines count from 1.
const feedJava = `package com.app;

class Feed {
    private int size = compute();

    void bind(View view) {
        int sum = 0;
        for (int i = 0; i < size; i++) {
            sum += load(i);
        }
        view.setText(sum);
    }

    int load(int i) { return i * i; }
}
`

// A lineUseOf is n samples with one stack. frames begins with the outermost frame.
type lineUseOf struct {
	n      int64
	frames []frameAt
}

type frameAt struct {
	method string
	line   int64
}

// writeLines writes a pprof profile of samples of 4 ms.
func writeLines(t testing.TB, path string, samples ...lineUseOf) {
	t.Helper()
	p := &profile.Profile{
		SampleType: []*profile.ValueType{{Type: "samples", Unit: "count"}, {Type: "cpu", Unit: "nanoseconds"}},
		PeriodType: &profile.ValueType{Type: "cpu", Unit: "nanoseconds"}, Period: 4_000_000,
	}
	functions := make(map[string]*profile.Function)
	locations := make(map[frameAt]*profile.Location)
	for _, s := range samples {
		out := &profile.Sample{Value: []int64{s.n, s.n * 4_000_000}}
		for _, at := range s.frames {
			if functions[at.method] == nil {
				f := &profile.Function{ID: uint64(len(functions) + 1), Name: at.method}
				functions[at.method], p.Function = f, append(p.Function, f)
			}
			if locations[at] == nil {
				l := &profile.Location{ID: uint64(len(locations) + 1), Line: []profile.Line{{Function: functions[at.method], Line: at.line}}}
				locations[at], p.Location = l, append(p.Location, l)
			}
			out.Location = append([]*profile.Location{locations[at]}, out.Location...)
		}
		p.Sample = append(p.Sample, out)
	}
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Dir(path), filepath.Base(path), b.String())
}

// feedLines writes Feed.java, a recording of it as the subject, and a reference.
func feedLines(t testing.TB, folder string) (path string, settings map[string]any) {
	t.Helper()
	path = write(t, folder, "src/com/app/Feed.java", feedJava)
	main := frameAt{"android.os.Looper.loop", 0}
	bind := func(line int64) frameAt { return frameAt{"com.app.Feed.bind", line} }
	subject, reference := filepath.Join(folder, "subject.pprof"), filepath.Join(folder, "reference.pprof")
	writeLines(t, subject,
		lineUseOf{400, []frameAt{main, bind(8)}},
		lineUseOf{200, []frameAt{main, bind(9), {"com.app.Feed.load", 14}}},
		lineUseOf{100, []frameAt{main, bind(9)}},
		lineUseOf{4, []frameAt{main, bind(7)}},
		lineUseOf{250, []frameAt{main, bind(11), {"android.widget.TextView.setText", 0}}},
		lineUseOf{30, []frameAt{main, {"com.app.Feed.<init>", 4}}},
		lineUseOf{20, []frameAt{main, {"com.app.Feed.load", 99}}},
		lineUseOf{20, []frameAt{main, {"com.app.Feed.bind", 2}}},
	)
	writeLines(t, reference, lineUseOf{500, []frameAt{main, bind(8)}}, lineUseOf{250, []frameAt{main, {"android.widget.TextView.setText", 0}}})
	return path, map[string]any{"subject": subject, "reference": reference}
}

// lined waits until the server has divided the subject by line, and returns the lines of a file.
func (f *fake) lined(path string, holds func(*linesResult) bool) *linesResult {
	f.t.Helper()
	for n := 1; ; n++ {
		f.await(lsp.MethodDidChange, n, nil)
		var r linesResult
		f.must(lsp.MethodLines, map[string]any{"textDocument": map[string]any{"uri": lsp.URIOf(path)}}, &r)
		if holds(&r) {
			return &r
		}
	}
}

func hasLines(r *linesResult) bool { return len(r.Lines) > 0 }

// hints returns the labels of the inlay hints of a file, by line from 1.
func (f *fake) hints(path string) map[int]string {
	f.t.Helper()
	var list []lsp.InlayHint
	f.must(lsp.MethodInlayHint, map[string]any{
		"textDocument": map[string]any{"uri": lsp.URIOf(path)},
		"range":        protocol.Range{End: protocol.Position{Line: 1000}},
	}, &list)
	out := make(map[int]string)
	for _, h := range list {
		if h.Tooltip != nil && !strings.HasPrefix(h.Tooltip.Value, "This line") {
			continue // a call
		}
		out[int(h.Position.Line)+1] = h.Label
	}
	return out
}

// TestLines checks that the lines of a recording are shown with the figures of the recording's table.
// Lines that are outside of the method in the source must be left out.
func TestLines(t *testing.T) {
	folder := t.TempDir()
	path, settings := feedLines(t, folder)
	settings["minShare"] = 0.001
	f := connect(t, nil)
	f.open(folder, everything, settings)
	got := f.lined(path, hasLines)

	in, err := analysis.Read(t.Context(), analysis.Options{Subject: analysis.Side{Path: settings["subject"].(string)}, Lines: true})
	if err != nil {
		t.Fatal(err)
	}
	table := in.Lines()
	want := map[int]lineItem{}
	for i := range table.Rows {
		r := &table.Rows[i]
		if r.Method.Type != "Feed" || r.Own == 0 || r.Line == 99 || r.Line == 2 {
			continue
		}
		item := lineItem{Line: r.Line - 1, AllNJ: &r.All, Samples: r.Samples}
		if i, ok := table.Own(r); ok {
			item.EnergyNJ, item.LeastNJ, item.MostNJ = &r.Own, &i.Least, &i.Most
		}
		want[r.Line-1] = item
	}
	if len(got.Lines) != 5 || len(want) != 5 || got.LineHeat || !strings.Contains(got.Precision, "of the samples have a line") {
		t.Fatalf("%d lines, want %d: %+v", len(got.Lines), len(want), got)
	}
	for i, l := range got.Lines {
		w := want[l.Line]
		if l.AllNJ == nil || *l.AllNJ != *w.AllNJ || l.Samples != w.Samples || (l.EnergyNJ == nil) != (w.EnergyNJ == nil) || l.Stale != "" || i > 0 && l.Line <= got.Lines[i-1].Line {
			t.Errorf("line %d: %+v, want %+v", l.Line+1, l, w)
		}
		if w.EnergyNJ != nil && (*l.EnergyNJ != *w.EnergyNJ || *l.LeastNJ != *w.LeastNJ || *l.MostNJ != *w.MostNJ || l.Heat == 0) {
			t.Errorf("line %d has %d nJ (%d to %d), want %d (%d to %d)", l.Line+1, *l.EnergyNJ, *l.LeastNJ, *l.MostNJ, *w.EnergyNJ, *w.LeastNJ, *w.MostNJ)
		}
	}
	if few := got.Lines[1]; few.Line != 6 || few.Heat != 0 || few.Text != "few samples" || !strings.Contains(few.Message, "4 samples, too few for a figure") {
		t.Errorf("a line of 4 samples is %+v", few)
	}
	if hot := got.Lines[2]; hot.Line != 7 || hot.Heat != 6 || !strings.Contains(hot.Text, " ±") || !strings.HasSuffix(hot.Text, " mJ") {
		t.Errorf("the hottest line is %+v", hot)
	}
	hints := f.hints(path)
	if len(hints) != 4 || hints[8] != got.Lines[2].Text || hints[7] != "" || hints[4] == "" || hints[11] != "" {
		t.Errorf("the hints are %v", hints)
	}
	for line, text := range map[int][]string{
		8:  {"This line itself:", " in 95% of cases), 39.1% of the run, 400 samples"},
		9:  {"This line itself:", "100 samples. With all that it calls: "},
		11: {"With all that it calls: ", "24.4% of the run"},
	} {
		var h *protocol.Hover
		f.must("textDocument/hover", map[string]any{"textDocument": map[string]any{"uri": lsp.URIOf(path)}, "position": protocol.Position{Line: uint32(line - 1), Character: 9}}, &h)
		for _, part := range text {
			if h == nil || !strings.Contains(h.Contents.Value, part) {
				t.Errorf("the hover on line %d is %+v, want %q", line, h, part)
			}
		}
	}

	// Edits move lines. The figure of an edited line is gone.
	f.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": lsp.URIOf(path), "languageId": "java", "version": 1, "text": "// one\n// two\n" + feedJava}})
	moved := f.hints(path)
	if len(moved) != 4 || moved[10] != hints[8] {
		t.Errorf("two lines further the hints are %v, before %v", moved, hints)
	}
	f.notify("textDocument/didChange", map[string]any{
		"textDocument":   map[string]any{"uri": lsp.URIOf(path), "version": 2},
		"contentChanges": []any{map[string]any{"text": strings.Replace(feedJava, "for (int i = 0; i < size; i++)", "while (true)", 1)}},
	})
	if edited := f.hints(path); len(edited) != 3 || edited[8] != "" || edited[9] != hints[9] {
		t.Errorf("after the edit of a line the hints are %v", edited)
	}
	f.notify("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": lsp.URIOf(path)}})

	// A comment hides a line's hint.
	f.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": lsp.URIOf(path), "languageId": "java", "version": 3, "text": strings.Replace(feedJava, "        for", "        // diffprof:ignore\n        for", 1)}})
	if hidden := f.hints(path); len(hidden) != 3 || hidden[9] != "" || hidden[10] != hints[9] {
		t.Errorf("with a comment the hints are %v", hidden)
	}
	f.quit()
}

// TestLinesWithoutCallers checks that no energy with callees is shown if only innermost frames have
// lines.
func TestLinesWithoutCallers(t *testing.T) {
	folder := t.TempDir()
	path, settings := feedLines(t, folder)
	loop, bind := frameAt{"android.os.Looper.loop", 0}, frameAt{"com.app.Feed.bind", 0}
	writeLines(t, settings["subject"].(string),
		lineUseOf{400, []frameAt{loop, {"com.app.Feed.bind", 8}}},
		lineUseOf{200, []frameAt{loop, bind, {"com.app.Feed.load", 14}}},
	)
	f := connect(t, nil)
	f.open(folder, everything, settings)
	got := f.lined(path, hasLines)
	if len(got.Lines) != 2 {
		t.Fatalf("%+v", got)
	}
	for _, l := range got.Lines {
		if l.AllNJ != nil || l.AllShare != 0 || l.EnergyNJ == nil || strings.Contains(l.Message, "With all that it calls") {
			t.Errorf("%+v", l)
		}
	}
	f.quit()
}

// TestLinesOfNewerSource checks that the lines of a file are marked if the file was written after
// the recording.
func TestLinesOfNewerSource(t *testing.T) {
	folder := t.TempDir()
	path, settings := feedLines(t, folder)
	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(path, later, later); err != nil {
		t.Fatal(err)
	}
	f := connect(t, nil)
	f.open(folder, everything, settings)
	for _, l := range f.lined(path, hasLines).Lines {
		if !strings.Contains(l.Stale, "the file has changed since") || !strings.Contains(l.Message, "the file has changed since") {
			t.Errorf("line %d of a newer file: %+v", l.Line+1, l)
		}
	}
	for line, label := range f.hints(path) {
		if !strings.HasSuffix(label, " · source changed") {
			t.Errorf("the hint of line %d of a newer file is %q", line, label)
		}
	}
	f.quit()
}

// TestLinesSettings checks the settings that turn hints and colours off and on, and the setting for
// the threshold.
func TestLinesSettings(t *testing.T) {
	folder := t.TempDir()
	path, settings := feedLines(t, folder)
	settings["inlayHints"], settings["lineHeat"], settings["minShare"] = false, true, 0.05
	f := connect(t, nil)
	f.open(folder, everything, settings)
	r := f.lined(path, hasLines)
	if len(r.Lines) != 3 || !r.LineHeat {
		t.Errorf("from 5%% of the run on, the lines are %+v", r)
	}
	if hints := f.hints(path); len(hints) != 0 {
		t.Errorf("hints are off: %v", hints)
	}
	f.must("workspace/executeCommand", map[string]any{"command": commandToggleView, "arguments": []any{map[string]any{"what": "lineHeat"}}}, nil)
	f.lined(path, func(r *linesResult) bool { return !r.LineHeat })
	f.quit()
}

// TestNoLines checks that a recording without lines is read only once, and that the answer has the
// reason.
func TestNoLines(t *testing.T) {
	folder := t.TempDir()
	path := write(t, folder, "src/com/app/Main.java", mainJava)
	f := connect(t, func(o *Options) {
		o.read = func(context.Context, analysis.Options) (*analysis.Input, error) {
			t.Error("a recording without lines is divided by line")
			return nil, context.Canceled
		}
	})
	f.open(folder, everything, traces(t, folder))
	f.await(lsp.MethodDidCompare, 1, nil)
	r := f.lined(path, func(r *linesResult) bool { return r.Precision != "" })
	if len(r.Lines) != 0 || !strings.HasPrefix(r.Precision, "no sample has a source line: ") {
		t.Errorf("the lines are %+v", r)
	}
	f.quit()
}

// TestLinesOfReplacedComparison checks that a newer comparison ends the division by line of an
// older one.
func TestLinesOfReplacedComparison(t *testing.T) {
	folder := t.TempDir()
	path, settings := feedLines(t, folder)
	begun, ended := make(chan struct{}, 2), make(chan struct{})
	rounds := 0
	f := connect(t, func(o *Options) {
		o.read = func(ctx context.Context, a analysis.Options) (*analysis.Input, error) {
			if rounds++; rounds == 1 {
				begun <- struct{}{}
				<-ctx.Done()
				close(ended)
				return nil, ctx.Err()
			}
			return analysis.Read(ctx, a)
		}
	})
	f.open(folder, everything, settings)
	<-begun
	f.must("workspace/executeCommand", map[string]any{"command": commandCompare}, nil)
	<-ended
	f.lined(path, hasLines)
	f.quit()
}

// TestMeasuredLines shows the energy of one execution of each line that a meter determined, and marks the others.
func TestMeasuredLines(t *testing.T) {
	folder := t.TempDir()
	const data = "../lines/metered/testdata/"
	read := func(name string) string {
		text, err := os.ReadFile(data + name)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	path := write(t, folder, "src/com/mine/Sim.java", read("com/mine/Sim.java"))
	subject, meter := write(t, folder, "subject.calls", read("simulated.calls")), write(t, folder, "meter.csv", read("simulated.csv"))
	past := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	if err := os.Chtimes(path, past, past); err != nil {
		t.Fatal(err)
	}
	f := connect(t, nil)
	f.open(folder, everything, map[string]any{"subject": subject, "reference": subject, "withSubject": []string{meter}, "minShare": 0.0001})
	got := f.lined(path, hasLines)
	if !strings.Contains(got.Precision, "the measured energy gives figures for methods only: 10 methods have a figure within ±50%") {
		t.Errorf("the run carries %q", got.Precision)
	}
	shown := 0
	for _, l := range got.Lines {
		switch {
		case l.Provenance != "fitted" || l.AllNJ != nil || l.Executions <= 0:
			t.Errorf("line %d: %+v", l.Line+1, l)
		case l.EnergyNJ == nil:
			if l.Heat != 0 || l.Text != "not determined" || !strings.Contains(l.Message, "does not show its energy") {
				t.Errorf("line %d is not determined: %+v", l.Line+1, l)
			}
		default:
			shown++
			if l.Heat == 0 || *l.LeastNJ > *l.EnergyNJ || *l.MostNJ < *l.EnergyNJ || *l.EachNJ <= 0 || !strings.Contains(l.Text, " ×") {
				t.Errorf("line %d: %+v", l.Line+1, l)
			}
		}
	}
	if shown < 50 || shown == len(got.Lines) {
		t.Errorf("%d of %d lines have figures", shown, len(got.Lines))
	}
	if hints := f.hints(path); hints[16] != "268 ±80 µJ ×1,728" || hints[18] != "" {
		t.Errorf("the hints are %v", hints)
	}
	var h *protocol.Hover
	f.must("textDocument/hover", map[string]any{"textDocument": map[string]any{"uri": lsp.URIOf(path)}, "position": protocol.Position{Line: 15, Character: 14}}, &h)
	if h == nil || !strings.Contains(h.Contents.Value, "of the measured energy, 1,728 executions on ") {
		t.Errorf("the hover is %+v", h)
	}
	f.quit()
}
