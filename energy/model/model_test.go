package model

import (
	"strings"
	"testing"
	"time"

	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

func TestBusy(t *testing.T) {
	c := Component{Work: []Work{
		{On: []trace.Verb{trace.OpSend, trace.OpReceive}, Fixed: 10 * time.Millisecond, PerKiB: 8 * time.Millisecond},
		{On: []trace.Verb{trace.OpSend}, Fixed: time.Hour},
	}}
	for _, w := range []struct {
		verb  trace.Verb
		bytes int64
		want  time.Duration
		known bool
	}{
		{trace.OpSend, 0, 10 * time.Millisecond, true},
		{trace.OpReceive, 1536, 22 * time.Millisecond, true},
		{trace.OpReceive, 1, 10*time.Millisecond + 7812*time.Nanosecond, true},
		{trace.OpOpen, 1536, 0, false},
	} {
		got, known := c.Busy(w.verb, w.bytes)
		if got/time.Microsecond != w.want/time.Microsecond || known != w.known {
			t.Errorf("%v of %d bytes keeps it busy for %v, %v; want %v, %v", w.verb, w.bytes, got, known, w.want, w.known)
		}
	}
}

func TestVerbNames(t *testing.T) {
	for i, name := range trace.VerbNames() {
		if v, ok := trace.VerbOf(name); !ok || v != trace.Verb(i) || v.String() != name {
			t.Errorf("verb %d is %q, and %q is verb %d", i, v, name, v)
		}
	}
	if _, ok := trace.VerbOf("poll"); ok {
		t.Error("poll is a verb")
	}
}

func TestRunning(t *testing.T) {
	passion, err := Ready("passion")
	if err != nil {
		t.Fatal(err)
	}
	curves, _, _, err := FromCurves(strings.NewReader(flat), strings.NewReader(beside))
	if err != nil {
		t.Fatal(err)
	}
	curves.Base = 1000
	for _, c := range []struct {
		cpu   *CPU
		power units.Power
		want  string
	}{
		{passion.CPU, 412550, "412.55 mW at 614.4 MHz, the middle one of 12 frequencies of cpu0"},
		{curves, 32500, "32.5 mW (1 mW CPU + 1.5 mW cluster + 30 mW core) at 300 MHz, the middle one of 2 frequencies of policy4"},
		{&CPU{Clusters: curves.Clusters[:1]}, 23000, "23 mW (0 µW CPU + 3 mW cluster + 20 mW core) at 300 MHz, the only frequency of policy0"},
	} {
		if power, source := c.cpu.Running(); power != c.power || source != c.want {
			t.Errorf("a running core draws %d µW: %s; want %d: %s", power, source, c.power, c.want)
		}
	}
}
