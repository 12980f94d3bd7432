package firefox_test

import (
	"fmt"

	"github.com/diffprof/diffprof/trace"
)

// real are files of other programs, with what is known of them.
var real = []struct{ file, kind, want string }{
	{"other/firefox/processed-3.json", "", "21 events, cpu 0s, elapsed 1.007s, 3 active threads, 0 flows"},
	{"other/firefox/simple-firefox-63.json", "", "39 events, cpu 0s, elapsed 38.775204ms, 1 active threads, 0 flows"},
	{"other/speedscope-firefox-59.json", "", "38 events, cpu 0s, elapsed 37.978056ms, 1 active threads, 0 flows"},
	{"other/speedscope-firefox-61-recursion.json", "", "15 events, cpu 0s, elapsed 15.114334ms, 1 active threads, 0 flows"},
}

func counts(t *trace.Trace) string {
	return fmt.Sprintf("%d events, cpu %v, elapsed %v, %d active threads, %d flows", t.Events, t.CPU(), t.Elapsed, t.Active(), t.Flows)
}
