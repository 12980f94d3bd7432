package finding

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"strconv"
	"sync"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/preprocess"
)

// IDs returns the identities of all tasks of a result, in the order of the tasks.
func IDs(r *analysis.Result) []string {
	nodes := make([]int32, len(r.Tasks))
	for i := range r.Tasks {
		nodes[i] = r.Tasks[i].Node
	}
	return TaskIDs(r.Subject.Tree, nodes)
}

// TaskIDs returns the identities of the tasks at nodes of a tree, in the order of the nodes.
func TaskIDs(t *preprocess.Tree, nodes []int32) []string {
	known := newIdentities(t)
	ids := make([]string, len(nodes))
	for i, v := range nodes {
		ids[i] = known.id(v)
	}
	return ids
}

// taskIDs has the identities of the tasks of a result. It computes an identity when it is first
// used, because most outputs show few tasks.
type taskIDs struct {
	result *analysis.Result
	mu     sync.Mutex
	ids    []string
	known  *identities
}

// id returns the identity of Result.Tasks[task].
func (t *taskIDs) id(task int) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.known == nil {
		t.known, t.ids = newIdentities(t.result.Subject.Tree), make([]string, len(t.result.Tasks))
	}
	if t.ids[task] == "" {
		t.ids[task] = t.known.id(t.result.Tasks[task].Node)
	}
	return t.ids[task]
}

// all returns the identities of all tasks.
func (t *taskIDs) all() []string {
	for i := range t.result.Tasks {
		t.id(i)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.ids
}

// identities computes the identities of tasks from their paths, which are unique in a tree. An
// identity is the prefix of a hash of the path. Each label is hashed with its length, so different
// paths always give different input to the hash. Eight bytes make collisions unlikely for any
// number of tasks.
type identities struct {
	tree *preprocess.Tree
	// marks has the hash states at every markEvery-th level of earlier paths. They make the time
	// linear in the depth of the tree instead of quadratic.
	marks map[int32]mark
}

// A mark is the hash state of a path, and the number of labels in the path.
type mark struct {
	hash   hash.Hash
	labels int
}

// markEvery is the number of levels from one mark to the next.
const markEvery = 64

func newIdentities(t *preprocess.Tree) *identities {
	return &identities{tree: t, marks: make(map[int32]mark)}
}

// id returns the identity of the task at a node.
func (k *identities) id(node int32) string {
	var below []int32
	at := mark{hash: sha256.New()}
	for v := node; v >= 0; v = k.tree.Nodes[v].Parent {
		if m, ok := k.marks[v]; ok {
			at = mark{clone(m.hash), m.labels}
			break
		}
		below = append(below, v)
	}
	var text []byte
	for i := len(below) - 1; i >= 0; i-- {
		label := k.tree.Labels.Text(k.tree.Nodes[below[i]].Label)
		text = append(append(strconv.AppendInt(text[:0], int64(len(label)), 10), ':'), label...)
		at.hash.Write(text) // Write never returns an error
		if at.labels++; at.labels%markEvery == 0 {
			if copied := clone(at.hash); copied != nil {
				k.marks[below[i]] = mark{copied, at.labels}
			}
		}
	}
	return hex.EncodeToString(at.hash.Sum(nil)[:8])
}

// clone copies a hash. It returns nil if the hash cannot be copied.
func clone(h hash.Hash) hash.Hash {
	c, ok := h.(hash.Cloner)
	if !ok {
		return nil
	}
	copied, err := c.Clone()
	if err != nil {
		return nil
	}
	return copied
}
