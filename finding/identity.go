package finding

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"

	"github.com/diffprof/diffprof/analysis"
)

// ID returns the identity of the result's task with this index: 16 digits, lower case.
func ID(r *analysis.Result, task int) string {
	return idOf(r.Subject.Tree.Path(r.Tasks[task].Node))
}

// idOf tells tasks apart by their paths, which no two nodes of a tree share. Each
// label goes in with its length, so that no two paths look alike whatever their
// labels hold; eight bytes are enough for any number of tasks that fits a tree.
func idOf(path []string) string {
	text := make([]byte, 0, 4<<10) // few paths are longer
	for _, label := range path {
		text = append(append(strconv.AppendInt(text, int64(len(label)), 10), ':'), label...)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}
