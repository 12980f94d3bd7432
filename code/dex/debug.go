package dex

// A debugTable has decoded debug information: line positions and local variables.
type debugTable struct {
	line  uint32
	names []uint32 // String index of each parameter's name, or NoIndex.
	// events are sorted by address.
	events []debugEvent
}

// A debugEvent is an entry of a debugTable: a line position, or an opcode with operands.
type debugEvent struct {
	op      byte // dbgFirstSpecial means a line position.
	address int
	line    int64 // Set only for a line position.
	a, b, c uint32
	d       uint32
}

// debug decodes the debug information at an offset, up to the end of code with the given number of
// units. If units is -1, it decodes all entries.
func (f *File) debug(offset, units int) (*debugTable, error) {
	r := &cursor{f: f, pos: offset}
	t := &debugTable{line: r.uleb()}
	names := r.uleb()
	if r.err == nil && names > maxParameters {
		return nil, f.fail(offset, "a line table with %d parameters exceeds the limit of %d", names, maxParameters)
	}
	str := func() uint32 {
		at := r.pos
		n := r.uleb1()
		if n != NoIndex && r.err == nil {
			r.err = f.check(at, n, len(f.Strings), "string")
		}
		return n
	}
	typ := func() uint32 {
		at := r.pos
		n := r.uleb1()
		if n != NoIndex && r.err == nil {
			r.err = f.check(at, n, len(f.Types), "type")
		}
		return n
	}
	for range names {
		t.names = append(t.names, str())
	}
	line, address := int64(int32(t.line)), int64(0)
	left := 4096 + 64*units
	if units < 0 {
		left = len(f.data)
	}
	for ; r.err == nil; left-- {
		if left == 0 {
			return nil, f.fail(offset, "a line table has too many entries for %d units of code", units)
		}
		e := debugEvent{op: r.byte()}
		switch e.op {
		case dbgEnd:
			return t, r.err
		case dbgAdvancePC:
			address += int64(r.uleb())
			continue
		case dbgAdvanceLine:
			line += int64(r.sleb())
			continue
		case dbgStartLocal:
			e.a, e.b, e.c = r.uleb(), str(), typ()
		case dbgStartExtended:
			e.a, e.b, e.c, e.d = r.uleb(), str(), typ(), str()
		case dbgEndLocal, dbgRestartLocal:
			e.a = r.uleb()
		case dbgPrologueEnd, dbgEpilogueBegin:
		case dbgSetFile:
			e.a = str()
		default:
			special := int64(e.op - dbgFirstSpecial)
			address += special / dbgLineRange
			line += dbgLineBase + special%dbgLineRange
			e.op, e.line = dbgFirstSpecial, line
		}
		if units >= 0 && address > int64(units) {
			return t, r.err // Methods may share a table, so it may be longer than this method's code.
		}
		e.address = int(address)
		t.events = append(t.events, e)
	}
	return nil, r.err
}

// place moves the entries of a table. border returns the new address for an old address. exact
// reports whether an instruction begins at an old address.
//
// R8 may write tables that have addresses in place of lines, with positions inside instructions.
// Such a position is dropped if the next instruction has a position, because Android uses the first
// of several positions at an address.
func (t *debugTable) place(border func(address int) int, exact func(address int) bool) {
	next := -1 // The new address of the position that follows.
	kept := len(t.events)
	for i := len(t.events) - 1; i >= 0; i-- {
		e := t.events[i]
		at := border(e.address)
		if e.op == dbgFirstSpecial {
			if at == next && !exact(e.address) {
				continue
			}
			next = at
		}
		e.address = at
		kept--
		t.events[kept] = e
	}
	t.events = t.events[kept:]
}

// append encodes a table. str and typ convert the indices of strings and types.
func (t *debugTable) append(b []byte, str, typ func(uint32) uint32) []byte {
	optional := func(b []byte, n uint32, convert func(uint32) uint32) []byte {
		if n == NoIndex {
			return append(b, 0)
		}
		return appendULEB(b, convert(n)+1)
	}
	b = appendULEB(b, t.line)
	b = appendULEB(b, uint32(len(t.names)))
	for _, n := range t.names {
		b = optional(b, n, str)
	}
	line, address := int64(int32(t.line)), 0
	for _, e := range t.events {
		by := e.address - address
		address = e.address
		if e.op != dbgFirstSpecial {
			if by > 0 {
				b = appendULEB(append(b, dbgAdvancePC), uint32(by))
			}
			b = append(b, e.op)
			switch e.op {
			case dbgStartLocal, dbgStartExtended:
				b = appendULEB(b, e.a)
				b = optional(b, e.b, str)
				b = optional(b, e.c, typ)
				if e.op == dbgStartExtended {
					b = optional(b, e.d, str)
				}
			case dbgEndLocal, dbgRestartLocal:
				b = appendULEB(b, e.a)
			case dbgSetFile:
				b = optional(b, e.a, str)
			}
			continue
		}
		step := e.line - line
		line = e.line
		if step < dbgLineBase || step >= dbgLineBase+dbgLineRange {
			b = appendSLEB(append(b, dbgAdvanceLine), int32(step))
			step = 0
		}
		special := dbgFirstSpecial + (step - dbgLineBase) + dbgLineRange*int64(by)
		if special > 0xff {
			b = appendULEB(append(b, dbgAdvancePC), uint32(by))
			special = dbgFirstSpecial + (step - dbgLineBase)
		}
		b = append(b, byte(special))
	}
	return append(b, dbgEnd)
}

func appendULEB(b []byte, n uint32) []byte {
	for ; n >= 0x80; n >>= 7 {
		b = append(b, byte(n)|0x80)
	}
	return append(b, byte(n))
}

func appendSLEB(b []byte, n int32) []byte {
	for n < -64 || n > 63 {
		b = append(b, byte(n)|0x80)
		n >>= 7
	}
	return append(b, byte(n)&0x7f)
}
