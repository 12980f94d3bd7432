package process_test

import (
	"strings"
	"testing"

	"github.com/diffprof/diffprof/ingest/process"
	"github.com/diffprof/diffprof/trace"
)

func TestFind(t *testing.T) {
	all := []trace.Process{
		{ID: 1, Name: "init"}, {ID: 20, Name: "com.mine"}, {ID: 21, Name: "com.mine:remote"},
		{ID: 30, Name: "com.two"}, {ID: 31, Name: "com.two"},
		{ID: 40, Name: ".longer.package"}, {ID: 41, Name: "a_long_name_of_"}, {ID: 42},
	}
	for _, c := range []struct {
		wanted string
		id     int64
		wrong  string
	}{
		{wanted: "com.mine", id: 20},
		{wanted: "21", id: 21},
		{wanted: "com.mine:remote", id: 21},
		{wanted: "com.example.longer.package", id: 40},
		{wanted: "a_long_name_of_a_program", id: 41},
		{wanted: "42", id: 42},
		{wanted: "com.two", wrong: `2 processes are named "com.two": choose one by its number: com.two (30), com.two (31)`},
		{wanted: "com.min", wrong: `no process "com.min"; the processes are init (1), com.mine (20), com.mine:remote (21), com.two (30)`},
		{wanted: "99", wrong: `no process "99"`},
		{wanted: "init.", wrong: `no process "init."`},
	} {
		i, err := process.Find(all, c.wanted)
		switch {
		case c.wrong == "" && (err != nil || all[i].ID != c.id):
			t.Errorf("%q: process %d, %v; want %d", c.wanted, i, err, c.id)
		case c.wrong != "" && (err == nil || !strings.HasPrefix(err.Error(), c.wrong)):
			t.Errorf("%q: %v; want %q", c.wanted, err, c.wrong)
		}
	}
	if _, err := process.Find(nil, "x"); err == nil || !strings.Contains(err.Error(), "names no processes") {
		t.Errorf("no process at all: %v", err)
	}
	many := make([]trace.Process, 100)
	if _, err := process.Find(many, "x"); err == nil || !strings.HasSuffix(err.Error(), "and 88 more") {
		t.Errorf("many processes: %v", err)
	}
}

// TestFindWhole checks that a process with exactly the requested name takes precedence over a
// process with a truncated name.
func TestFindWhole(t *testing.T) {
	all := []trace.Process{{ID: 1, Name: ".longer.package"}, {ID: 2, Name: "com.example.longer.package"}}
	if i, err := process.Find(all, "com.example.longer.package"); err != nil || i != 1 {
		t.Errorf("process %d, %v", i, err)
	}
}

func TestName(t *testing.T) {
	for _, c := range []struct {
		main, app string
		alone     bool
		want      string
	}{
		{"e.longer.package", "com.example.longer.package", false, "com.example.longer.package"},
		{"com.example.lon", "com.example.longer.package", false, "com.example.longer.package"},
		{"logcat", "com.example.longer.package", false, "logcat"},
		{"", "com.example.longer.package", false, ""},
		{"", "com.example.longer.package", true, "com.example.longer.package"},
		{"server\xff", "", true, "server\uFFFD"},
	} {
		if got := process.Name(c.main, c.app, c.alone); got != c.want {
			t.Errorf("%q of %q: %q, want %q", c.main, c.app, got, c.want)
		}
	}
	if got := process.Several(make([]trace.Process, 1)); got != nil {
		t.Errorf("one process: %v", got)
	}
}
