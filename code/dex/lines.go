package dex

import (
	"math"
	"sort"
)

// Opcodes of debug information. Opcodes from dbgFirstSpecial on advance both address and line.
const (
	dbgEnd           = 0x00
	dbgAdvancePC     = 0x01
	dbgAdvanceLine   = 0x02
	dbgStartLocal    = 0x03
	dbgStartExtended = 0x04
	dbgEndLocal      = 0x05
	dbgRestartLocal  = 0x06
	dbgPrologueEnd   = 0x07
	dbgEpilogueBegin = 0x08
	dbgSetFile       = 0x09
	dbgFirstSpecial  = 0x0a
	dbgLineBase      = -4
	dbgLineRange     = 15
)

// A Position gives the line of the instructions from an address up to the next Position.
type Position struct {
	Address, Line int
	// File is the string index of the source file, or NoIndex for the source file of the class.
	File uint32
}

// Lines returns the line table of a method, sorted by address. It is empty for a method without
// line table. R8 may write tables in which addresses take the place of lines, and then names the
// source file r8-map-id-…. The mapping file of the build converts these addresses to source lines.
//
// A line that is out of range becomes 0, which means unknown. If several positions have the same
// address, the last one counts.
func (f *File) Lines(c *Code) ([]Position, error) {
	if c.Debug == 0 {
		return nil, nil
	}
	r := &cursor{f: f, pos: c.Debug}
	line, address, file := int64(r.uleb()), int64(0), uint32(NoIndex)
	names := r.uleb()
	if r.err == nil && int64(names) > maxParameters {
		return nil, f.fail(c.Debug, "a line table with %d parameters exceeds the limit of %d", names, maxParameters)
	}
	for range names {
		r.uleb1()
	}
	line = int64(int32(line))
	var positions []Position
	// Methods may share a table, so the work for each method is limited.
	for left := 4096 + 64*len(c.Units); r.err == nil; left-- {
		if left == 0 {
			return nil, f.fail(c.Debug, "a line table has too many entries for %d units of code", len(c.Units))
		}
		switch op := r.byte(); op {
		case dbgEnd:
			return positions, r.err
		case dbgAdvancePC:
			address += int64(r.uleb())
		case dbgAdvanceLine:
			line += int64(r.sleb())
		case dbgStartLocal:
			r.uleb()
			r.uleb1()
			r.uleb1()
		case dbgStartExtended:
			r.uleb()
			r.uleb1()
			r.uleb1()
			r.uleb1()
		case dbgEndLocal, dbgRestartLocal:
			r.uleb()
		case dbgPrologueEnd, dbgEpilogueBegin:
		case dbgSetFile:
			at := r.pos
			if file = r.uleb1(); file != NoIndex && r.err == nil {
				r.err = f.check(at, file, len(f.Strings), "string")
			}
		default:
			special := int64(op - dbgFirstSpecial)
			address += special / dbgLineRange
			line += dbgLineBase + special%dbgLineRange
			if address >= int64(len(c.Units)) {
				// The table of another method may be longer than this method's code.
				return positions, nil
			}
			position := Position{Address: int(address), File: file}
			if line >= 1 && line <= math.MaxInt32 {
				position.Line = int(line)
			}
			positions = append(positions, position)
		}
	}
	return nil, r.err
}

// LineAt returns the line and source file of the instruction at an address. line is 0 if unknown.
// Like Android, it uses the first of several positions at the address itself, and otherwise the last
// position before it.
func LineAt(positions []Position, address int) (line int, file uint32) {
	i := sort.Search(len(positions), func(i int) bool { return positions[i].Address >= address })
	if i == len(positions) || positions[i].Address > address {
		i--
	}
	if i < 0 {
		return 0, NoIndex
	}
	return positions[i].Line, positions[i].File
}
