package ingest

import (
	"github.com/diffprof/diffprof/ingest/atrace"
	"github.com/diffprof/diffprof/ingest/batterystats"
	"github.com/diffprof/diffprof/ingest/chrome"
	"github.com/diffprof/diffprof/ingest/firefox"
	"github.com/diffprof/diffprof/ingest/folded"
	"github.com/diffprof/diffprof/ingest/logcat"
	"github.com/diffprof/diffprof/ingest/meter"
	"github.com/diffprof/diffprof/ingest/perfscript"
	"github.com/diffprof/diffprof/ingest/petra"
	"github.com/diffprof/diffprof/ingest/profilo"
	"github.com/diffprof/diffprof/ingest/speedscope"
	"github.com/diffprof/diffprof/ingest/strace"
)

// textFormats returns the formats that are text. Folded stacks are the last, since other texts
// look like them.
func textFormats() []Format {
	return []Format{
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
				{"signals", "switches, frequencies, idle states and counters"},
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
			Name:       "logcat",
			Title:      "logs of Android",
			Begins:     "text: a moment, a priority and a tag",
			Extensions: []string{"logcat"},
			Carries: []Fact{
				{"run", "none: they lie beside a recording of what the app did"},
				{"clocks", "that of the calendar, or since the phone's start, where logcat was asked for one of them"},
				{"signals", "wakelocks, the GPS receiver, cameras and the screen, where the phone logs them"},
			},
			Record: []Recipe{
				{
					With:  "adb",
					Steps: []string{"adb logcat -b all -v epoch > app.logcat"},
					Note:  "With -v monotonic it lies beside a method trace by itself.",
				},
			},
			Sniff:  func(s *Source) bool { return isText(s.Head()) && logcat.Sniff(s.Head()) },
			Decode: decodeLogcat,
		},
		{
			Name:       "strace",
			Title:      "logs of strace",
			Begins:     "text: a system call with its arguments and result, behind a thread's number and a moment if they are there",
			Extensions: []string{"strace"},
			Carries: []Fact{
				{"run", "every system call, as the innermost frame of the stack that made it, where -k printed that"},
				{"methods", "the library and the function, as far as the library has symbols; the system call"},
				{"threads", "id, name and process"},
				{"clocks", "how long each call lasted, where -T printed it, and the time since the start"},
				{"calls", "counted, of the system calls"},
				{"signals", "what was asked of the network and the disk, by the descriptors of calls"},
			},
			Record: []Recipe{
				{
					With:  "strace, on Linux, or on a rooted Android phone",
					Steps: []string{"strace -f -ttt -T -k -yy -o app.strace ./app"},
					Note:  "Stacks take most of the time: without -k the calls are there without who made them. Join the files of -ff by strace-log-merge.",
				},
			},
			Sniff:  func(s *Source) bool { return isText(s.Head()) && strace.Sniff(s.Head()) },
			Decode: decodeStrace,
		},
		{
			Name:       "profilo",
			Title:      "traces of Profilo",
			Begins:     "text: a line `ver|`, and a line `prec|` after it",
			Extensions: []string{}, // .log says nothing
			Carries: []Fact{
				{"run", "stacks, each counted once"},
				{"methods", "numbers in the app's dex files, without names"},
				{"threads", "id, name and process"},
				{"clocks", "processor time, where --folded-unit says what a sample stands for"},
				{"energy", "where --folded-unit says that a sample stands for one"},
			},
			Record: []Recipe{
				{
					With:  "Profilo, a library in the app",
					Steps: []string{"a trace by its configuration, then the file that it leaves in the app's cache folder"},
				},
			},
			Sniff:  func(s *Source) bool { return profilo.Sniff(s.Head()) },
			Decode: decodeProfilo,
		},
		{
			Name:       "petra",
			Title:      "energies by PETrA",
			Begins:     "text: `signature, joule, seconds` or `Signature,Joule`",
			Extensions: []string{}, // .csv says nothing
			Carries: []Fact{
				{"run", "every call of the app's own methods, in the order of their begins"},
				{"methods", "class, name, descriptor and source file"},
				{"energy", "in joules, as PETrA cuts it out of the device's drain; of calls that state more than the one that they lie in, in proportion"},
				{"calls", "counted"},
			},
			Record: []Recipe{
				{
					With:  "PETrA, for an Android app",
					Steps: []string{"java -jar PETrA.jar"},
					Note:  "It writes runN/result.csv, one run, and allRuns.csv, all of them as one.",
				},
			},
			Sniff:  func(s *Source) bool { return petra.Sniff(s.Head()) },
			Decode: decodePETrA,
		},
		{
			Name:       "joularjx",
			Title:      "energies by JoularJX",
			Begins:     "text: frames parted by `;`, a comma and joules; or a folder of such files",
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
					Note:  "Set track-consumption and save-call-trees-consumption in its config.properties, and give the run's folder in joularjx-result. Files of powers look the same and make no sense here.",
				},
			},
			Sniff:  sniffJoularJX,
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
