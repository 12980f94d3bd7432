package dex

import (
	"cmp"
	"crypto/sha1"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/adler32"
	"slices"
	"strings"
)

// A Writer writes a copy of a file with changed code. New strings, types, signatures and methods
// get provisional indices, which continue those of the file. [Writer.Bytes] merges the new items
// into the sorted tables, and changes every index in the file accordingly.
type Writer struct {
	*File
	members []Members
	bodies  map[uint32]func() (*Body, error) // By method index.

	strings []string
	types   []uint32 // Provisional string indices.
	protos  []newProto
	methods []MethodID // With provisional indices.
	// newStrings and newMethods map new items to their provisional indices.
	newStrings map[string]uint32
	newMethods map[MethodID]uint32

	// keep reports which classes to write. If it is not nil, the copy has only the items that these
	// classes use. nil means all classes and items.
	keep []bool
}

type newProto struct {
	shorty, result uint32
	parameters     []uint16
}

var (
	errContainer = errors.New("containers of the version 041 cannot be written")
	errHidden    = errors.New("files of the platform, which have flags of hidden APIs, cannot be written")
	errUnsorted  = errors.New("the table is not sorted, so no device runs the file")
)

// NewWriter returns a writer for copies of f.
func NewWriter(f *File) (*Writer, error) {
	switch {
	case f.Version >= containerFormat:
		return nil, f.fail(f.start, "%w", errContainer)
	case f.hidden != 0:
		return nil, f.fail(f.hidden, "%w", errHidden)
	}
	members, err := f.Members()
	if err != nil {
		return nil, err
	}
	return &Writer{File: f, members: members, bodies: make(map[uint32]func() (*Body, error)),
		newStrings: make(map[string]uint32), newMethods: make(map[MethodID]uint32)}, nil
}

// Replace replaces the code of a method that the file defines. Bytes calls body when it writes the
// method, so only one body is in memory at a time. Bytes changes the body. All new items to which
// the code refers must be added before the call of Bytes.
func (w *Writer) Replace(method uint32, body func() (*Body, error)) { w.bodies[method] = body }

// String returns the index of a string in modified UTF-8. It adds the string if it is new.
func (w *Writer) String(s string) uint32 {
	if i, ok := slices.BinarySearchFunc(w.Strings, s, compareText); ok {
		return uint32(i)
	}
	i, ok := w.newStrings[s]
	if !ok {
		i = uint32(len(w.Strings) + len(w.strings))
		w.strings = append(w.strings, s)
		w.newStrings[s] = i
	}
	return i
}

// Type returns the index of a type. It adds the type if it is new.
func (w *Writer) Type(descriptor string) (uint32, error) {
	s := w.String(descriptor)
	if i, ok := slices.BinarySearch(w.Types, s); ok {
		return uint32(i), nil
	}
	i := slices.Index(w.types, s)
	if i < 0 {
		if len(w.Types)+len(w.types) >= MaxIndexes {
			return 0, ErrFull
		}
		i = len(w.types)
		w.types = append(w.types, s)
	}
	return uint32(len(w.Types) + i), nil
}

// Method returns the index of a method, and adds the method if it is new. result and parameters are
// descriptors.
func (w *Writer) Method(class, name, result string, parameters ...string) (uint32, error) {
	owner, err := w.Type(class)
	if err != nil {
		return 0, err
	}
	proto, err := w.proto(result, parameters)
	if err != nil {
		return 0, err
	}
	id := MethodID{Class: uint16(owner), Proto: uint16(proto), Name: w.String(name)}
	old, ok := slices.BinarySearchFunc(w.Methods, id, func(a, b MethodID) int {
		return cmp.Or(cmp.Compare(a.Class, b.Class), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Proto, b.Proto))
	})
	if ok {
		return uint32(old), nil
	}
	i, ok := w.newMethods[id]
	if !ok {
		if len(w.Methods)+len(w.methods) >= MaxIndexes {
			return 0, ErrFull
		}
		i = uint32(len(w.Methods) + len(w.methods))
		w.methods = append(w.methods, id)
		w.newMethods[id] = i
	}
	return i, nil
}

// proto returns the index of a signature. It adds the signature if it is new.
func (w *Writer) proto(result string, parameters []string) (uint32, error) {
	p := newProto{}
	shorty := result[:1]
	var err error
	if p.result, err = w.Type(result); err != nil {
		return 0, err
	}
	for _, descriptor := range parameters {
		t, err := w.Type(descriptor)
		if err != nil {
			return 0, err
		}
		p.parameters = append(p.parameters, uint16(t))
		shorty += descriptor[:1]
	}
	p.shorty = w.String(strings.ReplaceAll(shorty, "[", "L"))
	for i, old := range w.Protos {
		if old.Return != p.result {
			continue
		}
		if list, err := w.TypeList(old.Parameters); err == nil && slices.Equal(list, p.parameters) {
			return uint32(i), nil
		}
	}
	for i, added := range w.protos {
		if added.result == p.result && slices.Equal(added.parameters, p.parameters) {
			return uint32(len(w.Protos) + i), nil
		}
	}
	if len(w.Protos)+len(w.protos) >= MaxIndexes {
		return 0, ErrFull
	}
	w.protos = append(w.protos, p)
	return uint32(len(w.Protos) + len(w.protos) - 1), nil
}

// compareText compares strings by their UTF-16 units, as the format requires. The bytes of modified
// UTF-8 have the same order, except that NUL has two bytes.
func compareText(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			x, y := a[i], b[i]
			if x == 0xc0 {
				x = 0
			}
			if y == 0xc0 {
				y = 0
			}
			return cmp.Compare(x, y)
		}
	}
	return cmp.Compare(len(a), len(b))
}

// merge sorts new items into a sorted table. The table's items have the indices below old, and the
// new items have the next indices. merge returns the items in their final order, and the final
// index of each item. It drops old items that are not used. If used is nil, all are used.
func merge(old, added int, used []bool, compare func(a, b int) int) (order []int, index []uint32, err error) {
	for last, i := -1, 0; i < old; i++ {
		if used != nil && !used[i] {
			continue
		}
		if last >= 0 && compare(last, i) >= 0 {
			return nil, nil, errUnsorted
		}
		last = i
	}
	fresh := make([]int, added)
	for i := range fresh {
		fresh[i] = old + i
	}
	slices.SortFunc(fresh, compare)
	order, index = make([]int, 0, old+added), make([]uint32, old+added)
	for i := 0; i < old || len(fresh) > 0; {
		if i < old && used != nil && !used[i] {
			index[i] = NoIndex
			i++
			continue
		}
		next := i
		if i == old || len(fresh) > 0 && compare(fresh[0], i) < 0 {
			next, fresh = fresh[0], fresh[1:]
		} else {
			i++
		}
		index[next] = uint32(len(order))
		order = append(order, next)
	}
	return order, index, nil
}

// An emitter writes the copy of a file.
type emitter struct {
	*Writer
	out []byte
	// The final order of each table, and the final index for each provisional index.
	stringOrder, typeOrder, protoOrder, fieldOrder, methodOrder, siteOrder, handleOrder []int
	stringIndex, typeIndex, protoIndex, fieldIndex, methodIndex, siteIndex, handleIndex []uint32
	// classes are the indices of the classes to write.
	classes []int

	sections  []section
	typeLists map[string]uint32 // Offsets by content.
	arrays    map[uint32]uint32 // New offsets by original offset, also in the maps below.
	items     map[uint32]uint32
	sets      map[uint32]uint32
	refs      map[uint32]uint32
	tables    map[uint32]uint32 // Annotation directories.
	debugs    map[int]uint32
	codes     map[int]uint32
	replaced  map[uint32]uint32 // Offsets of replaced code by method.
}

// A section is an entry of the section list at the end of the file.
type section struct {
	kind          uint16
	count, offset uint32
}

// Bytes returns the changed copy of the file.
func (w *Writer) Bytes() ([]byte, error) {
	e := &emitter{Writer: w, typeLists: make(map[string]uint32), arrays: make(map[uint32]uint32), items: make(map[uint32]uint32),
		sets: make(map[uint32]uint32), refs: make(map[uint32]uint32), tables: make(map[uint32]uint32), debugs: make(map[int]uint32),
		codes: make(map[int]uint32), replaced: make(map[uint32]uint32)}
	var used [indexKinds][]bool
	for i := range w.Classes {
		if w.keep == nil || w.keep[i] {
			e.classes = append(e.classes, i)
		}
	}
	if w.keep != nil {
		var err error
		if used, err = w.usedBy(e.classes); err != nil {
			return nil, err
		}
	}
	if err := e.merge(used); err != nil {
		return nil, err
	}
	return e.write()
}

// merge merges the new items into all tables.
func (e *emitter) merge(used [indexKinds][]bool) (err error) {
	w := e.Writer
	table := func(field int, name string, err error) error {
		if err != nil {
			return w.fail(w.start+field, "%s: %w", name, err)
		}
		return nil
	}
	text := func(i int) string {
		if i < len(w.Strings) {
			return w.Strings[i]
		}
		return w.strings[i-len(w.Strings)]
	}
	e.stringOrder, e.stringIndex, err = merge(len(w.Strings), len(w.strings), used[IndexString], func(a, b int) int { return compareText(text(a), text(b)) })
	if err := table(headerStrings, "strings", err); err != nil {
		return err
	}
	typ := func(i int) uint32 { return e.stringIndex[e.typeString(i)] }
	e.typeOrder, e.typeIndex, err = merge(len(w.Types), len(w.types), used[IndexType], func(a, b int) int { return cmp.Compare(typ(a), typ(b)) })
	if err := table(headerTypes, "types", err); err != nil {
		return err
	}
	e.protoOrder, e.protoIndex, err = merge(len(w.Protos), len(w.protos), used[IndexProto], func(a, b int) int {
		x, y := e.protoAt(a), e.protoAt(b)
		return cmp.Or(cmp.Compare(e.typeIndex[x.result], e.typeIndex[y.result]), slices.CompareFunc(x.parameters, y.parameters, func(p, q uint16) int {
			return cmp.Compare(e.typeIndex[p], e.typeIndex[q])
		}))
	})
	if err := table(headerProtos, "signatures", err); err != nil {
		return err
	}
	e.fieldOrder, e.fieldIndex, err = merge(len(w.Fields), 0, used[IndexField], func(a, b int) int {
		x, y := w.Fields[a], w.Fields[b]
		return cmp.Or(cmp.Compare(x.Class, y.Class), cmp.Compare(x.Name, y.Name), cmp.Compare(x.Type, y.Type))
	})
	if err := table(headerFields, "fields", err); err != nil {
		return err
	}
	e.methodOrder, e.methodIndex, err = merge(len(w.Methods), len(w.methods), used[IndexMethod], func(a, b int) int {
		x, y := e.methodAt(a), e.methodAt(b)
		return cmp.Or(cmp.Compare(e.typeIndex[x.Class], e.typeIndex[y.Class]), cmp.Compare(e.stringIndex[x.Name], e.stringIndex[y.Name]),
			cmp.Compare(e.protoIndex[x.Proto], e.protoIndex[y.Proto]))
	})
	if err := table(headerMethods, "methods", err); err != nil {
		return err
	}
	// The format does not require an order for these two tables.
	inOrder := func(a, b int) int { return cmp.Compare(a, b) }
	if e.siteOrder, e.siteIndex, err = merge(len(w.CallSites), 0, used[IndexCallSite], inOrder); err != nil {
		return err
	}
	e.handleOrder, e.handleIndex, err = merge(len(w.Handles), 0, used[IndexHandle], inOrder)
	return err
}

// typeString returns the string index of the descriptor of a type with a provisional index.
func (e *emitter) typeString(i int) uint32 {
	if i < len(e.Types) {
		return e.Types[i]
	}
	return e.types[i-len(e.Types)]
}

func (e *emitter) protoAt(i int) newProto {
	if i >= len(e.Protos) {
		return e.protos[i-len(e.Protos)]
	}
	p := e.Protos[i]
	parameters, _ := e.TypeList(p.Parameters) // Parse has already checked this list.
	return newProto{p.Shorty, p.Return, parameters}
}

func (e *emitter) methodAt(i int) MethodID {
	if i >= len(e.Methods) {
		return e.methods[i-len(e.Methods)]
	}
	return e.Methods[i]
}

// convert returns the final index of an item in a table.
func (e *emitter) convert(kind IndexKind, i uint32) uint32 {
	switch kind {
	case IndexString:
		return e.stringIndex[i]
	case IndexType:
		return e.typeIndex[i]
	case IndexField:
		return e.fieldIndex[i]
	case IndexMethod:
		return e.methodIndex[i]
	case IndexProto:
		return e.protoIndex[i]
	case IndexCallSite:
		return e.siteIndex[i]
	case IndexHandle:
		return e.handleIndex[i]
	}
	return i
}

func (e *emitter) string(i uint32) uint32 { return e.stringIndex[i] }
func (e *emitter) typ(i uint32) uint32    { return e.typeIndex[i] }

// begin starts a section at an aligned offset.
func (e *emitter) begin(kind uint16, alignment int) {
	e.align(alignment)
	e.sections = append(e.sections, section{kind: kind, offset: uint32(len(e.out))})
}

// align pads the file to a multiple of the given number, and returns its size.
func (e *emitter) align(to int) int {
	for len(e.out)%to != 0 {
		e.out = append(e.out, 0)
	}
	return len(e.out)
}

// item begins an item of the current section, and returns its offset. It first aligns the file.
func (e *emitter) item(alignment int) uint32 { return e.count(e.align(alignment)) }

// count adds an item to the current section. The parameter at is the item's offset, which count
// returns.
func (e *emitter) count(at int) uint32 {
	s := &e.sections[len(e.sections)-1]
	if s.count == 0 {
		s.offset = uint32(at)
	}
	s.count++
	return uint32(at)
}

func (e *emitter) u16(n uint16) { e.out = binary.LittleEndian.AppendUint16(e.out, n) }
func (e *emitter) u32(n uint32) { e.out = binary.LittleEndian.AppendUint32(e.out, n) }

// finish writes the section list and the header.
func (e *emitter) finish(dataStart int) ([]byte, error) {
	e.begin(0x1000, 4)
	at := e.item(4)
	e.sections = slices.DeleteFunc(e.sections, func(s section) bool { return s.count == 0 })
	slices.SortFunc(e.sections, func(a, b section) int { return cmp.Compare(a.offset, b.offset) })
	e.u32(uint32(len(e.sections)))
	for _, s := range e.sections {
		e.u16(s.kind)
		e.u16(0)
		e.u32(s.count)
		e.u32(s.offset)
	}
	if int64(len(e.out)) > 8*int64(len(e.data))+1<<26 {
		return nil, e.fail(0, "%w", errOverlap)
	}
	h := e.out[:headerSize]
	copy(h, fmt.Sprintf("dex\n%03d\x00", e.Version))
	put := func(at int, n uint32) { binary.LittleEndian.PutUint32(h[at:], n) }
	put(headerFileSize, uint32(len(e.out)))
	put(0x24, headerSize)
	put(headerEndianTag, littleEndian)
	put(headerMap, at)
	for kind, field := range map[uint16]int{1: headerStrings, 2: headerTypes, 3: headerProtos, 4: headerFields, 5: headerMethods, 6: headerClasses} {
		for _, s := range e.sections {
			if s.kind == kind {
				put(field, s.count)
				put(field+4, s.offset)
			}
		}
	}
	put(0x68, uint32(len(e.out)-dataStart))
	put(0x6c, uint32(dataStart))
	signature := sha1.Sum(e.out[0x20:])
	copy(h[0x0c:], signature[:])
	put(0x08, adler32.Checksum(e.out[0x0c:]))
	return e.out, nil
}
