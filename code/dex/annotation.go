package dex

import "strings"

// The kinds of encoded values that are not plain numbers.
const (
	valueString     = 0x17
	valueArray      = 0x1c
	valueAnnotation = 0x1d
	valueNull       = 0x1e
	valueBoolean    = 0x1f
)

// maxNesting is the maximum depth of nested arrays and annotations. Compilers need less than ten.
const maxNesting = 64

// value reads an encoded value. It returns the value's kind and number. The number of a string,
// type or member is its index.
func (c *cursor) value(depth int) (kind byte, number uint64) {
	at := c.pos
	head := c.byte()
	kind, size := head&0x1f, int(head>>5)+1
	switch kind {
	case valueNull, valueBoolean:
		return kind, uint64(head >> 5)
	case valueArray, valueAnnotation:
		if depth == 0 {
			if c.err == nil {
				c.err = c.f.fail(at, "values nest more than %d levels deep", maxNesting)
			}
			return kind, 0
		}
		if kind == valueArray {
			for n := c.uleb(); n > 0 && c.err == nil; n-- {
				c.value(depth - 1)
			}
		} else {
			c.annotation(depth-1, func(uint32, byte, uint64) {})
		}
		return kind, 0
	}
	for i := range size {
		number |= uint64(c.byte()) << (8 * i)
	}
	return kind, number
}

// annotation reads an annotation and calls element for each of its elements. The name is a string
// index. The kind and number are the same as for value.
func (c *cursor) annotation(depth int, element func(name uint32, kind byte, number uint64)) (typ uint32) {
	typ = c.uleb()
	for n := c.uleb(); n > 0 && c.err == nil; n-- {
		name := c.uleb()
		kind, number := c.value(depth)
		element(name, kind, number)
	}
	return typ
}

// LineMap returns the source debug extension of a class. In it, kotlinc maps the lines of inlined
// code to their origins. It is empty for classes without an extension.
func (f *File) LineMap(class *Class) (string, error) {
	if class.Annotations == 0 {
		return "", nil
	}
	directory, err := f.at(int(class.Annotations), 16)
	if err != nil {
		return "", err
	}
	set := int(u32(directory))
	if set == 0 {
		return "", nil
	}
	head, err := f.at(set, 4)
	if err != nil {
		return "", err
	}
	n := int(u32(head))
	if n > 1<<10 {
		return "", f.fail(set, "a class with %d annotations exceeds the limit of %d", n, 1<<10)
	}
	items, err := f.at(set+4, 4*n)
	if err != nil {
		return "", err
	}
	for i := range n {
		item := int(u32(items[4*i:]))
		c := &cursor{f: f, pos: item + 1} // Skip the visibility byte.
		typ := c.uleb()
		if c.err != nil {
			return "", c.err
		}
		if err := f.check(item+1, typ, len(f.Types), "type"); err != nil {
			return "", err
		}
		if f.Descriptor(typ) != "Ldalvik/annotation/SourceDebugExtension;" {
			continue
		}
		c.pos = item + 1
		text, found := uint32(0), false
		c.annotation(maxNesting, func(_ uint32, kind byte, number uint64) {
			if kind == valueString {
				text, found = uint32(number), true
			}
		})
		if c.err != nil || !found {
			return "", c.err
		}
		if err := f.check(item, text, len(f.Strings), "string"); err != nil {
			return "", err
		}
		return Text(f.Strings[text])
	}
	return "", nil
}

// Shrunk reports whether R8 wrote the file. R8 changes lines, inlines methods and renames.
func (f *File) Shrunk() bool {
	for _, s := range f.Strings {
		if len(s) > 5 && s[:5] == "~~R8{" && strings.Contains(s, `"backend":"dex"`) {
			return true
		}
	}
	return false
}
