// Package programtest makes ELF files for tests.
package programtest

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"strings"
)

// ELF returns an ELF file with the given segments, a function of 16 bytes, and a build ID unless id
// is empty.
func ELF(segments []elf.Prog64, function string, at uint64, id string) []byte {
	names := "\x00" + function + "\x00"
	symbols := []elf.Sym64{{}, {Name: 1, Info: elf.ST_INFO(elf.STB_GLOBAL, elf.STT_FUNC), Shndx: 1, Value: at, Size: 16}}
	head, segment, symbol, section := uint64(binary.Size(elf.Header64{})), uint64(binary.Size(elf.Prog64{})), uint64(elf.Sym64Size), uint64(binary.Size(elf.Section64{}))
	table := head + segment*uint64(len(segments))
	text := table + symbol*uint64(len(symbols))
	sections := []elf.Section64{
		{},
		{Type: uint32(elf.SHT_SYMTAB), Off: table, Size: text - table, Link: 2, Entsize: symbol},
		{Type: uint32(elf.SHT_STRTAB), Off: text, Size: uint64(len(names))},
	}
	var note []byte
	if id != "" {
		// Another kind of note comes first. Names and contents are padded to four bytes.
		note = append([]byte("\x04\x00\x00\x00\x02\x00\x00\x00\x01\x00\x00\x00GNU\x00ab\x00\x00"), "\x04\x00\x00\x00"+string(rune(len(id)))+"\x00\x00\x00\x03\x00\x00\x00GNU\x00"+id+strings.Repeat("\x00", -len(id)&3)...)
		sections = append(sections, elf.Section64{Type: uint32(elf.SHT_NOTE), Off: text + uint64(len(names)), Size: uint64(len(note))})
	}
	h := elf.Header64{
		Type: uint16(elf.ET_DYN), Machine: uint16(elf.EM_X86_64), Version: uint32(elf.EV_CURRENT), Phoff: head, Shoff: text + uint64(len(names)+len(note)),
		Ehsize: uint16(head), Phentsize: uint16(segment), Phnum: uint16(len(segments)), Shentsize: uint16(section), Shnum: uint16(len(sections)), Shstrndx: 2,
	}
	copy(h.Ident[:], elf.ELFMAG)
	h.Ident[elf.EI_CLASS], h.Ident[elf.EI_DATA], h.Ident[elf.EI_VERSION] = byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), byte(elf.EV_CURRENT)
	var b bytes.Buffer
	for _, part := range []any{h, segments, symbols, []byte(names), note, sections} {
		if err := binary.Write(&b, binary.LittleEndian, part); err != nil {
			panic(err) // Cannot happen: all parts have fixed sizes.
		}
	}
	return b.Bytes()
}
