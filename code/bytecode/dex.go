package bytecode

import (
	"path"

	"github.com/diffprof/diffprof/code/dex"
	"github.com/diffprof/diffprof/name"
)

// IsDex reports whether head is the start of a DEX file.
func IsDex(head []byte) bool {
	_, ok := dex.Version(head)
	return ok
}

// ParseDex reads the classes of a DEX file that the function wants selects. D8 keeps the line
// numbers of class files. R8 changes them, so ParseDex returns no classes for a file that R8 wrote.
func ParseDex(data []byte, wants func(class string) bool) ([]*Class, error) {
	files, err := dex.Parse(data)
	var classes []*Class
	for _, f := range files {
		found, err := readDex(f, wants)
		if err != nil {
			return nil, err
		}
		classes = append(classes, found...)
	}
	return classes, err
}

// A dexReader reads the classes of a DEX file.
type dexReader struct {
	*dex.File
	callees    map[uint32]name.Method
	signatures map[uint16]string
	codes      map[int]Method // The code read so far, by offset. Methods may share code.
}

func readDex(f *dex.File, wants func(class string) bool) ([]*Class, error) {
	if f.Shrunk() {
		return nil, nil
	}
	var wanted []int
	for i := range f.Classes {
		if wants(dex.ClassName(f.Descriptor(f.Classes[i].Type))) {
			wanted = append(wanted, i)
		}
	}
	if len(wanted) == 0 {
		return nil, nil
	}
	members, err := f.Members()
	if err != nil {
		return nil, err
	}
	r := &dexReader{f, make(map[uint32]name.Method), make(map[uint16]string), make(map[int]Method)}
	var classes []*Class
	for _, i := range wanted {
		class, err := r.class(&f.Classes[i], &members[i])
		if err != nil {
			return nil, err
		}
		classes = append(classes, class)
	}
	return classes, nil
}

// class reads one class.
func (r *dexReader) class(c *dex.Class, members *dex.Members) (*Class, error) {
	out := &Class{Name: dex.ClassName(r.Descriptor(c.Type)), Declares: make(map[string]bool)}
	if c.Super != dex.NoIndex {
		out.Super = dex.ClassName(r.Descriptor(c.Super))
	}
	interfaces, err := r.TypeList(c.Interfaces)
	if err != nil {
		return nil, err
	}
	for _, i := range interfaces {
		out.Interfaces = append(out.Interfaces, dex.ClassName(r.Descriptor(uint32(i))))
	}
	var lines *lineMap
	if c.SourceFile != dex.NoIndex {
		out.File = dex.Readable(r.Strings[c.SourceFile])
		if path.Ext(out.File) == ".kt" {
			extension, err := r.LineMap(c)
			if err != nil {
				return nil, err
			}
			if extension != "" {
				lines = parseLineMap(extension, out.Name)
			}
		}
	}
	for _, methods := range [][]dex.Method{members.Direct, members.Virtual} {
		for _, d := range methods {
			m := Method{Method: r.method(d.Index)}
			out.Declares[m.Name+m.Signature] = true
			if d.Code == 0 {
				continue
			}
			body, err := r.code(d.Code, lines)
			if err != nil {
				return nil, err
			}
			m.First, m.Last, m.Line, m.Calls = body.First, body.Last, body.Line, body.Calls
			m.Bridge, m.Synthetic, m.File = d.Access&dex.AccBridge != 0, d.Access&dex.AccSynthetic != 0, out.File
			out.Methods = append(out.Methods, m)
		}
	}
	return out, nil
}

// method returns the method with the given index.
func (r *dexReader) method(index uint32) name.Method {
	if m, ok := r.callees[index]; ok {
		return m
	}
	id := r.Methods[index]
	signature, ok := r.signatures[id.Proto]
	if !ok {
		signature = dex.Readable(r.Signature(id.Proto))
		r.signatures[id.Proto] = signature
	}
	m := name.OfClass(dex.ClassName(r.Descriptor(uint32(id.Class))), dex.Readable(r.Strings[id.Name]), signature)
	r.callees[index] = m
	return m
}

// code reads the calls and lines of a method's code.
func (r *dexReader) code(offset int, lines *lineMap) (Method, error) {
	if m, ok := r.codes[offset]; ok && lines == nil {
		return m, nil
	}
	var m Method
	code, err := r.Code(offset)
	if err != nil {
		return m, err
	}
	positions, err := r.Lines(code)
	if err != nil {
		return m, err
	}
	m.Line, _ = dex.LineAt(positions, 0)
	for _, p := range positions {
		line, from := lines.origin(p.Line)
		if from != own || line == 0 || p.File != dex.NoIndex {
			continue
		}
		if m.First == 0 || line < m.First {
			m.First = line
		}
		m.Last = max(m.Last, line)
	}
	err = r.Instructions(code, func(in *dex.Instruction) error {
		if in.Op.Index() != dex.IndexMethod {
			return nil
		}
		call := Call{Callee: r.method(in.Index)}
		if line, file := dex.LineAt(positions, in.Address); line > 0 && file == dex.NoIndex {
			var from origin
			call.Line, from = lines.origin(line)
			call.Inlined = from != own
		}
		m.Calls = append(m.Calls, call)
		return nil
	})
	if lines == nil {
		r.codes[offset] = m
	}
	return m, err
}
