package words

import (
	"fmt"
	"strings"

	"github.com/diffprof/diffprof/repeats"
	"github.com/diffprof/diffprof/units"
)

// What the parts of a group's report say.
const (
	GroupTasks = "What each run drained, and how many of its tasks 0, 1, 2 or more of the other apps do, too. " +
		"Unique is the part of the energy that its tasks drained which none of the others does. " +
		"The last column counts the tasks that no other app does by an equal call path."
	GroupOverlap = "What two apps have in common. Above the diagonal: the part of the tasks of both that are matched. " +
		"Below: the part of the framework methods that both call, of those that either does."
	// GroupAppsPage and GroupMaps stand above the tables of a page.
	GroupAppsPage = "What each app used, and how many of its tasks the other apps do too. " +
		"Unique is the part of its energy in tasks that no other app does."
	GroupMaps = "What two apps have in common: the part of the tasks of both that are matched, and, of the framework methods that either calls, " +
		"the part that both call. The scale ends at the largest share."
	GroupDuties = "Who does a task for least. The tasks that are counterparts of each other, with what calls them, and the apps that do them, the cheapest first: " +
		"by energy a call, times the calls, where calls are counted, else by energy. Room is what the others would save if each spent what the first does. " +
		"There is no evidence where repeated runs show no difference, or samples saw the tasks too rarely to tell."
	// GroupNone stands in place of the duties where there are none.
	GroupNone = "No task of one app is a counterpart of another's that it can be ranked against."
)

// GroupSpread says what stands behind the figures of apps with so many runs each.
func GroupSpread(least, most int) string {
	switch {
	case most == 1:
		return "only one run per app, so small differences may be chance"
	case least == most:
		return fmt.Sprintf("%d runs an app, figures of their means", most)
	}
	return fmt.Sprintf("%d to %d runs an app, figures of their means; where an app has one run there is no evidence of spread", least, most)
}

// GroupEqual says that two recordings of a group look like copies.
func GroupEqual(a, b string) string {
	return a + " and " + b + " drain the same in equal tasks: one is a copy of the other's recording, and neither has a task of its own"
}

// GroupOneApp says that several recordings are of one app.
func GroupOneApp(names []string) string {
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last] + " are runs of one app, by what ran: a task that only they do is not counted as unique"
}

// GroupNoTasks says that an app of a group has no tasks.
func GroupNoTasks(app string) string {
	return app + " has no tasks: no method of the app is seen to call one of the framework"
}

// unranked says what keeps recordings from being ranked, by the code of comparability.
var unranked = []struct{ code, why string }{
	{"length", "one is more than twice as long"}, {"sampled-vs-instrumented", "one is sampled, one instrumented"},
	{"energy", "energy from other sources"}, {"unit", "other units"}, {"partial", "one is cut short"}, {"overflow", "one lost its end"},
}

// GroupUnranked says how many pairs of apps are not ranked against each other, and why: reasons
// counts the pairs by the code of comparability.
func GroupUnranked(pairs, all int, reasons map[string]int) string {
	var why []string
	for _, u := range unranked {
		if n := reasons[u.code]; n > 0 {
			why = append(why, fmt.Sprintf("%s (%d)", u.why, n))
		}
	}
	return fmt.Sprintf("%d of %s of apps are not ranked against each other, since their recordings do not compare: %s", pairs, Some(all, "pair"), strings.Join(why, ", "))
}

// GroupUnkept says that comparisons could not be kept.
func GroupUnkept(n int, why error) string {
	return fmt.Sprintf("%s could not be kept, and will be made again: %v", Some(n, "comparison"), why)
}

// Spent writes what an app spent on a task: its energy a call, times its calls, or else its
// energy, and whether there is no evidence of it against the first app, a repeats.Verdict or nothing.
func Spent(s Scale, e units.Energy, calls *int64, perCall bool, verdict string) string {
	said := s.Energy(e)
	if perCall && calls != nil && *calls != 0 {
		said = s.Energy(e/units.Energy(*calls)) + " × " + Count(*calls)
	}
	if verdict == repeats.NoEvidence.String() {
		said += " (" + verdict + ")"
	}
	return said
}
