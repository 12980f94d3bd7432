package dex

// Members has the fields and methods that a class defines, in the order of the file.
type Members struct {
	Static, Instance []Field
	Direct, Virtual  []Method
}

// A Field is the definition of a field.
type Field struct {
	Index  uint32 // Index into File.Fields.
	Access uint32
	// Hidden has the hidden-API flags of Android. Apps have none.
	Hidden uint32
}

// A Method is the definition of a method.
type Method struct {
	Index  uint32 // Index into File.Methods.
	Access uint32
	Code   int    // Offset of the code, or 0 if the method is abstract or native.
	Hidden uint32 // See Field.Hidden.
}

// Access flags of methods.
const (
	AccStatic       = 0x0008
	AccSynchronized = 0x0020
	AccBridge       = 0x0040
	AccNative       = 0x0100
	AccAbstract     = 0x0400
	AccSynthetic    = 0x1000
	AccConstructor  = 0x10000
)

// A cursor reads variable-length numbers. After the end of the data, it returns 0 and sets err.
type cursor struct {
	f   *File
	pos int
	err error
}

func (c *cursor) byte() byte {
	if c.err != nil {
		return 0
	}
	if c.pos < 0 || c.pos >= len(c.f.data) {
		c.err = c.f.fail(c.pos, "%w", errShort)
		return 0
	}
	c.pos++
	return c.f.data[c.pos-1]
}

// uleb reads an unsigned number of at most 32 bits.
func (c *cursor) uleb() uint32 {
	start := c.pos
	var n uint32
	for shift := 0; shift < 35; shift += 7 {
		b := c.byte()
		n |= uint32(b&0x7f) << shift
		if b < 0x80 {
			return n
		}
	}
	if c.err == nil {
		c.err = c.f.fail(start, "a number has more than 5 bytes")
	}
	return 0
}

// uleb1 reads a number that is stored plus one. NoIndex is stored as 0.
func (c *cursor) uleb1() uint32 { return c.uleb() - 1 }

// sleb reads a signed number of at most 32 bits.
func (c *cursor) sleb() int32 {
	start := c.pos
	var n uint32
	for shift := 0; shift < 35; shift += 7 {
		b := c.byte()
		n |= uint32(b&0x7f) << shift
		if b < 0x80 {
			if shift < 25 && b&0x40 != 0 {
				n |= ^uint32(0) << (shift + 7)
			}
			return int32(n)
		}
	}
	if c.err == nil {
		c.err = c.f.fail(start, "a number has more than 5 bytes")
	}
	return 0
}

// Members returns the fields and methods of all classes, in the order of f.Classes. It checks the
// bounds of all code.
func (f *File) Members() ([]Members, error) {
	all := make([]Members, len(f.Classes))
	read, code := 0, 0
	for i, class := range f.Classes {
		if class.Data == 0 {
			continue
		}
		c := &cursor{f: f, pos: int(class.Data)}
		m := &all[i]
		statics, instances, direct, virtual := c.uleb(), c.uleb(), c.uleb(), c.uleb()
		m.Static = c.fields(statics)
		m.Instance = c.fields(instances)
		m.Direct = c.methods(direct)
		m.Virtual = c.methods(virtual)
		if c.err != nil {
			return nil, c.err
		}
		if read += c.pos - int(class.Data); read > len(f.data) {
			return nil, f.fail(int(class.Data), "%w", errOverlap)
		}
		for _, methods := range [][]Method{m.Direct, m.Virtual} {
			for _, method := range methods {
				if method.Code == 0 {
					continue
				}
				size, err := f.codeSize(method.Code)
				if err != nil {
					return nil, err
				}
				// Compilers let equal methods share their code, but only small ones.
				if code += size; code > 16*len(f.data) {
					return nil, f.fail(method.Code, "%w", errOverlap)
				}
			}
		}
	}
	return all, f.readHidden(all)
}

// fields reads n fields of a class.
func (c *cursor) fields(n uint32) []Field {
	return members(c, n, "field", len(c.f.Fields), 2, func(index uint32) Field {
		return Field{Index: index, Access: c.uleb()}
	})
}

// methods reads n methods of a class.
func (c *cursor) methods(n uint32) []Method {
	return members(c, n, "method", len(c.f.Methods), 3, func(index uint32) Method {
		return Method{Index: index, Access: c.uleb(), Code: int(c.uleb())}
	})
}

// members reads n members of a class. Their indices are below limit and increase. Each member has
// at least size bytes. read reads the data after the index.
func members[T any](c *cursor, n uint32, what string, limit, size int, read func(index uint32) T) []T {
	if c.err != nil || int64(n) > int64(len(c.f.data)-c.pos) {
		c.fail("%d %ss", n, what)
		return nil
	}
	all := make([]T, 0, min(int(n), (len(c.f.data)-c.pos)/size))
	index := uint32(0)
	for range n {
		at := c.pos
		index += c.uleb()
		member := read(index)
		if c.err == nil {
			c.err = c.f.check(at, index, limit, what)
		}
		if c.err != nil {
			return nil
		}
		all = append(all, member)
	}
	return all
}

// fail sets the cursor's error, unless it has one.
func (c *cursor) fail(format string, args ...any) {
	if c.err == nil {
		c.err = c.f.fail(c.pos, "a class with "+format+" is longer than the file", args...)
	}
}

// readHidden reads the hidden-API flags into the members.
func (f *File) readHidden(all []Members) error {
	if f.hidden == 0 {
		return nil
	}
	offsets, err := f.at(f.hidden, 4+4*len(f.Classes))
	if err != nil {
		return err
	}
	read := 0
	for i := range all {
		offset := int(u32(offsets[4+4*i:]))
		if offset == 0 {
			continue
		}
		c := &cursor{f: f, pos: f.hidden + offset}
		m := &all[i]
		for _, fields := range [][]Field{m.Static, m.Instance} {
			for j := range fields {
				fields[j].Hidden = c.uleb()
			}
		}
		for _, methods := range [][]Method{m.Direct, m.Virtual} {
			for j := range methods {
				methods[j].Hidden = c.uleb()
			}
		}
		if c.err != nil {
			return c.err
		}
		if read += c.pos - f.hidden - offset; read > len(f.data) {
			return f.fail(f.hidden+offset, "%w", errOverlap)
		}
	}
	return nil
}
