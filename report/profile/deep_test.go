package profile

import (
	"io"
	"strings"
	"testing"
)

// TestDeep writes a chain of calls in which each call has a value. Formats that write one stack per
// call must return an error. All others must write the chain.
func TestDeep(t *testing.T) {
	const deep = 100_000
	p := &Profile{Title: "deep", Frames: []Frame{{Name: "f"}}, Labels: [][]Label{nil}}
	self := make([]int64, deep)
	for i := range deep {
		p.Nodes = append(p.Nodes, Node{Frame: 0, Parent: int32(i) - 1, End: deep})
		self[i] = 1
	}
	p.Nodes[0].Frame, self[0] = -1, 0
	p.Columns = []Column{{Kind: "energy", Name: "energy", Unit: Nanojoules, Self: self}}
	for name, format := range map[string]struct {
		write  func(io.Writer, *Profile) error
		stacks bool
	}{
		"pprof": {Pprof, true}, "folded": {Folded, true}, "speedscope": {Speedscope, false}, "firefox": {Firefox, false},
		"perfetto": {Perfetto, false}, "chrome": {Chrome, false},
	} {
		err := format.write(io.Discard, p)
		if refused := err != nil && strings.Contains(err.Error(), "too deep"); refused != format.stacks || err != nil && !refused {
			t.Errorf("%s: error %v", name, err)
		}
	}
}
