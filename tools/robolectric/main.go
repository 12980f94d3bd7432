// Command robolectric compares recordings of instrumented apps with counts that share no code with
// diffprof. scripts/robolectric makes both.
//
//	robolectric calls MAP RECORDING COUNTS
//	robolectric mark MAP FOLDER MARKED PROBED SITES
//	robolectric blocks SITES COUNTS LINES
//
// calls compares with the counts of an agent, which counted calls in the original app. Each counted
// method must begin as often as in the original app, and must call each framework method as often.
//
// mark reads the app's code in FOLDER, as baksmali writes it, and writes two versions. In MARKED,
// each basic block has line numbers of its own. PROBED has the same lines, and a call at the start
// of each block. Only methods whose paths are in MAP are marked. SITES gets a line for each call:
// the method, and the line of its block. Both versions have a subfolder for each DEX file.
//
// blocks compares the counts of these calls with LINES, the figures of diffprof lines for a recording
// of MARKED.
//
// calls and blocks print the numbers, then the first differences. The exit code is 1 if counts
// differ.
package main

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/diffprof/diffprof/ingest"
	"github.com/diffprof/diffprof/ingest/calls"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
)

// shown is the largest number of differences that are printed.
const shown = 20

func main() {
	var err error
	switch args := os.Args[1:]; {
	case len(args) == 4 && args[0] == "calls":
		err = compareCalls(os.Stdout, args[1], args[2], args[3])
	case len(args) == 6 && args[0] == "mark":
		err = markApp(os.Stdout, args[1], args[2], args[3], args[4], args[5])
	case len(args) == 4 && args[0] == "blocks":
		err = compareBlocks(os.Stdout, args[1], args[2], args[3])
	default:
		fmt.Fprintln(os.Stderr, "usage: robolectric calls MAP RECORDING COUNTS\n       robolectric mark MAP FOLDER MARKED PROBED SITES\n       robolectric blocks SITES COUNTS LINES")
		os.Exit(2)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "robolectric:", err)
		os.Exit(1)
	}
}

// An event is that a method begins, or that a method calls a framework method. callee is empty in
// the first case.
type event struct{ method, callee string }

func (e event) String() string {
	if e.callee == "" {
		return e.method + " begins"
	}
	return e.method + " calls " + e.callee
}

func compareCalls(w io.Writer, mapFile, recording, counts string) error {
	methods, err := readMap(mapFile)
	if err != nil {
		return err
	}
	counted := make(map[string]bool, len(methods))
	for _, m := range methods {
		counted[m.Class+"."+m.Name+m.Descriptor] = true
	}
	got, err := record(recording, counted)
	if err != nil {
		return err
	}
	file, err := os.Open(counts)
	if err != nil {
		return err
	}
	defer file.Close()
	want, outside, err := reference(file, counted)
	if err != nil {
		return fmt.Errorf("%s: %w", counts, err)
	}
	return compare(w, got, want, outside)
}

// A counted is a method in the map of a copy of the app.
type counted struct {
	Class, Name, Descriptor string
	Paths                   *struct{} // nil if the method's paths are not counted
}

// readMap returns the methods that the copy of the app counts.
func readMap(path string) ([]counted, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	const head, sum = len(calls.Magic) + 5, 4 // sizes of the kind with the length, and of the checksum
	if len(data) < head+sum || !calls.Sniff(data) {
		return nil, fmt.Errorf("%s: not a map of diffprof instrument", path)
	}
	plain, err := gzip.NewReader(bytes.NewReader(data[head : len(data)-sum]))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var doc struct {
		Methods []counted
	}
	if err := json.NewDecoder(plain).Decode(&doc); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return doc.Methods, nil
}

// text returns a method as the agent writes it.
func text(m name.Method) string { return m.Class() + "." + m.Name + m.Signature }

// record returns how often each event happened in a recording.
func record(path string, counted map[string]bool) (map[event]int64, error) {
	ctx := context.Background()
	file, err := ingest.Open(ctx, path, ingest.Options{})
	if err != nil {
		return nil, err
	}
	defer file.Close()
	s := make(sink)
	run, err := file.Scan(ctx, s)
	if err != nil {
		return nil, err
	}
	events := make(map[event]int64)
	for pair, n := range s {
		e := event{method: text(run.Methods[pair.inner])}
		if !counted[e.method] {
			e = event{text(run.Methods[pair.outer]), e.method}
		}
		events[e] += n
	}
	return events, nil
}

// A pair is the two innermost frames of a stack. For a stack of one frame, both are that frame.
type pair struct{ outer, inner trace.MethodID }

// A sink counts the calls of pairs.
type sink map[pair]int64

func (sink) Events([]trace.Event) error {
	return errors.New("the recording is not of an instrumented app")
}

func (s sink) Samples(batch []trace.Sample) error {
	for i := range batch {
		stack := batch[i].Stack
		last := len(stack) - 1
		s[pair{stack[max(last-1, 0)], stack[last]}] += batch[i].Calls
	}
	return nil
}

// reference reads the agent's counts. outside is the number of calls in methods that the copy does
// not count.
func reference(r io.Reader, counted map[string]bool) (events map[event]int64, outside int64, err error) {
	events = make(map[event]int64)
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for number := 1; lines.Scan(); number++ {
		var n int64
		var kind string
		var e event
		got, _ := fmt.Sscan(lines.Text(), &n, &kind, &e.method, &e.callee)
		switch {
		case kind == "enter" && got == 3, kind == "call" && got == 4:
		default:
			return nil, 0, fmt.Errorf("line %d: unknown event %q", number, lines.Text())
		}
		switch {
		case counted[e.method]:
			events[e] += n
		case e.callee != "":
			outside += n
		}
	}
	return events, outside, lines.Err()
}

// compare prints the numbers and the differences.
func compare(w io.Writer, got, want map[event]int64, outside int64) error {
	all := maps.Clone(want)
	maps.Copy(all, got)
	var entries, calls, began, called, different int
	var report strings.Builder
	for _, e := range slices.SortedFunc(maps.Keys(all), func(a, b event) int {
		return cmp.Or(strings.Compare(a.method, b.method), strings.Compare(a.callee, b.callee))
	}) {
		if e.callee == "" {
			entries++
			began += int(want[e])
		} else {
			calls++
			called += int(want[e])
		}
		if got[e] == want[e] {
			continue
		}
		if different++; different <= shown {
			fmt.Fprintf(&report, "  %d times in the copy, %d in the original: %s\n", got[e], want[e], e)
		}
	}
	fmt.Fprintf(w, "%d methods began %d times, and made %d calls of the framework, with %d different pairs of a method and a called method\n",
		entries, began, called, calls)
	if outside > 0 {
		fmt.Fprintf(w, "%d calls are in methods that the copy does not count\n", outside)
	}
	if len(want) == 0 {
		return errors.New("the original counted nothing")
	}
	if different > 0 {
		fmt.Fprint(w, report.String())
		return fmt.Errorf("%d counts differ", different)
	}
	return nil
}
