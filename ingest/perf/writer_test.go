package perf_test

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"slices"

	"github.com/klauspost/compress/zstd"
)

// numbers encodes numbers of 4 or 8 bytes, and texts with a terminating zero.
func numbers(values ...any) []byte {
	var b []byte
	for _, v := range values {
		switch v := v.(type) {
		case uint32:
			b = binary.LittleEndian.AppendUint32(b, v)
		case int32:
			b = binary.LittleEndian.AppendUint32(b, uint32(v))
		case uint64:
			b = binary.LittleEndian.AppendUint64(b, v)
		case int:
			b = binary.LittleEndian.AppendUint64(b, uint64(v))
		case string:
			b = append(append(b, v...), 0)
		case []byte:
			b = append(b, v...)
		default:
			panic("neither a number nor a text")
		}
	}
	return b
}

// record encodes a record. The size field of simpleperf's own records has more bits.
func record(kind uint32, misc uint16, body []byte) []byte {
	size := uint32(len(body) + 8)
	b := binary.LittleEndian.AppendUint32(nil, kind)
	if kind > 32768 {
		misc = uint16(size >> 16)
	}
	b = binary.LittleEndian.AppendUint16(b, misc)
	b = binary.LittleEndian.AppendUint16(b, uint16(size))
	return append(b, body...)
}

// Parts of samples, and flags of attributes.
const (
	sampleIP, sampleTID, sampleTime    = 1, 2, 4
	sampleRead, sampleChain            = 16, 32
	sampleID, sampleCPU, samplePeriod  = 64, 128, 256
	sampleIdentifier                   = 1 << 16
	flagKernelOut, flagFreq, flagIDAll = 1 << 5, 1 << 10, 1 << 18
	flagClockID                        = 1 << 25
)

// An attribute is an event.
type attribute struct {
	kind               uint32
	config, period     uint64
	parts, read, flags uint64
	ids                []uint64
	name               string
}

func (a attribute) bytes() []byte {
	b := numbers(a.kind, uint32(112), a.config, a.period, a.parts, a.read, a.flags)
	b = append(b, make([]byte, 44)...)
	b = append(b, numbers(uint32(1))...) // the monotonic clock
	return append(b, make([]byte, 112-len(b))...)
}

// A file is the content of a recording.
type file struct {
	attributes []attribute
	records    [][]byte
	features   map[int][]byte
	// compressed puts all records, except those that end a round, into compressed records.
	compressed bool
}

func (f *file) add(records ...[]byte) { f.records = append(f.records, records...) }

// data returns the records.
func (f *file) data() []byte {
	if !f.compressed {
		return bytes.Join(f.records, nil)
	}
	var out, z bytes.Buffer
	w, err := zstd.NewWriter(&z)
	if err != nil {
		panic(err)
	}
	var rest []byte
	flush := func(part []byte) {
		if _, err := w.Write(part); err != nil {
			panic(err)
		}
		if err := w.Flush(); err != nil {
			panic(err)
		}
		out.Write(record(81, 0, z.Bytes()))
		z.Reset()
	}
	for i, r := range f.records {
		if binary.LittleEndian.Uint32(r) == 68 {
			flush(rest)
			rest = nil
			out.Write(r)
			continue
		}
		rest = append(rest, r...)
		if i%3 == 2 && len(rest) > 20 { // A record may be split into two pieces.
			flush(rest[:len(rest)-5])
			rest = slices.Clone(rest[len(rest)-5:])
		}
	}
	flush(rest)
	return out.Bytes()
}

// bytes encodes a file.
func (f *file) bytes() []byte {
	var ids, attributes []byte
	const header = 104
	each := 112 + 16
	at := header + each*len(f.attributes)
	for _, a := range f.attributes {
		attributes = append(attributes, a.bytes()...)
		attributes = append(attributes, numbers(at+len(ids), 8*len(a.ids))...)
		for _, id := range a.ids {
			ids = append(ids, numbers(id)...)
		}
	}
	data := f.data()
	begin := at + len(ids)
	var mask [32]byte
	var list []int
	for n := range f.features {
		mask[n/8] |= 1 << (n % 8)
		list = append(list, n)
	}
	slices.Sort(list)
	out := append([]byte("PERFILE2"), numbers(header, each, header, len(attributes), begin, len(data), 0, 0, mask[:])...)
	out = append(append(append(out, attributes...), ids...), data...)
	from := len(out) + 16*len(list)
	var sections []byte
	for _, n := range list {
		out = append(out, numbers(from+len(sections), len(f.features[n]))...)
		sections = append(sections, f.features[n]...)
	}
	return append(out, sections...)
}

// pipe encodes the output of perf record to a pipe.
func (f *file) pipe() []byte {
	out := append([]byte("PERFILE2"), numbers(16)...)
	for _, a := range f.attributes {
		body := a.bytes()
		for _, id := range a.ids {
			body = append(body, numbers(id)...)
		}
		out = append(out, record(64, 0, body)...)
	}
	for n, b := range f.features {
		out = append(out, record(80, 0, append(numbers(n), b...))...)
	}
	return append(out, f.data()...)
}

// mmap2, comm and fork encode the records of a mapping, of a thread's name and of a new thread.
func mmap2(misc uint16, pid int32, start, size, offset int, prot uint32, path string) []byte {
	return record(10, misc, numbers(pid, pid, start, size, offset, make([]byte, 24), prot, uint32(0), path))
}

func comm(misc uint16, pid, tid int32, name string) []byte {
	return record(3, misc, numbers(pid, tid, name))
}

func fork(pid, parent, tid, parentTID int32, time int) []byte {
	return record(7, 0, numbers(pid, parent, tid, parentTID, time))
}

// field writes a field of a message: a number, or bytes.
func field(number int, value any) []byte {
	switch v := value.(type) {
	case int:
		return binary.AppendUvarint(binary.AppendUvarint(nil, uint64(number)<<3), uint64(v))
	case string:
		return append(binary.AppendUvarint(binary.AppendUvarint(nil, uint64(number)<<3|2), uint64(len(v))), v...)
	case []byte:
		return field(number, string(v))
	}
	panic("no field")
}

// A function is a function in a file. object encodes a file with its functions.
type function struct {
	at, size int
	name     string
}

func object(path string, kind, address, offset int, functions ...function) []byte {
	m := slices.Concat(field(1, path), field(2, kind), field(3, address))
	for _, f := range functions {
		m = append(m, field(4, slices.Concat(field(1, f.at), field(2, f.size), field(3, f.name)))...)
	}
	switch kind {
	case 2:
		m = append(m, field(6, field(1, offset))...)
	case 1:
		m = append(m, field(7, field(1, offset))...)
	}
	return numbers(uint32(len(m)), m)
}

// oldObject is object as older versions of simpleperf write it.
func oldObject(path string, kind, address int, functions ...function) []byte {
	b := numbers(path, uint32(kind), address, uint32(len(functions)))
	for _, f := range functions {
		b = append(b, numbers(f.at, uint32(f.size), f.name)...)
	}
	if kind == 3 {
		b = append(b, numbers(uint32(1), 0)...)
	}
	return numbers(uint32(len(b)), b)
}

// program writes an ELF file with a build id and functions. Its code is at offset 0x1000 and is
// loaded at address 0x401000.
func program(buildID string, functions ...function) []byte {
	strs, symbols := "\x00", make([]byte, 24)
	for _, f := range functions {
		symbols = append(symbols, numbers(uint32(len(strs)), []byte{byte(elf.STT_FUNC), 0, 1, 0}, f.at, f.size)...)
		strs += f.name + "\x00"
	}
	const names = "\x00.symtab\x00.strtab\x00.note.gnu.build-id\x00"
	note := numbers(uint32(4), uint32(len(buildID)), uint32(3), "GNU", []byte(buildID))
	for len(note)%4 != 0 {
		note = append(note, 0)
	}
	at := 64 + 56
	var body []byte
	section := func(name, kind, link uint32, size int, b []byte) []byte {
		h := numbers(name, kind, 0, 0, at+len(body), len(b), link, uint32(0), 1, size)
		body = append(body, b...)
		return h
	}
	headers := slices.Concat(make([]byte, 64), section(1, 2, 2, 24, symbols), section(9, 3, 0, 0, []byte(strs)), section(17, 7, 0, 0, note), section(9, 3, 0, 0, []byte(names)))
	out := append([]byte("\x7fELF\x02\x01\x01"), make([]byte, 9)...)
	out = append(out, 2, 0, 62, 0)
	out = append(out, numbers(uint32(1), 0, 64, at+len(body), uint32(0))...)
	out = append(out, 64, 0, 56, 0, 1, 0, 64, 0, 5, 0, 4, 0)
	out = append(out, numbers(uint32(1), uint32(5), 0x1000, 0x401000, 0x401000, 0x1000, 0x1000, 0x1000)...)
	return append(append(out, body...), headers...)
}
