package bytecode

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"github.com/diffprof/diffprof/name"
)

// Access flags of methods.
const accBridge, accSynthetic = 0x0040, 0x1000

// Tags of the constant pool.
const (
	tagText, tagLong, tagDouble      = 1, 5, 6
	tagClass, tagMethod, tagInterfac = 7, 10, 11
	tagNameAndType                   = 12
)

// constantSize has the size of each kind of constant, in bytes without the tag. For a Utf8
// constant, it is only the size of the length field. The string follows.
var constantSize = [...]int{tagText: 2, 3: 4, 4: 4, tagLong: 8, tagDouble: 8, tagClass: 2, 8: 2,
	9: 4, tagMethod: 4, tagInterfac: 4, tagNameAndType: 4, 15: 3, 16: 2, 17: 4, 18: 4, 19: 2, 20: 2}

var errShort = errors.New("the class file ends too early")

// A reader reads big-endian numbers. After the end of its data, it returns 0 and sets short.
type reader struct {
	data  []byte
	at    int
	short bool
}

func (r *reader) take(n int) []byte {
	if n < 0 || n > len(r.data)-r.at {
		r.short, r.at = true, len(r.data)
		return nil
	}
	r.at += n
	return r.data[r.at-n : r.at]
}

func (r *reader) u2() int {
	if b := r.take(2); b != nil {
		return int(binary.BigEndian.Uint16(b))
	}
	return 0
}

func (r *reader) u4() int {
	if b := r.take(4); b != nil {
		return int(binary.BigEndian.Uint32(b))
	}
	return 0
}

// A pool is the constant pool of a class. Each constant begins with its tag.
type pool struct {
	data []byte
	at   []int
	// texts and methods cache decoded constants, because many instructions refer to the same
	// constant.
	texts   map[int]string
	methods map[int]name.Method
}

func (p *pool) entry(i int, tags ...byte) []byte {
	if i <= 0 || i >= len(p.at) || p.at[i] == 0 {
		return nil
	}
	body := p.data[p.at[i]:]
	for _, tag := range tags {
		if body[0] == tag {
			return body[1:]
		}
	}
	return nil
}

func (p *pool) number(i, offset int, tags ...byte) int {
	if body := p.entry(i, tags...); body != nil {
		return int(binary.BigEndian.Uint16(body[offset:]))
	}
	return 0
}

func (p *pool) text(i int) string {
	text, ok := p.texts[i]
	if !ok {
		if body := p.entry(i, tagText); body != nil {
			text = string(body[2 : 2+binary.BigEndian.Uint16(body)])
		}
		p.texts[i] = text
	}
	return text
}

func (p *pool) class(i int) string {
	return strings.ReplaceAll(p.text(p.number(i, 0, tagClass)), "/", ".")
}

// method returns the method that an instruction invokes.
func (p *pool) method(i int) name.Method {
	if m, ok := p.methods[i]; ok {
		return m
	}
	owner := p.class(p.number(i, 0, tagMethod, tagInterfac))
	nameAndType := p.number(i, 2, tagMethod, tagInterfac)
	m := name.OfClass(owner, p.text(p.number(nameAndType, 0, tagNameAndType)), p.text(p.number(nameAndType, 2, tagNameAndType)))
	p.methods[i] = m
	return m
}

// Parse reads a class file.
func Parse(data []byte) (*Class, error) {
	r := &reader{data: data}
	if r.u4() != 0xCAFEBABE {
		return nil, errors.New("not a class file")
	}
	r.take(4)
	p := &pool{data: data, at: make([]int, r.u2()), texts: make(map[int]string), methods: make(map[int]name.Method)}
	for i := 1; i < len(p.at) && !r.short; i++ {
		p.at[i] = r.at
		tag := r.take(1)
		if tag == nil || int(tag[0]) >= len(constantSize) || constantSize[tag[0]] == 0 {
			return nil, fmt.Errorf("constant %d has an unknown kind", i)
		}
		body := r.take(constantSize[tag[0]])
		switch {
		case tag[0] == tagText && body != nil:
			r.take(int(binary.BigEndian.Uint16(body)))
		case tag[0] == tagLong || tag[0] == tagDouble:
			i++ // Such a constant takes two indices.
		}
	}
	if r.short {
		return nil, errShort
	}
	r.take(2)
	c := &Class{Name: p.class(r.u2()), Super: p.class(r.u2()), Declares: map[string]bool{}}
	for range r.u2() {
		c.Interfaces = append(c.Interfaces, p.class(r.u2()))
	}
	for range r.u2() { // fields
		r.take(6)
		r.attributes(p, func(string, *reader) {})
	}
	bodies := map[int][]byte{}
	for range r.u2() {
		flags := r.u2()
		m := Method{Method: name.OfClass(c.Name, p.text(r.u2()), p.text(r.u2()))}
		c.Declares[m.Name+m.Signature] = true
		m.Bridge, m.Synthetic = flags&accBridge != 0, flags&accSynthetic != 0
		r.attributes(p, func(kind string, body *reader) {
			if kind == "Code" {
				bodies[len(c.Methods)] = body.data
			}
		})
		if bodies[len(c.Methods)] != nil {
			c.Methods = append(c.Methods, m)
		}
	}
	var lines *lineMap
	r.attributes(p, func(kind string, body *reader) {
		switch kind {
		case "SourceFile":
			c.File = p.text(body.u2())
		case "SourceDebugExtension":
			lines = parseLineMap(string(body.data), c.Name)
		}
	})
	if r.short {
		return nil, errShort
	}
	for i := range c.Methods {
		if err := c.Methods[i].read(p, &reader{data: bodies[i]}, lines); err != nil {
			return nil, fmt.Errorf("%s: %w", c.Methods[i].Label(), err)
		}
		c.Methods[i].File = c.File
	}
	return c, nil
}

// attributes calls the function read for each attribute, with its name and its content.
func (r *reader) attributes(p *pool, read func(kind string, body *reader)) {
	for range r.u2() {
		kind := p.text(r.u2())
		read(kind, &reader{data: r.take(r.u4())})
	}
}
