// Package instrument rewrites the code of an app so that it counts its calls.
package instrument

import (
	"errors"
	"slices"

	"github.com/diffprof/diffprof/code/dex"
	"github.com/diffprof/diffprof/instrument/runtime"
)

// A Target has the indexes of the methods that probes call, in the file that is rewritten. Enter, Exit
// and Call take an int. Enqueue, Repeat and Dispatch take an int and an object, and Send takes an object
// and an int. The methods that the file does not need are not set. No method returns a value.
type Target struct {
	Enter, Exit, Call               uint32
	Enqueue, Repeat, Send, Dispatch uint32
	PathTarget
}

// RuntimeClass is the class of the probes' methods.
const RuntimeClass = runtime.Class

// Targets adds the references to the methods of probes that count.
func Targets(w *dex.Writer) (t Target, err error) {
	for _, m := range []struct {
		name string
		to   *uint32
	}{{runtime.Enter, &t.Enter}, {runtime.Exit, &t.Exit}, {runtime.Call, &t.Call}} {
		if *m.to, err = w.Method(RuntimeClass, m.name, "V", "I"); err != nil {
			return t, err
		}
	}
	return t, nil
}

// asyncTargets adds the references to the methods of probes that recognise work.
func (t *Target) asyncTargets(w *dex.Writer) (err error) {
	for _, m := range []struct {
		name string
		to   *uint32
	}{{runtime.Enqueue, &t.Enqueue}, {runtime.Repeat, &t.Repeat}, {runtime.Dispatch, &t.Dispatch}} {
		if *m.to, err = w.Method(RuntimeClass, m.name, "V", "I", objectClass); err != nil {
			return err
		}
	}
	t.Send, err = w.Method(RuntimeClass, runtime.Send, "V", objectClass, "I")
	return err
}

var (
	errRegisters = errors.New("the method has more than 254 registers, and all of them are parameters")
	errFrame     = errors.New("the method has no room for the registers of the probes")
)

const (
	// extra is the number of registers that probes need: one for an id, one for an exception or for
	// work.
	extra = 2
	// lowRegisters is the number of registers that all instructions can name. maxRegisters is the
	// number of registers that a method may have.
	lowRegisters, maxRegisters = 1 << 8, 1<<16 - 1
	// rangeForm is the difference between the opcode of a call with a range of registers and the
	// opcode of the same call with single registers.
	rangeForm = 6
)

// An insertion describes the probes of a method.
type insertion struct {
	target Target
	method int32
	// parameters are the descriptors of all parameters, including this.
	parameters []string
	// site returns the id of a call that is counted.
	site func(in *dex.BodyInstruction) (id int32, ok bool)
	// handedOver returns the work that a counted call hands over. It may be nil.
	handedOver func(in *dex.BodyInstruction) work
	// carried is the index of the parameter with the work that the method carries out, -1 if the
	// method carries out none.
	carried int
	// timed reports whether the times of a counted call are kept. It may be nil.
	timed func(in *dex.BodyInstruction) bool
	// untimed is called for each call for which timed returns true, but which gets no probe for its
	// time. If timed is nil, untimed may be nil.
	untimed func(in *dex.BodyInstruction)
	// flow returns the method's graph, whose paths are counted. It is nil if they are not.
	flow func(b *dex.Body) *flowGraph
}

// Method inserts probes into the body of a method: at its begin, before each return, and in a
// handler for exceptions that leave it. It also inserts a probe before each call for which site
// returns an id. parameters are the descriptors of all parameters, including this.
func Method(b *dex.Body, t Target, method int32, parameters []string, site func(in *dex.BodyInstruction) (id int32, ok bool)) error {
	return insert(b, &insertion{target: t, method: method, parameters: parameters, site: site, carried: -1})
}

// A rewriter inserts the probes of one method.
type rewriter struct {
	*insertion
	body *dex.Body
	// original are the method's instructions in their order.
	original []int
	// calls are the calls that are counted, and sites their instructions in order.
	calls map[int]counted
	sites []int
	// id is the register for the method's id. spare is the first of two registers for values that
	// a probe needs. id and spare may be the same register.
	id, spare uint32
	// exception is the register for an exception that leaves the method.
	exception uint32
	// loaded is set if the start of the method loads the ids. Otherwise each probe loads
	// them.
	loaded bool
	// paths are the probes for paths, nil if they are not counted.
	paths *tracer
}

// A counted is a call with a probe.
type counted struct {
	id int32
	// at is the register for the id. A register for work follows it.
	at uint32
	// timed is set if the times of the call are kept.
	timed bool
	work
}

// insert inserts probes into the body of a method.
//
// The new registers follow the registers of the method, so no original instruction changes. Only
// instructions that move a value name registers beyond 255. A method with more registers loads all
// ids at its begin. It uses register 0 for this, which has no value yet. The handler for exceptions
// may also use register 0, because no original code follows it.
func insert(b *dex.Body, p *insertion) error {
	top := uint32(b.Registers)
	r := &rewriter{insertion: p, body: b, original: b.Order, id: top, spare: top, exception: top + 1}
	var graph *flowGraph
	if p.flow != nil {
		if b.Registers+extra+pathExtra > lowRegisters {
			return errPathRegisters
		}
		graph = p.flow(b)
	}
	r.findCalls(top)
	first := b.Registers - b.Ins
	shift, err := r.reserve(first, graph != nil)
	if err != nil {
		return err
	}
	if graph != nil {
		if r.paths, err = r.trace(graph, top+extra); err != nil {
			return err
		}
		r.paths.timeCalls()
	}
	order := r.moveParameters(first, shift)
	if r.loaded {
		order = append(order, r.load(p.method, r.id)...)
		for _, i := range r.sites {
			order = append(order, r.load(r.calls[i].id, r.calls[i].at)...)
		}
	}
	if r.paths != nil {
		order = append(order, r.paths.begin(first)...)
	} else {
		order = append(order, r.enter(first)...)
	}
	order, covered := r.weave(order)
	b.Order = append(order, r.leave(covered)...)
	return nil
}

// findCalls finds the calls that are counted. at is the register for their ids.
func (r *rewriter) findCalls(at uint32) {
	r.calls = make(map[int]counted)
	for _, i := range r.original {
		in := &r.body.Code[i]
		if in.Op.Index() != dex.IndexMethod {
			continue
		}
		if id, ok := r.site(in); ok {
			c := counted{id: id, at: at, timed: r.timed != nil && r.flow != nil && r.timed(in)}
			if r.handedOver != nil {
				c.work = r.handedOver(in)
			}
			r.calls[i] = c
			r.sites = append(r.sites, i)
		}
	}
}

// reserve gives the method the registers of the probes. first is the register of the first parameter. It
// returns the number of new registers.
func (r *rewriter) reserve(first int, paths bool) (shift int, err error) {
	b := r.body
	registers := b.Registers + extra
	if paths {
		registers += pathExtra
	}
	if registers > lowRegisters {
		if first == 0 {
			return 0, errRegisters
		}
		r.loaded, r.spare, r.exception = true, uint32(registers), 0
		width := 1
		if r.handedOver != nil {
			registers += extra
			width = extra // a register for work follows each id
		}
		for _, i := range r.sites {
			c := r.calls[i]
			c.at = uint32(registers)
			r.calls[i] = c
			registers += width
		}
	}
	if registers > maxRegisters {
		return 0, errFrame
	}
	shift = registers - b.Registers
	b.Registers = registers
	b.Outs = max(b.Outs, 1)
	if r.handedOver != nil || r.carried >= 0 {
		b.Outs = max(b.Outs, 2)
	}
	if paths {
		b.Outs = max(b.Outs, pathExtra)
	}
	return shift, nil
}

// weave appends the original code with the probes within it. covered is the part that the handler
// for exceptions covers.
func (r *rewriter) weave(order []int) (_, covered []int) {
	b, paths := r.body, r.paths
	before := make(map[int]int) // the first probe before an instruction
	for _, i := range r.original {
		var probes []int
		if paths != nil {
			order = append(order, paths.fall[i]...)
			probes = paths.entry[i]
		}
		if isReturn(b.Code[i].Op) {
			if paths != nil {
				probes = append(probes, paths.returns(i)...)
			} else {
				probes = r.probe(r.target.Exit, r.method, r.id, -1)
			}
		} else if c, ok := r.calls[i]; ok {
			probe := r.call(c, i)
			probes = append(probes, probe...)
			covered = append(covered, probe...)
		}
		if len(probes) > 0 {
			before[i] = probes[0]
		}
		order = append(append(order, probes...), i)
		covered = append(covered, i)
		if paths != nil {
			order = append(order, paths.after[i]...)
		}
	}
	if paths != nil {
		order = append(order, paths.end...)
		covered = append(covered, paths.covered...)
	}
	b.Redirect(func(i int) int {
		if probe, ok := before[i]; ok {
			return probe
		}
		return i
	})
	return order, covered
}

// enter adds the probe at the start of a method, whose parameters begin at a register.
func (r *rewriter) enter(first int) []int {
	if r.carried < 0 {
		return r.probe(r.target.Enter, r.method, r.id, -1)
	}
	for _, p := range r.parameters[:r.carried] {
		first += words(p)
	}
	return r.transfer(r.target.Dispatch, r.method, r.id, uint32(first), -1)
}

// call adds the probe before a call.
func (r *rewriter) call(c counted, i int) []int {
	in := &r.body.Code[i]
	handler := in.Handler
	if c.timed {
		return r.paths.timedCall(c.id, handler)
	}
	argument := func(at int) uint32 {
		if in.Op >= dex.OpInvokeVirtual+rangeForm {
			return in.C + uint32(at)
		}
		return uint32(in.Arguments[at])
	}
	count := func() []int { return r.probe(r.target.Call, c.id, c.at, handler) }
	switch c.how {
	case once:
		return r.transfer(r.target.Enqueue, c.id, c.at, argument(c.argument), handler)
	case repeated:
		return r.transfer(r.target.Repeat, c.id, c.at, argument(c.argument), handler)
	case numbered:
		return append([]int{
			r.move(moveObject, r.spare, argument(0), handler), r.move(move, r.spare+1, argument(1), handler), r.invoke(r.target.Send, r.spare, 2, handler),
		}, count()...)
	}
	return count()
}

// The opcodes that move a value between registers below 16. Two more forms of each follow.
const (
	move       = dex.Op(0x01)
	moveWide   = dex.Op(0x04)
	moveObject = dex.Op(0x07)
)

// move adds an instruction that copies a register.
func (r *rewriter) move(op dex.Op, to, from uint32, handler int) int {
	switch {
	case to >= lowRegisters:
		op += 2
	case to > 15 || from > 15:
		op++
	}
	return r.body.Append(dex.Instruction{Op: op, A: to, B: from}, handler)
}

// load adds the instructions that put an id into a register by way of register 0.
func (r *rewriter) load(id int32, to uint32) []int {
	return []int{r.constant(id, 0, -1), r.move(move, to, 0, -1)}
}

// constant adds an instruction that puts an id into one of the lower registers.
func (r *rewriter) constant(id int32, to uint32, handler int) int {
	op := dex.Op(0x13) // const/16
	if id != int32(int16(id)) {
		op = 0x14 // const
	}
	return r.body.Append(dex.Instruction{Op: op, A: to, Literal: int64(id)}, handler)
}

// invoke adds a call of one of the runtime's methods with consecutive registers.
func (r *rewriter) invoke(method, first uint32, count, handler int) int {
	call := dex.Instruction{Op: dex.OpInvokeStatic, A: uint32(count), Index: method}
	if first+uint32(count) > 16 {
		call.Op, call.C = dex.OpInvokeStatic+rangeForm, first
	} else {
		for i := range count {
			call.Arguments[i] = uint8(first) + uint8(i)
		}
	}
	return r.body.Append(call, handler)
}

// moveParameters moves the parameters, which arrive in the last registers, to where the original
// code has them.
func (r *rewriter) moveParameters(to, shift int) (order []int) {
	for _, p := range r.parameters {
		op := move
		switch p[0] {
		case 'J', 'D':
			op = moveWide
		case 'L', '[':
			op = moveObject
		}
		order = append(order, r.move(op, uint32(to), uint32(to+shift), -1))
		to += words(p)
	}
	return order
}

// probe adds a call of one of the runtime's methods with an id. at is the register for the id.
func (r *rewriter) probe(method uint32, id int32, at uint32, handler int) []int {
	return r.withID(id, at, handler, r.invoke(method, at, 1, handler))
}

// transfer is like probe for a method that also takes the object in a register.
func (r *rewriter) transfer(method uint32, id int32, at, object uint32, handler int) []int {
	moved := r.move(moveObject, at+1, object, handler)
	return append([]int{moved}, r.withID(id, at, handler, r.invoke(method, at, 2, handler))...)
}

// withID puts the instruction that loads an id before a call, if the call needs it.
func (r *rewriter) withID(id int32, at uint32, handler, call int) []int {
	if r.loaded {
		return []int{call}
	}
	return []int{r.constant(id, at, handler), call}
}

// leave adds a handler for exceptions that leave the method, and covers the original code with it.
func (r *rewriter) leave(covered []int) []int {
	b := r.body
	needs := slices.ContainsFunc(covered, func(i int) bool {
		in := &b.Code[i]
		return in.Op.Throws() && (in.Handler < 0 || b.Handlers[in.Handler].All < 0)
	})
	if !needs {
		return nil
	}
	order := []int{b.Append(dex.Instruction{Op: dex.OpMoveException, A: r.exception}, -1)}
	begin := order[0]
	if r.paths != nil {
		order = append(order, r.invoke(r.target.Leave, r.paths.token, pathExtra, -1))
	} else {
		order = append(order, r.probe(r.target.Exit, r.method, r.id, -1)...)
	}
	order = append(order, b.Append(dex.Instruction{Op: dex.OpThrow, A: r.exception}, -1))
	plain := -1                   // the handlers of code without others
	extended := make(map[int]int) // by the original handlers
	cover := func(in *dex.BodyInstruction) {
		switch {
		case in.Handler < 0:
			if plain < 0 {
				plain = len(b.Handlers)
				b.Handlers = append(b.Handlers, dex.Handler{All: begin})
			}
			in.Handler = plain
		case b.Handlers[in.Handler].All < 0:
			h, ok := extended[in.Handler]
			if !ok {
				h = len(b.Handlers)
				b.Handlers = append(b.Handlers, dex.Handler{Catches: b.Handlers[in.Handler].Catches, All: begin})
				extended[in.Handler] = h
			}
			in.Handler = h
		}
	}
	handlers := len(b.Handlers)
	for _, i := range covered {
		if in := &b.Code[i]; in.Handler < handlers {
			cover(in)
		}
	}
	return order
}
