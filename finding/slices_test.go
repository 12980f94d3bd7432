package finding_test

import (
	"fmt"
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
}

// log writes 100 frames of the app as an ftrace log. Two processors run the main thread and the
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
	for frame := range 100 {
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
