package dex_test

import (
	"errors"
	"os"
	"slices"
	"testing"

	"github.com/diffprof/diffprof/code/dex"
	"github.com/diffprof/diffprof/code/dex/dextest"
)

// shapesOutput is the line that Shapes.java prints on a Java VM.
const shapesOutput = "[try -1, finally, -10-500, try 0, zero, finally, -10-10, try 1, divided, finally, 100-21, " +
	"try 2, finally, 2001003, try 3, finally, 300505, try 4, finally, -103310, firstgamma1099511627776, " +
	"4444490039345982226, 557] 14\n"

// TestDamagesRun applies each damage of the verifier's test to the sample. It runs the result with
// an error at each instruction that may throw, until the machine finds a fault. The original sample
// has no fault.
func TestDamagesRun(t *testing.T) {
	data, err := os.ReadFile("../../instrument/testdata/Shapes.dex")
	if err != nil {
		t.Fatal(err)
	}
	run := func(p *dextest.Program, interrupt int) (*dextest.Machine, error) {
		m := p.New()
		m.Interrupt, m.Limit = interrupt, 100_000
		return m, m.Main("LShapes;")
	}
	files, err := dex.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	load := func(f *dex.File) *dextest.Program {
		p, err := dextest.Load(f)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	sample := load(files[0])
	intact, err := run(sample, 0)
	if err != nil || intact.Output.String() != shapesOutput {
		t.Fatalf("the intact sample prints %q, %v", intact.Output.String(), err)
	}
	for n := 1; n <= intact.Throwing; n++ {
		if _, err := run(sample, n); err != nil {
			t.Fatalf("the intact sample with an error at instruction %d: %v", n, err)
		}
	}
	for _, d := range dex.Damages() {
		t.Run(d.Name, func(t *testing.T) {
			w, err := dex.NewWriter(files[0])
			if err != nil {
				t.Fatal(err)
			}
			w.Replace(methodOf(t, files[0], d.Method), func() (*dex.Body, error) {
				return damaged(t, files[0], d)
			})
			data, err := w.Bytes()
			if err != nil {
				t.Fatal(err)
			}
			changed, err := dex.Parse(data)
			if err != nil {
				t.Fatal(err)
			}
			program := load(changed[0])
			var fault *dextest.Fault
			for n := 0; n <= intact.Throwing; n++ {
				if _, err := run(program, n); errors.As(err, &fault) {
					t.Logf("error at %d: %v", n, fault)
					return
				}
			}
			t.Error("no run has a fault")
		})
	}
}

// methodOf returns a method of the class Shapes.
func methodOf(t *testing.T, f *dex.File, name string) uint32 {
	return definition(t, f, name).Index
}

func definition(t *testing.T, f *dex.File, name string) dex.Method {
	members, err := f.Members()
	if err != nil {
		t.Fatal(err)
	}
	for i, m := range members {
		for _, d := range slices.Concat(m.Direct, m.Virtual) {
			if f.Descriptor(f.Classes[i].Type) == "LShapes;" && f.Strings[f.Methods[d.Index].Name] == name {
				return d
			}
		}
	}
	t.Fatalf("no method %s", name)
	return dex.Method{}
}

func damaged(t *testing.T, f *dex.File, d dex.Damage) (*dex.Body, error) {
	c, err := f.Code(definition(t, f, d.Method).Code)
	if err != nil {
		return nil, err
	}
	b, err := f.Body(c)
	if err != nil {
		return nil, err
	}
	if !d.Change(b) {
		t.Error("the method has nothing to damage")
	}
	return b, nil
}
