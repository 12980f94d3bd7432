package words

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// OwnCode names the packages of the app's own code in room columns or a few more, those
// with most packages below them first: "com.mine.*, +2 more". The packages are in order.
// There may be none because nothing tells own code.
func OwnCode(packages []string, untold bool, room int) string {
	if untold {
		return "not known"
	}
	list := joined(packages)
	said := ""
	for i, name := range list {
		more := ""
		if i+1 < len(list) {
			more = fmt.Sprintf(", +%d more", len(list)-i-1)
		}
		if i > 0 && len(said)+len(", ")+len(name)+len(more) > room {
			return said + fmt.Sprintf(", +%d more", len(list)-i)
		}
		if i > 0 {
			said += ", "
		}
		said += name
	}
	return cmp.Or(said, "none ran")
}

// OwnCodeBy says what tells own code, as a report has it: "as the manifest says".
func OwnCodeBy(by []string) string {
	switch strings.Join(by, " ") {
	case "":
		return ""
	case "setting":
		return "as set"
	case "manifest":
		return "as the manifest says"
	case "sources":
		return "as the sources say"
	case "mapping":
		return "in the mapping, in no known library"
	case "trace":
		return "in no known library"
	default:
		return "as manifest and sources say"
	}
}

// NoTasks says why a comparison has no tasks; untold says that nothing tells own code.
func NoTasks(untold bool) string {
	if untold {
		return "No tasks: without the packages of classes, nothing tells which methods are the framework's and which are the app's."
	}
	return "No tasks: no framework method is called by a method of the app. " +
		"If the app's own packages were taken for the framework's, which diffprof packages tells, name them with --app-package."
}

// joined replaces packages whose first two parts are equal by what all of them begin with
// and a *, those that stand for most packages first.
func joined(packages []string) []string {
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
