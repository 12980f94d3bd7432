package dex

import (
	"errors"
	"fmt"
	"slices"
	"sync"
)

// A Body is the code of a method in a form that can be changed. Positions in a Body are indices
// into Code, so they stay valid when instructions are appended to Code. Order is the order in which
// the instructions are written.
type Body struct {
	Registers, Ins, Outs int
	Code                 []BodyInstruction
	Order                []int
	Handlers             []Handler // Addresses are indices into Code.
	// Parameters is the number of parameters, without this. It is needed for code without debug
	// information. If its addresses change, the copy gets a debug table with the original
	// addresses.
	Parameters int

	debug *debugTable // Addresses are indices into Code. The end of the code is `end`.
	end   int
	// offset is the offset of the original code in the file, for errors.
	offset int
}

// A BodyInstruction is an instruction of a Body.
type BodyInstruction struct {
	// The Target of a branch is an index into Body.Code. Address is the original address.
	Instruction
	// Handler is the index into Body.Handlers for the try range that contains the instruction, or
	// -1.
	Handler int
	// Keys and Targets are the cases of a switch instruction.
	Keys    []int32
	Targets []int
	// Data has the payload of a fill-array-data instruction.
	Data []uint16
	// Probe is set for instructions added by Append.
	Probe bool

	self int // The index of the instruction in Body.Code.
}

var (
	errTarget  = errors.New("a branch leads into the middle of an instruction or into data")
	errPayload = errors.New("an instruction refers to data that is no data of its kind")
	errFalls   = errors.New("the code continues into data or past its end")
)

// Body returns the code in a form that can be changed. It checks all branches, switches, try ranges
// and exception handlers.
func (f *File) Body(c *Code) (*Body, error) {
	b := &Body{Registers: c.Registers, Ins: c.Ins, Outs: c.Outs, Code: newCode(len(c.Units)/2 + 8), offset: c.Offset}
	index := make([]int32, len(c.Units)+1) // The index of the instruction at each address, or -1 inside an instruction.
	for i := range index {
		index[i] = -1
	}
	err := f.Instructions(c, func(in *Instruction) error {
		if !in.Op.IsData() {
			index[in.Address] = int32(len(b.Code))
			b.Code = append(b.Code, BodyInstruction{Instruction: *in, Handler: -1, self: len(b.Code)})
			return nil
		}
		// A nop before data only aligns the data, so it is dropped.
		if n := len(b.Code) - 1; n > 0 && b.Code[n].Op == OpNop && b.Code[n].Address == in.Address-1 && ops[b.Code[n-1].Op].flow&ends != 0 {
			index[in.Address-1] = -1
			b.Code = b.Code[:n]
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	fail := func(address int, err error) error {
		return f.fail(c.Offset+codeHeader+2*address, "%w", err)
	}
	if len(b.Code) == 0 {
		return nil, f.fail(c.Offset, "a method without instructions")
	}
	place := func(from, address int) (int, error) {
		if address < 0 || address >= len(c.Units) || index[address] < 0 {
			return 0, fail(from, errTarget)
		}
		return int(index[address]), nil
	}
	targets := 0
	for i := range b.Code {
		in := &b.Code[i]
		switch in.Op {
		case OpPackedSwitch, OpSparseSwitch:
			if err := f.cases(c, in, place); err != nil {
				return nil, err
			}
			if targets += len(in.Targets); targets > len(c.Units) {
				return nil, fail(in.Address, fmt.Errorf("switches share cases: %w", errOverlap))
			}
		case OpFillArrayData:
			data, err := payload(c, &in.Instruction)
			if err != nil {
				return nil, fail(in.Address, err)
			}
			if in.Data = data; targets > len(c.Units) {
				return nil, fail(in.Address, errOverlap)
			}
			targets += len(data)
		default:
			if ops[in.Op].flow&branches != 0 {
				if in.Target, err = place(in.Address, in.Target); err != nil {
					return nil, err
				}
			}
		}
		next := in.Address + in.Size
		if ops[in.Op].flow&ends == 0 && (next >= len(c.Units) || index[next] < 0) {
			return nil, fail(in.Address, errFalls)
		}
	}
	// The ends of a try range must be at an instruction, at data, or at the end of the code.
	border := func(address int) int {
		for address < len(c.Units) && index[address] < 0 {
			address++
		}
		if address >= len(c.Units) {
			return len(b.Code)
		}
		return int(index[address])
	}
	for _, t := range c.Tries {
		start, end := border(t.Start), border(t.End)
		for i := start; i < end; i++ {
			b.Code[i].Handler = t.Handler
		}
	}
	for _, h := range c.Handlers {
		h.Catches = slices.Clone(h.Catches)
		for i := range h.Catches {
			if h.Catches[i].Address, err = place(h.Catches[i].Address, h.Catches[i].Address); err != nil {
				return nil, err
			}
		}
		if h.All >= 0 {
			if h.All, err = place(h.All, h.All); err != nil {
				return nil, err
			}
		}
		b.Handlers = append(b.Handlers, h)
	}
	b.end = len(b.Code)
	b.Order = make([]int, len(b.Code))
	for i := range b.Order {
		b.Order[i] = i
	}
	if c.Debug != 0 {
		if b.debug, err = f.debug(c.Debug, len(c.Units)); err != nil {
			return nil, err
		}
		b.debug.place(border, func(address int) bool { return address < len(index) && index[address] >= 0 })
	}
	return b, nil
}

// codes has slices of instructions for reuse.
var codes sync.Pool

// newCode returns an empty slice of instructions with capacity for n.
func newCode(n int) []BodyInstruction {
	if room, ok := codes.Get().(*[]BodyInstruction); ok && cap(*room) >= n {
		return (*room)[:0]
	}
	return make([]BodyInstruction, 0, n)
}

// Free lets later bodies reuse the memory of the instructions. The body must not be used any more.
func (b *Body) Free() {
	room := b.Code
	b.Code = nil
	codes.Put(&room)
}

// payload returns the data to which a switch or fill-array-data instruction refers.
func payload(c *Code, in *Instruction) ([]uint16, error) {
	want := OpArrayData
	switch in.Op {
	case OpPackedSwitch:
		want = OpPackedSwitchTable
	case OpSparseSwitch:
		want = OpSparseSwitchTable
	}
	if in.Target < 0 || in.Target >= len(c.Units) || in.Target&1 != 0 {
		return nil, errPayload
	}
	data, err := Decode(c.Units, in.Target)
	if err != nil {
		return nil, err
	}
	if data.Op != want {
		return nil, errPayload
	}
	return c.Units[in.Target : in.Target+data.Size], nil
}

// cases reads the cases of a switch instruction.
func (f *File) cases(c *Code, in *BodyInstruction, place func(from, address int) (int, error)) error {
	data, err := payload(c, &in.Instruction)
	if err != nil {
		return f.fail(c.Offset+codeHeader+2*in.Address, "%w", err)
	}
	n := int(data[1])
	number := func(i int) int32 { return int32(uint32(data[i]) | uint32(data[i+1])<<16) }
	in.Keys, in.Targets = make([]int32, n), make([]int, n)
	for i := range n {
		target := 0
		if in.Op == OpPackedSwitch {
			in.Keys[i], target = number(2)+int32(i), int(number(4+2*i))
		} else {
			in.Keys[i], target = number(2+2*i), int(number(2+2*n+2*i))
		}
		if in.Targets[i], err = place(in.Address, in.Address+target); err != nil {
			return err
		}
	}
	in.Target = 0
	return nil
}

// Append adds a probe, which is an instruction that the original code lacks. The caller must add
// the returned index to Order. handler is an index into Handlers, or -1.
func (b *Body) Append(in Instruction, handler int) int {
	b.Code = append(b.Code, BodyInstruction{Instruction: in, Handler: handler, Probe: true, self: len(b.Code)})
	return len(b.Code) - 1
}

// Redirect replaces the target of every branch, switch case, exception handler and debug position.
// convert returns the new target for an old target.
func (b *Body) Redirect(convert func(i int) int) {
	for i := range b.Code {
		in := &b.Code[i]
		if in.Op < firstOpOfData && ops[in.Op].flow&branches != 0 {
			in.Target = convert(in.Target)
		}
		for j, t := range in.Targets {
			in.Targets[j] = convert(t)
		}
	}
	for i := range b.Handlers {
		h := &b.Handlers[i]
		for j := range h.Catches {
			h.Catches[j].Address = convert(h.Catches[j].Address)
		}
		if h.All >= 0 {
			h.All = convert(h.All)
		}
	}
	if b.debug != nil {
		for i := range b.debug.events {
			if e := &b.debug.events[i]; e.address != b.end {
				e.address = convert(e.address)
			}
		}
	}
}

// Throws reports whether an instruction may throw an exception. It returns false for monitor-exit,
// which never throws in verified code.
func (op Op) Throws() bool {
	return op < firstOpOfData && ops[op].flow&throws != 0 && op != OpMonitorExit
}
