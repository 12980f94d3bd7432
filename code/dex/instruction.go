package dex

import (
	"errors"
	"fmt"
)

// An Op is an opcode. The three kinds of data within code have opcodes of their own.
type Op uint16

// Opcodes that are used by name.
const (
	OpNop               Op = 0x00
	OpMoveResult        Op = 0x0a
	OpMoveException     Op = 0x0d
	OpReturnVoid        Op = 0x0e
	OpReturnObject      Op = 0x11
	OpConstString       Op = 0x1a
	OpConstStringJumbo  Op = 0x1b
	OpMonitorEnter      Op = 0x1d
	OpMonitorExit       Op = 0x1e
	OpFillArrayData     Op = 0x26
	OpThrow             Op = 0x27
	OpGoto              Op = 0x28
	OpGoto16            Op = 0x29
	OpGoto32            Op = 0x2a
	OpPackedSwitch      Op = 0x2b
	OpSparseSwitch      Op = 0x2c
	OpInvokeVirtual     Op = 0x6e
	OpInvokeStatic      Op = 0x71
	OpInvokePolymorphic Op = 0xfa
	OpInvokeCustom      Op = 0xfc
	OpPackedSwitchTable Op = 0x100
	OpSparseSwitchTable Op = 0x200
	OpArrayData         Op = 0x300
	firstOpOfData          = OpPackedSwitchTable
	maxUnitsOfCode         = 1 << 26
)

// A format is the layout of an instruction. Its name in the specification gives the number of
// units, the number of registers, and the kind of the other operands.
type format uint8

const (
	formatNone format = iota
	format10x
	format12x
	format11n
	format11x
	format10t
	format20t
	format22x
	format21t
	format21s
	format21h
	format21c
	format23x
	format22b
	format22t
	format22s
	format22c
	format32x
	format30t
	format31t
	format31i
	format31c
	format35c
	format3rc
	format45cc
	format4rcc
	format51l
)

// formatSize has the size in units of each format.
var formatSize = [...]int{
	format10x: 1, format12x: 1, format11n: 1, format11x: 1, format10t: 1, format20t: 2, format22x: 2, format21t: 2,
	format21s: 2, format21h: 2, format21c: 2, format23x: 2, format22b: 2, format22t: 2, format22s: 2, format22c: 2,
	format32x: 3, format30t: 3, format31t: 3, format31i: 3, format31c: 3, format35c: 3, format3rc: 3,
	format45cc: 4, format4rcc: 4, format51l: 5,
}

var formatNames = [...]string{
	format10x: "10x", format12x: "12x", format11n: "11n", format11x: "11x", format10t: "10t", format20t: "20t", format22x: "22x",
	format21t: "21t", format21s: "21s", format21h: "21h", format21c: "21c", format23x: "23x", format22b: "22b", format22t: "22t",
	format22s: "22s", format22c: "22c", format32x: "32x", format30t: "30t", format31t: "31t", format31i: "31i", format31c: "31c",
	format35c: "35c", format3rc: "3rc", format45cc: "45cc", format4rcc: "4rcc", format51l: "51l",
}

// An IndexKind identifies the table to which the index in an instruction refers.
type IndexKind uint8

// The tables to which instructions refer.
const (
	IndexNone IndexKind = iota
	IndexString
	IndexType
	IndexField
	IndexMethod
	IndexCallSite
	IndexHandle
	IndexProto
	indexKinds
)

// A flow is a set of flags for where control can go after an instruction.
type flow uint8

const (
	// throws: the instruction may throw an exception.
	throws flow = 1 << iota
	// ends: control does not continue at the next instruction.
	ends
	// branches: control may continue at the target.
	branches
)

type opcode struct {
	name   string
	format format
	index  IndexKind
	flow   flow
}

// String returns the name of the opcode in smali.
func (op Op) String() string {
	switch {
	case op < 0x100 && ops[op].name != "":
		return ops[op].name
	case op == OpPackedSwitchTable:
		return "packed-switch-payload"
	case op == OpSparseSwitchTable:
		return "sparse-switch-payload"
	case op == OpArrayData:
		return "array-payload"
	}
	return fmt.Sprintf("unused-%02x", uint16(op))
}

// Index returns the table to which the instruction's index refers.
func (op Op) Index() IndexKind {
	if op >= firstOpOfData {
		return IndexNone
	}
	return ops[op].index
}

// Format returns the name of the instruction's format in the specification, such as 22c. It is
// empty for data.
func (op Op) Format() string {
	if op >= firstOpOfData {
		return ""
	}
	return formatNames[ops[op].format]
}

// IsData reports whether the opcode represents data rather than an instruction.
func (op Op) IsData() bool { return op >= firstOpOfData }

// An Instruction is a decoded instruction, or the data of a switch or an array within code.
type Instruction struct {
	Op      Op
	Address int
	Size    int // In units.
	// A, B and C are registers, in the order of the specification. For calls, A is the number of
	// arguments.
	A, B, C uint32
	// Arguments are the registers of a call that lists them. For a call with a register range, C is
	// the first register.
	Arguments [5]uint8
	// Literal is the constant operand.
	Literal int64
	// Index is an index into the table given by Op.Index, such as the methods for a call. Proto is
	// the signature of a polymorphic call.
	Index, Proto uint32
	// Target is the address of a branch target or of an instruction's data.
	Target int
}

var (
	errOpcode = errors.New("unknown opcode")
	errUnits  = errors.New("an instruction is cut off by the end of the code")
)

// Decode decodes the instruction at address `at`.
func Decode(units []uint16, at int) (in Instruction, err error) {
	u := units[at:]
	in.Address = at
	if u[0]&0xff == 0 && u[0] != 0 {
		return in, in.data(u)
	}
	in.Op = Op(u[0] & 0xff)
	op := &ops[in.Op]
	if op.name == "" {
		return in, fmt.Errorf("%w %#02x", errOpcode, uint16(in.Op))
	}
	in.Size = formatSize[op.format]
	if in.Size > len(u) {
		return in, errUnits
	}
	high := uint32(u[0] >> 8)
	long := func(i int) uint32 { return uint32(u[i]) | uint32(u[i+1])<<16 }
	switch op.format {
	case format10x:
	case format12x:
		in.A, in.B = high&15, high>>4
	case format11n:
		in.A, in.Literal = high&15, int64(int8(high)>>4)
	case format11x:
		in.A = high
	case format10t:
		in.Target = at + int(int8(high))
	case format20t:
		in.Target = at + int(int16(u[1]))
	case format22x:
		in.A, in.B = high, uint32(u[1])
	case format21t:
		in.A, in.Target = high, at+int(int16(u[1]))
	case format21s:
		in.A, in.Literal = high, int64(int16(u[1]))
	case format21h:
		in.A, in.Literal = high, int64(int16(u[1]))<<16
		if in.Op == 0x19 { // const-wide/high16
			in.Literal <<= 32
		}
	case format21c:
		in.A, in.Index = high, uint32(u[1])
	case format23x:
		in.A, in.B, in.C = high, uint32(u[1]&0xff), uint32(u[1]>>8)
	case format22b:
		in.A, in.B, in.Literal = high, uint32(u[1]&0xff), int64(int8(u[1]>>8))
	case format22t:
		in.A, in.B, in.Target = high&15, high>>4, at+int(int16(u[1]))
	case format22s:
		in.A, in.B, in.Literal = high&15, high>>4, int64(int16(u[1]))
	case format22c:
		in.A, in.B, in.Index = high&15, high>>4, uint32(u[1])
	case format32x:
		in.A, in.B = uint32(u[1]), uint32(u[2])
	case format30t:
		in.Target = at + int(int32(long(1)))
	case format31t:
		in.A, in.Target = high, at+int(int32(long(1)))
	case format31i:
		in.A, in.Literal = high, int64(int32(long(1)))
	case format31c:
		in.A, in.Index = high, long(1)
	case format35c, format45cc:
		in.A, in.Index = high>>4, uint32(u[1])
		if in.A > 5 {
			return in, fmt.Errorf("a call with a list of %d arguments", in.A)
		}
		in.Arguments = [5]uint8{uint8(u[2] & 15), uint8(u[2] >> 4 & 15), uint8(u[2] >> 8 & 15), uint8(u[2] >> 12), uint8(high & 15)}
		if op.format == format45cc {
			in.Proto = uint32(u[3])
		}
	case format3rc, format4rcc:
		in.A, in.Index, in.C = high, uint32(u[1]), uint32(u[2])
		if op.format == format4rcc {
			in.Proto = uint32(u[3])
		}
	case format51l:
		in.A, in.Literal = high, int64(uint64(long(1))|uint64(long(3))<<32)
	}
	return in, nil
}

// data decodes the header of a switch's or an array's data.
func (in *Instruction) data(u []uint16) error {
	in.Op = Op(u[0])
	if len(u) < 2 {
		return errUnits
	}
	size := int64(u[1])
	switch in.Op {
	case OpPackedSwitchTable:
		size = 4 + 2*size
	case OpSparseSwitchTable:
		size = 2 + 4*size
	case OpArrayData:
		if len(u) < 4 {
			return errUnits
		}
		size = 4 + (int64(u[1])*(int64(u[2])|int64(u[3])<<16)+1)/2
	default:
		return fmt.Errorf("%w %#04x", errOpcode, u[0])
	}
	if size > int64(len(u)) {
		return errUnits
	}
	in.Size = int(size)
	return nil
}

// Instructions calls yield for each instruction of c, in the order of addresses. It stops with an
// error at an instruction that cannot be decoded, or that refers to a missing item. yield must not
// retain its argument.
func (f *File) Instructions(c *Code, yield func(in *Instruction) error) error {
	var in Instruction // Declared outside of the loop to allocate it only once.
	for at := 0; at < len(c.Units); {
		var err error
		if in, err = Decode(c.Units, at); err != nil {
			return f.fail(c.Offset+codeHeader+2*at, "%w", err)
		}
		if kind := in.Op.Index(); kind != IndexNone {
			if err := f.check(c.Offset+codeHeader+2*at, in.Index, f.size(kind), indexNames[kind]); err != nil {
				return err
			}
			if fm := ops[in.Op&0xff].format; fm == format45cc || fm == format4rcc {
				if err := f.check(c.Offset+codeHeader+2*at, in.Proto, len(f.Protos), "signature"); err != nil {
					return err
				}
			}
		}
		if err := yield(&in); err != nil {
			return err
		}
		at += in.Size
	}
	return nil
}

var indexNames = [...]string{IndexString: "string", IndexType: "type", IndexField: "field", IndexMethod: "method",
	IndexCallSite: "call site", IndexHandle: "method handle", IndexProto: "signature"}

// size returns the number of items of a table.
func (f *File) size(kind IndexKind) int {
	switch kind {
	case IndexString:
		return len(f.Strings)
	case IndexType:
		return len(f.Types)
	case IndexField:
		return len(f.Fields)
	case IndexMethod:
		return len(f.Methods)
	case IndexCallSite:
		return len(f.CallSites)
	case IndexHandle:
		return len(f.Handles)
	case IndexProto:
		return len(f.Protos)
	}
	return 0
}
