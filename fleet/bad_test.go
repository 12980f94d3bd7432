package fleet_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/diffprof/diffprof/fleet"
	"github.com/diffprof/diffprof/fleet/samples"
	"github.com/diffprof/diffprof/fleet/sums"
)

// analyzed analyzes a file.
func analyzed(t *testing.T, content string) *fleet.Fleet {
	t.Helper()
	path := filepath.Join(t.TempDir(), "samples")
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
	set, err := samples.Open(context.Background(), samples.Options{Paths: []string{path}})
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	f, err := fleet.Analyze(context.Background(), set, fleet.Defaults(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestBadSamples mixes each fault of samples with good samples. It checks that the number of good
// pairs does not change, that the fault is counted, and that no fault looks like a discharge.
func TestBadSamples(t *testing.T) {
	minute := func(n int) string {
		return time.Date(2024, 1, 1, 0, n, 0, 0, time.UTC).Format(time.DateTime)
	}
	// Ten good samples: 1 % every ten minutes.
	var good strings.Builder
	for n := range 10 {
		fmt.Fprintf(&good, "a,%s,%d,com.a,X\n", minute(10*n), 90-n)
	}
	rows := func(rows ...string) string { return strings.Join(rows, "\n") + "\n" }
	two := func(second string) string {
		var b strings.Builder
		for n := range 20 {
			fmt.Fprintf(&b, "b,%s,%d,com.a,X\nb,%s,%d,com.a,%s\n", minute(10*n), 90-n, minute(10*n+5), 40-n, second)
		}
		return b.String()
	}
	for name, c := range map[string]struct {
		rows string
		left []string
		less int // number of pairs that are missing
	}{
		"nothing":                    {rows: ""},
		"a clock that was never set": {rows: rows("a,1970-01-01 00:00:07,50,com.a,X"), left: []string{"1 samples whose time is missing, or not from 2007 to 2099"}},
		"a clock far ahead":          {rows: rows("a,2038-01-19 03:14:07,50,com.a,X"), left: []string{"1 pairs of samples more than a day apart"}},
		"a clock that jumps back and repeats an hour": {
			rows: rows("a,"+minute(31)+",80,com.a,X", "a,"+minute(41)+",79,com.a,X"),
			left: []string{"2 pairs of samples between which the level rose", "2 pairs of samples that would empty a full battery within half an hour"},
			less: 2,
		},
		"a time that is none": {rows: rows("a,NaN,50,com.a,X", "a,,50,com.a,X"), left: []string{"2 samples whose time is missing, or not from 2007 to 2099"}},
		"twins":               {rows: good.String(), left: []string{"10 samples of the same client at the same time"}},
		"a level over 100":    {rows: rows("a,"+minute(5)+",101,com.a,X", "a,"+minute(5)+",+Inf,com.a,X"), left: []string{"1 samples with a level over 100 %", "1 samples without a level"}},
		"sentinels":           {rows: rows("a,"+minute(5)+",-1,com.a,X", "a,"+minute(5)+",NaN,com.a,X", "a,"+minute(5)+",,com.a,X"), left: []string{"3 samples without a level"}},
		"no client":           {rows: rows("," + minute(5) + ",50,com.a,X"), left: []string{"1 samples without a client"}},
		"an app twice":        {rows: rows("c," + minute(5) + ",50,com.a com.b com.a,X"), left: []string{"1 samples that list an app twice"}},
		"two devices with one name, of two models": {rows: two("Y"), left: []string{"39 pairs of samples of one client on two device models"}},
		"two devices with one name, of one model":  {rows: two("X"), left: []string{"1 clients whose battery level often rises faster than a battery charges: perhaps two devices have the same name"}},
		"a last row that may be cut":               {rows: "c," + minute(5) + ",50,com.a,X", left: []string{"1 files that may be cut, since the last row has no end"}},
	} {
		t.Run(name, func(t *testing.T) {
			total := analyzed(t, "client,time,level,apps,model\n"+good.String()+c.rows).Total()
			var left []string
			for _, l := range total.Unpaired {
				left = append(left, fmt.Sprint(l.N, " ", l.What))
			}
			slices.Sort(left)
			if !slices.Equal(left, c.left) {
				t.Errorf("left out are %q, want %q", left, c.left)
			}
			if want := int64(9 - c.less); total.Pairs != want {
				t.Errorf("%d pairs, want %d", total.Pairs, want)
			}
		})
	}
}

// TestOrderOfInputDoesNotMatter reads the same samples in two orders. Some of them have the same
// time.
func TestOrderOfInputDoesNotMatter(t *testing.T) {
	rows := []string{
		"a,2024-01-01 00:00:00,90,com.a", "a,2024-01-01 00:10:00,89,com.b", "a,2024-01-01 00:10:00,89,com.a com.b",
		"a,2024-01-01 00:10:00,88,com.c", "a,2024-01-01 00:20:00,87,com.b", "b,2024-01-01 00:00:00,50,com.a",
	}
	head := "client,time,level,apps\n"
	want := bytesOf(t, analyzed(t, head+strings.Join(rows, "\n")+"\n"))
	slices.Reverse(rows)
	if got := bytesOf(t, analyzed(t, head+strings.Join(rows, "\n")+"\n")); !slices.Equal(got, want) {
		t.Error("another order gives other bytes")
	}
}

// TestLopsidedFleets analyzes a fleet with all samples in one client, and a fleet with two samples
// in each of many clients. The limit for one client bounds the memory.
func TestLopsidedFleets(t *testing.T) {
	const all = 60_000
	for name, clients := range map[string]int{"one client": 1, "clients of two samples": all / 2} {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			b.WriteString("client,time,level,apps\n")
			for n := range all / clients {
				for c := range clients {
					fmt.Fprintf(&b, "c%d,%d,%d,com.a com.b%d\n", c, 1_704_067_200+60*n, 100-n%100, n%7)
				}
			}
			// Earlier tests may have taken memory from the system, so only the growth counts.
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			total := analyzed(t, b.String()).Total()
			if total.Clients != int64(clients) || total.Samples != all {
				t.Errorf("%d samples of %d clients, want %d of %d", total.Samples, total.Clients, all, clients)
			}
			runtime.GC()
			runtime.ReadMemStats(&after)
			if taken := int64(after.Sys) - int64(before.Sys); taken > 1<<30 {
				t.Errorf("%d MB are taken", taken>>20)
			}
		})
	}
}

// TestNoContrast checks that apps that run all the time are counted as not judged.
func TestNoContrast(t *testing.T) {
	var rows strings.Builder
	rows.WriteString("client,time,level,apps\n")
	for client := range 12 {
		fmt.Fprintf(&rows, "c%d,2024-01-01 10:00:00,50,com.a\nc%d,2024-01-01 11:00:00,48,com.a\n", client, client)
	}
	f := analyzed(t, rows.String())
	if judged, few, _ := f.Judged(); judged != 0 || !slices.Equal(few, []string{"com.a"}) {
		t.Errorf("%d apps are judged, too few clients tell of %q", judged, few)
	}
}

// TestNothingLeft checks that an input without usable samples is an error with the reason.
func TestNothingLeft(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.csv")
	if err := os.WriteFile(path, []byte("client,time,level\na,07/08/2019 10:00:00,50\na,2019-08-07 10:00:00,\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	set, err := samples.Open(context.Background(), samples.Options{Paths: []string{path}})
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	_, err = fleet.Analyze(context.Background(), set, fleet.Defaults(), nil)
	const want = "no usable samples; left out: samples whose time is missing, or not from 2007 to 2099 (1), samples without a level (1)"
	if err == nil || err.Error() != want {
		t.Errorf("the error is %v, want %s", err, want)
	}
}

// TestUnreadColumnsAreNamed checks that a fleet lists the columns that no comparison holds
// constant, for any number of shares. It also checks that columns with the names of switches become
// conditions.
func TestUnreadColumnsAreNamed(t *testing.T) {
	file := func(client string) string {
		var b strings.Builder
		b.WriteString("client,time,level,apps,location,weather,Bluetooth\n")
		for n := range 10 {
			fmt.Fprintf(&b, "%s,%d,%d,com.a,%d,rain,%d\n", client, 1_700_000_000+600*n, 90-n, n%2, n%2)
		}
		path := filepath.Join(t.TempDir(), "samples.csv")
		if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	// apps returns a fleet after its first stage. Each share is a list of files.
	apps := func(shares ...[]string) (*fleet.Fleet, []byte) {
		f, sum := (*fleet.Fleet)(nil), sums.New()
		for _, paths := range shares {
			set, err := samples.Open(context.Background(), samples.Options{Paths: paths})
			if err != nil {
				t.Fatal(err)
			}
			defer set.Close()
			if want := []string{"location", "bluetooth"}; !slices.Equal(set.Features, want) {
				t.Errorf("features %q, want %q", set.Features, want)
			}
			if f == nil {
				if f, err = fleet.New(fleet.Defaults(), set.Features); err != nil {
					t.Fatal(err)
				}
			}
			table, err := f.Share(context.Background(), set, "apps", nil)
			if err != nil {
				t.Fatal(err)
			}
			sum.Merge(table)
		}
		f.Add("apps", sum)
		var b bytes.Buffer
		if err := f.Write(&b); err != nil {
			t.Fatal(err)
		}
		return f, b.Bytes()
	}
	x, y := file("a"), file("b")
	f, whole := apps([]string{x, y})
	if _, shares := apps([]string{x}, []string{y}); !bytes.Equal(whole, shares) {
		t.Error("two shares have other sums than the whole")
	}
	if got := f.UnreadColumns(); !slices.Equal(got, []string{"weather"}) {
		t.Errorf("unread columns %q, want weather", got)
	}
}

// TestLevelsOverFull reads levels in thousandths, and then samples of which a few have a level over
// 100 %.
func TestLevelsOverFull(t *testing.T) {
	for scale, want := range map[int]error{10: fleet.ErrLevels, 1: nil} {
		var rows strings.Builder
		rows.WriteString("client,time,level,screen\na,1700000000,101,on\n")
		for i := range 80 {
			fmt.Fprintf(&rows, "a,%d,%d,on\n", 1_700_000_600+600*i, scale*(80-i))
		}
		path := filepath.Join(t.TempDir(), "samples")
		if err := os.WriteFile(path, []byte(rows.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		set, err := samples.Open(context.Background(), samples.Options{Paths: []string{path}})
		if err != nil {
			t.Fatal(err)
		}
		defer set.Close()
		if _, err := fleet.Analyze(context.Background(), set, fleet.Defaults(), nil); !errors.Is(err, want) {
			t.Errorf("with levels times %d: %v, want %v", scale, err, want)
		}
	}
}

// TestUnknownScreen reads samples of which only some state the screen. Pairs without the state of
// the screen are left out, because normal use and waste look the same in them.
func TestUnknownScreen(t *testing.T) {
	var rows strings.Builder
	rows.WriteString("client,time,level,screen\n")
	for i := range 40 {
		fmt.Fprintf(&rows, "a,%d,%d,%s\n", 1_700_000_000+600*i, 90-i, []string{"on", "on", "off", ""}[i%4])
	}
	total := analyzed(t, rows.String()).Total()
	if total.Pairs != 20 || len(total.Unpaired) != 1 || total.Unpaired[0].N != 19 {
		t.Errorf("the totals are %+v", total)
	}
}
