package chrome_test

import (
	"bytes"
	"testing"

	"github.com/diffprof/diffprof/ingest/chrome"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/trace/tracetest"
)

// TestUnmatchedEnds has an end without a begin. Inside an open slice, it becomes no event. Before
// any slice, it is the end of a call that began before the recording.
func TestUnmatchedEnds(t *testing.T) {
	for _, c := range []struct {
		events string
		kinds  []trace.Kind
	}{
		{`{"ph":"X","ts":0,"dur":100,"pid":1,"tid":1,"name":"a"},{"ph":"E","ts":50,"pid":1,"tid":1,"name":"b"}`, []trace.Kind{trace.Enter, trace.Exit}},
		{`{"ph":"X","ts":0,"dur":100,"pid":1,"tid":1,"name":"a"}`, []trace.Kind{trace.Enter, trace.Exit}},
		{`{"ph":"E","ts":50,"pid":1,"tid":1,"name":"b"},{"ph":"X","ts":60,"dur":100,"pid":1,"tid":1,"name":"a"}`, []trace.Kind{trace.Exit, trace.Enter, trace.Exit}},
	} {
		sink := &kinds{}
		tr, err := chrome.Decode(t.Context(), bytes.NewReader([]byte("["+c.events+"]")), sink, chrome.Options{})
		if err != nil {
			t.Errorf("%s: %v", c.events, err)
			continue
		}
		if got := []trace.Kind(sink.all); len(got) != len(c.kinds) || tr.Events != int64(len(got)) {
			t.Errorf("%s: events %v, want %v", c.events, got, c.kinds)
			continue
		}
		for i, k := range c.kinds {
			if sink.all[i] != k {
				t.Errorf("%s: events %v, want %v", c.events, sink.all, c.kinds)
				break
			}
		}
	}
}

// kinds is a sink that keeps the kinds of events.
type kinds struct {
	tracetest.Discard
	all []trace.Kind
}

// Events implements trace.Sink.
func (k *kinds) Events(batch []trace.Event) error {
	for i := range batch {
		k.all = append(k.all, batch[i].Kind)
	}
	return nil
}
