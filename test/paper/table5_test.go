package paper_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/tools/artwrite"
)

// A measured is a row of eprof's Table 5: an app with the share of its energy that I/O uses, its
// bundles by component, and the number of routines that cause the bundles.
type measured struct {
	app, model string
	io         float64 // in percent
	bundles    map[string]int
	routines   int
	all        int
}

func bundlesIn(net, gps, disk int) map[string]int {
	return map[string]int{"cellular": net, "gps": gps, "disk": disk}
}

var table5 = []measured{
	{"pslide", "tytn2", 92, bundlesIn(0, 0, 3), 2, 21},
	{"pup (WM6.5)", "tytn2", 57, bundlesIn(3, 0, 0), 3, 32},
	{"syncdroid", "magic", 50, bundlesIn(1, 0, 3), 8, 900},
	{"streamer", "magic", 31, bundlesIn(3, 0, 0), 4, 1100},
	{"browser", "passion", 69, bundlesIn(2, 1, 0), 5, 3400},
	{"angrybirds", "passion", 80, bundlesIn(3, 1, 0), 5, 2200},
	{"fchess", "passion", 75, bundlesIn(2, 0, 0), 7, 3700},
	{"nytimes", "passion", 67, bundlesIn(1, 1, 0), 16, 6800},
	{"mapquest", "passion", 72, bundlesIn(2, 1, 0), 14, 7100},
	{"pup", "passion", 70, bundlesIn(1, 0, 0), 3, 1100},
}

// asking has, for each component, methods that request it, as many as any row needs.
var asking = map[string][]string{
	"cellular": {
		"java.net.SocketOutputStream.write", "java.net.SocketInputStream.read", "java.net.Socket.connect", "java.net.Socket.close",
		"java.net.DatagramSocket.send", "java.net.DatagramSocket.receive", "java.net.DatagramSocket.close", "libcore.io.IoBridge.sendto",
		"libcore.io.IoBridge.recvfrom", "libcore.io.IoBridge.connect", "java.net.PlainSocketImpl.write", "java.net.PlainSocketImpl.read",
		"sun.nio.ch.SocketChannelImpl.write", "sun.nio.ch.SocketChannelImpl.read", "sun.nio.ch.SocketChannelImpl.connect",
	},
	"gps":  {"android.location.LocationManager.requestLocationUpdates"},
	"disk": {"java.io.FileInputStream.read", "java.io.FileOutputStream.write", "java.io.RandomAccessFile.read"},
}

// processorWatts is the processor's power according to runs/power_profile.xml: 168.4 mA at 3.7 V.
const processorWatts = 0.1684 * 3.7

// apart is longer than any tail.
const apart = 20 * time.Second

// trace makes a run of a row's app: its bundles one after the other, with each I/O routine in at
// least one of them, and then the other routines, which share the processor time.
func (r *measured) trace(processor time.Duration) *artwrite.Trace {
	t := &artwrite.Trace{Threads: []artwrite.Thread{{ID: 1, Name: "main"}}, PID: 1}
	var events []artwrite.Event
	at, spent := time.Millisecond, time.Duration(0)
	call := func(method int, cpu time.Duration) {
		events = append(events, artwrite.Event{Method: method, Action: artwrite.Enter, CPU: spent, Wall: at})
		spent, at = spent+cpu, at+max(cpu, time.Millisecond)
		events = append(events, artwrite.Event{Method: method, Action: artwrite.Exit, CPU: spent, Wall: at})
	}
	add := func(method string) int {
		dot := strings.LastIndexByte(method, '.')
		t.Methods = append(t.Methods, name.OfClass(method[:dot], method[dot+1:], "()V"))
		return len(t.Methods) - 1
	}
	left := r.routines
	for _, component := range []string{"gps", "disk", "cellular"} {
		bundles := r.bundles[component]
		if bundles == 0 {
			continue
		}
		n := min(left, len(asking[component]))
		if component == "disk" && r.bundles["cellular"] > 0 {
			n = min(n, bundles)
		}
		left -= n
		routines := make([]int, n)
		for i := range routines {
			routines[i] = add(asking[component][i])
		}
		for b := range bundles {
			for i := range max(n, bundles) {
				if i%bundles == b {
					call(routines[i%n], 0)
					at += 3 * time.Second // after a ramp, before the end of a tail
				}
			}
			if component == "gps" {
				call(add("android.location.LocationManager.removeUpdates"), 0)
			}
			at += apart
		}
	}
	others := r.all - len(t.Methods)
	for i := range others {
		call(add(fmt.Sprintf("com.example.C%d.m%d", i/20, i%20)), processor/time.Duration(others))
	}
	t.Events, t.Elapsed = slices.Values(events), at+apart
	return t
}

// write writes a trace to a file.
func write(t *testing.T, made *artwrite.Trace) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "run.trace")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := artwrite.Write(f, made, artwrite.Form{}); err != nil {
		t.Fatal(err)
	}
	return path
}

// table5Docs simulates a run for each row of Table 5, and writes the numbers of the row and of the
// run.
func table5Docs(t *testing.T, b *strings.Builder) {
	b.WriteString(`### Section 8.1, Table 5: I/O, bundles and routines

Table 5 contradicts some shares of the text, so its rows have runs of their own, with the same numbers of bundles and routines by
construction and a fitted share of I/O. They test that diffprof counts correctly among thousands: its bundles and routines are the
paper's, and its shares of I/O differ by less than half a percentage point.

`)
	head(b, "app", "power model", ">I/O", "bundles", ">routines with I/O, of all")
	for _, r := range table5 {
		idle := readRun(t, write(t, r.trace(0)), r.model)
		// I/O has its share of the total, and the processor has the rest.
		cpu := float64(idle.in.Energy) * (100/r.io - 1) / processorWatts // a watt is a nanojoule a nanosecond
		got := readRun(t, write(t, r.trace(time.Duration(cpu))), r.model)
		io := finding.ByMethod(got.in).InputOutput()
		share := got.percent(io.Energy)
		if math.Abs(share-r.io) > 0.5 || io.Routines != r.routines || io.AllRoutines != r.all {
			t.Errorf("%s: %.2f %% of the energy is I/O, by %d of %d routines; the paper has %.0f, %d and %d",
				r.app, share, io.Routines, io.AllRoutines, r.io, r.routines, r.all)
		}
		var want []string
		for _, component := range []string{"cellular", "gps", "disk"} {
			n := got.bundles(component)
			if n != float64(r.bundles[component]) {
				t.Errorf("%s: %v bundles of %s, the paper has %d", r.app, n, component, r.bundles[component])
			}
			if r.bundles[component] > 0 {
				want = append(want, fmt.Sprintf("%d %s", r.bundles[component], component))
			}
		}
		cells(b, r.app, "`"+r.model+"`", plain(r.io)+" %", strings.Join(want, ", "), fmt.Sprintf("%d of %d", r.routines, r.all))
	}
}

// goOut makes a run with the routine goOut of Figure 10. It uses GPS for two seconds, and 2.5 % of
// the processor's time.
func goOut(processor time.Duration) *artwrite.Trace {
	t := &artwrite.Trace{Threads: []artwrite.Thread{{ID: 1, Name: "main"}}, PID: 1, Elapsed: processor + apart}
	var events []artwrite.Event
	at, spent := time.Millisecond, time.Duration(0)
	call := func(class, method string, inside func()) {
		n := len(t.Methods)
		t.Methods = append(t.Methods, name.OfClass(class, method, "()V"))
		events = append(events, artwrite.Event{Method: n, Action: artwrite.Enter, CPU: spent, Wall: at})
		at += time.Millisecond
		inside()
		events = append(events, artwrite.Event{Method: n, Action: artwrite.Exit, CPU: spent, Wall: at})
	}
	work := func(cpu time.Duration) { at, spent = at+cpu, spent+cpu }
	const location = "android.location.LocationManager"
	call("com.example.GoOut", "attachListener", func() {
		call(location, "requestLocationUpdates", func() {})
		work(processor / 40)
		at += 2 * time.Second
		call(location, "removeUpdates", func() {})
	})
	call("com.example.GoOut", "work", func() { work(processor - spent) })
	t.Events = slices.Values(events)
	return t
}

// hotspotDocs writes what the text about Figure 10 says, and the results of a replayed run.
func hotspotDocs(t *testing.T, b *strings.Builder) {
	const share, part = 0.21, 0.025
	idle := readRun(t, write(t, goOut(0)), "magic")
	cpu := float64(idle.in.Energy) * (1 - share) / (share - part) / processorWatts
	r := readRun(t, write(t, goOut(time.Duration(cpu))), "magic")
	energy := r.percent(r.all("GoOut.attachListener"))
	table := finding.ByMethod(r.in)
	listener, work := table.Find("com.example.GoOut.attachListener"), table.Find("com.example.GoOut.work")
	if len(listener) != 1 || len(work) != 1 {
		t.Fatalf("the run has %v and %v", listener, work)
	}
	spent, left := table.Methods[listener[0]].Runs[0].AllTime, table.Methods[work[0]].Runs[0].AllTime
	time := 100 * float64(spent) / float64(spent+left)
	if energy <= 20 || energy > 25 || time >= 3 {
		t.Errorf("attachListener has %.1f %% of the energy and %.1f %% of the time", energy, time)
	}
	fmt.Fprintf(b, `
### Section 7.1, Figure 10: energy and time

By the text, goOut's listener has over 20 %% of the energy in under 3 %% of the time; of two more hot spots it does not state the
time. A run like goOut's, in which a routine turns GPS on for two seconds, has %.1f %% of its energy there, and %.1f %% of its time.

`, energy, time)
}
