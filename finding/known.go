package finding

import (
	"github.com/diffprof/diffprof/appcode"
)

// known has the rows that Set.Without excludes. Tasks are identified by nodes, and app code by
// firstPart.
type known struct {
	tasks map[int32]bool
	code  map[*appcode.Part]bool
}

func (k *known) addTask(node int32) {
	if k.tasks == nil {
		k.tasks = make(map[int32]bool)
	}
	k.tasks[node] = true
}

func (k *known) addCode(row *appcode.Row) {
	if k.code == nil {
		k.code = make(map[*appcode.Part]bool)
	}
	k.code[firstPart(row)] = true
}
