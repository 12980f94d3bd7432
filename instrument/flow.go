package instrument

import (
	"encoding/hex"
	"slices"

	"github.com/diffprof/diffprof/code/dex"
	"github.com/diffprof/diffprof/code/path"
)

// A flowGraph is the control-flow graph of a method. A block ends at a branch. It also ends after a
// line that may throw. So if an exception stops a block, all its lines but the last have run
// completely.
type flowGraph struct {
	path.Graph
	// first has the first instruction of each block, and then the end of the code.
	first []int
	// begins has the original address of each block's first instruction.
	begins []int
	// block has the block of each instruction.
	block []int32
	// lines has the lines of each block in order, without unknown lines and without repetitions of
	// the preceding line.
	lines [][]int32
	// opcodes has the opcodes of each element of lines, in hexadecimal.
	opcodes [][]string
	// preds has the number of edges to each block, plus 1 if control may start there.
	preds []int32
	// locks has the number of locks held before each instruction, or -1 if no path leads to the
	// instruction.
	locks []int8
}

const (
	opIf, lastIf          = dex.Op(0x32), dex.Op(0x3d)
	opMoveResultLast      = dex.Op(0x0c)
	monitorEnter          = dex.OpMonitorEnter
	monitorExit           = dex.OpMonitorExit
	maxLocksKnown    int8 = 100
)

func isGoto(op dex.Op) bool   { return op >= dex.OpGoto && op <= dex.OpGoto32 }
func isSwitch(op dex.Op) bool { return op == dex.OpPackedSwitch || op == dex.OpSparseSwitch }
func isBranch(op dex.Op) bool { return isGoto(op) || op >= opIf && op <= lastIf || isSwitch(op) }
func isReturn(op dex.Op) bool { return op >= dex.OpReturnVoid && op <= dex.OpReturnObject }

// lineFunction returns a function that converts addresses to lines. If there are no lines and
// addresses is set, it returns the address unchanged, because the build's mapping file converts
// addresses to lines.
func lineFunction(lines []dex.Position, addresses bool) func(address int) int {
	return func(address int) int {
		if line, _ := dex.LineAt(lines, address); line > 0 {
			return line
		}
		if addresses && len(lines) == 0 {
			return address
		}
		return 0
	}
}

// flowOf returns the control-flow graph of a method. lineAt returns the line of an address, or 0.
func flowOf(b *dex.Body, lineAt func(address int) int) *flowGraph {
	n := len(b.Order)
	g := &flowGraph{block: make([]int32, n)}
	leader := make([]bool, n+1)
	leader[0] = true
	g.Starts = []int32{0} // Indices of instructions, which are converted to blocks below.
	start := func(i int) {
		leader[i] = true
		g.Starts = append(g.Starts, int32(i))
	}
	for i := range n {
		in := &b.Code[i]
		switch {
		case isSwitch(in.Op):
			for _, to := range in.Targets {
				leader[to] = true
			}
		case isBranch(in.Op):
			leader[in.Target] = true
		case !isReturn(in.Op) && in.Op != dex.OpThrow:
			continue
		}
		leader[i+1] = true
	}
	for _, h := range b.Handlers {
		for _, c := range h.Catches {
			start(c.Address)
		}
		if h.All >= 0 {
			start(h.All)
		}
	}
	threw, thrown := false, 0
	line := make([]int32, n)
	for i := range n {
		in := &b.Code[i]
		line[i] = int32(lineAt(in.Address))
		if leader[i] {
			threw = false
		} else if threw && int(line[i]) != thrown && (in.Op < dex.OpMoveResult || in.Op > opMoveResultLast) {
			leader[i], threw = true, false
		}
		if in.Op.Throws() {
			threw, thrown = true, int(line[i])
		}
	}
	for i := range n {
		if leader[i] {
			g.first, g.begins = append(g.first, i), append(g.begins, b.Code[i].Address)
		}
		g.block[i] = int32(len(g.first) - 1)
	}
	g.first = append(g.first, n)
	for i, at := range g.Starts {
		g.Starts[i] = g.block[at]
	}
	slices.Sort(g.Starts)
	g.Starts = slices.Compact(g.Starts)
	blocks := len(g.first) - 1
	g.Next, g.lines, g.preds = make([][]int32, blocks), make([][]int32, blocks), make([]int32, blocks)
	g.opcodes = make([][]string, blocks)
	var codes []byte
	for k := range blocks {
		g.opcodes[k] = []string{}
		for i := g.first[k]; i < g.first[k+1]; i++ {
			if l := g.lines[k]; line[i] > 0 && (len(l) == 0 || l[len(l)-1] != line[i]) {
				g.lines[k] = append(l, line[i])
				g.opcodes[k] = append(g.opcodes[k], "")
			}
			if codes = append(codes, byte(b.Code[i].Op)); len(g.lines[k]) == 0 {
				codes = codes[:0] // The line is unknown.
			}
			if last := len(g.opcodes[k]) - 1; last >= 0 && (i+1 == g.first[k+1] || line[i+1] > 0 && line[i+1] != g.lines[k][last]) {
				g.opcodes[k][last], codes = hex.EncodeToString(codes), codes[:0]
			}
		}
		g.Next[k] = g.successors(b, g.first[k+1]-1)
		for _, to := range g.Next[k] {
			g.preds[to]++
		}
	}
	for _, s := range g.Starts {
		g.preds[s]++
	}
	g.count(b)
	return g
}

// successors returns the distinct blocks that can follow the last instruction of a block.
func (g *flowGraph) successors(b *dex.Body, last int) (next []int32) {
	in := &b.Code[last]
	add := func(i int) {
		if to := g.block[i]; !slices.Contains(next, to) {
			next = append(next, to)
		}
	}
	if isReturn(in.Op) || in.Op == dex.OpThrow {
		return nil
	}
	if !isGoto(in.Op) {
		add(last + 1)
	}
	switch {
	case isSwitch(in.Op) && len(in.Targets) > 16:
		for _, to := range in.Targets {
			next = append(next, g.block[to])
		}
		slices.Sort(next)
		next = slices.Compact(next)
	case isSwitch(in.Op):
		for _, to := range in.Targets {
			add(to)
		}
	case isBranch(in.Op):
		add(in.Target)
	}
	return next
}

// count sets g.locks. The verifier has checked that all paths to an instruction have the same
// number of locks.
func (g *flowGraph) count(b *dex.Body) {
	n := len(g.block)
	g.locks = make([]int8, n)
	if !slices.ContainsFunc(b.Code[:n], func(in dex.BodyInstruction) bool { return in.Op == monitorEnter }) {
		return
	}
	for i := range g.locks {
		g.locks[i] = -1
	}
	var queue []int
	reach := func(i int, locks int8) {
		if i < n && g.locks[i] < 0 {
			g.locks[i] = locks
			queue = append(queue, i)
		}
	}
	reach(0, 0)
	for len(queue) > 0 {
		i := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		in, locks := &b.Code[i], g.locks[i]
		if in.Handler >= 0 && in.Op.Throws() {
			h := &b.Handlers[in.Handler]
			for _, c := range h.Catches {
				reach(c.Address, locks)
			}
			if h.All >= 0 {
				reach(h.All, locks)
			}
		}
		switch {
		case in.Op == monitorEnter && locks < maxLocksKnown:
			locks++
		case in.Op == monitorExit && locks > 0:
			locks--
		}
		if isReturn(in.Op) || in.Op == dex.OpThrow {
			continue
		}
		if isSwitch(in.Op) {
			for _, to := range in.Targets {
				reach(to, locks)
			}
		} else if isBranch(in.Op) {
			reach(in.Target, locks)
		}
		if !isGoto(in.Op) {
			reach(i+1, locks)
		}
	}
}
