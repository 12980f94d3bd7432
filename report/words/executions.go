package words

import (
	"fmt"
	"time"
)

// ExecutionsTitle introduces a table of executions.
const ExecutionsTitle = "Executions of lines, from the counted paths through methods"

// ExecutionsLegend explains a table of executions.
const ExecutionsLegend = "executions: how often control reached the line from another line, a caller or an exception (exact counts, not energy); " +
	"stopped: executions that an exception on the line ended"

// ListedExecutions explains the executions in the source of a method.
const ListedExecutions = "executions: how often control reached the line from another line, a caller or an exception"

// PathCounts describes the executed paths of a recording. stopped counts those ended by an
// exception, unknown those with unknown lines, and times those with recorded times.
func PathCounts(paths, stopped, unknown, times int64) string {
	text := Some(paths, "path execution") + ", " + Count(stopped) + " stopped by an exception"
	if unknown > 0 {
		text += "; the lines of " + Count(unknown) + " of them are unknown, because a call of a method had no exit or the memory for paths was full"
	}
	if times < paths {
		text += "; the app stored only the times of the first " + Count(times)
	}
	return text
}

// PathCost says how much time recording the paths took (vLens, eq. 5). busy is the time in methods,
// in nanoseconds. overhead is the fraction of it that probes took, and joined the part that may be
// outside methods.
func PathCost(overhead float64, busy, joined int64) string {
	if busy <= 0 {
		return "the cost of the probes is unknown"
	}
	text := fmt.Sprintf("the probes took about %s of the %s in methods, estimated from their cost at the start of the app", Percent(overhead), shortTime(busy))
	if joined > 0 {
		text += "; up to " + shortTime(joined) + " of this time may have been outside of methods"
	}
	return text
}

// shortTime formats a time in nanoseconds with three digits or fewer.
func shortTime(ns int64) string {
	d := time.Duration(ns)
	for unit := time.Duration(1); unit < 1e12; unit *= 10 {
		if d < 1000*unit {
			return d.Round(unit).String()
		}
	}
	return d.Round(time.Second).String()
}

// MoreLines counts the lines that are not listed.
func MoreLines(n int) string { return Some(n, "more line") + ": --top 0 lists all" }
