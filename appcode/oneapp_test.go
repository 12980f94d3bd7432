package appcode_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/appcode"
	"github.com/diffprof/diffprof/cct"
)

// TestBasis checks which names and shapes show that two runs belong to one app.
func TestBasis(t *testing.T) {
	// An app of twelve methods, each with calls of its own.
	build := func(pkg string, names ...string) string {
		var b strings.Builder
		for i := range 12 {
			fmt.Fprintf(&b, "android.view.View.performClick()Z;%s.%s.onClick()V;%s.%s.%s(I)V;android.widget.W%d.set()V %d\n",
				pkg, names[0], pkg, names[i%len(names)], "abcdefghijklmn"[i:i+1], i, 10+i)
		}
		return b.String()
	}
	mine := build("com.mine.shop", "Main", "Cart", "Items")
	for called, c := range map[string]struct {
		subject, reference string
		want               appcode.Basis
	}{
		"classes":                           {mine, build("com.mine.shop", "Main", "Basket", "Things"), appcode.Classes},
		"a package":                         {click + " 1\n", "android.view.View.performClick()Z;com.mine.Other.onClick()V 2\n", appcode.NoBasis},
		"programs of one organisation":      {"com.mine.test.Basic.foo()V;com.mine.test.Basic.bar()V 1\n", "com.mine.test.Exceptions.foo()V;com.mine.test.Exceptions.bar()V;com.mine.test.Exceptions.baz()V 1\n", appcode.NoBasis},
		"packages":                          {"com.mine.Main.onClick()V;com.mine.shop.Cart.add()V 1\n", "com.mine.Other.onClick()V;com.mine.shop.List.show()V 1\n", appcode.Packages},
		"packages, many methods":            {build("com.mine.shop", "Main"), build("com.mine.shop", "Basket"), appcode.Packages},
		"packages that a template gives":    {build("com.example.myapp", "Main")[:80] + "; 1\n", "android.view.View.performClick()Z;com.example.myapp.Basket.onClick()V 2\n", appcode.NoBasis},
		"another package, the same shape":   {mine, build("org.theirs", "Main", "Cart", "Items"), appcode.Shape},
		"an obfuscator's names":             {mine, build("a.b", "c", "d", "e"), appcode.Shape},
		"another app":                       {mine, strings.ReplaceAll(build("org.theirs", "Page", "List"), "android.widget", "android.app"), appcode.NoBasis},
		"a program":                         {"main;parse;tokenize 5\nmain;parse;ast 2\n", "main;parse;tokenize 9\nmain;render 3\n", appcode.Functions},
		"another program":                   {"main;parse;tokenize 5\nmain;parse;ast 2\n", "main;load;crop 9\nmain;run;parse 3\nmain;init 1\n", appcode.NoBasis},
		"a module":                          {"indexer`main;indexer`hash 5\n", "indexer`main;indexer`hash 7\nindexer`main;indexer`sort_them 7\nindexer`main;indexer`usage 1\n", appcode.Binary},
		"another module":                    {"indexer`main;indexer`hash 5\n", "search`main;search`hash 5\n", appcode.NoBasis},
		"a module under another name":       {"indexer`main;indexer`hash;indexer`cmp;indexer`walk 5\n", "indexer2`main;indexer2`hash;indexer2`cmp;indexer2`walk 5\n", appcode.Functions},
		"a module without symbols":          {"/app/indexer`0x1139;/app/indexer`0x1140 5\n", "/app/indexer`0x2207 5\n", appcode.Binary},
		"modules of any name, no symbols":   {"/app/a.out`0x1139 5\n", "/app/a.out`0x2207 5\n", appcode.NoBasis},
		"one build of any name, no symbols": {"/app/a.out`0x1139;/app/a.out`0x1140;/app/a.out`0x1160 5\n", "/app/a.out`0x1139;/app/a.out`0x1140;/app/a.out`0x1160 4\n/app/a.out`0x1188 1\n", appcode.Binary},
		"a script":                          {"main (/app/shop.py:1);total (/app/shop.py:7) 5\n", "main (/app/shop.py:1);total (/app/shop.py:9);vat (/app/shop.py:20) 5\n", appcode.Binary},
		"Go":                                {"main.main;main.tokenize 5\n", "main.main;main.tokenize 7\nmain.main;main.parse 1\n", appcode.NoBasis},
		"Go, in packages":                   {"main.main;github.com/mine/shop/cart.Add 5\n", "main.main;github.com/mine/shop/cart.Add 7\n", appcode.Binary},
		"classes without package, any name": {"Main.main([Ljava/lang/String;)V;java.lang.String.length()I 5\n", "Main.main([Ljava/lang/String;)V;java.lang.Math.abs(I)I 5\n", appcode.NoBasis},
	} {
		t.Run(called, func(t *testing.T) {
			r := compare(t, c.subject, c.reference)
			if got := r.AppCode; got.By != c.want || got.OneApp != (c.want != appcode.NoBasis) {
				t.Errorf("one app %v by %q, want %q; rows\n%s", got.OneApp, got.By, c.want, rows(got))
			}
			conserves(t, r)
			mirrors(t, r, compare(t, c.reference, c.subject))
		})
	}
}

// mirrors checks that swapped runs have the same pairs and the same evidence.
func mirrors(t *testing.T, r, swapped *analysis.Result) {
	t.Helper()
	a, b := r.AppCode, swapped.AppCode
	if a.By != b.By || a.OneApp != b.OneApp {
		t.Errorf("one app by %q, and swapped by %q", a.By, b.By)
	}
	pairs := func(c *appcode.Comparison, swap bool) map[string]int {
		found := make(map[string]int)
		for _, row := range c.Rows {
			if row.Peer == nil || row.Energy == 0 || row.Peer.Energy == 0 {
				continue
			}
			one, other := fmt.Sprint(row.Method.Label(), " ", row.Energy), fmt.Sprint(row.Peer.Method.Label(), " ", row.Peer.Energy)
			if swap {
				one, other = other, one
			}
			found[one+" = "+other+" "+row.Match.String()]++
		}
		return found
	}
	here, there := pairs(a, false), pairs(b, true)
	for pair, n := range here {
		if there[pair] != n {
			t.Errorf("%s: %d times, and %d with the runs swapped", pair, n, there[pair])
		}
	}
	if len(here) != len(there) {
		t.Errorf("%d pairs, and %d with the runs swapped", len(here), len(there))
	}
}

// TestNativeFunctions checks that own code without classes is compared function by function.
func TestNativeFunctions(t *testing.T) {
	r := compare(t, "indexer`main;indexer`hash 300\nindexer`main;indexer`ix 5\nindexer`main;libc.so.6`qsort;indexer`cmp 4\n",
		"indexer`main;indexer`hash 10\nindexer`main;indexer`ix 6\nindexer`main;libc.so.6`qsort;indexer`cmp 5\n")
	want := "hash 300 own 300, exact hash 10, saves 290\ncmp 4 own 0, exact cmp 5, saves -1\nix 5 own 5, exact ix 6, saves -1\n"
	if got := rows(r.AppCode); got != want && !strings.HasPrefix(got, "hash 300 own 300, exact hash 10, saves 290\n") || len(r.AppCode.Rows) != 3 {
		t.Errorf("rows\n%swant\n%s", got, want)
	}
	conserves(t, r)
}

// TestStrippedModule checks that code without symbols is one row per module, because its addresses
// differ between runs.
func TestStrippedModule(t *testing.T) {
	r := compare(t, "/app/indexer`0x1139;/app/indexer`0x1140 50\n/app/indexer`0x1139 7\n", "/app/indexer`0x2207 5\n/app/indexer`[unknown] 3\n")
	if got, want := rows(r.AppCode), "indexer 57 own 57, exact indexer 8, saves 49\n"; got != want {
		t.Errorf("rows\n%swant\n%s", got, want)
	}
	conserves(t, r)
}

// TestVersionsOfAnObfuscator checks that classes named by an obfuscator are different classes in
// two builds. If the shape contradicts their names, the shape decides.
func TestVersionsOfAnObfuscator(t *testing.T) {
	stacks := func(classes ...string) string {
		var b strings.Builder
		for i, class := range classes {
			fmt.Fprintf(&b, "android.view.View.performClick()Z;com.mine.shop.Main.onClick()V;a.%s.a(I)V;android.widget.W%d.set()V 1\n", class, i)
			fmt.Fprintf(&b, "android.view.View.performClick()Z;com.mine.shop.Main.onClick()V;a.%s.a(I)V %d\n", class, 10*(i+1))
		}
		return b.String()
	}
	same := compare(t, stacks("a", "b", "c"), stacks("a", "b", "c"))
	other := compare(t, stacks("a", "b", "c"), stacks("b", "c", "a"))
	for called, r := range map[string]*analysis.Result{"one build": same, "two builds": other} {
		if r.AppCode.By != appcode.Classes {
			t.Errorf("%s: one app by %q", called, r.AppCode.By)
		}
		for _, row := range r.AppCode.Rows {
			if row.Saving != 0 || row.Peer == nil {
				t.Errorf("%s: %s saves %d", called, row.Method.Label(), row.Saving)
			}
		}
		conserves(t, r)
	}
	mirrors(t, other, compare(t, stacks("b", "c", "a"), stacks("a", "b", "c")))
}

// TestRealBasis checks the decision for real recordings of known apps. It compares the pairs of one
// app, and a quarter of the pairs of different apps, in both orders, and all other pairs in one
// order. With -short, it compares an eighth of the pairs of different apps.
func TestRealBasis(t *testing.T) {
	// The files of a group are recordings of one app. Two groups are two apps.
	groups := [][]string{
		{"jfr/cortex-kafka-cpu-0.jfr.gz", "jfr/cortex-kafka-cpu-1.jfr.gz", "pprof/pyroscope-kafka-cpu-2.pb.gz"},
		{"jfr/speedscope-heavy.jfr"}, {"jfr/pyroscope-dump1.jfr.gz"},
		{"time/gjfr-event-with-type-zero.jfr.gz"}, {"time/gjfr-FastSlow_2024_01_16_180855.jfr.gz"},
		{"time/aa1.cpuprofile", "time/aa2.cpuprofile"}, {"chrome/speedscope-sucrase.cpuprofile"},
		{"pprof/pyroscope-dotnet-pprof-3.pb.gz", "pprof/pyroscope-dotnet-pprof-73.pb.gz"},
		{"pprof/pyroscope-cpu-js.pb.gz", "pprof/pyroscope-nodejs-wall.pb.gz"},
		{"time/pgo-asg0451+1brc-go.pprof"}, {"time/pgo-boyter+cs.pprof"}, {"pprof/pyroscope-heap.pb.gz"},
		{"simpleperf/aosp-aggregatable_perf1.data", "simpleperf/aosp-aggregatable_perf2.data"},
		{"simpleperf/aosp-perf_display_bitmaps.data", "simpleperf/aosp-perf_display_bitmaps.UiThread.perf-script"},
		{"judgement/native/slow.script", "judgement/native/fast.script"}, {"judgement/bare/slow.folded", "judgement/bare/fast.folded"},
		{"judgement/renamed/aperf-r.trace", "judgement/renamed/aperf-s.trace"},
		{"linux-perf/speedscope-rust-mangled.txt"}, {"folded/flamegraph-perf-rust-Yamakaky-dcpu-collapsed-all.txt"}, {"art/launcher-app.trace"},
	}
	if files, _ := filepath.Glob("../../shared/data/art/*"); len(files) == 0 {
		t.Skip("there are no real recordings")
	}
	type file struct {
		path  string
		group int
		tree  *cct.Tree
	}
	var files []file
	for i, group := range groups {
		for _, path := range group {
			in, err := analysis.Read(t.Context(), analysis.Options{Subject: analysis.Side{Path: "../../shared/data/" + path}})
			if err != nil {
				t.Errorf("%s: %v", path, err)
				continue
			}
			files = append(files, file{path, i, in.Tree.Source})
		}
	}
	for i, s := range files {
		for k, r := range files[i+1:] {
			if testing.Short() && s.group != r.group && (i+k)%8 != 0 {
				continue
			}
			orders := [][2]*cct.Tree{{s.tree, r.tree}, {r.tree, s.tree}}
			if s.group != r.group && (i+k)%4 != 0 {
				orders = orders[(i+k)%2:][:1]
			}
			results := make([]*analysis.Result, len(orders))
			for k, trees := range orders {
				var err error
				if results[k], err = analysis.Trees(t.Context(), trees[0], trees[1], analysis.Options{}); err != nil {
					t.Fatal(err)
				}
				conserves(t, results[k])
			}
			if got := results[0].AppCode; got.OneApp != (s.group == r.group) {
				t.Errorf("%s and %s: one app %v by %q", s.path, r.path, got.OneApp, got.By)
			}
			if len(results) == 2 {
				mirrors(t, results[0], results[1])
			}
		}
	}
}
