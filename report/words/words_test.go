package words_test

import (
	"fmt"
	"testing"

	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/trace"
)

func ExampleName() {
	fmt.Println(words.Name("/traces/WhatsApp.trace.gz"), words.Name("Pandora 8.3.trace"), words.Name(".trace"))
	// Output:
	// WhatsApp Pandora 8.3 .trace
}

func TestCounts(t *testing.T) {
	const none, estimated, counted = trace.NoCalls, trace.EstimatedCalls, trace.CountedCalls
	for _, c := range []struct {
		kinds []trace.Calls
		want  string
	}{
		{nil, ""},
		{[]trace.Calls{none, none}, ""},
		{[]trace.Calls{none, estimated}, "samples"},
		{[]trace.Calls{estimated, estimated}, "samples"},
		{[]trace.Calls{estimated, counted}, "calls"},
		{[]trace.Calls{counted, none}, "calls"},
	} {
		if got := words.Counts(c.kinds...); got != c.want {
			t.Errorf("%v: %q, want %q", c.kinds, got, c.want)
		}
	}
}
