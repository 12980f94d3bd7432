package dextest

import (
	"slices"
	"strings"

	"github.com/diffprof/diffprof/code/dex"
)

// step executes an instruction other than a return. It returns the index of the next instruction,
// or the exception that was thrown.
func (m *Machine) step(a *activation, in *dex.BodyInstruction) (next int, thrown *object) {
	next = a.at + 1
	switch op := in.Op; {
	case op == dex.OpNop:
	case op <= 0x09:
		m.move(in)
	case op <= 0x0c:
		if !a.hasResult {
			m.fault("no result")
		}
		x := a.result
		want := [...][]kind{{integer, float}, {long, double}, {reference}}[op-0x0a]
		if !slices.Contains(want, x.kind) {
			m.fault("the result is %s", x.kind)
		}
		m.set(in.A, x)
		a.hasResult = false
	case op == dex.OpMoveException:
		if a.caught == nil {
			m.fault("no exception")
		}
		m.set(in.A, refTo(a.caught))
	case op >= 0x12 && op <= 0x15:
		m.set(in.A, value{kind: constant, n: int64(int32(in.Literal))})
	case op >= 0x16 && op <= 0x19:
		m.set(in.A, value{kind: wide, n: in.Literal})
	case op <= dex.OpConstStringJumbo:
		m.set(in.A, refTo(m.constant(in.Index)))
	case op == 0x1c:
		m.set(in.A, refTo(&object{class: "Ljava/lang/Class;", native: m.file.Descriptor(in.Index)}))
	case op == dex.OpMonitorEnter:
		return next, m.lock(a, in)
	case op == dex.OpMonitorExit:
		o := m.reference(in.A)
		n := len(a.locks)
		if n == 0 || a.locks[n-1] != o {
			m.fault("a lock is released that is not the last one taken")
		}
		a.locks = a.locks[:n-1]
		m.held[o]--
	case op == 0x1f:
		o := m.reference(in.A)
		typ := m.file.Descriptor(in.Index)
		if o != nil && !m.isInstance(o.class, typ) {
			return next, m.exception("Ljava/lang/ClassCastException;", "")
		}
		m.set(in.A, refTo(o))
	case op == 0x20:
		o := m.reference(in.B)
		m.set(in.A, boolOf(o != nil && m.isInstance(o.class, m.file.Descriptor(in.Index))))
	case op == 0x22:
		name := m.file.Descriptor(in.Index)
		if thrown = m.initialize(name); thrown == nil {
			m.set(in.A, refTo(m.newObject(name)))
		}
	case op >= 0x21 && op <= dex.OpFillArrayData, op >= 0x44 && op <= 0x51:
		return next, m.array(a, in)
	case op == dex.OpThrow:
		o := m.reference(in.A)
		if o == nil {
			return next, m.exception("Ljava/lang/NullPointerException;", "")
		}
		if !m.isInstance(o.class, "Ljava/lang/Throwable;") {
			m.fault("a %s is thrown", o.class)
		}
		return next, o
	case op <= dex.OpGoto32:
		return in.Target, nil
	case op <= dex.OpSparseSwitch:
		if i := slices.Index(in.Keys, m.int(in.A)); i >= 0 {
			return in.Targets[i], nil
		}
	case op <= 0x31:
		m.set(in.A, intOf(m.compare(in)))
	case op <= 0x3d:
		if m.test(in) {
			return in.Target, nil
		}
	case op >= 0x52 && op <= 0x6d:
		return next, m.field(in)
	case op >= dex.OpInvokeVirtual && op <= 0x78:
		return next, m.call(a, in)
	case op >= 0x7b && op <= 0xe2:
		return next, m.arithmetic(in)
	default:
		m.fault("the machine does not know this instruction")
	}
	return next, thrown
}

func (m *Machine) move(in *dex.BodyInstruction) {
	switch (in.Op - 1) / 3 {
	case 0:
		m.set(in.A, m.read(in.B, integer, float, constant))
	case 1:
		m.set(in.A, m.read(in.B, long, double, wide))
	default:
		x := m.read(in.B, reference, constant)
		m.any(in.B)
		m.set(in.A, x)
	}
}

func (m *Machine) constant(index uint32) *object {
	s := m.file.Strings[index]
	if m.literal[s] == nil {
		text, err := dex.Text(s)
		if err != nil {
			m.fault("%v", err)
		}
		m.literal[s] = stringOf(text)
	}
	return m.literal[s]
}

func (m *Machine) lock(a *activation, in *dex.BodyInstruction) *object {
	o := m.reference(in.A)
	if o == nil {
		return m.exception("Ljava/lang/NullPointerException;", "")
	}
	if len(a.locks) >= 32 {
		m.fault("more than 32 locks")
	}
	a.locks = append(a.locks, o)
	m.held[o]++
	return nil
}

func (m *Machine) test(in *dex.BodyInstruction) bool {
	regs := m.current.registers
	var a, b int64
	op := in.Op
	if op >= 0x38 {
		op -= 0x38 - 0x32
		if int(in.A) < len(regs) && op <= 0x33 && regs[in.A].kind == reference {
			return (m.reference(in.A) == nil) == (op == 0x32)
		}
		a = int64(m.int(in.A))
	} else {
		if int(in.A) < len(regs) && int(in.B) < len(regs) && op <= 0x33 && (regs[in.A].kind == reference || regs[in.B].kind == reference) {
			return (m.reference(in.A) == m.reference(in.B)) == (op == 0x32)
		}
		a, b = int64(m.int(in.A)), int64(m.int(in.B))
	}
	switch op {
	case 0x32:
		return a == b
	case 0x33:
		return a != b
	case 0x34:
		return a < b
	case 0x35:
		return a >= b
	case 0x36:
		return a > b
	}
	return a <= b
}

// array executes an instruction on an array.
func (m *Machine) array(a *activation, in *dex.BodyInstruction) *object {
	null := m.exception("Ljava/lang/NullPointerException;", "")
	switch in.Op {
	case 0x21:
		o := m.arrayIn(in.B)
		if o == nil {
			return null
		}
		m.set(in.A, intOf(int32(len(o.array))))
		return nil
	case 0x23:
		n, typ := m.int(in.B), m.file.Descriptor(in.Index)
		if n < 0 {
			return m.exception("Ljava/lang/NegativeArraySizeException;", "")
		}
		o := &object{class: typ, array: make([]value, n)}
		for i := range o.array {
			o.array[i] = zeroOf(typ[1:])
		}
		m.set(in.A, refTo(o))
		return nil
	case 0x24, 0x25:
		typ := m.file.Descriptor(in.Index)
		o := &object{class: typ}
		for i := range in.A {
			r := in.C + i
			if in.Op == 0x24 {
				r = uint32(in.Arguments[i])
			}
			x := m.read(r, integer, constant, float, reference)
			if !m.fits(x, typ[1:]) {
				m.fault("v%d holds %s", r, x.kind)
			}
			o.array = append(o.array, typed(x, typ[1:]))
		}
		a.result, a.hasResult = refTo(o), true
		return nil
	case dex.OpFillArrayData:
		o := m.arrayIn(in.A)
		if o == nil {
			return null
		}
		width, n := int(in.Data[1]), int(in.Data[2])|int(in.Data[3])<<16
		if n > len(o.array) {
			return m.exception("Ljava/lang/ArrayIndexOutOfBoundsException;", "")
		}
		for i := range n {
			var bits uint64
			for j := range width {
				at := i*width + j
				bits |= uint64(in.Data[4+at/2]>>(8*(at%2))&0xff) << (8 * j)
			}
			shift := 64 - 8*width
			o.array[i].n = int64(bits<<shift) >> shift
			if o.class == "[C" || o.class == "[Z" {
				o.array[i].n = int64(bits)
			}
		}
		return nil
	}
	o := m.arrayIn(in.B)
	i := m.int(in.C)
	get := in.Op < 0x4b
	form := int(in.Op-0x44) % 7
	want := [...]string{"IF", "JD", "L[", "Z", "B", "C", "S"}[form]
	if o == nil {
		return null
	}
	if !strings.Contains(want, o.class[1:2]) && !(form == 4 && o.class == "[Z") {
		m.fault("the array is a %s", o.class)
	}
	if i < 0 || int(i) >= len(o.array) {
		return m.exception("Ljava/lang/ArrayIndexOutOfBoundsException;", "")
	}
	if get {
		m.set(in.A, o.array[i])
		return nil
	}
	x := m.operand(in.A)
	if x.kind == reference && x.ref != nil && x.ref.fresh || kindOf(o.class[1:]) != x.kind && !m.fits(x, o.class[1:]) {
		m.fault("v%d holds %s", in.A, x.kind)
	}
	if !m.fits(x, o.class[1:]) {
		return m.exception("Ljava/lang/ArrayStoreException;", "")
	}
	o.array[i] = truncated(typed(x, o.class[1:]), o.class[1:])
	return nil
}

// operand returns the value of a register, which may be of any kind but not half of a wide value.
func (m *Machine) operand(r uint32) value {
	return m.read(r, integer, float, constant, reference, long, double, wide)
}

func truncated(x value, descriptor string) value {
	switch descriptor {
	case "B":
		x.n = int64(int8(x.n))
	case "S":
		x.n = int64(int16(x.n))
	case "C":
		x.n = int64(uint16(x.n))
	}
	return x
}

func (m *Machine) arrayIn(r uint32) *object {
	o := m.reference(r)
	if o != nil && o.class[0] != '[' {
		m.fault("v%d holds a %s, not an array", r, o.class)
	}
	return o
}

// field executes an instruction that reads or writes a field.
func (m *Machine) field(in *dex.BodyInstruction) *object {
	id := m.file.Fields[in.Index]
	typ, owner := m.file.Descriptor(uint32(id.Type)), m.file.Descriptor(uint32(id.Class))
	want := [...]string{"IF", "JD", "L[", "Z", "B", "C", "S"}[(in.Op-0x52)%7]
	if !strings.Contains(want, typ[:1]) {
		m.fault("the field is a %s", typ)
	}
	key, static := fieldKey(m.file, in.Index), in.Op >= 0x60
	put := in.Op >= 0x67 || in.Op >= 0x59 && !static
	var o *object
	if static {
		if thrown := m.initialize(owner); thrown != nil {
			return thrown
		}
		key = owner + "->" + key
		if _, ok := m.statics[key]; !ok {
			m.statics[key] = zeroOf(typ)
			if m.classes[owner] == nil {
				m.statics[key] = refTo(&object{class: typ})
			}
		}
	} else {
		if o = m.any(in.B); o == nil {
			return m.exception("Ljava/lang/NullPointerException;", "")
		}
		if _, ok := o.fields[key]; !ok || o.fresh && !put {
			m.fault("a %s has no field %s", o.class, key)
		}
	}
	switch {
	case put:
		x := m.operand(in.A)
		if !m.fits(x, typ) {
			m.fault("v%d holds %s, the field is a %s", in.A, x.kind, typ)
		}
		if x = truncated(typed(x, typ), typ); static {
			m.statics[key] = x
		} else {
			o.fields[key] = x
		}
	case static:
		m.set(in.A, m.statics[key])
	default:
		m.set(in.A, o.fields[key])
	}
	return nil
}

// call executes a call.
func (m *Machine) call(a *activation, in *dex.BodyInstruction) *object {
	to := m.callee(in.Index)
	owner, name := to.owner, to.name
	op := in.Op
	ranged := op >= 0x74
	if ranged {
		op -= 6
	}
	static := op == dex.OpInvokeStatic
	var want []string
	if !static {
		want = append(want, owner)
	}
	want = append(want, to.parameters...)
	if int(in.A) > a.body.Outs {
		m.fault("a call with %d registers, the code states %d", in.A, a.body.Outs)
	}
	var args []value
	at := uint32(0)
	register := func() uint32 {
		if at >= in.A {
			m.fault("too few arguments")
		}
		r := in.C + at
		if !ranged {
			r = uint32(in.Arguments[at])
		}
		at++
		return r
	}
	for i, typ := range want {
		r := register()
		x := m.operand(r)
		if !m.fits(x, typ) && !(i == 0 && name == "<init>" && x.kind == reference) {
			m.fault("v%d holds %s, the parameter is a %s", r, x.kind, typ)
		}
		if x.kind.words() == 2 && register() != r+1 {
			m.fault("the argument after v%d is not its upper half", r)
		}
		args = append(args, typed(x, typ))
	}
	if at != in.A {
		m.fault("too many arguments")
	}
	if owner == m.ProbeClass {
		p := Probe{Name: name}
		for _, x := range args {
			switch x.kind {
			case integer, constant:
				p.ID = int32(x.n)
				p.Numbers = append(p.Numbers, p.ID)
			case reference:
				if x.ref != nil && x.ref.fresh {
					m.fault("a probe takes a new object")
				}
			default:
				m.fault("a probe takes a value of another kind")
			}
		}
		m.Probes = append(m.Probes, p)
		if to.result != "V" && m.Answer != nil {
			a.result, a.hasResult = intOf(m.Answer(p)), true
		}
		return nil
	}
	m.logCall(a, in)
	if !static && args[0].ref == nil {
		return m.exception("Ljava/lang/NullPointerException;", "")
	}
	if name == "<init>" && !args[0].ref.fresh {
		m.fault("a constructor is called on an object that is not a new object")
	}
	if static {
		if thrown := m.initialize(owner); thrown != nil {
			return thrown
		}
	}
	start := owner
	if op == dex.OpInvokeVirtual || op == 0x72 {
		start = args[0].ref.class
	} else if op == 0x6f {
		start = m.superOf(a.method.class.name)
	}
	result, thrown := m.dispatch(start, to.key, args)
	if thrown == nil && to.result != "V" {
		a.result, a.hasResult = typed(result, to.result), true
	}
	return thrown
}

// dispatch runs the method that a class or its nearest superclass defines.
func (m *Machine) dispatch(class, key string, args []value) (value, *object) {
	for c := class; c != ""; c = m.superOf(c) {
		if k := m.classes[c]; k != nil {
			if mt := k.methods[key]; mt != nil {
				return m.invoke(mt, args)
			}
		} else if f := m.library[c+"->"+key]; f != nil {
			return f(m, args)
		}
	}
	m.fault("the machine does not know %s->%s", class, key)
	return value{}, nil
}
