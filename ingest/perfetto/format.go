package perfetto

import (
	"context"

	"github.com/diffprof/diffprof/ingest/format"
	"github.com/diffprof/diffprof/trace"
)

// Format describes traces of Perfetto.
var Format = format.Format{
	Name:       "perfetto",
	Title:      "traces of Perfetto",
	Start:      "packets of trace_packet.proto",
	Extensions: []string{"perfetto-trace", "pftrace"},
	Facts: []format.Fact{
		{Name: "run", Detail: "slices of threads, from atrace and track events, or stacks of perf and other samplers"},
		{Name: "methods", Detail: "names of slices, with numbers and addresses replaced; for stacks class and name, or library and symbol"},
		{Name: "lines", Detail: "if the trace has symbols"},
		{Name: "threads", Detail: "id, name and process"},
		{Name: "clocks", Detail: "processor time, from the kernel's switches, and time since the start"},
		{Name: "calls", Detail: "slices are counted; samples are not"},
		{Name: "hand-overs", Detail: "flows of track events"},
		{Name: "signals", Detail: "switches, frequencies, idle states, power rails, battery, estimates of energy, states, wakelocks, network packets, sleep, counters and the log"},
	},
	Record: []format.Recipe{
		{
			Tools: "adb",
			Steps: []string{
				"adb shell perfetto -o /data/misc/perfetto-traces/app.perfetto-trace -t 20s sched freq idle am view dalvik power -a com.mine",
				"adb pull /data/misc/perfetto-traces/app.perfetto-trace",
			},
		},
		{
			Tools: "Android Studio",
			Steps: []string{"Profiler, Capture System Activities, then Export Recording"},
		},
		{
			Tools: "the page ui.perfetto.dev",
			Steps: []string{"Record new trace, with Scheduling details, CPU frequency and idle states, and Battery drain & power rails"},
		},
	},
	// Some texts look like valid fields of a packet.
	Sniff:  func(s format.Source) bool { return !format.IsText(s.Head()) && Sniff(s.Head()) },
	Decode: read,
}

func read(ctx context.Context, s format.Source, sink trace.Sink, o format.Options) (*trace.Trace, error) {
	r, size, err := s.At(ctx)
	if err != nil {
		return nil, err
	}
	return Decode(ctx, r, size, sink, Options{
		SampleType: o.SampleType, Process: o.Process, Partial: o.Partial, MaxExpanded: o.MaxExpanded,
		Spool: func() (File, error) { return s.Temp() }, Triggers: o.Triggers,
	})
}
