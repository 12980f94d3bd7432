package instrument

import (
	"encoding/binary"
	"fmt"
	"os"
	"testing"

	"github.com/diffprof/diffprof/code/dex"
)

// shownLine returns the line that Android shows for an address: that of the first position with the
// address, or else that of the last position before the address. If there is none, it is the
// address.
func shownLine(positions []dex.Position, address int) int {
	line := -1
	for _, p := range positions {
		if p.Address > address {
			break
		}
		if line = p.Line; p.Address == address {
			break
		}
	}
	if line < 0 {
		return address
	}
	return line
}

// checkLines rewrites a file. For each instruction that may throw, it compares the line that
// Android shows before and after.
func checkLines(t *testing.T, name string, data []byte) (compared, addresses int) {
	t.Helper()
	f := parseOne(t, data)
	parts := single(archive(t, map[string][]byte{"AndroidManifest.xml": manifestOf("com.mine", ""), "classes.dex": data}))
	all, err := NewFilter([]string{"*"})
	if err != nil {
		t.Fatal(err)
	}
	r, err := App(t.Context(), parts, Options{Include: all})
	if err != nil {
		t.Fatal(err)
	}
	rewritten := parseOne(t, r.Edits[0][0].Data)
	before, after := methodsOf(t, f), methodsOf(t, rewritten)
	if len(before) != len(after) {
		t.Fatalf("%s: %d methods, want %d", name, len(after), len(before))
	}
	for i, m := range before {
		linesBefore, err := f.Lines(m.code)
		if err != nil {
			t.Fatal(err)
		}
		linesAfter, err := rewritten.Lines(after[i].code)
		if err != nil {
			t.Fatal(err)
		}
		var want, got []int
		for _, in := range m.body.Code {
			if in.Op.Throws() {
				line := shownLine(linesBefore, in.Address)
				want = append(want, line)
				if line == in.Address || line == in.Address+1 {
					addresses++
				}
			}
		}
		for _, in := range after[i].body.Code {
			probe := in.Op.Index() == dex.IndexMethod && rewritten.Descriptor(uint32(rewritten.Methods[in.Index].Class)) == RuntimeClass
			if in.Op.Throws() && !probe {
				got = append(got, shownLine(linesAfter, in.Address))
			}
		}
		if n := len(got); n == len(want)+1 && after[i].body.Code[len(after[i].body.Code)-1].Op == dex.OpThrow {
			got = got[:n-1] // instrument adds a handler, which has the last entry.
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %s: lines %v, want %v", name, f.Strings[f.Methods[m.Index].Name], got, want)
		}
		compared += len(want)
	}
	return compared, addresses
}

// withoutLines removes the debug information of all methods.
func withoutLines(t *testing.T, data []byte) []byte {
	t.Helper()
	for _, m := range methodsOf(t, parseOne(t, data)) {
		binary.LittleEndian.PutUint32(data[m.code.Offset+8:], 0)
	}
	return data
}

// TestLines compares the lines in stack traces before and after rewriting. It also does so for
// methods whose debug information was removed, for which Android shows addresses. R8 9.5.28
// compiled Shapes.java of code/dex to Addresses.dex, with a mapping file.
func TestLines(t *testing.T) {
	for _, name := range []string{"Shapes.dex", "Programs.dex", "Addresses.dex"} {
		data, err := os.ReadFile("testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		compared, addresses := checkLines(t, name, data)
		t.Logf("%s: %d lines, %d of them are addresses", name, compared, addresses)
		if name == "Addresses.dex" && addresses < 20 {
			t.Errorf("%s: %d of %d lines are addresses", name, addresses, compared)
		}
		compared, addresses = checkLines(t, name+" without lines", withoutLines(t, data))
		if addresses != compared {
			t.Errorf("%s without lines: %d of %d lines are addresses", name, addresses, compared)
		}
	}
}

// TestLinesOfR8 is TestLines for the generated programs, compiled by R8 with a mapping file. Their
// line tables have addresses.
func TestLinesOfR8(t *testing.T) {
	compile(t)
	compared, addresses := checkLines(t, "R8", compiled.dex["mapped"])
	if addresses < 50 {
		t.Errorf("%d of %d lines are addresses", addresses, compared)
	}
	t.Logf("%d lines, %d of them are addresses", compared, addresses)
}
