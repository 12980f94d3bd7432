package words

import (
	"fmt"
	"strings"

	"github.com/diffprof/diffprof/repeats"
	"github.com/diffprof/diffprof/units"
)

// The captions of the parts of a group's report.
const (
	GroupTasks = "What each run used, and how many of its tasks are matched in 0, 1, 2 or more of the other apps. " +
		"Unique is the share of its energy in tasks that no other app has. " +
		"The last column counts the tasks whose call path no other app has."
	GroupOverlap = "What two apps have in common. Above the diagonal: the share of their tasks that are matched. " +
		"Below: the share of their framework methods that both call."
	// GroupAppsPage and GroupMaps are the captions of the tables on a page.
	GroupAppsPage = "What each app used, and how many of its tasks are matched in the other apps. " +
		"Unique is the share of its energy in tasks that no other app has."
	GroupMaps = "What two apps have in common: the share of their tasks that are matched, and the share of their framework methods that both call. " +
		"The scale ends at the largest share."
	GroupTasksLegend = "Which app uses the least energy for a task. Each row has matched tasks, their caller, and the apps with the task, the least energy first. " +
		"Apps are sorted by energy per call times calls if calls are counted, else by energy. Room is the possible saving if each app used only as much as the first. " +
		"No evidence means that repeated runs show no difference, or that there are too few samples."
	// GroupNone replaces the table of shared tasks if it is empty.
	GroupNone = "No two apps have a matched task to compare."
)

// GroupSpread says how many runs each app of a group has. least and most are the smallest and the
// largest number.
func GroupSpread(least, most int) string {
	switch {
	case most == 1:
		return "only one run per app, so small differences may be chance"
	case least == most:
		return fmt.Sprintf("%d runs per app; figures are means", most)
	}
	return fmt.Sprintf("%d to %d runs per app; figures are means; for an app with one run, small differences may be chance", least, most)
}

// GroupEqual states that two recordings of a group look like copies.
func GroupEqual(a, b string) string {
	return a + " and " + b + " use the same energy in equal tasks: one recording is a copy of the other, and neither has unique tasks"
}

// GroupOneApp states that several recordings have the same app.
func GroupOneApp(names []string) string {
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last] + " ran the same code, so they are runs of one app: a task that only they have is not counted as unique"
}

// GroupNoTasks states that an app of a group has no tasks.
func GroupNoTasks(app string) string {
	return app + " has no tasks: no method of the app calls a framework method"
}

// unranked says why two recordings are not ranked, by the code of their difference.
var unranked = []struct{ code, why string }{
	{"length", "one recording is more than twice as long"}, {"sampled-vs-instrumented", "one is sampled, the other instrumented"},
	{"energy", "energy from different sources"}, {"unit", "different units"}, {"partial", "one recording is cut short"}, {"overflow", "one recording lost its end"},
}

// GroupUnranked says how many pairs of apps are not ranked, and why. reasons counts the pairs by
// code.
func GroupUnranked(pairs, all int, reasons map[string]int) string {
	var why []string
	for _, u := range unranked {
		if n := reasons[u.code]; n > 0 {
			why = append(why, fmt.Sprintf("%s (%d)", u.why, n))
		}
	}
	return fmt.Sprintf("%d of %s of apps are not ranked, since their recordings are not comparable: %s", pairs, Some(all, "pair"), strings.Join(why, ", "))
}

// GroupUnsaved states that comparisons could not be stored.
func GroupUnsaved(n int, why error) string {
	return fmt.Sprintf("%s could not be stored and will be computed again: %v", Some(n, "comparison"), why)
}

// Spent formats what an app uses for a task, such as "2.00 mJ × 30", or "60.0 mJ" if calls are not
// counted. If verdict is "no evidence", the text says so.
func Spent(s Scale, e units.Energy, calls *int64, perCall bool, verdict string) string {
	text := s.Energy(e)
	if perCall && calls != nil && *calls != 0 {
		text = s.Energy(e/units.Energy(*calls)) + " × " + Count(*calls)
	}
	if verdict == repeats.NoEvidence.String() {
		text += " (" + verdict + ")"
	}
	return text
}
