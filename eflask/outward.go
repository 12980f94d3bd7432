package eflask

import (
	"sync"

	"github.com/diffprof/diffprof/preprocess"
)

// A caller is a method on the way from a call to the root.
type caller struct {
	// next is the number of the method. It is -1 if the way has ended.
	next int32
	// at is the node of the source tree from which the way continues. It is -1 after the root.
	at int32
}

// outward returns, for each node of the two source trees, the first caller at or above the node.
// Many calls share the way to the root, so each step of it is computed once. The parameter labels
// is the result of the method labels.
func (c *callers) outward(sides [2]*moverSide, labels []int32) (out [2][]caller) {
	var wg sync.WaitGroup
	for k, side := range sides {
		wg.Go(func() {
			t := side.tree
			out[k] = make([]caller, len(t.Image))
			for o := range out[k] {
				out[k][o].next = -1
				// The caller of a moved hand-over may come later in the tree than the hand-over.
				for at := int32(o); at > 0; at = t.Caller(at) {
					if int(at) < o {
						out[k][o] = out[k][at]
						break
					}
					next, ended := c.step(k, t, labels, at)
					if next >= 0 {
						out[k][o] = caller{next, t.Caller(at)}
					}
					if next >= 0 || ended {
						break
					}
				}
			}
		})
	}
	wg.Wait()
	return out
}

// step returns the number of the method of a node if it counts as a caller, and otherwise -1. ended
// is true if no node above it counts either.
func (c *callers) step(k int, t *preprocess.Tree, labels []int32, at int32) (next int32, ended bool) {
	method, v := t.Source.Nodes[at].Method, t.Image[at]
	switch t.Nodes[v].Kind {
	case preprocess.App:
		if t.MethodKind(method) == preprocess.App {
			return c.methods[k][method], false
		}
	case preprocess.Framework:
		if above := t.Caller(at); above < 0 || t.Image[above] != v {
			return labels[t.Nodes[v].Label], false
		}
	default:
		return -1, true
	}
	return -1, false
}
