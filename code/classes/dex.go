package classes

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/diffprof/diffprof/internal/syntax"
)

// Sizes and offsets in a dex file. Offsets count from the start of a header.
const (
	dexHeaderSize      = 0x70
	dexHeaderSize41    = 0x78
	dexFileSize        = 0x20
	dexEndianTag       = 0x28
	dexStrings         = 0x38
	dexTypes           = 0x40
	dexClasses         = 0x60
	dexHeaderOffset    = 0x74
	dexLittleEndian    = 0x12345678
	dexBigEndian       = 0x78563412
	dexNoIndex         = 0xffffffff
	dexClassDefSize    = 32
	dexMaxTypes        = 1 << 16 // the indexes of a type list have 16 bits
	dexMaxInterfaces   = 1 << 22 // in one container: type lists are shared, so its size is no bound
	dexContainerFormat = 41
)

// A dexReader reads a container of dex files, one after another. Up to version 040 it holds
// just one. The offsets in a file count from the start of the container.
type dexReader struct {
	file string
	data []byte

	// start is the offset of the current dex file.
	start          int
	strings, types struct{ size, offset int }

	// names holds the container's names by the offset of their text. nameBytes is how many more
	// bytes they may take: texts that do not overlap never need more bytes than the container
	// has. interfaces counts the interfaces so far.
	names      map[int]string
	nameBytes  int
	interfaces int
}

// readDex calls yield with each class that the dex file or container defines, until
// yield returns an error.
func readDex(file string, data []byte, yield func(Class) error) error {
	d := dexReader{file: file, data: data, names: make(map[int]string), nameBytes: len(data)}
	for {
		next, err := d.header()
		if err != nil {
			return err
		}
		if err := d.classes(yield); err != nil {
			return err
		}
		if next == 0 || next >= len(data)-d.start {
			return nil
		}
		d.start += next
	}
}

func (d *dexReader) fail(offset int, format string, args ...any) error {
	return &syntax.Error{File: d.file, Offset: int64(offset), Err: fmt.Errorf(format, args...)}
}

// bytes returns n bytes at offset.
func (d *dexReader) bytes(offset, n int) ([]byte, error) {
	if offset < 0 || n < 0 || offset > len(d.data) || n > len(d.data)-offset {
		return nil, &syntax.Error{File: d.file, Offset: int64(min(max(offset, 0), len(d.data))), Err: errShort}
	}
	return d.data[offset : offset+n], nil
}

// header reads the header at d.start and returns the distance to the next one. It returns 0 if
// there cannot be another one.
func (d *dexReader) header() (next int, err error) {
	h, err := d.bytes(d.start, dexHeaderSize)
	if err != nil {
		return 0, err
	}
	u32 := func(at int) int { return int(binary.LittleEndian.Uint32(h[at:])) }
	version, ok := dexVersion(h)
	if !ok {
		return 0, d.fail(d.start, "not a dex header of a version from 035 to 041")
	}
	switch u32(dexEndianTag) {
	case dexLittleEndian:
	case dexBigEndian:
		return 0, d.fail(d.start+dexEndianTag, "the dex file is big-endian, which no device runs")
	default:
		return 0, d.fail(d.start+dexEndianTag, "wrong endian tag %#x", u32(dexEndianTag))
	}
	if version >= dexContainerFormat {
		if h, err = d.bytes(d.start, dexHeaderSize41); err != nil {
			return 0, err
		}
		if u32(dexHeaderOffset) != d.start {
			return 0, d.fail(d.start+dexHeaderOffset, "the header states offset %d", u32(dexHeaderOffset))
		}
		if next = u32(dexFileSize); next < dexHeaderSize41 {
			return 0, d.fail(d.start+dexFileSize, "file size %d is less than a header", next)
		}
	}
	d.strings.size, d.strings.offset = u32(dexStrings), u32(dexStrings+4)
	d.types.size, d.types.offset = u32(dexTypes), u32(dexTypes+4)
	if d.types.size > dexMaxTypes {
		return 0, d.fail(d.start+dexTypes, "%d types exceed the limit of %d", d.types.size, dexMaxTypes)
	}
	return next, nil
}

// dexVersion returns the version in a dex magic number.
func dexVersion(h []byte) (version int, ok bool) {
	if len(h) < 8 || !bytes.HasPrefix(h, []byte("dex\n0")) || h[7] != 0 ||
		h[5] < '0' || h[5] > '9' || h[6] < '0' || h[6] > '9' {
		return 0, false
	}
	version = int(h[5]-'0')*10 + int(h[6]-'0')
	return version, version >= 35 && version <= dexContainerFormat
}

func (d *dexReader) classes(yield func(Class) error) error {
	h := d.data[d.start:]
	count := int(binary.LittleEndian.Uint32(h[dexClasses:]))
	offset := int(binary.LittleEndian.Uint32(h[dexClasses+4:]))
	if count > d.types.size {
		return d.fail(d.start+dexClasses, "%d classes, but %d types", count, d.types.size)
	}
	for range count {
		def, err := d.bytes(offset, dexClassDefSize)
		if err != nil {
			return err
		}
		var class Class
		if class.Name, err = d.typeName(offset, binary.LittleEndian.Uint32(def)); err != nil {
			return err
		}
		if super := binary.LittleEndian.Uint32(def[8:]); super != dexNoIndex {
			if class.Super, err = d.typeName(offset+8, super); err != nil {
				return err
			}
		}
		if list := int(binary.LittleEndian.Uint32(def[12:])); list != 0 {
			if class.Interfaces, err = d.typeList(list); err != nil {
				return err
			}
		}
		if err := yield(class); err != nil {
			return err
		}
		offset += dexClassDefSize
	}
	return nil
}

func (d *dexReader) typeList(offset int) ([]string, error) {
	head, err := d.bytes(offset, 4)
	if err != nil {
		return nil, err
	}
	size := int(binary.LittleEndian.Uint32(head))
	if d.interfaces += size; size > maxName || d.interfaces > dexMaxInterfaces {
		return nil, d.fail(offset, "a list of %d interfaces is beyond the limit of %d in a class and %d in a file", size, maxName, dexMaxInterfaces)
	}
	items, err := d.bytes(offset+4, 2*size)
	if err != nil {
		return nil, err
	}
	names := make([]string, size)
	for i := range names {
		if names[i], err = d.typeName(offset+4+2*i, uint32(binary.LittleEndian.Uint16(items[2*i:]))); err != nil {
			return nil, err
		}
	}
	return names, nil
}

var errOverlap = errors.New("the file's names overlap: they add up to more than the file")

// typeName returns the class with a type index. at is the offset of the index, for errors.
func (d *dexReader) typeName(at int, index uint32) (string, error) {
	if int(index) >= d.types.size {
		return "", d.fail(at, "type index %d is out of range: the file has %d types", index, d.types.size)
	}
	item, err := d.bytes(d.types.offset+4*int(index), 4)
	if err != nil {
		return "", err
	}
	text := int(binary.LittleEndian.Uint32(item))
	if text >= d.strings.size {
		return "", d.fail(d.types.offset+4*int(index), "string index %d is out of range: the file has %d strings", text, d.strings.size)
	}
	if item, err = d.bytes(d.strings.offset+4*text, 4); err != nil {
		return "", err
	}
	offset := int(binary.LittleEndian.Uint32(item))
	if offset > len(d.data) {
		return "", d.fail(d.strings.offset+4*text, "string %d is past the end of the file", text)
	}
	if name, ok := d.names[offset]; ok {
		return name, nil
	}
	rest := d.data[offset:]
	_, n := binary.Uvarint(rest) // the length in UTF-16 units; the text ends at its NUL
	if n <= 0 {
		return "", d.fail(offset, "string %d has no length", text)
	}
	rest = rest[n:]
	end := bytes.IndexByte(rest[:min(len(rest), maxName+3)], 0)
	if end < 0 {
		return "", d.fail(offset, "string %d has no end within %d bytes", text, maxName)
	}
	if d.nameBytes -= end; d.nameBytes < 0 {
		return "", d.fail(offset, "%w", errOverlap)
	}
	descriptor, err := decodeMUTF8(rest[:end])
	if err != nil {
		return "", d.fail(offset, "%w", err)
	}
	if len(descriptor) < 3 || descriptor[0] != 'L' || descriptor[len(descriptor)-1] != ';' {
		return "", d.fail(offset, "%w: descriptor %.80q", errClassName, descriptor)
	}
	name, err := binaryName(descriptor[1 : len(descriptor)-1])
	if err != nil {
		return "", d.fail(offset, "%w: descriptor %.80q", err, descriptor)
	}
	d.names[offset] = name
	return name, nil
}
