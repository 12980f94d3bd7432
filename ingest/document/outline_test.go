package document_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/diffprof/diffprof/ingest/document"
)

// TestOutline checks that an outline keeps the first 64 members, the first 2 elements, the first
// 256 bytes of texts, and 8 levels.
func TestOutline(t *testing.T) {
	members := func(n int) string {
		var list []string
		for i := range n {
			list = append(list, fmt.Sprintf(`"m%d":%d`, i, i))
		}
		return "{" + strings.Join(list, ",") + "}"
	}
	long := strings.Repeat("a", 256)
	for in, want := range map[string]string{
		`{ "a" : [1, 2, 3], "b": {"c": null} }`: `{"a":[1,2],"b":{"c":null}}`,
		`[true, "x", {}]`:                       `[true,"x"]`,
		`[1.50, -2e3]`:                          `[1.50,-2e3]`,
		`[[],{}]`:                               `[[],{}]`,
		`"` + long + `"`:                        `"` + long + `"`,
		`"` + long + `b"`:                       `"` + long + `"`,
		members(64):                             members(64),
		members(70):                             members(64),
		`[[[[[[[[5]]]]]]]]`:                     `[[[[[[[[null]]]]]]]]`,
		`[[[[[[[5]]]]]]]`:                       `[[[[[[[5]]]]]]]`,
		`{"a":1,"b":[2`:                         `{"a":1,"b":[2`,
		`{"a":1,"b":[2]]`:                       `{"a":1,"b":[2]`,
		`text`:                                  ``,
		"\"\xff\"":                              "\"\ufffd\"",
	} {
		got, err := document.Outline(strings.NewReader(in))
		if err != nil || string(got) != want {
			t.Errorf("%.40s gives\n%s\n%v, want\n%s", in, got, err, want)
		}
	}
	// The size of an outline is limited. If the document is JSON, so is the outline.
	wide := "[" + strings.Repeat(`{"k":"`+long+`","l":[`, 4) + strings.Repeat(`]}`, 4) + "]"
	many := "{" + strings.TrimSuffix(strings.Repeat(`"`+long+`":{"a":"`+long+`","b":"`+long+`","c":{"d":"`+long+`"}},`, 64), ",") + "}"
	for _, in := range []string{wide, many, "[" + many + "," + many + "]"} {
		got, err := document.Outline(strings.NewReader(in))
		if err != nil || !json.Valid(got) || len(got) > 70<<10 {
			t.Errorf("an outline of %d bytes: %v", len(got), err)
		}
	}
	broken := errors.New("broken disk")
	if _, err := document.Outline(iotest.ErrReader(broken)); !errors.Is(err, broken) {
		t.Error(err)
	}
}

// TestNames checks that texts of at most 64 KiB are accepted as names, and that bytes that are not
// UTF-8 are replaced.
func TestNames(t *testing.T) {
	for in, want := range map[string]string{
		`"main"`:     "main",
		`null`:       "",
		`12`:         "12",
		"\"a\xffb\"": "a\ufffdb",
		`"` + strings.Repeat("n", document.MaxName) + `"`: strings.Repeat("n", document.MaxName),
	} {
		if got, err := document.NewReader(strings.NewReader(in)).Name(); err != nil || got != want {
			t.Errorf("%.20s is the name %.20q, %v", in, got, err)
		}
	}
	if _, err := document.NewReader(strings.NewReader(`"` + strings.Repeat("n", document.MaxName+1) + `"`)).Name(); err == nil || err.Error() != "a name has more than 64 KiB" {
		t.Error(err)
	}
	d := document.NewReader(strings.NewReader(`["a" , 4294967296, 2147483647]`))
	offsets := ""
	if err := d.Elements(func() error {
		offsets += fmt.Sprint(d.Offset(), " ")
		if d.Is('"') {
			_, err := d.Raw()
			return err
		}
		n, err := d.Index()
		offsets += fmt.Sprintf("(%d) ", n)
		return err
	}); err != nil || offsets != "1 4 (-1) 17 (2147483647) " {
		t.Errorf("%q, %v", offsets, err)
	}
}
