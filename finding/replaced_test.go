package finding_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/units"
)

// savings are the least and the most that a comparison says could be saved, in millijoules.
type savings struct {
	name               string
	subject, reference string
	least, most        int
}

func (c *savings) check(t *testing.T) {
	t.Helper()
	h := compare(t, c.subject, c.reference).Headline()
	least, most := int(h.Savable.Least/units.Millijoule), int(h.Savable.Most/units.Millijoule)
	if least+1 < c.least || least > c.least || most != c.most {
		t.Errorf("%s: could save %d to %d mJ, want %d to %d: %+v", c.name, least, most, c.least, c.most, h.Portions)
	}
}

// millijoules returns folded stacks. list has stacks, each with its energy.
func millijoules(list []any) (stacks string) {
	for i := 0; i < len(list); i += 2 {
		stacks += fmt.Sprintf("%s %d000001\n", list[i], list[i+1])
	}
	return stacks
}

// TestReplacedCalls checks app methods that do their work by other calls in the other run. Only
// what the new calls cost more than the old ones is certainly a saving.
func TestReplacedCalls(t *testing.T) {
	const click = "android.os.Looper.loop()V;com.app.Main.onClick()V;com.app.Feed.load()V"
	const menu = "android.os.Looper.loop()V;com.app.Main.onMenu()V;com.app.Menu.show()V"
	const format, join = ";java.lang.String.format()V", ";java.lang.String.concat()V"
	stacks := func(list ...any) string {
		return click + ";java.io.File.list()V 200000003\n" + menu + ";java.io.File.list()V 200000007\n" + click + " 1000001\n" + menu + " 1000003\n" + millijoules(list)
	}
	for _, c := range []savings{
		{name: "cheaper calls", subject: stacks(click+join, 100), reference: stacks(click+format, 400)},
		{name: "costlier calls", subject: stacks(click+join, 900), reference: stacks(click+format, 100), least: 800, most: 900},
		{name: "calls of a new method", subject: stacks(click+";com.app.Feed.row()V"+join, 100), reference: stacks(click+format, 400)},
		{name: "calls of a removed method", subject: stacks(click+join, 100), reference: stacks(click+";com.app.Feed.row()V"+format, 400)},
		{name: "own code", subject: stacks(click+join, 100), reference: stacks(click, 400)},
		{name: "own code of a removed method", subject: stacks(click+join, 100), reference: stacks(click+";com.app.Feed.row()V", 400)},
		{name: "by own code", subject: stacks(click, 900), reference: stacks(click+format, 100), least: 800, most: 900},
		{name: "by a call that was there", subject: stacks(click+join, 900), reference: stacks(click+format, 300, click+join, 100), least: 500, most: 800},
		{name: "a call that is still there", subject: stacks(click+join, 900, click+format, 10), reference: stacks(click+format, 300), least: 610, most: 900},
		{name: "calls within calls", subject: stacks(click+";java.util.List.forEach()V", 1, click+";java.util.List.forEach()V;com.app.Feed.row()V"+join, 100), reference: stacks(click+format, 400)},
		{name: "new calls", subject: stacks(click+join, 900), reference: stacks(), least: 900, most: 900},
		{name: "calls of another method are gone", subject: stacks(click+join, 900), reference: stacks(menu+format, 400), least: 900, most: 900},
		{name: "another call varies", subject: stacks(click+join, 900, click+format, 300), reference: stacks(click+format, 400), least: 900, most: 900},
	} {
		c.check(t)
	}
}

// TestRelocatedWork checks work inside a framework call that another app method makes by another
// call in the other run. It is no saving.
func TestRelocatedWork(t *testing.T) {
	const click = "android.os.Looper.loop()V;com.app.Main.onClick()V;com.app.Feed."
	const write, end = click + "row()V;java.util.zip.GZIPOutputStream.write()V", click + "done()V;java.util.zip.GZIPOutputStream.finish()V"
	const begin, copy = ";java.util.zip.Deflater.init()V;java.util.zip.Deflater.clear()V", ";java.lang.System.arraycopy()V"
	rest := ""
	for i, call := range []string{"row()V", "done()V", "load()V;java.io.File.list()V", "load()V;java.util.Arrays.sort()V" + copy} {
		rest += fmt.Sprintf("%s%s %d000003\n", click, call, 40+i)
	}
	rest += write + " 3\n" + end + " 3\n" // Both runs make both calls.
	stacks := func(list ...any) string { return rest + millijoules(list) }
	for _, c := range []savings{
		{name: "as much", subject: stacks(end+begin, 400), reference: stacks(write+begin, 400)},
		{name: "more", subject: stacks(end+begin, 900), reference: stacks(write+begin, 300), least: 600, most: 900},
		{name: "and other work", subject: stacks(end+begin, 300, end, 500), reference: stacks(write+begin, 300), least: 500, most: 800},
		{name: "the old call has other work", subject: stacks(end+begin, 300), reference: stacks(write+begin, 300, write, 50)},
		{name: "copies of memory", subject: stacks(end+copy, 300), reference: stacks(write+copy, 300), least: 300, most: 300},
		{name: "the old call still does it", subject: stacks(end+begin, 300, write+begin, 300), reference: stacks(write+begin, 300), least: 300, most: 300},
		{name: "another call does it, too", subject: stacks(end+begin, 300, write+begin, 140), reference: stacks(write+begin, 300), least: 300, most: 300},
	} {
		c.check(t)
		if h := compare(t, c.reference, c.subject).Headline(); c.name == "as much" && h.Rows > 0 {
			t.Errorf("%s, swapped: %d rows count, savable %v: %+v", c.name, h.Rows, h.Savable, h.Portions)
		}
	}
}

// TestRenamedCallbacks checks methods that the framework calls and that have a new name in the same
// class.
func TestRenamedCallbacks(t *testing.T) {
	const loop = "android.os.Looper.loop()V;com.app.Feed."
	const rest = loop + "load()V 53000001\n" + loop + "index()V 40000002\n" + loop + "list()V;java.io.File.list()V 20000003\n"
	render := rest + loop + "render()V 120000001\n"
	for _, c := range []struct {
		name, subject string
		counts        bool
	}{
		{"renamed", rest + loop + "draw()V 120000001\n", false},
		{"split", rest + loop + "head()V 60000001\n" + loop + "body()V 60000001\n", false},
		{"slower", rest + loop + "draw()V 900000001\n", true},
		{"of another class", rest + "android.os.Looper.loop()V;com.app.Store.save()V 120000001\n", true},
	} {
		if h := compare(t, c.subject, render).Headline(); (h.Rows > 0) != c.counts {
			t.Errorf("%s: %d rows count, savable %v: %+v", c.name, h.Rows, h.Savable, h.Portions)
		}
		if h := compare(t, render, c.subject).Headline(); !c.counts && h.Rows > 0 {
			t.Errorf("%s, swapped: %d rows count: %+v", c.name, h.Rows, h.Portions)
		}
	}
}

// TestRenamedWithoutCallers checks samples that lack the callers of a function with a new name. An
// example is compiled JavaScript that an interpreter called.
func TestRenamedWithoutCallers(t *testing.T) {
	samples := func(digest string, n int) string {
		var out strings.Builder
		for i := range n + 200 {
			function := "JS:*index /w/app.js:5:1"
			if i < n {
				function = digest
			}
			fmt.Fprintf(&out, "node 7 1.%06d: 1000000 cpu-clock:\n\t  7f98e67c8ddb %s+0x1 (/tmp/perf-7.map)\n\t  14cfd1c node::Start+0x1 (/usr/bin/node)\n\n", 1000*i, function)
		}
		return out.String()
	}
	reference := samples("JS:*digest /w/app.js:9:18", 150)
	for _, c := range []struct {
		name, digest string
		samples      int
		counts       bool
	}{
		{"renamed", "JS:*checksum /w/app.js:9:18", 160, false},
		{"of another file", "JS:*checksum /w/sum.js:9:18", 160, true},
		{"slower", "JS:*checksum /w/app.js:9:18", 900, true},
	} {
		if h := compare1(t, samples(c.digest, c.samples), reference).Headline(); (h.Rows > 0) != c.counts {
			t.Errorf("%s: %d rows count, savable %v: %+v", c.name, h.Rows, h.Savable, h.Portions)
		}
	}
}
