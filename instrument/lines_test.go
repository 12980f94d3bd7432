package instrument

import (
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/code/dex"
	"github.com/diffprof/diffprof/test/cached"
)

// shownLine returns the line that Android shows for an address. The first position with the address
// counts. Without one, the last position before the address counts. Without positions it shows the
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

// checkLines rewrites a file and compares the line that Android shows for each instruction that may
// throw, before and after.
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
			got = got[:n-1] // the entry of the handler for exceptions that leave the method
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

// TestLines compares lines of stack traces before and after rewriting, and also for methods whose
// debug information was removed, for which Android shows addresses. R8 9.5.28 made Addresses.dex of
// Shapes.java in code/dex, with a mapping file.
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

// TestLinesOfR8 compiles the generated programs with R8 and a mapping file, which makes line tables
// of addresses. It compares lines as TestLines does.
func TestLinesOfR8(t *testing.T) {
	compiler := cached.R8(t)
	folder := t.TempDir()
	run := func(tool string, args ...string) string {
		t.Helper()
		command := exec.CommandContext(t.Context(), tool, args...)
		command.Dir = folder
		out, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%.2000s", tool, err, out)
		}
		return string(out)
	}
	args := []string{"-nowarn", "-g", "--release", "8", "-Xlint:-options", "-d", "classes"}
	for i := range programs / 4 {
		name := fmt.Sprintf("P%d.java", i)
		if err := os.WriteFile(filepath.Join(folder, name), []byte(javaProgram(fmt.Sprint("P", i), uint64(i))), 0o644); err != nil {
			t.Fatal(err)
		}
		args = append(args, name)
	}
	if err := os.WriteFile(filepath.Join(folder, "rules"), []byte("-dontwarn **\n-keep class P* { public static void main(java.lang.String[]); }\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	run("javac", args...)
	classes, err := filepath.Glob(filepath.Join(folder, "classes", "*.class"))
	if err != nil {
		t.Fatal(err)
	}
	home := run("java", "-XshowSettings:properties", "-version")
	_, home, _ = strings.Cut(home, "java.home = ")
	home, _, _ = strings.Cut(home, "\n")
	out := filepath.Join(folder, "out")
	if err := os.Mkdir(out, 0o755); err != nil {
		t.Fatal(err)
	}
	run("java", append([]string{"-XX:TieredStopAtLevel=1", "-cp", compiler, "com.android.tools.r8.R8", "--release", "--min-api", "21", "--lib", home,
		"--pg-conf", "rules", "--pg-map-output", filepath.Join(out, "map.txt"), "--output", out}, classes...)...)
	data, err := os.ReadFile(filepath.Join(out, "classes.dex"))
	if err != nil {
		t.Fatal(err)
	}
	compared, addresses := checkLines(t, "R8", data)
	if addresses < 50 {
		t.Errorf("%d of %d lines are addresses", addresses, compared)
	}
	t.Logf("%d lines, %d of them are addresses", compared, addresses)
}
