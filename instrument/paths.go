package instrument

import (
	"errors"
	"slices"

	"github.com/diffprof/diffprof/code/dex"
	"github.com/diffprof/diffprof/code/path"
	"github.com/diffprof/diffprof/instrument/runtime"
)

// A PathTarget has the indices of the runtime methods that count paths.
type PathTarget struct {
	Begin, BeginWork, Path, End, Abort, Leave, Invoke, Invoked uint32
}

// pathTargets adds references to the runtime methods that count paths.
func (t *Target) pathTargets(w *dex.Writer, async bool) (err error) {
	for _, m := range []struct {
		name, result string
		parameters   []string
		to           *uint32
	}{
		{runtime.Begin, "I", []string{"I"}, &t.Begin},
		{runtime.Path, "V", []string{"I", "I"}, &t.Path},
		{runtime.End, "V", []string{"I", "I"}, &t.End},
		{runtime.Abort, "V", []string{"I", "I", "I"}, &t.Abort},
		{runtime.Leave, "V", []string{"I", "I", "I"}, &t.Leave},
		{runtime.Invoke, "V", []string{"I", "I"}, &t.Invoke},
		{runtime.Invoked, "V", []string{"I"}, &t.Invoked},
		{runtime.BeginWork, "I", []string{"I", objectClass}, &t.BeginWork},
	} {
		if m.name == runtime.BeginWork && !async {
			continue
		}
		if *m.to, err = w.Method(RuntimeClass, m.name, m.result, m.parameters...); err != nil {
			return err
		}
	}
	return nil
}

var (
	errPathRegisters = errors.New("the method has more than 251 registers, so its paths are not counted")
	errPathLocks     = errors.New("a lock is held outside of a handler for all exceptions, so its paths are not counted")
)

// pathExtra is the number of consecutive registers for paths: the token from begin, the number of
// the path, and the current block. The block is set only if it may throw.
const pathExtra = 3

// A tracer adds the probes that count paths to a method.
type tracer struct {
	*rewriter
	graph   *flowGraph
	numbers *path.Numbering
	// token, number and block are registers. See pathExtra.
	token, number, block uint32
	// entry has the probes that run before an instruction in all cases. fall has the probes that
	// run before it only if control continues from the previous instruction. after has the probes
	// after an instruction.
	entry, fall, after map[int][]int
	// end has code that is written after the method's own code.
	end []int
	// covered has the probes that the new exception handler covers.
	covered []int
}

const (
	opAddLiteral = dex.Op(0xd8) // add-int/lit8
	opXorLiteral = dex.Op(0xdf) // xor-int/lit8
	opAdd        = dex.Op(0x90)
	opIfLtz      = dex.Op(0x3a)
)

// trace adds the probes that count paths. The registers for paths begin at first. If trace fails,
// the original instructions are unchanged.
func (r *rewriter) trace(g *flowGraph, first uint32) (*tracer, error) {
	numbers, err := path.New(g.Graph)
	if err != nil {
		return nil, err
	}
	t := &tracer{
		rewriter: r, graph: g, numbers: numbers, token: first, number: first + 1, block: first + 2,
		entry: make(map[int][]int), fall: make(map[int][]int), after: make(map[int][]int),
	}
	b := r.body
	handlers := make(map[int]int) // Landing pads by handler.
	for i := range b.Handlers {
		h := &b.Handlers[i]
		for j := range h.Catches {
			if err := t.handler(h.Catches[j].Address, handlers); err != nil {
				return nil, err
			}
		}
		if h.All >= 0 {
			if err := t.handler(h.All, handlers); err != nil {
				return nil, err
			}
		}
	}
	type way struct {
		block, edge int
	}
	single := make(map[int32]way) // The edge to each block with a single edge. Its probes run at the start of the block.
	for k := range g.Next {
		if !numbers.Reachable(k) {
			continue
		}
		last := g.first[k+1] - 1
		for e, to := range g.Next[k] {
			switch {
			case t.needsNoProbe(k, e):
			case g.preds[to] == 1:
				single[to] = way{k, e}
			default:
				if err := t.edge(k, e, last); err != nil {
					return nil, err
				}
			}
		}
	}
	for k := range g.Next {
		if !numbers.Reachable(k) {
			continue
		}
		at := g.first[k]
		var code []int
		if w, ok := single[int32(k)]; ok {
			if code, err = t.step(w.block, w.edge, at); err != nil {
				return nil, err
			}
		}
		if slices.ContainsFunc(b.Code[at:g.first[k+1]], func(in dex.BodyInstruction) bool { return in.Op.Throws() }) {
			set := t.constant(int32(k), t.block, b.Code[at].Handler)
			t.covered = append(t.covered, set)
			code = append(code, set)
		}
		if b.Code[at].Op == dex.OpMoveException {
			t.after[at] = append(t.after[at], code...)
		} else {
			t.entry[at] = append(code, t.entry[at]...) // Before the probes of the outgoing edge.
		}
	}
	// Let exceptions go to the landing pads.
	for i := range b.Handlers {
		h := &b.Handlers[i]
		for j := range h.Catches {
			if pad, ok := handlers[h.Catches[j].Address]; ok {
				h.Catches[j].Address = pad
			}
		}
		if pad, ok := handlers[h.All]; ok && h.All >= 0 {
			h.All = pad
		}
	}
	return t, nil
}

// needsNoProbe reports whether an edge needs no probe.
func (t *tracer) needsNoProbe(block, edge int) bool {
	add, ends := t.numbers.Edge(block, edge)
	return add == 0 && !ends
}

// add adds instructions that add n to the register with the path number.
func (t *tracer) add(n int32, handler int) []int {
	switch {
	case n == 0:
		return nil
	case n == int32(int8(n)):
		return []int{t.body.Append(dex.Instruction{Op: opAddLiteral, A: t.number, B: t.number, Literal: int64(n)}, handler)}
	}
	return []int{t.constant(n, t.id, handler), t.body.Append(dex.Instruction{Op: opAdd, A: t.number, B: t.number, C: t.id}, handler)}
}

// step adds the code for an edge. at is the first instruction after the edge. If a path ends on the
// edge, the code first sets the block register to the number of blocks. If the probe then throws,
// the whole path is still counted.
func (t *tracer) step(block, edge, at int) ([]int, error) {
	g := t.graph
	add, ends := t.numbers.Edge(block, edge)
	last := g.first[block+1] - 1
	if !ends {
		code := t.add(add, t.at(at))
		t.covered = append(t.covered, code...)
		return code, nil
	}
	handler, err := t.cover(last, at, t.locksBehind(last))
	if err != nil {
		return nil, err
	}
	start, _ := t.numbers.Start(int(g.Next[block][edge]))
	code := []int{t.constant(int32(len(g.Next)), t.block, handler)}
	code = append(code, t.add(add, handler)...)
	code = append(code, t.invoke(t.target.Path, t.token, 2, handler), t.constant(start, t.number, handler))
	t.covered = append(t.covered, code...)
	return code, nil
}

// locksBehind returns the number of locks that are held after instruction i.
func (t *tracer) locksBehind(i int) int8 {
	locks := t.graph.locks[i]
	switch t.body.Code[i].Op {
	case monitorEnter:
		locks++
	case monitorExit:
		locks--
	}
	return locks
}

// at returns the exception handlers for a probe before instruction i: those of the instruction if
// it may throw, and otherwise none. The reason is that handlers may need registers that have no
// value before an instruction that cannot throw.
func (t *tracer) at(i int) int {
	if in := &t.body.Code[i]; in.Op.Throws() {
		return in.Handler
	}
	return -1
}

// cover returns the exception handlers for a probe between two instructions. While locks are held,
// the handlers must catch all exceptions. cover then uses those of the nearest instruction with the
// same number of locks. If these are other locks, the verifier rejects the method.
func (t *tracer) cover(before, after int, locks int8) (int, error) {
	if h := t.at(after); locks <= 0 || t.catchesAll(h, locks) {
		return h, nil
	}
	for distance := range len(t.graph.block) {
		for _, i := range [...]int{after + distance, before - distance} {
			if i < 0 || i >= len(t.graph.block) {
				continue
			}
			if h := t.at(i); t.catchesAll(h, locks) {
				return h, nil
			}
		}
	}
	return 0, errPathLocks
}

// catchesAll reports whether handlers catch all exceptions, and run with the given number of locks
// held.
func (t *tracer) catchesAll(handler int, locks int8) bool {
	if handler < 0 {
		return false
	}
	h := &t.body.Handlers[handler]
	return h.All >= 0 && h.All < len(t.graph.locks) && t.graph.locks[h.All] == locks
}

// edge adds the code for an edge to a block with several incoming edges.
func (t *tracer) edge(block, edge, last int) error {
	b, g := t.body, t.graph
	to := g.first[g.Next[block][edge]]
	in := &b.Code[last]
	if len(g.Next[block]) == 1 {
		code, err := t.step(block, edge, to)
		if err != nil {
			return err
		}
		if isBranch(in.Op) { // A branch does not throw and does not use the registers of probes.
			t.entry[last] = append(t.entry[last], code...)
		} else {
			t.fall[last+1] = append(t.fall[last+1], code...)
		}
		return nil
	}
	if !isGoto(in.Op) && last+1 == to {
		code, err := t.step(block, edge, to)
		if err != nil {
			return err
		}
		t.fall[to] = append(t.fall[to], code...)
	}
	leads := isSwitch(in.Op) && slices.Contains(in.Targets, to) || !isSwitch(in.Op) && in.Target == to
	if !leads {
		return nil
	}
	code, err := t.step(block, edge, to)
	if err != nil {
		return err
	}
	code = append(code, b.Append(dex.Instruction{Op: dex.OpGoto, Target: to}, -1))
	t.end = append(t.end, code...)
	in = &b.Code[last] // Append may have moved the instruction.
	if !isSwitch(in.Op) {
		in.Target = code[0]
	}
	for i := range in.Targets {
		if in.Targets[i] == to {
			in.Targets[i] = code[0]
		}
	}
	return nil
}

// handler adds the code at the start of an exception handler. It ends the path that the exception
// stopped, and begins another path. If the handler does not begin by reading the exception,
// branches may lead to it, too. The code is then in a landing pad, to which exceptions go instead.
//
// If the probe itself throws because the stack is full, control may return to the same handler. The
// block is then negative, and the handler skips the probe.
func (t *tracer) handler(at int, pads map[int]int) error {
	if _, ok := pads[at]; ok || len(t.after[at]) > 0 {
		return nil
	}
	b, g := t.body, t.graph
	locks := g.locks[at]
	next := at
	if b.Code[at].Op == dex.OpMoveException && at+1 < len(g.block) {
		next = at + 1
	}
	handler := t.at(next)
	if locks > 0 && !t.catchesAll(handler, locks) {
		// The handler releases the lock. It must also do so if its own probe throws.
		handler = len(b.Handlers)
		b.Handlers = append(b.Handlers, dex.Handler{All: at})
	}
	start, ok := t.numbers.Start(int(g.block[at]))
	if !ok {
		return errPathLocks
	}
	var code []int
	guard := -1
	if handler >= 0 {
		guard = b.Append(dex.Instruction{Op: opIfLtz, A: t.block}, handler)
		code = append(code, guard, b.Append(dex.Instruction{Op: opXorLiteral, A: t.block, B: t.block, Literal: -1}, handler))
	}
	code = append(code, t.invoke(t.target.Abort, t.token, 3, handler))
	set := t.constant(start, t.number, handler)
	if guard >= 0 {
		b.Code[guard].Target = set
	}
	code = append(code, set)
	t.covered = append(t.covered, code...)
	if b.Code[at].Op == dex.OpMoveException {
		t.after[at] = append(t.after[at], code...)
		return nil
	}
	pads[at] = code[0]
	code = append(code, b.Append(dex.Instruction{Op: dex.OpGoto, Target: at}, -1))
	t.end = append(t.end, code...)
	return nil
}

// begin adds the code at the start of the method. first is the register of the first parameter.
func (t *tracer) begin(first int) []int {
	start, _ := t.numbers.Start(0)
	var code []int
	if t.carried < 0 {
		code = t.rewriter.probe(t.target.Begin, t.method, t.id, -1)
	} else {
		for _, p := range t.parameters[:t.carried] {
			first += words(p)
		}
		code = t.transfer(t.target.BeginWork, t.method, t.id, uint32(first), -1)
	}
	return append(code, t.body.Append(dex.Instruction{Op: dex.OpMoveResult, A: t.token}, -1), t.constant(start, t.number, -1))
}

// returns adds the code before the return instruction i.
func (t *tracer) returns(i int) []int {
	block := int(t.graph.block[i])
	var code []int
	if t.numbers.Reachable(block) {
		code = t.add(t.numbers.End(block), -1)
	}
	return append(code, t.invoke(t.target.End, t.token, 2, -1))
}
