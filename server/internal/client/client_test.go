package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"go.lsp.dev/jsonrpc2"

	"github.com/diffprof/diffprof/server/internal/lsp"
)

// A wire is a connection that records the messages to the client. answer answers its requests.
type wire struct {
	jsonrpc2.Conn
	answer func(ctx context.Context, method string) (string, error)

	mu   sync.Mutex
	sent []string
}

func (w *wire) record(kind, method string, params any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sent = append(w.sent, fmt.Sprintf("%s %s %s", kind, method, params.(json.RawMessage)))
}

func (w *wire) Notify(_ context.Context, method string, params any) error {
	w.record("notify", method, params)
	return nil
}

func (w *wire) Call(ctx context.Context, method string, params, result any) (jsonrpc2.ID, error) {
	w.record("call", method, params)
	answer, err := w.answer(ctx, method)
	if err == nil {
		*result.(*json.RawMessage) = json.RawMessage(answer)
	}
	return jsonrpc2.ID{}, err
}

// messages returns the messages so far, one per line.
func (w *wire) messages() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Join(w.sent, "\n")
}

func TestCall(t *testing.T) {
	refused := errors.New("refused")
	for _, c := range []struct {
		name, answer string
		err          error
		want, fault  string
	}{
		{name: "answer", answer: `{"name":"x"}`, want: "x"},
		{name: "no answer", answer: ""},
		{name: "null", answer: "null"},
		{name: "another type", answer: `["x"]`, fault: "m: the client's answer: json: "},
		{name: "an error", err: refused, fault: "m: refused"},
	} {
		w := &wire{answer: func(context.Context, string) (string, error) { return c.answer, c.err }}
		var got struct{ Name string }
		err := New(t.Context(), w, nil).Call(t.Context(), "m", map[string]int{"a": 1}, &got)
		if got.Name != c.want || (err == nil) != (c.fault == "") || err != nil && !strings.HasPrefix(err.Error(), c.fault) {
			t.Errorf("%s: %q, %v; want %q, %q", c.name, got.Name, err, c.want, c.fault)
		}
		if c.err != nil && !errors.Is(err, c.err) {
			t.Errorf("%s: %v does not wrap %v", c.name, err, c.err)
		}
		if want := `call m {"a":1}`; w.messages() != want {
			t.Errorf("%s: sent %s, want %s", c.name, w.messages(), want)
		}
	}
	if err := New(t.Context(), &wire{}, nil).Call(t.Context(), "m", make(chan int), nil); err == nil || !strings.HasPrefix(err.Error(), "encoding m: ") {
		t.Errorf("parameters without a JSON form: %v", err)
	}
}

// TestTell checks that diffprof's own notifications go only to clients that support them.
func TestTell(t *testing.T) {
	for experimental, want := range map[string]string{
		`{"diffprof":{"notifications":true}}`:  `notify diffprof/x null`,
		`{"diffprof":{"notifications":false}}`: "",
		`{"other":1}`:                          "",
		`"text"`:                               "",
		``:                                     "",
	} {
		w := &wire{}
		c := New(t.Context(), w, nil)
		c.SetCapabilities(lsp.ClientCapabilities{Experimental: json.RawMessage(experimental)})
		c.Tell("diffprof/x", nil)
		if w.messages() != want {
			t.Errorf("%s: sent %q, want %q", experimental, w.messages(), want)
		}
	}
}

// TestRequestLogs checks that Request logs errors, except after the end of the connection, when
// every request fails.
func TestRequestLogs(t *testing.T) {
	var log bytes.Buffer
	ctx, end := context.WithCancel(t.Context())
	c := New(ctx, &wire{answer: func(context.Context, string) (string, error) { return "", errors.New("refused") }}, &log)
	c.Request("workspace/codeLens/refresh", nil)
	c.Notify("window/showMessage", make(chan int))
	end()
	c.Request("workspace/codeLens/refresh", nil)
	want := "diffprof lsp: workspace/codeLens/refresh: refused\ndiffprof lsp: encoding window/showMessage: json: unsupported type: chan int\n"
	if log.String() != want {
		t.Errorf("the log is\n%swant\n%s", log.String(), want)
	}
}

// TestCancelRequest checks that only the named request is cancelled, and only while it runs.
func TestCancelRequest(t *testing.T) {
	c := New(t.Context(), nil, nil)
	cancelled := make(map[string]int)
	for _, name := range []string{"a", "b"} {
		if err := c.Begin(jsonrpc2.NewStringID(name), func() { cancelled[name]++ }); err != nil {
			t.Fatal(err)
		}
	}
	c.Cancel(jsonrpc2.NewStringID("a"))
	c.Cancel(jsonrpc2.NewStringID("c"))
	c.End(jsonrpc2.NewStringID("b"))
	c.Cancel(jsonrpc2.NewStringID("b"))
	if cancelled["a"] != 1 || cancelled["b"] != 0 {
		t.Errorf("cancelled %v, want a once", cancelled)
	}
}

// shown returns a client that shows work in progress, and the connection that records the messages
// to the client.
func shown(t *testing.T, answer func(context.Context, string) (string, error)) (*Client, *wire) {
	w := &wire{answer: answer}
	c := New(t.Context(), w, nil)
	var can lsp.ClientCapabilities
	can.Window.WorkDoneProgress = true
	c.SetCapabilities(can)
	return c, w
}

func agrees(context.Context, string) (string, error) { return "null", nil }

// TestWork checks the messages about work in progress: each change once, and percentages that never
// fall.
func TestWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, w := shown(t, agrees)
		cancelled := 0
		work := c.Show(t.Context(), "t", "comparing", func() { cancelled++ }, func(send func()) { go send() })
		synctest.Wait()
		for _, report := range []struct {
			message string
			percent int
		}{{"reading", 10}, {"reading", 10}, {"matching", 5}, {"matching", 60}} {
			work.Report(report.message, report.percent)
			synctest.Wait()
		}
		c.CancelWork("other")
		c.CancelWork("t")
		work.End("3 tasks")
		work.End("ignored")
		synctest.Wait()
		c.CancelWork("t")
		if cancelled != 1 {
			t.Errorf("cancelled %d times, want once: before the end", cancelled)
		}
		want := strings.Join([]string{
			`call window/workDoneProgress/create {"token":"t"}`,
			`notify $/progress {"token":"t","value":{"kind":"begin","title":"comparing","cancellable":true,"percentage":0}}`,
			`notify $/progress {"token":"t","value":{"kind":"report","cancellable":true,"message":"reading","percentage":10}}`,
			`notify $/progress {"token":"t","value":{"kind":"report","cancellable":true,"message":"matching","percentage":10}}`,
			`notify $/progress {"token":"t","value":{"kind":"report","cancellable":true,"message":"matching","percentage":60}}`,
			`notify $/progress {"token":"t","value":{"kind":"end","message":"3 tasks"}}`,
		}, "\n")
		if w.messages() != want {
			t.Errorf("sent\n%s\nwant\n%s", w.messages(), want)
		}
	})
}

// TestWorkEndsEarly checks the last message if the context of the work ends, and that nothing is
// sent to clients that do not show work, or that refuse the token.
func TestWorkEndsEarly(t *testing.T) {
	for _, c := range []struct {
		name   string
		can    bool
		answer func(context.Context, string) (string, error)
		final  string // with which the work ends before its context does
		want   string // the end of the last message, or no message after the first
	}{
		{"cancelled", true, agrees, "", `"message":"cancelled"}}`},
		{"ended", true, agrees, "2 tasks", `"message":"2 tasks"}}`},
		{"refused", true, func(context.Context, string) (string, error) { return "", errors.New("refused") }, "", ""},
		{"not shown", false, agrees, "", ""},
	} {
		synctest.Test(t, func(t *testing.T) {
			client, w := shown(t, c.answer)
			if !c.can {
				client.SetCapabilities(lsp.ClientCapabilities{})
			}
			ctx, cancel := context.WithCancel(t.Context())
			work := client.Show(ctx, "t", "comparing", func() {}, func(send func()) { go send() })
			synctest.Wait()
			if c.final != "" {
				work.End(c.final)
			}
			cancel()
			synctest.Wait()
			work.Report("late", 99)
			got := w.messages()
			switch {
			case c.want != "" && !strings.HasSuffix(got, c.want):
				t.Errorf("%s: sent\n%s\nwant the end %s", c.name, got, c.want)
			case c.want == "" && strings.Contains(got, "notify"):
				t.Errorf("%s: sent\n%s", c.name, got)
			case !c.can && got != "":
				t.Errorf("%s: sent\n%s", c.name, got)
			}
		})
	}
}
