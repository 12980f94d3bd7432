package jfr

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// A class lists the fields of a type. Each chunk defines its own classes in its metadata. The
// decoder therefore depends on no version of the JVM.
type class struct {
	id     int64
	name   string
	fields []field
}

// A field is a field of a class.
type field struct {
	name  string
	class int64
	// pooled is set if a value of the field is not in the event. The event then has the number of
	// the value in a constant pool.
	pooled bool
	array  bool
}

// classes maps ids to classes.
type classes map[int64]*class

// maxDepth limits the nesting of values and elements.
const maxDepth = 64

// readMetadata reads the classes of a chunk.
func readMetadata(c *cursor) (classes, error) {
	// The metadata event starts with its size, type, start, duration and the metadata's id.
	for range 5 {
		if _, err := c.number(); err != nil {
			return nil, err
		}
	}
	n, err := c.count()
	if err != nil {
		return nil, err
	}
	m := metadata{cursor: c, classes: make(classes)}
	for range n {
		t, err := c.text()
		if err != nil {
			return nil, err
		}
		m.strings = append(m.strings, t.string)
	}
	if err := m.element(nil, 0); err != nil {
		return nil, err
	}
	return m.classes, nil
}

// metadata reads a tree of elements with attributes, like XML.
type metadata struct {
	*cursor
	strings []string
	classes classes
}

// element reads an element and its children. owner is the class that the enclosing element defines.
func (m *metadata) element(owner *class, depth int) error {
	if depth > maxDepth {
		return errors.New("the metadata is nested too deep")
	}
	name, err := m.string()
	if err != nil {
		return err
	}
	n, err := m.count()
	if err != nil {
		return err
	}
	attributes := make(map[string]string)
	for range n {
		key, err := m.string()
		if err != nil {
			return err
		}
		if attributes[key], err = m.string(); err != nil {
			return err
		}
	}
	switch name {
	case "class":
		id, err := strconv.ParseInt(attributes["id"], 10, 64)
		if err != nil {
			return fmt.Errorf("the class %.100q has the invalid id %.100q", attributes["name"], attributes["id"])
		}
		owner = &class{id: id, name: rename(attributes["name"])}
		m.classes[id] = owner
	case "field":
		id, err := strconv.ParseInt(attributes["class"], 10, 64)
		if err != nil {
			return fmt.Errorf("the field %.100q has the invalid class %.100q", attributes["name"], attributes["class"])
		}
		if owner != nil {
			owner.fields = append(owner.fields, field{
				name: attributes["name"], class: id,
				pooled: attributes["constantPool"] == "true", array: attributes["dimension"] == "1",
			})
		}
		owner = nil // Elements within a field are not fields of the class.
	}
	children, err := m.count()
	if err != nil {
		return err
	}
	for range children {
		if err := m.element(owner, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// rename returns the current name of a class. In Oracle's Java 9 and 10, packages had other names.
func rename(class string) string {
	if rest, ok := strings.CutPrefix(class, "com.oracle.jdk."); ok {
		return "jdk." + rest
	}
	if rest, ok := strings.CutPrefix(class, "com.oracle.jfr.types."); ok {
		return "jdk.types." + rest
	}
	return class
}

// string reads the index of a string and returns the string.
func (m *metadata) string() (string, error) {
	n, err := m.number()
	if err != nil {
		return "", err
	}
	if n < 0 || n >= int64(len(m.strings)) {
		return "", fmt.Errorf("the metadata refers to unknown string %d (it has %d)", n, len(m.strings))
	}
	return m.strings[n], nil
}

// A visit receives the value of a simple field: a text t or a number n. The number may be the
// number of a constant, or the bits of a float.
type visit func(f *field, n int64, t text)

// An elements function reads an array of n values of class cl. It returns false if it did not read
// the values.
type elements func(f *field, cl *class, n int) (read bool, err error)

// object reads an instance of a class, field by field.
func (cs classes) object(c *cursor, cl *class, see visit, each elements, depth int) error {
	if depth > maxDepth {
		return errors.New("a value is nested too deep")
	}
	for i := range cl.fields {
		f := &cl.fields[i]
		n := 1
		if f.array {
			var err error
			if n, err = c.count(); err != nil {
				return err
			}
			if each != nil {
				if read, err := each(f, cs[f.class], n); read || err != nil {
					if err != nil {
						return err
					}
					continue
				}
			}
		}
		for range n {
			from := c.at
			if err := cs.value(c, f, see, depth); err != nil {
				return err
			}
			if c.at == from && f.array {
				break // The elements are empty, because their class has no fields.
			}
		}
	}
	return nil
}

// value reads the value of a field, or one element of an array field.
func (cs classes) value(c *cursor, f *field, see visit, depth int) error {
	if f.array {
		see = nil
	}
	if f.pooled {
		n, err := c.number()
		if err == nil && see != nil {
			see(f, n, text{})
		}
		return err
	}
	cl := cs[f.class]
	if cl == nil {
		return fmt.Errorf("the field %.100q has the class %d, which is not in the metadata", f.name, f.class)
	}
	var n int64
	var t text
	var err error
	switch cl.name {
	case "boolean", "byte":
		var b byte
		b, err = c.byte()
		n = int64(b)
	case "char", "short", "int", "long":
		n, err = c.number()
	case "float": // The number has the bits of the float.
		var b []byte
		if b, err = c.bytes(4); err == nil {
			n = int64(binary.BigEndian.Uint32(b))
		}
	case "double":
		return c.skip(8)
	case "java.lang.String":
		t, err = c.text()
	default:
		return cs.object(c, cl, nil, nil, depth+1)
	}
	if err == nil && see != nil {
		see(f, n, t)
	}
	return err
}
