package ingest

import (
	"bytes"
	"fmt"
	"io/fs"

	"github.com/diffprof/diffprof/ingest/format"
)

// An UnknownError reports that no format of [Formats] matches a file.
type UnknownError struct {
	// Description describes the file, such as "it looks like a heap dump".
	Description string
	// Hint is advice for the user.
	Hint string
	// Convertible is true if the file need not be recorded again: Hint says what to do with it.
	Convertible bool
}

// Error describes the file, gives the hint, and refers to the list of formats.
func (e *UnknownError) Error() string {
	return fmt.Sprintf("not a recording that diffprof reads: %s; %s; diffprof info lists what diffprof reads", e.Description, e.Hint)
}

// unsupported describes a kind of file that diffprof recognizes but cannot read, with advice for
// its user.
type unsupported struct {
	what, hint string
	is         func(head []byte) bool
}

const (
	hintRecord  = "record a method trace, with Debug.startMethodTracing, am profile start or Android Studio"
	hintConvert = "open it with speedscope and save it there as a speedscope profile"
	hintStacks  = "record the stacks instead: asprof -e cpu -f app.jfr, py-spy record --format speedscope, or the folded stacks that the picture shows"
	hintUnpack  = "unpack the trace that is in it"
	hintPack    = "decompress it, or compress it with gzip or zstd"
	hintFetch   = "record again, or fetch the file again"
)

// unsupportedKinds are tried in order. The least ambiguous ones come first.
var unsupportedKinds = [...]unsupported{
	{"a heap dump", hintRecord, begins("JAVA PROFILE ")},
	{"a low-overhead profile of ART, which has no clock", hintRecord, begins("TMOL")},
	{"a recording of perf on a big-endian machine", "write it as text on that machine: perf script > app.perf-script", begins("2ELIFREP")},
	{"a zip archive, such as an apk or a bug report", hintUnpack, begins("PK\x03\x04")},
	{"a tar archive", hintUnpack, func(head []byte) bool { return len(head) > 257 && bytes.HasPrefix(head[257:], []byte("ustar")) }},
	{"xz-compressed data", hintPack, begins("\xfd7zXZ\x00")},
	{"bzip2-compressed data", hintPack, begins("BZh")},
	{"lz4-compressed data", hintPack, begins("\x04\x22\x4d\x18")},
	{"a program or library", hintRecord, begins("\x7fELF")},
	{"a dex file", hintRecord, begins("dex\n")},
	{"a class file", hintRecord, begins("\xca\xfe\xba\xbe")},
	{"an SQLite database", hintRecord, begins("SQLite format 3\x00")},
	{"a report of diffprof", "give the traces that it was made from", all(isJSON, holds(`"schemaVersion"`), holds(`"diffprof"`))},
	{"a profile of stackprof", "write it as folded stacks: stackprof --stackcollapse app.dump > app.folded", all(isJSON, holds(`"missed_samples"`))},
	{"a heap profile of V8, which has no time", "record processor time: node --cpu-prof app.js", all(isJSON, holds(`"selfSize"`))},
	{"a profile of pyinstrument", "write it for speedscope: pyinstrument -r speedscope -o app.speedscope.json app.py", all(isJSON, holds(`"root_frame"`))},
	{"a recording of Safari", hintConvert, all(isJSON, holds(`"recording"`), either(holds(`"timelines"`), holds(`"sampleStackTraces"`), holds(`"displayName"`)))},
	{"samples of Dart's VM in Perfetto's format, within JSON", "export the CPU profiler's page of the developer tools instead", all(isJSON, holds(`"PerfettoCpuSamples"`))},
	{"a profile of callgrind or Xdebug", hintConvert, matches(`^(# callgrind format|(version: \d+\r?\n)?creator: |positions: |events: )`)},
	{"a profile of macOS's sample", "fold it with FlameGraph: stackcollapse-sample.awk app.sample.txt > app.folded", matches(`^(Analysis of sampling |Sampling process )`)},
	{"a call tree copied from Instruments", hintConvert, matches(`^(Running Time|Weight|Bytes Used|Cycles)\t+Self`)},
	{"a log of V8", "convert it: node --prof-process --preprocess app.log > app.json, then " + hintConvert, begins("v8-version,")},
	{"a profile of Haskell in JSON", hintConvert, all(isJSON, holds(`"cost_centres"`))},
	{"a profile of Haskell as text", "write it as JSON with +RTS -pj, open it with speedscope and save it there as a speedscope profile", matches(`^\t[A-Z][^\n]* Time and Allocation Profiling Report`)},
	{"text of perf script without the event or the thread of its samples", "print all fields: perf script -F comm,pid,tid,time,event,period,ip,sym,dso > app.perf-script",
		matches(`^(#[^\n]*\n|\s*\n)*([^\t\n][^\n]*\n)?\t *[0-9a-f]{3,16}( [^\n]+)?\n`)},
	{"a profile of gperftools", "convert it: go tool pprof -proto PROGRAM app.prof > app.pprof",
		begins("\x00\x00\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00")},
	{"the picture of a flame graph", hintStacks, all(begins("<"), either(all(holds("<svg"), either(holds("FlameGraph"), holds("inferno"), holds("flamegraph"))), all(holds("<canvas id='canvas'>"), holds("#hl"))))},
	{"a trace of .NET", "convert it: dotnet-trace convert --format Speedscope app.nettrace", begins("Nettrace")},
	{"a profile of Python's cProfile, which has no stacks", "record with py-spy: py-spy record --format speedscope -o app.speedscope.json -- python app.py", either(begins("\xfb)\x03"), begins("\xfb\xa9\x03"), begins("\xfb(\x03"))},
	{"a flame graph of Pyroscope in JSON", "download the profile as pprof instead", all(isJSON, holds(`"flamebearer"`))},
	{"spans of Jaeger or Zipkin", "export the spans with OTLP: the OpenTelemetry Collector reads both, and its file exporter writes JSON", all(isJSON, either(all(holds(`"traceID"`), holds(`"spans"`)), all(holds(`"traceId"`), holds(`"timestamp"`))))},
	{"metrics or logs of OpenTelemetry, which have no spans", "export the traces of the same run", all(isJSON, either(holds(`"resourceMetrics"`), holds(`"resourceLogs"`)))},
	{"a log of requests (HAR), which has no functions", "record with the performance panel of the browser, and save the profile", all(isJSON, holds(`"entries"`), holds(`"startedDateTime"`))},
	{"results of a benchmark, which have no functions", "record the benchmark with a profiler, such as perf, go test -cpuprofile or async-profiler", all(isJSON, holds(`"benchmarks"`))},
	{"JSON of an unknown kind", "diffprof reads the JSON of Chrome traces, V8, the Firefox Profiler, speedscope, OpenTelemetry and power meters: export one of them, or write folded stacks", isJSON},
	{"an Android power profile", "give it with --power-profile, together with a trace", all(begins("<"), holds("<device name="))},
	{"a page of HTML", hintRecord, either(begins("<!DOCTYPE"), begins("<!doctype"), begins("<html"))},
	{"XML", hintRecord, begins("<")},
	{"an R8 or ProGuard mapping file", "give it with --mapping, together with a trace", matches(`^(#[^\n]*\r?\n)*[\w.$]+ -> [\w.$]+:\s*(#|\r?\n)`)},
	{"a log of Android without times", "save it with logcat -v epoch", matches(`^(--------- [^\n]*\n)*[VDIWEFAS]/[^(\n]*\( *\d+\): `)},
	{"hand-overs between threads", "give it the name of the trace plus .flows, or pass it with --flows", matches(`^(#[^\n]*\n|\s*\n)*(enqueue|dispatch)\s+\d+\s+\d+\s`)},
}

// isEmpty reports whether a folder can be read and has no files.
func isEmpty(folder fs.FS) bool {
	entries, err := fs.ReadDir(folder, ".")
	return err == nil && len(entries) == 0
}

// newUnknown describes a source of unknown format.
func newUnknown(s *source) *UnknownError {
	head := s.Head()
	switch {
	case s.Folder() != nil && isEmpty(s.Folder()):
		return &UnknownError{Description: "the folder is empty", Hint: "name a recording, or a folder with the recordings of one scenario"}
	case s.Folder() != nil:
		return &UnknownError{Description: "it is a folder without recordings", Hint: "name a recording"}
	case len(head) == 0:
		return &UnknownError{Description: "the file is empty", Hint: hintFetch}
	}
	text := format.IsText(head)
	if text {
		head = plainText(head)
	}
	if s.outline != nil {
		head = s.outline
	}
	for _, l := range unsupportedKinds {
		if l.is(head) {
			return &UnknownError{Description: "it looks like " + l.what, Hint: l.hint, Convertible: l.hint != hintRecord && l.hint != hintStacks}
		}
	}
	switch {
	case text:
		return &UnknownError{Description: "it is text, but not folded stacks", Hint: "write each line as frames joined by ';', a space and a number"}
	case bytes.Count(head, []byte{0}) == len(head):
		return &UnknownError{Description: "it begins with zeros only", Hint: hintFetch}
	}
	return &UnknownError{Description: fmt.Sprintf("its first bytes are % x", head[:min(len(head), 8)]), Hint: hintRecord}
}
