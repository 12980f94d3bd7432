package dex

import (
	"math"
	"sort"
)

// The opcodes of debug information. All others from dbgFirstSpecial on advance address and line.
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

// A Position states that the instructions from an address to the next position belong to a line.
type Position struct {
	Address, Line int
	// File is the string index of the source file, or NoIndex for the file of the class.
	File uint32
}

// Lines returns the line table of a method, sorted by address. A method without a table has no
// positions. R8 may write tables whose lines are addresses. It then names the source file
// r8-map-id-…. The mapping file of the build converts these addresses to source lines.
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
	// Tables are shared, so the work for each method has a limit.
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
				// A table that methods share may be longer than the code of one of them.
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

// LineAt returns the line of the instruction at an address, 0 if it is unknown.
func LineAt(positions []Position, address int) (line int, file uint32) {
	i := sort.Search(len(positions), func(i int) bool { return positions[i].Address > address })
	if i == 0 {
		return 0, NoIndex
	}
	return positions[i-1].Line, positions[i-1].File
}
