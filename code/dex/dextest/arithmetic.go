package dextest

import (
	"cmp"
	"math"

	"github.com/diffprof/diffprof/code/dex"
)

func (m *Machine) float(r uint32) float32 {
	return math.Float32frombits(uint32(m.read(r, float, constant).n))
}

func (m *Machine) long(r uint32) int64 { return m.read(r, long, wide).n }

func (m *Machine) double(r uint32) float64 {
	return math.Float64frombits(uint64(m.read(r, double, wide).n))
}

func floatOf(x float32) value { return value{kind: float, n: int64(int32(math.Float32bits(x)))} }

func doubleOf(x float64) value { return value{kind: double, n: int64(math.Float64bits(x))} }

func (m *Machine) compare(in *dex.BodyInstruction) int32 {
	var x, y float64
	switch in.Op {
	case 0x31:
		return int32(cmp.Compare(m.long(in.B), m.long(in.C)))
	case 0x2d, 0x2e:
		x, y = float64(m.float(in.B)), float64(m.float(in.C))
	default:
		x, y = m.double(in.B), m.double(in.C)
	}
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	case x == y:
		return 0
	case in.Op&1 == 0: // cmpg
		return 1
	}
	return -1
}

// saturated converts a floating-point number to an integer of the given bits, as Java does.
func saturated(x float64, bits int) int64 {
	limit := math.Ldexp(1, bits-1)
	switch {
	case x != x:
		return 0
	case x >= limit:
		return 1<<(bits-1) - 1
	case x < -limit:
		return -1 << (bits - 1)
	}
	return int64(x)
}

func (m *Machine) convert(in *dex.BodyInstruction) value {
	b := in.B
	switch in.Op {
	case 0x7b:
		return intOf(-m.int(b))
	case 0x7c:
		return intOf(^m.int(b))
	case 0x7d:
		return longOf(-m.long(b))
	case 0x7e:
		return longOf(^m.long(b))
	case 0x7f:
		return floatOf(-m.float(b))
	case 0x80:
		return doubleOf(-m.double(b))
	case 0x81:
		return longOf(int64(m.int(b)))
	case 0x82:
		return floatOf(float32(m.int(b)))
	case 0x83:
		return doubleOf(float64(m.int(b)))
	case 0x84:
		return intOf(int32(m.long(b)))
	case 0x85:
		return floatOf(float32(m.long(b)))
	case 0x86:
		return doubleOf(float64(m.long(b)))
	case 0x87:
		return intOf(int32(saturated(float64(m.float(b)), 32)))
	case 0x88:
		return longOf(saturated(float64(m.float(b)), 64))
	case 0x89:
		return doubleOf(float64(m.float(b)))
	case 0x8a:
		return intOf(int32(saturated(m.double(b), 32)))
	case 0x8b:
		return longOf(saturated(m.double(b), 64))
	case 0x8c:
		return floatOf(float32(m.double(b)))
	case 0x8d:
		return intOf(int32(int8(m.int(b))))
	case 0x8e:
		return intOf(int32(uint16(m.int(b))))
	}
	return intOf(int32(int16(m.int(b))))
}

// Integer operations, in the order of their opcodes.
const (
	add = iota
	sub
	mul
	div
	rem
	and
	or
	xor
	shl
	shr
	ushr
)

func (m *Machine) arithmetic(in *dex.BodyInstruction) *object {
	op := in.Op
	if op <= 0x8f {
		m.set(in.A, m.convert(in))
		return nil
	}
	if op >= 0xd0 {
		x, y, o := m.int(in.B), int32(in.Literal), int(op-0xd0)
		if op >= 0xd8 {
			o = int(op - 0xd8)
		}
		if o == sub {
			x, y = y, x
		}
		return m.whole(in.A, o, int64(x), int64(y), 32)
	}
	b, c := in.B, in.C
	if op >= 0xb0 {
		b, c, op = in.A, in.B, op-0x20
	}
	switch {
	case op <= 0x9a:
		return m.whole(in.A, int(op-0x90), int64(m.int(b)), int64(m.int(c)), 32)
	case op <= 0xa5:
		o := int(op - 0x9b)
		var y int64
		if o >= shl {
			y = int64(m.int(c))
		} else {
			y = m.long(c)
		}
		return m.whole(in.A, o, m.long(b), y, 64)
	case op <= 0xaa:
		m.set(in.A, floatOf(float32(real(int(op-0xa6), float64(m.float(b)), float64(m.float(c))))))
	default:
		m.set(in.A, doubleOf(real(int(op-0xab), m.double(b), m.double(c))))
	}
	return nil
}

// real computes a floating-point operation on doubles. For floats, rounding the result to a float
// gives the exact result.
func real(o int, x, y float64) float64 {
	switch o {
	case add:
		return x + y
	case sub:
		return x - y
	case mul:
		return x * y
	case div:
		return x / y
	}
	return math.Mod(x, y)
}

// whole executes an operation on ints or longs.
func (m *Machine) whole(to uint32, o int, x, y int64, bits uint) *object {
	var z int64
	switch shift := uint64(y) & uint64(bits-1); o {
	case add:
		z = x + y
	case sub:
		z = x - y
	case mul:
		z = x * y
	case div, rem:
		switch {
		case y == 0:
			return m.exception("Ljava/lang/ArithmeticException;", "divide by zero")
		case o == div && y == -1:
			z = -x
		case o == div:
			z = x / y
		case y != -1:
			z = x % y
		}
	case and:
		z = x & y
	case or:
		z = x | y
	case xor:
		z = x ^ y
	case shl:
		z = x << shift
	case shr:
		z = x >> shift
	case ushr:
		if bits == 32 {
			z = int64(uint32(x) >> shift)
		} else {
			z = int64(uint64(x) >> shift)
		}
	}
	if bits == 32 {
		m.set(to, intOf(int32(z)))
	} else {
		m.set(to, longOf(z))
	}
	return nil
}
