package cct

import (
	"encoding/binary"

	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// packVersion is the first byte of a packed tree. It must change if the layout changes.
const packVersion = 1

// Pack encodes the tree as uncompressed bytes. Unpack restores the tree exactly. Numbers of one
// quantity are stored together, node by node in preorder, so that a compressor finds repetitions.
// Numbers are varints, or zigzag varints if they may be negative.
//
// The layout is:
//
//   - the version;
//   - texts, and then the methods, one column per part;
//   - sets of threads;
//   - nodes: for each, how many levels its parent is above the previous node;
//   - hand-overs;
//   - energies of threads;
//   - measures, with each node's own number.
func (t *Tree) Pack() []byte {
	p := packer{out: []byte{packVersion}}
	p.methods(t.Methods)
	p.flag(t.Elapsed)
	p.number(uint64(t.Counted))
	p.number(uint64(len(t.threadSets)))
	for _, set := range t.threadSets {
		p.number(uint64(len(set)))
		for _, id := range set {
			p.number(uint64(id))
		}
	}
	p.shape(t.Nodes)
	p.number(uint64(len(t.Handovers)))
	for _, h := range t.Handovers {
		p.number(uint64(h.Node))
		p.number(uint64(h.Origin))
	}
	p.energies(t.ThreadEnergy)
	p.number(uint64(len(t.threadAccounts)))
	for _, energies := range t.threadAccounts {
		p.energies(energies)
	}
	p.measures(&t.Measures, len(t.Nodes))
	return p.out
}

type packer struct{ out []byte }

func (p *packer) number(x uint64) { p.out = binary.AppendUvarint(p.out, x) }
func (p *packer) signed(x int64)  { p.out = binary.AppendVarint(p.out, x) }

func (p *packer) flag(on bool) {
	if on {
		p.out = append(p.out, 1)
	} else {
		p.out = append(p.out, 0)
	}
}

// methods packs the texts of all methods, each once, and then the methods as indices into the
// texts.
func (p *packer) methods(methods []name.Method) {
	numbers := make(map[string]uint64)
	var texts []string
	parts := make([]name.Texts, len(methods))
	for i := range methods {
		parts[i] = methods[i].Texts()
		for _, text := range parts[i] {
			if _, ok := numbers[text]; !ok {
				numbers[text] = uint64(len(texts))
				texts = append(texts, text)
			}
		}
	}
	p.number(uint64(len(texts)))
	for _, text := range texts {
		p.number(uint64(len(text)))
	}
	for _, text := range texts {
		p.out = append(p.out, text...)
	}
	p.number(uint64(len(methods)))
	for part := range len(name.Texts{}) {
		for i := range parts {
			p.number(numbers[parts[i][part]])
		}
	}
	for i := range methods {
		p.signed(int64(methods[i].Line))
	}
}

func (p *packer) shape(nodes []Node) {
	p.number(uint64(len(nodes)))
	for i := 1; i < len(nodes); i++ {
		up := uint64(0)
		for at := int32(i - 1); at != nodes[i].Parent; at = nodes[at].Parent {
			up++
		}
		p.number(up)
	}
	for i := range nodes {
		p.number(uint64(nodes[i].Method + 1))
	}
	for i := range nodes {
		p.number(uint64(nodes[i].threads))
	}
}

func (p *packer) energies(list []units.Energy) {
	p.number(uint64(len(list)))
	for _, e := range list {
		p.signed(int64(e))
	}
}

func (p *packer) measures(m *Measures, nodes int) {
	p.number(uint64(m.runs))
	for _, c := range m.fields() {
		p.column(*c, nodes)
	}
	p.number(uint64(len(m.parts)))
	for _, part := range m.parts {
		p.number(uint64(part.key.Run))
		p.number(uint64(part.key.Quantity))
		p.number(uint64(part.key.Account))
		p.column(part.sums, nodes)
	}
	p.number(uint64(len(m.repeats)))
	for _, c := range m.repeats {
		p.column(c, nodes)
	}
}

func (p *packer) column(c sums, nodes int) {
	p.flag(c.before != nil)
	if c.before != nil {
		for i := range nodes {
			p.signed(c.self(int32(i)))
		}
	}
}

// Fits reports whether the tree fits a run: whether the run has all threads and accounts that the
// tree refers to. The tree of a damaged file may not.
func (t *Tree) Fits(tr *trace.Trace) bool {
	for _, set := range t.threadSets {
		if n := len(set); n > 0 && int(set[n-1]) >= len(tr.Threads) {
			return false
		}
	}
	for _, part := range t.parts {
		if part.key.Account != 0 && int(part.key.Account) >= len(tr.Accounts) {
			return false
		}
	}
	return len(t.ThreadEnergy) <= len(tr.Threads) && len(t.threadAccounts) <= max(len(tr.Accounts)-1, 0)
}
