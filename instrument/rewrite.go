// Package instrument rewrites the code of an app so that it counts its calls.
package instrument

import (
	"errors"
	"slices"

	"github.com/diffprof/diffprof/code/dex"
	"github.com/diffprof/diffprof/instrument/runtime"
)

// A Target has the indexes of the methods that probes call, in the file that is rewritten. Each
// takes an int and returns nothing.
type Target struct {
	Enter, Exit, Call uint32
}

// RuntimeClass is the class of the probes' methods.
const RuntimeClass = runtime.Class

// Targets adds the references to the probes' methods.
func Targets(w *dex.Writer) (t Target, err error) {
	for _, m := range []struct {
		name string
		to   *uint32
	}{{"enter", &t.Enter}, {"exit", &t.Exit}, {"call", &t.Call}} {
		if *m.to, err = w.Method(RuntimeClass, m.name, "V", "I"); err != nil {
			return t, err
		}
	}
	return t, nil
}

var errRegisters = errors.New("the method has more than 254 registers")

// extra is the number of registers that probes need: one for an id, one for an exception.
const extra = 2

// A rewriter inserts the probes of one method.
type rewriter struct {
	body   *dex.Body
	target Target
	method int32
	id     uint32 // register
}

// Method inserts probes into the body of a method: at its begin, before each return, and in a
// handler for exceptions that leave it. It also inserts a probe before each call for which site
// returns an id. parameters are the descriptors of all parameters, including this.
func Method(b *dex.Body, t Target, method int32, parameters []string, site func(in *dex.BodyInstruction) (id int32, ok bool)) error {
	if b.Registers+extra > 256 {
		return errRegisters
	}
	r := &rewriter{body: b, target: t, method: method, id: uint32(b.Registers)}
	first := b.Registers - b.Ins
	b.Registers += extra
	b.Outs = max(b.Outs, 1)
	order := r.moveParameters(first, parameters)
	order = append(order, r.probe(t.Enter, method, -1)...)
	original := b.Order
	before := make(map[int]int) // the first probe before an instruction
	var covered []int           // what the handler for exceptions covers
	for _, i := range original {
		in := &b.Code[i]
		switch {
		case in.Op >= dex.OpReturnVoid && in.Op <= dex.OpReturnObject:
			probe := r.probe(t.Exit, method, -1)
			before[i] = probe[0]
			order = append(order, probe...)
		case in.Op.Index() == dex.IndexMethod:
			if id, ok := site(in); ok {
				probe := r.probe(t.Call, id, in.Handler)
				before[i] = probe[0]
				order = append(order, probe...)
				covered = append(covered, probe...)
			}
		}
		order = append(order, i)
		covered = append(covered, i)
	}
	b.Redirect(func(i int) int {
		if probe, ok := before[i]; ok {
			return probe
		}
		return i
	})
	b.Order = append(order, r.leave(covered)...)
	return nil
}

// moveParameters moves the parameters, which arrive in the last registers, to where the original
// code has them.
func (r *rewriter) moveParameters(to int, parameters []string) (order []int) {
	for _, p := range parameters {
		op, words := dex.Op(0x01), 1
		switch p[0] {
		case 'J', 'D':
			op, words = 0x04, 2
		case 'L', '[':
			op = 0x07
		}
		from := to + extra
		switch {
		case to > 255:
			op += 2
		case to > 15 || from > 15:
			op++
		}
		order = append(order, r.body.Append(dex.Instruction{Op: op, A: uint32(to), B: uint32(from)}, -1))
		to += words
	}
	return order
}

// probe adds a call of one of the runtime's methods with an id.
func (r *rewriter) probe(method uint32, id int32, handler int) []int {
	load := dex.Instruction{Op: 0x13, A: r.id, Literal: int64(id)} // const/16
	if id != int32(int16(id)) {
		load.Op = 0x14 // const
	}
	call := dex.Instruction{Op: dex.OpInvokeStatic, A: 1, Index: method, Arguments: [5]uint8{uint8(r.id)}}
	if r.id > 15 {
		call = dex.Instruction{Op: dex.OpInvokeStatic + 6, A: 1, Index: method, C: r.id}
	}
	return []int{r.body.Append(load, handler), r.body.Append(call, handler)}
}

// leave adds a handler for exceptions that leave the method, and covers the original code with it.
func (r *rewriter) leave(covered []int) []int {
	b := r.body
	needs := slices.ContainsFunc(covered, func(i int) bool {
		in := &b.Code[i]
		return in.Op.Throws() && (in.Handler < 0 || b.Handlers[in.Handler].All < 0)
	})
	if !needs {
		return nil
	}
	exception := r.id + 1
	order := []int{b.Append(dex.Instruction{Op: dex.OpMoveException, A: exception}, -1)}
	begin := order[0]
	order = append(order, r.probe(r.target.Exit, r.method, -1)...)
	order = append(order, b.Append(dex.Instruction{Op: dex.OpThrow, A: exception}, -1))
	plain := -1                   // the handlers of code without others
	extended := make(map[int]int) // by the original handlers
	cover := func(in *dex.BodyInstruction) {
		switch {
		case in.Handler < 0:
			if plain < 0 {
				plain = len(b.Handlers)
				b.Handlers = append(b.Handlers, dex.Handler{All: begin})
			}
			in.Handler = plain
		case b.Handlers[in.Handler].All < 0:
			h, ok := extended[in.Handler]
			if !ok {
				h = len(b.Handlers)
				b.Handlers = append(b.Handlers, dex.Handler{Catches: b.Handlers[in.Handler].Catches, All: begin})
				extended[in.Handler] = h
			}
			in.Handler = h
		}
	}
	handlers := len(b.Handlers)
	for _, i := range covered {
		if in := &b.Code[i]; in.Handler < handlers {
			cover(in)
		}
	}
	return order
}
