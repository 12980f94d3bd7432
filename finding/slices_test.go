package finding_test

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/finding"
)

// A feed is an app whose trace has atrace sections. Times are in microseconds.
type feed struct {
	pkg     string
	decodes int  // pictures per row
	parse   bool // add a section that the app names
	own     bool // add the same work without a section
	away    bool // decode pictures on another thread
	frames  int  // 0 means 100
	draws   bool // add the sections that draw a frame
}

// log writes the frames of the app as an ftrace log. Two processors run the main thread and the
// worker, which never wait while a section is open.
func (f feed) log(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("# tracer: nop\n#\n")
	at := 0
	line := func(tid int, event string) {
		fmt.Fprintf(&b, "%16s-%d ( 2340) [%03d] d..3 %d.%06d: %s\n", f.pkg, tid, tid-2340, 5213+at/1_000_000, at%1_000_000, event)
	}
	on := func(tid int) {
		line(tid, fmt.Sprintf("sched_switch: prev_comm=swapper prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=%s next_pid=%d next_prio=120", f.pkg, tid))
	}
	off := func(tid int) {
		line(tid, fmt.Sprintf("sched_switch: prev_comm=%s prev_pid=%d prev_prio=120 prev_state=S ==> next_comm=swapper next_pid=0 next_prio=120", f.pkg, tid))
	}
	section := func(tid int, name string, us int, inner ...func()) {
		line(tid, "tracing_mark_write: B|2340|"+name)
		at += us
		for _, run := range inner {
			run()
		}
		line(tid, "tracing_mark_write: E|2340")
	}
	decode := func(tid int) func() { return func() { section(tid, "decodeBitmap", 900) } }
	for frame := range cmp.Or(f.frames, 100) {
		on(2340)
		inner := []func(){func() { section(2340, "Feed.format", 100) }}
		if f.parse {
			inner = append(inner, func() { section(2340, "Regex.compile", 400) })
		}
		if f.own {
			inner = append(inner, func() { at += 400 })
		}
		for range f.decodes {
			if !f.away {
				inner = append(inner, decode(2340))
			}
		}
		section(2340, fmt.Sprintf("Choreographer#doFrame %d", 7000+frame), 500, func() { section(2340, "RV OnBindView type=0", 50, inner...) })
		if f.draws {
			for i, name := range []string{"measure", "layout", "draw", "prepareTree"} {
				section(2340, name, 40+20*i)
			}
		}
		off(2340)
		if f.away {
			on(2341)
			for range f.decodes {
				decode(2341)()
			}
			off(2341)
		}
		at += 10_000
	}
	path := filepath.Join(t.TempDir(), "run.ftrace")
	if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestLongerRun compares a run with a longer run of the same app. What all rows cost more is no
// saving. If the longer run also decodes three pictures for one, the saving is two thirds of that,
// and nearly that if the runs are normalized.
func TestLongerRun(t *testing.T) {
	run := func(frames, decodes int) string {
		return feed{pkg: "com.mine.feed", frames: frames, decodes: decodes, draws: true}.log(t)
	}
	// A frame takes 11.83 ms, or 13.63 ms with three pictures, so the lengths grow by more than the
	// number of frames.
	const slowerFrame = 13.63 / 11.83
	base, longer, slower, short := run(100, 1), run(250, 1), run(250, 3), run(60, 3)
	for _, c := range []struct {
		name, subject, reference string
		normalize                analysis.NormalizedBy
		row                      string
		wasted                   float64 // the part of the row's energy that could be saved
	}{
		{"longer", longer, base, analysis.NoNormalization, "", 0},
		{"shorter", base, longer, analysis.NoNormalization, "", 0},
		{"longer and normalized", longer, base, analysis.ByTime, "", 0},
		{"longer and slower", slower, base, analysis.NoNormalization, "decodeBitmap", 2.0 / 3},
		{"longer and slower, normalized", slower, base, analysis.ByTime, "decodeBitmap", 1 - slowerFrame/3},
		{"shorter and slower, normalized", short, base, analysis.ByTime, "decodeBitmap", 1 - slowerFrame/3},
	} {
		r, err := analysis.Compare(t.Context(), analysis.Options{
			Subject: analysis.Side{Path: c.subject}, Reference: analysis.Side{Path: c.reference}, Alpha: analysis.AutoAlpha, Normalize: analysis.Normalization{By: c.normalize},
		})
		if err != nil {
			t.Fatal(err)
		}
		set := finding.New(r)
		h := set.Headline()
		if c.row == "" {
			if h.Rows != 0 || h.Savable.Least != 0 {
				t.Errorf("%s: %d rows cost more, %+v could be saved", c.name, h.Rows, h.Savable)
			}
			continue
		}
		if h.Rows != 1 || !h.First.Code {
			t.Errorf("%s: %d rows cost more", c.name, h.Rows)
			continue
		}
		row := r.AppCode.Rows[h.First.Index]
		if got := float64(h.Savable.Least) / float64(row.Energy); row.Method.Name != c.row || math.Abs(got-c.wasted) > 0.02 {
			t.Errorf("%s: %.3f of %s could be saved, want %.3f of %s", c.name, got, row.Method.Name, c.wasted, c.row)
		}
	}
}

// TestSlices compares traces with sections. A row must name the section that costs more, at any
// depth and on any thread, for two versions of an app and for two apps.
func TestSlices(t *testing.T) {
	base := feed{pkg: "com.mine", decodes: 1}
	for _, c := range []struct {
		what               string
		subject, reference feed
		first              string
		oneApp             bool
	}{
		{"the same work", base, base, "", true},
		{"three pictures for one", feed{pkg: "com.mine", decodes: 3}, base, "decodeBitmap", true},
		{"a new section", feed{pkg: "com.mine", decodes: 1, parse: true}, base, "Regex.compile", true},
		{"another thread", feed{pkg: "com.mine", decodes: 1, away: true}, base, "", true},
		{"from another thread", base, feed{pkg: "com.mine", decodes: 1, away: true}, "", true},
		{"a variant of the build", feed{pkg: "com.mine.debug", decodes: 3}, base, "decodeBitmap", true},
		{"another app", feed{pkg: "org.other", decodes: 3}, base, "decodeBitmap", false},
		{"another app with a section of its own", feed{pkg: "org.other", decodes: 1, parse: true}, feed{pkg: "com.mine", decodes: 1, own: true}, "", false},
		{"another app with a section that only it has", feed{pkg: "org.other", decodes: 1, parse: true}, base, "", false},
		{"less work", base, feed{pkg: "com.mine", decodes: 3, parse: true}, "", true},
	} {
		t.Run(c.what, func(t *testing.T) {
			t.Parallel()
			r, err := analysis.Compare(t.Context(), analysis.Options{
				Subject: analysis.Side{Path: c.subject.log(t)}, Reference: analysis.Side{Path: c.reference.log(t)}, Alpha: analysis.AutoAlpha,
			})
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Tasks) > 0 {
				t.Errorf("%d tasks, want none", len(r.Tasks))
			}
			if r.AppCode.OneApp != c.oneApp {
				t.Errorf("one app: %t, want %t", r.AppCode.OneApp, c.oneApp)
			}
			set := finding.New(r)
			h := set.Headline()
			first := ""
			if h.Rows > 0 && h.First.Code {
				first = r.AppCode.Rows[h.First.Index].Method.Name
			}
			if first != c.first || (h.Savable.Most > 0) != (c.first != "") {
				t.Errorf("first is %q, and %d could be saved; want %q", first, h.Savable.Most, c.first)
			}
		})
	}
}
