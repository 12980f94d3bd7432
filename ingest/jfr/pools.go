package jfr

import (
	"errors"
	"fmt"
	"strings"

	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
)

// pools has the constants of a chunk, by their numbers. Texts are stored unresolved, because they
// may refer to constants that come later.
type pools struct {
	classes
	strings map[int64]text // java.lang.String and jdk.types.Symbol are numbered separately.
	symbols map[int64]text
	types   map[int64]named // types has the classes.
	methods map[int64]method
	states  map[int64]text
	threads map[int64]thread
	groups  map[int64]text // groups has the names of thread groups.
	stacks  map[int64]stack
	// frames has the frames of all stacks. Each stack has the innermost frame first.
	frames []frame
}

// A named is a name, as a text or as the number of a symbol.
type named struct {
	text   text
	symbol int64
}

type method struct {
	class            int64
	name, descriptor named
}

type thread struct {
	osName, javaName text
	osID, javaID     int64
	group            int64
}

// A stack is frames[from:to].
type stack struct{ from, to int }

type frame struct {
	method int64
	line   int32
}

func newPools(cs classes) *pools {
	return &pools{
		classes: cs,
		strings: make(map[int64]text), symbols: make(map[int64]text), types: make(map[int64]named),
		methods: make(map[int64]method), states: make(map[int64]text),
		threads: make(map[int64]thread), groups: make(map[int64]text), stacks: make(map[int64]stack),
	}
}

// read reads the pools of a chunk, from the last checkpoint back to the first. The parameter at is
// the offset of the last checkpoint.
func (p *pools) read(c *cursor, chunk, at int64) error {
	for {
		c.seek(at)
		var head [5]int64 // head is the size, the type, the start, the duration, and the distance to the previous checkpoint.
		for i := range head {
			n, err := c.number()
			if err != nil {
				return err
			}
			head[i] = n
		}
		if _, err := c.byte(); err != nil { // This byte is the kind of the checkpoint.
			return err
		}
		n, err := c.count()
		if err != nil {
			return err
		}
		for range n {
			if err := p.pool(c); err != nil {
				return err
			}
		}
		delta := head[4]
		switch {
		case delta == 0:
			return nil
		case delta > 0 || at+delta < chunk:
			return fmt.Errorf("the checkpoint at %d refers to an invalid one at %d", at, at+delta)
		}
		at += delta
	}
}

// pool reads the constants of a class.
func (p *pools) pool(c *cursor) error {
	id, err := c.number()
	if err != nil {
		return err
	}
	n, err := c.count()
	if err != nil {
		return err
	}
	cl := p.classes[id]
	if cl == nil {
		return fmt.Errorf("the class %d of a constant pool is not in the metadata", id)
	}
	for range n {
		number, err := c.number()
		if err == nil {
			err = p.constant(c, cl, number)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// constant reads a constant.
func (p *pools) constant(c *cursor, cl *class, number int64) error {
	switch cl.name {
	case "java.lang.String":
		t, err := c.text()
		p.strings[number] = t
		return err
	case "jdk.types.Symbol":
		return keep(p, c, cl, p.symbols, number, setText)
	case "jdk.types.ThreadState":
		return keep(p, c, cl, p.states, number, setText)
	case "java.lang.Class":
		return keep(p, c, cl, p.types, number, (*named).set)
	case "jdk.types.Method":
		return keep(p, c, cl, p.methods, number, (*method).set)
	case "java.lang.Thread":
		return keep(p, c, cl, p.threads, number, (*thread).set)
	case "jdk.types.ThreadGroup":
		return keep(p, c, cl, p.groups, number, func(v *text, f *field, _ int64, t text) {
			if f.name == "name" {
				*v = t
			}
		})
	case "jdk.types.StackTrace":
		return p.stack(c, cl, number)
	}
	return p.object(c, cl, nil, nil, 0)
}

// keep reads a constant of type T into a pool. It calls set for each field.
func keep[T any](p *pools, c *cursor, cl *class, into map[int64]T, number int64, set func(v *T, f *field, n int64, t text)) error {
	var v T
	err := p.object(c, cl, func(f *field, n int64, t text) { set(&v, f, n, t) }, nil, 0)
	into[number] = v
	return err
}

func setText(v *text, _ *field, _ int64, t text) { *v = t }

func (v *named) set(f *field, n int64, t text) {
	if f.name == "name" {
		*v = named{t, n}
	}
}

func (m *method) set(f *field, n int64, t text) {
	switch f.name {
	case "type":
		m.class = n
	case "name":
		m.name = named{t, n}
	case "descriptor":
		m.descriptor = named{t, n}
	}
}

func (th *thread) set(f *field, n int64, t text) {
	switch f.name {
	case "osName":
		th.osName = t
	case "javaName":
		th.javaName = t
	case "osThreadId":
		th.osID = n
	case "javaThreadId":
		th.javaID = n
	case "group":
		th.group = n
	}
}

// stack reads a stack.
func (p *pools) stack(c *cursor, cl *class, number int64) error {
	s := stack{from: len(p.frames)}
	err := p.object(c, cl, nil, func(f *field, typed *class, n int) (bool, error) {
		if f.name != "frames" || typed == nil {
			return false, nil
		}
		if len(typed.fields) == 0 {
			return false, errors.New("frames have no fields")
		}
		for range n {
			var at frame
			err := p.object(c, typed, func(f *field, n int64, _ text) {
				switch f.name {
				case "method":
					at.method = n
				case "lineNumber":
					at.line = int32(min(max(n, 0), 1<<31-1))
				}
			}, nil, 1)
			if err != nil {
				return true, err
			}
			p.frames = append(p.frames, at)
		}
		return true, nil
	}, 0)
	s.to = len(p.frames)
	p.stacks[number] = s
	return err
}

// string returns the content of a text.
func (p *pools) string(t text) string {
	if !t.isRef {
		return t.string
	}
	return p.strings[t.pooled].string
}

// nameOf returns the text of a name.
func (p *pools) nameOf(n named) string {
	if n.symbol != 0 {
		return p.string(p.symbols[n.symbol])
	}
	return p.string(n.text)
}

// method returns the method of a frame. A frame of native code has a library instead of a class.
func (p *pools) method(f frame) name.Method {
	m := p.methods[f.method]
	class, method, descriptor := p.nameOf(p.types[m.class]), p.nameOf(m.name), p.nameOf(m.descriptor)
	// Java's native methods have descriptors. For other native code, async-profiler writes an empty
	// descriptor.
	if class == "" || descriptor == "()L;" || !strings.HasPrefix(descriptor, "(") {
		return native(class, method)
	}
	return name.OfClass(strings.ReplaceAll(class, "/", "."), method, descriptor)
}

// native returns the method of native code.
func native(library, symbol string) name.Method {
	if symbol == "" {
		symbol = "unknown"
	}
	if library != "" {
		symbol = library + "`" + symbol
	}
	return name.Parse(symbol, name.Unknown)
}

// threadOf returns a thread of the recording.
func (p *pools) threadOf(id int64) trace.Thread {
	t := p.threads[id]
	out := trace.Thread{ID: t.osID, Name: p.string(t.javaName)}
	if out.Name == "" {
		out.Name = p.string(t.osName)
	}
	if out.ID == 0 {
		out.ID = t.javaID
	}
	return out
}

// isSystem reports whether a thread is in the JVM's thread group "system".
func (p *pools) isSystem(id int64) bool { return p.string(p.groups[p.threads[id].group]) == "system" }
