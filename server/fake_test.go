package server

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/textproto"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/diffprof/diffprof/server/internal/lsp"
)

// patience is the longest wait for an expected event. After it the test fails.
const patience = 5 * time.Minute

// A fake is a client that records all messages of the server. It shares no code with the server, so
// the two check each other's framing.
type fake struct {
	t    testing.TB
	conn net.Conn
	// served has the result of Serve.
	served chan error
	// ticks make the server's watches tick.
	ticks map[string]chan time.Time
	log   *syncBuffer

	mu      sync.Mutex
	changed *sync.Cond
	nextID  int
	answers map[string]wireMessage
	heard   []wireMessage
	// replies has the answers to the server's requests by method. The default answer is null.
	replies map[string]func(json.RawMessage) (any, error)
	closed  bool
}

type wireMessage struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *wireError      `json:"error,omitempty"`
}

type wireError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *wireError) Error() string { return fmt.Sprintf("%d: %s", e.Code, e.Message) }

// syncBuffer is a log that may be read while it is written.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// connect starts a server and a client. The test controls the ticks of the watches.
func connect(t testing.TB, change func(*Options)) *fake {
	near, far := net.Pipe()
	f := &fake{
		t: t, conn: near, served: make(chan error, 1), log: &syncBuffer{},
		ticks:   map[string]chan time.Time{"parent": make(chan time.Time), "files": make(chan time.Time)},
		answers: make(map[string]wireMessage), replies: make(map[string]func(json.RawMessage) (any, error)),
	}
	f.changed = sync.NewCond(&f.mu)
	o := Options{Version: "test", Log: f.log}
	o.crash = true
	o.giveBack = func() {}
	o.tick = func(name string, _ time.Duration) (<-chan time.Time, func()) { return f.ticks[name], func() {} }
	if change != nil {
		change(&o)
	}
	go func() { f.served <- Serve(context.Background(), far, o) }()
	go f.listen()
	t.Cleanup(func() { near.Close() })
	return f
}

// listen reads until the connection ends, and answers requests.
func (f *fake) listen() {
	in := bufio.NewReader(f.conn)
	for {
		header, err := textproto.NewReader(in).ReadMIMEHeader()
		var body []byte
		if err == nil {
			var n int
			if n, err = strconv.Atoi(header.Get("Content-Length")); err == nil {
				body = make([]byte, n)
				_, err = io.ReadFull(in, body)
			}
		}
		f.mu.Lock()
		if err != nil {
			f.closed = true
			f.changed.Broadcast()
			f.mu.Unlock()
			return
		}
		var m wireMessage
		if err := json.Unmarshal(body, &m); err != nil || m.Version != "2.0" {
			f.t.Errorf("the server wrote %q: %v", body, err)
		}
		switch {
		case m.Method == "":
			f.answers[string(m.ID)] = m
		default:
			f.heard = append(f.heard, m)
		}
		reply := f.replies[m.Method]
		f.changed.Broadcast()
		f.mu.Unlock()
		if m.Method != "" && len(m.ID) > 0 {
			go f.answer(m, reply)
		}
	}
}

func (f *fake) answer(m wireMessage, reply func(json.RawMessage) (any, error)) {
	out := map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": nil}
	if reply != nil {
		result, err := reply(m.Params)
		if err != nil {
			delete(out, "result")
			out["error"] = wireError{-32603, err.Error()}
		} else {
			out["result"] = result
		}
	}
	f.send(out)
}

// send sends a value as a message. It ignores errors, because the server may have ended.
func (f *fake) send(v any) {
	data, err := json.Marshal(v)
	if err != nil {
		f.t.Errorf("encoding %v: %v", v, err)
		return
	}
	f.raw(fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(data), data))
}

func (f *fake) raw(text string) {
	// An error means that the connection is over, which listen notices too.
	_, _ = io.WriteString(f.conn, text)
}

func (f *fake) notify(method string, params any) {
	f.send(map[string]any{"jsonrpc": "2.0", "method": method, "params": params})
}

// begin sends a request and returns its id.
func (f *fake) begin(method string, params any) int {
	f.mu.Lock()
	f.nextID++
	id := f.nextID
	f.mu.Unlock()
	f.send(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
	return id
}

// end waits for the answer of a request.
func (f *fake) end(id int, result any) error {
	f.t.Helper()
	key := strconv.Itoa(id)
	var m wireMessage
	f.until("the answer of request "+key, func() bool {
		var ok bool
		m, ok = f.answers[key]
		return ok
	})
	if m.Error != nil {
		return m.Error
	}
	if result != nil {
		if err := json.Unmarshal(m.Result, result); err != nil {
			f.t.Fatalf("the answer %s: %v", m.Result, err)
		}
	}
	return nil
}

func (f *fake) call(method string, params, result any) error {
	f.t.Helper()
	return f.end(f.begin(method, params), result)
}

func (f *fake) must(method string, params, result any) {
	f.t.Helper()
	if err := f.call(method, params, result); err != nil {
		f.t.Fatalf("%s: %v", method, err)
	}
}

// until waits until a condition holds. It tests the condition after each message, with mu held.
func (f *fake) until(what string, holds func() bool) {
	f.t.Helper()
	late := false
	watchdog := time.AfterFunc(patience, func() {
		f.mu.Lock()
		late = true
		f.changed.Broadcast()
		f.mu.Unlock()
	})
	defer watchdog.Stop()
	f.mu.Lock()
	defer f.mu.Unlock()
	for !holds() {
		if late || f.closed {
			var methods []string
			for _, m := range f.heard {
				methods = append(methods, m.Method)
			}
			f.t.Fatalf("%s did not come (connection closed: %v); heard %v; log:\n%s", what, f.closed, methods, last(f.log.String(), 4000))
		}
		f.changed.Wait()
	}
}

// last returns the end of a text.
func last(text string, n int) string { return text[max(len(text)-n, 0):] }

// await waits for the nth message of a method, counted from 1, and decodes its parameters.
func (f *fake) await(method string, n int, params any) {
	f.t.Helper()
	f.until(fmt.Sprintf("%s number %d", method, n), func() bool {
		count := 0
		for _, m := range f.heard {
			if m.Method == method {
				if count++; count == n {
					if params != nil {
						if err := json.Unmarshal(m.Params, params); err != nil {
							f.t.Errorf("%s: %v", m.Params, err)
						}
					}
					return true
				}
			}
		}
		return false
	})
}

// count counts the messages of a method so far.
func (f *fake) count(method string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := 0
	for _, m := range f.heard {
		if m.Method == method {
			n++
		}
	}
	return n
}

func (f *fake) reply(method string, with func(json.RawMessage) (any, error)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.replies[method] = with
}

// everything has all capabilities of a client, with UTF-16.
const everything = `{
	"workspace": {"applyEdit": true, "workspaceEdit": {"documentChanges": true, "resourceOperations": ["create"]},
		"codeLens": {"refreshSupport": true}, "didChangeWatchedFiles": {"dynamicRegistration": true}},
	"textDocument": {"publishDiagnostics": {"relatedInformation": true, "codeDescriptionSupport": true},
		"hover": {"contentFormat": ["markdown", "plaintext"]}, "codeAction": {"codeActionLiteralSupport": {}}},
	"window": {"workDoneProgress": true}
}`

// open initializes the server for a folder with settings. The client always supports
// diffprof's own notifications.
func (f *fake) open(folder, capabilities string, settings any) {
	f.t.Helper()
	can := make(map[string]any)
	if err := json.Unmarshal([]byte(capabilities), &can); err != nil {
		f.t.Fatal(err)
	}
	if can["experimental"] == nil {
		can["experimental"] = map[string]any{"diffprof": map[string]any{"notifications": true}}
	}
	f.must("initialize", map[string]any{"processId": nil, "rootUri": lsp.URIOf(folder), "capabilities": can, "initializationOptions": settings}, nil)
	f.notify("initialized", struct{}{})
}

// quit ends the server in order.
func (f *fake) quit() {
	f.t.Helper()
	f.must("shutdown", nil, nil)
	f.notify("exit", nil)
	if err := f.wait(); err != nil {
		f.t.Errorf("Serve: %v", err)
	}
}

// wait waits for the end of the server.
func (f *fake) wait() error {
	f.t.Helper()
	select {
	case err := <-f.served:
		return err
	case <-time.After(patience):
		f.t.Fatal("the server did not end")
		return nil
	}
}

// code returns the code of a server's error, or 0 if err is nil.
func code(err error) int {
	if e, ok := err.(*wireError); ok {
		return e.Code
	}
	return 0
}

// write writes a file below a folder and returns its path.
func write(t testing.TB, folder, name, text string) string {
	t.Helper()
	path := filepath.Join(folder, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// traces writes a pair of recordings to a folder. com.app.Main.onCreate calls a framework method
// that it does not call in the reference.
func traces(t testing.TB, folder string) map[string]any {
	subject := write(t, folder, "subject.folded", strings.Join([]string{
		"android.app.Activity.performCreate(Landroid/os/Bundle;)V;com.app.Main.onCreate(Landroid/os/Bundle;)V;android.content.ContentResolver.query()V 4000003",
		"android.app.Activity.performCreate(Landroid/os/Bundle;)V;com.app.Main.onCreate(Landroid/os/Bundle;)V;android.widget.TextView.setText()V 2000000",
		"android.app.Activity.performCreate(Landroid/os/Bundle;)V;com.app.Main.onCreate(Landroid/os/Bundle;)V 1000000",
	}, "\n")+"\n")
	reference := write(t, folder, "reference.folded", strings.Join([]string{
		"android.app.Activity.performCreate(Landroid/os/Bundle;)V;org.other.Start.onCreate(Landroid/os/Bundle;)V;android.widget.TextView.setText()V 500003",
		"android.app.Activity.performCreate(Landroid/os/Bundle;)V;org.other.Start.onCreate(Landroid/os/Bundle;)V 1000000",
	}, "\n")+"\n")
	return map[string]any{"subject": subject, "reference": reference, "foldedUnit": "nJ"}
}

// rewrite writes a golden file again.
func rewrite(t testing.TB, file string, data []byte) {
	t.Helper()
	if err := os.WriteFile(file, data, 0o666); err != nil {
		t.Fatal(err)
	}
}
