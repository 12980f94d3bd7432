package column

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
)

// A row has a column of each kind. Its fields begin with the mode of the encoding.
type row struct {
	Text    string           `parquet:"text"`
	Dict    string           `parquet:"dict,dict"`
	Maybe   *string          `parquet:"maybe,optional,dict"`
	Bool    bool             `parquet:"bool"`
	I32     int32            `parquet:"i32,dict"`
	I64     int64            `parquet:"i64"`
	F32     float32          `parquet:"f32"`
	F64     *float64         `parquet:"f64,optional"`
	Money   int32            `parquet:"money,decimal(2:9)"`
	Moment  deprecated.Int96 `parquet:"moment"`
	Fixed   [3]byte          `parquet:"fixed"`
	Apps    []string         `parquet:"apps,list,dict"`
	Plain   []string         `parquet:"plain,list"`
	Numbers []int64          `parquet:"numbers,list"`
}

// write writes rows with small pages and row groups of 64 rows.
func write[T any](t *testing.T, rows []T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "rows.parquet")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := parquet.NewGenericWriter[T](file, parquet.PageBufferSize(100), parquet.MaxRowsPerRowGroup(64), parquet.DataPageVersion(1))
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func randomRows(n int) []row {
	r := rand.New(rand.NewPCG(7, 7))
	word := func() string { return []string{"", "a", "b", "long " + strings.Repeat("x", 30), "7.5"}[r.IntN(5)] }
	list := func() (all []string) {
		for range r.IntN(5) {
			all = append(all, word())
		}
		return all
	}
	rows := make([]row, n)
	for i := range rows {
		rows[i] = row{
			Text: word(), Dict: word(), Bool: r.IntN(2) == 0, I32: r.Int32() - 1<<30, I64: r.Int64() - 1<<62, F32: r.Float32(), Money: int32(r.IntN(2000) - 1000),
			Moment: deprecated.Int96{uint32(r.IntN(1 << 20)), uint32(r.IntN(1 << 10)), 2440588 + uint32(r.IntN(30000))}, Fixed: [3]byte{byte(r.Uint32()), 'b', 'c'}, Apps: list(), Plain: list(),
		}
		if r.IntN(2) == 0 {
			s, f := word(), r.NormFloat64()
			rows[i].Maybe, rows[i].F64 = &s, &f
		}
		for range r.IntN(4) {
			rows[i].Numbers = append(rows[i].Numbers, r.Int64N(100))
		}
	}
	return rows
}

// plain returns the expected texts and number of each column, computed from the fields of the row.
func (r *row) plain() (texts [][]string, numbers []float64) {
	number := func(f float64, text string) {
		texts, numbers = append(texts, []string{text}), append(numbers, f)
	}
	word := func(s ...string) {
		f := math.NaN()
		for _, s := range s {
			if x, err := strconv.ParseFloat(s, 64); err == nil {
				f = x
			} else {
				f = math.NaN()
			}
		}
		texts, numbers = append(texts, s), append(numbers, f)
	}
	word(r.Text)
	word(r.Dict)
	if r.Maybe != nil {
		word(*r.Maybe)
	} else {
		word()
	}
	if r.Bool {
		number(1, "1")
	} else {
		number(0, "0")
	}
	number(float64(r.I32), fmt.Sprint(r.I32))
	number(float64(r.I64), fmt.Sprint(r.I64))
	number(float64(r.F32), strconv.FormatFloat(float64(r.F32), 'f', -1, 32))
	if r.F64 != nil {
		number(*r.F64, strconv.FormatFloat(*r.F64, 'f', -1, 64))
	} else {
		word()
	}
	money := float64(r.Money) / 100
	number(money, strconv.FormatFloat(money, 'f', -1, 64))
	milliseconds := (int64(r.Moment[2])-2440588)*86400_000 + (int64(r.Moment[1])<<32|int64(r.Moment[0]))/1e6
	number(float64(milliseconds), fmt.Sprint(milliseconds))
	number(float64(int64(int8(r.Fixed[0]))<<16|int64(r.Fixed[1])<<8|int64(r.Fixed[2])), string(r.Fixed[:]))
	word(r.Apps...)
	word(r.Plain...)
	var all []string
	last := math.NaN()
	for _, n := range r.Numbers {
		all, last = append(all, fmt.Sprint(n)), float64(n)
	}
	texts, numbers = append(texts, all), append(numbers, last)
	return texts, numbers
}

// TestCursors reads rows with a column of each kind in each mode, and compares them with the rows
// that were written.
func TestCursors(t *testing.T) {
	rows := randomRows(150)
	f, err := Open(write(t, rows))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	columns := f.Columns()
	var names []string
	for i, c := range columns {
		names = append(names, c.Name)
		if c.List != (i >= 11) {
			t.Errorf("column %s: list %v", c.Name, c.List)
		}
	}
	if want := "text dict maybe bool i32 i64 f32 f64 money moment fixed apps plain numbers"; strings.Join(names, " ") != want {
		t.Fatalf("columns %v", names)
	}
	if f.Len() != 3 || f.Before(0) != 0 || f.Before(1) != 64 || f.Before(2) != 128 {
		t.Fatalf("%d row groups, %d rows before the second", f.Len(), f.Before(1))
	}
	for group := range f.Groups() {
		part := rows[f.Before(group):min(len(rows), f.Before(group)+64)]
		if f.Check(group, len(part)) != nil || f.Check(group, len(part)+1) == nil {
			t.Errorf("row group %d does not have %d rows", group, len(part))
		}
		for i, c := range columns {
			for _, mode := range []Mode{Texts, Numbers, IDs} {
				var words []string
				cursor := f.Cursor(group, c, mode)
				cursor.Intern = func(text []byte) uint32 {
					at := slices.Index(words, string(text))
					if at < 0 {
						at, words = len(words), append(words, string(text))
					}
					return uint32(at)
				}
				for k := range part {
					texts, numbers := part[k].plain()
					if more, err := cursor.Next(); !more || err != nil {
						t.Fatalf("%s, row %d: %v, %v", c.Name, k, more, err)
					}
					switch mode {
					case Texts:
						if !slices.Equal(cursor.Texts, texts[i]) {
							t.Fatalf("%s, row %d: %q, want %q", c.Name, k, cursor.Texts, texts[i])
						}
					case Numbers:
						if got, want := cursor.Number, numbers[i]; got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
							t.Fatalf("%s, row %d: %v, want %v", c.Name, k, got, want)
						}
					case IDs:
						var got []string
						for _, id := range cursor.IDs {
							got = append(got, words[id])
						}
						if !slices.Equal(got, texts[i]) {
							t.Fatalf("%s, row %d: %q, want %q", c.Name, k, got, texts[i])
						}
					}
				}
				if more, err := cursor.Next(); more || err != nil {
					t.Errorf("%s has more rows, %v", c.Name, err)
				}
				cursor.Close()
			}
		}
	}
}

// TestHoles reads a list whose entries may lack a value. Such entries are kept, so that lists stay
// aligned.
func TestHoles(t *testing.T) {
	type entry struct {
		Name    *string `parquet:"name,optional,dict"`
		Version *string `parquet:"version,optional"`
	}
	type holed struct {
		Apps []entry `parquet:"apps,list"`
	}
	a, b := "a", "1.2"
	f, err := Open(write(t, []holed{{[]entry{{&a, nil}, {nil, &b}, {&a, &b}}}, {nil}, {[]entry{{nil, nil}}}}))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for i, want := range []string{`["a" "" "a"] [] [""]`, `["" "1.2" "1.2"] [] [""]`} {
		c := f.Columns()[i]
		cursor := f.Cursor(0, c, Texts)
		ids := f.Cursor(0, c, IDs)
		ids.Intern = func([]byte) uint32 { return 9 }
		var got, numbers []string
		for range 3 {
			if more, err := cursor.Next(); !more || err != nil {
				t.Fatal(more, err)
			}
			got = append(got, fmt.Sprintf("%q", cursor.Texts))
			if more, err := ids.Next(); !more || err != nil {
				t.Fatal(more, err)
			}
			numbers = append(numbers, fmt.Sprint(ids.IDs))
		}
		if text := strings.Join(got, " "); text != want {
			t.Errorf("%s: %s, want %s", c.Name, text, want)
		}
		if text, want := strings.Join(numbers, " "), map[int]string{0: "[9 0 9] [] [0]", 1: "[0 9 9] [] [0]"}[i]; text != want {
			t.Errorf("%s: numbers %s, want %s", c.Name, text, want)
		}
		cursor.Close()
		ids.Close()
	}
}

// TestParse converts texts with the caller's function.
func TestParse(t *testing.T) {
	f, err := Open(write(t, []row{{Text: "now", Dict: "later"}}))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for i, want := range []float64{3, 5} {
		cursor := f.Cursor(0, f.Columns()[i], Numbers)
		cursor.Parse = func(text string) float64 { return float64(len(text)) }
		if _, err := cursor.Next(); err != nil || cursor.Number != want {
			t.Errorf("%v, %v; want %v", cursor.Number, err, want)
		}
		cursor.Close()
	}
}

// TestBadFiles checks that files with wrong sizes are rejected before memory is allocated, and that
// damaged pages cause no panic.
func TestBadFiles(t *testing.T) {
	path := write(t, randomRows(100))
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	tail := len(whole) - 8
	claims := func(n uint32) []byte {
		b := slices.Clone(whole)
		binary.LittleEndian.PutUint32(b[tail:], n)
		return b
	}
	for name, c := range map[string]struct {
		content []byte
		want    string
	}{
		"short":       {[]byte("PAR1PAR1PAR"), "too short"},
		"cut":         {whole[:len(whole)-1], "does not end like a Parquet file"},
		"large claim": {claims(uint32(tail + 1)), fmt.Sprintf("the metadata claims %d bytes", tail+1)},
		"claim":       {claims(1 << 31), "the metadata claims 2147483648 bytes"},
	} {
		if err := os.WriteFile(path, c.content, 0o666); err != nil {
			t.Fatal(err)
		}
		if f, err := Open(path); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, %v; want %q", name, f, err, c.want)
		}
	}
	r := rand.New(rand.NewPCG(1, 9))
	for range 60 {
		damaged := bytes.Clone(whole)
		for range 4 {
			damaged[4+r.IntN(tail-4)] ^= 1 << r.IntN(8)
		}
		if err := os.WriteFile(path, damaged, 0o666); err != nil {
			t.Fatal(err)
		}
		f, err := Open(path)
		if err != nil {
			continue
		}
		for group := range f.Groups() {
			for _, c := range f.Columns() {
				cursor := f.Cursor(group, c, Texts)
				for more, err := cursor.Next(); more && err == nil; more, err = cursor.Next() {
				}
				cursor.Close()
			}
		}
		f.Close()
	}
}

func TestFixedNumbers(t *testing.T) {
	for _, c := range []struct {
		bytes []byte
		want  float64
	}{{nil, 0}, {[]byte{5}, 5}, {[]byte{0x80}, -128}, {[]byte{1, 0}, 256}, {[]byte{0xff, 0xff, 0xff}, -1}, {[]byte{9, 0, 0, 0, 0, 0, 0, 0, 7}, 7}, {[]byte{0, 0x80, 0, 0, 0, 0, 0, 0, 0}, -1 << 63}} {
		if got := fixed(c.bytes); got != c.want {
			t.Errorf("%x is %v, want %v", c.bytes, got, c.want)
		}
	}
}
