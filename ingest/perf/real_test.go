package perf_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/diffprof/diffprof/ingest/perf"
	"github.com/diffprof/diffprof/trace/tracetest"
)

// TestReal compares the real recordings, if present, with the output of the NDK's simpleperf
// report.
func TestReal(t *testing.T) {
	const dir = "../../../shared/data"
	if _, err := os.Stat(dir); err != nil {
		t.Skip("the real recordings of ../shared/data are not here")
	}
	for _, tt := range []struct{ name, asked, want string }{
		{"simpleperf/aosp-aggregatable_perf1.data", "", "13452 samples, 8047245125"},
		{"simpleperf/aosp-aggregatable_perf2.data", "", "13150 samples, 7676378483"},
		{"simpleperf/aosp-perf_display_bitmaps.data", "", "525 samples, 131250000"},
		{"simpleperf/aosp-perf_need_proguard_mapping.data", "", "1 samples, 418311"},
		{"simpleperf/aosp-perf_with_add_counter.data", "", "12 samples, 1262572"},
		{"simpleperf/aosp-perf_with_interpreter_frames.data", "", "4032 samples, 1677995232"},
		// simpleperf does not sort the samples, so its report counts 178 µs twice.
		{"simpleperf/aosp-perf_with_trace_offcpu.data", "wall", "2367 samples, 1850124432"},
		{"simpleperf/aosp-perf_with_trace_offcpu_v2.data", "", "208 samples, 52000000"},
		{"simpleperf/aosp-perf_with_trace_offcpu_v2.data", "wall", "298 samples, 404075821"},
		{"simpleperf/aosp-perf_with_trace_offcpu_v2.data", "sched:sched_switch", "96 samples, 96"},
		{"simpleperf/aosp-perf_with_tracepoint_event.data", "", "14 samples, 5642436"},
		{"simpleperf/aosp-perf_with_tracepoint_event.data", "sched:sched_switch", "31 samples, 31"},
		{"simpleperf/aosp-perf_with_two_event_types.data", "", "2 samples, 500000"},
		{"simpleperf/aosp-perf_with_two_event_types.data", "cpu-cycles", "8 samples, 3983917"},
		{"simpleperf/aosp-two_process_perf.data", "", "271 samples, 69151241"},
		{"simpleperf/studio-simpleperf_raw_trace.trace", "wall", "2108 samples, 45016100920"},
		{"simpleperf/studio-simpleperf_trace_without_symbols.trace", "wall", "7853 samples, 51239783645"},
		{"linux-perf/aosp-generated_by_linux_perf.data", "cycles", "156 samples, 28436173163"},
	} {
		data, err := os.ReadFile(filepath.Join(dir, tt.name))
		if err != nil {
			t.Error(err)
			continue
		}
		rec := recording{data, perf.Options{SampleType: tt.asked}}
		c := &tracetest.Collector{}
		tr, err := rec.Scan(context.Background(), c)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		var sum time.Duration
		for _, s := range c.Kept {
			sum += time.Duration(s.CPU + s.Wall + int64(s.Energy))
		}
		if got := fmt.Sprintf("%d samples, %d", tr.Events, sum); got != tt.want {
			t.Errorf("%s as %q: %s, want %s", tt.name, tt.asked, got, tt.want)
		}
		if err := tracetest.Check(context.Background(), rec); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}
