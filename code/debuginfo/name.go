package debuginfo

import (
	"bytes"
	"debug/dwarf"
	"debug/elf"
)

// attrMIPSLinkageName is the attribute that older compilers use for the symbol of a function.
const attrMIPSLinkageName dwarf.Attr = 0x2007

// maxOrigins is the maximum length of the chain from an inlined function to its declaration.
const maxOrigins = 8

// name returns the symbol of a function, such as _ZN1a1bEv, or else its name in the source. e is an
// entry of data. It may refer to entries of the shared file, which is nil if there is none.
func name(data *dwarf.Data, shared *common, e *dwarf.Entry, depth int) string {
	for _, a := range []dwarf.Attr{dwarf.AttrLinkageName, attrMIPSLinkageName} {
		if s := text(e, a, shared); s != "" {
			return s
		}
	}
	plain := text(e, dwarf.AttrName, shared)
	if depth >= maxOrigins {
		return plain
	}
	for _, a := range []dwarf.Attr{dwarf.AttrAbstractOrigin, dwarf.AttrSpecification} {
		f := e.AttrField(a)
		if f == nil {
			continue
		}
		from, at := data, dwarf.Offset(0)
		switch v := f.Val.(type) {
		case dwarf.Offset:
			at = v
		case int64:
			if f.Class != dwarf.ClassReferenceAlt || shared == nil {
				continue
			}
			from, at = shared.data, dwarf.Offset(v)
		default:
			continue
		}
		r := from.Reader()
		r.Seek(at)
		origin, err := r.Next()
		if err != nil || origin == nil {
			continue
		}
		next := shared
		if shared != nil && from == shared.data {
			next = nil
		}
		if s := name(from, next, origin, depth+1); s != "" {
			return s
		}
	}
	return plain
}

// text returns the string value of an attribute, or "".
func text(e *dwarf.Entry, a dwarf.Attr, shared *common) string {
	f := e.AttrField(a)
	if f == nil {
		return ""
	}
	switch v := f.Val.(type) {
	case string:
		return v
	case int64:
		if f.Class == dwarf.ClassStringAlt && shared != nil && v >= 0 && v < int64(len(shared.text)) {
			s, _, _ := bytes.Cut(shared.text[v:], []byte{0})
			return string(s)
		}
	}
	return ""
}

// A common is a file with debug information that several programs share. The tool dwz makes it.
type common struct {
	data *dwarf.Data
	text []byte
}

func readCommon(file *elf.File) (*common, error) {
	data, err := read(file)
	if err != nil {
		return nil, err
	}
	c := &common{data: data}
	if s := file.Section(".debug_str"); s != nil {
		if c.text, err = s.Data(); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// Common returns the name and the build ID of the file with which a program shares debug
// information. The tool dwz makes such files. The name is empty if there is none.
func Common(file *elf.File) (name string, buildID []byte) {
	s := file.Section(".gnu_debugaltlink")
	if s == nil {
		return "", nil
	}
	b, err := s.Data()
	if err != nil {
		return "", nil
	}
	text, id, _ := bytes.Cut(b, []byte{0})
	return string(text), id
}
