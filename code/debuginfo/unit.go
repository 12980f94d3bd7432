package debuginfo

import (
	"cmp"
	"debug/dwarf"
	"slices"
	"sort"
)

// A unit is a compilation unit. It is read when an address in it is first looked up.
type unit struct {
	entry *dwarf.Entry
	read  bool
	files []*dwarf.LineFile
	// sequences are sorted by address.
	sequences []sequence
	functions []*function
}

// A sequence is the line table of consecutive instructions.
type sequence struct {
	span
	rows []row
}

// A row has the line of the instructions from an address up to the next row's address.
type row struct {
	at   uint64
	file string
	line int
}

// A function is a function or an inlined call, with the addresses of its code.
type function struct {
	entry    *dwarf.Entry
	ranges   []span
	callFile int64
	callLine int
	inlined  []*function
}

// Attributes of a unit that name the .dwo file with its functions.
const (
	attrDwoName    dwarf.Attr = 0x76
	attrGNUDwoName dwarf.Attr = 0x2130
)

func isSkeleton(e *dwarf.Entry) bool {
	return e.Tag == dwarf.TagSkeletonUnit || e.Val(attrDwoName) != nil || e.Val(attrGNUDwoName) != nil
}

// readUnit reads the lines and functions of a unit. It ignores damage, so parts may stay unknown.
func (in *Info) readUnit(u *unit) {
	u.read = true
	lines, err := in.data.LineReader(u.entry)
	if err != nil || lines == nil {
		return
	}
	var rows []row
	var e dwarf.LineEntry
	for lines.Next(&e) == nil {
		if e.EndSequence {
			if len(rows) > 0 {
				if s := (span{rows[0].at, e.Address}); in.isCode(s) && slices.IsSortedFunc(rows, byAddress) {
					u.sequences = append(u.sequences, sequence{s, rows})
				}
			}
			rows = nil
			continue
		}
		r := row{at: e.Address, line: e.Line}
		if e.File != nil {
			r.file = e.File.Name
		}
		rows = append(rows, r)
	}
	slices.SortStableFunc(u.sequences, func(a, b sequence) int { return cmp.Compare(a.from, b.from) })
	u.files = lines.Files()
	in.readFunctions(u)
}

func byAddress(a, b row) int { return cmp.Compare(a.at, b.at) }

// readFunctions reads the functions of a unit.
func (in *Info) readFunctions(u *unit) {
	r := in.data.Reader()
	r.Seek(u.entry.Offset)
	if e, err := r.Next(); err != nil || e == nil || !e.Children {
		return
	}
	// open is a stack with the enclosing function of each open entry's children.
	open := []*function{nil}
	for len(open) > 0 {
		e, err := r.Next()
		if err != nil || e == nil {
			return
		}
		if e.Tag == 0 {
			open = open[:len(open)-1]
			continue
		}
		around := open[len(open)-1]
		switch e.Tag {
		case dwarf.TagSubprogram:
			around = nil // The code of a nested function is separate.
			if f := in.function(e); f != nil {
				u.functions = append(u.functions, f)
				around = f
			}
		case dwarf.TagInlinedSubroutine:
			f := in.function(e)
			if f == nil || around == nil {
				break
			}
			f.callFile, _ = e.Val(dwarf.AttrCallFile).(int64)
			line, _ := e.Val(dwarf.AttrCallLine).(int64)
			f.callLine = int(line)
			around.inlined = append(around.inlined, f)
			around = f
		}
		if e.Children {
			open = append(open, around)
		}
	}
}

// function returns the function that an entry describes, or nil if it has no code.
func (in *Info) function(e *dwarf.Entry) *function {
	ranges, err := in.data.Ranges(e)
	if err != nil {
		return nil
	}
	f := &function{entry: e}
	for _, s := range ranges {
		if s := (span{s[0], s[1]}); in.isCode(s) {
			f.ranges = append(f.ranges, s)
		}
	}
	if len(f.ranges) == 0 {
		return nil
	}
	return f
}

// row returns the row that contains an address.
func (u *unit) row(at uint64) (row, bool) {
	i := sort.Search(len(u.sequences), func(i int) bool { return u.sequences[i].from > at })
	if i == 0 || !u.sequences[i-1].has(at) {
		return row{}, false
	}
	rows := u.sequences[i-1].rows
	k := sort.Search(len(rows), func(i int) bool { return rows[i].at > at })
	return rows[k-1], true
}

// file returns the path of the source file with the given index in the unit.
func (u *unit) file(index int64) string {
	if index < 0 || index >= int64(len(u.files)) || u.files[index] == nil {
		return ""
	}
	return u.files[index].Name
}
