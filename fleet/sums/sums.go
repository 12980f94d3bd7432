// Package sums adds up whole numbers by key. Shards can be added in any order, and give the sums of
// the whole. (Carat, SenSys 2013, §3.3.1: the statistics of a fleet have the feature as key, and
// are reduced by addition.)
//
// The following laws hold. Addition uses 128 bits and is exact. Equal sums give equal bytes,
// because a Table is written in the order of its keys. A Table is not safe for concurrent use.
package sums

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"math"
	"math/big"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/diffprof/diffprof/internal/syntax"
)

// An Int is a whole number of 128 bits. The zero Int is 0. If a sum does not fit, it wraps around.
// All sums of this module are far below 2¹²⁷.
type Int struct {
	high int64
	low  uint64
}

// Add adds a number.
func (i *Int) Add(x int64) {
	var carry uint64
	i.low, carry = bits.Add64(i.low, uint64(x), 0)
	i.high += x>>63 + int64(carry)
}

// AddProduct adds the product of two numbers.
func (i *Int) AddProduct(x, y int64) {
	high, low := bits.Mul64(uint64(x), uint64(y))
	// This corrects the product of the unsigned values for the signs.
	signed := int64(high) - (x>>63)&y - (y>>63)&x
	var carry uint64
	i.low, carry = bits.Add64(i.low, low, 0)
	i.high += signed + int64(carry)
}

// Plus adds a sum.
func (i *Int) Plus(x Int) {
	var carry uint64
	i.low, carry = bits.Add64(i.low, x.low, 0)
	i.high += x.high + int64(carry)
}

// Minus returns the difference of two sums.
func (i Int) Minus(x Int) Int {
	low, borrow := bits.Sub64(i.low, x.low, 0)
	return Int{high: i.high - x.high - int64(borrow), low: low}
}

// Of returns a number as an Int.
func Of(x int64) Int { return Int{high: x >> 63, low: uint64(x)} }

// Low returns the lowest n bits: the sum modulo 2ⁿ. n is at most 63.
func (i Int) Low(n int) int64 { return int64(i.low & (1<<n - 1)) }

// Shifted returns the sum without its lowest n bits: divided by 2ⁿ and rounded down. n is at most
// 63.
func (i Int) Shifted(n int) Int {
	return Int{high: i.high >> n, low: i.low>>n | uint64(i.high)<<(64-n)}
}

// Float returns the nearest floating point number.
func (i Int) Float() float64 {
	if i.high < 0 {
		return -Int{}.Minus(i).Float()
	}
	return math.Ldexp(float64(i.high), 64) + float64(i.low)
}

// Int64 returns the sum as 64 bits. If it does not fit, it returns the nearest 64-bit number.
func (i Int) Int64() int64 {
	switch {
	case i.high == int64(i.low)>>63:
		return int64(i.low)
	case i.high < 0:
		return math.MinInt64
	}
	return math.MaxInt64
}

// String returns the sum as a decimal number.
func (i Int) String() string { return string(i.append(nil)) }

// append appends the sum as a decimal number.
func (i Int) append(to []byte) []byte {
	if i.high == int64(i.low)>>63 {
		return strconv.AppendInt(to, int64(i.low), 10)
	}
	b := new(big.Int).Lsh(big.NewInt(i.high), 64)
	return b.Add(b, new(big.Int).SetUint64(i.low)).Append(to, 10)
}

// parse reads a sum from a decimal number.
func parse(s string) (Int, error) {
	if x, err := strconv.ParseInt(s, 10, 64); err == nil {
		return Of(x), nil
	}
	b, ok := new(big.Int).SetString(s, 10)
	if !ok || b.BitLen() > 127 {
		return Int{}, fmt.Errorf("%q is not a 128-bit integer", s)
	}
	low := new(big.Int).And(b, new(big.Int).SetUint64(math.MaxUint64))
	return Int{high: new(big.Int).Rsh(b, 64).Int64(), low: low.Uint64()}, nil
}

// Width is the number of sums of a row.
const Width = 8

// A Row has the sums of one key.
type Row [Width]Int

// A Table has rows by key. The zero Table is not usable. New creates a Table.
type Table struct{ kinds map[string]map[string]*Row } // kinds maps the first part of a key to the rows, by whole key.

// New returns an empty table.
func New() *Table { return &Table{kinds: map[string]map[string]*Row{}} }

// Key joins parts to a key. A part must not contain a tab or a line break.
func Key(parts ...string) string {
	for _, p := range parts {
		if strings.ContainsAny(p, "\t\n\r\x1f") {
			clean := make([]string, len(parts))
			for i, p := range parts {
				clean[i] = strings.Map(func(r rune) rune {
					if strings.ContainsRune("\t\n\r\x1f", r) {
						return ' '
					}
					return r
				}, p)
			}
			return strings.Join(clean, "\x1f")
		}
	}
	return strings.Join(parts, "\x1f")
}

// Parts returns the parts of a key.
func Parts(key string) []string { return strings.Split(key, "\x1f") }

// kind returns the first part of a key.
func kind(key string) string {
	first, _, _ := strings.Cut(key, "\x1f")
	return first
}

// Row returns the row of a key. It creates the row if necessary.
func (t *Table) Row(key string) *Row {
	rows := t.kinds[kind(key)]
	if rows == nil {
		rows = map[string]*Row{}
		t.kinds[strings.Clone(kind(key))] = rows
	}
	r := rows[key]
	if r == nil {
		r = &Row{}
		rows[key] = r
	}
	return r
}

// Get returns the row of a key. If the key has no row, the result has only zeros.
func (t *Table) Get(key string) Row {
	if r := t.kinds[kind(key)][key]; r != nil {
		return *r
	}
	return Row{}
}

// Add adds numbers to the row of a key.
func (t *Table) Add(key string, values ...int64) {
	r := t.Row(key)
	for i, v := range values {
		r[i].Add(v)
	}
}

// Merge adds the rows of another table. That table must not be used afterwards.
func (t *Table) Merge(other *Table) {
	for kind, from := range other.kinds {
		to := t.kinds[kind]
		if len(to) < len(from) {
			to, from = from, to
			t.kinds[kind] = to
		}
		for key, row := range from {
			sum := to[key]
			if sum == nil {
				to[key] = row
				continue
			}
			for i := range sum {
				sum[i].Plus(row[i])
			}
		}
	}
}

// Len returns the number of rows.
func (t *Table) Len() int {
	n := 0
	for _, rows := range t.kinds {
		n += len(rows)
	}
	return n
}

// Each calls f for each row whose key begins with the parts in first (a Key). Rows are sorted by
// key. rest has the remaining parts.
func (t *Table) Each(first string, f func(rest []string, r *Row)) {
	prefix := first + "\x1f"
	for _, r := range t.sorted(kind(first), prefix) {
		f(Parts(r.key[len(prefix):]), r.row)
	}
}

// A keyedRow is a row with its key.
type keyedRow struct {
	key string
	row *Row
}

// sorted returns the rows of a kind whose keys have a prefix, in the order of their keys.
func (t *Table) sorted(kind, prefix string) []keyedRow {
	rows := make([]keyedRow, 0, len(t.kinds[kind]))
	for key, row := range t.kinds[kind] {
		if strings.HasPrefix(key, prefix) {
			rows = append(rows, keyedRow{key, row})
		}
	}
	slices.SortFunc(rows, func(a, b keyedRow) int { return strings.Compare(a.key, b.key) })
	return rows
}

// EachUnsorted is like Each, in any order. It is faster.
func (t *Table) EachUnsorted(first string, f func(rest []string, r *Row)) {
	prefix := first + "\x1f"
	for key, row := range t.kinds[kind(first)] {
		if strings.HasPrefix(key, prefix) {
			f(Parts(key[len(prefix):]), row)
		}
	}
}

// Take removes the rows that Each would visit, and then calls f for them.
func (t *Table) Take(first string, f func(rest []string, r *Row)) {
	taken := Table{kinds: map[string]map[string]*Row{first: t.kinds[first]}}
	delete(t.kinds, first)
	taken.Each(first, f)
}

// Write writes one line per row: the key and its sums, separated by tabs. Rows of zeros are left
// out, because they mean the same as missing rows.
func (t *Table) Write(w io.Writer) error {
	b := bufio.NewWriter(w)
	var line []byte
	for _, kind := range slices.Sorted(maps.Keys(t.kinds)) {
		for _, r := range t.sorted(kind, "") {
			if *r.row != (Row{}) {
				line = Append(line[:0], r.key, r.row)
				_, _ = b.Write(line) // Flush returns the error.
			}
		}
	}
	return b.Flush()
}

// maxLine is the maximum length of a line.
const maxLine = 1 << 20

// Read adds rows that Write wrote, or that a cluster added up. The rows may be in any order.
func (t *Table) Read(r io.Reader) error {
	return ReadRows(r, func(key string, row *Row) error {
		t.AddRow(key, row)
		return nil
	})
}

// AddRow adds a row. The table keeps a copy of the key.
func (t *Table) AddRow(key string, row *Row) {
	to := t.kinds[kind(key)][key]
	if to == nil {
		to = t.Row(strings.Clone(key))
	}
	for i := range to {
		to[i].Plus(row[i])
	}
}

// Count returns the number of rows whose key has the given first part.
func (t *Table) Count(first string) int { return len(t.kinds[first]) }

// Append appends the line of a row, as Write writes it.
func Append(b []byte, key string, row *Row) []byte {
	b = append(b, key...)
	for _, v := range row {
		b = v.append(append(b, '\t'))
	}
	return append(b, '\n')
}

// ReadRows calls f for each row that Write wrote. The key and the row are valid until f returns.
func ReadRows(r io.Reader, f func(key string, row *Row) error) error {
	scanner := bufio.NewScanner(r)
	scanner.Buffer(make([]byte, 0, 64<<10), maxLine)
	line := 0
	for scanner.Scan() {
		line++
		if scanner.Text() == "" {
			continue
		}
		fields := strings.Split(scanner.Text(), "\t")
		if len(fields) != Width+1 {
			return fault(line, fmt.Errorf("%d columns instead of %d", len(fields), Width+1))
		}
		var row Row
		for i, f := range fields[1:] {
			v, err := parse(f)
			if err != nil {
				return fault(line, err)
			}
			row[i] = v
		}
		if err := f(fields[0], &row); err != nil {
			return err
		}
	}
	if err := scanner.Err(); err != nil {
		return fault(line+1, err)
	}
	return nil
}

// fault returns an error at a line.
func fault(line int, err error) error {
	return &syntax.Error{Line: line, Offset: -1, Format: "sums of a fleet", Err: err, Hint: "the file may be cut: make it again"}
}
