package dex

// codeHeader is the size in bytes of a code item's header.
const codeHeader = 16

// A Code is the code of a method. Addresses count units of 16 bits from the first instruction.
type Code struct {
	// Offset is the offset of the code in the file.
	Offset int
	// Registers is the number of registers. The last Ins registers are the parameters. Outs is the
	// number of registers that the arguments of calls need.
	Registers, Ins, Outs int
	// Debug is the offset of the line table, or 0.
	Debug int
	// Units are the encoded instructions.
	Units []uint16
	// Tries are the try ranges, sorted by address and without overlaps.
	Tries []Try
	// Handlers are the handler lists to which Tries refer.
	Handlers []Handler
}

// A Try is a range of instructions with exception handlers.
type Try struct {
	Start, End int // Addresses. End is the first address after the range.
	Handler    int // Index into Code.Handlers.
}

// A Handler lists the exception handlers of a try range, in the order in which they are tried.
type Handler struct {
	Catches []Catch
	// All is the address of the handler for all other exceptions, or -1.
	All int
}

// A Catch is the exception handler for one type.
type Catch struct {
	Type    uint32
	Address int
}

// codeSize returns the size in bytes of a code item's header and instructions.
func (f *File) codeSize(offset int) (int, error) {
	h, err := f.at(offset, codeHeader)
	if err != nil {
		return 0, err
	}
	n := int(u32(h[12:]))
	if _, err := f.at(offset+codeHeader, 2*n); err != nil {
		return 0, err
	}
	return codeHeader + 2*n, nil
}

// Code reads the code at an offset. It checks try ranges and handler addresses, but not the
// instructions, which [Instructions] checks.
func (f *File) Code(offset int) (*Code, error) {
	size, err := f.codeSize(offset)
	if err != nil {
		return nil, err
	}
	h := f.data[offset : offset+size]
	c := &Code{
		Offset: offset, Registers: int(u16(h)), Ins: int(u16(h[2:])), Outs: int(u16(h[4:])), Debug: int(u32(h[8:])),
		Units: make([]uint16, (size-codeHeader)/2),
	}
	if c.Ins > c.Registers {
		return nil, f.fail(offset+2, "%d registers of parameters, but %d registers", c.Ins, c.Registers)
	}
	for i := range c.Units {
		c.Units[i] = u16(h[codeHeader+2*i:])
	}
	if tries := int(u16(h[6:])); tries > 0 {
		return c, f.readTries(c, offset+size+2*(len(c.Units)&1), tries)
	}
	return c, nil
}

// readTries reads the try ranges at an offset, and the handlers that follow them.
func (f *File) readTries(c *Code, offset, n int) error {
	rows, err := f.at(offset, 8*n)
	if err != nil {
		return err
	}
	list := offset + 8*n
	r := &cursor{f: f, pos: list}
	handlers := make(map[int]int) // Index of each handler, by its distance from list.
	size := r.uleb()
	if r.err == nil && int64(size) > int64(n) {
		return f.fail(list, "%d lists of handlers for %d try ranges", size, n)
	}
	left := 64 + 16*int64(len(c.Units)) // Parts of code may overlap, so the work is limited.
	for range size {
		handlers[r.pos-list] = len(c.Handlers)
		h := Handler{All: -1}
		catches := int64(r.sleb())
		all := catches <= 0
		if all {
			catches = -catches
		}
		if left -= catches; left < 0 {
			return f.fail(list, "too many handlers for %d units of code", len(c.Units))
		}
		for range catches {
			at := r.pos
			catch := Catch{Type: r.uleb(), Address: int(r.uleb())}
			if r.err == nil {
				r.err = f.check(at, catch.Type, len(f.Types), "type")
			}
			if r.err == nil && catch.Address >= len(c.Units) {
				r.err = f.fail(at, "a handler at %#x is after the method's code", catch.Address)
			}
			if r.err != nil {
				return r.err
			}
			h.Catches = append(h.Catches, catch)
		}
		if all {
			at := r.pos
			if h.All = int(r.uleb()); r.err == nil && h.All >= len(c.Units) {
				return f.fail(at, "a handler at %#x is after the method's code", h.All)
			}
		}
		if r.err != nil {
			return r.err
		}
		c.Handlers = append(c.Handlers, h)
	}
	if r.err != nil {
		return r.err
	}
	last := 0
	for i := range n {
		row := rows[8*i:]
		t := Try{Start: int(u32(row)), End: int(u32(row)) + int(u16(row[4:]))}
		if t.Start < last || t.End <= t.Start || t.End > len(c.Units) {
			return f.fail(offset+8*i, "a try range from %#x to %#x is empty, out of order or after the method's code", t.Start, t.End)
		}
		handler, ok := handlers[int(u16(row[6:]))]
		if !ok {
			return f.fail(offset+8*i+6, "a try range has no handlers")
		}
		t.Handler, last = handler, t.End
		c.Tries = append(c.Tries, t)
	}
	return nil
}
