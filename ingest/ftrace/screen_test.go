package ftrace_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/diffprof/diffprof/ingest/ftrace"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
)

// TestScreen reads the counters and the properties with which Android logs the state and the
// brightness of the screen.
func TestScreen(t *testing.T) {
	tasks := ftrace.NewTasks()
	tasks.Thread(10, 10, []byte("main"))
	tasks.Process(10, []byte("com.mine"))
	tasks.Thread(20, 20, []byte("android.display"))
	tasks.Process(20, []byte("system_server"))
	tasks.AddSlices(10, 1)
	var out tape
	m, err := ftrace.New(tasks, &out, ftrace.Options{Origin: 1000})
	if err != nil {
		t.Fatal(err)
	}
	if p, one := m.Process(); !m.Wants() || !one || p.Name != "com.mine" {
		t.Errorf("it reads %q %v and wants signals: %v", p.Name, one, m.Wants())
	}
	count := func(at int64, name string, value int64) { m.Counter(at, 20, []byte(name), value) }
	m.Begin(1001, 10, []byte("draw"))
	count(1010, "ScreenState", 2) // on
	count(1020, "ScreenState", 2)
	count(1030, "ScreenBrightness", 0)
	count(1040, "ScreenBrightness", 255)
	count(1050, "ScreenBrightness", 128) // 50.2 %
	count(1060, "ScreenBrightness", 129) // 50.6 %
	count(1070, "ScreenBrightness", 256)
	count(1080, "ScreenBrightness", -1)
	count(1090, "ScreenState", 3)                     // dozes
	count(1100, "ScreenState", 5)                     // on for virtual reality
	count(1110, "ScreenState", 1)                     // off
	m.Property(1120, "debug.tracing.screen_state", 6) // on while the processor sleeps
	m.Property(1130, "debug.tracing.battery_stats.screen", 0)
	m.Property(1140, "debug.tracing.battery_stats.screen", 1)
	m.Property(1150, "debug.tracing.other", 0)
	m.Property(1160, "screen_state", 0)
	m.ThreadExit(1170, 10)
	tr, err := m.Finish(1200)
	if err != nil {
		t.Fatal(err)
	}
	want := "track brightness\n"
	for _, at := range []struct {
		time, level int64
		verb        trace.Verb
	}{
		{10, 0, trace.OpStart}, {30, 0, 0}, {40, 100, 0}, {50, 50, 0}, {60, 51, 0}, {90, 0, trace.OpStop}, {100, 0, trace.OpStart},
		{110, 0, trace.OpStop}, {120, 0, trace.OpStart}, {130, 0, trace.OpStop}, {140, 0, trace.OpStart},
	} {
		if at.verb != 0 {
			want += fmt.Sprintf("%d operation %d on screen, 0 bytes\n", at.time, at.verb)
		} else {
			want += fmt.Sprintf("%d signal %d of track 0: thread -1, %d\n", at.time, trace.Level, at.level)
		}
	}
	if got := out.String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	// The end of the thread ends its slice.
	slice := slices.IndexFunc(tr.Methods, func(m name.Method) bool { return m.Name == "draw" })
	if i := slices.IndexFunc(out.events, func(e trace.Event) bool { return e.Kind == trace.Exit && int(e.Ref) == slice }); i < 0 || out.events[i].Time != 170 {
		t.Errorf("the slice does not end with its thread: %v", out.events)
	}
	if slices.ContainsFunc(tr.Warnings, func(w trace.Warning) bool { return w.Code == "open-calls" }) {
		t.Errorf("a slice is still open: %v", tr.Warnings)
	}
}
