package speedscope_test

import (
	"fmt"

	"github.com/diffprof/diffprof/trace"
)

// real are files of other programs, with what is known of them.
var real = []struct{ file, kind, want string }{
	{"other/speedscope/simple.speedscope.json", "", "10 events, cpu 0s, elapsed 0s, 1 active threads, 0 flows"},
	{"other/speedscope-0.0.1-simple.speedscope.json", "", "10 events, cpu 0s, elapsed 0s, 1 active threads, 0 flows"},
	{"other/speedscope-0.1.2-simple-sampled.speedscope.json", "", "5 events, cpu 0s, elapsed 14s, 1 active threads, 0 flows"},
	{"other/speedscope-0.6.0-two-sampled.speedscope.json", "", "10 events, cpu 0s, elapsed 14s, 2 active threads, 0 flows"},
	{"other/speedscope-0.6.0-two-sampled.speedscope.json", "two", "5 events, cpu 0s, elapsed 14s, 1 active threads, 0 flows other-profiles"},
	{"other/speedscope-invalid-incomplete-trace.json", "", "2 events, cpu 0s, elapsed 0s, 1 active threads, 0 flows open-at-end"},
	{"other/speedscope-invalid-out-of-order-events.json", "", "8 events, cpu 0s, elapsed 0s, 1 active threads, 0 flows unmatched-ends open-at-end"},
}

func counts(t *trace.Trace) string {
	return fmt.Sprintf("%d events, cpu %v, elapsed %v, %d active threads, %d flows", t.Events, t.CPU(), t.Elapsed, t.Active(), t.Flows)
}
