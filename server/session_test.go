package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/server/internal/frame"
	"github.com/diffprof/diffprof/server/internal/lsp"
	"github.com/diffprof/diffprof/server/internal/workspace"
)

// TestLife checks the phases of a connection against the protocol.
func TestLife(t *testing.T) {
	f := connect(t, nil)
	expect := func(what string, err error, want int) {
		t.Helper()
		if got := code(err); got != want {
			t.Errorf("%s: error %v, want code %d", what, err, want)
		}
	}
	expect("hover before initialize", f.call("textDocument/hover", nil, nil), -32002)
	expect("shutdown before initialize", f.call("shutdown", nil, nil), -32002)
	expect("unknown before initialize", f.call("what/ever", nil, nil), -32002)
	f.notify("textDocument/didOpen", nil)
	f.open(t.TempDir(), `{}`, nil)
	expect("initialize again", f.call("initialize", map[string]any{}, nil), -32600)
	f.notify("initialized", nil)
	f.notify("$/unknown", nil)
	f.notify("what/ever", nil)
	expect("an unknown method", f.call("what/ever", nil, nil), -32601)
	expect("an unknown method of the protocol's own", f.call("$/unknown", nil, nil), -32601)
	expect("parameters that do not fit", f.call("textDocument/hover", []int{1}, nil), -32602)
	expect("an unknown command", f.call("workspace/executeCommand", map[string]any{"command": "rm"}, nil), -32602)
	f.must("shutdown", nil, nil)
	expect("hover after shutdown", f.call("textDocument/hover", nil, nil), -32600)
	expect("shutdown after shutdown", f.call("shutdown", nil, nil), -32600)
	f.notify("exit", nil)
	if err := f.wait(); err != nil {
		t.Errorf("Serve: %v", err)
	}
}

func TestEndWithoutShutdown(t *testing.T) {
	for name, end := range map[string]func(*fake){
		"exit":                func(f *fake) { f.notify("exit", nil) },
		"noise behind exit":   func(f *fake) { f.notify("exit", nil); f.raw("\n") },
		"exit at once":        func(f *fake) { f.notify("exit", nil) },
		"closed":              func(f *fake) { f.conn.Close() },
		"closed in a message": func(f *fake) { f.raw("Content-Length: 100\r\n\r\n{"); f.conn.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			f := connect(t, nil)
			if name != "exit at once" {
				f.open(t.TempDir(), `{}`, nil)
			}
			end(f)
			if err := f.wait(); !errors.Is(err, ErrNoShutdown) {
				t.Errorf("Serve: %v, want %v", err, ErrNoShutdown)
			}
		})
	}
}

// TestMessagesAfterExitAreIgnored checks that messages after exit are ignored. The server still
// reads during exit, and reading may end before Serve notices the exit.
func TestMessagesAfterExitAreIgnored(t *testing.T) {
	damaged := fmt.Errorf("%w: a test", frame.ErrFraming)
	for _, c := range []struct {
		shutdown, exit bool
		err, want      error
	}{
		{true, true, damaged, nil},
		{false, true, damaged, ErrNoShutdown},
		{true, false, damaged, frame.ErrFraming},
		{true, false, io.EOF, nil},
		{false, false, io.ErrUnexpectedEOF, ErrNoShutdown},
	} {
		s := newSession(t.Context(), Options{})
		s.shutdownDone.Store(c.shutdown)
		if c.exit {
			s.end()
		}
		if got := s.outcome(c.err); !errors.Is(got, c.want) {
			t.Errorf("shutdown %v, exit %v, then %v: %v, want %v", c.shutdown, c.exit, c.err, got, c.want)
		}
	}
}

// A scripted is a connection whose whole input is available at once.
type scripted struct {
	io.Reader
	io.Writer
}

func (scripted) Close() error { return nil }

// TestAllAtOnce has a client that sends its whole session and more messages, and then closes the
// connection.
func TestAllAtOnce(t *testing.T) {
	var input strings.Builder
	for _, body := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}`,
		`{"jsonrpc":"2.0","id":2,"method":"shutdown"}`,
		`{"jsonrpc":"2.0","method":"exit"}`,
	} {
		fmt.Fprintf(&input, "Content-Length: %d\r\n\r\n%s", len(body), body)
	}
	input.WriteString("hello\r\n")
	for range 100 {
		if err := Serve(t.Context(), scripted{strings.NewReader(input.String()), io.Discard}, Options{}); err != nil {
			t.Fatal(err)
		}
	}
}

func TestClientsDeath(t *testing.T) {
	alive := make(chan bool, 2)
	f := connect(t, func(o *Options) {
		o.alive = func(pid int) bool {
			if pid != 4711 {
				t.Errorf("asked for process %d", pid)
			}
			return <-alive
		}
	})
	f.must("initialize", map[string]any{"processId": 4711, "capabilities": map[string]any{}}, nil)
	alive <- true
	f.ticks["parent"] <- time.Time{}
	alive <- false
	f.ticks["parent"] <- time.Time{}
	if err := f.wait(); !errors.Is(err, ErrNoShutdown) {
		t.Errorf("Serve: %v, want %v", err, ErrNoShutdown)
	}
}

func TestNegotiatesEncoding(t *testing.T) {
	for offered, want := range map[string]string{
		`{}`: "utf-16",
		`{"general":{"positionEncodings":["utf-8"]}}`:          "utf-8",
		`{"general":{"positionEncodings":["utf-7","utf-32"]}}`: "utf-32",
		`{"general":{"positionEncodings":["utf-8","utf-16"]}}`: "utf-16",
	} {
		f := connect(t, nil)
		var result lsp.InitializeResult
		f.must("initialize", map[string]any{"capabilities": json.RawMessage(offered)}, &result)
		if got := result.Capabilities.PositionEncoding; got != want {
			t.Errorf("of %s the server took %s, want %s", offered, got, want)
		}
		f.quit()
	}
}

// TestCompareOnStart checks that the server compares as soon as the settings name both traces.
func TestCompareOnStart(t *testing.T) {
	folder := t.TempDir()
	f := connect(t, nil)
	f.open(folder, everything, traces(t, folder))
	var did didCompareParams
	f.await(lsp.MethodDidCompare, 1, &did)
	if did.Error != "" || did.Tasks != 2 || did.Unmatched != 1 {
		t.Errorf("the comparison came to %+v", did)
	}
	f.quit()
}

// TestProgress checks the order of the messages about progress: a token is created, the work
// begins, the percentages rise, and the work ends.
func TestProgress(t *testing.T) {
	folder := t.TempDir()
	step := make(chan struct{})
	f := connect(t, func(o *Options) {
		o.compare = func(ctx context.Context, a analysis.Options) (*analysis.Result, error) {
			a.Progress("reading", 1, 2)
			<-step
			a.Progress("matching", 1, 2)
			<-step
			return analysis.Compare(ctx, a)
		}
	})
	f.open(folder, everything, traces(t, folder))
	about := func(kind string) func() bool {
		return func() bool {
			for _, m := range f.heard {
				if m.Method == "$/progress" && strings.Contains(string(m.Params), "compare") && strings.Contains(string(m.Params), kind) {
					return true
				}
			}
			return false
		}
	}
	f.until("reading", about(stages["reading"].title))
	step <- struct{}{}
	f.until("matching", about(stages["matching"].title))
	step <- struct{}{}
	f.until("the end", about(`"end"`))

	f.mu.Lock()
	defer f.mu.Unlock()
	var kinds []string
	percent := -1
	for _, m := range f.heard {
		var p lsp.ProgressParams
		switch {
		case m.Method == "window/workDoneProgress/create" && strings.Contains(string(m.Params), "compare"):
			kinds = append(kinds, "create")
		case m.Method == "$/progress" && json.Unmarshal(m.Params, &p) == nil && strings.Contains(p.Token, "compare"):
			if n := len(kinds); kinds[n-1] != p.Value.Kind {
				kinds = append(kinds, p.Value.Kind)
			}
			if p.Value.Percentage != nil {
				if *p.Value.Percentage < percent {
					t.Errorf("the percentage fell from %d to %d", percent, *p.Value.Percentage)
				}
				percent = *p.Value.Percentage
			}
		}
	}
	if got := strings.Join(kinds, " "); got != "create begin report end" {
		t.Errorf("progress was %q", got)
	}
}

// blocked makes comparisons wait until they are cancelled. begun gets a token for each comparison.
func blocked(begun chan struct{}) func(*Options) {
	return func(o *Options) {
		o.compare = func(ctx context.Context, _ analysis.Options) (*analysis.Result, error) {
			begun <- struct{}{}
			<-ctx.Done()
			return nil, ctx.Err()
		}
	}
}

func compareCommand(f *fake) int {
	return f.begin("workspace/executeCommand", map[string]any{"command": commandCompare})
}

func TestCancelRequestCancelsComparison(t *testing.T) {
	folder := t.TempDir()
	begun := make(chan struct{})
	f := connect(t, blocked(begun))
	f.open(folder, `{}`, traces(t, folder))
	<-begun
	id := compareCommand(f)
	<-begun
	f.notify("$/cancelRequest", map[string]any{"id": 12345})
	f.notify("$/cancelRequest", map[string]any{"id": id})
	if err := f.end(id, nil); code(err) != -32800 {
		t.Errorf("a cancelled comparison: %v", err)
	}
	f.quit()
}

func TestNewerComparisonTakesThePlace(t *testing.T) {
	folder := t.TempDir()
	begun := make(chan struct{})
	f := connect(t, blocked(begun))
	f.open(folder, `{}`, traces(t, folder))
	<-begun
	first := compareCommand(f)
	<-begun
	second := compareCommand(f)
	if err := f.end(first, nil); code(err) != -32802 {
		t.Errorf("the first comparison: %v", err)
	}
	<-begun
	f.must("shutdown", nil, nil)
	if err := f.end(second, nil); code(err) != -32800 {
		t.Errorf("a comparison that shutdown ended: %v", err)
	}
	f.notify("exit", nil)
	if err := f.wait(); err != nil {
		t.Error(err)
	}
}

func TestUserCancelsProgress(t *testing.T) {
	folder := t.TempDir()
	begun := make(chan struct{})
	f := connect(t, blocked(begun))
	f.open(folder, everything, traces(t, folder))
	<-begun
	var create lsp.ProgressCreateParams
	f.until("a progress of the comparison", func() bool {
		for _, m := range f.heard {
			if m.Method == "$/progress" && strings.Contains(string(m.Params), "compare") {
				return json.Unmarshal(m.Params, &create) == nil
			}
		}
		return false
	})
	f.notify("window/workDoneProgress/cancel", create)
	f.until("the end", func() bool {
		for _, m := range f.heard {
			if m.Method == "$/progress" && strings.Contains(string(m.Params), `"end","message":"cancelled"`) {
				return true
			}
		}
		return false
	})
	if n := f.count("window/showMessage"); n > 0 {
		t.Errorf("%d messages about what the user cancelled", n)
	}
	f.quit()
}

// TestAnswersWhileComparing checks that a comparison delays no request.
func TestAnswersWhileComparing(t *testing.T) {
	folder := t.TempDir()
	begun := make(chan struct{})
	f := connect(t, blocked(begun))
	f.open(folder, everything, traces(t, folder))
	<-begun
	doc := map[string]any{"uri": lsp.URIOf(folder + "/Main.java"), "languageId": "java", "version": 1, "text": "class Main {}"}
	f.notify("textDocument/didOpen", map[string]any{"textDocument": doc})
	f.notify("textDocument/didChange", map[string]any{
		"textDocument":   map[string]any{"uri": doc["uri"], "version": 2},
		"contentChanges": []any{map[string]any{"text": "class Main2 {}"}},
	})
	f.must("textDocument/codeLens", map[string]any{"textDocument": doc}, nil)
	f.must("textDocument/hover", map[string]any{"textDocument": doc, "position": map[string]int{"line": 0, "character": 7}}, nil)
	f.must(lsp.MethodTasks, nil, nil)
	f.quit()
}

// TestWatch checks that a changed trace is compared again as soon as it no longer changes.
func TestWatch(t *testing.T) {
	folder := t.TempDir()
	settings := traces(t, folder)
	looked := make(chan struct{}, 100)
	f := connect(t, func(o *Options) { o.looked = func() { looked <- struct{}{} } })
	f.open(folder, `{}`, settings)
	f.await(lsp.MethodDidCompare, 1, nil)
	look := func() {
		for len(looked) > 0 {
			<-looked
		}
		f.ticks["files"] <- time.Time{}
		<-looked
	}
	look()
	path := settings["subject"].(string)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	write(t, folder, "subject.folded", string(text)+"com.app.Main.more;android.util.Log.i 7\n")
	look()
	if n := f.count(lsp.MethodDidCompare); n != 1 {
		t.Errorf("%d comparisons before the file was whole", n)
	}
	look()
	f.await(lsp.MethodDidCompare, 2, nil)
	f.quit()
}

// TestFailedComparisonHasReason checks that a failed comparison states its reason, and that the
// previous comparison stays.
func TestFailedComparisonHasReason(t *testing.T) {
	folder := t.TempDir()
	f := connect(t, nil)
	f.open(folder, `{}`, traces(t, folder))
	f.await(lsp.MethodDidCompare, 1, nil)
	bad := write(t, folder, "bad.folded", "no value\n")
	id := f.begin("workspace/executeCommand", map[string]any{"command": commandCompare, "arguments": []any{compareArguments{bad, bad}}})
	if err := f.end(id, nil); code(err) != int(lsp.CodeRequestFailed) || !strings.Contains(err.Error(), "bad.folded") {
		t.Errorf("comparing a bad file: %v", err)
	}
	var message struct{ Message string }
	f.await("window/showMessage", 1, &message)
	if !strings.Contains(message.Message, "bad.folded") {
		t.Errorf("the user reads %q", message.Message)
	}
	var result tasksResult
	f.must(lsp.MethodTasks, nil, &result)
	if result.Total != 2 {
		t.Errorf("%d tasks are left of the comparison before", result.Total)
	}
	f.quit()
}

// TestPanicIsAnError checks that a panic fails only one request, with a message to the log and to
// the client.
func TestPanicIsAnError(t *testing.T) {
	folder := t.TempDir()
	f := connect(t, func(o *Options) {
		o.crash = false
		o.compare = func(context.Context, analysis.Options) (*analysis.Result, error) { panic("a test") }
	})
	f.open(folder, `{}`, traces(t, folder))
	if err := f.end(compareCommand(f), nil); code(err) != -32603 && code(err) != -32802 {
		t.Errorf("a comparison that panics: %v", err)
	}
	f.await("window/logMessage", 1, nil)
	if !strings.Contains(f.log.String(), "bug: comparing: a test") {
		t.Errorf("the log has %q", f.log)
	}
	f.must(lsp.MethodTasks, nil, nil)
	f.quit()
}

// TestComparesBeforeSourcesAreRead checks that a comparison waits for the sources only for a
// limited time, and is repeated when they are read.
func TestComparesBeforeSourcesAreRead(t *testing.T) {
	folder := t.TempDir()
	write(t, folder, "Main.java", mainJava)
	read, classes := make(chan struct{}), make(chan int, 2)
	f := connect(t, func(o *Options) {
		o.loading = func() { <-read }
		o.compare = func(ctx context.Context, a analysis.Options) (*analysis.Result, error) {
			classes <- len(a.Classes)
			return analysis.Compare(ctx, a)
		}
	})
	late := make(chan time.Time)
	f.ticks["sources"] = late
	f.open(folder, everything, traces(t, folder))
	late <- time.Time{}
	f.await(lsp.MethodDidCompare, 1, nil)
	close(read)
	f.await(lsp.MethodDidCompare, 2, nil)
	if first, second := <-classes, <-classes; first != 0 || second != 1 {
		t.Errorf("the comparisons knew %d and %d classes", first, second)
	}
	f.quit()
}

// TestUsesTextOfOpenFiles checks that a comparison knows the classes of files that were opened
// before it. The files are not on disk, and nothing was published or requested in between.
func TestUsesTextOfOpenFiles(t *testing.T) {
	folder := t.TempDir()
	write(t, folder, "Main.java", mainJava)
	publishing, publish, declared := make(chan struct{}, 100), make(chan struct{}), make(chan []string, 10)
	f := connect(t, func(o *Options) {
		o.published = func(*workspace.Snapshot) { publishing <- struct{}{}; <-publish }
		o.compare = func(ctx context.Context, a analysis.Options) (*analysis.Result, error) {
			var names []string
			for _, c := range a.Classes {
				names = append(names, c.Name)
			}
			declared <- names
			return analysis.Compare(ctx, a)
		}
	})
	inputs := traces(t, folder)
	f.open(folder, everything, map[string]any{"foldedUnit": "nJ"})
	<-publishing // Publishing takes until publish is closed.
	f.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{
		"uri": lsp.URIOf(filepath.Join(folder, "Other.java")), "languageId": "java", "version": 1, "text": "package com.app;\nclass Other {}\n",
	}})
	if err := f.command(commandCompare, map[string]any{"subject": inputs["subject"], "reference": inputs["reference"]}, nil); err != nil {
		t.Fatal(err)
	}
	if got, want := <-declared, []string{"com.app.Main", "com.app.Other"}; !slices.Equal(got, want) {
		t.Errorf("the comparison knew the classes %q, want %q", got, want)
	}
	close(publish)
	f.quit()
}

// TestNotifiesBeforePublishing checks that the client is notified of the end of a comparison before
// it gets the diagnostics, even if the server could publish earlier.
func TestNotifiesBeforePublishing(t *testing.T) {
	folder := t.TempDir()
	write(t, folder, "Main.java", mainJava)
	turns := make(chan bool, 100)
	f := connect(t, func(o *Options) {
		o.published = func(v *workspace.Snapshot) { turns <- v.Set != nil }
		o.notifying = func() {
			for !<-turns {
			}
		}
	})
	f.open(folder, everything, traces(t, folder))
	f.await("textDocument/publishDiagnostics", 1, nil)
	f.mu.Lock()
	for _, m := range f.heard {
		if m.Method == lsp.MethodDidCompare {
			break
		}
		if m.Method == "textDocument/publishDiagnostics" {
			t.Error("diagnostics came before the word that the comparison ended")
			break
		}
	}
	f.mu.Unlock()
	f.quit()
}
