package model

import (
	"testing"
	"time"

	"github.com/diffprof/diffprof/trace"
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
