// Package dextest runs the code of DEX files for tests.
//
// A Machine interprets one file on one thread. It knows the kind of value in each register, and
// which locks are held. The error is a [Fault] if an instruction reads a register of another kind,
// half of a wide value, or an object before its constructor ran. It is also a Fault if locks are
// not released exactly once and in reverse order. A device would reject such code, or run it with a
// wrong result.
//
// The machine implements the few classes of the Java library that test programs use. Thread.start
// runs the new thread to its end.
package dextest

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/diffprof/diffprof/code/dex"
)

// A Fault is the error for code that breaks a rule of the bytecode.
type Fault struct {
	Method  string
	Address int
	Op      dex.Op
	Cause   string
}

func (f *Fault) Error() string {
	return fmt.Sprintf("%s: %#x: %s: %s", f.Method, f.Address, f.Op, f.Cause)
}

// ErrSteps is the error for a program that executes more than Machine.Limit instructions.
var ErrSteps = errors.New("the program runs for too long")

// An EventKind is the kind of an Event.
type EventKind byte

// The kinds of events.
const (
	Enter EventKind = 'e'
	Exit  EventKind = 'x'
	Call  EventKind = 'c'
)

// An Event is the start or end of a method's execution, or a call.
type Event struct {
	Kind EventKind
	// Method is the executing method. Address is the address of the call in it.
	Method  string
	Address int
	// Callee is the method that a call instruction names.
	Callee string
}

// A Probe is a call of a method of ProbeClass.
type Probe struct {
	Name string
	// ID is the last integer argument. Numbers are all integer arguments.
	ID      int32
	Numbers []int32
}

// A Machine runs a file.
type Machine struct {
	// ProbeClass is the class whose methods are probes. Calls of probes are in Probes, not in
	// Events.
	ProbeClass string
	// Throwing counts the executed instructions that may throw, except throw instructions and calls
	// of probes. The instruction with the number Interrupt throws an error. 0 means none.
	Interrupt, Throwing int
	// InterruptProbe is the number of the probe call that throws an error. 0 means none.
	InterruptProbe int
	// Limit is the maximum number of instructions. 0 means a million.
	Limit int
	// Answer, if not nil, returns the result of a probe.
	Answer func(Probe) int32
	// Ran, if not nil, is called before each instruction, with its address. activation numbers the
	// executions of methods.
	Ran func(activation, address int)

	Output strings.Builder
	Events []Event
	Probes []Probe

	*Program
	initialized map[string]bool
	statics     map[string]value
	held        map[*object]int
	literal     map[string]*object
	steps       int
	activations int
	depth       int
	current     *activation
}

// A Program is a file to run. Its machines share decoded code, so they must not run concurrently.
type Program struct {
	file    *dex.File
	classes map[string]*class
	bodies  map[*method]*dex.Body
	callees map[uint32]*callee
	library map[string]native
}

// A callee is a method that the program's code calls.
type callee struct {
	owner, name, key, full, result string
	parameters                     []string // Without this.
}

// A class is a class defined by the file.
type class struct {
	name, super string
	interfaces  []string
	methods     map[string]*method // By name and signature.
	fields      []string           // Name and type of the instance fields.
}

// A method is a method defined by the file.
type method struct {
	class *class
	dex.Method
	name, full, result string
	parameters         []string // Without this.
}

func (m *method) String() string { return m.full }

// An activation is one execution of a method.
type activation struct {
	method    *method
	number    int
	body      *dex.Body
	registers []value
	locks     []*object
	at        int
	result    value
	hasResult bool
	caught    *object
}

// Load prepares a file for running.
func Load(f *dex.File) (*Program, error) {
	p := &Program{
		file: f, classes: make(map[string]*class), bodies: make(map[*method]*dex.Body), callees: make(map[uint32]*callee), library: library(),
	}
	members, err := f.Members()
	if err != nil {
		return nil, err
	}
	for i, c := range f.Classes {
		k := &class{name: f.Descriptor(c.Type), methods: make(map[string]*method)}
		if c.Super != dex.NoIndex {
			k.super = f.Descriptor(c.Super)
		}
		list, err := f.TypeList(c.Interfaces)
		if err != nil {
			return nil, err
		}
		for _, t := range list {
			k.interfaces = append(k.interfaces, f.Descriptor(uint32(t)))
		}
		for _, field := range members[i].Instance {
			k.fields = append(k.fields, fieldKey(f, field.Index))
		}
		for _, d := range slices.Concat(members[i].Direct, members[i].Virtual) {
			id := f.Methods[d.Index]
			mt := &method{class: k, Method: d, name: f.Strings[id.Name], result: f.Descriptor(f.Protos[id.Proto].Return)}
			if mt.parameters, err = parametersOf(f, id); err != nil {
				return nil, err
			}
			key := mt.name + f.Signature(id.Proto)
			mt.full = k.name + "->" + key
			k.methods[key] = mt
		}
		p.classes[k.name] = k
	}
	return p, nil
}

// New returns a machine that runs the program once.
func (p *Program) New() *Machine {
	return &Machine{
		Program: p, initialized: make(map[string]bool), statics: make(map[string]value),
		held: make(map[*object]int), literal: make(map[string]*object), Limit: 1_000_000,
	}
}

func parametersOf(f *dex.File, id dex.MethodID) (parameters []string, err error) {
	list, err := f.TypeList(f.Protos[id.Proto].Parameters)
	for _, p := range list {
		parameters = append(parameters, f.Descriptor(uint32(p)))
	}
	return parameters, err
}

func fieldKey(f *dex.File, index uint32) string {
	id := f.Fields[index]
	return f.Strings[id.Name] + ":" + f.Descriptor(uint32(id.Type))
}

// Main runs the main method of a class. If main throws an exception, the output ends with its
// class.
func (m *Machine) Main(class string) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case error:
			err = r
			var fault *Fault
			if !errors.As(err, &fault) && err != ErrSteps {
				panic(r)
			}
		default:
			panic(r)
		}
	}()
	c := m.classes[class]
	if c == nil || c.methods["main([Ljava/lang/String;)V"] == nil {
		return fmt.Errorf("class %s has no main method", class)
	}
	thrown := m.initialize(class)
	if thrown == nil {
		_, thrown = m.invoke(c.methods["main([Ljava/lang/String;)V"], []value{refTo(&object{class: "[Ljava/lang/String;"})})
	}
	if thrown != nil {
		fmt.Fprintln(&m.Output, "uncaught", thrown.class)
	}
	for o, n := range m.held {
		if n != 0 {
			m.fault("a lock on a %s is held at the end", o.class)
		}
	}
	return nil
}

// fault stops the program with a Fault at the current instruction.
func (m *Machine) fault(format string, args ...any) {
	f := &Fault{Cause: fmt.Sprintf(format, args...)}
	if a := m.current; a != nil {
		f.Method = a.method.String()
		if a.at < len(a.body.Code) {
			f.Address, f.Op = a.body.Code[a.at].Address, a.body.Code[a.at].Op
		}
	}
	panic(f)
}

// initialize runs the static initializer of a class, unless it has run before.
func (m *Machine) initialize(name string) *object {
	c := m.classes[name]
	if c == nil || m.initialized[name] {
		return nil
	}
	m.initialized[name] = true
	if thrown := m.initialize(c.super); thrown != nil {
		return thrown
	}
	if mt := c.methods["<clinit>()V"]; mt != nil {
		_, thrown := m.invoke(mt, nil)
		return thrown
	}
	return nil
}

// body returns the decoded code of a method.
func (m *Machine) body(mt *method) *dex.Body {
	if b := m.bodies[mt]; b != nil {
		return b
	}
	c, err := m.file.Code(mt.Code)
	if err == nil {
		var b *dex.Body
		if b, err = m.file.Body(c); err == nil {
			m.bodies[mt] = b
			return b
		}
	}
	m.fault("%v", err)
	return nil
}

// invoke runs a method of the file. A wide argument is a single element of args.
func (m *Machine) invoke(mt *method, args []value) (result value, thrown *object) {
	if mt.Code == 0 {
		m.fault("%s has no code", mt)
	}
	if m.depth++; m.depth > 200 {
		m.depth--
		return value{}, m.exception("Ljava/lang/StackOverflowError;", "")
	}
	caller := m.current
	b := m.body(mt)
	a := &activation{method: mt, number: m.activations, body: b, registers: make([]value, b.Registers)}
	m.activations++
	m.current = a
	at := b.Registers - b.Ins
	want := mt.parameters
	if mt.Access&dex.AccStatic == 0 {
		want = slices.Concat([]string{mt.class.name}, want)
	}
	for i, x := range args {
		if i >= len(want) || !m.fits(x, want[i]) && (i > 0 || mt.name != "<init>") {
			m.fault("argument %d of %s is %s", i, mt, x.kind)
		}
		x = typed(x, want[i])
		if at+x.kind.words() > b.Registers {
			m.fault("the arguments of %s need more than %d registers", mt, b.Ins)
		}
		m.set(uint32(at), x)
		at += x.kind.words()
	}
	if len(args) != len(want) || at != b.Registers {
		m.fault("%d arguments for %s", len(args), mt)
	}
	m.Events = append(m.Events, Event{Kind: Enter, Method: mt.String()})
	result, thrown = m.run(a)
	if len(a.locks) > 0 {
		m.fault("the method ends with %d locks", len(a.locks))
	}
	if thrown == nil {
		switch {
		case mt.result == "V" && result.kind != empty, mt.result != "V" && !m.fits(result, mt.result):
			m.fault("%s is returned for %s", result.kind, mt.result)
		case mt.name == "<init>" && args[0].ref.fresh:
			m.fault("a constructor returns before it called another one")
		}
		result = typed(result, mt.result)
	}
	m.Events = append(m.Events, Event{Kind: Exit, Method: mt.String()})
	m.current = caller
	m.depth--
	return result, thrown
}

// run executes instructions until the method ends.
func (m *Machine) run(a *activation) (value, *object) {
	for {
		if m.steps++; m.steps > m.Limit {
			panic(ErrSteps)
		}
		in := &a.body.Code[a.at]
		if m.Ran != nil {
			m.Ran(a.number, in.Address)
		}
		if in.Op < dex.OpMoveResult || in.Op > 0x0c { // Only the next instruction may move a result.
			a.hasResult = false
		}
		caught := a.caught
		next, thrown := a.at+1, (*object)(nil)
		if in.Op.Throws() && in.Op != dex.OpThrow && !m.isProbe(in) {
			if m.Throwing++; m.Throwing == m.Interrupt {
				if in.Op.Index() == dex.IndexMethod {
					m.logCall(a, in)
				}
				thrown = m.exception("Ljava/lang/ThreadDeath;", "")
			}
		}
		if m.InterruptProbe > 0 && m.isProbe(in) {
			if m.InterruptProbe--; m.InterruptProbe == 0 {
				thrown = m.exception("Ljava/lang/ThreadDeath;", "")
			}
		}
		if thrown == nil {
			if in.Op >= dex.OpReturnVoid && in.Op <= dex.OpReturnObject {
				return m.returned(a, in), nil
			}
			next, thrown = m.step(a, in)
		}
		if caught != nil {
			a.caught = nil
		}
		if thrown == nil {
			a.at = next
			continue
		}
		a.hasResult = false
		handler := m.handler(a, in, thrown)
		if handler < 0 {
			return value{}, thrown
		}
		a.at, a.caught = handler, thrown
	}
}

func (m *Machine) returned(a *activation, in *dex.BodyInstruction) value {
	switch in.Op {
	case dex.OpReturnVoid:
		return value{}
	case 0x0f:
		return m.read(in.A, integer, float, constant)
	case 0x10:
		return m.read(in.A, long, double, wide)
	}
	x := m.reference(in.A)
	return refTo(x)
}

// handler returns the index of the instruction that handles an exception, or -1 if the method does
// not catch it.
func (m *Machine) handler(a *activation, in *dex.BodyInstruction, thrown *object) int {
	if in.Handler < 0 {
		return -1
	}
	h := a.body.Handlers[in.Handler]
	for _, c := range h.Catches {
		if m.isInstance(thrown.class, m.file.Descriptor(c.Type)) {
			return c.Address
		}
	}
	return h.All
}

func (m *Machine) isProbe(in *dex.BodyInstruction) bool {
	return in.Op.Index() == dex.IndexMethod && m.ProbeClass != "" && m.file.Descriptor(uint32(m.file.Methods[in.Index].Class)) == m.ProbeClass
}

// callee returns the method that a call instruction names.
func (m *Machine) callee(index uint32) *callee {
	if c := m.callees[index]; c != nil {
		return c
	}
	f := m.file
	id := f.Methods[index]
	c := &callee{owner: f.Descriptor(uint32(id.Class)), name: f.Strings[id.Name], result: f.Descriptor(f.Protos[id.Proto].Return)}
	var err error
	if c.parameters, err = parametersOf(f, id); err != nil {
		m.fault("%v", err)
	}
	c.key = c.name + f.Signature(id.Proto)
	c.full = c.owner + "->" + c.key
	m.callees[index] = c
	return c
}

func (m *Machine) logCall(a *activation, in *dex.BodyInstruction) {
	m.Events = append(m.Events, Event{Call, a.method.full, in.Address, m.callee(in.Index).full})
}
