package dex

// array copies the encoded array at an offset, if that was not done before. It returns the array's
// offset in the new file.
func (e *emitter) array(old uint32) (uint32, error) {
	if at, ok := e.arrays[old]; ok || old == 0 {
		return at, nil
	}
	at := e.item(1)
	c := &cursor{f: e.File, pos: int(old)}
	e.copyArray(c, maxNesting)
	e.arrays[old] = at
	return at, c.err
}

func (e *emitter) copyArray(c *cursor, depth int) {
	n := c.uleb()
	e.out = appendULEB(e.out, n)
	for ; n > 0 && c.err == nil; n-- {
		e.copyValue(c, depth)
	}
}

// copyAnnotation copies an annotation, except for its visibility byte.
func (e *emitter) copyAnnotation(c *cursor, depth int) {
	at := c.pos
	typ, n := c.uleb(), c.uleb()
	if c.err == nil {
		c.err = e.check(at, typ, len(e.Types), "type")
	}
	if c.err != nil {
		return
	}
	e.out = appendULEB(e.out, e.typeIndex[typ])
	e.out = appendULEB(e.out, n)
	for ; n > 0 && c.err == nil; n-- {
		at := c.pos
		name := c.uleb()
		if c.err == nil {
			c.err = e.check(at, name, len(e.Strings), "string")
		}
		if c.err != nil {
			return
		}
		e.out = appendULEB(e.out, e.stringIndex[name])
		e.copyValue(c, depth)
	}
}

// valueIndexes has the table to which each kind of encoded value refers.
var valueIndexes = [32]IndexKind{0x15: IndexProto, 0x16: IndexHandle, valueString: IndexString, 0x18: IndexType, 0x19: IndexField, 0x1a: IndexMethod, 0x1b: IndexField}

// copyValue copies an encoded value.
func (e *emitter) copyValue(c *cursor, depth int) {
	at := c.pos
	if c.err != nil || at >= len(e.data) {
		c.byte()
		return
	}
	kind := e.data[at] & 0x1f
	if depth == 0 && (kind == valueArray || kind == valueAnnotation) {
		c.err = e.fail(at, "values nest more than %d levels deep", maxNesting)
		return
	}
	switch kind {
	case valueArray:
		e.out = append(e.out, c.byte())
		e.copyArray(c, depth-1)
	case valueAnnotation:
		e.out = append(e.out, c.byte())
		e.copyAnnotation(c, depth-1)
	default:
		_, n := c.value(depth)
		if c.err != nil {
			return
		}
		index := valueIndexes[kind]
		if index == IndexNone {
			e.out = append(e.out, e.data[at:c.pos]...)
			return
		}
		if c.err = e.check(at, uint32(min(n, NoIndex)), e.size(index), indexNames[index]); c.err != nil {
			return
		}
		n = uint64(e.convert(index, uint32(n)))
		var bytes []byte
		for bytes = append(bytes, byte(n)); n > 0xff; bytes = append(bytes, byte(n)) {
			n >>= 8
		}
		e.out = append(e.out, kind|byte(len(bytes)-1)<<5)
		e.out = append(e.out, bytes...)
	}
}

// words returns the list of 32-bit numbers at an offset. The list begins with its number of items.
// Each item consists of size numbers.
func (f *File) words(offset uint32, size int) ([]uint32, error) {
	head, err := f.at(int(offset), 4)
	if err != nil {
		return nil, err
	}
	b, err := f.at(int(offset)+4, 4*size*int(u32(head)))
	if err != nil {
		return nil, err
	}
	words := make([]uint32, len(b)/4)
	for i := range words {
		words[i] = u32(b[4*i:])
	}
	return words, nil
}

// A directory lists the annotations of a class and of its members. old is its offset in the
// original file.
type directory struct {
	old                         uint32
	class                       uint32
	fields, methods, parameters []uint32 // Pairs of a member's index and the offset of its annotations.
}

// An annotationTable has the annotations of the classes to write. The format has these levels:
//
//   - A directory belongs to a class. It refers to sets, and to refs for parameters.
//   - A ref lists the sets of a method's parameters.
//   - A set lists items.
//   - An item is one annotation.
//
// Each directory, list and item occurs once.
type annotationTable struct {
	directories        []directory
	refs, sets, items  []uint32 // Offsets in the original file.
	refLists, setLists [][]uint32
}

// annotations copies the annotations of all classes to write.
func (e *emitter) annotations() error {
	t, err := e.readAnnotations()
	if err != nil {
		return err
	}
	e.begin(sectionAnnotations, 1)
	for _, old := range t.items {
		c := &cursor{f: e.File, pos: int(old)}
		e.items[old] = e.item(1)
		e.out = append(e.out, c.byte())
		e.copyAnnotation(c, maxNesting)
		if c.err != nil {
			return c.err
		}
		if len(e.out) > 8*len(e.data)+1<<26 {
			return e.fail(int(old), "%w", errOverlap)
		}
	}
	e.annotationLists(sectionSets, t.sets, t.setLists, e.sets, e.items)
	e.annotationLists(sectionSetRefs, t.refs, t.refLists, e.refs, e.sets)
	e.begin(sectionDirectories, 4)
	for _, d := range t.directories {
		e.writeDirectory(d)
	}
	return nil
}

// readAnnotations reads the annotations of the classes to write, except for the annotation items.
func (e *emitter) readAnnotations() (*annotationTable, error) {
	t := &annotationTable{}
	for _, i := range e.classes {
		at := e.Classes[i].Annotations
		if _, ok := e.tables[at]; ok || at == 0 {
			continue
		}
		e.tables[at] = 0
		d, err := e.readDirectory(at)
		if err != nil {
			return nil, err
		}
		t.directories = append(t.directories, d)
		addOffset(&t.sets, e.sets, d.class)
		for j := 1; j < len(d.fields); j += 2 {
			addOffset(&t.sets, e.sets, d.fields[j])
		}
		for j := 1; j < len(d.methods); j += 2 {
			addOffset(&t.sets, e.sets, d.methods[j])
		}
		for j := 1; j < len(d.parameters); j += 2 {
			addOffset(&t.refs, e.refs, d.parameters[j])
		}
	}
	budget := len(e.data)
	read := func(lists []uint32, to *[]uint32, seen map[uint32]uint32) ([][]uint32, error) {
		all := make([][]uint32, len(lists))
		for i, offset := range lists {
			words, err := e.words(offset, 1)
			if err != nil {
				return nil, err
			}
			if budget -= 4 * len(words); budget < 0 {
				return nil, e.fail(int(offset), "%w", errOverlap)
			}
			for _, w := range words {
				addOffset(to, seen, w)
			}
			all[i] = words
		}
		return all, nil
	}
	var err error
	if t.refLists, err = read(t.refs, &t.sets, e.sets); err != nil {
		return nil, err
	}
	t.setLists, err = read(t.sets, &t.items, e.items)
	return t, err
}

// addOffset appends an offset to a list, unless it is 0 or was seen before.
func addOffset(to *[]uint32, seen map[uint32]uint32, offset uint32) {
	if _, ok := seen[offset]; !ok && offset != 0 {
		seen[offset] = 0
		*to = append(*to, offset)
	}
}

func (e *emitter) readDirectory(at uint32) (d directory, err error) {
	h, err := e.at(int(at), 16)
	if err != nil {
		return d, err
	}
	d = directory{old: at, class: u32(h)}
	pos := int(at) + 16
	for _, list := range []struct {
		to   *[]uint32
		n    int
		size int
		item string
	}{{&d.fields, int(u32(h[4:])), len(e.Fields), "field"}, {&d.methods, int(u32(h[8:])), len(e.Methods), "method"}, {&d.parameters, int(u32(h[12:])), len(e.Methods), "method"}} {
		b, err := e.at(pos, 8*list.n)
		if err != nil {
			return d, err
		}
		for j := 0; j < len(b); j += 8 {
			if err := e.check(pos+j, u32(b[j:]), list.size, list.item); err != nil {
				return d, err
			}
			*list.to = append(*list.to, u32(b[j:]), u32(b[j+4:]))
		}
		pos += len(b)
	}
	return d, nil
}

// annotationLists writes lists of offsets, converted to new offsets. It stores the new offset of
// each list in `to`.
func (e *emitter) annotationLists(kind uint16, old []uint32, lists [][]uint32, to, convert map[uint32]uint32) {
	e.begin(kind, 4)
	for i, words := range lists {
		to[old[i]] = e.item(4)
		e.u32(uint32(len(words)))
		for _, w := range words {
			e.u32(convert[w])
		}
	}
}

func (e *emitter) writeDirectory(d directory) {
	e.tables[d.old] = e.item(4)
	e.u32(e.sets[d.class])
	e.u32(uint32(len(d.fields) / 2))
	e.u32(uint32(len(d.methods) / 2))
	e.u32(uint32(len(d.parameters) / 2))
	for _, l := range []struct {
		pairs   []uint32
		index   []uint32
		offsets map[uint32]uint32
	}{{d.fields, e.fieldIndex, e.sets}, {d.methods, e.methodIndex, e.sets}, {d.parameters, e.methodIndex, e.refs}} {
		for j := 0; j < len(l.pairs); j += 2 {
			e.u32(l.index[l.pairs[j]])
			e.u32(l.offsets[l.pairs[j+1]])
		}
	}
}
