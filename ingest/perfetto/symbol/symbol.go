// Package symbol has the symbols in a Perfetto trace: the functions at addresses of native
// libraries, and the original names of obfuscated Java code.
package symbol

import (
	"errors"
	"strings"

	"github.com/diffprof/diffprof/ingest/wire"
)

// maxBytes limits the memory for the names of a trace.
const maxBytes = 64 << 20

var errLarge = errors.New("the trace has more than 64 MiB of symbols")

// A Line is a function at an address, with its source file and line.
type Line struct {
	Function, File string
	Number         int
}

// A Table has the symbols of a trace. The zero Table is empty. It must not be used
// concurrently.
type Table struct {
	lines map[place][]Line
	// packages has the names of obfuscated packages, in the order of the trace.
	packages []*names
	bytes    int
}

// A place is an address in a module, which is identified by its build id or else by its path.
type place struct {
	module  string
	address uint64
}

// names maps the obfuscated names of a package to the original names.
type names struct {
	pkg     string
	classes map[string]string
	members map[member]string
}

// A member identifies a member of a class by the obfuscated names of the class and the member.
type member struct{ class, name string }

// Empty reports whether there are no symbols.
func (t *Table) Empty() bool { return len(t.lines) == 0 && len(t.packages) == 0 }

// AddModule adds the symbols in a ModuleSymbols message.
func (t *Table) AddModule(data []byte) error {
	var path, build string
	var places [][]byte
	err := wire.Each(data, func(number int, _ uint64, data []byte) error {
		switch number {
		case 1:
			path = string(data)
		case 2:
			build = string(data)
		case 3:
			places = append(places, data)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if build == "" {
		build = path
	}
	if t.lines == nil {
		t.lines = make(map[place][]Line)
	}
	for _, data := range places {
		at := place{module: build}
		var lines []Line
		err := wire.Each(data, func(number int, value uint64, data []byte) error {
			switch number {
			case 1:
				at.address = value
			case 2:
				line, err := readLine(data)
				lines = append(lines, line)
				return err
			}
			return nil
		})
		if err != nil {
			return err
		}
		if t.bytes += 2*len(data) + 64; t.bytes > maxBytes {
			return errLarge
		}
		t.lines[at] = lines
	}
	return nil
}

func readLine(data []byte) (l Line, err error) {
	err = wire.Each(data, func(number int, value uint64, data []byte) error {
		switch number {
		case 1:
			l.Function = string(data)
		case 2:
			l.File = string(data)
		case 3:
			l.Number = int(int32(value))
		}
		return nil
	})
	return l, err
}

// Lines returns the functions at an address of a module. Inlined functions come first, and the
// function that contains them is last. build is the module's build id, or empty.
func (t *Table) Lines(path, build string, address uint64) []Line {
	if len(t.lines) == 0 {
		return nil
	}
	if lines, ok := t.lines[place{build, address}]; ok && build != "" {
		return lines
	}
	return t.lines[place{path, address}]
}

// AddMapping adds the names in a DeobfuscationMapping message.
func (t *Table) AddMapping(data []byte) error {
	n := &names{classes: make(map[string]string), members: make(map[member]string)}
	if t.bytes += 4 * len(data); t.bytes > maxBytes {
		return errLarge
	}
	err := wire.Each(data, func(number int, _ uint64, data []byte) error {
		switch number {
		case 1:
			n.pkg = string(data)
		case 3:
			return n.class(data)
		}
		return nil
	})
	t.packages = append(t.packages, n)
	return err
}

// class adds a class and its methods.
func (n *names) class(data []byte) error {
	var short, long string
	err := wire.Each(data, func(number int, _ uint64, data []byte) error {
		switch number {
		case 1:
			short = string(data)
		case 2:
			long = string(data)
		}
		return nil
	})
	if err != nil {
		return err
	}
	n.classes[short] = long
	return wire.Each(data, func(number int, _ uint64, data []byte) error {
		if number != 4 {
			return nil
		}
		m := member{class: short}
		var name string
		err := wire.Each(data, func(number int, _ uint64, data []byte) error {
			switch number {
			case 1:
				m.name = string(data)
			case 2:
				name = string(data)
			}
			return nil
		})
		// Several original methods may have the same short name. They cannot be distinguished.
		if known, ok := n.members[m]; ok && known != name {
			name = m.name
		}
		n.members[m] = name
		return err
	})
}

// Java returns the original name of a Java method, or name itself if it is unknown. path is the
// path of the code, and pkg is the package of the process. Either may be empty.
func (t *Table) Java(path, pkg, name string) string {
	dot := strings.LastIndexByte(name, '.')
	if len(t.packages) == 0 || dot <= 0 {
		return name
	}
	n := t.names(path, pkg)
	if n == nil {
		return name
	}
	class, method := name[:dot], name[dot+1:]
	long, ok := n.classes[class]
	if !ok {
		return name
	}
	switch known := n.members[member{class, method}]; {
	case strings.HasPrefix(known, long+"."):
		method = known[len(long)+1:]
	case strings.Contains(known, "."):
		return known // The compiler moved this method from another class.
	case known != "":
		method = known
	}
	return long + "." + method
}

// names returns the names of the package in a path, or else of the package pkg. If pkg is empty and
// the trace has names of only one package, it returns those.
func (t *Table) names(path, pkg string) *names {
	for _, n := range t.packages {
		if n.pkg != "" && strings.Contains(path, "/"+n.pkg+"-") || n.pkg != "" && strings.Contains(path, "/"+n.pkg+"/") {
			return n
		}
	}
	for _, n := range t.packages {
		if n.pkg == pkg {
			return n
		}
	}
	if len(t.packages) == 1 && pkg == "" {
		return t.packages[0]
	}
	return nil
}
