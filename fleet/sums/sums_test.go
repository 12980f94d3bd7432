package sums

import (
	"bytes"
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/internal/shorten"
)

// TestIntAddsAsBigIntsDo compares sums and products of any signs with math/big.
func TestIntAddsAsBigIntsDo(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var sum Int
	want := new(big.Int)
	for range shorten.Count(10_000) {
		x, y := int64(random.Uint64()), int64(random.Uint64())>>random.IntN(64)
		x >>= 8 // 10,000 products fit then
		sum.AddProduct(x, y)
		want.Add(want, new(big.Int).Mul(big.NewInt(x), big.NewInt(y)))
		sum.Add(y)
		want.Add(want, big.NewInt(y))
		var other Int
		other.Add(x)
		sum = sum.Minus(other)
		want.Sub(want, big.NewInt(x))
		sum.Plus(Of(y))
		want.Add(want, big.NewInt(y))
		if sum.String() != want.String() {
			t.Fatalf("%s, want %s", sum, want)
		}
	}
	got, err := parse(sum.String())
	if err != nil || got != sum {
		t.Errorf("%s is read back as %s: %v", sum, got, err)
	}
	exact, _ := new(big.Float).SetInt(want).Float64()
	if f := sum.Float(); f/exact < 1-1e-12 || f/exact > 1+1e-12 {
		t.Errorf("as a float %g, want %g", f, exact)
	}
}

// TestShardsAddUpToTheSameBytes adds the rows of shards in several orders.
func TestShardsAddUpToTheSameBytes(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	whole := New()
	shards := []*Table{New(), New(), New()}
	for range shorten.Count(500) {
		key := Key("app", string(rune('a'+random.IntN(20))))
		v := random.Int64() - random.Int64()
		whole.Row(key)[2].AddProduct(v, v)
		shards[random.IntN(3)].Row(key)[2].AddProduct(v, v)
	}
	want := written(t, whole)
	for _, order := range [][]int{{0, 1, 2}, {2, 1, 0}, {1, 2, 0}} {
		sum := New()
		for _, i := range order {
			if err := sum.Read(strings.NewReader(written(t, shards[i]))); err != nil {
				t.Fatal(err)
			}
		}
		if got := written(t, sum); got != want {
			t.Errorf("shards %v add up to\n%s, want\n%s", order, got, want)
		}
	}
}

// TestRows counts rows, and walks those whose keys have more parts after the first, in the order of
// their keys.
func TestRows(t *testing.T) {
	table := New()
	for _, app := range []string{"b", "a", "c\td"} {
		table.Add(Key("app", app), 1, 2)
	}
	table.Add(Key("app", "a"), 10, -5)
	table.Add(Key("apps", "a"), 7)
	table.Add("app", 3)
	if n := table.Len(); n != 5 {
		t.Errorf("%d rows, want 5", n)
	}
	got := ""
	table.Each("app", func(rest []string, r *Row) { got += fmt.Sprint(rest, r[0], r[1], ";") })
	if want := "[a] 11 -3;[b] 1 2;[c d] 1 2;"; got != want {
		t.Errorf("rows are %q, want %q", got, want)
	}
	table.Add(Key("cell", "a", "1", "2"), 4)
	table.Add(Key("cell", "ab", "3"), 5)
	for _, each := range []func(string, func([]string, *Row)){table.Each, table.EachUnsorted} {
		got = ""
		each(Key("cell", "a"), func(rest []string, r *Row) { got += fmt.Sprint(rest, r[0]) })
		if want := "[1 2] 4"; got != want {
			t.Errorf("rows are %q, want %q", got, want)
		}
	}
	if r := table.Get(Key("app", "none")); r != (Row{}) || table.Len() != 7 {
		t.Errorf("a row that is not there is %v", r)
	}
	// Merging is addition, whichever table is larger.
	for _, small := range []bool{false, true} {
		one, other := New(), New()
		one.Add(Key("app", "a"), 1)
		one.Add(Key("version", "1"), 1)
		for _, key := range []string{"a", "b", "c"} {
			other.Add(Key("app", key), 5)
		}
		if small {
			one, other = other, one
		}
		one.Merge(other)
		if a, c, v := one.Get(Key("app", "a")), one.Get(Key("app", "c")), one.Get(Key("version", "1")); a[0] != Of(6) || c[0] != Of(5) || v[0] != Of(1) || one.Len() != 4 {
			t.Errorf("merged tables have %v, %v, %v in %d rows", a, c, v, one.Len())
		}
	}
}

func written(t *testing.T, table *Table) string {
	t.Helper()
	var b bytes.Buffer
	if err := table.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func FuzzRead(f *testing.F) {
	f.Add("app\x1fa\t1\t2\t3\t4\t5\t6\t7\t8\n")
	f.Add("a\t1\n")
	f.Add("a\t170141183460469231731687303715884105728\t0\t0\t0\t0\t0\t0\t0\n")
	f.Fuzz(func(t *testing.T, s string) {
		table := New()
		if table.Read(strings.NewReader(s)) != nil {
			return
		}
		again := New()
		if err := again.Read(strings.NewReader(written(t, table))); err != nil {
			t.Fatal(err)
		}
		if written(t, again) != written(t, table) {
			t.Error("a table is not read as it was written")
		}
	})
}
