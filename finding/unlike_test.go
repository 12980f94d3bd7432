package finding_test

import (
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/internal/shorten"
	"github.com/diffprof/diffprof/units"
)

// TestLittleInCommonWithoutTasks checks that own code alone decides whether two runs without tasks
// have anything in common.
func TestLittleInCommonWithoutTasks(t *testing.T) {
	for _, c := range []struct {
		name, subject, reference string
		little                   bool
	}{
		{"unlike", "android.os.Looper.loop()V;com.first.Alpha.run()V 5000100\n", "android.os.Looper.loop()V;org.second.Beta.run()V 9000007\n", true},
		{"alike", "android.os.Looper.loop()V;com.first.Alpha.run()V 50001000\n", "android.os.Looper.loop()V;com.first.Alpha.run()V 4000100\n", false},
		{"system alone", "java.io.File.exists()Z 5000100\n", "java.io.File.delete()Z 4000100\n", false},
	} {
		set := compare(t, c.subject, c.reference)
		if got := set.Result.Summary.LittleInCommon(); got != c.little {
			t.Errorf("%s: little in common is %v", c.name, got)
		}
		if h := set.Headline(); c.little && (h.Doubt != finding.LittleInCommon || h.Rows != 0 || h.Savable != (finding.Interval{})) {
			t.Errorf("%s: %+v", c.name, h)
		}
	}
}

// TestNamesOfCodeParts checks the parts of own code: only in one run, costing more, and costing
// less.
func TestNamesOfCodeParts(t *testing.T) {
	const top = "android.os.Looper.loop()V;"
	subject := top + "p.app.Main.run()V;p.app.Sort.more()V 50000001\n" + top + "p.app.Main.run()V;p.app.Sort.less()V 1000001\n" + top + "p.app.Main.stop()V;p.app.Net.here()V 30000007\n"
	reference := top + "p.app.Main.run()V;p.app.Sort.more()V 1000003\n" + top + "p.app.Main.run()V;p.app.Sort.less()V 40000003\n" + top + "p.app.Main.run()V;p.app.Sort.there()V 90000001\n"
	want := map[finding.PartCode][2]units.Energy{
		finding.CostlierOwn: {50000001, 1000003}, finding.CheaperOwn: {1000001, 40000003}, finding.SubjectOnlyOwn: {30000007, 0}, finding.ReferenceOnlyOwn: {0, 90000001},
	}
	h := compare(t, subject, reference).Headline()
	for _, p := range h.Portions {
		if got := [2]units.Energy{p.Subject, p.Reference}; got != want[p.Code] || p.Rows != 1 {
			t.Errorf("%s has %v in %d rows, want %v", p.Code, got, p.Rows, want[p.Code])
		}
		delete(want, p.Code)
	}
	if len(want) > 0 {
		t.Errorf("parts are missing: %v", want)
	}
	if most := units.Energy(50000001 - 1000003 + 30000007); h.Savable.Most != most {
		t.Errorf("%+v could be saved, want %d", h.Savable, most)
	}
}

// programs are real recordings, each of a different program, with the name of the program.
var programs = map[string]string{
	"Kafka": "jfr/cortex-kafka-cpu-0.jfr.gz", "a Java sample": "jfr/pyroscope-dump1.jfr.gz", "a Java program": "jfr/speedscope-heavy.jfr",
	"FastSlow": "time/gjfr-FastSlow_2024_01_16_180855.jfr.gz", "spancontext": "time/gjfr-new_spancontext.jfr.gz",
	"1brc": "time/pgo-asg0451+1brc-go.pprof", "cs": "time/pgo-boyter+cs.pprof", "crc32": "pprof/google-go.crc32.cpu.pb", "gobench": "pprof/google-gobench.cpu.pb",
	"cppbench": "pprof/google-cppbench.cpu.pb", "node": "time/aa1.cpuprofile", "sucrase": "chrome/speedscope-sucrase.cpuprofile", "hello.cjs": "chrome/firefox-hello.cjs.cpuprofile",
	"Vert.x": "folded/flamegraph-perf-vertx-stacks-01-collapsed-all.txt", "iperf": "folded/flamegraph-perf-iperf-stacks-pidtid-01-collapsed-all.txt",
	"a Rust program": "linux-perf/speedscope-rust-mangled.txt", "ls": "time/samply-ls-profile.json.gz", "display_bitmaps": "simpleperf/aosp-perf_display_bitmaps.data",
	"endless tunnel": "simpleperf/studio-simpleperf_raw_trace.trace", "likaci": "art/likaci-cpu_trace.trace", "Firefox": "art/firefox-art-regular.trace.gz",
	"androidperformance": "art/androidperformance-App.trace", "profilertester": "art/profilertester-cpu-art-new.trace", "basic": "art/perflib-basic.trace", "a page": "chrome/speedscope-timeline-65.json",
}

// TestUnlikeProgramsSaveNothing compares each real recording with each recording of another
// program. No saving between two programs may be certain.
func TestUnlikeProgramsSaveNothing(t *testing.T) {
	const data = "../../shared/data/"
	if _, err := os.Stat(data); err != nil {
		t.Skip("no real recordings: ", err)
	}
	inputs := make(map[string]string)
	for program, path := range programs {
		if _, err := os.Stat(filepath.Join(data, path)); err == nil {
			inputs[program] = filepath.Join(data, path)
		}
	}
	names := slices.Sorted(maps.Keys(inputs))
	random, compared := rand.New(rand.NewPCG(3, 5)), 0
	for range shorten.Count(120) {
		subject, reference := names[random.IntN(len(names))], names[random.IntN(len(names))]
		if subject == reference {
			continue
		}
		r, err := analysis.Compare(t.Context(), analysis.Options{Subject: analysis.Side{Path: inputs[subject]}, Reference: analysis.Side{Path: inputs[reference]}})
		if err != nil {
			t.Errorf("%s against %s: %v", subject, reference, err)
			continue
		}
		compared++
		if h := finding.New(r).Headline(); h.Savable.Most > 0 || h.Rows > 0 {
			t.Errorf("%s against %s: %+v could be saved, by %d rows", subject, reference, h.Savable, h.Rows)
		}
	}
	if compared == 0 {
		t.Skip("no pair of real recordings")
	}
}
