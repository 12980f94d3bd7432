package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// perDex is the largest number of blocks in one DEX file. A DEX file refers to at most 65,536
// methods, and the call at the start of each block has a method of its own.
const perDex = 40_000

// perClass is the number of these methods in one class.
const perClass = 1000

// A site is the start of a basic block.
type site struct {
	method string // such as com.mine.Feed.load(I)V
	line   int
}

// A marker numbers the blocks of an app.
type marker struct {
	sites []site
	// line is the last line number that the current class has.
	line int
}

// markApp writes the two versions of an app and the list of their blocks.
func markApp(w io.Writer, mapFile, folder, marked, probed, list string) error {
	methods, err := readMap(mapFile)
	if err != nil {
		return err
	}
	paths := make(map[string]map[string]bool) // by file, then by name and descriptor
	for _, m := range methods {
		if m.Paths == nil {
			continue
		}
		file := filepath.FromSlash(strings.ReplaceAll(m.Class, ".", "/")) + ".smali"
		if paths[file] == nil {
			paths[file] = make(map[string]bool)
		}
		paths[file][m.Name+m.Descriptor] = true
	}
	var k marker
	dex, first := 0, 0 // the current DEX file, and its first site
	found := 0
	err = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		plain, calls := text, text
		to := "rest"
		if paths[name] != nil {
			found++
			if len(k.sites)-first > perDex {
				dex, first = dex+1, len(k.sites)
			}
			plain, calls = k.class(text, strings.TrimSuffix(filepath.ToSlash(name), ".smali"), paths[name])
			to = fmt.Sprint(dex)
		}
		for version, text := range map[string][]byte{marked: plain, probed: calls} {
			if err := write(filepath.Join(version, to, name), text); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if found != len(paths) {
		return fmt.Errorf("%s has %d classes with paths, and %d of them are in %s", mapFile, len(paths), found, folder)
	}
	var out bytes.Buffer
	for i, s := range k.sites {
		fmt.Fprintln(&out, s.method, s.line)
		if i%perClass == 0 {
			folder := filepath.Join(probed, fmt.Sprint("calls", i/perDex))
			if err := write(filepath.Join(folder, fmt.Sprintf("blocks/B%d.smali", i/perClass)), callee(i, min(i+perClass, len(k.sites)))); err != nil {
				return err
			}
		}
	}
	fmt.Fprintf(w, "%d classes have %d blocks\n", found, len(k.sites))
	return write(list, out.Bytes())
}

// callee returns the class with the methods that the blocks from first to end call. A call without
// parameters needs no register.
func callee(first, end int) []byte {
	text := fmt.Appendf(nil, ".class public Lblocks/B%d;\n.super Ljava/lang/Object;\n", first/perClass)
	for i := first; i < end; i++ {
		text = fmt.Appendf(text, `.method public static b%d()V
    .registers 1
    const v0, %d
    invoke-static {v0}, Lscreens/Blocks;->hit(I)V
    return-void
.end method
`, i, i)
	}
	return text
}

func write(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o666)
}

// class returns the two versions of a class. methods has the names and descriptors of the methods to
// mark.
func (k *marker) class(text []byte, class string, methods map[string]bool) (marked, probed []byte) {
	k.line = 0
	var plain, calls bytes.Buffer
	var m *method
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		line := lines.Text()
		switch word := strings.Fields(line); {
		case m == nil && strings.HasPrefix(line, ".method ") && methods[word[len(word)-1]]:
			m = &method{marker: k, name: strings.ReplaceAll(class, "/", ".") + "." + word[len(word)-1], leader: true}
		case m == nil || len(word) == 0:
		case line == ".end method":
			m = nil
		default:
			m.write(&plain, &calls, line, word[0])
			continue
		}
		fmt.Fprintln(&plain, line)
		fmt.Fprintln(&calls, line)
	}
	return plain.Bytes(), calls.Bytes()
}

// A method is a method whose blocks are marked.
type method struct {
	*marker
	name string
	// leader is true if the next instruction begins a block. second is true if it follows an
	// instruction that does.
	leader, second bool
	// table is the directive that the current lines are in, such as .packed-switch.
	table string
}

// write writes a line of the method to both versions.
func (m *method) write(plain, calls *bytes.Buffer, line, word string) {
	both := func(line string) {
		fmt.Fprintln(plain, line)
		fmt.Fprintln(calls, line)
	}
	switch {
	case m.table != "":
		if strings.HasPrefix(strings.TrimSpace(line), ".end "+m.table) {
			m.table = ""
		}
	case word == ".line":
		return
	case word == ".annotation" || word == ".packed-switch" || word == ".sparse-switch" || word == ".array-data":
		m.table = word[1:]
	case word[0] == ':':
		// Labels of tables and of ranges of handlers begin no block. The label of a handler does.
		kind := strings.TrimRight(word[1:], "0123456789abcdef")
		switch kind {
		case "pswitch_data_", "sswitch_data_", "array_", "try_start_", "try_end_":
		default:
			m.leader = true
		}
	case word[0] == '.' || word[0] == '#':
	default:
		m.instruction(both, calls, line, word)
		return
	}
	both(line)
}

// instruction writes an instruction. Each block has two lines: one for its first instruction, and
// one for the others. So if a block runs twice in a row, its first line is entered twice.
func (m *method) instruction(both func(string), calls *bytes.Buffer, line, op string) {
	begins := m.leader
	m.leader = strings.HasPrefix(op, "if-") || strings.HasPrefix(op, "goto") || strings.HasSuffix(op, "-switch") || strings.HasPrefix(op, "return") || op == "throw"
	if begins || m.second {
		m.line++
		both(fmt.Sprintf("    .line %d", m.line))
	}
	m.second = begins
	if !begins {
		both(line)
		return
	}
	call := fmt.Sprintf("    invoke-static {}, Lblocks/B%d;->b%d()V", len(m.sites)/perClass, len(m.sites))
	m.sites = append(m.sites, site{m.name, m.line})
	if op == "move-exception" { // It must be the first instruction of a handler.
		both(line)
		fmt.Fprintln(calls, call)
		return
	}
	fmt.Fprintln(calls, call)
	both(line)
}
