package dex

import (
	"errors"
	"fmt"
	"slices"
)

// A kind is the kind of value in a register.
type kind uint8

const (
	conflict kind = iota // nothing readable
	zero                 // the constant 0, which is also null
	constant             // an int or a float
	integer              // a boolean, byte, short, char or int
	float
	reference
	fresh       // a new object whose constructor has not run
	freshThis   // this, before the constructor calls another constructor
	wide        // the lower half of a long or a double
	long        // the lower half of a long
	double      // the lower half of a double
	wideHigh    // the upper halves, in the same order
	longHigh    //
	doubleHigh  //
	kindsOfHigh = wideHigh - wide
)

var kindNames = [...]string{"nothing", "zero", "a constant", "an int", "a float", "a reference", "a new object", "this before its constructor",
	"a wide constant", "a long", "a double", "half of a wide value", "half of a long", "half of a double"}

// A value is what the verifier knows of a register: its kind, and the locks on its object.
type value struct {
	kind kind
	// locks has a bit for each held lock on the object. The lock that was taken n-th has bit n,
	// counted from 0.
	locks uint32
	// typ is 1 plus the type index of a reference, or 0 if the type is unknown. For an object whose
	// constructor has not run, it is the index of the instruction that created the object.
	typ uint32
}

// A frame is what the verifier knows before an instruction.
type frame struct {
	registers []value
	depth     int // The number of held locks.
}

const (
	maxLocks  = 32
	maxStates = 1 << 25 // Instructions at which paths join, times registers.
)

var (
	errLocks   = errors.New("more than 32 locks")
	errStates  = errors.New("too many registers and branches to verify")
	errJoin    = errors.New("paths with different locks join")
	errHeld    = errors.New("an instruction that may throw holds a lock outside of a handler for all exceptions")
	errRelease = errors.New("a lock is released that is not the last one taken")
	errReturn  = errors.New("the method returns with a lock")
	errResult  = errors.New("a move-result instruction does not directly follow the call whose result it moves")
	errThis    = errors.New("a constructor returns before it calls another constructor")
	errCaught  = errors.New("the exception is read where no handler begins")
)

// A verifier checks one method.
type verifier struct {
	*File
	body   *Body
	method Method
	frames []*frame // Set only for instructions at which paths join.
	joins  []bool
	// caught reports which instructions begin an exception handler.
	caught []bool
	queue  []int
	state  frame
	// result is what the last instruction left for a move-result instruction.
	result    value
	hasResult bool
	signature Proto
	isStatic  bool
	isInit    bool
	strict    bool
	types     map[string]uint32
	at        *BodyInstruction
}

// Verify checks the code of a method against the rules of Android's bytecode. The method must be
// defined by the file. Registers must have the types that instructions need, wide values must be
// whole, and objects initialized. Every path must release each lock once, in reverse order. Verify
// does not know the class hierarchy, so it accepts any object for any class.
//
// Outside of all try ranges, Android accepts an instruction that may throw while a lock is held,
// although the lock is then never released. Some Kotlin compilers write such code. If strict is
// set, it is an error.
func (f *File) Verify(m Method, strict bool) error {
	if m.Code == 0 {
		return nil
	}
	v, err := f.verifier(m, strict)
	if err != nil {
		return err
	}
	defer v.body.Free()
	return v.run()
}

// verifier returns a verifier for a method with code. The caller must free the verifier's body.
func (f *File) verifier(m Method, strict bool) (*verifier, error) {
	c, err := f.Code(m.Code)
	if err != nil {
		return nil, err
	}
	b, err := f.Body(c)
	if err != nil {
		return nil, err
	}
	id := f.Methods[m.Index]
	return &verifier{
		File: f, body: b, method: m, frames: make([]*frame, len(b.Code)), joins: make([]bool, len(b.Code)), caught: make([]bool, len(b.Code)),
		signature: f.Protos[id.Proto], isStatic: m.Access&AccStatic != 0, isInit: f.Strings[id.Name] == "<init>",
		strict: strict,
	}, nil
}

// fail returns an error at the current instruction.
func (v *verifier) fail(format string, args ...any) error {
	id := v.Methods[v.method.Index]
	name := v.Descriptor(uint32(id.Class)) + "->" + v.Strings[id.Name] + v.Signature(id.Proto)
	address := 0
	op := OpNop
	if v.at != nil {
		address, op = v.at.Address, v.at.Op
	}
	return v.File.fail(v.method.Code+codeHeader+2*address, "%s: %#x: %s: %w", name, address, op, fmt.Errorf(format, args...))
}

// mark finds the instructions at which paths join, and those that begin an exception handler.
func (v *verifier) mark() {
	b := v.body
	join := func(i int) { v.joins[i] = true }
	for i := range b.Code {
		in := &b.Code[i]
		if ops[in.Op].flow&branches != 0 {
			join(in.Target)
		}
		for _, t := range in.Targets {
			join(t)
		}
	}
	for _, h := range b.Handlers {
		for _, c := range h.Catches {
			join(c.Address)
			v.caught[c.Address] = true
		}
		if h.All >= 0 {
			join(h.All)
			v.caught[h.All] = true
		}
	}
	join(0)
}

func (v *verifier) run() error {
	b, id := v.body, v.Methods[v.method.Index]
	v.mark()
	n := 0
	for _, joins := range v.joins {
		if joins {
			n++
		}
	}
	if n*(b.Registers+8) > maxStates {
		return v.fail("%w", errStates)
	}
	if err := v.begin(id); err != nil {
		return err
	}
	for len(v.queue) > 0 {
		i := v.queue[len(v.queue)-1]
		v.queue = v.queue[:len(v.queue)-1]
		v.state.depth = v.frames[i].depth
		copy(v.state.registers, v.frames[i].registers)
		v.hasResult = false
		for next := i; next >= 0; {
			var err error
			if next, err = v.step(next); err != nil {
				return err
			}
			if next >= 0 && v.joins[next] {
				if err := v.join(next); err != nil {
					return err
				}
				break
			}
		}
	}
	return nil
}

// begin sets the registers of the method's parameters.
func (v *verifier) begin(id MethodID) error {
	b := v.body
	v.state.registers = make([]value, b.Registers)
	at := uint32(b.Registers - b.Ins)
	parameters, err := v.TypeList(v.signature.Parameters)
	if err != nil {
		return err
	}
	words := 0
	if !v.isStatic {
		words++
	}
	for _, p := range parameters {
		words += v.valueOf(uint32(p)).words()
	}
	if words != b.Ins {
		return v.fail("the parameters need %d registers, not %d", words, b.Ins)
	}
	if !v.isStatic {
		this := value{kind: reference, typ: 1 + uint32(id.Class)}
		if v.isInit && v.Descriptor(uint32(id.Class)) != "Ljava/lang/Object;" {
			this.kind = freshThis
		}
		v.state.registers[at] = this
		at++
	}
	for _, p := range parameters {
		value := v.valueOf(uint32(p))
		v.set(at, value)
		at += uint32(value.words())
	}
	return v.join(0)
}

// join merges the current state into the state before instruction i. If that state changes, join
// queues the instruction.
func (v *verifier) join(i int) error {
	f := v.frames[i]
	if f == nil {
		v.frames[i] = &frame{slices.Clone(v.state.registers), v.state.depth}
		v.queue = append(v.queue, i)
		return nil
	}
	if f.depth != v.state.depth {
		return v.fail("%w at %#x: %d and %d", errJoin, v.body.Code[i].Address, f.depth, v.state.depth)
	}
	changed := false
	for r := range f.registers {
		if f.registers[r] == v.state.registers[r] {
			continue
		}
		if merged := mergeValues(f.registers[r], v.state.registers[r]); merged != f.registers[r] {
			f.registers[r] = merged
			changed = true
		}
	}
	// Half of a wide value is unusable if the merge lost the other half.
	for r := range f.registers {
		switch k := f.registers[r].kind; {
		case k >= wide && k <= double && (r+1 == len(f.registers) || f.registers[r+1].kind != k+kindsOfHigh),
			k >= wideHigh && (r == 0 || f.registers[r-1].kind != k-kindsOfHigh):
			f.registers[r] = value{}
			changed = true
		}
	}
	if changed {
		v.queue = append(v.queue, i)
	}
	return nil
}

// mergeValues returns what is known of a register that has either the value a or the value b.
func mergeValues(a, b value) value {
	locks := a.locks & b.locks
	if a.kind > b.kind {
		a, b = b, a
	}
	switch {
	case a.kind == b.kind && a.typ == b.typ:
		a.locks = locks
		return a
	case a.kind == reference && b.kind == reference:
		return value{kind: reference, locks: locks}
	case a.kind == zero && b.kind <= reference && b.kind > zero:
		b.locks = locks
		return b
	case a.kind == constant && (b.kind == integer || b.kind == float):
		return b
	case a.kind == wide && (b.kind == long || b.kind == double), a.kind == wideHigh && (b.kind == longHigh || b.kind == doubleHigh):
		return b
	}
	return value{}
}

// words returns the number of registers that a value takes.
func (x value) words() int {
	if x.kind >= wide && x.kind <= double {
		return 2
	}
	return 1
}

// valueOf returns what is known of a value of a type.
func (v *verifier) valueOf(typ uint32) value {
	switch v.form(typ) {
	case 'Z', 'B', 'S', 'C', 'I':
		return value{kind: integer}
	case 'F':
		return value{kind: float}
	case 'J':
		return value{kind: long}
	case 'D':
		return value{kind: double}
	case 'V':
		return value{}
	}
	return value{kind: reference, typ: 1 + typ}
}

// form returns the first byte of a type's descriptor, or 0 if the descriptor is empty.
func (v *verifier) form(typ uint32) byte {
	if d := v.Descriptor(typ); d != "" {
		return d[0]
	}
	return 0
}

// set writes a register, or two registers for a wide value.
func (v *verifier) set(r uint32, x value) {
	regs := v.state.registers
	clear := func(r uint32) {
		switch k := regs[r].kind; {
		case k >= wide && k <= double:
			regs[r+1] = value{}
		case k >= wideHigh:
			regs[r-1] = value{}
		}
		regs[r] = value{}
	}
	clear(r)
	if x.words() == 2 {
		clear(r + 1)
		regs[r+1] = value{kind: x.kind + kindsOfHigh}
	}
	regs[r] = x
}

// check returns an error if a value's registers are out of range.
func (v *verifier) check(r uint32, words int) error {
	if int(r)+words > len(v.state.registers) {
		return v.fail("register v%d is out of range: the method has %d", r, len(v.state.registers))
	}
	return nil
}

// read returns the value of a register, or an error if its kind does not fit want. Two kinds of want
// accept several kinds of values:
//
//   - wide accepts a long or a double,
//   - constant accepts an integer or a float.
func (v *verifier) read(r uint32, want kind) (value, error) {
	words := value{kind: want}.words()
	if err := v.check(r, words); err != nil {
		return value{}, err
	}
	x := v.state.registers[r]
	ok := false
	switch want {
	case integer, float:
		ok = x.kind == want || x.kind == zero || x.kind == constant
	case constant:
		ok = x.kind >= zero && x.kind <= float
	case reference:
		ok = x.kind == reference || x.kind == zero
	case long, double:
		ok = x.kind == want || x.kind == wide
	case wide:
		ok = x.kind >= wide && x.kind <= double
	}
	if ok && words == 2 {
		ok = v.state.registers[r+1].kind == x.kind+kindsOfHigh
	}
	if !ok {
		return x, v.fail("v%d holds %s, not %s", r, kindNames[x.kind], kindNames[want])
	}
	return x, nil
}

// write writes a register, or returns an error if it is out of range.
func (v *verifier) write(r uint32, x value) error {
	if err := v.check(r, x.words()); err != nil {
		return err
	}
	v.set(r, x)
	return nil
}
