package trace_test

import (
	"testing"

	"github.com/diffprof/diffprof/trace"
)

func TestCounted(t *testing.T) {
	const format = "%d {sample of %s is|samples of %s are} not read, and {counts|count} for nothing"
	for n, want := range map[int64]string{
		0: "0 samples of cpu are not read, and count for nothing",
		1: "1 sample of cpu is not read, and counts for nothing",
		2: "2 samples of cpu are not read, and count for nothing",
	} {
		if got := trace.Counted(format, n, "cpu"); got != want {
			t.Errorf("%d: %s", n, got)
		}
	}
	if got := trace.Counted("nothing {to choose"); got != "nothing {to choose" {
		t.Error(got)
	}
}
