package dex

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"github.com/diffprof/diffprof/internal/syntax"
)

// NoIndex is the index of a superclass, source file or parameter name that is absent.
const NoIndex = 0xffffffff

// MaxIndexes is the largest number of types, signatures, fields or methods of a file.
const MaxIndexes = 1 << 16

// The sizes of the items in a file, and the offsets of fields in its header.
const (
	headerSize      = 0x70
	headerSize41    = 0x78
	headerFileSize  = 0x20
	headerEndianTag = 0x28
	headerStrings   = 0x38
	headerTypes     = 0x40
	headerProtos    = 0x48
	headerFields    = 0x50
	headerMethods   = 0x58
	headerClasses   = 0x60
	headerMap       = 0x34
	headerContainer = 0x74
	littleEndian    = 0x12345678
	bigEndian       = 0x78563412
	containerFormat = 41
)

// The types of sections in the list of a file's sections.
const (
	sectionCallSites     = 0x0007
	sectionMethodHandles = 0x0008
	sectionHiddenAPI     = 0xf000
)

// A File is a DEX file, or one of the files in a container.
type File struct {
	// Version is the version of the format: 35 to 41.
	Version int
	// Strings are the texts, in modified UTF-8. [Text] decodes them.
	Strings []string
	// Types are the string indexes of the types' descriptors.
	Types   []uint32
	Protos  []Proto
	Fields  []FieldID
	Methods []MethodID
	Classes []Class
	// CallSites are the offsets of encoded arrays, one for each call site.
	CallSites []uint32
	Handles   []Handle

	data  []byte // the container
	start int    // the offset of the header
	// hidden is the offset of the section with the flags of hidden APIs, 0 if there is none.
	hidden int
}

// A Proto is the signature of a method.
type Proto struct {
	Shorty     uint32 // string
	Return     uint32 // type
	Parameters uint32 // offset of a type list, 0 if there are no parameters
}

// A FieldID names a field.
type FieldID struct {
	Class uint16 // type
	Type  uint16 // type
	Name  uint32 // string
}

// A MethodID names a method.
type MethodID struct {
	Class uint16 // type
	Proto uint16
	Name  uint32 // string
}

// A Class is the definition of a class. Offsets are 0 if the class has no such part.
type Class struct {
	Type         uint32
	Access       uint32
	Super        uint32 // type, or NoIndex
	Interfaces   uint32 // offset of a type list
	SourceFile   uint32 // string, or NoIndex
	Annotations  uint32 // offset of an annotations directory
	Data         uint32 // offset of the fields and methods
	StaticValues uint32 // offset of an encoded array
}

// A Handle is a method handle: a field or method with the way to use it.
type Handle struct {
	Kind   uint16
	Member uint16 // field for the kinds 0 to 3, method for the others
}

const hint = "the file is damaged; copy it again, or build the app again"

var (
	errShort   = errors.New("the file ends too early")
	errOverlap = errors.New("parts of the file overlap: they add up to more than the file")
)

// Version returns the version in the first eight bytes of a DEX file, and whether the package
// reads it.
func Version(head []byte) (version int, ok bool) {
	if len(head) < 8 || string(head[:5]) != "dex\n0" || head[7] != 0 ||
		head[5] < '0' || head[5] > '9' || head[6] < '0' || head[6] > '9' {
		return 0, false
	}
	version = int(head[5]-'0')*10 + int(head[6]-'0')
	return version, version >= 35 && version <= containerFormat
}

// Parse reads the tables of a DEX file, or of all files in a container. It does not check the
// checksum. If a later file of a container is damaged, it returns the files before it and the error.
// The files refer to data, which must not change.
func Parse(data []byte) ([]*File, error) {
	var files []*File
	texts := &texts{seen: make(map[uint32]string), left: len(data)}
	for start := 0; ; {
		f := &File{data: data, start: start}
		next, err := f.parse(texts)
		if err != nil {
			return files, err
		}
		files = append(files, f)
		if next == 0 || next >= len(data)-start {
			return files, nil
		}
		start += next
	}
}

// DamageInString returns an error with a cause that is in a string.
func (f *File) DamageInString(index uint32, cause error) error {
	table := int(u32(f.data[f.start+headerStrings+4:]))
	return f.fail(int(u32(f.data[table+4*int(index):])), "%w", cause)
}

// fail returns an error at an offset of the container.
func (f *File) fail(offset int, format string, args ...any) error {
	return &syntax.Error{Offset: int64(min(max(offset, 0), len(f.data))), Format: "dex", Err: fmt.Errorf(format, args...), Hint: hint}
}

// at returns n bytes at an offset.
func (f *File) at(offset, n int) ([]byte, error) {
	if offset < 0 || n < 0 || offset > len(f.data) || n > len(f.data)-offset {
		return nil, f.fail(offset, "%w", errShort)
	}
	return f.data[offset : offset+n], nil
}

func u16(b []byte) uint16 { return binary.LittleEndian.Uint16(b) }
func u32(b []byte) uint32 { return binary.LittleEndian.Uint32(b) }

// table returns the bytes of a table. The size and the offset of the table are in the header at the
// offset field.
func (f *File) table(header []byte, field, itemSize, most int, items string) (rows []byte, offset int, err error) {
	size, offset := int(u32(header[field:])), int(u32(header[field+4:]))
	if size > most {
		return nil, 0, f.fail(f.start+field, "%d %s exceed the limit of %d", size, items, most)
	}
	if size == 0 {
		return nil, 0, nil
	}
	rows, err = f.at(offset, size*itemSize)
	return rows, offset, err
}

// parse reads the header at f.start and the tables. It returns the distance to the next file in
// the container, 0 if there cannot be one.
func (f *File) parse(texts *texts) (next int, err error) {
	h, err := f.at(f.start, headerSize)
	if err != nil {
		return 0, err
	}
	version, ok := Version(h)
	if !ok {
		return 0, f.fail(f.start, "not a dex header of a version from 035 to 041")
	}
	f.Version = version
	switch tag := u32(h[headerEndianTag:]); tag {
	case littleEndian:
	case bigEndian:
		return 0, f.fail(f.start+headerEndianTag, "the dex file is big-endian, which no device runs")
	default:
		return 0, f.fail(f.start+headerEndianTag, "wrong endian tag %#x", tag)
	}
	if version >= containerFormat {
		if h, err = f.at(f.start, headerSize41); err != nil {
			return 0, err
		}
		if at := int(u32(h[headerContainer:])); at != f.start {
			return 0, f.fail(f.start+headerContainer, "the header states offset %d", at)
		}
		if next = int(u32(h[headerFileSize:])); next < headerSize41 {
			return 0, f.fail(f.start+headerFileSize, "file size %d is less than a header", next)
		}
	}
	if size := int(u32(h[headerFileSize:])); version < containerFormat && size > len(f.data) {
		return 0, f.fail(len(f.data), "the file ends after %d of %d bytes", len(f.data), size)
	}
	if err := f.readStrings(h, texts); err != nil {
		return 0, err
	}
	for _, read := range []func(header []byte) error{f.readTypes, f.readProtos, f.readFields, f.readMethods, f.readClasses, f.readSections} {
		if err := read(h); err != nil {
			return 0, err
		}
	}
	return next, nil
}

// check returns an error if an index at an offset is out of the range of a table with size items.
func (f *File) check(offset int, index uint32, size int, item string) error {
	if int64(index) >= int64(size) {
		return f.fail(offset, "%s index %d is out of range: the file has %d", item, index, size)
	}
	return nil
}

func (f *File) readTypes(h []byte) error {
	rows, offset, err := f.table(h, headerTypes, 4, MaxIndexes, "types")
	if err != nil {
		return err
	}
	f.Types = make([]uint32, len(rows)/4)
	for i := range f.Types {
		f.Types[i] = u32(rows[4*i:])
		if err := f.check(offset+4*i, f.Types[i], len(f.Strings), "string"); err != nil {
			return err
		}
	}
	return nil
}

func (f *File) readProtos(h []byte) error {
	rows, offset, err := f.table(h, headerProtos, 12, MaxIndexes, "signatures")
	if err != nil {
		return err
	}
	f.Protos = make([]Proto, len(rows)/12)
	text := 0
	for i := range f.Protos {
		p := Proto{u32(rows[12*i:]), u32(rows[12*i+4:]), u32(rows[12*i+8:])}
		f.Protos[i] = p
		if err := f.check(offset+12*i, p.Shorty, len(f.Strings), "string"); err != nil {
			return err
		}
		if err := f.check(offset+12*i+4, p.Return, len(f.Types), "type"); err != nil {
			return err
		}
		n, err := f.TypeListSize(p.Parameters)
		if err != nil {
			return err
		}
		if n > maxParameters {
			return f.fail(int(p.Parameters), "a method with %d parameters exceeds the limit of %d", n, maxParameters)
		}
		parameters, err := f.TypeList(p.Parameters)
		if err != nil {
			return err
		}
		for _, t := range parameters {
			text += len(f.Descriptor(uint32(t)))
		}
		if text > 16*len(f.data) {
			return f.fail(offset+12*i, "%w", errOverlap)
		}
	}
	return nil
}

// maxParameters is the number of registers that a call can pass.
const maxParameters = 255

func (f *File) readFields(h []byte) error {
	rows, offset, err := f.table(h, headerFields, 8, 1<<24, "fields")
	if err != nil {
		return err
	}
	f.Fields = make([]FieldID, len(rows)/8)
	for i := range f.Fields {
		row := rows[8*i:]
		id := FieldID{u16(row), u16(row[2:]), u32(row[4:])}
		f.Fields[i] = id
		for _, typ := range []uint16{id.Class, id.Type} {
			if err := f.check(offset+8*i, uint32(typ), len(f.Types), "type"); err != nil {
				return err
			}
		}
		if err := f.check(offset+8*i+4, id.Name, len(f.Strings), "string"); err != nil {
			return err
		}
	}
	return nil
}

func (f *File) readMethods(h []byte) error {
	rows, offset, err := f.table(h, headerMethods, 8, 1<<24, "methods")
	if err != nil {
		return err
	}
	f.Methods = make([]MethodID, len(rows)/8)
	for i := range f.Methods {
		row := rows[8*i:]
		id := MethodID{u16(row), u16(row[2:]), u32(row[4:])}
		f.Methods[i] = id
		if err := f.check(offset+8*i, uint32(id.Class), len(f.Types), "type"); err != nil {
			return err
		}
		if err := f.check(offset+8*i+2, uint32(id.Proto), len(f.Protos), "signature"); err != nil {
			return err
		}
		if err := f.check(offset+8*i+4, id.Name, len(f.Strings), "string"); err != nil {
			return err
		}
	}
	return nil
}

func (f *File) readClasses(h []byte) error {
	rows, offset, err := f.table(h, headerClasses, 32, len(f.Types), "classes")
	if err != nil {
		return err
	}
	f.Classes = make([]Class, len(rows)/32)
	for i := range f.Classes {
		row, at := rows[32*i:], offset+32*i
		c := Class{u32(row), u32(row[4:]), u32(row[8:]), u32(row[12:]), u32(row[16:]), u32(row[20:]), u32(row[24:]), u32(row[28:])}
		f.Classes[i] = c
		if err := f.check(at, c.Type, len(f.Types), "type"); err != nil {
			return err
		}
		if c.Super != NoIndex {
			if err := f.check(at+8, c.Super, len(f.Types), "type"); err != nil {
				return err
			}
		}
		if c.SourceFile != NoIndex {
			if err := f.check(at+16, c.SourceFile, len(f.Strings), "string"); err != nil {
				return err
			}
		}
	}
	return nil
}

// readSections reads the sections that only the list of sections locates.
func (f *File) readSections(h []byte) error {
	offset := int(u32(h[headerMap:]))
	if offset == 0 {
		return nil
	}
	head, err := f.at(offset, 4)
	if err != nil {
		return err
	}
	n := int(u32(head))
	if n > 64 {
		return f.fail(offset, "%d sections exceed the limit of 64", n)
	}
	rows, err := f.at(offset+4, 12*n)
	if err != nil {
		return err
	}
	for ; len(rows) > 0; rows = rows[12:] {
		size, at := int(u32(rows[4:])), int(u32(rows[8:]))
		switch u16(rows) {
		case sectionCallSites:
			items, err := f.at(at, 4*size)
			if err != nil {
				return err
			}
			f.CallSites = make([]uint32, size)
			for i := range f.CallSites {
				f.CallSites[i] = u32(items[4*i:])
			}
		case sectionMethodHandles:
			items, err := f.at(at, 8*size)
			if err != nil {
				return err
			}
			f.Handles = make([]Handle, size)
			for i := range f.Handles {
				h := Handle{u16(items[8*i:]), u16(items[8*i+4:])}
				f.Handles[i] = h
				members := len(f.Methods)
				if h.Kind < 4 {
					members = len(f.Fields)
				}
				if err := f.check(at+8*i+4, uint32(h.Member), members, "member"); err != nil {
					return err
				}
			}
		case sectionHiddenAPI:
			f.hidden = at
		}
	}
	return nil
}

// TypeListSize returns the number of types in the list at an offset. Offset 0 is the empty list.
func (f *File) TypeListSize(offset uint32) (int, error) {
	if offset == 0 {
		return 0, nil
	}
	head, err := f.at(int(offset), 4)
	if err != nil {
		return 0, err
	}
	return int(u32(head)), nil
}

// TypeList returns the types in the list at an offset. Offset 0 is the empty list.
func (f *File) TypeList(offset uint32) ([]uint16, error) {
	size, err := f.TypeListSize(offset)
	if err != nil || size == 0 {
		return nil, err
	}
	items, err := f.at(int(offset)+4, 2*size)
	if err != nil {
		return nil, err
	}
	types := make([]uint16, len(items)/2)
	for i := range types {
		types[i] = u16(items[2*i:])
		if err := f.check(int(offset)+4+2*i, uint32(types[i]), len(f.Types), "type"); err != nil {
			return nil, err
		}
	}
	return types, nil
}

// Descriptor returns the descriptor of a type as the file has it, in modified UTF-8. The index is
// in range if it comes from the file's tables.
func (f *File) Descriptor(typ uint32) string { return f.Strings[f.Types[typ]] }

// Signature returns the descriptor of a method's parameters and result: (ILjava/lang/String;)V.
func (f *File) Signature(proto uint16) string {
	p := f.Protos[proto]
	parameters, _ := f.TypeList(p.Parameters) // Parse has already checked this list.
	var b strings.Builder
	b.WriteByte('(')
	for _, t := range parameters {
		b.WriteString(f.Descriptor(uint32(t)))
	}
	b.WriteByte(')')
	b.WriteString(f.Descriptor(p.Return))
	return b.String()
}
