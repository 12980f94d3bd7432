package analysis

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/diffprof/diffprof/trace"
)

// Codes of warnings. Swapped means that the subject may be the older program. ProcessorOnly means
// that a run uses components whose energy was not computed.
const (
	Swapped       = "swapped"
	ProcessorOnly = "processor-only"
)

// A build is the app's build in the journal of diffprof record. Fields that the journal lacks are
// empty.
type build struct {
	// side is the side that the run was recorded for, "subject" or "reference".
	side string
	// version is the version's name. code is its number, which grows from version to version.
	version string
	code    int64
}

func (b build) String() string { return fmt.Sprintf("%s (%d)", cmp.Or(b.version, "version"), b.code) }

// minVersionGap is the shortest time between the starts of two recordings after which the earlier
// one probably shows the older program. Recordings that are compared on purpose are often made in
// one session, in any order.
const minVersionGap = 24 * time.Hour

// swapped returns a warning if the recordings suggest that the subject is the older version of the
// app, so that the two sides may be swapped. It returns nil otherwise.
func (r *Result) swapped() *trace.Warning {
	if !r.AppCode.OneApp {
		return nil
	}
	subject, reference := r.Subject.allStarts(), r.Reference.allStarts()
	here, there := subject[0].build, reference[0].build
	for _, s := range subject {
		if s.build != here {
			here = build{}
		}
	}
	for _, s := range reference {
		if s.build != there {
			there = build{}
		}
	}
	const remedy = "; to see where the newer one uses more, give it first"
	var message string
	switch {
	case here.side == "reference" && there.side == "subject":
		message = "diffprof record made the subject's runs as the reference, and the reference's runs as the subject: swap the two sides"
	case here.side != "" && there.side != "":
	case here.code > 0 && there.code > 0 && here.code != there.code:
		if here.code < there.code {
			message = fmt.Sprintf("the subject has the older version of the app, %s, and the reference the newer, %s%s", here, there, remedy)
		}
	default:
		message = swappedInTime(subject, reference)
		if message == "" {
			message = swappedByName(r.Subject.Path, r.Reference.Path)
		}
		if message != "" {
			message += remedy
		}
	}
	if message == "" {
		return nil
	}
	return &trace.Warning{Code: Swapped, Message: message}
}

// swappedInTime returns a message if all runs of the subject were recorded long before all runs of
// the reference. It returns "" otherwise, and if a recording does not state its start.
func swappedInTime(subject, reference []starts) string {
	last, first := int64(0), int64(0)
	for i := range subject {
		at, ok := subject[i].moment()
		if !ok {
			return ""
		}
		last = max(last, at)
	}
	for i := range reference {
		at, ok := reference[i].moment()
		if !ok {
			return ""
		}
		if i == 0 || at < first {
			first = at
		}
	}
	if time.Duration(first-last) < minVersionGap {
		return ""
	}
	return fmt.Sprintf("the subject was recorded on %s, before the reference on %s", day(last), day(first))
}

// olderNames and newerNames are words in paths that suggest the older or the newer program.
var (
	olderNames = []string{"old", "older", "before", "base", "baseline", "previous", "prev", "original", "orig", "reference"}
	newerNames = []string{"new", "newer", "after", "head", "current", "changed", "patched", "subject"}
)

// swappedByName returns a message if the subject's path has a word for the older program, and the
// reference's path has a word for the newer one. It returns "" otherwise. Users mistake the order,
// because most tools that compare files take the older one first. Words that both paths have are
// ignored.
func swappedByName(subject, reference string) string {
	wordsOf := func(path string) []string {
		return strings.FieldsFunc(strings.ToLower(path), func(r rune) bool { return !unicode.IsLetter(r) })
	}
	here, there := wordsOf(subject), wordsOf(reference)
	named := func(names, words, others []string) string {
		for _, word := range words {
			if slices.Contains(names, word) && !slices.Contains(others, word) {
				return word
			}
		}
		return ""
	}
	older, newer := named(olderNames, here, there), named(newerNames, there, here)
	if older == "" || newer == "" || named(newerNames, here, there) != "" || named(olderNames, there, here) != "" {
		return ""
	}
	return fmt.Sprintf("by its name the subject is the older program (%s), and the reference the newer (%s)", older, newer)
}

// day formats nanoseconds since 1970 as a date in UTC.
func day(at int64) string { return time.Unix(0, at).UTC().Format(time.DateOnly) }

// moment returns when the run started, in nanoseconds since 1970, if the recording states it.
func (s *starts) moment() (int64, bool) {
	if s.recorded != 0 {
		return s.recorded, true
	}
	return s.by(trace.Realtime)
}

// allStarts returns the starts of all runs of a side, at least one.
func (in *Input) allStarts() []starts {
	if len(in.Runs) == 0 {
		return []starts{startsOf(in)}
	}
	all := make([]starts, len(in.Runs))
	for i := range in.Runs {
		all[i] = in.Runs[i].starts
	}
	return all
}
