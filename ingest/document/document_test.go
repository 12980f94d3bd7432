package document_test

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/diffprof/diffprof/ingest/document"
)

// walk reads a document as a decoder does, and formats its content.
func walk(d *document.Reader) (string, error) {
	var b strings.Builder
	err := d.Members(func(name []byte) error {
		fmt.Fprintf(&b, "%s:", name)
		switch string(name) {
		case "list":
			return d.Elements(func() error {
				n, err := d.Scaled(1000, 1)
				fmt.Fprintf(&b, " %d", n)
				return err
			})
		case "text":
			text, err := d.Text()
			fmt.Fprintf(&b, " %q", text)
			return err
		case "raw":
			raw, err := d.Raw()
			fmt.Fprintf(&b, " %s", raw)
			return err
		case "index":
			n, err := d.Index()
			fmt.Fprintf(&b, " %d", n)
			return err
		case "true":
			is, err := d.True()
			fmt.Fprintf(&b, " %t", is)
			return err
		}
		return d.Skip()
	})
	return b.String(), err
}

func TestReader(t *testing.T) {
	for _, tt := range []struct{ in, want, err string }{
		{`{"list":[1,-2.5,"3",null,1e1],"x":{"y":[{}]},"text":"a\nb\u00e9"}`, `list: 1000 -2500 3000 0 10000x:text: "a\nbé"`, ""},
		{`{"text":null,"list":null,"index":null,"index":7,"index":-3,"true":true,"true":0}`, `text: ""list:index: -1index: 7index: -1true: truetrue: false`, ""},
		{"{\"text\":\"\xff\\ud800\",\"raw\":[1, {\"a\":2}]}", `text: "��"raw: [1, {"a":2}]`, ""},
		{`[]`, "", "an array where an object should be"},
		{`{"list":{}}`, "list:", "an object where an array should be"},
		{`{"text":[]}`, `text: ""`, "an array where a text should be"},
		{`{"list":[[7]]}`, `list: 0`, "an array where a number should be"},
		{`{"list":["x"]}`, `list: 0`, `the number "x" is not a decimal number`},
		{`{"list":[1`, "list: 1000", document.ErrCut.Error()},
		{``, "", document.ErrCut.Error()},
		{`{"x":1]`, "x:", "not JSON: invalid character ']' after object value (expecting ',' or '}')"},
		{`{"x":` + strings.Repeat("[", 20_000), "x:", "not JSON: exceeded max depth"},
	} {
		for _, r := range []io.Reader{strings.NewReader(tt.in), iotest.OneByteReader(strings.NewReader(tt.in))} {
			got, err := walk(document.NewReader(r))
			if got != tt.want || fmt.Sprint(err) != tt.err && (err != nil || tt.err != "") {
				t.Errorf("%.60s gives %s, error %v; want %s, %s", tt.in, got, err, tt.want, tt.err)
			}
		}
	}
}

// TestLoose checks that commas at the end of lists are dropped and commas in texts are kept,
// wherever the pieces of input end.
func TestLoose(t *testing.T) {
	for in, want := range map[string]string{
		`{"list":[1,2, ] ,"raw":",]\",}" , }`: `list: 1000 2000raw: ",]\",}"`,
		`{"list":[1,`:                         "list: 1000",
		`{"list":[1,,2]}`:                     "list: 1000",
	} {
		for _, r := range []io.Reader{strings.NewReader(in), iotest.OneByteReader(strings.NewReader(in)), iotest.DataErrReader(strings.NewReader(in))} {
			got, err := walk(document.NewLoose(r))
			if got != want {
				t.Errorf("%s gives %s, error %v; want %s", in, got, err, want)
			}
			if whole := strings.HasSuffix(in, "}") && !strings.Contains(in, ",,"); whole != (err == nil) {
				t.Errorf("%s: error %v", in, err)
			}
		}
	}
}

// TestLongText checks that an endless text is an error.
func TestLongText(t *testing.T) {
	endless := io.MultiReader(strings.NewReader(`{"text":"`), io.LimitReader(letters{}, 1<<40))
	_, err := walk(document.NewReader(endless))
	if err == nil || errors.Is(err, document.ErrCut) || !strings.Contains(err.Error(), "64 MiB") {
		t.Errorf("error %v", err)
	}
}

// letters is an endless text.
type letters struct{}

func (letters) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'a'
	}
	return len(p), nil
}

func TestHead(t *testing.T) {
	for in, want := range map[string]string{
		`[{"ph":"X","args":{"a":{"b":{"c":1}}}},{"x`: "args args.a args.a.b ph",
		`{"a":[{"b":"{\"c\":1}"},[{"d":null}]],"e`:   "a a.b a.d",
		`{"a":1}{"b":2}`: "a",
		`"text"`:         "",
		`a;b 1`:          "",
		``:               "",
		`{]`:             "",
	} {
		if got := strings.Join(slices.Sorted(maps.Keys(document.Head([]byte(in)))), " "); got != want {
			t.Errorf("Head(%s) = %s, want %s", in, got, want)
		}
	}
}
