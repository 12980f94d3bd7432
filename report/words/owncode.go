package words

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// OwnCode lists the packages of the app's own code in about room columns: "com.mine.*, +2 more".
// Names that represent the most packages come first. packages must be sorted. untold is set if own
// code cannot be recognized.
func OwnCode(packages []string, untold bool, room int) string {
	if untold {
		return "not known"
	}
	list := joinPackages(packages)
	text := ""
	for i, name := range list {
		more := ""
		if i+1 < len(list) {
			more = fmt.Sprintf(", +%d more", len(list)-i-1)
		}
		if i > 0 && len(text)+len(", ")+len(name)+len(more) > room {
			return text + fmt.Sprintf(", +%d more", len(list)-i)
		}
		if i > 0 {
			text += ", "
		}
		text += name
	}
	return cmp.Or(text, "none ran")
}

// OwnCodeBy says how the app's own code was found: "from the manifest". The parameter by has the
// codes of a report.
func OwnCodeBy(by []string) string {
	if n := len(by); n > 1 && by[n-1] == "trace" { // Slices, which have no package.
		by = by[:n-1]
	}
	switch strings.Join(by, " ") {
	case "":
		return ""
	case "setting":
		return "from the settings"
	case "manifest":
		return "from the manifest"
	case "sources":
		return "from the sources"
	case "mapping":
		return "in the mapping, in no known library"
	case "trace":
		return "in no known library"
	default:
		return "from the manifest and the sources"
	}
}

// NoTasks states why a comparison has no tasks. untold is set if the app's own code is unknown.
func NoTasks(untold bool) string {
	if untold {
		return "No tasks: the methods have no packages, so it is unknown which methods belong to the framework and which to the app."
	}
	return "No tasks: no framework method is called by a method of the app. " +
		"diffprof packages lists the packages; if it counts your packages as framework, name them with --app-package."
}

// joinPackages shortens a list of packages: com.mine.a and com.mine.b become com.mine.*. It joins
// packages with the same first two parts. Names for the most packages come first.
func joinPackages(packages []string) []string {
	var list []string
	count := make(map[string]int)
	for from := 0; from < len(packages); {
		common := strings.Split(packages[from], ".")
		to := from + 1
		for ; to < len(packages); to++ {
			parts := strings.Split(packages[to], ".")
			if len(common) < 2 || len(parts) < 2 || !slices.Equal(parts[:2], common[:2]) {
				break
			}
			n := 2
			for n < min(len(parts), len(common)) && parts[n] == common[n] {
				n++
			}
			common = common[:n]
		}
		name := strings.Join(common, ".")
		switch {
		case packages[from] == "":
			name = "(no package)"
		case to > from+1:
			name += ".*"
		}
		list = append(list, name)
		count[name] = to - from
		from = to
	}
	slices.SortStableFunc(list, func(a, b string) int { return cmp.Compare(count[b], count[a]) })
	return list
}
