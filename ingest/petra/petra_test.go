package petra_test

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/ingest/formattest"
	"github.com/diffprof/diffprof/ingest/petra"
	"github.com/diffprof/diffprof/internal/syntax"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/trace/tracetest"
)

// A recording is a file in memory.
type recording string

func (r recording) Scan(ctx context.Context, sink trace.Sink) (*trace.Trace, error) {
	return petra.Decode(ctx, strings.NewReader(string(r)), sink)
}

// render formats a decoded file.
func render(text string) string {
	c := &tracetest.Collector{}
	t, err := recording(text).Scan(context.Background(), c)
	if err != nil {
		return "error: " + err.Error() + "\n"
	}
	var b strings.Builder
	for _, s := range c.Kept {
		for i, m := range s.Stack {
			if i > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(t.Methods[m].Label())
		}
		fmt.Fprintf(&b, ": %d, %d calls\n", s.Energy, s.Calls)
	}
	for _, m := range t.Methods {
		if m.File != "" {
			fmt.Fprintf(&b, "%s is in %s\n", m.Short(), m.File)
		}
	}
	for _, w := range t.Warnings {
		fmt.Fprintf(&b, "warning %s: %s\n", w.Code, w.Message)
	}
	return b.String()
}

const head = "signature, joule, seconds\n"

func TestDecode(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a run", head + "..com.mine.Feed.load (I)V\tFeed.java,0.000000010,1\n" +
			"...com.mine.Feed.read ()V\tFeed.java,0.000000004,1\n" +
			".....com.mine.Json$1.parse ()V\tJson.java,0.000000003,1\n" +
			"...com.mine.Feed.read ()V\tFeed.java,0.000000001,1\r\n" +
			"\n.com.mine.Main.onPause ()V,2e-9,1",
			`com.mine.Feed.load(I)V: 5, 1 calls
com.mine.Feed.load(I)V com.mine.Feed.read()V: 1, 1 calls
com.mine.Feed.load(I)V com.mine.Feed.read()V com.mine.Json$1.parse()V: 3, 1 calls
com.mine.Feed.load(I)V com.mine.Feed.read()V: 1, 1 calls
com.mine.Main.onPause()V: 2, 1 calls
Feed.load is in Feed.java
Feed.read is in Feed.java
Json$1.parse is in Json.java
`},
		// The 7 nJ are divided between two calls that state 5 nJ each. Each gets 3.5 nJ, and
		// rounding gives the first call 4 nJ.
		{"calls within state more", head + ".a.B.c ()V,0.000000007,1\n..a.B.d ()V,0.000000005,1\n..a.B.e ()V,0.000000005,1\n...a.B.f ()V,0.000000004,1\n",
			`a.B.c()V: 0, 1 calls
a.B.c()V a.B.d()V: 4, 1 calls
a.B.c()V a.B.e()V: 1, 1 calls
a.B.c()V a.B.e()V a.B.f()V: 2, 1 calls
warning excess-energy: 1 call states less energy than the calls within it; the energies of these calls were reduced in proportion
`},
		{"below zero", head + ".a.B.c ()V,-0.5,-1\n..a.B.d ()V,0.25,1\n.a.B.d ()V,-0,1\n",
			`a.B.c()V: 0, 1 calls
a.B.c()V a.B.d()V: 0, 1 calls
a.B.d()V: 0, 1 calls
warning excess-energy: 1 call states less energy than the calls within it; the energies of these calls were reduced in proportion
warning negative-energy: 1 call states a negative energy, which counts as 0
`},
		{"costs", "Signature,Joule\nFeed.load (I)V\tFeed.java,0.5\n.load ()V,0.000000001\n",
			`Feed.load(I)V: 500000000, 0 calls
load()V: 1, 0 calls
Feed.load is in Feed.java
warning overlapping-costs: each value is the average energy of a call of the method, including its callees: the values overlap, and their sum is not the energy of a run; compare with diffprof top, or read a result.csv
`},
		{"no head of its own", head, "error: energies of PETrA: the file has no calls\n"},
		{"no seconds", head + "a.B.c ()V\n", "error: line 2: energies of PETrA: not a line of PETrA: a method, joules and seconds, separated by commas\n"},
		{"no method", head + "..,1,1\n", "error: line 2: energies of PETrA: not a line of PETrA: a method, joules and seconds, separated by commas\n"},
		{"no number", head + "a.B.c ()V,much,1\n", "error: line 2: energies of PETrA: the energy \"much\" is not a decimal number\n"},
		{"too much", head + "a,9e9,1\nb,9e9,1\n", "error: line 3: energies of PETrA: the sum of the energies up to here is too large\n"},
		{"too much within", head + "a,1,1\n.b,9e9,1\n.b,9e9,1\n", "error: line 4: energies of PETrA: the sum of the energies up to here is too large\n"},
		{"too deep", head + strings.Repeat(".", 2000) + "a,1,1\n", "error: line 2: energies of PETrA: not a line of PETrA: a method, joules and seconds, separated by commas\n"},
		{"a long line", head + strings.Repeat("a", 1<<17) + ",1,1\n", "error: line 2: energies of PETrA: a line is longer than 65536 bytes\n"},
	} {
		if got := render(c.text); got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, got, c.want)
		}
		if !petra.Sniff([]byte(c.text)) {
			t.Errorf("%s: not known", c.name)
		}
	}
	if petra.Sniff([]byte("signature, joules\n")) {
		t.Error("another file is known")
	}
	if err := tracetest.CheckStops(recording(head + "a,1,1\n")); err != nil {
		t.Error(err)
	}
}

// TestShares compares the energies of calls in random runs with a computation in fractions. They
// differ by at most a nanojoule per level, and the sum is exact.
func TestShares(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		type node struct {
			depth  int
			stated int64
			inside []int
			exact  *big.Rat
		}
		var nodes []node
		var open []int
		var text strings.Builder
		text.WriteString(head)
		roots := int64(0)
		for i := range 1 + random.IntN(30) {
			depth := random.IntN(5)
			stated := random.Int64N(50)
			for len(open) > 0 && nodes[open[len(open)-1]].depth >= depth {
				open = open[:len(open)-1]
			}
			if len(open) > 0 {
				outer := &nodes[open[len(open)-1]]
				outer.inside = append(outer.inside, i)
			} else {
				roots += stated
			}
			open = append(open, i)
			n := node{depth: depth, stated: stated}
			if len(open) == 1 {
				n.exact = new(big.Rat).SetInt64(stated)
			}
			nodes = append(nodes, n)
			fmt.Fprintf(&text, "%sm%d,%de-9,0\n", strings.Repeat(".", depth), i, stated)
		}
		c := &tracetest.Collector{}
		if _, err := recording(text.String()).Scan(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		sum := int64(0)
		for i, s := range c.Kept {
			n := &nodes[i]
			own := new(big.Rat).Set(n.exact)
			inner := int64(0)
			for _, k := range n.inside {
				inner += nodes[k].stated
			}
			for _, k := range n.inside {
				nodes[k].exact = new(big.Rat).Mul(n.exact, big.NewRat(nodes[k].stated, max(1, n.stated, inner)))
				own.Sub(own, nodes[k].exact)
			}
			got := new(big.Rat).SetInt64(int64(s.Energy))
			if off, _ := got.Sub(got, own).Float64(); s.Energy < 0 || off > 6 || off < -6 {
				t.Fatalf("%s has %d nJ, want %s\n%s", fmt.Sprint("m", i), s.Energy, own.FloatString(2), text.String())
			}
			sum += int64(s.Energy)
		}
		if sum != roots {
			t.Fatalf("%d nJ of %d\n%s", sum, roots, text.String())
		}
	}
}

// TestTruncation truncates a run at every byte. The result is an error with a position, or a
// recording of the part before the truncation.
func TestTruncation(t *testing.T) {
	const text = head + "..com.mine.Feed.load (I)V\tFeed.java,0.25,0.31\n...com.mine.Feed.read ()V\tFeed.java,0.125,0.2\n"
	for n := range len(text) {
		_, err := recording(text[:n]).Scan(t.Context(), tracetest.Discard{})
		var located *syntax.Error
		if err != nil && !errors.As(err, &located) {
			t.Fatalf("cut at %d: %v", n, err)
		}
	}
}

// TestReal reads all runs of the real apps, if they are present, and compares their totals with
// the sums of their outermost lines.
func TestReal(t *testing.T) {
	const dir = "../../../shared/data/petra"
	if _, err := os.Stat(dir); err != nil {
		t.Skip("the real energies of ../shared/data/petra are not here")
	}
	runs, err := filepath.Glob(dir + "/*/run*/result.csv")
	if err != nil || len(runs) != 50 {
		t.Fatalf("%d runs, %v", len(runs), err)
	}
	all, err := filepath.Glob(dir + "/*/allRuns.csv")
	if err != nil || len(all) != 5 {
		t.Fatalf("%d apps, %v", len(all), err)
	}
	for _, path := range append(runs, all...) {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var want float64
		var depths []int
		calls := 0
		for _, line := range strings.Split(string(data), "\n")[1:] {
			if line == "" {
				continue
			}
			calls++
			depth := len(line) - len(strings.TrimLeft(line, "."))
			for len(depths) > 0 && depths[len(depths)-1] >= depth {
				depths = depths[:len(depths)-1]
			}
			fields := strings.Split(line, ",")
			var joules float64
			if _, err := fmt.Sscan(fields[1], &joules); err != nil {
				t.Fatal(err)
			}
			if len(depths) == 0 {
				want += max(0, joules)
			}
			depths = append(depths, depth)
		}
		c := &tracetest.Collector{}
		tr, err := recording(data).Scan(t.Context(), c)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		var got float64
		for _, s := range c.Kept {
			got += float64(s.Energy) / 1e9
		}
		if got < want-1e-6 || got > want+1e-6 || tr.Events != int64(calls) {
			t.Errorf("%s: %.6f J in %d calls, want %.6f J in %d", path, got, tr.Events, want, calls)
		}
		if err := tracetest.Check(t.Context(), recording(data)); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(head + ".a.B.c ()V,0.000000007,1\n..a.B.d ()V\tB.java,5e-9,1\n..a.B.e ()V,0.000000005,1\n")
	f.Add("Signature,Joule\nFeed.load (I)V\tFeed.java,0.5\n")
	f.Add(head + "a,-1,1\n.b,9e9,\n")
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := recording(text).Scan(t.Context(), tracetest.Discard{}); err != nil {
			return
		}
		if err := tracetest.Check(t.Context(), recording(text)); err != nil {
			t.Error(err)
		}
	})
}

func TestOpens(t *testing.T) {
	formattest.Opens(t, petra.Format, []byte(head+"..com.mine.Feed.load (I)V\tFeed.java,0.000000010,1\n"))
}
