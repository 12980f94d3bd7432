package jfr_test

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A chunk is a chunk of a recording, in the layout of the JVM.
type chunk struct {
	// oracle9 writes the layout of Oracle's Java 9.
	oracle9  bool
	settings []setting
	samples  []event
	// split writes the constant pools in two checkpoints. The later checkpoint refers to the
	// earlier.
	split bool
	// latin writes texts in Latin-1, and utf16 in UTF-16. pooled writes texts as numbers of
	// constants.
	latin, utf16, pooled bool
	start                int64
	// cores is the number of cores. loads are the JVM's measurements, half a second apart. Each is
	// the fraction of the time of all cores since the previous measurement.
	cores int64
	loads []float32
	// machine is the load of the machine in each of loads. 0 means 1.
	machine float32
	// threadLoads are the starts and measurements of threads.
	threadLoads []threadLoad
}

type setting struct{ event, name, value string }

// An event is a sample. The frames of its stack are class.method(descriptor), the innermost first.
type event struct {
	class, thread, state string
	stack                []frame
	period, count        int64
	ticks                int64 // since the start of the chunk, 2 ns each
	failed               bool
}

// A threadLoad is the start of a thread, or a measurement of it: the fraction of the time of all
// cores since its previous measurement.
type threadLoad struct {
	thread string
	ticks  int64
	share  float32
	begins bool
}

type frame struct {
	class, method, descriptor string
	line                      int64
}

// The classes of the metadata. A field has a name, a class, and the marks p (pooled) and a (array).
var layout = []struct {
	id     int
	name   string
	fields []string
}{
	{4, "boolean", nil}, {5, "int", nil}, {6, "long", nil}, {7, "java.lang.String", nil}, {8, "float", nil},
	{20, "java.lang.Class", []string{"classLoader long", "name jdk.types.Symbol p", "modifiers int"}},
	{21, "jdk.types.Symbol", []string{"string java.lang.String"}},
	{22, "jdk.types.Method", []string{"type java.lang.Class p", "name jdk.types.Symbol p", "descriptor jdk.types.Symbol p", "hidden boolean"}},
	{23, "jdk.types.StackFrame", []string{"method jdk.types.Method p", "lineNumber int", "bytecodeIndex int"}},
	{24, "jdk.types.StackTrace", []string{"truncated boolean", "frames jdk.types.StackFrame a"}},
	{25, "java.lang.Thread", []string{"osName java.lang.String", "osThreadId long", "javaName java.lang.String", "javaThreadId long", "group jdk.types.ThreadGroup p"}},
	{26, "jdk.types.ThreadState", []string{"name java.lang.String"}},
	{28, "jdk.types.ThreadGroup", []string{"parent jdk.types.ThreadGroup p", "name java.lang.String"}},
	{27, "jdk.types.Pair", []string{"x float", "y long a"}},
	{101, "jdk.ExecutionSample", []string{"startTime long", "sampledThread java.lang.Thread p", "stackTrace jdk.types.StackTrace p", "state jdk.types.ThreadState p"}},
	{102, "jdk.ActiveSetting", []string{"startTime long", "id long", "name java.lang.String", "value java.lang.String"}},
	{103, "profiler.WallClockSample", []string{"startTime long", "sampledThread java.lang.Thread p", "stackTrace jdk.types.StackTrace p", "state jdk.types.ThreadState p", "samples int"}},
	{104, "jdk.CPUTimeSample", []string{"startTime long", "stackTrace jdk.types.StackTrace p", "eventThread java.lang.Thread p", "failed boolean", "samplingPeriod long"}},
	{105, "jdk.NativeMethodSample", []string{"startTime long", "sampledThread java.lang.Thread p", "stackTrace jdk.types.StackTrace p", "state jdk.types.ThreadState p"}},
	{107, "jdk.CPULoad", []string{"startTime long", "jvmUser float", "jvmSystem float", "machineTotal float"}},
	{109, "jdk.ThreadStart", []string{"startTime long", "eventThread java.lang.Thread p", "thread java.lang.Thread p", "parentThread java.lang.Thread p"}},
	{110, "jdk.ThreadCPULoad", []string{"startTime long", "eventThread java.lang.Thread p", "user float", "system float"}},
	{108, "jdk.CPUInformation", []string{"startTime long", "hwThreads int"}},
	{106, "jdk.Other", []string{"pair jdk.types.Pair", "pairs jdk.types.Pair a", "name java.lang.String"}},
}

func idOf(class string) int {
	for _, l := range layout {
		if l.name == class {
			return l.id
		}
	}
	panic("no class " + class)
}

// A writer writes values.
type writer struct {
	bytes.Buffer
	c *chunk
	// pool are the texts with numbers.
	pool []string
}

func (w *writer) number(n int64) {
	u := uint64(n)
	for i := 0; i < 8 && u >= 0x80; i++ {
		w.WriteByte(byte(u) | 0x80)
		u >>= 7
	}
	w.WriteByte(byte(u))
}

func (w *writer) text(s string) {
	switch {
	case s == "":
		w.WriteByte(1)
	case w.c.pooled:
		i := slices.Index(w.pool, s)
		if i < 0 {
			i = len(w.pool)
			w.pool = append(w.pool, s)
		}
		w.WriteByte(2)
		w.number(int64(i) + 1)
	case w.c.latin:
		w.WriteByte(5)
		w.number(int64(len(s)))
		w.WriteString(s)
	case w.c.utf16:
		w.WriteByte(4)
		w.number(int64(len(s)))
		for _, b := range []byte(s) {
			w.number(int64(b))
		}
	default:
		w.WriteByte(3)
		w.number(int64(len(s)))
		w.WriteString(s)
	}
}

// event writes an event: its size, and then its body. The size has four bytes, as the JVM writes
// it.
func (w *writer) event(class int64, body func(w *writer)) {
	b := writer{c: w.c, pool: w.pool}
	b.number(class)
	body(&b)
	w.pool = b.pool
	n := b.Len() + 4
	for shift := 0; shift < 21; shift += 7 {
		w.WriteByte(byte(n>>shift) | 0x80)
	}
	w.WriteByte(byte(n >> 21))
	w.Write(b.Bytes())
}

// A table numbers the entries of a pool.
type table[T comparable] []T

func (t *table[T]) id(v T) int64 {
	i := slices.Index(*t, v)
	if i < 0 {
		i = len(*t)
		*t = append(*t, v)
	}
	return int64(i) + 1
}

// bytes writes the chunk.
func (c *chunk) bytes() []byte {
	w := writer{c: c}
	var threads, states, symbols, classes, stacks table[string]
	var methods table[frame] // without lines
	byText := make(map[string][]frame)
	for _, s := range c.settings {
		id := int64(0)
		if s.event != "" {
			id = int64(idOf(s.event))
		}
		w.event(int64(idOf("jdk.ActiveSetting")), func(w *writer) {
			w.number(1)
			w.number(id)
			w.text(s.name)
			w.text(s.value)
		})
	}
	w.event(int64(idOf("jdk.Other")), func(w *writer) {
		w.Write(make([]byte, 4))
		w.number(2)
		w.number(5)
		w.number(-1)
		w.number(1)
		w.Write(make([]byte, 4))
		w.number(0)
		w.text("x")
	})
	if c.cores > 0 {
		w.event(int64(idOf("jdk.CPUInformation")), func(w *writer) {
			w.number(1)
			w.number(c.cores)
		})
	}
	for i, share := range c.loads {
		w.event(int64(idOf("jdk.CPULoad")), func(w *writer) {
			w.number(1000 + int64(i)*250_000_000)
			for _, f := range []float32{share / 2, share / 2, cmp.Or(c.machine, 1)} {
				binary.Write(w, binary.BigEndian, f)
			}
		})
	}
	for _, l := range c.threadLoads {
		thread := threads.id(l.thread)
		if l.begins {
			w.event(int64(idOf("jdk.ThreadStart")), func(w *writer) {
				for _, n := range []int64{1000 + l.ticks, threads.id("parent"), thread, threads.id("parent")} {
					w.number(n)
				}
			})
			continue
		}
		w.event(int64(idOf("jdk.ThreadCPULoad")), func(w *writer) {
			w.number(1000 + l.ticks)
			w.number(thread)
			for range 2 {
				binary.Write(w, binary.BigEndian, l.share/2)
			}
		})
	}
	w.event(999, func(w *writer) { w.WriteString("of a class that the metadata lacks") })
	for _, e := range c.samples {
		key := fmt.Sprint(e.stack)
		byText[key] = e.stack
		stack, thread, state := stacks.id(key), threads.id(e.thread), states.id(e.state)
		for _, f := range e.stack {
			classes.id(f.class)
			for _, s := range []string{f.class, f.method, f.descriptor} {
				symbols.id(s)
			}
			f.line = 0
			methods.id(f)
		}
		w.event(int64(idOf(e.class)), func(w *writer) {
			w.number(1000 + e.ticks)
			switch e.class {
			case "jdk.CPUTimeSample":
				w.number(stack)
				w.number(thread)
				w.WriteByte(map[bool]byte{true: 1}[e.failed])
				w.number(e.period)
			case "profiler.WallClockSample":
				for _, n := range []int64{thread, stack, state, e.count} {
					w.number(n)
				}
			default:
				for _, n := range []int64{thread, stack, state} {
					w.number(n)
				}
			}
		})
	}

	pool := func(class string, n int, constant func(w *writer, i int)) func(w *writer) {
		return func(w *writer) {
			w.number(int64(idOf(class)))
			w.number(int64(n))
			for i := range n {
				w.number(int64(i) + 1)
				constant(w, i)
			}
		}
	}
	pools := []func(w *writer){
		pool("jdk.types.StackTrace", len(stacks), func(w *writer, i int) {
			w.WriteByte(0)
			frames := byText[stacks[i]]
			w.number(int64(len(frames)))
			for _, f := range frames {
				line := f.line
				f.line = 0
				w.number(methods.id(f))
				w.number(line)
				w.number(0)
			}
		}),
		pool("jdk.types.Method", len(methods), func(w *writer, i int) {
			m := methods[i]
			w.number(classes.id(m.class))
			w.number(symbols.id(m.method))
			w.number(symbols.id(m.descriptor))
			w.WriteByte(0)
		}),
		pool("java.lang.Class", len(classes), func(w *writer, i int) {
			w.number(0)
			w.number(symbols.id(classes[i]))
			w.number(1)
		}),
		pool("jdk.types.Symbol", len(symbols), func(w *writer, i int) { w.text(symbols[i]) }),
		pool("java.lang.Thread", len(threads), func(w *writer, i int) {
			w.text("os-" + threads[i])
			w.number(int64(i) + 100)
			w.text(threads[i])
			w.number(int64(i) + 1)
			w.number(map[bool]int64{true: 1, false: 2}[strings.HasPrefix(threads[i], "C2 ")])
		}),
		pool("jdk.types.ThreadGroup", 2, func(w *writer, i int) {
			w.number(0)
			w.text([]string{"system", "main"}[i])
		}),
		pool("jdk.types.ThreadState", len(states), func(w *writer, i int) { w.text("STATE_" + states[i]) }),
	}
	checkpoint := func(delta int64, pools []func(w *writer)) {
		w.event(1, func(w *writer) {
			w.number(1)
			w.number(1)
			w.number(delta)
			w.WriteByte(0)
			w.number(int64(len(pools)))
			for _, p := range pools {
				p(w)
			}
		})
	}
	const header = 68
	at := int64(header + w.Len())
	if c.split {
		checkpoint(0, pools[3:])
		second := int64(header + w.Len())
		checkpoint(at-second, pools[:3])
		at = second
	} else {
		checkpoint(0, pools)
	}
	if len(w.pool) > 0 {
		texts := slices.Clone(w.pool)
		from := int64(header + w.Len())
		c.pooled = false
		checkpoint(at-from, []func(w *writer){pool("java.lang.String", len(texts), func(w *writer, i int) { w.text(texts[i]) })})
		c.pooled = true
		at = from
	}
	metadata := int64(header + w.Len())
	w.Write(metadataEvent(c))
	head := make([]byte, header)
	copy(head, "FLR\x00")
	binary.BigEndian.PutUint16(head[4:], 2)
	if c.oracle9 {
		binary.BigEndian.PutUint16(head[4:], 1)
	}
	for i, v := range []int64{int64(header + w.Len()), at, metadata, c.start, 2_000_000_000, 1000, 500_000_000} {
		binary.BigEndian.PutUint64(head[8+8*i:], uint64(v))
	}
	head[67] = 1
	return append(head, w.Bytes()...)
}

// metadataEvent writes the layout as a tree of elements.
func metadataEvent(c *chunk) []byte {
	var strs table[string]
	type element struct {
		name       string
		attributes []string
		children   []element
	}
	root := element{name: "root", children: []element{{name: "metadata"}}}
	for _, l := range layout {
		className := l.name
		if c.oracle9 {
			className = strings.Replace(strings.Replace(className, "jdk.types.", "com.oracle.jfr.types.", 1), "jdk.", "com.oracle.jdk.", 1)
		}
		cl := element{name: "class", attributes: []string{"name", className, "id", strconv.Itoa(l.id)}}
		for _, text := range l.fields {
			var name, class, flags string
			fmt.Sscan(text, &name, &class, &flags)
			f := element{name: "field", attributes: []string{"name", name, "class", strconv.Itoa(idOf(class))}}
			if flags == "p" {
				f.attributes = append(f.attributes, "constantPool", "true")
			}
			if flags == "a" {
				f.attributes = append(f.attributes, "dimension", "1")
			}
			f.children = []element{{name: "annotation", attributes: []string{"class", "7"}}}
			cl.children = append(cl.children, f)
		}
		root.children[0].children = append(root.children[0].children, cl)
	}
	var body writer
	body.c = &chunk{}
	var write func(e element)
	write = func(e element) {
		body.number(strs.id(e.name) - 1)
		body.number(int64(len(e.attributes) / 2))
		for _, a := range e.attributes {
			body.number(strs.id(a) - 1)
		}
		body.number(int64(len(e.children)))
		for _, child := range e.children {
			write(child)
		}
	}
	write(root)
	w := writer{c: &chunk{}}
	w.event(0, func(w *writer) {
		for range 3 {
			w.number(1)
		}
		w.number(int64(len(strs)))
		for _, s := range strs {
			w.text(s)
		}
		w.Write(body.Bytes())
	})
	return w.Bytes()
}
