package dex

import (
	"errors"
	"slices"
)

// ErrFull is returned if a table of a file has no room for another item.
var ErrFull = errors.New("no room for another reference: the file has the most that the format allows")

// Split divides a file whose tables are full into two files. It moves classes from the end of the
// file to the second file, and as few as possible. The first file then has room for `room` new
// types, signatures and methods each. Both files have only the items that their classes use.
// movable reports whether a class may be moved.
func Split(f *File, room int, movable func(class int) bool) (first, second []byte, err error) {
	w, err := NewWriter(f)
	if err != nil {
		return nil, nil, err
	}
	keep, err := w.choose(room, movable)
	if err != nil {
		return nil, nil, err
	}
	w.keep = keep
	if first, err = w.Bytes(); err != nil {
		return nil, nil, err
	}
	w.keep = make([]bool, len(keep))
	for i := range keep {
		w.keep[i] = !keep[i]
	}
	second, err = w.Bytes()
	return first, second, err
}

// choose returns the classes that stay in the first file.
func (w *Writer) choose(room int, movable func(class int) bool) (keep []bool, err error) {
	// uses has the number of classes that use each item.
	var uses [indexKinds][]int32
	var left [indexKinds]int // The number of items in the first file.
	for kind := range uses {
		uses[kind] = make([]int32, w.size(IndexKind(kind)))
	}
	v := w.visitor()
	v.found = func(kind IndexKind, i uint32) {
		if uses[kind][i] == 0 {
			left[kind]++
		}
		uses[kind][i]++
	}
	for i := range w.Classes {
		if err := v.class(i); err != nil {
			return nil, err
		}
	}
	v.found = func(kind IndexKind, i uint32) {
		if uses[kind][i]--; uses[kind][i] == 0 {
			left[kind]--
		}
	}
	enough := func() bool {
		for _, kind := range []IndexKind{IndexType, IndexProto, IndexMethod} {
			if left[kind]+room > MaxIndexes {
				return false
			}
		}
		return true
	}
	keep = slices.Repeat([]bool{true}, len(w.Classes))
	moved := false
	for i := len(w.Classes) - 1; i >= 0 && (!enough() || !moved); i-- {
		if !movable(i) {
			continue
		}
		keep[i], moved = false, true
		if err := v.class(i); err != nil {
			return nil, err
		}
	}
	if !enough() || !moved || !slices.Contains(keep, true) {
		return nil, ErrFull
	}
	return keep, nil
}

// usedBy returns which items the given classes use.
func (w *Writer) usedBy(classes []int) (used [indexKinds][]bool, err error) {
	for kind := range used {
		used[kind] = make([]bool, w.size(IndexKind(kind)))
	}
	v := w.visitor()
	v.found = func(kind IndexKind, i uint32) { used[kind][i] = true }
	for _, i := range classes {
		if err := v.class(i); err != nil {
			return used, err
		}
	}
	return used, nil
}

// A visitor finds the table items that a class uses. It calls found once for each item.
type visitor struct {
	*Writer
	found func(kind IndexKind, i uint32)
	// seen has the last visit that found each item. There is one visit for each class.
	seen  [indexKinds][]int32
	visit int32
	// debugs caches the items that debug information uses, by its offset. Methods may share it.
	debugs map[int][]item
	// left bounds the work for annotations and values. They may overlap in a damaged file.
	left int
	err  error
}

// An item is an entry of a table.
type item struct {
	kind  IndexKind
	index uint32
}

func (w *Writer) visitor() *visitor {
	v := &visitor{Writer: w, debugs: make(map[int][]item), left: 64 * len(w.data)}
	for kind := range v.seen {
		v.seen[kind] = make([]int32, w.size(IndexKind(kind)))
	}
	return v
}

// item visits an item and the items to which it refers.
func (v *visitor) item(kind IndexKind, i uint32) {
	if v.err != nil {
		return
	}
	if v.err = v.check(v.start, i, len(v.seen[kind]), indexNames[kind]); v.err != nil || v.seen[kind][i] == v.visit {
		return
	}
	v.seen[kind][i] = v.visit
	v.found(kind, i)
	switch kind {
	case IndexType:
		v.item(IndexString, v.Types[i])
	case IndexProto:
		p := v.Protos[i]
		v.item(IndexString, p.Shorty)
		v.item(IndexType, p.Return)
		v.types(p.Parameters)
	case IndexField:
		id := v.Fields[i]
		v.item(IndexType, uint32(id.Class))
		v.item(IndexType, uint32(id.Type))
		v.item(IndexString, id.Name)
	case IndexMethod:
		id := v.Methods[i]
		v.item(IndexType, uint32(id.Class))
		v.item(IndexProto, uint32(id.Proto))
		v.item(IndexString, id.Name)
	case IndexHandle:
		h := v.Handles[i]
		if h.Kind < 4 {
			v.item(IndexField, uint32(h.Member))
		} else {
			v.item(IndexMethod, uint32(h.Member))
		}
	case IndexCallSite:
		v.array(v.CallSites[i])
	}
}

// optional visits an item that may be absent.
func (v *visitor) optional(kind IndexKind, i uint32) {
	if i != NoIndex {
		v.item(kind, i)
	}
}

// types visits the types in a type list.
func (v *visitor) types(offset uint32) {
	list, err := v.TypeList(offset)
	v.fails(err)
	for _, t := range list {
		v.item(IndexType, uint32(t))
	}
}

func (v *visitor) fails(err error) {
	if v.err == nil {
		v.err = err
	}
}

// class visits the items that a class uses.
func (v *visitor) class(i int) error {
	v.visit++
	c, m := &v.Classes[i], &v.members[i]
	v.item(IndexType, c.Type)
	v.optional(IndexType, c.Super)
	v.optional(IndexString, c.SourceFile)
	v.types(c.Interfaces)
	v.array(c.StaticValues)
	v.annotations(c.Annotations)
	for _, fields := range [][]Field{m.Static, m.Instance} {
		for _, f := range fields {
			v.item(IndexField, f.Index)
		}
	}
	for _, methods := range [][]Method{m.Direct, m.Virtual} {
		for _, method := range methods {
			v.item(IndexMethod, method.Index)
			if method.Code != 0 && v.err == nil {
				v.err = v.code(method.Code)
			}
		}
	}
	return v.err
}

// code visits the items that the code of a method uses.
func (v *visitor) code(offset int) error {
	c, err := v.Code(offset)
	if err != nil {
		return err
	}
	err = v.Instructions(c, func(in *Instruction) error {
		kind := in.Op.Index()
		if kind == IndexNone {
			return nil
		}
		v.item(kind, in.Index)
		if f := ops[in.Op].format; f == format45cc || f == format4rcc {
			v.item(IndexProto, in.Proto)
		}
		return v.err
	})
	if err != nil {
		return err
	}
	for _, h := range c.Handlers {
		for _, catch := range h.Catches {
			v.item(IndexType, catch.Type)
		}
	}
	if c.Debug == 0 {
		return v.err
	}
	items, seen := v.debugs[c.Debug]
	if !seen {
		if items, err = v.debugItems(c.Debug); err != nil {
			return err
		}
		v.debugs[c.Debug] = items
	}
	for _, x := range items {
		v.optional(x.kind, x.index)
	}
	return v.err
}

// debugItems returns the items that debug information uses. The writer copies it as a whole.
func (v *visitor) debugItems(offset int) (items []item, err error) {
	t, err := v.debug(offset, -1)
	if err != nil {
		return nil, err
	}
	for _, n := range t.names {
		items = append(items, item{IndexString, n})
	}
	for _, e := range t.events {
		switch e.op {
		case dbgStartLocal:
			items = append(items, item{IndexString, e.b}, item{IndexType, e.c})
		case dbgStartExtended:
			items = append(items, item{IndexString, e.b}, item{IndexType, e.c}, item{IndexString, e.d})
		case dbgSetFile:
			items = append(items, item{IndexString, e.a})
		}
	}
	return items, nil
}

// array visits an encoded array.
func (v *visitor) array(offset uint32) {
	if offset == 0 || v.err != nil {
		return
	}
	c := &cursor{f: v.File, pos: int(offset)}
	v.values(c, maxNesting)
	v.fails(c.err)
}

// values visits the values of an array.
func (v *visitor) values(c *cursor, depth int) {
	for n := c.uleb(); n > 0 && c.err == nil && v.err == nil; n-- {
		v.value(c, depth)
	}
}

func (v *visitor) value(c *cursor, depth int) {
	if v.left--; v.left < 0 {
		v.fails(v.fail(c.pos, "%w", errOverlap))
		return
	}
	if c.pos < len(v.data) && depth > 0 {
		switch v.data[c.pos] & 0x1f {
		case valueArray:
			c.byte()
			v.values(c, depth-1)
			return
		case valueAnnotation:
			c.byte()
			v.annotation(c, depth-1)
			return
		}
	}
	kind, n := c.value(depth) // This fails if the value is nested too deep.
	if index := valueIndexes[kind]; index != IndexNone && c.err == nil {
		v.item(index, uint32(min(n, NoIndex)))
	}
}

// annotation visits an annotation, from after its visibility byte.
func (v *visitor) annotation(c *cursor, depth int) {
	typ, n := c.uleb(), c.uleb()
	if c.err != nil {
		return
	}
	v.item(IndexType, typ)
	for ; n > 0 && c.err == nil && v.err == nil; n-- {
		if name := c.uleb(); c.err == nil {
			v.item(IndexString, name)
		}
		v.value(c, depth)
	}
}

// annotations visits the annotations of a class and of its members.
func (v *visitor) annotations(offset uint32) {
	if offset == 0 || v.err != nil {
		return
	}
	h, err := v.at(int(offset), 16)
	if err != nil {
		v.err = err
		return
	}
	v.set(u32(h))
	fields, methods, parameters := int(u32(h[4:])), int(u32(h[8:])), int(u32(h[12:]))
	rows, err := v.at(int(offset)+16, 8*(fields+methods+parameters))
	if err != nil {
		v.err = err
		return
	}
	v.left -= len(rows) / 8
	for i := range fields + methods + parameters {
		member, set := u32(rows[8*i:]), u32(rows[8*i+4:])
		if i < fields {
			v.item(IndexField, member)
		} else {
			v.item(IndexMethod, member)
		}
		if i < fields+methods {
			v.set(set)
			continue
		}
		for _, set := range v.list(set) {
			v.set(set)
		}
	}
}

// list reads a list of offsets.
func (v *visitor) list(offset uint32) []uint32 {
	if offset == 0 || v.err != nil {
		return nil
	}
	words, err := v.words(offset, 1)
	if v.left -= len(words); err == nil && v.left < 0 {
		err = v.fail(int(offset), "%w", errOverlap)
	}
	v.fails(err)
	return words
}

// set visits an annotation set.
func (v *visitor) set(offset uint32) {
	for _, item := range v.list(offset) {
		c := &cursor{f: v.File, pos: int(item) + 1} // Skip the visibility byte.
		v.annotation(c, maxNesting)
		v.fails(c.err)
	}
}
