package fleet

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/diffprof/diffprof/fleet/samples"
	"github.com/diffprof/diffprof/fleet/tree"
)

// remedy returns how a user can bring about a condition, or "". For example, "use wifi". It
// suggests newer versions, but never a downgrade (§5.5).
func remedy(root *tree.Node, c tree.Condition) string {
	a, ok := actionable[c.Feature]
	if !ok || c.Value == otherValue {
		return ""
	}
	if c.Feature == samples.System || c.Feature == Version {
		newer, older := false, false
		for _, v := range root.Values(c.Feature) {
			newer = newer || compareVersions(v, c.Value) > 0
			older = older || compareVersions(v, c.Value) < 0
		}
		if c.Not && !newer || !c.Not && !older {
			return ""
		}
	}
	if c.Not {
		return fmt.Sprintf(a.against, c.Value)
	}
	return fmt.Sprintf(a.forIt, c.Value)
}

// compareVersions compares versions by their numbers, so 4.10 is newer than 4.9.
func compareVersions(a, b string) int {
	for a != "" || b != "" {
		var x, y string
		x, a, _ = strings.Cut(a, ".")
		y, b, _ = strings.Cut(b, ".")
		m, errM := strconv.Atoi(x)
		n, errN := strconv.Atoi(y)
		switch {
		case errM == nil && errN == nil && m != n:
			return m - n
		case (errM != nil || errN != nil) && x != y:
			return strings.Compare(x, y)
		}
	}
	return 0
}
