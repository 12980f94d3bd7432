package dex

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"github.com/diffprof/diffprof/internal/syntax"
)

// NoIndex is the index of an absent superclass, source file or parameter name.
const NoIndex = 0xffffffff

// MaxIndexes is the maximum number of types, of signatures, of fields, or of methods in a file.
const MaxIndexes = 1 << 16

// Sizes of the items in a file, and offsets of header fields.
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

// Section types in a file's section list.
const (
	sectionCallSites     = 0x0007
	sectionMethodHandles = 0x0008
	sectionHiddenAPI     = 0xf000
)

// A File is a DEX file, or one of the files in a container.
type File struct {
	// Version is the format version, from 35 to 41.
	Version int
	// Strings has the strings in modified UTF-8. [Text] decodes them.
	Strings []string
	// Types has the string index of each type's descriptor.
	Types   []uint32
	Protos  []Proto
	Fields  []FieldID
	Methods []MethodID
	Classes []Class
	// CallSites has the offset of the encoded array of each call site.
	CallSites []uint32
	Handles   []Handle

	data  []byte // The whole container.
	start int    // The offset of the header.
	// hidden is the offset of the section with the flags of hidden APIs, or 0.
	hidden int
}

// A Proto is the signature of a method.
type Proto struct {
	Shorty     uint32 // String index.
	Return     uint32 // Type index.
	Parameters uint32 // Offset of a type list, or 0 if there are no parameters.
}

// A FieldID identifies a field.
type FieldID struct {
	Class uint16 // Type index.
	Type  uint16 // Type index.
	Name  uint32 // String index.
}

// A MethodID identifies a method.
type MethodID struct {
	Class uint16 // Type index.
	Proto uint16
	Name  uint32 // String index.
}

// A Class is the definition of a class. The offset of a part that the class lacks is 0.
type Class struct {
	Type         uint32
	Access       uint32
	Super        uint32 // Type index, or NoIndex.
	Interfaces   uint32 // Offset of a type list.
	SourceFile   uint32 // String index, or NoIndex.
	Annotations  uint32 // Offset of an annotation directory.
	Data         uint32 // Offset of the fields and methods.
	StaticValues uint32 // Offset of an encoded array.
}

// A Handle is a method handle: a field or method, and how it is used.
type Handle struct {
	Kind   uint16
	Member uint16 // Field index for the kinds 0 to 3, method index for the others.
}

const hint = "the file is damaged; copy it again, or build the app again"

var (
	errShort   = errors.New("the file ends too early")
	errOverlap = errors.New("parts of the file overlap: they add up to more than the file")
)

// Version returns the version in the first eight bytes of a DEX file. ok reports whether they are
// the start of a DEX file that this package can read.
func Version(head []byte) (version int, ok bool) {
	if len(head) < 8 || string(head[:5]) != "dex\n0" || head[7] != 0 ||
		head[5] < '0' || head[5] > '9' || head[6] < '0' || head[6] > '9' {
		return 0, false
	}
	version = int(head[5]-'0')*10 + int(head[6]-'0')
	return version, version >= 35 && version <= containerFormat
}

// Parse reads the tables of a DEX file, or of all files in a container. It does not check the
// checksum. If a file in a container is damaged, Parse returns the files before it, and an error.
// The files refer to data, which must not be modified.
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

// DamageInString returns an error with the offset of a string and the given cause.
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

// table returns the rows of a table. Its size and offset are in the header, at the offset given by
// field.
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

// parse reads the header at f.start and the tables. It returns the distance to the next file in the
// container, or 0 if there cannot be another file.
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

// check returns an error if an index is not below size. The index is stored at an offset of the
// file.
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

// maxParameters is the maximum number of registers that a call can pass.
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

// readSections reads the sections whose offsets are only in the section list.
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

// TypeListSize returns the number of types in the list at an offset. Offset 0 means an empty list.
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

// TypeList returns the types in the list at an offset. Offset 0 means an empty list.
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

// Descriptor returns the descriptor of a type in modified UTF-8. An index from the file's tables is
// always in range.
func (f *File) Descriptor(typ uint32) string { return f.Strings[f.Types[typ]] }

// Signature returns the descriptor of a method's parameters and result, such as
// (ILjava/lang/String;)V.
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
