package bytecode

import (
	"fmt"
	"sort"
)

// The opcodes of variable size, and the opcodes that invoke methods.
const (
	opTableSwitch, opLookupSwitch, opWide, opIinc = 0xAA, 0xAB, 0xC4, 0x84
	opInvokeVirtual, opInvokeInterface            = 0xB6, 0xB9
)

// operands returns the number of bytes that follow an opcode, if it has a fixed size.
func operands(op byte) int {
	switch {
	case op == 0x10, op == 0x12, op >= 0x15 && op <= 0x19, op >= 0x36 && op <= 0x3A, op == 0xA9, op == 0xBC:
		return 1
	case op == 0x11, op == 0x13, op == 0x14, op == opIinc, op >= 0x99 && op <= 0xA8, op >= 0xB2 && op <= 0xB8,
		op == 0xBB, op == 0xBD, op == 0xC0, op == 0xC1, op == 0xC6, op == 0xC7:
		return 2
	case op == 0xC5:
		return 3
	case op == opInvokeInterface, op == 0xBA, op == 0xC8, op == 0xC9:
		return 4
	}
	return 0
}

// A lineStart is the offset at which the code of a line begins.
type lineStart struct{ pc, line int }

// read reads a method's code.
func (m *Method) read(p *pool, body *reader, lines *lineMap) error {
	body.take(4)
	code := &reader{data: body.take(body.u4())}
	body.take(8 * body.u2())
	var starts []lineStart
	body.attributes(p, func(kind string, table *reader) {
		if kind == "LineNumberTable" {
			for range table.u2() {
				starts = append(starts, lineStart{table.u2(), table.u2()})
			}
		}
	})
	if body.short {
		return errShort
	}
	sort.SliceStable(starts, func(i, j int) bool { return starts[i].pc < starts[j].pc })
	for _, s := range starts {
		if s.pc == 0 {
			m.Line = s.line
		}
		line, from := lines.origin(s.line)
		if from != own || line == 0 {
			continue
		}
		if m.First == 0 || line < m.First {
			m.First = line
		}
		m.Last = max(m.Last, line)
	}
	for code.at < len(code.data) {
		pc := code.at
		op := code.take(1)[0]
		switch {
		case op == opWide:
			if wide := code.take(1); wide != nil && wide[0] == opIinc {
				code.take(2)
			}
			code.take(2)
		case op == opTableSwitch:
			code.take(-code.at & 3)
			code.take(4)
			low := code.u4()
			code.take(4 * (int(int32(code.u4())) - int(int32(low)) + 1))
		case op == opLookupSwitch:
			code.take(-code.at & 3)
			code.take(4)
			code.take(8 * code.u4())
		case op >= opInvokeVirtual && op <= opInvokeInterface:
			call := Call{Callee: p.method(code.u2())}
			code.take(operands(op) - 2)
			if i := sort.Search(len(starts), func(i int) bool { return starts[i].pc > pc }); i > 0 {
				var from origin
				call.Line, from = lines.origin(starts[i-1].line)
				call.Inlined = from != own
			}
			m.Calls = append(m.Calls, call)
		default:
			code.take(operands(op))
		}
		if code.short {
			return fmt.Errorf("instruction at %d: %w", pc, errShort)
		}
	}
	return nil
}
