package finding_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/units"
)

// TestExtractedCode checks that code which moved between methods of the app is no saving, because
// developers extract, inline and rename methods. New code still counts, and so does what moved code
// costs more than before.
func TestExtractedCode(t *testing.T) {
	const click = "android.os.Looper.loop()V;com.app.Main.onClick()V;com.app.Feed.load()V"
	const rest = "android.os.Looper.loop()V;com.app.Main.onMenu()V;android.view.View.draw()V 70000003\n" +
		"android.os.Looper.loop()V;com.app.Main.onMenu()V;com.app.Menu.show()V 30000001\n"
	const whole = click + " 50000003\n" + click + ";java.io.File.list()V 20000001\n"
	const parse, sort = click + ";com.app.Feed.parse()V", click + ";com.app.Feed.sort()V"
	const moved, read = click + ";com.app.a.b()V", ";java.io.File.length()J 3000001\n"
	const list = ";java.io.File.list()V 20000001\n"
	for _, c := range []struct {
		name               string
		subject, reference string
		counts             bool
	}{
		{"extracted", click + " 20000001\n" + parse + " 30000002\n" + click + list, whole, false},
		{"extracted twice", click + " 1000000\n" + parse + " 19000001\n" + parse + ";com.app.Feed.item()V 30000002\n" + click + list, whole, false},
		{"inlined", whole, click + " 20000001\n" + parse + " 30000002\n" + click + list, false},
		{"inlined where one method calls it", whole + sort + ";com.app.Feed.parse()V 9000000\n", click + " 20000001\n" + parse + " 30000002\n" + sort + ";com.app.Feed.parse()V 9000000\n" + click + list, false},
		{"renamed", click + " 20000001\n" + sort + " 30000002\n" + click + list, click + " 20000001\n" + parse + " 30000002\n" + click + list, false},
		{"extracted and slower", click + " 20000001\n" + parse + " 900000000\n" + click + list, whole, true},
		{"renamed with its class", click + " 20000001\n" + moved + " 30000002\n" + moved + read + click + list, click + " 20000001\n" + parse + " 30000002\n" + parse + read + click + list, false},
		{"renamed with its class, a small one", click + " 50000003\n" + moved + " 40002\n" + moved + read + click + list, click + " 50000003\n" + parse + " 40002\n" + parse + read + click + list, false},
		{"a callback renamed with its class", strings.ReplaceAll(whole, "Main.onClick", "a.onClick"), whole, false},
		{"replaced by a method that calls others", click + " 20000001\n" + moved + " 30000002\n" + moved + ";java.io.File.delete()Z 60000001\n" + click + list, click + " 20000001\n" + parse + " 30000002\n" + parse + read + click + list, true},
		{"renamed with its class, without callees", click + " 20000001\n" + click + ";com.app.Store.save()V 30000002\n" + click + list, click + " 20000001\n" + parse + " 30000001\n" + click + list, false},
		{"renamed with its class, without callees, and slower", click + " 20000001\n" + click + ";com.app.Store.save()V 90000002\n" + click + list, click + " 20000001\n" + parse + " 30000002\n" + click + list, true},
		{"a larger method is gone too", click + " 20000001\n" + click + ";com.app.Store.save()V 9000002\n" + click + list, click + " 20000001\n" + parse + " 30000002\n" + sort + " 29000002\n" + click + list, true},
		{"replaced where the framework calls it", strings.ReplaceAll(click, "com.app.Main.onClick()V;com.app.Feed.load", "com.app.Store.save") + " 90000002\n", strings.ReplaceAll(click, "com.app.Main.onClick()V;com.app.Feed.load", "com.app.Net.sync") + " 90000002\n", true},
		{"replaced by a method of another caller", click + " 20000001\n" + click + list + rest + strings.ReplaceAll(click, "Feed.load", "Net.sync") + " 30000002\n", click + " 20000001\n" + parse + " 30000002\n" + click + list, true},
		{"new", whole + parse + " 30000002\n", whole, true},
		{"new, and another callback costs less", whole + parse + " 30000002\n", whole + "android.os.Looper.loop()V;com.app.Main.onMenu()V;com.app.Menu.hide()V 30000002\n", true},
		{"slower, and what it calls costs less", click + " 80000005\n" + parse + " 10000001\n", click + " 50000003\n" + parse + " 40000003\n", true},
	} {
		set := compare(t, rest+c.subject, rest+c.reference)
		if h := set.Headline(); (h.Rows > 0) != c.counts {
			t.Errorf("%s: %d rows count, savable %v: %+v", c.name, h.Rows, h.Savable, h.Portions)
		}
		if h := compare(t, rest+c.reference, rest+c.subject).Headline(); !c.counts && h.Rows > 0 {
			t.Errorf("%s, swapped: %d rows count: %+v", c.name, h.Rows, h.Portions)
		}
	}
}

// TestRenamedLeaf checks methods without callees that may be the same method with another name in
// the other run. So the saving is at least the difference, and at most the energy of the new
// method.
func TestRenamedLeaf(t *testing.T) {
	const click = "android.os.Looper.loop()V;com.app.Main.onClick()V;com.app.Feed.load()V"
	const rest = click + " 20000001\n" + click + ";java.io.File.list()V 20000001\n"
	const parse, save = click + ";com.app.Feed.parse()V ", click + ";com.app.Store.save()V "
	for _, c := range []struct {
		name                string
		before, after, gone int // in millijoules
		least, most         int
	}{
		{name: "slower", before: 100, after: 900, least: 800, most: 900},
		{name: "three times as slow", before: 30, after: 90, least: 60, most: 90},
		{name: "faster", before: 100, after: 30},
		{name: "slower, and a method of a similar energy is gone", before: 100, after: 900, gone: 90, least: 900, most: 900},
	} {
		subject, reference := rest+fmt.Sprintf("%s%d000001\n", save, c.after), rest+fmt.Sprintf("%s%d000002\n", parse, c.before)
		if c.gone > 0 {
			reference += fmt.Sprintf("%s;com.app.Feed.sort()V %d000003\n", click, c.gone)
		}
		h := compare(t, subject, reference).Headline()
		least, most := int(h.Savable.Least/units.Millijoule), int(h.Savable.Most/units.Millijoule)
		if least+1 < c.least || least > c.least || most != c.most {
			t.Errorf("%s: could save %d to %d mJ, want %d to %d", c.name, least, most, c.least, c.most)
		}
	}
}

// TestLeavesWithoutCallers checks recordings of native code that lack the callers of methods
// without callees. Such a method may be extracted from any method of its namespace.
func TestLeavesWithoutCallers(t *testing.T) {
	samples := func(stacks ...string) string {
		var out strings.Builder
		at := 0
		for i := 0; i < len(stacks); i += 2 {
			for range len(stacks[i+1]) * 10 {
				at++
				fmt.Fprintf(&out, "img 7 1.%06d: 1000000 cpu-clock:\n", 1000*at)
				frames := strings.Split(stacks[i], ";")
				for k := len(frames) - 1; k >= 0; k-- {
					fmt.Fprintf(&out, "\t  401136 %s+0x1 (/opt/img)\n", frames[k])
				}
				out.WriteByte('\n')
			}
		}
		return out.String()
	}
	const ten = "**********"
	rest := []string{"main;img::load", ten, "main;img::edges", ten, "img::blur;img::gauss", "*"}
	whole := samples(append(rest, "main;img::blur", ten)...)
	for _, c := range []struct {
		name    string
		subject string
		counts  bool
	}{
		{"extracted", samples(append(rest, "main;img::blur", "*", "main;img::row", ten)...), false},
		{"extracted, and other code costs more", samples(append(rest, "main;img::blur", "*", "main;img::row", ten, "main;img::edges", ten+ten+ten+ten+ten+ten)...), true},
		{"new", samples(append(rest, "main;img::blur", ten, "main;img::row", ten)...), true},
		{"in another namespace", samples(append(rest, "main;img::blur", "*", "main;net::send", ten)...), true},
		{"of another class, without its caller", strings.ReplaceAll(whole, "img::", "picture::"), false},
	} {
		if h := compare1(t, c.subject, whole).Headline(); (h.Rows > 0) != c.counts {
			t.Errorf("%s: %d rows count, savable %v: %+v", c.name, h.Rows, h.Savable, h.Portions)
		}
	}
}

// compare1 compares two texts of perf script, one run on each side.
func compare1(t *testing.T, subject, reference string) *finding.Set {
	t.Helper()
	var sides [2]analysis.Side
	for k, text := range []string{subject, reference} {
		sides[k].Path = filepath.Join(t.TempDir(), "run.script")
		if err := os.WriteFile(sides[k].Path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	r, err := analysis.Compare(t.Context(), analysis.Options{Subject: sides[0], Reference: sides[1], Alpha: analysis.AutoAlpha})
	if err != nil {
		t.Fatal(err)
	}
	return finding.New(r)
}
