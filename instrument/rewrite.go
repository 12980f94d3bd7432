// Package instrument inserts probes into an app, so that the app counts its calls. A probe is a
// call of a method that package runtime adds to the app.
package instrument

import (
	"errors"
	"slices"

	"github.com/diffprof/diffprof/code/dex"
	"github.com/diffprof/diffprof/instrument/runtime"
)

// A Target has the runtime methods that probes call, as indices into the methods of the rewritten
// DEX file. Methods that the file does not need are not set. The methods return nothing. Their
// parameters are:
//
//   - an int for Enter, Exit and Call;
//   - an int and an object for Enqueue, Repeat and Dispatch;
//   - an object and an int for Send.
type Target struct {
	Enter, Exit, Call               uint32
	Enqueue, Repeat, Send, Dispatch uint32
	PathTarget
}

// RuntimeClass is the class with the methods that probes call.
const RuntimeClass = runtime.Class

// Targets adds references to the runtime methods that count calls.
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

// asyncTargets adds references to the runtime methods that track asynchronous work.
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
	// extra is the number of registers that probes need: one for an ID, and one for an exception or
	// for asynchronous work.
	extra = 2
	// lowRegisters is the number of registers that all instructions can use. maxRegisters is the
	// maximum number of registers of a method.
	lowRegisters, maxRegisters = 1 << 8, 1<<16 - 1
	// rangeForm turns the opcode of a call with a list of registers into the opcode for a register
	// range, if it is added.
	rangeForm = 6
)

// An insertion describes the probes to insert into a method.
type insertion struct {
	target Target
	method int32
	// parameters are the descriptors of all parameters, including this.
	parameters []string
	// site returns the ID of a call to count. ok is false for a call that is not counted.
	site func(in *dex.BodyInstruction) (id int32, ok bool)
	// handedOver returns the asynchronous work that a counted call starts. It may be nil.
	handedOver func(in *dex.BodyInstruction) work
	// carried is the index of the parameter whose asynchronous work the method does, and -1 for
	// most methods. For example, it is 0, the receiver, for Runnable.run.
	carried int
	// timed reports whether the start and end of a counted call are recorded. It may be nil.
	timed func(in *dex.BodyInstruction) bool
	// untimed is called for calls that should be timed but can only be counted. It may be nil if
	// timed is nil.
	untimed func(in *dex.BodyInstruction)
	// flow returns the method's control-flow graph. It is nil if the method's paths are not
	// counted.
	flow func(b *dex.Body) *flowGraph
}

// Method inserts probes into the body of a method: at its start, before each return, and in a
// handler for exceptions that leave the method. It also inserts a probe before each call for which
// site returns an ID. parameters are the descriptors of all parameters, including this.
func Method(b *dex.Body, t Target, method int32, parameters []string, site func(in *dex.BodyInstruction) (id int32, ok bool)) error {
	return insert(b, &insertion{target: t, method: method, parameters: parameters, site: site, carried: -1})
}

// A rewriter inserts the probes into a method.
type rewriter struct {
	*insertion
	body *dex.Body
	// original has the method's original instructions in order.
	original []int
	// calls has the counted calls, by the index of the instruction. sites has these indices in
	// order.
	calls map[int]counted
	sites []int
	// id is the register for the method's ID. spare is the first of two registers for a probe's
	// arguments. id and spare may be the same register.
	id, spare uint32
	// exception is the register for an exception that leaves the method.
	exception uint32
	// loaded is set if IDs are loaded at the start of the method. Otherwise each probe loads its
	// ID.
	loaded bool
	// paths adds the probes for paths. It is nil if paths are not counted.
	paths *tracer
}

// A counted is a call that gets a probe.
type counted struct {
	id int32
	// at is the register for the ID. The next register is for asynchronous work.
	at uint32
	// timed is set if the start and end of the call are recorded.
	timed bool
	work
}

// insert inserts probes into the body of a method.
//
// The new registers follow the method's registers, so no original instruction changes. Only move
// instructions can use registers from 256 on. If the new registers reach this limit:
//
//   - The method loads all IDs at its start, by way of register 0, which has no value there yet.
//   - The exception handler uses register 0, because no original code runs after it.
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

// findCalls finds the calls to count. at is the register for their IDs.
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

// reserve adds registers for the probes to the method, and returns their number. first is the
// register of the method's first parameter.
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
			width = extra // A register for work follows each ID.
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

// weave appends the original code to order, with probes between its instructions. It returns the
// new order, and the instructions that the new exception handler must cover.
func (r *rewriter) weave(order []int) (_, covered []int) {
	b, paths := r.body, r.paths
	before := make(map[int]int) // The first probe before each instruction.
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

// enter adds the probe at the start of a method. first is the register of its first parameter.
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

// Opcodes that move a value between registers below 16. The next two opcodes do the same for larger
// register numbers.
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

// load adds the instructions that load an ID into a register, by way of register 0.
func (r *rewriter) load(id int32, to uint32) []int {
	return []int{r.constant(id, 0, -1), r.move(move, to, 0, -1)}
}

// constant adds an instruction that loads an ID into a register below 256.
func (r *rewriter) constant(id int32, to uint32, handler int) int {
	op := dex.Op(0x13) // const/16
	if id != int32(int16(id)) {
		op = 0x14 // const
	}
	return r.body.Append(dex.Instruction{Op: op, A: to, Literal: int64(id)}, handler)
}

// invoke adds a call of a runtime method with the values of consecutive registers.
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

// moveParameters adds the instructions that move the parameters from the last registers, where they
// arrive, to the registers that the original code uses.
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

// probe adds a call of a runtime method with an ID. at is the register for the ID.
func (r *rewriter) probe(method uint32, id int32, at uint32, handler int) []int {
	return r.withID(id, at, handler, r.invoke(method, at, 1, handler))
}

// transfer adds a call of a runtime method with an ID and an object. object is a register.
func (r *rewriter) transfer(method uint32, id int32, at, object uint32, handler int) []int {
	moved := r.move(moveObject, at+1, object, handler)
	return append([]int{moved}, r.withID(id, at, handler, r.invoke(method, at, 2, handler))...)
}

// withID returns a call, and before it an instruction that loads its ID, unless all IDs are loaded.
func (r *rewriter) withID(id int32, at uint32, handler, call int) []int {
	if r.loaded {
		return []int{call}
	}
	return []int{r.constant(id, at, handler), call}
}

// leave adds a handler for exceptions that leave the method. The handler covers the given
// instructions.
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
	plain := -1                   // The handlers for code that had none.
	extended := make(map[int]int) // New handlers by original handlers.
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
