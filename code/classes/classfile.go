package classes

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/diffprof/diffprof/code/dex"
	"github.com/diffprof/diffprof/internal/syntax"
)

const (
	classMagic = 0xCAFEBABE
	// accModule marks a module descriptor: a class file that defines no class.
	accModule = 0x8000
)

// Tags of the constant pool. constantSize has the number of bytes after the tag of each kind of
// entry. For a Utf8 entry, these bytes are the length of the string that follows. Long and Double
// take two indices of the pool.
const (
	tagUTF8, tagLong, tagDouble, tagClass = 1, 5, 6, 7
)

var constantSize = [...]int{
	tagUTF8: 2, 3: 4, 4: 4, tagLong: 8, tagDouble: 8, tagClass: 2, 8: 2,
	9: 4, 10: 4, 11: 4, 12: 4, 15: 3, 16: 2, 17: 4, 18: 4, 19: 2, 20: 2,
}

// A byteReader reads big-endian numbers from data. A number past the end is 0 and sets
// err.
type byteReader struct {
	data   []byte
	offset int
	err    error
}

var errShort = errors.New("the file ends too early")

func (r *byteReader) take(n int) []byte {
	if r.err != nil || n > len(r.data)-r.offset {
		if r.err == nil {
			r.err = errShort
		}
		return nil
	}
	taken := r.data[r.offset : r.offset+n]
	r.offset += n
	return taken
}

func (r *byteReader) u16() int {
	if b := r.take(2); b != nil {
		return int(binary.BigEndian.Uint16(b))
	}
	return 0
}

// readClassFile reads the name, the superclass and the interfaces at the start of a class file. For
// a module descriptor, the name is empty.
func readClassFile(file string, data []byte) (Class, error) {
	r := byteReader{data: data}
	fail := func(offset int, err error) (Class, error) {
		return Class{}, &syntax.Error{File: file, Offset: int64(offset), Err: err}
	}
	r.take(8) // the magic number, which the caller checked, and the version

	// constants has the offset of each constant. It is 0 for unused indices: index 0, and the
	// second index of a Long or Double.
	count := r.u16()
	constants := make([]int, count)
	for i := 1; i < count; i++ {
		start := r.offset
		tag := r.take(1)
		if r.err != nil {
			return fail(start, r.err)
		}
		if int(tag[0]) >= len(constantSize) || constantSize[tag[0]] == 0 {
			return fail(start, fmt.Errorf("constant %d has unknown tag %d", i, tag[0]))
		}
		constants[i] = start
		body := r.take(constantSize[tag[0]])
		if body != nil && tag[0] == tagUTF8 {
			r.take(int(binary.BigEndian.Uint16(body)))
		}
		if r.err != nil {
			return fail(start, r.err)
		}
		if tag[0] == tagLong || tag[0] == tagDouble {
			i++
		}
	}

	// Many interfaces may refer to the same string, so each string is decoded only once.
	decoded := make(map[int]string)
	constant := func(i int, tag byte) (body []byte, err error) {
		if i >= count || constants[i] == 0 || data[constants[i]] != tag {
			return nil, fmt.Errorf("constant %d does not have tag %d", i, tag)
		}
		return data[constants[i]+1:], nil
	}
	className := func(i int) (string, error) {
		body, err := constant(i, tagClass)
		if err != nil {
			return "", err
		}
		at := int(binary.BigEndian.Uint16(body))
		if name, ok := decoded[at]; ok {
			return name, nil
		}
		if body, err = constant(at, tagUTF8); err != nil {
			return "", err
		}
		text, err := dex.Text(string(body[2 : 2+int(binary.BigEndian.Uint16(body))]))
		if err != nil {
			return "", err
		}
		name, err := binaryName(text)
		decoded[at] = name
		return name, err
	}

	start := r.offset
	flags, this, super, interfaces := r.u16(), r.u16(), r.u16(), r.u16()
	if r.err != nil {
		return fail(start, r.err)
	}
	if flags&accModule != 0 {
		return Class{}, nil
	}
	var class Class
	var err error
	if class.Name, err = className(this); err != nil {
		return fail(start+2, err)
	}
	if super != 0 { // Only java.lang.Object has no superclass.
		if class.Super, err = className(super); err != nil {
			return fail(start+4, err)
		}
	}
	for range interfaces {
		at := r.offset
		i := r.u16()
		if r.err != nil {
			return fail(at, r.err)
		}
		name, err := className(i)
		if err != nil {
			return fail(at, err)
		}
		class.Interfaces = append(class.Interfaces, name)
	}
	return class, nil
}
