package mapping

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// A slowLine is a method line as the oracle reads it: the texts, in file order and without an
// index.
type slowLine struct {
	from, to, original, last int // -1 if missing.
	result, class, method    string
	params, name             string
	residual                 string
}

var (
	slowClass  = regexp.MustCompile(`^(\S+) -> (\S+):$`)
	slowMember = regexp.MustCompile(`^ +(?:(\d+):(\d+):)?(\S+) (?:(\S+)\.)?([^\s.()]+)\(([^()]*)\)(?::(\d+))?(?::(\d+))? -> (\S+)$`)
	slowNote   = regexp.MustCompile(`^ +# .*residualsignature","signature":"([^"]*)"`)
)

func slowParse(text string) (classes map[string]string, lines map[string][]slowLine) {
	classes, lines = make(map[string]string), make(map[string][]slowLine)
	current := ""
	number := func(s string) int {
		if n, err := strconv.Atoi(s); err == nil {
			return n
		}
		return -1
	}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if f := slowClass.FindStringSubmatch(line); f != nil {
			classes[f[2]], current = f[1], f[2]
		} else if f := slowMember.FindStringSubmatch(line); f != nil {
			lines[current] = append(lines[current], slowLine{
				from: number(f[1]), to: number(f[2]), result: f[3], class: f[4], method: f[5],
				params: f[6], original: number(f[7]), last: number(f[8]), name: f[9],
			})
		} else if f := slowNote.FindStringSubmatch(line); f != nil && len(lines[current]) > 0 {
			all := lines[current]
			all[len(all)-1].residual = f[1]
		}
	}
	return classes, lines
}

// slowOuter finds the chain that contains a line, by scanning the class from the top. ok is false
// if two chains contain the line.
func slowOuter(all []slowLine, name string, line int) (chain []slowLine, ok bool) {
	found := 0
	for i := 0; i < len(all); i++ {
		start := i
		for i+1 < len(all) && all[i+1].name == all[i].name && all[i].from >= 0 && all[i].original >= 0 &&
			all[i+1].from == all[i].from && all[i+1].to == all[i].to {
			i++
		}
		if all[i].name == name && all[i].from >= 0 && all[i].from <= line && line <= all[i].to {
			chain = all[start : i+1]
			found++
		}
	}
	return chain, found == 1
}

// TestRetraceAgreesWithTheOracle compares Retrace with the oracle for every range of every method
// in every real file.
func TestRetraceAgreesWithTheOracle(t *testing.T) {
	for _, file := range sampleFiles(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			m := read(t, string(data))
			if lines, first := m.Skipped(); lines > 0 {
				t.Errorf("skipped %d lines, the first: %v", lines, first)
			}
			classes, lines := slowParse(string(data))
			if len(classes) != len(m.classes) {
				t.Errorf("%d classes, want %d", len(m.classes), len(classes))
			}
			total, asked, chained := 0, 0, 0
			for obfuscated, original := range classes {
				if m.Class(obfuscated) != original {
					t.Errorf("Class(%s) = %s, want %s", obfuscated, m.Class(obfuscated), original)
				}
				total += len(lines[obfuscated])
				for _, line := range lines[obfuscated] {
					if line.from <= 0 {
						continue
					}
					for _, at := range []int{line.from, line.to} {
						want, ok := slowOuter(lines[obfuscated], line.name, at)
						if !ok {
							continue
						}
						got, ambiguous := m.Retrace(Frame{Class: obfuscated, Method: line.name, Line: at})
						if ambiguous || len(got) != len(want) {
							t.Fatalf("%s.%s:%d = %v, %v; want %v", obfuscated, line.name, at, got, ambiguous, want)
						}
						for i, w := range want {
							g := got[len(got)-1-i]
							class, wantLine := w.class, w.original
							if class == "" {
								class = original
							}
							if w.original < 0 {
								wantLine = at
							} else if w.last-w.original == w.to-w.from {
								wantLine = w.original + at - w.from
							}
							if g.Class != class || g.Method != w.method || g.Line != wantLine {
								t.Fatalf("%s.%s:%d frame %d = %v, want %v", obfuscated, line.name, at, i, g, w)
							}
						}
						asked++
						if len(want) > 1 {
							chained++
						}
					}
				}
			}
			if total != len(m.methods) {
				t.Errorf("%d method lines, want %d", len(m.methods), total)
			}
			t.Logf("%d classes, %d lines, %d asked, %d of them inlined", len(classes), total, asked, chained)
		})
	}
}

// TestRetraceFindsTheResidualMethod looks up each real method by its obfuscated descriptor, without
// a line. The descriptor comes from R8's note, or from converting the original types to obfuscated
// ones. The result must be the original method.
func TestRetraceFindsTheResidualMethod(t *testing.T) {
	for _, file := range sampleFiles(t) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		m := read(t, string(data))
		classes, lines := slowParse(string(data))
		forward := make(map[string]string)
		for obfuscated, original := range classes {
			forward[original] = obfuscated
		}
		letters := map[string]string{
			"boolean": "Z", "byte": "B", "char": "C", "double": "D", "float": "F", "int": "I", "long": "J", "short": "S", "void": "V",
		}
		describe := func(types string, forward map[string]string) (out string) {
			for name := range strings.FieldsFuncSeq(types, func(r rune) bool { return r == ',' }) {
				element := strings.TrimRight(name, "[]")
				out += strings.Repeat("[", (len(name)-len(element))/2)
				if letter, ok := letters[element]; ok {
					out += letter
					continue
				}
				if to, ok := forward[element]; ok {
					element = to
				}
				out += "L" + strings.ReplaceAll(element, ".", "/") + ";"
			}
			return out
		}
		asked, unclear := 0, 0
		for obfuscated, all := range lines {
			for i, line := range all {
				if line.from >= 0 && i+1 < len(all) && all[i+1].name == line.name && all[i+1].from == line.from {
					continue // Inlined.
				}
				descriptor := line.residual
				if descriptor == "" {
					descriptor = "(" + describe(line.params, forward) + ")" + describe(line.result, forward)
				}
				got, ambiguous := m.Retrace(Frame{Class: obfuscated, Method: line.name, Descriptor: descriptor})
				asked++
				if ambiguous {
					unclear++
					continue
				}
				want := "(" + describe(line.params, nil) + ")" + describe(line.result, nil)
				if len(got) != 1 || got[0].Method != line.method || got[0].Descriptor != want {
					t.Fatalf("%s: %s.%s%s = %v, want %v", file, obfuscated, line.name, descriptor, got, line)
				}
			}
		}
		t.Logf("%s: %d asked, %d ambiguous", filepath.Base(file), asked, unclear)
	}
}

// FuzzRead checks the documented behavior of Read and Retrace for any text.
func FuzzRead(f *testing.F) {
	f.Add(sample)
	f.Add("a -> b:\r\n    1:1:void c():2 -> d\r\n")
	f.Add("a -> b:\n    0:65535:void c():0:0 -> d\n      # {\"id\":\"com.android.tools.r8.residualsignature\",\"signature\":\"()V\"}\n")
	f.Fuzz(func(t *testing.T, text string) {
		m, err := Read(strings.NewReader(text))
		if err != nil {
			return
		}
		if lines, first := m.Skipped(); (lines > 0) != (first != nil) {
			t.Errorf("skipped %d lines, the first: %v", lines, first)
		}
		for name, c := range m.classes {
			if c.first > c.end || c.end > len(m.methods) {
				t.Fatalf("class %q has methods %d to %d of %d", name, c.first, c.end, len(m.methods))
			}
			for _, e := range m.methods[c.first:c.end] {
				for _, line := range []int{0, int(e.start), int(e.end)} {
					in := Frame{Class: name, Method: m.text[e.name], Descriptor: m.text[e.residual], Line: line}
					frames, _ := m.Retrace(in)
					if len(frames) == 0 {
						t.Fatalf("Retrace(%+v) gives nothing", in)
					}
					for _, frame := range frames {
						if frame.Method == "" || frame.Class == "" || frame.Line < 0 {
							t.Errorf("Retrace(%+v): %+v", in, frame)
						}
					}
				}
			}
		}
	})
}
