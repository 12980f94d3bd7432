package words

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/diffprof/diffprof/ingest/align"
)

// TestPlace: recordings that begin before the run, after the start of the run, and with the run
// have three different texts. The first two have the same figure without a sign.
func TestPlace(t *testing.T) {
	before, with, after := Place(align.Place{Shift: -3 * time.Second}), Place(align.Place{}), Place(align.Place{Shift: 3 * time.Second})
	if before == after || before == with || after == with {
		t.Errorf("before %q, with %q, after %q", before, with, after)
	}
	if !strings.Contains(before, " 3 s") || !strings.Contains(after, " 3 s") || strings.ContainsAny(with, "0123456789-") {
		t.Errorf("before %q, with %q, after %q", before, with, after)
	}
	clock := Place(align.Place{Shift: 3 * time.Second, By: "clock", Clock: "zzclock", Residual: 2 * time.Millisecond})
	activity := Place(align.Place{Shift: 3 * time.Second, By: "activity", Correlation: 0.876})
	if !strings.Contains(clock, "zzclock") || !strings.Contains(clock, "2 ms") || !strings.Contains(activity, "0.88") || strings.Contains(activity, "ms") {
		t.Errorf("by a clock %q, by activity %q", clock, activity)
	}
}

// TestTimes: once and twice are words, and larger numbers are figures.
func TestTimes(t *testing.T) {
	for n, words := range map[int64]bool{1: true, 2: true, 3: false, 4: false, 11: false, 12: false} {
		if got := times(n); strings.Contains(got, strconv.FormatInt(n, 10)) == words {
			t.Errorf("%d is %q", n, got)
		}
	}
	if times(1) == times(2) {
		t.Errorf("1 and 2 are %q", times(1))
	}
}
