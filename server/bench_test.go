package server

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.lsp.dev/protocol"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/server/internal/lsp"
	"github.com/diffprof/diffprof/server/internal/workspace"
)

// project writes an app of n files with 20 methods each, and traces. Each method calls a task
// in the source, and the first methods of each file call it in the traces.
func project(b *testing.B, n int) (folder string, settings map[string]any) {
	folder = b.TempDir()
	var subject strings.Builder
	for i := range n {
		var source strings.Builder
		fmt.Fprintf(&source, "package com.app.p%d;\n\nimport android.net.Uri;\n\npublic class C%d {\n", i%100, i)
		for m := range 20 {
			fmt.Fprintf(&source, "    public int method%d(int a, String b) {\n        int sum = a * %d;\n        for (int i = 0; i < a; i++) {\n            sum += helper(i, b);\n        }\n        resolver.query(uri%d, null);\n        return sum;\n    }\n\n", m, m, m)
		}
		source.WriteString("}\n")
		write(b, folder, fmt.Sprintf("src/com/app/p%d/C%d.java", i%100, i), source.String())
		for m := range 2 {
			fmt.Fprintf(&subject, "android.os.Handler.dispatchMessage()V;com.app.p%d.C%d.method%d(ILjava/lang/String;)I;android.content.ContentResolver.query()V;android.os.Binder.transact%d()V %d\n", i%100, i, m, i, 1000000+i)
		}
	}
	return folder, map[string]any{
		"subject":   write(b, folder, "subject.folded", subject.String()),
		"reference": write(b, folder, "reference.folded", "android.os.Handler.dispatchMessage()V;org.other.Main.run()V 1000\n"),
		"minShare":  0.0,
	}
}

// percentile reports the 95th percentile of the time per call, in addition to the mean that
// each benchmark reports.
func percentile(b *testing.B, times []time.Duration) {
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)*95/100].Microseconds())/1000, "p95-ms")
}

func measure(b *testing.B, call func()) {
	var times []time.Duration
	for b.Loop() {
		start := time.Now()
		call()
		times = append(times, time.Since(start))
	}
	percentile(b, times)
}

func BenchmarkInitialize(b *testing.B) {
	folder, settings := project(b, 1000)
	var times []time.Duration
	for b.Loop() {
		b.StopTimer()
		f := connect(b, nil)
		b.StartTimer()
		start := time.Now()
		f.must("initialize", map[string]any{"rootUri": lsp.URIOf(folder), "capabilities": json.RawMessage(everything), "initializationOptions": settings}, nil)
		times = append(times, time.Since(start))
		b.StopTimer()
		f.quit()
		b.StartTimer()
	}
	percentile(b, times)
}

// opened connects to a server that has compared a project of n files and has one of
// 5,000 lines open.
func opened(b *testing.B, n int, change func(*Options)) (f *fake, document map[string]any, text string) {
	folder, settings := project(b, n)
	f = connect(b, change)
	var long strings.Builder
	long.WriteString("package com.app.p0;\n\npublic class C0 {\n")
	for m := range 620 {
		fmt.Fprintf(&long, "    public int method%d(int a, String b) {\n        int sum = a * %d;\n        for (int i = 0; i < a; i++) {\n            sum += helper(i, b);\n        }\n        resolver.query(uri, null);\n        return sum;\n    }\n", m, m)
	}
	long.WriteString("}\n")
	path := write(b, folder, "src/com/app/p0/C0.java", long.String())
	f.open(folder, everything, settings)
	f.await(lsp.MethodDidCompare, 1, nil)
	document = map[string]any{"uri": lsp.URIOf(path), "languageId": "java", "version": 1, "text": long.String()}
	f.notify("textDocument/didOpen", map[string]any{"textDocument": document})
	return f, map[string]any{"uri": lsp.URIOf(path)}, long.String()
}

func (f *fake) lenses(document map[string]any) int {
	var lenses []protocol.CodeLens
	f.must("textDocument/codeLens", map[string]any{"textDocument": document}, &lenses)
	return len(lenses)
}

func BenchmarkCodeLens(b *testing.B) {
	f, document, _ := opened(b, 1000, nil)
	if n := f.lenses(document); n != 3 {
		b.Fatalf("%d lenses", n)
	}
	measure(b, func() { f.lenses(document) })
	f.quit()
}

func BenchmarkHover(b *testing.B) {
	f, document, _ := opened(b, 1000, nil)
	params := map[string]any{"textDocument": document, "position": map[string]int{"line": 8, "character": 18}}
	var h *protocol.Hover
	if f.must("textDocument/hover", params, &h); h == nil {
		b.Fatal("no hover")
	}
	measure(b, func() { f.must("textDocument/hover", params, nil) })
	f.quit()
}

// BenchmarkLineHints requests the hints of 101 lines. The file has 5,000 lines with energy.
func BenchmarkLineHints(b *testing.B) {
	folder := b.TempDir()
	text, samples := "package com.app;\nclass Feed {\n  void bind() {\n", []lineUseOf{}
	for line := range 5000 {
		text += "    sum += load(i);\n"
		samples = append(samples, lineUseOf{20, []frameAt{{"android.os.Looper.loop", 0}, {"com.app.Feed.bind", int64(4 + line)}}})
	}
	path := write(b, folder, "Feed.java", text+"  }\n}\n")
	subject, reference := filepath.Join(folder, "subject.pprof"), filepath.Join(folder, "reference.pprof")
	writeLines(b, subject, samples...)
	writeLines(b, reference, lineUseOf{500, []frameAt{{"com.app.Feed.bind", 8}}})
	f := connect(b, nil)
	f.open(folder, everything, map[string]any{"subject": subject, "reference": reference, "minShare": 0.0})
	f.lined(path, hasLines)
	f.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": lsp.URIOf(path), "languageId": "java", "version": 1, "text": text + "  }\n}\n"}})
	params := map[string]any{"textDocument": map[string]any{"uri": lsp.URIOf(path)}, "range": protocol.Range{Start: protocol.Position{Line: 1000}, End: protocol.Position{Line: 1100}}}
	var hints []lsp.InlayHint
	if f.must("textDocument/inlayHint", params, &hints); len(hints) != 101 {
		b.Fatalf("%d hints", len(hints))
	}
	measure(b, func() { f.must("textDocument/inlayHint", params, nil) })
	f.quit()
}

// BenchmarkHoverWhileComparing is BenchmarkHover during an endless comparison.
func BenchmarkHoverWhileComparing(b *testing.B) {
	rounds := 0
	f, document, _ := opened(b, 1000, func(o *Options) {
		o.compare = func(ctx context.Context, a analysis.Options) (*analysis.Result, error) {
			for rounds++; rounds > 1 && ctx.Err() == nil; {
				if _, err := analysis.Compare(ctx, a); err != nil {
					return nil, err
				}
			}
			return analysis.Compare(ctx, a)
		}
	})
	compareCommand(f)
	params := map[string]any{"textDocument": document, "position": map[string]int{"line": 8, "character": 18}}
	measure(b, func() { f.must("textDocument/hover", params, nil) })
	f.quit()
}

// BenchmarkKeystroke is the time from an edit to the right lenses.
func BenchmarkKeystroke(b *testing.B) {
	f, document, _ := opened(b, 1000, nil)
	f.lenses(document)
	version := 1
	measure(b, func() {
		version++
		line := 10 + version%4000
		f.notify("textDocument/didChange", map[string]any{
			"textDocument": map[string]any{"uri": document["uri"], "version": version},
			"contentChanges": []any{map[string]any{
				"range": map[string]any{"start": map[string]int{"line": line, "character": 0}, "end": map[string]int{"line": line, "character": 0}}, "text": " ",
			}},
		})
		if n := f.lenses(document); n != 3 {
			b.Fatalf("%d lenses after an edit", n)
		}
	})
	f.quit()
}

// BenchmarkPublish is the time from the end of a comparison to the last of its
// diagnostics, in 1,000 files.
func BenchmarkPublish(b *testing.B) {
	published := make(chan *workspace.Snapshot, 100)
	f, _, _ := opened(b, 1000, func(o *Options) { o.published = func(v *workspace.Snapshot) { published <- v } })
	var times []time.Duration
	for b.Loop() {
		if err := f.call("workspace/executeCommand", map[string]any{"command": commandClear}, nil); err != nil {
			b.Fatal(err)
		}
		for v := <-published; v.Layout != nil; v = <-published {
		}
		if err := f.end(compareCommand(f), nil); err != nil {
			b.Fatal(err)
		}
		start := time.Now()
		for v := <-published; v.Layout == nil || !v.Notified(); v = <-published {
		}
		times = append(times, time.Since(start))
	}
	percentile(b, times)
	f.quit()
}

// BenchmarkIndex is the time to read 10,000 files.
func BenchmarkIndex(b *testing.B) {
	if testing.Short() {
		b.Skip("writes 10,000 files")
	}
	folder, _ := project(b, 10_000)
	for b.Loop() {
		f := connect(b, func(o *Options) { o.Log = io.Discard })
		f.open(folder, everything, nil)
		f.until("the end of reading", func() bool {
			for _, m := range f.heard {
				if m.Method == "$/progress" && strings.Contains(string(m.Params), "index") && strings.Contains(string(m.Params), `"end"`) {
					return true
				}
			}
			return false
		})
		f.quit()
	}
}

// large writes recordings of realistic size: matching their 200,000 calling contexts with
// α = 5 takes seconds.
func large(b *testing.B, folder string) map[string]any {
	settings := map[string]any{"alpha": 5}
	for name, flags := range map[string][]string{"subject": nil, "reference": {"-changed"}} {
		path := filepath.Join(folder, name+".trace")
		run := exec.Command("go", append([]string{"run", "../tools/large", "-records", "8000000", "-o", path}, flags...)...)
		if out, err := run.CombinedOutput(); err != nil {
			b.Fatalf("%v\n%s", err, out)
		}
		settings[name] = path
	}
	return settings
}

// BenchmarkCancel is the time from a cancellation, at points throughout a comparison, to its end.
// If the client cancels, the end is when the request is answered and the algorithms have stopped.
// If a newer comparison cancels, the end is when the newer comparison begins.
func BenchmarkCancel(b *testing.B) {
	if testing.Short() {
		b.Skip("writes 200 MB of recordings")
	}
	begun, stopped := make(chan struct{}), make(chan struct{}, 1)
	f := connect(b, func(o *Options) {
		o.compare = func(ctx context.Context, a analysis.Options) (*analysis.Result, error) {
			begun <- struct{}{}
			defer func() { stopped <- struct{}{} }()
			return analysis.Compare(ctx, a)
		}
	})
	folder := b.TempDir()
	f.open(folder, everything, large(b, folder))
	<-begun
	start := time.Now()
	<-stopped
	f.await(lsp.MethodDidCompare, 1, nil)
	whole := time.Since(start)

	rounds := 0
	moment := func() {
		// The fractions of multiples of the golden ratio are spread evenly, however many there are.
		rounds++
		_, part := math.Modf(float64(rounds) * math.Phi)
		<-time.After(time.Duration(part * float64(whole)))
	}
	cancel := func(b *testing.B, call func() time.Duration) {
		var times []time.Duration
		for b.Loop() {
			times = append(times, call())
		}
		percentile(b, times)
		b.ReportMetric(float64(slices.Max(times).Microseconds())/1000, "max-ms")
		b.ReportMetric(0, "ns/op")
	}
	b.Run("client", func(b *testing.B) {
		cancel(b, func() time.Duration {
			id := compareCommand(f)
			<-begun
			moment()
			start := time.Now()
			f.notify("$/cancelRequest", map[string]any{"id": id})
			<-stopped
			_ = f.end(id, nil) // A comparison that was already done gives no error.
			return time.Since(start)
		})
	})
	b.Run("newer", func(b *testing.B) {
		compareCommand(f)
		<-begun
		cancel(b, func() time.Duration {
			moment()
			start := time.Now()
			compareCommand(f)
			<-stopped
			<-begun
			return time.Since(start)
		})
	})
	f.quit()
}
