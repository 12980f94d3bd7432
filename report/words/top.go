package words

import (
	"fmt"
	"strings"
)

// TopTitle says what a table of methods, or of what else its rows stand for, lists, and in
// which order, "self", "all" or "saving".
func TopTitle(group, by string) string {
	title := strings.TrimPrefix(Some(2, group), "2 ")
	return strings.ToUpper(title[:1]) + title[1:] + " over all contexts, " + topOrder(by)
}

// topOrder says in which order methods are listed.
func topOrder(by string) string {
	switch by {
	case "all":
		return "most with callees first"
	case "saving":
		return "most room for saving first"
	default:
		return "most of their own first"
	}
}

// TopLegend explains the columns of a table of methods of one run, or of two.
func TopLegend(two bool) string {
	if two {
		return "self: without callees; all: with callees; saving: self less that there"
	}
	return "self: without callees; all: with callees, recursion once"
}

// TopUnlisted says how many rows of a table of methods are hidden, how many were filtered
// out, and what they have of their own between them.
func TopUnlisted(group string, hidden, filtered int, rest string) string {
	switch {
	case filtered == 0:
		return fmt.Sprintf("%s more, %s of their own between them: --top 0 shows all.", Some(hidden, group), rest)
	case hidden == 0:
		return fmt.Sprintf("%s left out, %s of their own between them.", Some(filtered, group), rest)
	}
	return fmt.Sprintf("%s more, which --top 0 shows, and %s left out: %s of their own between them.", Some(hidden, group), Some(filtered, group), rest)
}
