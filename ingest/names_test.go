package ingest_test

import (
	"os"
	"testing"

	"github.com/diffprof/diffprof/ingest"
	"github.com/diffprof/diffprof/tools/artwrite"
	"github.com/diffprof/diffprof/trace"
)

// A nameAsker is a sink that looks up the name of each method that a batch calls.
type nameAsker struct {
	names          trace.Names
	calls, unknown int
}

func (a *nameAsker) TakeNames(names trace.Names) { a.names = names }

func (a *nameAsker) Events(batch []trace.Event) error {
	for _, e := range batch {
		if e.Kind != trace.Enter {
			continue
		}
		a.calls++
		if a.names == nil {
			a.unknown++
		} else if _, known := a.names(trace.MethodID(e.Ref)); !known {
			a.unknown++
		}
	}
	return nil
}

func (a *nameAsker) Samples([]trace.Sample) error { return nil }

// TestNamesAreKnownAsEventsPass checks that decoders of call events can name methods while events
// arrive.
func TestNamesAreKnownAsEventsPass(t *testing.T) {
	atrace, err := os.ReadFile("atrace/testdata/small.txt")
	if err != nil {
		t.Fatal(err)
	}
	for what, data := range map[string][]byte{
		"art":           run(t, 50, artwrite.Form{}),
		"art streaming": run(t, 50, artwrite.Form{Streaming: true}),
		"art packed":    run(t, 50, artwrite.Form{Version: 4}),
		"atrace":        atrace,
		"chrome":        []byte(`{"traceEvents":[{"ph":"X","pid":1,"tid":2,"ts":15,"dur":2,"name":"java.net.Socket.connect"}]}`),
		"speedscope": []byte(`{"$schema":"https://www.speedscope.app/file-format-schema.json","profiles":[{"type":"evented","name":"main",
			"unit":"milliseconds","startValue":0,"endValue":2,"events":[{"type":"O","frame":0,"at":0},{"type":"C","frame":0,"at":2}]}],
			"shared":{"frames":[{"name":"java.net.Socket.connect"}]}}`),
	} {
		t.Run(what, func(t *testing.T) {
			var asked nameAsker
			if _, err := open(t, put(t, data), ingest.Options{}).Scan(t.Context(), &asked); err != nil {
				t.Fatal(err)
			}
			if asked.calls == 0 || asked.unknown > 0 {
				t.Errorf("of %d calls the names of %d are not known as they pass", asked.calls, asked.unknown)
			}
		})
	}
}
