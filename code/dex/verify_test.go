package dex

import (
	"slices"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/test/cached"
)

// TestVerifyRealApps checks that the verifier accepts all methods of real apps.
func TestVerifyRealApps(t *testing.T) {
	files := []cached.Dex{{Name: "sample", Data: sample(t)}}
	for _, app := range cached.DexFiles(t, cached.Apps(t)) {
		files = append(files, app...)
	}
	verified, refused := 0, 0
	for _, file := range files {
		found, err := Parse(file.Data)
		if err != nil {
			t.Fatal(err)
		}
		members, err := found[0].Members()
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range members {
			for _, methods := range [][]Method{m.Direct, m.Virtual} {
				for _, method := range methods {
					verified++
					if err := found[0].Verify(method, false); err != nil {
						if refused++; refused < 20 {
							t.Errorf("%s: %v", file.Name, err)
						}
					}
				}
			}
		}
	}
	if verified < 146_000 && len(files) > 1 {
		t.Errorf("verified only %d methods", verified)
	}
	t.Logf("%d methods, %d refused", verified, refused)
}

// A damage is a change of the code of a method of the sample.
type damage struct {
	name, method string
	// change makes the change. It returns false if it found nothing to change.
	change func(b *Body) bool
	want   string
}

// find returns the first instruction for which match returns true, or -1.
func find(b *Body, match func(in *BodyInstruction) bool) int {
	return slices.IndexFunc(b.Code, func(in BodyInstruction) bool { return match(&in) })
}

func named(prefix string) func(in *BodyInstruction) bool {
	return func(in *BodyInstruction) bool { return strings.HasPrefix(in.Op.String(), prefix) }
}

// insert inserts an instruction before another instruction, in the same try range.
func insert(b *Body, before int, in Instruction) bool {
	if before < 0 {
		return false
	}
	b.Code = append(b.Code, BodyInstruction{Instruction: in, Handler: b.Code[before].Handler, self: len(b.Code)})
	b.Order = slices.Insert(b.Order, slices.Index(b.Order, before), len(b.Code)-1)
	return true
}

// edit returns a change of the first instruction whose name begins with prefix.
func edit(prefix string, change func(b *Body, in *BodyInstruction)) func(b *Body) bool {
	return func(b *Body) bool {
		i := find(b, named(prefix))
		if i < 0 {
			return false
		}
		change(b, &b.Code[i])
		return true
	}
}

// op returns a change of an instruction's opcode.
func op(to Op) func(*Body, *BodyInstruction) {
	return func(_ *Body, in *BodyInstruction) { in.Op = to }
}

func nop(_ *Body, in *BodyInstruction) {
	*in = BodyInstruction{Instruction: Instruction{Op: OpNop}, Handler: in.Handler, self: in.self}
}

// repeat writes an instruction twice.
func repeat(b *Body, in *BodyInstruction) { insert(b, in.self, in.Instruction) }

// damages are changes that make correct code invalid, so that devices reject it.
var damages = []damage{
	{"a register more, and the parameters not moved back", "wide", func(b *Body) bool { b.Registers++; return true }, "v"},
	{"a string in a register with an int", "packed", func(b *Body) bool { return insert(b, 0, Instruction{Op: OpConstString, A: uint32(b.Registers - 1)}) }, "not an int"},
	{"the upper half of a long overwritten", "wide", func(b *Body) bool {
		i := find(b, named("mul-long"))
		return i >= 0 && insert(b, i, Instruction{Op: 0x13, A: b.Code[i].B + 1, Literal: 1})
	}, "not a long"},
	{"the lower half of a long overwritten", "wide", func(b *Body) bool {
		i := find(b, named("mul-long"))
		return i >= 0 && insert(b, i, Instruction{Op: 0x13, A: b.Code[i].B, Literal: 1})
	}, "not a long"},
	{"a long in the half of another one", "wide", func(b *Body) bool {
		i := find(b, named("mul-long"))
		return i >= 0 && insert(b, i, Instruction{Op: 0x16, A: b.Code[i].B + 1, Literal: 1})
	}, "not a long"},
	{"a call with a lock outside of its try range", "locked", func(b *Body) bool {
		i := slices.IndexFunc(b.Code, func(in BodyInstruction) bool { return in.Op.String() == "sget-object" })
		if i >= 0 {
			b.Code[i].Handler = -1
		}
		return i >= 0
	}, errHeld.Error()},
	{"a lock released twice", "locked", edit("monitor-exit", repeat), errRelease.Error()},
	{"a lock taken twice", "locked", edit("monitor-enter", repeat), "lock"},
	{"a lock not released", "locked", edit("monitor-exit", nop), errReturn.Error()},
	{"a lock never taken", "locked", edit("monitor-enter", nop), errRelease.Error()},
	{"another lock released", "locked", edit("monitor-exit", func(b *Body, in *BodyInstruction) { in.A = uint32(b.Registers - b.Ins) }), errRelease.Error()},
	{"a lock on an int", "locked", edit("monitor-enter", func(b *Body, in *BodyInstruction) { in.A = uint32(b.Registers - 1) }), "not a reference"},
	{"an object without its constructor", "guarded", edit("invoke-direct", nop), "a new object"},
	{"a constructor called twice", "guarded", edit("invoke-direct", repeat), "not a new object"},
	{"a constructor without that of its superclass", "<init>", edit("invoke-direct", nop), errThis.Error()},
	{"a reference returned for an int", "fibonacci", edit("return", op(OpReturnObject)), "the method returns I"},
	{"nothing returned for an int", "fibonacci", edit("return", op(OpReturnVoid)), "the method returns I"},
	{"an int returned for a string", "text", edit("return-object", op(0x0f)), "the method returns"},
	{"a result moved too late", "fibonacci", func(b *Body) bool { return insert(b, find(b, named("move-result")), Instruction{Op: OpNop}) }, errResult.Error()},
	{"a result moved as a reference", "fibonacci", edit("move-result", op(0x0c)), "the result is an int"},
	{"a result moved as a wide value", "fibonacci", edit("move-result", op(0x0b)), "the result is an int"},
	{"an exception read at the begin", "packed", func(b *Body) bool { return insert(b, 0, Instruction{Op: OpMoveException, A: 0}) }, errCaught.Error()},
	{"a register out of range", "fibonacci", edit("move-result", func(b *Body, in *BodyInstruction) { in.A = uint32(b.Registers) }), "out of range"},
	{"a call without its argument", "fibonacci", edit("invoke-static", func(_ *Body, in *BodyInstruction) { in.A = 0 }), "too few arguments"},
	{"a call with an argument too many", "fibonacci", edit("invoke-static", func(b *Body, in *BodyInstruction) { in.A, b.Outs = 2, 2 }), "too many arguments"},
	{"a call with more registers than stated", "fibonacci", func(b *Body) bool { b.Outs = 0; return true }, "the method reserves only 0 for calls"},
	{"a long read from an array of ints", "locked", edit("aget", op(0x45)), "v"},
	{"a reference read from an int field", "locked", edit("iget", func(_ *Body, in *BodyInstruction) { in.Op ^= 0x52 ^ 0x54 }), "the field is"},
	{"a double multiplied as an int", "wide", edit("mul-double", op(0x92)), "not an int"},
	{"a float used for an int", "wide", edit("float-to-double", op(0x83)), "not an int"},
	{"an int compared as a long", "locked", edit("if-ge", func(b *Body, in *BodyInstruction) {
		in.Op, in.B = 0x38, 0
		in.A = uint32(b.Registers - b.Ins)
		in.Op = 0x3a
	}), "not an int"},
	{"an int thrown", "guarded", edit("throw", func(b *Body, in *BodyInstruction) { in.A = uint32(b.Registers - 1) }), "not a reference"},
	{"a branch out of a lock", "locked", edit("goto", func(b *Body, in *BodyInstruction) { in.Target = 0 }), "locks"},
	{"code without an end", "fibonacci", func(b *Body) bool { nop(b, &b.Code[len(b.Code)-1]); return true }, errFalls.Error()},
}

// TestDamagesFound applies each damage to the sample, and checks that the verifier finds it.
func TestDamagesFound(t *testing.T) {
	found := 0
	for _, d := range damages {
		t.Run(d.name, func(t *testing.T) {
			f, err := Parse(sample(t))
			if err != nil {
				t.Fatal(err)
			}
			w, err := NewWriter(f[0])
			if err != nil {
				t.Fatal(err)
			}
			var method Method
			for _, m := range slices.Concat(w.members[0].Direct, w.members[0].Virtual) {
				if w.Strings[w.Methods[m.Index].Name] == d.method {
					method = m
				}
			}
			if err := w.Verify(method, true); err != nil {
				t.Fatalf("the intact method: %v", err)
			}
			c, err := w.Code(method.Code)
			if err != nil {
				t.Fatal(err)
			}
			b, err := w.Body(c)
			if err != nil {
				t.Fatal(err)
			}
			if !d.change(b) {
				t.Fatal("the method has nothing to damage")
			}
			w.Replace(method.Index, func() (*Body, error) { return b, nil })
			data, err := w.Bytes()
			if err != nil {
				t.Fatal(err)
			}
			damaged, err := Parse(data)
			if err != nil {
				t.Fatal(err)
			}
			members, err := damaged[0].Members()
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range slices.Concat(members[0].Direct, members[0].Virtual) {
				err := damaged[0].Verify(m, true)
				switch {
				case m.Index != method.Index && err != nil:
					t.Errorf("an intact method: %v", err)
				case m.Index == method.Index && err == nil:
					t.Error("not found")
				case m.Index == method.Index && !strings.Contains(err.Error(), d.want):
					t.Errorf("found as %v, want %s", err, d.want)
				case m.Index == method.Index:
					found++
				}
			}
		})
	}
	if found < 20 {
		t.Errorf("only %d damages found", found)
	}
}
