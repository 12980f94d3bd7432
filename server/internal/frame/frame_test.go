package frame_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"go.lsp.dev/jsonrpc2"

	"github.com/diffprof/diffprof/server/internal/frame"
)

// pipe is a connection with a text as its input.
type pipe struct {
	io.Reader
	bytes.Buffer
}

func (p *pipe) Read(b []byte) (int, error) { return p.Reader.Read(b) }
func (p *pipe) Close() error               { return nil }

func framed(body string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body) }

// read reads all messages of an input. It returns their methods, or "response" for a response, the
// written output, and the error at the end.
func read(input string, limit int64) (methods []string, written string, err error) {
	p := &pipe{Reader: strings.NewReader(input)}
	s := frame.New(p, limit)
	for {
		msg, _, err := s.Read(context.Background())
		if err != nil {
			return methods, p.String(), err
		}
		if r, ok := msg.(jsonrpc2.Request); ok {
			methods = append(methods, r.Method())
		} else {
			methods = append(methods, "response")
		}
	}
}

const note = `{"jsonrpc":"2.0","method":"a"}`

func Example() {
	p := &pipe{Reader: strings.NewReader(framed(`{"jsonrpc":"2.0","method":"hello","id":1}`))}
	s := frame.New(p, 1<<20)
	msg, _, err := s.Read(context.Background())
	fmt.Println(msg.(*jsonrpc2.Call).Method(), err)
	_, _, err = s.Read(context.Background())
	fmt.Println(err)
	// Output:
	// hello <nil>
	// EOF
}

func TestRead(t *testing.T) {
	deep := strings.Repeat("[", 20000)
	for _, c := range []struct {
		name, input, methods string
		err                  error
		written              string
	}{
		{"nothing", "", "", io.EOF, ""},
		{"two", framed(note) + framed(note), "a a", io.EOF, ""},
		{"other headers, any case", "content-LENGTH:" + fmt.Sprint(len(note)) + "\r\nContent-Type: x; charset=utf-8\r\n\r\n" + note, "a", io.EOF, ""},
		{"line feeds alone", fmt.Sprintf("Content-Length: %d\n\n%s", len(note), note), "a", io.EOF, ""},
		{"no JSON", framed("{nope") + framed(note), "a", io.EOF, "-32700"},
		{"no message", framed("[]") + framed(note), "a", io.EOF, "-32600"},
		{"an empty message", framed("") + framed(note), "a", io.EOF, "-32700"},
		{"another version", framed(`{"jsonrpc":"1.0","method":"a"}`) + framed(note), "a", io.EOF, "-32600"},
		{"too deep", framed(deep) + framed(note), "a", io.EOF, "-32700"},
		{"too long", framed(`"`+strings.Repeat("x", 300000)+`"`) + framed(note), "a", io.EOF, "300002 bytes"},
		{"a response to nothing", framed(`{"jsonrpc":"2.0","id":7,"result":1}`) + framed(note), "a", io.EOF, ""},
		{"an id that is no id", framed(`{"jsonrpc":"2.0","id":{},"method":"a"}`) + framed(note), "a", io.EOF, "-32600"},
		{"empty lines between", framed(note) + "\n\r\n" + framed(note) + "\r\n", "a a", io.EOF, ""},
		{"empty lines without end", strings.Repeat("\r\n", 100) + framed(note), "", frame.ErrFraming, ""},
		{"no length", "Content-Type: x\r\n\r\n", "", frame.ErrFraming, ""},
		{"a negative length", "Content-Length: -1\r\n\r\n", "", frame.ErrFraming, ""},
		{"an absurd length", "Content-Length: 99999999999999999999\r\n\r\n", "", frame.ErrFraming, ""},
		{"a length of words", "Content-Length: ten\r\n\r\n", "", frame.ErrFraming, ""},
		{"no header", note + "\r\n\r\n", "", frame.ErrFraming, ""},
		{"an endless line", strings.Repeat("x", 10000), "", frame.ErrFraming, ""},
		{"endless lines", strings.Repeat("x: y\r\n", 100), "", frame.ErrFraming, ""},
		{"cut in the header", "Content-Len", "", io.ErrUnexpectedEOF, ""},
		{"cut in the message", framed(note)[:30], "", io.ErrUnexpectedEOF, ""},
		{"a length above what comes", "Content-Length: 200000\r\n\r\n" + note, "", io.ErrUnexpectedEOF, ""},
		{"a length far above", "Content-Length: 2000000000\r\n\r\n" + note, "", io.ErrUnexpectedEOF, ""},
		{"a length below what comes", "Content-Length: 5\r\n\r\n" + note + "\r\n\r\n", "", frame.ErrFraming, "-32700"},
	} {
		t.Run(c.name, func(t *testing.T) {
			methods, written, err := read(c.input, 200000)
			if got := strings.Join(methods, " "); got != c.methods {
				t.Errorf("read %q, want %q", got, c.methods)
			}
			if !errors.Is(err, c.err) {
				t.Errorf("ended with %v, want %v", err, c.err)
			}
			if c.written == "" && written != "" || !strings.Contains(written, c.written) {
				t.Errorf("answered %q, want %q", written, c.written)
			}
		})
	}
}

// TestResponsesOnce checks that only one response reaches a call, however many arrive.
func TestResponsesOnce(t *testing.T) {
	response := framed(`{"jsonrpc":"2.0","id":1,"result":null}`)
	p := &pipe{Reader: strings.NewReader(response + response + framed(note))}
	s := frame.New(p, 1000)
	call, err := jsonrpc2.NewCall(jsonrpc2.NewNumberID(1), "ask", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Write(context.Background(), call); err != nil {
		t.Fatal(err)
	}
	first, _, err := s.Read(context.Background())
	if _, ok := first.(*jsonrpc2.Response); !ok {
		t.Errorf("read %T, %v", first, err)
	}
	if second, _, err := s.Read(context.Background()); err != nil {
		t.Error(err)
	} else if _, ok := second.(*jsonrpc2.Notification); !ok {
		t.Errorf("then %T", second)
	}
}

// FuzzRead checks that any input ends with an error, and that the output consists of whole
// messages.
func FuzzRead(f *testing.F) {
	f.Add(framed(note) + framed("{") + "Content-Length: 3\r\n\r\n[]]")
	f.Add("Content-Length: 99\r\n\r\n{}")
	f.Add(framed(`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}}`))
	f.Fuzz(func(t *testing.T, input string) {
		_, written, err := read(input, 1000)
		if err == nil {
			t.Error("no end")
		}
		if _, again, err := read(written, 1000); err != io.EOF || strings.Contains(again, "-32700") {
			t.Errorf("wrote %q, which reads as %v", written, err)
		}
	})
}

// FuzzReadBody checks that the message after any body is still read if the frame of the body is
// valid.
func FuzzReadBody(f *testing.F) {
	f.Add(note)
	f.Add(`{"jsonrpc":"2.0","id":"x","method":"a","params":[1,{"b":null}]}`)
	f.Add(`{"jsonrpc":"2.0","id":1.5,"method":[]}`)
	f.Fuzz(func(t *testing.T, body string) {
		methods, _, err := read(framed(body)+framed(`{"jsonrpc":"2.0","method":"last"}`), 1<<20)
		if len(methods) == 0 || methods[len(methods)-1] != "last" || err != io.EOF {
			t.Errorf("after %q read %q, %v", body, methods, err)
		}
	})
}
