package dex

import (
	"encoding/binary"
)

// Types of the sections that the writer writes.
const (
	sectionHeader      = 0x0000
	sectionStringIDs   = 0x0001
	sectionTypeIDs     = 0x0002
	sectionProtoIDs    = 0x0003
	sectionFieldIDs    = 0x0004
	sectionMethodIDs   = 0x0005
	sectionClassDefs   = 0x0006
	sectionTypeLists   = 0x1001
	sectionSetRefs     = 0x1002
	sectionSets        = 0x1003
	sectionClassData   = 0x2000
	sectionCode        = 0x2001
	sectionStringData  = 0x2002
	sectionDebug       = 0x2003
	sectionAnnotations = 0x2004
	sectionArrays      = 0x2005
	sectionDirectories = 0x2006
)

// idTables has the offsets of the tables in the output.
type idTables struct {
	strings, types, protos, fields, methods, classes, sites, handles int
}

// write reserves space for the tables and then writes the data. Each data item follows the items to
// which it refers. The tables are filled in as the offsets of their data become known.
func (e *emitter) write() ([]byte, error) {
	e.out = make([]byte, 0, len(e.data)+len(e.data)/4+1<<12)
	e.reserve(sectionHeader, 1, headerSize)
	at := idTables{
		strings: e.reserve(sectionStringIDs, len(e.stringOrder), 4),
		types:   e.reserve(sectionTypeIDs, len(e.typeOrder), 4),
		protos:  e.reserve(sectionProtoIDs, len(e.protoOrder), 12),
		fields:  e.reserve(sectionFieldIDs, len(e.fieldOrder), 8),
		methods: e.reserve(sectionMethodIDs, len(e.methodOrder), 8),
		classes: e.reserve(sectionClassDefs, len(e.classes), 32),
		sites:   e.reserve(sectionCallSites, len(e.siteOrder), 4),
		handles: e.reserve(sectionMethodHandles, len(e.handleOrder), 8),
	}
	start := len(e.out)
	e.writeIDs(&at)
	if err := e.writeTypeLists(&at); err != nil {
		return nil, err
	}
	e.writeStrings(&at)
	if err := e.writeArrays(&at); err != nil {
		return nil, err
	}
	if err := e.annotations(); err != nil {
		return nil, err
	}
	data, err := e.code()
	if err != nil {
		return nil, err
	}
	e.writeClasses(&at, data)
	return e.finish(start)
}

// reserve begins a table with space for its rows, and returns its offset.
func (e *emitter) reserve(kind uint16, count, size int) int {
	e.begin(kind, 4)
	at := len(e.out)
	e.sections[len(e.sections)-1].count = uint32(count)
	e.out = append(e.out, make([]byte, count*size)...)
	return at
}

func (e *emitter) put16(at int, n uint32) { binary.LittleEndian.PutUint16(e.out[at:], uint16(n)) }
func (e *emitter) put(at int, n uint32)   { binary.LittleEndian.PutUint32(e.out[at:], n) }

// writeIDs fills in the tables that do not refer to data.
func (e *emitter) writeIDs(at *idTables) {
	for i, typ := range e.typeOrder {
		e.put(at.types+4*i, e.stringIndex[e.typeString(typ)])
	}
	for i, field := range e.fieldOrder { // The writer adds no fields.
		f := e.Fields[field]
		e.put16(at.fields+8*i, e.typeIndex[f.Class])
		e.put16(at.fields+8*i+2, e.typeIndex[f.Type])
		e.put(at.fields+8*i+4, e.stringIndex[f.Name])
	}
	for i, m := range e.methodOrder {
		id := e.methodAt(m)
		e.put16(at.methods+8*i, e.typeIndex[id.Class])
		e.put16(at.methods+8*i+2, e.protoIndex[id.Proto])
		e.put(at.methods+8*i+4, e.stringIndex[id.Name])
	}
	for i, handle := range e.handleOrder {
		h := e.Handles[handle]
		kind := IndexMethod
		if h.Kind < 4 {
			kind = IndexField
		}
		e.put16(at.handles+8*i, uint32(h.Kind))
		e.put16(at.handles+8*i+4, e.convert(kind, uint32(h.Member)))
	}
}

// writeTypeLists writes the parameter lists of signatures and the interface lists of classes.
func (e *emitter) writeTypeLists(at *idTables) error {
	e.begin(sectionTypeLists, 4)
	for i, p := range e.protoOrder {
		proto := e.protoAt(p)
		e.put(at.protos+12*i, e.stringIndex[proto.shorty])
		e.put(at.protos+12*i+4, e.typeIndex[proto.result])
		e.put(at.protos+12*i+8, e.typeList(proto.parameters))
	}
	for i, class := range e.classes {
		list, err := e.TypeList(e.Classes[class].Interfaces)
		if err != nil {
			return err
		}
		e.put(at.classes+32*i+12, e.typeList(list))
	}
	return nil
}

func (e *emitter) writeStrings(at *idTables) {
	e.begin(sectionStringData, 1)
	for i, s := range e.stringOrder {
		text := ""
		if s < len(e.Strings) {
			text = e.Strings[s]
		} else {
			text = e.Writer.strings[s-len(e.Strings)]
		}
		e.put(at.strings+4*i, e.item(1))
		e.out = appendULEB(e.out, units(text))
		e.out = append(append(e.out, text...), 0)
	}
}

// writeArrays writes the encoded arrays of call sites and of static field values.
func (e *emitter) writeArrays(at *idTables) error {
	e.begin(sectionArrays, 1)
	for i, site := range e.siteOrder {
		offset, err := e.array(e.CallSites[site])
		if err != nil {
			return err
		}
		e.put(at.sites+4*i, offset)
	}
	for i, class := range e.classes {
		offset, err := e.array(e.Classes[class].StaticValues)
		if err != nil {
			return err
		}
		e.put(at.classes+32*i+28, offset)
	}
	return nil
}

// writeClasses fills in the class table, except for interfaces and static values, which are already
// there. data has the offset of each class's members.
func (e *emitter) writeClasses(at *idTables, data []uint32) {
	for i, class := range e.classes {
		c, row := &e.Classes[class], at.classes+32*i
		e.put(row, e.typeIndex[c.Type])
		e.put(row+4, c.Access)
		e.put(row+8, NoIndex)
		if c.Super != NoIndex {
			e.put(row+8, e.typeIndex[c.Super])
		}
		e.put(row+16, NoIndex)
		if c.SourceFile != NoIndex {
			e.put(row+16, e.stringIndex[c.SourceFile])
		}
		e.put(row+20, e.tables[c.Annotations])
		e.put(row+24, data[i])
	}
}

// units returns the length in UTF-16 units of a string in modified UTF-8.
func units(s string) uint32 {
	ascii := true
	for i := range len(s) {
		ascii = ascii && s[i] < 0x80
	}
	if ascii {
		return uint32(len(s))
	}
	n := 0
	for i := range len(s) {
		if s[i]&0xc0 != 0x80 {
			n++
		}
	}
	return uint32(n)
}

// typeList writes a type list, unless an equal list was written. It returns the list's offset.
func (e *emitter) typeList(types []uint16) uint32 {
	if len(types) == 0 {
		return 0
	}
	content := make([]byte, 0, 2*len(types))
	for _, t := range types {
		content = binary.LittleEndian.AppendUint16(content, uint16(e.typeIndex[t]))
	}
	if at, ok := e.typeLists[string(content)]; ok {
		return at
	}
	at := e.item(4)
	e.u32(uint32(len(types)))
	e.out = append(e.out, content...)
	e.typeLists[string(content)] = at
	return at
}

// A written is a method's code, ready to be written.
type written struct {
	code  *Code
	debug uint32
	// key is the offset of the original code. If fresh is set, the code was replaced, and key is
	// the method's index.
	key   int
	fresh bool
}

// code writes debug information, code and class members. It returns the offset of each class's
// members.
func (e *emitter) code() ([]uint32, error) {
	// Code refers to debug information, so the code comes later in the file. Until then it is kept
	// encoded, because this takes less memory than decoded code.
	items := make([]byte, 0, len(e.data)/2)
	type item struct {
		at    int // Offset in items.
		key   int // See written.
		fresh bool
	}
	var all []item
	e.begin(sectionDebug, 1)
	for _, i := range e.classes {
		for _, methods := range [][]Method{e.members[i].Direct, e.members[i].Virtual} {
			for _, m := range methods {
				if m.Code == 0 {
					continue
				}
				w, ok, err := e.prepare(m)
				if err != nil {
					return nil, err
				}
				if !ok {
					continue
				}
				for len(items)%4 != 0 {
					items = append(items, 0)
				}
				all = append(all, item{len(items), w.key, w.fresh})
				items = w.append(items)
			}
		}
	}
	e.begin(sectionCode, 4)
	base := e.align(4)
	e.out = append(e.out, items...)
	for _, i := range all {
		at := e.count(base + i.at)
		if i.fresh {
			e.replaced[uint32(i.key)] = at
		} else {
			e.codes[i.key] = at
		}
	}
	e.begin(sectionClassData, 1)
	offsets := make([]uint32, len(e.classes))
	for i, class := range e.classes {
		if e.Classes[class].Data != 0 {
			offsets[i] = e.item(1)
			e.classData(&e.members[class])
		}
	}
	return offsets, nil
}

// prepare converts a method's code and writes its debug information. ok is false if the code is
// shared with a method for which this was already done.
func (e *emitter) prepare(m Method) (w written, ok bool, err error) {
	if make, replaced := e.bodies[m.Index]; replaced {
		body, err := make()
		if err != nil {
			return w, false, err
		}
		c, debug, err := body.layout(e.convert)
		if err != nil {
			return w, false, e.fail(m.Code, "%w", err)
		}
		return written{c, e.writeDebug(debug), int(m.Index), true}, true, nil
	}
	if _, seen := e.codes[m.Code]; seen {
		return w, false, nil
	}
	e.codes[m.Code] = 0
	c, err := e.Code(m.Code)
	if err != nil {
		return w, false, err
	}
	jumbo := false
	err = e.Instructions(c, func(in *Instruction) error {
		jumbo = jumbo || in.Op == OpConstString && e.stringIndex[in.Index] > 0xffff
		e.patch(c.Units, in)
		return nil
	})
	if err != nil {
		return w, false, err
	}
	if jumbo {
		if c, err = e.Code(m.Code); err != nil {
			return w, false, err
		}
		body, err := e.Body(c)
		if err != nil {
			return w, false, err
		}
		// Methods can share code only if their parameters are equal.
		if body.Parameters, err = e.TypeListSize(e.Protos[e.Methods[m.Index].Proto].Parameters); err != nil {
			return w, false, err
		}
		c, debug, err := body.layout(e.convert)
		if err != nil {
			return w, false, e.fail(m.Code, "%w", err)
		}
		return written{c, e.writeDebug(debug), m.Code, false}, true, nil
	}
	for i := range c.Handlers {
		for j := range c.Handlers[i].Catches {
			catch := &c.Handlers[i].Catches[j]
			catch.Type = e.typeIndex[catch.Type]
		}
	}
	debug := uint32(0)
	if c.Debug != 0 {
		var seen bool
		if debug, seen = e.debugs[c.Debug]; !seen {
			table, err := e.debug(c.Debug, -1)
			if err != nil {
				return w, false, err
			}
			debug = e.writeDebug(table)
			e.debugs[c.Debug] = debug
		}
	}
	return written{c, debug, m.Code, false}, true, nil
}

func (e *emitter) writeDebug(t *debugTable) uint32 {
	if t == nil {
		return 0
	}
	at := e.item(1)
	e.out = t.append(e.out, e.string, e.typ)
	return at
}

// patch converts the index in an instruction.
func (e *emitter) patch(units []uint16, in *Instruction) {
	kind := in.Op.Index()
	if kind == IndexNone {
		return
	}
	n := e.convert(kind, in.Index)
	units[in.Address+1] = uint16(n)
	switch ops[in.Op].format {
	case format31c:
		units[in.Address+2] = uint16(n >> 16)
	case format45cc, format4rcc:
		units[in.Address+3] = uint16(e.protoIndex[in.Proto])
	}
}

// append appends the encoded code.
func (w *written) append(to []byte) []byte {
	c, order := w.code, binary.LittleEndian
	for _, n := range [...]int{c.Registers, c.Ins, c.Outs, len(c.Tries)} {
		to = order.AppendUint16(to, uint16(n))
	}
	to = order.AppendUint32(to, w.debug)
	to = order.AppendUint32(to, uint32(len(c.Units)))
	for _, u := range c.Units {
		to = order.AppendUint16(to, u)
	}
	if len(c.Tries) == 0 {
		return to
	}
	if len(c.Units)&1 == 1 {
		to = order.AppendUint16(to, 0)
	}
	list := appendULEB(nil, uint32(len(c.Handlers)))
	at := make([]int, len(c.Handlers))
	for i, h := range c.Handlers {
		at[i] = len(list)
		n := int32(len(h.Catches))
		if h.All >= 0 {
			n = -n
		}
		list = appendSLEB(list, n)
		for _, catch := range h.Catches {
			list = appendULEB(list, catch.Type)
			list = appendULEB(list, uint32(catch.Address))
		}
		if h.All >= 0 {
			list = appendULEB(list, uint32(h.All))
		}
	}
	for _, t := range c.Tries {
		to = order.AppendUint32(to, uint32(t.Start))
		to = order.AppendUint16(to, uint16(t.End-t.Start))
		to = order.AppendUint16(to, uint16(at[t.Handler]))
	}
	return append(to, list...)
}

// classData writes the members of a class.
func (e *emitter) classData(m *Members) {
	for _, n := range []int{len(m.Static), len(m.Instance), len(m.Direct), len(m.Virtual)} {
		e.out = appendULEB(e.out, uint32(n))
	}
	for _, fields := range [][]Field{m.Static, m.Instance} {
		last := uint32(0)
		for _, f := range fields {
			index := e.fieldIndex[f.Index]
			e.out = appendULEB(e.out, index-last)
			e.out = appendULEB(e.out, f.Access)
			last = index
		}
	}
	for _, methods := range [][]Method{m.Direct, m.Virtual} {
		last := uint32(0)
		for _, method := range methods {
			index := e.methodIndex[method.Index]
			e.out = appendULEB(e.out, index-last)
			e.out = appendULEB(e.out, method.Access)
			last = index
			at, replaced := e.replaced[method.Index]
			if !replaced {
				at = e.codes[method.Code]
			}
			e.out = appendULEB(e.out, at)
		}
	}
}
