package report_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/tools/artwrite"
)

// writeCalls writes an ART trace from a script of calls, a line each:
//
//	android.os.Looper.loop()V
//	  com.one.Main.onClick()V Main.java:12 ×3 500
//
// A call is made by the line above that is indented less. After the label of a call, there may be a
// file and line, the number of calls per call of its caller, and the exclusive time of each call in
// microseconds. A line "[name]" begins a thread.
func writeCalls(t *testing.T, path, script string) {
	t.Helper()
	tr := &artwrite.Trace{}
	var events []artwrite.Event
	methods := map[name.Method]int{}
	var clock time.Duration
	var emit func(calls []*call)
	emit = func(calls []*call) {
		for _, c := range calls {
			id, ok := methods[c.method]
			if !ok {
				id = len(tr.Methods)
				methods[c.method] = id
				tr.Methods = append(tr.Methods, c.method)
			}
			event := func(a artwrite.Action) {
				events = append(events, artwrite.Event{
					Thread: len(tr.Threads) - 1, Method: id, Action: a, CPU: clock, Wall: clock,
				})
			}
			for range c.times {
				event(artwrite.Enter)
				clock += c.self
				emit(c.callees)
				event(artwrite.Exit)
			}
		}
	}
	var top []*call
	var open []*call
	flush := func() {
		emit(top)
		top, open, clock = nil, nil, 0
	}
	for line := range strings.Lines(script) {
		line = strings.TrimRight(line, "\n")
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		if name, ok := strings.CutPrefix(line, "["); ok {
			flush()
			tr.Threads = append(tr.Threads, artwrite.Thread{ID: uint32(len(tr.Threads) + 1), Name: strings.TrimSuffix(name, "]")})
			continue
		}
		if tr.Threads == nil {
			tr.Threads = []artwrite.Thread{{ID: 1, Name: "main"}}
		}
		depth := (len(line) - len(strings.TrimLeft(line, " "))) / 2
		c := parseCall(t, fields)
		open = append(open[:depth], c)
		if depth == 0 {
			top = append(top, c)
		} else {
			open[depth-1].callees = append(open[depth-1].callees, c)
		}
	}
	flush()
	tr.Events = slices.Values(events)
	for _, ev := range events {
		tr.Elapsed = max(tr.Elapsed, ev.Wall)
	}
	var b bytes.Buffer
	if err := artwrite.Write(&b, tr, artwrite.Form{}); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
}

type call struct {
	method  name.Method
	times   int
	self    time.Duration
	callees []*call
}

func parseCall(t *testing.T, fields []string) *call {
	t.Helper()
	c := &call{method: name.Parse(fields[0], name.JVM), times: 1}
	for _, field := range fields[1:] {
		times, isTimes := strings.CutPrefix(field, "×")
		file, line, isFile := strings.Cut(field, ":")
		var err error
		switch {
		case isTimes:
			c.times, err = strconv.Atoi(times)
		case isFile:
			c.method.File = file
			c.method.Line, err = strconv.Atoi(line)
		default:
			var us int
			us, err = strconv.Atoi(field)
			c.self = time.Duration(us) * time.Microsecond
		}
		if err != nil {
			t.Fatalf("script: %q: %v", field, err)
		}
	}
	return c
}

// writeInput writes a section of a case to a file. If the section is called NAME.calls, the file is
// the recording of this script. Otherwise it has the text of the section. It returns the file's
// name.
func writeInput(t *testing.T, dir, name, text string) string {
	t.Helper()
	if base, ok := strings.CutSuffix(name, ".calls"); ok {
		file := base + ".trace"
		writeCalls(t, filepath.Join(dir, file), text)
		return file
	}
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
		t.Fatal(fmt.Errorf("writing %s: %w", name, err))
	}
	return name
}
