package words

// TopOrder says in which order methods are listed: "self", "all" or "saving".
func TopOrder(by string) string {
	switch by {
	case "all":
		return "most with callees first"
	case "saving":
		return "most room for saving first"
	default:
		return "most of their own first"
	}
}

// TopLegend explains the columns of a list of methods of one run, or of two.
func TopLegend(two bool) string {
	if two {
		return "self: without callees; all: with callees; saving: self less that there"
	}
	return "self: without callees; all: with callees, recursion once"
}
