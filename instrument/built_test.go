package instrument

import (
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/diffprof/diffprof/code/dex"
)

// TestBuiltBodies runs the sample with a random body for a method. The body has wide parameters, up
// to 460 registers, switches, a loop, a division by zero in a try range, and a lock.
func TestBuiltBodies(t *testing.T) {
	data, err := os.ReadFile("testdata/Shapes.dex")
	if err != nil {
		t.Fatal(err)
	}
	f := parseOne(t, data)
	events := 0
	for seed := range uint64(80) {
		w, err := dex.NewWriter(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range methodsOf(t, f) {
			if f.Strings[f.Methods[m.Index].Name] == "wide" {
				buildBody(t, w, m.body, rand.New(rand.NewPCG(seed, 2)))
				w.Replace(m.Index, func() (*dex.Body, error) { return m.body, nil })
			}
		}
		out, err := w.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		p := rewrittenPair(t, parseOne(t, out), seed%2 == 0, false)
		m := p.run(t, "LShapes;", 0)
		events += len(m.Events)
		for n := 1; n <= m.Throwing && !t.Failed(); n += 23 {
			p.run(t, "LShapes;", n)
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	t.Logf("%d events in runs without an error", events)
}

// buildBody replaces the code of wide(JIDJFDIJ)J.
func buildBody(t *testing.T, w *dex.Writer, b *dex.Body, r *rand.Rand) {
	length, err := w.Method("Ljava/lang/String;", "length", "I")
	if err != nil {
		t.Fatal(err)
	}
	text := w.String(string(rune('a' + r.IntN(26))))
	locals := 20 + r.IntN(254-20-b.Ins+1)
	if r.IntN(3) == 0 {
		locals = 10 + r.IntN(10) // The parameters begin below register 16.
	}
	many := r.IntN(3) == 0
	if many {
		locals = 250 + r.IntN(200) // Only a few instructions can use the registers of the parameters.
	}
	b.Registers, b.Order, b.Handlers = locals+b.Ins, nil, nil
	const sum, index, number, object, caught = 0, 2, 3, 4, 5 // sum is a long.
	handler := -1
	emit := func(in dex.Instruction) int {
		i := b.Append(in, handler)
		b.Order = append(b.Order, i)
		return i
	}
	parameter := func(i int) uint32 { return uint32(locals + i) }
	longs, ints := []uint32{parameter(0), parameter(5), parameter(11)}, []uint32{parameter(2), parameter(10)}
	if many {
		copies := uint32(20)
		for _, list := range [][]uint32{longs, ints} {
			op := dex.Op(0x05) // move-wide/from16
			if len(list) == len(ints) {
				op = 0x02
			}
			for i := range list {
				emit(dex.Instruction{Op: op, A: copies, B: list[i]})
				list[i] = copies
				copies += 2
			}
		}
	}
	emit(dex.Instruction{Op: 0x16, A: sum, Literal: int64(r.IntN(1000))})
	emit(dex.Instruction{Op: 0x13, A: index, Literal: int64(2 + r.IntN(5))})
	emit(dex.Instruction{Op: 0x13, A: number, Literal: int64(r.IntN(3))})
	emit(dex.Instruction{Op: 0x02, A: number, B: ints[r.IntN(2)]})
	loop := emit(dex.Instruction{Op: dex.OpConstString, A: object, Index: text})
	op := dex.OpPackedSwitch
	keys := []int32{1, 2, 3}
	if r.IntN(2) == 0 {
		op, keys = dex.OpSparseSwitch, []int32{-7, 2, 4}
	}
	choose := emit(dex.Instruction{Op: op, A: index})
	var ends, cases []int
	for range len(keys) + 1 {
		first := len(b.Code)
		switch r.IntN(4) {
		case 0:
			emit(dex.Instruction{Op: 0x9b + dex.Op(r.IntN(3)), A: sum, B: sum, C: longs[r.IntN(3)]}) // add, subtract or multiply
		case 1: // number /= number - index; the exception handler continues the loop
			emit(dex.Instruction{Op: 0x91, A: caught, B: number, C: index})
			handler = len(b.Handlers)
			b.Handlers = append(b.Handlers, dex.Handler{})
			emit(dex.Instruction{Op: 0x93, A: number, B: ints[r.IntN(2)], C: caught})
			emit(dex.Instruction{Op: dex.OpInvokeVirtual + 6, A: 1, C: object, Index: length})
			own := handler
			handler = -1
			over := emit(dex.Instruction{Op: dex.OpGoto})
			b.Handlers[own].All = emit(dex.Instruction{Op: dex.OpMoveException, A: caught})
			b.Code[over].Target = emit(dex.Instruction{Op: dex.OpNop})
		case 2: // a lock around a call
			emit(dex.Instruction{Op: dex.OpMonitorEnter, A: object})
			handler = len(b.Handlers)
			b.Handlers = append(b.Handlers, dex.Handler{})
			emit(dex.Instruction{Op: dex.OpInvokeVirtual, A: 1, Arguments: [5]uint8{object}, Index: length})
			emit(dex.Instruction{Op: dex.OpMoveResult, A: number})
			own := handler
			handler = -1
			emit(dex.Instruction{Op: dex.OpMonitorExit, A: object})
			over := emit(dex.Instruction{Op: dex.OpGoto})
			b.Handlers[own].All = emit(dex.Instruction{Op: dex.OpMoveException, A: caught})
			emit(dex.Instruction{Op: dex.OpMonitorExit, A: object})
			emit(dex.Instruction{Op: dex.OpThrow, A: caught})
			b.Code[over].Target = emit(dex.Instruction{Op: dex.OpNop})
		default:
			emit(dex.Instruction{Op: 0x81, A: caught, B: number}) // int-to-long
			emit(dex.Instruction{Op: 0x9b, A: sum, B: sum, C: caught})
			if r.IntN(2) == 0 && locals > 16 {
				emit(dex.Instruction{Op: 0x17, A: uint32(min(locals, 256) - 2), Literal: int64(r.Int32())})
				emit(dex.Instruction{Op: 0xa2, A: sum, B: sum, C: uint32(min(locals, 256) - 2)})
			}
		}
		cases = append(cases, first)
		ends = append(ends, emit(dex.Instruction{Op: dex.OpGoto}))
	}
	b.Code[choose].Keys, b.Code[choose].Targets = keys, slices.Clone(cases[1:])
	last := emit(dex.Instruction{Op: 0xd8, A: index, B: index, Literal: -1}) // index--
	for _, i := range ends {
		b.Code[i].Target = last
	}
	back := emit(dex.Instruction{Op: 0x3c, A: index}) // if-gtz
	b.Code[back].Target = loop
	emit(dex.Instruction{Op: 0x81, A: caught, B: number})
	emit(dex.Instruction{Op: 0x9b, A: sum, B: sum, C: caught})
	emit(dex.Instruction{Op: 0x10, A: sum}) // return-wide
}
