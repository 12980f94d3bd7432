package words

import "github.com/diffprof/diffprof/units"

// What the parts of a group's report say.
const (
	GroupTasks = "What each run drained, and how many of its tasks 0, 1, 2 or more of the other apps do, too. " +
		"Unique is the part of the energy that its tasks drained which none of the others does. " +
		"The last column counts the tasks that no other app does by an equal call path."
	GroupOverlap = "What two apps have in common. Above the diagonal: the part of the tasks of both that are matched. " +
		"Below: the part of the framework methods that both call, of those that either does."
	GroupDuties = "Who does a task for least. The apps that call a framework method by matched tasks, the cheapest first: " +
		"by energy a call, times the calls, where all count calls, else by energy. Room is what the others would save if each spent what the first does."
)

// Spent writes what an app spent on a method: its energy a call, times its calls, or else its
// energy.
func Spent(s Scale, e units.Energy, calls *int64, perCall bool) string {
	if !perCall || calls == nil || *calls == 0 {
		return s.Energy(e)
	}
	return s.Energy(e/units.Energy(*calls)) + " × " + Count(*calls)
}
