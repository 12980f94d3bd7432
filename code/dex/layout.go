package dex

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// encode appends the units of an instruction. The parameter by is the distance to the branch target
// or to the instruction's data.
func encode(units []uint16, in *Instruction, by int) []uint16 {
	op := uint16(in.Op)
	a, b := uint16(in.A), uint16(in.B)
	low := op | a<<8
	nibbles := op | a&15<<8 | b<<12
	switch ops[in.Op].format {
	case format10x:
		return append(units, op)
	case format12x:
		return append(units, nibbles)
	case format11n:
		return append(units, op|a&15<<8|uint16(in.Literal)<<12)
	case format11x:
		return append(units, low)
	case format10t:
		return append(units, op|uint16(by)<<8)
	case format20t:
		return append(units, op, uint16(by))
	case format22x:
		return append(units, low, b)
	case format21t:
		return append(units, low, uint16(by))
	case format21s:
		return append(units, low, uint16(in.Literal))
	case format21h:
		shift := 16
		if in.Op == 0x19 {
			shift = 48
		}
		return append(units, low, uint16(in.Literal>>shift))
	case format21c:
		return append(units, low, uint16(in.Index))
	case format23x:
		return append(units, low, b&0xff|uint16(in.C)<<8)
	case format22b:
		return append(units, low, b&0xff|uint16(in.Literal)<<8)
	case format22t:
		return append(units, nibbles, uint16(by))
	case format22s:
		return append(units, nibbles, uint16(in.Literal))
	case format22c:
		return append(units, nibbles, uint16(in.Index))
	case format32x:
		return append(units, op, a, b)
	case format30t:
		return append(units, op, uint16(by), uint16(by>>16))
	case format31t:
		return append(units, low, uint16(by), uint16(by>>16))
	case format31i:
		return append(units, low, uint16(in.Literal), uint16(in.Literal>>16))
	case format31c:
		return append(units, low, uint16(in.Index), uint16(in.Index>>16))
	case format35c, format45cc:
		r := in.Arguments
		units = append(units, op|uint16(r[4]&15)<<8|a<<12, uint16(in.Index), uint16(r[0])|uint16(r[1])<<4|uint16(r[2])<<8|uint16(r[3])<<12)
		if ops[in.Op].format == format45cc {
			units = append(units, uint16(in.Proto))
		}
		return units
	case format3rc, format4rcc:
		units = append(units, low, uint16(in.Index), uint16(in.C))
		if ops[in.Op].format == format4rcc {
			units = append(units, uint16(in.Proto))
		}
		return units
	case format51l:
		return append(units, low, uint16(in.Literal), uint16(in.Literal>>16), uint16(in.Literal>>32), uint16(in.Literal>>48))
	}
	return units
}

// invertIf returns the opcode of a conditional branch with the opposite condition.
func invertIf(op Op) Op {
	if op >= opIfEqz {
		return opIfEqz + (op - opIfEqz) ^ 1
	}
	return opIfEq + (op - opIfEq) ^ 1
}

const (
	opIfEq  Op = 0x32
	opIfEqz Op = 0x38
	opIfLez Op = 0x3d
)

// isIf reports whether an opcode is a conditional branch.
func isIf(op Op) bool { return op >= opIfEq && op <= opIfLez }

// longIf is the size in units of a conditional branch that skips a goto/32.
const longIf = 2 + 3

// errLarge is the error for code that is too large for branches to reach all of it.
var errLarge = fmt.Errorf("the code would have more than %d units", maxUnitsOfCode)

// layout returns the encoded code of a body. It chooses the sizes of branches, places the data of
// switches and arrays at the end, and rebuilds try ranges. convert maps the indices in
// instructions.
func (b *Body) layout(convert func(kind IndexKind, index uint32) uint32) (*Code, *debugTable, error) {
	order := b.Order
	address := make([]int, len(b.Code)+1)
	size := make([]int, len(b.Code))
	for _, i := range order {
		in := &b.Code[i]
		if kind := in.Op.Index(); kind != IndexNone {
			in.Index = convert(kind, in.Index)
			if in.Op == OpConstString && in.Index > math.MaxUint16 {
				in.Op = OpConstStringJumbo
			}
			in.Proto = convertPolymorphic(in, convert)
		}
		size[i] = formatSize[ops[in.Op].format]
	}
	for changed := true; changed; {
		changed = false
		at := 0
		for _, i := range order {
			address[i] = at
			at += size[i]
		}
		if at > maxUnitsOfCode {
			return nil, nil, errLarge
		}
		for _, i := range order {
			in := &b.Code[i]
			if ops[in.Op].flow&branches == 0 {
				continue
			}
			by := address[in.Target] - address[i]
			switch {
			case in.Op == OpGoto && (by == 0 || by != int(int8(by))):
				in.Op = OpGoto16
				size[i] = 2
				changed = true
			case in.Op == OpGoto16 && (by == 0 || by != int(int16(by))):
				in.Op = OpGoto32
				size[i] = 3
				changed = true
			case isIf(in.Op) && size[i] != longIf && (by == 0 || by != int(int16(by))):
				size[i] = longIf
				changed = true
			}
		}
	}
	end := 0
	if n := len(order); n > 0 {
		end = address[order[n-1]] + size[order[n-1]]
	}
	c := &Code{Registers: b.Registers, Ins: b.Ins, Outs: b.Outs, Units: make([]uint16, 0, end)}
	data := end // The address of the next data.
	for _, i := range order {
		in := &b.Code[i]
		switch {
		case size[i] == longIf && isIf(in.Op):
			short, far := in.Instruction, Instruction{Op: OpGoto32}
			short.Op = invertIf(in.Op)
			c.Units = encode(c.Units, &short, longIf)
			c.Units = encode(c.Units, &far, address[in.Target]-address[i]-2)
		case in.Op == OpPackedSwitch, in.Op == OpSparseSwitch, in.Op == OpFillArrayData:
			data += data & 1
			c.Units = encode(c.Units, &in.Instruction, data-address[i])
			data += in.dataSize()
		case ops[in.Op].flow&branches != 0:
			c.Units = encode(c.Units, &in.Instruction, address[in.Target]-address[i])
		default:
			c.Units = encode(c.Units, &in.Instruction, 0)
		}
	}
	for _, i := range order {
		in := &b.Code[i]
		if in.Op != OpPackedSwitch && in.Op != OpSparseSwitch && in.Op != OpFillArrayData {
			continue
		}
		if len(c.Units)&1 == 1 {
			c.Units = append(c.Units, 0)
		}
		c.Units = in.appendData(c.Units, address)
	}
	b.layoutTries(c, address, size, convert)
	return c, b.layoutDebug(address, end), nil
}

// convertPolymorphic returns the converted signature of a polymorphic call.
func convertPolymorphic(in *BodyInstruction, convert func(kind IndexKind, index uint32) uint32) uint32 {
	if f := ops[in.Op].format; f != format45cc && f != format4rcc {
		return in.Proto
	}
	return convert(IndexProto, in.Proto)
}

// dataSize returns the size in units of a switch's or an array's data.
func (in *BodyInstruction) dataSize() int {
	switch in.Op {
	case OpPackedSwitch:
		return 4 + 2*len(in.Keys)
	case OpSparseSwitch:
		return 2 + 4*len(in.Keys)
	}
	return len(in.Data)
}

// appendData appends a switch's or an array's data.
func (in *BodyInstruction) appendData(units []uint16, address []int) []uint16 {
	long := func(n int32) { units = append(units, uint16(n), uint16(uint32(n)>>16)) }
	n := len(in.Keys)
	switch in.Op {
	case OpFillArrayData:
		return append(units, in.Data...)
	case OpPackedSwitch:
		units = append(units, uint16(OpPackedSwitchTable), uint16(n))
		if n == 0 {
			long(0)
		} else {
			long(in.Keys[0])
		}
	default:
		units = append(units, uint16(OpSparseSwitchTable), uint16(n))
		for _, k := range in.Keys {
			long(k)
		}
	}
	for _, t := range in.Targets {
		long(int32(address[t] - address[in.self]))
	}
	return units
}

// layoutTries adds the try ranges and the handlers that they use to c.
func (b *Body) layoutTries(c *Code, address, size []int, convert func(kind IndexKind, index uint32) uint32) {
	used := make([]int, len(b.Handlers))
	for i := range used {
		used[i] = -1
	}
	handler := func(i int) int {
		if used[i] < 0 {
			used[i] = len(c.Handlers)
			h := Handler{All: b.Handlers[i].All}
			if h.All >= 0 {
				h.All = address[h.All]
			}
			for _, catch := range b.Handlers[i].Catches {
				h.Catches = append(h.Catches, Catch{convert(IndexType, catch.Type), address[catch.Address]})
			}
			c.Handlers = append(c.Handlers, h)
		}
		return used[i]
	}
	last := -1
	for _, i := range b.Order {
		in := &b.Code[i]
		if in.Handler < 0 {
			last = -1
			continue
		}
		start, end := address[i], address[i]+size[i]
		if t := len(c.Tries) - 1; in.Handler == last && end-c.Tries[t].Start <= math.MaxUint16 {
			c.Tries[t].End = end
			continue
		}
		c.Tries = append(c.Tries, Try{start, end, handler(in.Handler)})
		last = in.Handler
	}
}

// layoutDebug returns the debug information for the new addresses, or nil if it needs none.
//
// Android shows the address of an instruction that has no line, and R8's mapping files convert such
// addresses to lines. Moved instructions would have wrong addresses. If such an instruction may
// throw, layoutDebug therefore adds a position with the original address as the line.
func (b *Body) layoutDebug(address []int, end int) *debugTable {
	t := &debugTable{}
	if b.debug != nil {
		t.line, t.names = b.debug.line, b.debug.names
	} else {
		t.names = slices.Repeat([]uint32{NoIndex}, b.Parameters)
	}
	last, first := 0, -1
	var moved []debugEvent
	if b.debug != nil {
		for _, e := range b.debug.events {
			if e.address == b.end {
				e.address = end
			} else {
				e.address = address[e.address]
			}
			e.address = max(e.address, last) // Events must be sorted by address.
			last = e.address
			if first < 0 && e.op == dbgFirstSpecial {
				first = e.address
			}
			t.events = append(t.events, e)
		}
	}
	for _, i := range b.Order {
		if first >= 0 && address[i] >= first {
			break
		}
		if in := &b.Code[i]; !in.Probe && ops[in.Op].flow&throws != 0 && in.Address != address[i] {
			moved = append(moved, debugEvent{op: dbgFirstSpecial, address: address[i], line: int64(in.Address)})
		}
	}
	if len(moved) > 0 {
		t.events = append(moved, t.events...)
		slices.SortStableFunc(t.events, func(x, y debugEvent) int { return cmp.Compare(x.address, y.address) })
	}
	if b.debug == nil && len(moved) == 0 {
		return nil
	}
	return t
}
