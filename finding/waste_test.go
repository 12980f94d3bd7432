package finding_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/units"
)

// A call is a call in a recording, with times in milliseconds. It either works all the time or
// waits.
type call struct {
	thread, begin, length int
	method                string
	waits                 bool
}

// recorded writes a recording of calls that ends at the time end in milliseconds.
func recorded(t *testing.T, end int, calls ...call) string {
	t.Helper()
	var b strings.Builder
	used := map[int]int{}
	event := func(thread int, phase, method string, at int) {
		fmt.Fprintf(&b, `{"pid":1,"tid":%d,"ph":"%s","ts":%d,"tts":%d,"name":"%s"},`+"\n", thread, phase, at*1000, used[thread]*1000, method)
	}
	for thread := 1; thread <= 2; thread++ {
		event(thread, "B", "com.nav.Main.run()V", 0)
		for _, c := range calls {
			if c.thread != thread {
				continue
			}
			event(thread, "B", c.method, c.begin)
			if !c.waits {
				used[thread] += c.length
			}
			event(thread, "E", c.method, c.begin+c.length)
		}
		event(thread, "E", "com.nav.Main.run()V", end)
	}
	path := filepath.Join(t.TempDir(), "run.json")
	if err := os.WriteFile(path, []byte("["+strings.TrimSuffix(b.String(), ",\n")+"]"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// wastes returns the wastes of a run under the model lte.
func wastes(t *testing.T, path string) (*analysis.Input, []finding.Waste) {
	t.Helper()
	in, err := analysis.Read(t.Context(), analysis.Options{Subject: analysis.Side{Path: path}, PowerModel: "lte", Bundles: true})
	if err != nil {
		t.Fatal(err)
	}
	return in, finding.Wastes(in)
}

// TestHeldTooLong checks components that are still on when the recording ends. These findings are
// unfinished, so they fail no gate. They waste at most the energy since the app last ran. The app
// runs if any of its threads runs or uses another component.
func TestHeldTooLong(t *testing.T) {
	const (
		acquire = "android.os.PowerManager$WakeLock.acquire()V"
		timed   = "android.os.PowerManager$WakeLock.acquire(J)V"
		release = "android.os.PowerManager$WakeLock.release()V"
		play    = "android.media.MediaPlayer.start()V"
		locate  = "android.location.LocationManager.requestLocationUpdates(Ljava/lang/String;JFLandroid/location/LocationListener;)V"
		remove  = "android.location.LocationManager.removeUpdates(Landroid/location/LocationListener;)V"
		read    = "java.net.SocketInputStream.read([BII)I"
		work    = "com.nav.Main.work()V"
	)
	for _, c := range []struct {
		name   string
		end    int
		calls  []call
		want   finding.Code
		caveat finding.Caveat
		// idle is the share of the component's energy that could be saved.
		idle float64
	}{
		{name: "unfinished music", end: 10000, calls: []call{{1, 1000, 1, play, false}, {1, 1001, 2999, work, false}},
			want: finding.LeftOn, caveat: finding.Unfinished, idle: 6. / 9},
		{name: "music while the app works", end: 10000, calls: []call{{1, 1000, 1, play, false}, {1, 1001, 8999, work, false}}},
		{name: "released music", end: 10000, calls: []call{{1, 1000, 1, play, false}, {1, 9000, 1, "android.media.MediaPlayer.stop()V", false}}},
		{name: "released position", end: 21000, calls: []call{{1, 1000, 1, locate, false}, {1, 20000, 1, remove, false}}},
		{name: "unfinished wakelock of a worker", end: 10000, calls: []call{{1, 1000, 1, acquire, false}, {2, 1001, 8999, work, false}}},
		{name: "wakelock of a worker", end: 10000, calls: []call{{1, 1000, 1, acquire, false}, {2, 1001, 7000, work, false}, {1, 9000, 1, release, false}}},
		{name: "wakelock during a read", end: 10000, calls: []call{{1, 1000, 1, acquire, false}, {2, 1001, 7900, read, true}, {1, 9000, 1, release, false}}},
		{name: "idle wakelock", end: 10000, calls: []call{{1, 1000, 1, acquire, false}, {2, 1001, 1000, work, false}, {1, 9001, 1, release, false}},
			want: finding.HeldWakelock, idle: 7. / 8},
		{name: "timed wakelock", end: 60000, calls: []call{{1, 1000, 1, timed, false}, {1, 1001, 500, work, false}}},
		{name: "timed and other wakelock", end: 30000, calls: []call{{1, 1000, 1, timed, false}, {1, 2000, 1, acquire, false}, {1, 2001, 1000, work, false}, {1, 3501, 1, release, false}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			in, all := wastes(t, recorded(t, c.end, c.calls...))
			var held []finding.Waste
			for _, w := range all {
				if w.Code == finding.LeftOn || w.Code == finding.HeldWakelock {
					held = append(held, w)
				}
			}
			if c.want == "" {
				if len(held) > 0 {
					t.Errorf("%+v", held)
				}
				return
			}
			if len(held) != 1 || held[0].Code != c.want || held[0].Caveat != c.caveat {
				t.Fatalf("%+v, want %s %s", held, c.want, c.caveat)
			}
			var energy units.Energy
			for i := range in.Components {
				if in.Components[i].Name == held[0].Component {
					energy = in.Components[i].Energy()
				}
			}
			if got := units.Share(held[0].Saving.Most, energy); math.Abs(got-c.idle) > 0.01 {
				t.Errorf("%.3f of the component's energy can be saved, want %.3f", got, c.idle)
			}
		})
	}
}

// TestLargestBundleFirst checks that a finding about tails lists its bundles by saving, the largest
// first.
func TestLargestBundleFirst(t *testing.T) {
	const read, write = "java.net.SocketInputStream.read([BII)I", "java.net.SocketOutputStream.write([BII)V"
	// The first bundle has a write, so it differs from the second bundle.
	calls := []call{{1, 1000, 100, read, false}, {1, 4000, 100, write, false}, {1, 5000, 100, read, false}}
	for _, at := range []int{70_000, 75_000, 80_000, 85_000, 90_000} {
		calls = append(calls, call{1, at, 100, read, false})
	}
	in, all := wastes(t, recorded(t, 240_000, calls...))
	largest := 0
	for _, w := range all {
		if largest = max(largest, len(w.Bundles)); len(w.Bundles) == 0 {
			continue
		}
		for i, b := range w.Bundles[1:] {
			if in.Bundles.List[b].Saved() > in.Bundles.List[w.Bundles[i]].Saved() {
				t.Errorf("bundle %d saves more than the one before it: %v", b, w.Bundles)
			}
		}
		if first, last := in.Bundles.List[w.Bundles[0]].Saved(), in.Bundles.List[w.Bundles[len(w.Bundles)-1]].Saved(); len(w.Bundles) > 1 && first == last {
			t.Error("all bundles save the same")
		}
	}
	if largest < 2 {
		t.Errorf("no finding has two bundles: %+v", all)
	}
}

// TestCauseCountsCalls checks the component that explains a task's saving, and the calls that it was
// charged to.
func TestCauseCountsCalls(t *testing.T) {
	const read, work = "java.net.SocketInputStream.read([BII)I", "android.util.Xml.parse()V"
	subject := recorded(t, 60_000, call{1, 1000, 100, read, true}, call{1, 11_000, 100, read, true}, call{1, 21_000, 100, read, true}, call{1, 50_000, 10, work, false})
	reference := recorded(t, 60_000, call{1, 1000, 100, read, true}, call{1, 50_000, 10, work, false})
	r, err := analysis.Compare(t.Context(), analysis.Options{Subject: analysis.Side{Path: subject}, Reference: analysis.Side{Path: reference}, PowerModel: "lte", Alpha: analysis.AutoAlpha})
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for i := range r.Tasks {
		c, ok := finding.CauseOf(r, i)
		if !ok {
			continue
		}
		found++
		if c.Component == finding.Processor || c.Calls != 3 || c.PeerCalls != 1 || c.Method.Name != "read" || 2*c.Energy < r.Tasks[i].Saving {
			t.Errorf("%+v of %v", c, r.Tasks[i].Saving)
		}
	}
	if found != 1 {
		t.Errorf("%d of %d tasks have a cause", found, len(r.Tasks))
	}
}

// TestNothingWasted checks that recordings of two apps that use what they hold have no finding.
func TestNothingWasted(t *testing.T) {
	const folder = "../../shared/data/power/"
	if _, err := os.Stat(folder); err != nil {
		t.Skip("the shared recordings are not here:", err)
	}
	for _, name := range []string{"nav.trace", "timed-wakelock.trace"} {
		if _, all := wastes(t, folder+name); len(all) > 0 {
			t.Errorf("%s: %+v", name, all)
		}
	}
}
