package dex

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/test/cached"
)

// positionsOfApps has the number of line positions that dexdump 11 prints for real apps.
var positionsOfApps = map[string]int{"ApiDemos-debug.apk": 128_502, "settings_apk-debug.apk": 116_625, "appium-uiautomator2-server-v10.6.6.apk": 260_210}

// TestRealApps compares the methods, instructions and positions of real apps with dexdump.
func TestRealApps(t *testing.T) {
	if testing.Short() {
		t.Skip("dexdump takes seconds")
	}
	if _, err := exec.LookPath("dexdump"); err != nil {
		t.Skip("needs dexdump (apt-get install dexdump)")
	}
	for app, files := range cached.DexFiles(t, cached.Apps(t)) {
		positions := 0
		for _, file := range files {
			positions += compareWithDexdump(t, file)
		}
		if want := positionsOfApps[app]; want != 0 && positions != want {
			t.Errorf("%s has %d positions, want %d", app, positions, want)
		}
	}
}

func compareWithDexdump(t *testing.T, file cached.Dex) (positions int) {
	path := filepath.Join(t.TempDir(), "classes.dex")
	if err := os.WriteFile(path, file.Data, 0o644); err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), "dexdump", "-d", path)
	pipe, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	printed := make(chan string, 1024)
	go func() {
		defer close(printed)
		scanner := bufio.NewScanner(pipe)
		scanner.Buffer(nil, 1<<24)
		for scanner.Scan() {
			if line := normalise(scanner.Text()); line != "" {
				printed <- line
			}
		}
	}()
	wrong, lines := 0, 0
	check := func(format string, args ...any) {
		lines++
		if got, want := fmt.Sprintf(format, args...), <-printed; got != want && wrong < 5 {
			wrong++
			t.Errorf("%s: line %d is %q, dexdump has %q", file.Name, lines, got, want)
		}
	}
	found, err := Parse(file.Data)
	if err != nil || len(found) != 1 {
		t.Fatalf("%s: %d files, %v", file.Name, len(found), err)
	}
	f := found[0]
	members, err := f.Members()
	if err != nil {
		t.Fatalf("%s: %v", file.Name, err)
	}
	for i := range f.Classes {
		for _, methods := range [][]Method{members[i].Direct, members[i].Virtual} {
			for _, m := range methods {
				id := f.Methods[m.Index]
				name, _ := Text(f.Strings[id.Name])
				check("method %s%s", name, f.Signature(id.Proto))
				if m.Code == 0 {
					continue
				}
				c, err := f.Code(m.Code)
				if err != nil {
					t.Fatalf("%s: %v", file.Name, err)
				}
				check("registers %d %d %d", c.Registers, c.Ins, c.Outs)
				err = f.Instructions(c, func(in *Instruction) error {
					text := in.Op.String()
					switch {
					case in.Op == OpNop:
						text = "nop //"
					case in.Op.IsData():
						text = map[Op]string{OpPackedSwitchTable: "packed-switch-data", OpSparseSwitchTable: "sparse-switch-data", OpArrayData: "array-data"}[in.Op]
					}
					check("%04x %s", in.Address, text)
					return nil
				})
				if err != nil {
					t.Fatalf("%s: %v", file.Name, err)
				}
				for _, try := range c.Tries {
					check("try 0x%04x 0x%04x", try.Start, try.End)
					h := c.Handlers[try.Handler]
					for _, catch := range h.Catches {
						check("catch %s 0x%04x", f.Descriptor(catch.Type), catch.Address)
					}
					if h.All >= 0 {
						check("catch <any> 0x%04x", h.All)
					}
				}
				table, err := f.Lines(c)
				if err != nil {
					t.Fatalf("%s: %v", file.Name, err)
				}
				for _, p := range table {
					positions++
					check("position 0x%04x line=%d", p.Address, p.Line)
				}
			}
		}
	}
	for line := range printed {
		if wrong++; wrong < 5 {
			t.Errorf("%s: dexdump has also %q", file.Name, line)
		}
	}
	if err := command.Wait(); err != nil {
		t.Error(err)
	}
	if lines == 0 {
		t.Errorf("%s: nothing compared", file.Name)
	}
	return positions
}

// dumped is the state of normalise.
var dumped struct {
	name      string
	registers []string
	positions bool
}

// normalise converts a line of dexdump's output to the format of the test. It returns "" for lines
// that the test does not compare.
func normalise(line string) string {
	d := &dumped
	field, value, _ := strings.Cut(strings.TrimSpace(line), ":")
	field, value = strings.TrimSpace(field), strings.TrimSpace(value)
	switch {
	case strings.HasPrefix(line, "      name          :"):
		d.name = strings.Trim(value, "'")
	case strings.HasPrefix(line, "      type          :") && strings.HasPrefix(value, "'("):
		d.positions = false
		return "method " + d.name + strings.Trim(value, "'")
	case strings.HasPrefix(line, "      registers     :"):
		d.registers = []string{value}
	case strings.HasPrefix(line, "      ins           :"), strings.HasPrefix(line, "      outs          :"):
		d.registers = append(d.registers, value)
		if field == "outs" {
			return "registers " + strings.Join(d.registers, " ")
		}
	case strings.HasPrefix(line, "      positions     :"):
		d.positions = true
	case strings.HasPrefix(line, "      locals        :"):
		d.positions = false
	case strings.HasPrefix(line, "        0x") && d.positions:
		return "position " + strings.TrimSpace(line)
	case strings.HasPrefix(line, "        0x") && strings.Contains(line, " - ") && !strings.Contains(line, "reg="):
		fields := strings.Fields(line)
		return "try " + fields[0] + " " + fields[2]
	case strings.HasPrefix(line, "          ") && strings.Contains(line, " -> 0x"):
		fields := strings.Fields(line)
		return "catch " + fields[0] + " " + fields[2]
	default:
		_, code, ok := strings.Cut(line, "|")
		if !ok || len(code) < 6 || code[4] != ':' {
			return ""
		}
		if _, err := strconv.ParseUint(code[:4], 16, 32); err != nil {
			return ""
		}
		op := strings.Fields(code[5:])
		if op[0] == "nop" {
			op[0] = "nop //"
		}
		return code[:4] + " " + op[0]
	}
	return ""
}

// BenchmarkPositions reads the line tables of each real app.
func BenchmarkPositions(b *testing.B) {
	for app, files := range cached.DexFiles(b, cached.Apps(b)) {
		b.Run(app, func(b *testing.B) {
			for b.Loop() {
				for _, file := range files {
					if _, err := readAll(file.Data); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
