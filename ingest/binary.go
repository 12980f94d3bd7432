package ingest

import (
	"github.com/diffprof/diffprof/ingest/art"
	"github.com/diffprof/diffprof/ingest/jfr"
	"github.com/diffprof/diffprof/ingest/perf"
	"github.com/diffprof/diffprof/ingest/perfetto"
	"github.com/diffprof/diffprof/ingest/pprof"
	"github.com/diffprof/diffprof/ingest/simpleperf"
)

// binaryFormats returns the formats that a magic number or the fields of their messages tell.
func binaryFormats() []Format {
	return []Format{
		{
			Name:       "art",
			Title:      "method traces of ART and Dalvik",
			Begins:     "`*version` or `SLOW`",
			Extensions: []string{"trace"},
			Carries: []Fact{
				{"run", "every call and return; where it was sampled, what changed from one stack to the next"},
				{"methods", "class, name, descriptor and source file"},
				{"threads", "id and name"},
				{"clocks", "processor time of each thread and time since the start, or one of them"},
				{"calls", "counted, unless it was sampled"},
				{"hand-overs", "those of FILE.flows, if that lies beside it"},
			},
			ThreadClock: "record with a thread clock (clock=dual or clock=thread-cpu)",
			Flows:       true,
			Record: []Recipe{
				{
					With:  "diffprof itself, from a phone that adb reaches",
					Steps: []string{"diffprof record --package com.mine -o runs"},
					Note:  "The app must be debuggable or profileable. Runs begin alike, and the phone's heat and charge are kept with them.",
				},
				{
					With: "adb, while the app runs",
					Steps: []string{
						"adb shell am profile start com.mine /data/local/tmp/app.trace",
						"adb shell am profile stop com.mine",
						"adb pull /data/local/tmp/app.trace",
					},
					Note: "The app must be debuggable or profileable. --sampling 1000 before its name samples every 1000 µs: that slows the app less, and counts no calls.",
				},
				{
					With: "adb, from the app's start on",
					Steps: []string{
						"adb shell am start -S -W --start-profiler /data/local/tmp/app.trace com.mine/.MainActivity",
						"adb shell am profile stop com.mine",
						"adb pull /data/local/tmp/app.trace",
					},
				},
				{
					With: "the app's own code",
					Steps: []string{
						`Debug.startMethodTracing("app")`,
						"Debug.stopMethodTracing()",
						"adb pull /sdcard/Android/data/com.mine/files/app.trace",
					},
				},
				{
					With:  "Android Studio",
					Steps: []string{"Profiler, Record Java/Kotlin Methods, then Export Recording"},
				},
			},
			Sniff:  func(s *Source) bool { return art.Sniff(s.Head()) },
			Decode: decodeART,
		},
		{
			Name:       "simpleperf",
			Title:      "reports of simpleperf",
			Begins:     "`SIMPLEPERF`",
			Extensions: []string{"trace"},
			Carries: []Fact{
				{"run", "stacks of one event, of which cpu-clock and task-clock are processor time"},
				{"methods", "class and name; of native code the library and the symbol"},
				{"threads", "id, name and process"},
				{"clocks", "processor time, where the event is a clock"},
			},
			Record: []Recipe{
				{
					With: "simpleperf of the NDK, for an Android app",
					Steps: []string{
						`app_profiler.py -p com.mine -r "-e cpu-clock -f 1000 -g --duration 10"`,
						"simpleperf report-sample --protobuf --show-callchain -i perf.data -o app.trace",
					},
				},
			},
			Sniff:  func(s *Source) bool { return simpleperf.Sniff(s.Head()) },
			Decode: decodeSimpleperf,
		},
		{
			Name:       "perf",
			Title:      "recordings of simpleperf and of Linux perf",
			Begins:     "`PERFILE2`",
			Extensions: []string{"data"},
			Carries: []Fact{
				{"run", "stacks of one event, of which cpu-clock and task-clock are processor time; with --trace-offcpu those of waiting threads, too"},
				{"methods", "class and name; of native code the library and the function, where the recording names it or --symfs has the file"},
				{"threads", "id, name and process"},
				{"clocks", "processor time, where the event is a clock or a frequency makes one of its cycles; elapsed time with --trace-offcpu and --sample-type wall"},
			},
			Record: []Recipe{
				{
					With:  "simpleperf of the NDK, for an Android app",
					Steps: []string{`app_profiler.py -p com.mine -r "-e cpu-clock -f 1000 -g --duration 10"`},
					Note:  "It leaves perf.data, and a folder binary_cache for --symfs.",
				},
				{
					With:  "perf, on Linux",
					Steps: []string{"perf record -e cpu-clock -F 1000 -g -o perf.data -p PID -- sleep 30"},
					Note:  "Such files name no functions: --symfs / takes those of this machine's own programs.",
				},
			},
			ThreadClock: "leave --sample-type wall away",
			Sniff:       func(s *Source) bool { return perf.Sniff(s.Head()) },
			Decode:      decodePerf,
		},
		{
			Name:       "jfr",
			Title:      "recordings of Java Flight Recorder",
			Begins:     "`FLR`",
			Extensions: []string{"jfr"},
			Carries: []Fact{
				{"run", "stacks of running threads; --sample-type wall takes those of waiting ones, too"},
				{"methods", "class, name, descriptor and the line that a frame was at"},
				{"threads", "id and name"},
				{"clocks", "processor time, each sample standing for the interval that the recording states, or elapsed time"},
			},
			ThreadClock: "record samples of processor time (with profile.jfc or asprof -e cpu), and read them with --sample-type cpu",
			Record: []Recipe{
				{
					With:  "the JVM",
					Steps: []string{"jcmd PID JFR.start settings=profile duration=30s filename=/tmp/app.jfr"},
				},
				{
					With:  "async-profiler",
					Steps: []string{"asprof -d 30 -e cpu -f app.jfr PID"},
				},
			},
			Sniff:  func(s *Source) bool { return jfr.Sniff(s.Head()) },
			Decode: decodeJFR,
		},
		{
			Name:       "perfetto",
			Title:      "traces of Perfetto",
			Begins:     "packets of trace_packet.proto",
			Extensions: []string{"perfetto-trace", "pftrace"},
			Carries: []Fact{
				{"run", "slices of threads, of atrace and of track events, or stacks of perf and other samplers"},
				{"methods", "names of slices, numbers and addresses replaced; of stacks class and name, or library and symbol"},
				{"threads", "id, name and process"},
				{"clocks", "processor time, from the kernel's switches, and time since the start"},
				{"calls", "slices are counted; samples are not"},
				{"hand-overs", "flows of track events"},
				{"signals", "switches, frequencies, idle states, rails, battery, estimates of energy, states, wakelocks, packets of the network, sleep, counters and the log"},
			},
			Record: []Recipe{
				{
					With: "adb",
					Steps: []string{
						"adb shell perfetto -o /data/misc/perfetto-traces/app.perfetto-trace -t 20s sched freq idle am view dalvik power -a com.mine",
						"adb pull /data/misc/perfetto-traces/app.perfetto-trace",
					},
				},
				{
					With:  "Android Studio",
					Steps: []string{"Profiler, Capture System Activities, then Export Recording"},
				},
				{
					With:  "the page ui.perfetto.dev",
					Steps: []string{"Record new trace, with Scheduling details, CPU frequency and idle states, and Battery drain & power rails"},
				},
			},
			// Letters may look like fields.
			Sniff:  func(s *Source) bool { return !isText(s.Head()) && perfetto.Sniff(s.Head()) },
			Decode: decodePerfetto,
		},
		{
			Name:       "pprof",
			Title:      "pprof profiles",
			Begins:     "fields of profile.proto",
			Extensions: []string{"pprof"},
			Carries: []Fact{
				{"run", "stacks with the values of several sample types, of which one is read"},
				{"methods", "the function's name; of code without one, the library and the place in it"},
				{"threads", "where labels name them"},
				{"clocks", "processor time or elapsed time, where the values are times or count samples"},
				{"energy", "where the values are energies"},
			},
			ThreadClock: "record a profile of processor time, or choose a sample type that is one with --sample-type",
			Record: []Recipe{
				{
					With:  "Go, from a server that serves net/http/pprof",
					Steps: []string{"curl -o app.pprof 'http://localhost:6060/debug/pprof/profile?seconds=30'"},
				},
				{
					With:  "async-profiler, for a JVM",
					Steps: []string{"asprof -d 30 -e cpu -f app.jfr PID", "jfrconv --cpu app.jfr app.pprof"},
				},
				{
					With:  "Pyroscope",
					Steps: []string{"profilecli query profile --query '{service_name=\"app\"}' --output pprof=app.pprof"},
				},
			},
			// Letters may look like fields, and every profile has small numbers in its head.
			Sniff:  func(s *Source) bool { return !isText(s.Head()) && pprof.Sniff(s.Head()) },
			Decode: decodePprof,
		},
	}
}
