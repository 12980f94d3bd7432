package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

// An event is a line of go test -json; see go doc test2json.
type event struct {
	Action     string
	Package    string
	ImportPath string
	Test       string
	Output     string
	Elapsed    float64 // seconds
}

type testKey struct{ pkg, test string }

// A tally counts results. It keeps the output of a test until the test ends, and prints it if the
// test fails.
type tally struct {
	out                     io.Writer
	pending                 map[testKey][]string
	passed, failed, skipped int
	// failedIn counts the failed tests of each package. A package may also fail without a failed
	// test, because its build fails or TestMain panics.
	failedIn map[string]int
	// times has the time of each test that is not a subtest.
	times []testTime
}

// A testTime is how long a test took in seconds, including its subtests.
type testTime struct {
	testKey
	seconds float64
}

func (t *tally) read(r io.Reader) error {
	t.failedIn = map[string]int{}
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadString('\n')
		if line != "" {
			t.line(line)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("reading test events: %w", err)
		}
	}
}

// line reads one line. A line that is not JSON is a message of the go command, and line prints it.
func (t *tally) line(line string) {
	var ev event
	if err := json.Unmarshal([]byte(line), &ev); err != nil {
		fmt.Fprint(t.out, line)
		return
	}
	key := testKey{ev.Package, ev.Test}
	switch ev.Action {
	case "build-output":
		fmt.Fprint(t.out, ev.Output)
	case "output":
		switch {
		case ev.Test != "":
			t.pending[key] = append(t.pending[key], ev.Output)
		case ev.Output != "PASS\n":
			fmt.Fprint(t.out, ev.Output)
		}
	case "pass", "fail", "skip":
		if ev.Test != "" && !strings.Contains(ev.Test, "/") {
			t.times = append(t.times, testTime{key, ev.Elapsed})
		}
		t.end(key, ev.Action)
	}
}

// end ends a test, or a package if key has no test.
func (t *tally) end(key testKey, action string) {
	if key.test == "" {
		if action == "fail" {
			if t.failedIn[key.pkg] == 0 {
				t.failed++
			}
			// After a panic or a timeout, some tests have not ended. Their output says why.
			for k, output := range t.pending {
				if k.pkg == key.pkg {
					fmt.Fprint(t.out, strings.Join(output, ""))
				}
			}
		}
		for k := range t.pending {
			if k.pkg == key.pkg {
				delete(t.pending, k)
			}
		}
		return
	}
	switch action {
	case "pass":
		t.passed++
	case "fail":
		t.failed++
		t.failedIn[key.pkg]++
		fmt.Fprint(t.out, strings.Join(t.pending[key], ""))
	case "skip":
		t.skipped++
		fmt.Fprintf(t.out, "skip\t%s\t%s%s\n", key.pkg, key.test, reason(t.pending[key]))
	}
	delete(t.pending, key)
}

// reason returns the message of a skipped test: the last line that is not a heading of go test.
func reason(output []string) string {
	message := ""
	for _, line := range output {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "=== ") && !strings.HasPrefix(line, "--- ") {
			message = ": " + line
		}
	}
	return message
}

// slowest prints the n tests that took longest, and the total time of all tests.
func (t *tally) slowest(n int) {
	sum := 0.0
	for _, test := range t.times {
		sum += test.seconds
	}
	slices.SortStableFunc(t.times, func(a, b testTime) int { return cmp.Compare(b.seconds, a.seconds) })
	fmt.Fprintf(t.out, "The slowest of %d tests, which took %.0f s in all:\n", len(t.times), sum)
	for _, test := range t.times[:min(n, len(t.times))] {
		fmt.Fprintf(t.out, "%7.1f s  %s  %s\n", test.seconds, test.pkg, test.test)
	}
}

// finish prints the last line, and reports whether all tests passed. It returns false for a run
// without tests, because the command was probably wrong. A skipped test counts as a test.
func (t *tally) finish() bool {
	fmt.Fprintf(t.out, "%d passed, %d failed, %d skipped\n", t.passed, t.failed, t.skipped)
	return t.failed == 0 && t.passed+t.skipped > 0
}
