package dextest

import "slices"

// A kind is the kind of value in a register.
type kind uint8

const (
	empty     kind = iota
	constant       // an int or a float, or null if 0
	integer        // a boolean, byte, short, char or int
	float          // the bits of a float
	reference      //
	wide           // lower halves: of a constant, of a long, of a double
	long
	double
	wideHigh // upper halves, in the same order
	longHigh
	doubleHigh
)

const kindsOfHigh = wideHigh - wide

func (k kind) String() string {
	return [...]string{"nothing", "a constant", "an int", "a float", "a reference", "a wide constant", "a long", "a double",
		"half of a wide constant", "half of a long", "half of a double"}[k]
}

func (k kind) words() int {
	if k >= wide && k <= double {
		return 2
	}
	return 1
}

// A value is the content of a register, or of two registers if it is wide.
type value struct {
	kind kind
	n    int64
	ref  *object
}

// An object is an object, an array, or a string.
type object struct {
	class  string
	fields map[string]value
	array  []value
	native any
	// fresh is set until the constructor of java.lang.Object has run.
	fresh bool
}

func refTo(o *object) value { return value{kind: reference, ref: o} }

func intOf(n int32) value { return value{kind: integer, n: int64(n)} }

func longOf(n int64) value { return value{kind: long, n: n} }

func boolOf(b bool) value {
	if b {
		return intOf(1)
	}
	return intOf(0)
}

// kindOf returns the kind of a type's values.
func kindOf(descriptor string) kind {
	switch descriptor[0] {
	case 'F':
		return float
	case 'J':
		return long
	case 'D':
		return double
	case 'L', '[':
		return reference
	case 'V':
		return empty
	}
	return integer
}

// typed gives a value the kind of a type. For example, the kind of a constant is unknown until it
// is stored in a field.
func typed(x value, descriptor string) value {
	x.kind = kindOf(descriptor)
	return x
}

// fits reports whether a value can have a type.
func (m *Machine) fits(x value, descriptor string) bool {
	switch k := kindOf(descriptor); k {
	case integer, float:
		return x.kind == k || x.kind == constant
	case long, double:
		return x.kind == k || x.kind == wide
	case reference:
		return x.kind == constant && x.n == 0 ||
			x.kind == reference && (x.ref == nil || !x.ref.fresh && m.isInstance(x.ref.class, descriptor))
	}
	return false
}

// zeroOf returns the initial value of a field of a type.
func zeroOf(descriptor string) value { return value{kind: kindOf(descriptor)} }

// set writes a register. If the register had half of a wide value, the other half becomes
// unreadable.
func (m *Machine) set(r uint32, x value) {
	regs := m.current.registers
	if int(r)+x.kind.words() > len(regs) {
		m.fault("register v%d is out of range", r)
	}
	clear := func(r uint32) {
		switch k := regs[r].kind; {
		case k.words() == 2:
			regs[r+1] = value{}
		case k >= wideHigh:
			regs[r-1] = value{}
		}
	}
	clear(r)
	if x.kind.words() == 2 {
		clear(r + 1)
		regs[r+1] = value{kind: x.kind + kindsOfHigh}
	}
	regs[r] = x
}

// read returns the value of a register. Its kind must be among want.
func (m *Machine) read(r uint32, want ...kind) value {
	regs := m.current.registers
	if int(r) >= len(regs) {
		m.fault("register v%d is out of range", r)
	}
	x := regs[r]
	if !slices.Contains(want, x.kind) || x.kind.words() == 2 && regs[r+1].kind != x.kind+kindsOfHigh {
		m.fault("v%d holds %s, not %s", r, x.kind, want[0])
	}
	return x
}

func (m *Machine) int(r uint32) int32 { return int32(m.read(r, integer, constant).n) }

// any returns the object in a register. Its constructor need not have run.
func (m *Machine) any(r uint32) *object {
	x := m.read(r, reference, constant)
	if x.kind == constant && x.n != 0 {
		m.fault("v%d holds a constant, not a reference", r)
	}
	return x.ref
}

// reference returns the object in a register. Its constructor must have run.
func (m *Machine) reference(r uint32) *object {
	o := m.any(r)
	if o != nil && o.fresh {
		m.fault("v%d holds a new object", r)
	}
	return o
}

func (m *Machine) newObject(name string) *object {
	o := &object{class: name, fields: make(map[string]value), fresh: true}
	for c := m.classes[name]; c != nil; c = m.classes[c.super] {
		for _, f := range c.fields {
			o.fields[f] = zeroOf(f[slices.Index([]byte(f), ':')+1:])
		}
	}
	return o
}

func (m *Machine) exception(class, message string) *object {
	o := &object{class: class, fields: make(map[string]value)}
	if message != "" {
		o.native = message
	}
	return o
}

func stringOf(s string) *object { return &object{class: "Ljava/lang/String;", native: s} }

// superOf returns the superclass of a class. It is empty for Object and for library interfaces.
func (m *Machine) superOf(name string) string {
	if c := m.classes[name]; c != nil {
		return c.super
	}
	if s, ok := supers[name]; ok {
		return s
	}
	if name == "Ljava/lang/Object;" {
		return ""
	}
	return "Ljava/lang/Object;"
}

// isInstance reports whether objects of a class are instances of a type.
func (m *Machine) isInstance(class, typ string) bool {
	if typ == "Ljava/lang/Object;" || class == typ {
		return true
	}
	if class[0] == '[' || typ[0] == '[' {
		return false
	}
	for c := class; c != ""; c = m.superOf(c) {
		if c == typ {
			return true
		}
		interfaces := libraryInterfaces[c]
		if k := m.classes[c]; k != nil {
			interfaces = k.interfaces
		}
		for _, i := range interfaces {
			if m.isInstance(i, typ) {
				return true
			}
		}
	}
	return false
}
