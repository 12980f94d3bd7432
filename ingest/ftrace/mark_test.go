package ftrace_test

import (
	"testing"

	"github.com/diffprof/diffprof/ingest/ftrace"
)

func TestReadMark(t *testing.T) {
	for _, c := range []struct {
		line, text string
		letter     byte
		process    int64
		value      int64
		ok         bool
	}{
		{line: "B|1234|inflate\n", letter: 'B', process: 1234, text: "inflate", ok: true},
		{line: "B|1234|a|b\x00", letter: 'B', process: 1234, text: "a|b", ok: true},
		{line: "E|1234", letter: 'E', process: 1234, ok: true},
		{line: "E", letter: 'E', process: -1, ok: true},
		{line: "B||no process", letter: 'B', process: -1, text: "no process", ok: true},
		{line: "B|99999999999|too large", letter: 'B', process: -1, text: "too large", ok: true},
		{line: "C|7|HW_VSYNC|on|-12\n", letter: 'C', process: 7, text: "HW_VSYNC|on", value: -12, ok: true},
		{line: "C|7|no value"},
		{line: "C|7|count|much"},
		{line: "trace_event_clock_sync: parent_ts=1.5"},
		{line: "\n"},
	} {
		m, ok := ftrace.ReadMark([]byte(c.line))
		if ok != c.ok || ok && (m.Letter != c.letter || m.Process != c.process || string(m.Text) != c.text || m.Value != c.value) {
			t.Errorf("%q: %+v %v, want %+v", c.line, m, ok, c)
		}
	}
}
