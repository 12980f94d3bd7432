package dex

import (
	"bufio"
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/test/cached"
)

// otherTypes has the types of registers before each instruction, as another analysis finds them.
// Each type is a letter, as defined by testdata/smali/Types.java. They are indexed by file, method
// and address.
type otherTypes map[string]map[string]map[int]string

// analyse returns the types that baksmali --register-info finds.
func analyse(t *testing.T, files map[string][]byte) otherTypes {
	t.Helper()
	jars, _ := filepath.Glob("../../.cache/smali/*.jar")
	for _, tool := range []string{"javac", "java"} {
		if _, err := exec.LookPath(tool); err != nil || len(jars) == 0 {
			t.Skip("needs javac, java and the disassembler in .cache/smali, which scripts/deps gets")
		}
	}
	folder := t.TempDir()
	path := strings.Join(append(jars, folder), string(filepath.ListSeparator))
	if out, err := exec.CommandContext(t.Context(), "javac", "-nowarn", "-Xlint:none", "-cp", path, "-d", folder, "testdata/smali/Types.java").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	args := []string{"-XX:TieredStopAtLevel=1", "-cp", path, "Types"}
	names := make(map[string]string)
	for i, name := range slices.Sorted(maps.Keys(files)) {
		file := filepath.Join(folder, fmt.Sprintf("%d.dex", i))
		if err := os.WriteFile(file, files[name], 0o644); err != nil {
			t.Fatal(err)
		}
		names[file] = name
		args = append(args, file)
	}
	var errs bytes.Buffer
	command := exec.CommandContext(t.Context(), "java", args...)
	command.Stderr = &errs
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%v\n%.2000s", err, errs.String())
	}
	found := make(otherTypes)
	var file map[string]map[int]string
	var method map[int]string
	lines := bufio.NewScanner(bytes.NewReader(out))
	for lines.Scan() {
		first, rest, _ := strings.Cut(lines.Text(), " ")
		switch first {
		case "file":
			file = make(map[string]map[int]string)
			found[names[rest]] = file
		case "method":
			method = make(map[int]string)
			file[rest] = method
		case "skipped":
		default:
			at, err := strconv.Atoi(first)
			if err != nil {
				t.Fatal(err)
			}
			method[at] = rest
		}
	}
	return found
}

// letters maps each of our kinds to the letters of the types that the other analysis may find. The
// two analyses differ in these points:
//   - The other analysis has no type for a constant. A constant is an int, or a float once an
//     instruction reads it as one. A constant of 64 bits is a long.
//   - The results of iget and aget are ints, and longs if they are wide.
//   - The other analysis keeps one half of an overwritten wide value. In our analysis the register
//     has no value, so any letter is accepted for such a register.
//   - A register that is an int on one path and a float on another path is a float.
var letters = map[kind]string{
	conflict: "?-01zbpsqcifLlDdUTR!", zero: "0", constant: "1zbpsqcif", integer: "01zbpsqci", float: "fi", reference: "R", fresh: "U", freshThis: "T",
	wide: "L", long: "L", double: "DL", wideHigh: "l", longHigh: "l", doubleHigh: "dl",
}

// valueOfLetter returns a value of the type that a letter represents.
func valueOfLetter(letter byte) value {
	switch letter {
	case '?', '-', '!':
		return value{}
	case '0':
		return value{kind: zero}
	case 'f':
		return value{kind: float}
	case 'L':
		return value{kind: wide}
	case 'l':
		return value{kind: wideHigh}
	case 'D':
		return value{kind: double}
	case 'd':
		return value{kind: doubleHigh}
	case 'U':
		return value{kind: fresh}
	case 'T':
		return value{kind: freshThis}
	case 'R':
		return value{kind: reference}
	}
	return value{kind: constant}
}

// states calls yield with the registers before each reachable instruction.
func (v *verifier) states(yield func(i int, registers []value)) error {
	if err := v.run(); err != nil {
		return err
	}
	for i, f := range v.frames {
		if f == nil {
			continue
		}
		v.state.depth = f.depth
		copy(v.state.registers, f.registers)
		v.hasResult = false
		for next := i; next >= 0 && (next == i || !v.joins[next]); {
			yield(next, v.state.registers)
			var err error
			if next, err = v.step(next); err != nil {
				return err
			}
		}
	}
	return nil
}

// methodsByName returns the methods with code, by their smali names.
func methodsByName(t *testing.T, f *File) map[string]Method {
	t.Helper()
	members, err := f.Members()
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string]Method)
	for _, m := range members {
		for _, d := range slices.Concat(m.Direct, m.Virtual) {
			id := f.Methods[d.Index]
			if d.Code != 0 {
				all[f.Descriptor(uint32(id.Class))+"->"+f.Strings[id.Name]+f.Signature(id.Proto)] = d
			}
		}
	}
	return all
}

// operands checks the operands of all instructions by our rules, with the types of the other
// analysis. That analysis does not track locks, so locks are not checked.
func (v *verifier) operands(types map[int]string) (checked int, err error) {
	v.mark()
	v.state = frame{registers: make([]value, v.body.Registers)}
	v.hasResult = false
	for i := range v.body.Code {
		in := &v.body.Code[i]
		text := types[in.Address]
		if strings.Trim(text, "?") == "" && text != "" { // No path leads to this instruction.
			continue
		}
		for r := range v.state.registers {
			v.state.registers[r] = valueOfLetter(text[r])
		}
		had := v.hasResult
		v.hasResult, v.at = false, in
		if in.Op == OpMonitorEnter || in.Op == OpMonitorExit {
			continue
		}
		if err := v.apply(in, i, had); err != nil {
			return checked, err
		}
		checked++
	}
	return checked, nil
}

// TestRegisterTypes compares the types of all registers before all instructions of a real app with
// those that the smali project's analysis finds. With the latter types, no instruction may have a
// wrong operand.
func TestRegisterTypes(t *testing.T) {
	if testing.Short() {
		t.Skip("needs some seconds")
	}
	data := cached.DexFiles(t, cached.Apps(t))["ApiDemos-debug.apk"][0].Data
	other := analyse(t, map[string][]byte{"app": data})["app"]
	files, err := Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	registers, different, handlers, checked := 0, 0, 0, 0
	methods := methodsByName(t, files[0])
	for name, m := range methods {
		types := other[name]
		if types == nil {
			t.Errorf("the other analysis has no %s", name)
			continue
		}
		v, err := files[0].verifier(m, false)
		if err != nil {
			t.Fatal(err)
		}
		err = v.states(func(i int, state []value) {
			in := &v.body.Code[i]
			for r, x := range state {
				registers++
				switch letter := types[in.Address][r]; {
				case strings.IndexByte(letters[x.kind], letter) >= 0:
				case (letter == '!' || letter == 'R' && x.kind == zero) && releases(v.body):
					handlers++
				default:
					if different++; different < 8 {
						t.Errorf("%s: %#x: %s: v%d holds %s, the other analysis has %c", name, in.Address, in.Op, r, kindNames[x.kind], letter)
					}
				}
			}
		})
		if err != nil {
			t.Error(err)
		}
		n, err := v.operands(types)
		if err != nil {
			t.Errorf("with the types of the other analysis: %v", err)
		}
		checked += n
	}
	if different > 0 || handlers > 50 || registers < 3_000_000 || checked < 400_000 {
		t.Errorf("%d registers differ, %d in handlers, %d registers compared, %d instructions checked", different, handlers, registers, checked)
	}
	t.Logf("%d methods: %d registers before instructions compared, %d differ in handlers; %d instructions checked", len(methods), registers, handlers, checked)
}

// releases reports whether a body releases a lock. The other analysis assumes that a release may
// throw, and merges the state before it into the handler.
func releases(b *Body) bool {
	return slices.ContainsFunc(b.Code, func(in BodyInstruction) bool { return in.Op == OpMonitorExit })
}

// TestDamagesInRegisterTypes applies the damages of the verifier's test to the sample, and checks
// the operands with the types of the other analysis. That analysis does not track locks or check
// calls, so it finds only some of the damages.
func TestDamagesInRegisterTypes(t *testing.T) {
	original, err := Parse(sample(t))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{"": sample(t)}
	for _, d := range damages {
		w, err := NewWriter(original[0])
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range methodsByName(t, original[0]) {
			if w.Strings[w.Methods[m.Index].Name] != d.method {
				continue
			}
			c, err := w.Code(m.Code)
			if err != nil {
				t.Fatal(err)
			}
			b, err := w.Body(c)
			if err != nil {
				t.Fatal(err)
			}
			d.change(b)
			w.Replace(m.Index, func() (*Body, error) { return b, nil })
		}
		if files[d.name], err = w.Bytes(); err != nil {
			t.Fatal(err)
		}
	}
	other := analyse(t, files)
	found := make(map[string]bool)
	for name, data := range files {
		parsed, err := Parse(data)
		if err != nil {
			t.Fatal(err)
		}
		for method, m := range methodsByName(t, parsed[0]) {
			types := other[name][method]
			if len(types) == 0 {
				continue // A result of invoke-custom, or code that the other analysis rejects.
			}
			v, err := parsed[0].verifier(m, true)
			if err != nil {
				continue // The other analysis cannot find this damage.
			}
			if _, err := v.operands(types); err != nil {
				if found[name] = true; name == "" {
					t.Errorf("the intact file: %v", err)
				}
			}
		}
	}
	for _, d := range []string{"a register more, and the parameters not moved back", "a string in a register with an int", "the upper half of a long overwritten"} {
		if !found[d] {
			t.Errorf("%s: not found", d)
		}
	}
	t.Logf("%d of %d damages found: %v", len(found), len(damages), slices.Sorted(maps.Keys(found)))
}
