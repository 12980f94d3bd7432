package classes

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
)

func builtInTable(t testing.TB) *Table {
	t.Helper()
	table, err := BuiltIn()
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func TestBuiltInPackages(t *testing.T) {
	table := builtInTable(t)
	for pkg, want := range map[string]bool{
		"android.view": true, "com.android.internal.os": true, "com.android.dex": true, "java.util.concurrent": true, "org.json": true, "javax.swing": true,
		"android.support.v4.app": false, "androidx.core.app": false, "kotlin": false, "com.android.launcher3": false, "java": false, "java.future": false, "": false,
	} {
		if table.Lists(pkg) != want {
			t.Errorf("Lists(%q) = %v", pkg, !want)
		}
	}
}

// TestNamesByIndex reads names of a table by index. An index out of range has no name.
func TestNamesByIndex(t *testing.T) {
	d := &builtInTable(t).names
	for i := range d.count {
		name, ok := d.at(i)
		if entry, found := d.find(name); !ok || !found || entry.index != i {
			t.Fatalf("index %d has the name %q, which has the index %d", i, name, entry.index)
		}
	}
	for _, i := range []int{-1, d.count, d.count + 1} {
		if name, ok := d.at(i); ok {
			t.Errorf("index %d has the name %q", i, name)
		}
	}
}

func TestBuiltInHierarchy(t *testing.T) {
	table := builtInTable(t)
	for _, pair := range [][2]string{
		{"android.widget.TextView", "android.view.View"},
		{"android.widget.Button", "android.view.View"},
		{"android.widget.TextView", "android.view.ViewTreeObserver$OnPreDrawListener"},
		{"com.android.okhttp.internal.huc.HttpsURLConnectionImpl", "java.net.HttpURLConnection"},
		{"com.android.okhttp.internal.huc.HttpsURLConnectionImpl", "java.net.URLConnection"},
		{"java.util.ArrayList", "java.util.List"},
		{"java.util.ArrayList", "java.util.Collection"},
		{"java.util.ArrayList", "java.lang.Iterable"},
		{"android.app.Activity", "android.content.Context"},
		{"android.app.ActivityThread$H", "android.os.Handler"},
		{"android.app.IntentService", "android.app.Service"},
		{"java.io.FileInputStream", "java.io.InputStream"},
		{"android.os.BinderProxy", "android.os.IBinder"},
		{"com.android.internal.policy.DecorView", "android.widget.FrameLayout"}, // only in newer versions of Android
		{"java.lang.String", "java.lang.Object"},
	} {
		if !table.Subtype(pair[0], pair[1]) || table.Subtype(pair[1], pair[0]) {
			t.Errorf("Subtype(%s, %s) = false, or true in reverse", pair[0], pair[1])
		}
		if !table.Related(pair[0], pair[1]) || !table.Related(pair[1], pair[0]) {
			t.Errorf("Related(%s, %s) = false", pair[0], pair[1])
		}
	}
	for _, pair := range [][2]string{
		{"android.widget.Button", "android.widget.ImageView"}, // Siblings.
		{"java.util.ArrayList", "java.util.LinkedList"},
		{"android.view.View", "android.view.View"},
		{"", "java.lang.Object"},
		{"java.util.ArrayList", ""},
		{"com.example.Main", "android.app.Activity"},
	} {
		if table.Related(pair[0], pair[1]) {
			t.Errorf("Related(%s, %s) = true", pair[0], pair[1])
		}
	}
}

func TestBuiltInVersions(t *testing.T) {
	got := builtInTable(t).Versions()
	if len(got) < 3 || !strings.HasPrefix(got[0], "android-all 6.0.1") || !strings.HasPrefix(got[len(got)-1], "jdk ") {
		t.Errorf("Versions() = %q", got)
	}
	if len(tableFile) > 1_500_000 {
		t.Errorf("the table has grown to %d bytes", len(tableFile))
	}
}

func TestWithAddsAndLeavesTheReceiver(t *testing.T) {
	base := builtInTable(t)
	app := base.With(sampleActivity, sampleNested, Class{Name: "java.util.ArrayList", Super: "com.vendor.List"})
	again := app.With(Class{Name: "com.example.Sub", Super: "com.example.Main"}, Class{Name: "com.example.Main", Super: "com.example.Other"})
	if !again.Subtype("com.example.Sub", "android.content.Context") || !again.Subtype("com.example.Main", "com.example.Other") {
		t.Error("a class added later does not reach the framework")
	}
	if !app.Subtype("java.util.ArrayList", "com.vendor.List") || !app.Subtype("java.util.ArrayList", "java.util.List") {
		t.Error("a class both know has not the supertypes of both")
	}
	if base.Subtype("com.example.Main", "android.app.Activity") || app.Subtype("com.example.Main", "com.example.Other") {
		t.Error("With changed its receiver")
	}
	if app.Lists("com.example") {
		t.Error("With added a package")
	}
	var zero Table
	if zero.Related("a.B", "a.C") || !zero.With(Class{Name: "a.B", Super: "a.C"}).Related("a.C", "a.B") || zero.Versions() != nil {
		t.Error("the zero Table does not work")
	}
}

func TestCyclesEnd(t *testing.T) {
	cycle := make([]Class, 100)
	for i := range cycle {
		cycle[i] = Class{Name: fmt.Sprint("c.", i), Super: fmt.Sprint("c.", (i+1)%100), Interfaces: []string{fmt.Sprint("c.", i)}}
	}
	table := new(Table).With(cycle...)
	if !table.Subtype("c.3", "c.2") || table.Subtype("c.3", "c.3") || table.Subtype("c.3", "d.D") {
		t.Error("wrong answers on a cycle")
	}
	decoded, err := decode(Encode(nil, nil, cycle))
	if err != nil || !decoded.Subtype("c.99", "c.0") || decoded.Subtype("c.3", "d.D") {
		t.Errorf("wrong answers on an encoded cycle (%v)", err)
	}
}

// closure is the oracle. It uses Warshall's algorithm on the whole graph.
func closure(classes []Class) map[[2]string]bool {
	var names []string
	above := make(map[[2]string]bool)
	for _, c := range classes {
		for _, parent := range append(slices.Clone(c.Interfaces), c.Super) {
			if parent != "" {
				above[[2]string{c.Name, parent}] = true
				names = append(names, c.Name, parent)
			}
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	for _, k := range names {
		for _, i := range names {
			for _, j := range names {
				if above[[2]string{i, k}] && above[[2]string{k, j}] {
					above[[2]string{i, j}] = true
				}
			}
		}
	}
	return above
}

func TestRelatedAgreesWithTheClosure(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 1))
		n := 2 + r.IntN(45)
		name := func() string { return fmt.Sprintf("p%d.C%d", r.IntN(3), r.IntN(n)) }
		classes := make([]Class, n)
		for i := range classes {
			classes[i].Name = name()
			if r.IntN(3) > 0 {
				classes[i].Super = name()
			}
			for range r.IntN(3) {
				classes[i].Interfaces = append(classes[i].Interfaces, name())
			}
		}
		cut := r.IntN(n + 1)
		table, err := decode(Encode([]string{"v"}, nil, classes[:cut]))
		if err != nil {
			t.Fatal(err)
		}
		table = table.With(classes[cut:]...)
		above := closure(classes)
		for range 400 {
			a, b := name(), name()
			want := a != b && above[[2]string{a, b}]
			if got := table.Subtype(a, b); got != want {
				t.Fatalf("seed %d: Subtype(%s, %s) = %v, want %v", seed, a, b, got, want)
			}
			want = a != b && (above[[2]string{a, b}] || above[[2]string{b, a}])
			if got := table.Related(a, b); got != want {
				t.Fatalf("seed %d: Related(%s, %s) = %v, want %v", seed, a, b, got, want)
			}
		}
	}
}

func TestEncodeFindsEveryNameAndOnlyThose(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	want := make(map[string]bool)
	for range 1000 {
		want[fmt.Sprintf("a%d.b%d", r.IntN(40), r.IntN(1000))] = true
	}
	var names []string
	for name := range want {
		names = append(names, name)
	}
	file := Encode([]string{"one", "two"}, append(names, names...), nil)
	slices.Sort(names)
	if !bytes.Equal(file, Encode([]string{"one", "two"}, names, nil)) {
		t.Error("the order of the input changes the bytes")
	}
	table, err := decode(file)
	if err != nil || !slices.Equal(table.Versions(), []string{"one", "two"}) {
		t.Fatalf("decode: %v, %v", table.Versions(), err)
	}
	for a := range 41 {
		for b := range 1000 {
			name := fmt.Sprintf("a%d.b%d", a, b)
			if got := table.Lists(name); got != want[name] {
				t.Fatalf("Lists(%q) = %v", name, got)
			}
		}
	}
	for i, name := range names {
		if got, ok := table.packages.at(i); !ok || got != name {
			t.Fatalf("at(%d) = %q, want %q", i, got, name)
		}
	}
	for n := range len(file) {
		if _, err := decode(file[:n]); err == nil {
			t.Fatalf("a table cut at %d is accepted", n)
		}
	}
}

func TestQueriesRunSideBySide(t *testing.T) {
	table := builtInTable(t)
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			for range 200 {
				if !table.With(sampleActivity).Related("android.content.Context", "com.example.Main") || !table.Lists("android.app") {
					t.Error("wrong answer")
				}
			}
		})
	}
	wait.Wait()
}

func ExampleTable() {
	table, err := BuiltIn()
	if err != nil {
		fmt.Println(err)
		return
	}
	app := table.With(Class{Name: "com.example.BigButton", Super: "android.widget.Button"})
	fmt.Println(app.Lists("android.widget"), app.Lists("androidx.appcompat.widget"))
	fmt.Println(app.Subtype("com.example.BigButton", "android.view.View"))
	// Output:
	// true false
	// true
}

func BenchmarkDecode(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := decode(tableFile); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRelated(b *testing.B) {
	table := builtInTable(b)
	b.ReportAllocs()
	for b.Loop() {
		table.Related("android.widget.Button", "android.widget.ImageView")
	}
}

func BenchmarkLists(b *testing.B) {
	table := builtInTable(b)
	b.ReportAllocs()
	for b.Loop() {
		table.Lists("android.view.accessibility")
		table.Lists("com.example.app.ui")
	}
}
