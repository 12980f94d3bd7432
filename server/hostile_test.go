package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/server/internal/frame"
	"github.com/diffprof/diffprof/server/internal/lsp"
)

// TestDamagedFramingEnds checks that the connection ends if the framing is damaged, because the
// start of the next message is unknown.
func TestDamagedFramingEnds(t *testing.T) {
	for _, input := range []string{"hello\r\n\r\n", "Content-Length: x\r\n\r\n", "Content-Length: 2\r\n\r\n{}{}\r\n\r\n"} {
		f := connect(t, nil)
		f.raw(input)
		if err := f.wait(); !errors.Is(err, frame.ErrFraming) {
			t.Errorf("after %q Serve returned %v", input, err)
		}
	}
}

// TestHugeMessage checks that a message of 100 MiB is rejected without being stored, and that later
// messages are answered.
func TestHugeMessage(t *testing.T) {
	f := connect(t, nil)
	f.open(t.TempDir(), `{}`, nil)
	before := heap()
	const size = 100 << 20
	f.raw(fmt.Sprintf("Content-Length: %d\r\n\r\n", size))
	piece := strings.Repeat("x", 1<<20)
	var peak uint64
	for range size / len(piece) {
		if _, err := io.WriteString(f.conn, piece); err != nil {
			t.Fatal(err)
		}
		peak = max(peak, heap())
	}
	f.until("an error without an id", func() bool { return f.answers["null"].Error != nil })
	if peak > before+16<<20 {
		t.Errorf("100 MiB took %d MiB", (peak-before)>>20)
	}
	f.must(lsp.MethodTasks, nil, nil)
	f.quit()
}

// heap returns the size of the heap after a collection.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestRandomMessages sends messages of all kinds, most of them invalid. Each request is
// answered once, and memory returns to its initial size.
func TestRandomMessages(t *testing.T) {
	messages := 100_000
	if testing.Short() {
		messages = 5_000
	}
	folder := t.TempDir()
	write(t, folder, "src/Main.java", mainJava)
	f := connect(t, func(o *Options) { o.crash = true })
	f.open(folder, everything, traces(t, folder))
	f.await(lsp.MethodDidCompare, 1, nil)
	g := &garbler{r: rand.New(rand.NewPCG(7, 11)), folder: folder, methods: slices.Sorted(maps.Keys(methods()))}
	f.forget()
	before, goroutines := heap(), runtime.NumGoroutine()
	for i := range messages {
		f.raw(g.message(i))
		if i%1000 == 999 {
			f.until("the answers so far", func() bool {
				delete(f.answers, "null") // This answers an input that was not a message.
				return len(f.answers) >= g.requests
			})
			f.forget()
			g.requests = 0
		}
	}
	f.must(lsp.MethodTasks, nil, nil)
	for path := range g.opened {
		f.notify("textDocument/didClose", map[string]any{"textDocument": map[string]string{"uri": path}})
	}
	f.must(lsp.MethodTasks, nil, nil)
	f.forget()
	// Idle parsers keep their memory, up to 48 MiB for each processor.
	if after := heap(); after > before+8<<20+uint64(runtime.GOMAXPROCS(0))*48<<20 {
		t.Errorf("the heap grew from %d to %d KiB", before>>10, after>>10)
	}
	if n := runtime.NumGoroutine(); n > goroutines+5 {
		t.Errorf("goroutines grew from %d to %d", goroutines, n)
	}
	f.quit()
}

// forget drops the received messages.
func (f *fake) forget() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.heard = nil
	clear(f.answers)
}

const mainJava = `package com.app;

public class Main {
    public void onCreate(android.os.Bundle state) {
        resolver.query();
        text.setText();
    }
}
`

// A garbler makes messages.
type garbler struct {
	r        *rand.Rand
	folder   string
	methods  []string
	requests int
	opened   map[string]bool
}

func (g *garbler) message(i int) string {
	var body string
	switch g.r.IntN(10) {
	case 0: // This is not a message.
		body = g.pick("{", "[]", "null", `"x"`, `{"jsonrpc":"2.0"}`, `{"jsonrpc":"2.0","id":true,"method":"a"}`, "\x00\xff", strings.Repeat("[", 100))
	case 1: // This is a response without a request.
		body = fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":%s}`, g.r.IntN(20), g.value(2))
	default:
		method := g.methods[g.r.IntN(len(g.methods))]
		switch method {
		case "shutdown", "exit", "initialize":
			method = g.pick("what/ever", "$/x", "initialize")
		}
		params, err := json.Marshal(g.params(method))
		if err != nil {
			panic(err)
		}
		if g.r.IntN(2) == 0 || strings.HasPrefix(method, "textDocument/did") {
			body = fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":%s}`, method, params)
		} else {
			g.requests++
			body = fmt.Sprintf(`{"jsonrpc":"2.0","id":"r%d","method":%q,"params":%s}`, i, method, params)
		}
	}
	return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body)
}

func (g *garbler) pick(list ...string) string { return list[g.r.IntN(len(list))] }

// params returns valid parameters, valid parameters with one part replaced, or any value.
func (g *garbler) params(method string) any {
	if g.r.IntN(4) == 0 {
		return g.value(3)
	}
	uri := g.pick(
		string(lsp.URIOf(filepath.Join(g.folder, "src/Main.java"))), string(lsp.URIOf(g.folder+"/B c#ü.kt")), "file:///etc/passwd.java",
		"untitled:Untitled-1", "file://other/x.java", "file:///%zz", "", "file:///c%3A/x.java", "http://x/y",
	)
	if g.opened == nil {
		g.opened = make(map[string]bool)
	}
	g.opened[uri] = true
	point := func() map[string]any { return map[string]any{"line": g.number(), "character": g.number()} }
	return map[string]any{
		"textDocument":   map[string]any{"uri": uri, "version": g.r.IntN(1000), "languageId": "java", "text": g.pick("", mainJava, "\uFEFFclass X{\r\n}", "😀\xff")},
		"position":       point(),
		"range":          map[string]any{"start": point(), "end": point()},
		"contentChanges": []any{map[string]any{"range": map[string]any{"start": point(), "end": point()}, "text": g.pick("", "x", "\n", "{", "😀")}, map[string]any{"text": mainJava}},
		"context":        map[string]any{"diagnostics": []any{}},
		"query":          g.pick("", "query", "Q"),
		"sort":           g.pick("", "saving", "calls", "nonsense"),
		"offset":         g.number(), "limit": g.number(),
		"task": g.pick("", "0123456789abcdef"), "id": g.r.IntN(9), "token": g.pick("diffprof/compare/1", "x"),
		"command": g.pick(commandListPackages, commandShowTask, commandReport, "rm -rf"), "arguments": []any{g.value(2)},
		"changes": []any{map[string]any{"uri": uri, "type": 2}},
	}
}

func (g *garbler) number() any {
	return []any{0, 1, 4, 5, 12, 100, 1 << 31, -1, 1.5, "x", nil}[min(g.r.IntN(30), 10)%11]
}

// value returns any JSON value.
func (g *garbler) value(depth int) any {
	switch n := g.r.IntN(7); {
	case n == 0 || depth == 0:
		return nil
	case n == 1:
		return g.r.Float64() * 1e10
	case n == 2:
		return g.pick("", "x", "file:///x", "😀")
	case n == 3:
		return g.r.IntN(2) == 0
	case n == 4:
		return []any{g.value(depth - 1), g.value(depth - 1)}
	default:
		return map[string]any{g.pick("textDocument", "uri", "settings", "event", "x"): g.value(depth - 1), "range": g.value(depth - 1)}
	}
}

// TestOutsideIsLeftAlone checks that no request of a client opens a file outside its folders.
func TestOutsideIsLeftAlone(t *testing.T) {
	outside, folder := t.TempDir(), t.TempDir()
	secret := write(t, outside, "Secret.java", "package com.app; class Main { void onCreate(android.os.Bundle b) { x.query(); } }")
	if err := os.Symlink(outside, filepath.Join(folder, "link")); err != nil {
		t.Skip("no symbolic links: ", err)
	}
	f := connect(t, nil)
	f.open(folder, `{}`, traces(t, folder))
	f.await(lsp.MethodDidCompare, 1, nil)
	for _, path := range []string{secret, filepath.Join(folder, "link", "Secret.java"), filepath.Join(folder, "..", filepath.Base(outside), "Secret.java")} {
		f.notify("workspace/didChangeWatchedFiles", map[string]any{"changes": []any{map[string]any{"uri": lsp.URIOf(path), "type": 2}}})
	}
	for _, path := range []string{
		filepath.Join(outside, "r.json"), filepath.Join(folder, "link", "r.json"), "../" + filepath.Base(outside) + "/r.json", "/r.json", "", "\x00",
	} {
		err := f.call("workspace/executeCommand", map[string]any{"command": commandReport, "arguments": []any{map[string]any{"path": path}}}, nil)
		if err == nil {
			t.Errorf("a report went to %q", path)
		}
	}
	if _, err := os.Stat(filepath.Join(outside, "r.json")); err == nil {
		t.Error("a report lies outside of the workspace")
	}
	f.quit()
}
