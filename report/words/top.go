package words

import (
	"fmt"
	"strings"
)

// TopTitle returns the title of a table of methods, classes or packages. The parameter by is
// "self", "all" or "saving", and noun is the result of Scale.Noun.
func TopTitle(group, by, noun string) string {
	title := strings.TrimPrefix(Some(2, group), "2 ")
	return strings.ToUpper(title[:1]) + title[1:] + ", summed over all contexts, " + topOrder(by, noun)
}

// topOrder names the order of methods.
func topOrder(by, noun string) string {
	switch by {
	case "all":
		return "sorted by " + noun + " with callees"
	case "saving":
		return "sorted by possible saving"
	default:
		return "sorted by " + noun + " without callees"
	}
}

// TopLegend explains the columns of a table of methods of one run, or of two.
func TopLegend(two bool) string {
	if two {
		return "self: without callees; all: with callees; saving: self minus self in the reference"
	}
	return "self: without callees; all: with callees, recursion counted once"
}

// TopUnlisted says how many rows are not shown. hidden ones exceed --top, and filtered ones are
// excluded by flags. rest is their energy without callees.
func TopUnlisted(group string, hidden, filtered int, rest string) string {
	switch {
	case filtered == 0:
		return fmt.Sprintf("%s more, %s in all, without callees: --top 0 shows all.", Some(hidden, group), rest)
	case hidden == 0:
		return fmt.Sprintf("%s left out, %s in all, without callees.", Some(filtered, group), rest)
	}
	return fmt.Sprintf("%s more, which --top 0 shows, and %s left out: %s in all, without callees.", Some(hidden, group), Some(filtered, group), rest)
}
