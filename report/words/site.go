package words

import (
	"fmt"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// Part says how many of a task's calls come from one place: "1 of 111 calls from here, 0.39 µJ". It
// returns "" if all do.
func Part(kind trace.Calls, calls, all int64, part, whole units.Energy, s Scale) string {
	name := Counts(kind)
	switch {
	case part == whole && calls == all:
		return ""
	case name == "" || calls == 0 || calls > all:
		return s.Energy(part) + " of it from here"
	}
	return fmt.Sprintf("%s of %s %s from here, %s", Count(calls), Count(all), name, s.Energy(part))
}

// BothRuns formats the energy of calls in the subject and in the reference, and the number of calls
// in the subject: "20.8 mJ, 4 calls; 3.1 mJ in old".
func BothRuns(r *analysis.Result, subject, reference units.Energy, calls int64, s Scale) string {
	text := s.Energy(subject)
	if n := Times(r.Subject.Trace.Calls, calls); n != "" {
		text += ", " + n
	}
	_, there := sideNames(r)
	return text + "; " + s.Energy(reference) + " in " + there
}
