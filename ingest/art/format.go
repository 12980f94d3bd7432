package art

import (
	"context"
	"io"

	"github.com/diffprof/diffprof/ingest/format"
	"github.com/diffprof/diffprof/trace"
)

// Format describes method traces of ART and Dalvik.
var Format = format.Format{
	Name:       "art",
	Title:      "method traces of ART and Dalvik",
	Start:      "`*version` or `SLOW`",
	Extensions: []string{"trace"},
	Facts: []format.Fact{
		{Name: "run", Detail: "every call and return; for sampled traces the changes between consecutive stacks"},
		{Name: "methods", Detail: "class, name, descriptor and source file"},
		{Name: "threads", Detail: "id and name"},
		{Name: "clocks", Detail: "processor time of each thread, time since the start, or both"},
		{Name: "calls", Detail: "counted, unless the trace is sampled"},
		{Name: "hand-overs", Detail: "from FILE.flows next to the trace, if it exists"},
	},
	ThreadClock: "record with a thread clock (clock=dual or clock=thread-cpu)",
	Flows:       true,
	Record: []format.Recipe{
		{
			Tools: "diffprof itself, with a phone connected to adb",
			Steps: []string{"diffprof record --package com.mine -o runs"},
			Note:  "The app must be debuggable or profileable. All runs start in the same way, and the phone's temperature and charge are stored with them.",
		},
		{
			Tools: "adb, while the app runs",
			Steps: []string{
				"adb shell am profile start com.mine /data/local/tmp/app.trace",
				"adb shell am profile stop com.mine",
				"adb pull /data/local/tmp/app.trace",
			},
			Note: "The app must be debuggable or profileable. --sampling 1000 before its name samples every 1000 µs, which slows the app less but does not count calls.",
		},
		{
			Tools: "adb, from the app's start on",
			Steps: []string{
				"adb shell am start -S -W --start-profiler /data/local/tmp/app.trace com.mine/.MainActivity",
				"adb shell am profile stop com.mine",
				"adb pull /data/local/tmp/app.trace",
			},
		},
		{
			Tools: "the app's own code",
			Steps: []string{
				`Debug.startMethodTracing("app")`,
				"Debug.stopMethodTracing()",
				"adb pull /sdcard/Android/data/com.mine/files/app.trace",
			},
		},
		{
			Tools: "Android Studio",
			Steps: []string{"Profiler, Record Java/Kotlin Methods, then Export Recording"},
		},
	},
	Sniff:  func(s format.Source) bool { return Sniff(s.Head()) },
	Decode: read,
}

// read decodes a source.
func read(ctx context.Context, s format.Source, sink trace.Sink, o format.Options) (*trace.Trace, error) {
	opts := Options{Partial: o.Partial, Flows: s.Flows()}
	once := format.Streamed(func(ctx context.Context, r io.Reader, sink trace.Sink, _ format.Options) (*trace.Trace, error) {
		return Decode(ctx, r, sink, opts)
	})
	if LateClock(s.Head()) {
		// The decoder needs the clock before the first event, because the clock decides which field
		// of an event has its time. A file that names its clock at the end is therefore read twice.
		t, err := once(ctx, s, discard{}, o)
		if err != nil {
			return nil, err
		}
		opts.Clock = t.Clock
	}
	return once(ctx, s, sink, o)
}

// discard is the sink of a scan that needs only the Trace.
type discard struct{}

func (discard) Events([]trace.Event) error   { return nil }
func (discard) Samples([]trace.Sample) error { return nil }
