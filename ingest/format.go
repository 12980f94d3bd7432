package ingest

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/diffprof/diffprof/ingest/art"
	"github.com/diffprof/diffprof/ingest/atrace"
	"github.com/diffprof/diffprof/ingest/batterystats"
	"github.com/diffprof/diffprof/ingest/chrome"
	"github.com/diffprof/diffprof/ingest/firefox"
	"github.com/diffprof/diffprof/ingest/folded"
	"github.com/diffprof/diffprof/ingest/jfr"
	"github.com/diffprof/diffprof/ingest/meter"
	"github.com/diffprof/diffprof/ingest/perf"
	"github.com/diffprof/diffprof/ingest/perfetto"
	"github.com/diffprof/diffprof/ingest/perfscript"
	"github.com/diffprof/diffprof/ingest/pprof"
	"github.com/diffprof/diffprof/ingest/simpleperf"
	"github.com/diffprof/diffprof/ingest/speedscope"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// A Format is a format of recordings. What is said of it here is all that
// docs/formats.md, diffprof info, the message for unknown files and the editors'
// pickers say.
type Format struct {
	// Name is what programs call it, and what Trace.Format is.
	Name string
	// Title is what people call recordings of the format, in the plural.
	Title string
	// Begins says what such files begin with.
	Begins string
	// Extensions are those that such files usually have and few others, without the
	// dot. Pickers go by them; what a file is is told by its content alone.
	Extensions []string
	// Carries says what recordings hold, each fact once and in the order of
	// FactNames. A fact that is not there is not carried.
	Carries []Fact
	// ThreadClock says what to do for processor time where a recording of the format has
	// elapsed time alone; empty where the format never has.
	ThreadClock string
	// Flows says that hand-overs between threads may lie beside it.
	Flows bool
	// Record are ways to make such files, the commonest first.
	Record []Recipe
	// Sniff says whether a file is of the format. It looks at the source's head or
	// at the names in its folder, and at nothing else.
	Sniff func(*Source) bool
	// Decode reads a source to its end and gives what it finds to sink. Errors of
	// the file are *syntax.Error, without its path.
	Decode func(context.Context, *Source, trace.Sink, Options) (*trace.Trace, error)
}

// A Fact is something that a recording holds, and where it does.
type Fact struct{ Name, How string }

// FactNames are the names of all facts, in the order that they are shown in.
func FactNames() []string {
	return []string{"run", "methods", "threads", "clocks", "energy", "calls", "hand-overs", "signals"}
}

// A Recipe is a way to record.
type Recipe struct {
	// With is what it takes.
	With string
	// Steps are commands, or what to do.
	Steps []string
	// Note may be empty.
	Note string
}

// Formats returns the formats that can be read, in the order in which they are
// tried: those with a magic number first, plain text last.
func Formats() []Format {
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
		{
			Name:       "meter",
			Title:      "tables of power meters",
			Begins:     "text: the names of columns, among them `time` and `power` or `energy`; or JSON objects with such fields, one a line",
			Extensions: []string{}, // .csv says nothing
			Carries: []Fact{
				{"run", "none: they lie beside a recording of what the app did"},
				{"clocks", "the meter's own, which may count since 1970"},
				{"signals", "what was drained up to each moment, and which components were on"},
			},
			Record: []Recipe{
				{
					With:  "a power meter, or a script that asks the phone for its current and voltage",
					Steps: []string{"echo time,watts > meter.csv"},
					Note:  "Write a row a moment. Units stand behind the names, as in power_mW; without one they are seconds and watts.",
				},
			},
			Sniff:  func(s *Source) bool { return isText(s.Head()) && meter.Sniff(s.Head()) },
			Decode: decodeMeter,
		},
		{
			Name:       "batterystats",
			Title:      "battery statistics of Android",
			Begins:     "text: `Battery History`",
			Extensions: []string{}, // .txt says nothing
			Carries: []Fact{
				{"run", "none: they lie beside a recording of what the app did"},
				{"clocks", "the phone's, from the reset of the statistics on"},
				{"signals", "which components were on, and the battery's charge in whole mAh"},
			},
			Record: []Recipe{
				{
					With:  "diffprof itself, beside each run",
					Steps: []string{"diffprof record --battery-stats --package com.mine -o runs"},
				},
				{
					With:  "adb",
					Steps: []string{"adb shell dumpsys batterystats --reset", "adb shell dumpsys batterystats > run.batterystats.txt"},
					Note:  "The phone counts nothing while it is plugged in, unless adb shell dumpsys battery unplug says otherwise.",
				},
			},
			Sniff:  func(s *Source) bool { return isText(s.Head()) && batterystats.Sniff(s.Head()) },
			Decode: decodeBatteryStats,
		},
		{
			Name:       "atrace",
			Title:      "logs of atrace and systrace",
			Begins:     "`# tracer:`, `TRACE:`, or a page of HTML titled Android System Trace",
			Extensions: []string{"ftrace", "systrace"},
			Carries: []Fact{
				{"run", "slices, the parts of its work that a program names, as calls within their thread; of one process, which --process chooses"},
				{"methods", "the names of slices, numbers replaced"},
				{"threads", "id, name and process"},
				{"clocks", "processor time of each slice, where the log has the scheduler's switches, and time since the start"},
				{"calls", "counted"},
			},
			Record: []Recipe{
				{
					With:  "adb",
					Steps: []string{"adb exec-out atrace -z -b 65536 -t 10 -a com.mine sched freq idle gfx view am dalvik > app.ftrace"},
				},
				{
					With:  "systrace, of older SDKs",
					Steps: []string{"systrace.py -t 10 -a com.mine -o trace.html sched freq idle gfx view am dalvik"},
				},
			},
			Sniff:  func(s *Source) bool { return atrace.Sniff(s.Head()) },
			Decode: decodeAtrace,
		},
		{
			Name:       "cpuprofile",
			Title:      "CPU profiles of V8",
			Begins:     "JSON: `nodes`, each with a `callFrame`",
			Extensions: []string{"cpuprofile"},
			Carries: []Fact{
				{"run", "stacks of one thread; --sample-type wall takes those of a thread that waits, too"},
				{"methods", "the function's name, with the script, and the line of one without a name"},
				{"clocks", "elapsed time up to the next sample, which is processor time but where the thread waits"},
			},
			Record: []Recipe{
				{
					With:  "Node",
					Steps: []string{"node --cpu-prof app.js"},
				},
				{
					With:  "Chrome, for a page or an Android WebView",
					Steps: []string{"the developer tools' JavaScript Profiler, then Save"},
				},
			},
			Sniff:  func(s *Source) bool { return chrome.SniffProfile(s.Head()) },
			Decode: decodeCPUProfile,
		},
		{
			Name:       "chrome",
			Title:      "Chrome traces",
			Begins:     "JSON: a list of events with `ph`, or an object with `traceEvents`",
			Extensions: []string{}, // .json says nothing
			Carries: []Fact{
				{"run", "slices of threads, or stacks by V8's or Hermes' profiler, which --sample-type chooses"},
				{"methods", "the name of a slice; of a stack the function's name and the script"},
				{"threads", "id, name and process"},
				{"clocks", "elapsed time, and processor time where every slice has it"},
				{"energy", "where diffprof wrote the trace"},
				{"calls", "counted, of slices"},
				{"hand-overs", "the flows between slices"},
			},
			Record: []Recipe{
				{
					With:  "Chrome, for a page or an Android WebView",
					Steps: []string{"the developer tools' Performance, Record, then Save profile"},
				},
				{
					With:  "React Native with Hermes",
					Steps: []string{"npx react-native profile-hermes /tmp"},
				},
			},
			Sniff:  func(s *Source) bool { return chrome.Sniff(s.Head()) },
			Decode: decodeChrome,
		},
		{
			Name:       "speedscope",
			Title:      "speedscope profiles",
			Begins:     "JSON: speedscope's `$schema`",
			Extensions: []string{}, // .json says nothing
			Carries: []Fact{
				{"run", "stacks of one or several profiles of one kind; --sample-type takes one by its name"},
				{"methods", "the frame's name, with the script where that is JavaScript"},
				{"threads", "the names of the profiles"},
				{"clocks", "elapsed time, or processor time where a profile's name says CPU"},
				{"energy", "where a profile's name ends in a unit of energy, as in (nJ), or --folded-unit says that values are energies"},
			},
			Record: []Recipe{
				{
					With:  "py-spy, for Python",
					Steps: []string{"py-spy record --format speedscope -o app.speedscope.json --pid PID"},
				},
				{
					With:  "dotnet-trace, for .NET",
					Steps: []string{"dotnet-trace collect --format Speedscope -p PID"},
				},
			},
			Sniff:  func(s *Source) bool { return speedscope.Sniff(s.Head()) },
			Decode: decodeSpeedscope,
		},
		{
			Name:       "firefox",
			Title:      "profiles of the Firefox Profiler",
			Begins:     "JSON: `meta` with an `interval`",
			Extensions: []string{}, // .json says nothing
			Carries: []Fact{
				{"run", "stacks of all threads; power meters and other counters as signals"},
				{"methods", "the function's name, with the script or the library"},
				{"threads", "id, name and process"},
				{"clocks", "processor time where every thread has it, else elapsed time"},
			},
			Record: []Recipe{
				{
					With:  "Firefox, on Android as well",
					Steps: []string{"about:debugging or the toolbar's Profiler: Start, Capture, then Upload or Save"},
					Note:  "The preset Power records what the power meters of the machine say.",
				},
				{
					With:  "samply, for native programs",
					Steps: []string{"samply record --save-only -o app.json ./app"},
				},
			},
			Sniff:  func(s *Source) bool { return firefox.Sniff(s.Head()) },
			Decode: decodeFirefox,
		},
		{
			Name:       "perf-script",
			Title:      "text of perf script",
			Begins:     "text: a thread, its number, a moment and an event; or `# captured on`",
			Extensions: []string{"perf-script"},
			Carries: []Fact{
				{"run", "stacks of one event, of which cpu-clock and task-clock are processor time"},
				{"methods", "class and name; of native code the library and the function"},
				{"threads", "id and name, and the process where it was printed"},
				{"clocks", "processor time, where the event is a clock or a frequency makes one of its cycles"},
			},
			Record: []Recipe{
				{
					With:  "perf, on Linux",
					Steps: []string{"perf record -e cpu-clock -F 1000 -g -p PID -- sleep 30", "perf script --header -F +pid > app.perf-script"},
				},
				{
					With:  "simpleperf of the NDK, for an Android app",
					Steps: []string{"report_sample.py -i perf.data > app.perf-script"},
				},
			},
			Sniff:  func(s *Source) bool { return isText(s.Head()) && perfscript.Sniff(s.Head()) },
			Decode: decodePerfScript,
		},
		{
			Name:       "joularjx",
			Title:      "energies by JoularJX",
			Begins:     "text: frames parted by `;`, a comma and joules",
			Extensions: []string{}, // .csv says nothing
			Carries: []Fact{
				{"run", "stacks, each with the energy of its innermost frame"},
				{"methods", "class and name"},
				{"energy", "in joules, as JoularJX shares out what the processor's meter says"},
			},
			Record: []Recipe{
				{
					With:  "JoularJX, for a JVM",
					Steps: []string{"java -javaagent:joularjx.jar -jar app.jar"},
					Note:  "Set track-consumption and save-call-trees-consumption in its config.properties, and take the file that ends in call-trees-energy.csv. Files of powers look the same and make no sense here.",
				},
			},
			Sniff:  func(s *Source) bool { return isJoularJX(s.Head()) },
			Decode: decodeJoularJX,
		},
		{
			Name:       "folded",
			Title:      "folded stacks",
			Begins:     "text: frames parted by `;`, a space and a number",
			Extensions: []string{"folded", "collapsed", "foldedstack"},
			Carries: []Fact{
				{"run", "stacks, each with a value for its innermost frame"},
				{"methods", "the text of a frame: class, name and descriptor where its writer knows them"},
				{"threads", "where the first frame is the thread's name in brackets"},
				{"clocks", "processor time, where --folded-unit says that the values are times"},
				{"energy", "where --folded-unit says that the values are energies"},
				{"calls", "where values say them, as 1200@3 does"},
			},
			Record: []Recipe{
				{
					With:  "async-profiler, for a JVM",
					Steps: []string{"asprof -d 30 -e cpu -t --total -o collapsed -f app.folded PID"},
					Note:  "Read it with --folded-unit ns.",
				},
				{
					With: "simpleperf, for an Android app",
					Steps: []string{
						`app_profiler.py -p com.mine -r "-e cpu-clock -f 1000 -g --duration 10"`,
						"stackcollapse.py -i perf.data > app.folded",
					},
					Note: "Read it with --folded-unit ns.",
				},
				{
					With: "perf and FlameGraph, on Linux",
					Steps: []string{
						"perf record -F 1000 -g -p PID -- sleep 30",
						"perf script | stackcollapse-perf.pl > app.folded",
					},
					Note: "Values count samples: read it with --folded-unit ms.",
				},
				{
					With:  "any other program",
					Steps: []string{"echo '[main];app.Feed.load()V;app.Json.read()V 1200' > app.folded"},
					Note:  "Read it with --folded-unit nJ, or the unit that the values have.",
				},
			},
			Sniff:  func(s *Source) bool { return folded.Sniff(s.Head()) },
			Decode: decodeFolded,
		},
	}
}

func decodeART(ctx context.Context, s *Source, sink trace.Sink, o Options) (*trace.Trace, error) {
	opts := art.Options{Partial: o.Partial, Flows: s.flows}
	decode := func(sink trace.Sink) (*trace.Trace, error) {
		r, err := s.Stream(ctx)
		if err != nil {
			return nil, err
		}
		defer r.Close()
		return art.Decode(ctx, r, sink, opts)
	}
	if art.LateClock(s.Head()) {
		// Which of an event's fields its time belongs to has to be known from the
		// start, so that this rare form is read twice.
		t, err := decode(nothing{})
		if err != nil {
			return nil, err
		}
		opts.Clock = t.Clock
	}
	return decode(sink)
}

func decodeSimpleperf(ctx context.Context, s *Source, sink trace.Sink, o Options) (*trace.Trace, error) {
	open := func() (io.ReadCloser, error) { return s.Stream(ctx) }
	return simpleperf.Decode(ctx, open, sink, simpleperf.Options{SampleType: o.SampleType, Process: o.Process, Frequency: o.Frequency, Partial: o.Partial})
}

func decodePerf(ctx context.Context, s *Source, sink trace.Sink, o Options) (*trace.Trace, error) {
	r, size, err := s.At(ctx)
	if err != nil {
		return nil, err
	}
	opts := perf.Options{
		SampleType: o.SampleType, Process: o.Process, Frequency: o.Frequency, Partial: o.Partial, MaxExpanded: max(o.MaxExpanded, 0),
	}
	if o.Symfs != "" {
		root, err := os.OpenRoot(o.Symfs)
		if err != nil {
			return nil, fmt.Errorf("opening the folder of programs: %w", err)
		}
		defer root.Close()
		opts.Files = root.FS()
	}
	return perf.Decode(ctx, r, size, sink, opts)
}

func decodePerfScript(ctx context.Context, s *Source, sink trace.Sink, o Options) (*trace.Trace, error) {
	open := func() (io.ReadCloser, error) { return s.Stream(ctx) }
	return perfscript.Decode(ctx, open, sink, perfscript.Options{SampleType: o.SampleType, Process: o.Process, Frequency: o.Frequency})
}

func decodeJFR(ctx context.Context, s *Source, sink trace.Sink, o Options) (*trace.Trace, error) {
	r, size, err := s.At(ctx)
	if err != nil {
		return nil, err
	}
	return jfr.Decode(ctx, r, size, sink, jfr.Options{SampleType: o.SampleType, Partial: o.Partial})
}

func decodePerfetto(ctx context.Context, s *Source, sink trace.Sink, o Options) (*trace.Trace, error) {
	r, size, err := s.At(ctx)
	if err != nil {
		return nil, err
	}
	return perfetto.Decode(ctx, r, size, sink, perfetto.Options{
		SampleType: o.SampleType, Process: o.Process, Partial: o.Partial, MaxExpanded: s.max,
		Spool: func() (perfetto.File, error) { return unnamed() },
	})
}

func decodePprof(ctx context.Context, s *Source, sink trace.Sink, o Options) (*trace.Trace, error) {
	open := func() (io.ReadCloser, error) { return s.Stream(ctx) }
	return pprof.Decode(ctx, open, sink, pprof.Options{SampleType: o.SampleType})
}

func decodeAtrace(ctx context.Context, s *Source, sink trace.Sink, o Options) (*trace.Trace, error) {
	open := func() (io.ReadCloser, error) { return s.Stream(ctx) }
	return atrace.Decode(ctx, open, sink, atrace.Options{Process: o.Process, Partial: o.Partial})
}

func decodeChrome(ctx context.Context, s *Source, sink trace.Sink, o Options) (*trace.Trace, error) {
	r, err := s.Stream(ctx)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return chrome.Decode(ctx, r, sink, chrome.Options{SampleType: o.SampleType, Process: o.Process})
}

func decodeCPUProfile(ctx context.Context, s *Source, sink trace.Sink, o Options) (*trace.Trace, error) {
	r, err := s.Stream(ctx)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return chrome.DecodeProfile(ctx, r, sink, chrome.Options{SampleType: o.SampleType, Process: o.Process})
}

func decodeSpeedscope(ctx context.Context, s *Source, sink trace.Sink, o Options) (*trace.Trace, error) {
	open := func() (io.ReadCloser, error) { return s.Stream(ctx) }
	return speedscope.Decode(ctx, open, sink, speedscope.Options{SampleType: o.SampleType, Unit: o.Unit, Voltage: o.Voltage})
}

func decodeFirefox(ctx context.Context, s *Source, sink trace.Sink, o Options) (*trace.Trace, error) {
	r, err := s.Stream(ctx)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return firefox.Decode(ctx, r, sink, firefox.Options{SampleType: o.SampleType, Process: o.Process})
}

func decodeFolded(ctx context.Context, s *Source, sink trace.Sink, o Options) (*trace.Trace, error) {
	r, err := s.Stream(ctx)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return folded.Decode(ctx, r, sink, folded.Options{Unit: o.Unit, Voltage: o.Voltage})
}

func decodeMeter(ctx context.Context, s *Source, sink trace.Sink, _ Options) (*trace.Trace, error) {
	r, err := s.Stream(ctx)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return meter.Decode(ctx, r, sink)
}

func decodeBatteryStats(ctx context.Context, s *Source, sink trace.Sink, _ Options) (*trace.Trace, error) {
	r, err := s.Stream(ctx)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return batterystats.Decode(ctx, r, sink)
}

func decodeJoularJX(ctx context.Context, s *Source, sink trace.Sink, _ Options) (*trace.Trace, error) {
	joule, err := units.ParseValueUnit("J")
	if err != nil {
		return nil, err
	}
	r, err := s.Stream(ctx)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	t, err := folded.Decode(ctx, r, sink, folded.Options{Unit: joule, Comma: true})
	if err != nil {
		return nil, err
	}
	t.Format = "joularjx"
	return t, nil
}

// nothing is a sink for scans that are made for their Trace.
type nothing struct{}

func (nothing) Events([]trace.Event) error   { return nil }
func (nothing) Samples([]trace.Sample) error { return nil }
