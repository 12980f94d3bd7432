package clock

import (
	"fmt"
	"math"
	"time"

	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// mostCores exceeds the cores of any machine.
const mostCores = 1 << 10

// Cores returns the number of cores that the threads of a recording can have used at the same time.
func Cores(t *trace.Trace) int64 {
	cores, threads := int64(t.Cores), int64(t.Active())
	switch {
	case cores <= 0 && t.Unthreaded:
		return mostCores
	case cores <= 0 || cores > threads && !t.Unthreaded:
		return threads
	}
	return cores
}

// Most returns the longest time that the threads of a recording can have worked. This is the
// elapsed time multiplied by the number of cores. It returns 0 if the time is unknown.
func Most(t *trace.Trace) time.Duration {
	cores := Cores(t)
	if t.Elapsed <= 0 || cores == 0 || t.Elapsed > math.MaxInt64/20/time.Duration(cores) {
		return 0
	}
	return t.Elapsed * time.Duration(cores)
}

// Impossible warns if the threads of a run worked longer than the elapsed time allows. The records
// or clocks of such a run must be damaged. It tolerates an excess of a tenth and of a hundredth of
// a second, because clocks do not tick at the same moments.
func Impossible(t *trace.Trace) *trace.Warning {
	most, worked := Most(t), t.Usage.Working
	if t.Clock&trace.ThreadCPU == 0 {
		worked = add(worked, int64(t.Usage.Unknown))
	}
	if most == 0 || worked <= most+most/10+10*time.Millisecond {
		return nil
	}
	who := trace.Counted("%d {thread|threads}", t.Active())
	if t.Cores > 0 || t.Unthreaded {
		who = trace.Counted("%d {core|cores}", Cores(t))
	}
	return &trace.Warning{Code: "impossible-time", Message: fmt.Sprintf(
		"%s worked for %s within %s, which allows %s at the most: records or clocks are damaged, and the figures cannot be trusted",
		who, units.FormatTime(int64(worked)), units.FormatTime(int64(t.Elapsed)), units.FormatTime(int64(most)))}
}
