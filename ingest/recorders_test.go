package ingest_test

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/ingest"
	"github.com/diffprof/diffprof/internal/shorten"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/trace/tracetest"
)

// recordings is the folder with recordings of small programs. Its file matrix.json has the figures
// that another reader found in them. The script oracle.py in this folder writes matrix.json.
const recordings = "testdata/recorders"

// largeRecordings is the folder with the recordings that are too large to keep.
var largeRecordings = flag.String("recordings", "", "the folder with the large recordings of scripts/recorders")

// A recorder is a row of the matrix: a recorder, its version and its options.
type recorder struct {
	Recorder, Version, Options, Remark string
	// File is the recording, and Reader is the program whose figures are expected. Both are empty
	// if the recorder was not run.
	File, Reader string
	Samples      int64
	// Date is the day of the recording.
	Date string
	// Worked and Elapsed are the processor time and the elapsed time of the program's work. Process
	// is the processor time of the whole process. The program measured all three itself, in
	// nanoseconds. They are 0 if it measured nothing.
	Worked, Elapsed, Process int64
	// Total and the values of Top are in nanoseconds.
	Total int64
	Top   []struct {
		Name  string
		Value int64
	}
}

// path returns the path of the recording. It skips the test if a large recording is absent.
func (r *recorder) path() string {
	if r.large() {
		return filepath.Join(*largeRecordings, r.File)
	}
	return filepath.Join(recordings, r.File)
}

// kept reports whether the recording is available. Some rows have no recording, and large
// recordings exist only where scripts/recorders made them.
func (r *recorder) kept() bool {
	return r.File != "" && (!r.large() || *largeRecordings != "")
}

// large reports whether the recording is too large for the repository.
func (r *recorder) large() bool { return strings.HasPrefix(r.File, "large/") }

func matrix(t *testing.T) []recorder {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(recordings, "matrix.json"))
	if err != nil {
		t.Fatal(err)
	}
	var rows []recorder
	if err := json.Unmarshal(data, &rows); err != nil {
		t.Fatal(err)
	}
	return rows
}

// TestRecorders compares the number of samples, their total and the five most expensive
// functions with the figures of another reader.
func TestRecorders(t *testing.T) {
	for _, row := range matrix(t) {
		if !row.kept() {
			continue
		}
		t.Run(row.File, func(t *testing.T) {
			tr, s := sums(t, row.path())
			got := row
			got.Samples, got.Total, got.Top = s.count, s.total, nil
			byName := s.byName(tr)
			differs := got.Samples != row.Samples || !near(got.Total, row.Total)
			var lines []string
			for _, top := range row.Top {
				differs = differs || !near(byName[top.Name], top.Value)
				lines = append(lines, fmt.Sprintf("%s: %d, want %d", top.Name, byName[top.Name], top.Value))
			}
			// No function may be more expensive than the first function of the other reader's list.
			if most := largest(byName); len(row.Top) > 0 && !near(most, row.Top[0].Value) {
				differs = true
			}
			if differs {
				t.Errorf("%d samples, total %d; %s found %d and %d\n%s", got.Samples, got.Total, row.Reader, row.Samples, row.Total, strings.Join(lines, "\n"))
			}
		})
	}
}

// sums reads a recording and sums up its samples.
func sums(t *testing.T, path string) (*trace.Trace, *leaves) {
	t.Helper()
	f, err := ingest.Open(t.Context(), path, ingest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := tracetest.Check(t.Context(), f); err != nil {
		t.Error(err)
	}
	s := &leaves{self: make(map[trace.MethodID]int64)}
	tr, err := f.Scan(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return tr, s
}

// byName returns the sums by the names of functions.
func (l *leaves) byName(tr *trace.Trace) map[string]int64 {
	names := make(map[string]int64)
	for m, value := range l.self {
		names[function(tr.Methods, m)] += value
	}
	return names
}

// near reports whether two sums are equal except for the rounding of their parts.
func near(a, b int64) bool { return max(a-b, b-a) <= max(2000, b/10_000) }

func largest(m map[string]int64) (most int64) {
	for _, n := range m {
		most = max(most, n)
	}
	return most
}

// function returns the name of a method without module, script and arguments.
func function(methods []name.Method, m trace.MethodID) string {
	if int(m) >= len(methods) || m < 0 {
		return "[none]"
	}
	label := methods[m].Label()
	label = label[strings.LastIndexByte(label, '`')+1:]
	if i := strings.Index(label, " ("); i > 0 {
		label = label[:i]
	}
	if i := strings.IndexByte(label, '('); i > 0 {
		label = label[:i]
	}
	return label
}

// leaves sums up samples by their innermost method.
type leaves struct {
	clock        trace.Clock
	count, total int64
	self         map[trace.MethodID]int64
	// open are the open calls of each thread. last is the time of each thread's latest event.
	open map[trace.ThreadID][]trace.MethodID
	last map[trace.ThreadID]int64
}

func (l *leaves) Start(clock trace.Clock, _ trace.Provenance) { l.clock = clock }

func (l *leaves) Events(batch []trace.Event) error {
	if l.open == nil {
		l.open, l.last = make(map[trace.ThreadID][]trace.MethodID), make(map[trace.ThreadID]int64)
	}
	for _, e := range batch {
		stack := l.open[e.Thread]
		value := e.CPU
		if l.clock&trace.ThreadCPU == 0 {
			value = e.Time - l.last[e.Thread]
		}
		l.last[e.Thread] = e.Time
		if n := len(stack); n > 0 {
			l.total += value
			l.self[stack[n-1]] += value
		}
		l.count++
		if e.Kind == trace.Enter {
			l.open[e.Thread] = append(stack, trace.MethodID(e.Ref))
		} else if n := len(stack); e.Kind == trace.Exit && n > 0 {
			l.open[e.Thread] = stack[:n-1]
		}
	}
	return nil
}

func (l *leaves) Samples(batch []trace.Sample) error {
	for _, s := range batch {
		if l.clock&trace.ThreadCPU == 0 && !s.Activity.Costs() {
			continue // the thread waited
		}
		value := s.CPU
		switch {
		case l.clock == 0:
			value = int64(s.Energy)
		case l.clock&trace.ThreadCPU == 0:
			value = s.Wall
		}
		l.count += cmp.Or(s.Count, 1)
		l.total += value
		leaf := trace.MethodID(-1)
		if n := len(s.Stack); n > 0 {
			leaf = s.Stack[n-1]
		}
		l.self[leaf] += value
	}
	return nil
}

var _ trace.StartSink = (*leaves)(nil)

// TestRecordersCut truncates every recording in 200 places, or in 20 places with -short. Reading
// each part must give either an error or a recording.
func TestRecordersCut(t *testing.T) {
	formats := ingest.Formats()
	for _, row := range matrix(t) {
		if row.File == "" || row.large() {
			continue
		}
		data := content(t, filepath.Join(recordings, row.File))
		path := filepath.Join(t.TempDir(), "cut")
		places := shorten.Count(100)
		for i := range places {
			if err := os.WriteFile(path, data[:i*len(data)/places], 0o600); err != nil {
				t.Fatal(err)
			}
			f, err := ingest.OpenAs(t.Context(), path, ingest.Options{}, formats)
			if err != nil {
				continue
			}
			if _, err := f.Scan(context.Background(), tracetest.Discard{}); err != nil && strings.ContainsAny(err.Error(), "\n\x00") {
				t.Errorf("%s cut at %d of %d: %q", row.File, i, places, err)
			}
			f.Close()
		}
	}
}

// content returns the decompressed bytes of a recording.
func content(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasSuffix(path, ".gz") {
		r, err := gzip.NewReader(bytes.NewReader(data))
		if err == nil {
			data, err = io.ReadAll(r)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return data
}

// recorderDocs formats the matrix as Markdown. Each recorder has a row for each set of options.
// Versions that were run with the same options share a row.
func recorderDocs(t *testing.T) string {
	type option struct{ text, remark string }
	type recordings struct {
		name    string
		ran     bool
		rows    []recorder
		options []option
		same    map[option][]recorder
	}
	var all []*recordings
	var dates []string
	for _, r := range matrix(t) {
		ran := r.Reader != ""
		i := slices.IndexFunc(all, func(some *recordings) bool { return some.name == r.Recorder && some.ran == ran })
		if i < 0 {
			i = len(all)
			all = append(all, &recordings{name: r.Recorder, ran: ran, same: map[option][]recorder{}})
		}
		o := option{r.Options, r.Remark}
		if all[i].same[o] == nil {
			all[i].options = append(all[i].options, o)
		}
		all[i].rows, all[i].same[o] = append(all[i].rows, r), append(all[i].same[o], r)
		if r.Date != "" {
			dates = append(dates, r.Date)
		}
	}
	slices.Sort(dates)
	dates = slices.Compact(dates)
	var b, others strings.Builder
	fmt.Fprintf(&b, "# Recorders that were tried\n\n<!-- Written by go test ./ingest -update. -->\n\nThese recorders recorded a program of known work (`scripts/recorders`, %s, Linux with two cores). "+
		"Another reader found the same samples, total and first functions as diffprof. An option's percentage is the recorded time of the "+
		"program's work, compared with the time that the program measured. The machine was busy: recorders that sample threads without a core record more. Go gives some samples to runtime.asyncPreempt, and pyinstrument most of them to the caller.\n\n"+
		"| recorder | versions | options |\n|---|---|---|\n", strings.Join(dates, " and "))
	for _, some := range all {
		var options []string
		for _, o := range some.options {
			text := o.text
			facts := []string{spread(some.same[o], " %", func(r recorder) int64 { return r.percent() }), strings.TrimPrefix(strings.TrimPrefix(o.remark, "Java 17"), "; ")}
			if facts = slices.DeleteFunc(facts, func(f string) bool { return f == "–" || f == "" }); len(facts) > 0 {
				text += " (" + strings.Join(facts, "; ") + ")"
			}
			options = append(options, text)
		}
		row := &others
		if some.ran {
			row = &b
		}
		fmt.Fprintf(row, "| %s | %s | %s |\n", some.name, versions(some.rows), strings.Join(options, "; "))
	}
	b.WriteString("\nThese were not run. Files of others were read:\n\n| recorder | versions | options |\n|---|---|---|\n" + others.String())
	return b.String()
}

// versions lists the versions of a recorder.
func versions(rows []recorder) string {
	var all []string
	for _, r := range rows {
		if !slices.Contains(all, r.Version) {
			all = append(all, r.Version)
		}
	}
	return strings.Join(all, ", ")
}

// spread formats the range of a figure over recorders. If no recorder has the figure, it returns a
// dash.
func spread(rows []recorder, unit string, value func(recorder) int64) string {
	least, most := value(rows[0]), value(rows[0])
	for _, r := range rows {
		least, most = min(least, value(r)), max(most, value(r))
	}
	switch {
	case most == 0:
		return "–"
	case least == most:
		return fmt.Sprint(least, unit)
	}
	return fmt.Sprintf("%d to %d%s", least, most, unit)
}

// percent returns the recorded time of the program's functions as a percentage of the measured
// time. It is 0 if either time is unknown.
func (r *recorder) percent() int64 {
	recorded := r.work()
	if r.known() == 0 || recorded == 0 {
		return 0
	}
	return (recorded*100 + r.known()/2) / r.known()
}

// work returns the recorded time of the program's functions.
func (r *recorder) work() (sum int64) {
	for _, top := range r.Top {
		if share(top.Name) > 0 {
			sum += top.Value
		}
	}
	return sum
}

// known returns the time that the program measured for its work. This is the elapsed time if the
// recorder records elapsed time, and otherwise the processor time.
func (r *recorder) known() int64 {
	if strings.Contains(r.Remark, "elapsed time") {
		return r.Elapsed
	}
	return r.Worked
}

// share returns a function's percentage of the program's work. It is 0 for functions that are not
// part of the work.
func share(function string) int64 {
	switch function[strings.LastIndexByte(function, '.')+1:] {
	case "sixty":
		return 60
	case "thirty":
		return 30
	case "ten":
		return 10
	}
	return 0
}
