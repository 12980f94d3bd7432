package trigger

import (
	"maps"
	"slices"
	"strings"

	"github.com/diffprof/diffprof/internal/table"
)

// An Effect is what a system call does with the file or the socket that its first argument
// stands for.
type Effect uint8

// The effects.
const (
	NoEffect Effect = iota
	// Receives moves data in, Sends out; Syncs waits until what was written is stored.
	Receives
	Sends
	Syncs
)

// effects are the keys of syscalls.
var effects = map[string]Effect{"receive": Receives, "send": Sends, "sync": Syncs, none: NoEffect}

// none stands in tables for no part of the device.
const none = "none"

// calls are what system calls ask.
type calls struct {
	effects map[string]Effect
	// files and sockets have components, by the begin of a path and by family; empty for
	// none.
	files, sockets map[string]string
}

func newCalls() calls {
	return calls{make(map[string]Effect), make(map[string]string), make(map[string]string)}
}

// with returns calls with what others say in the place of what these say of the same.
func (c calls) with(more calls) calls {
	out := calls{maps.Clone(c.effects), maps.Clone(c.files), maps.Clone(c.sockets)}
	maps.Copy(out.effects, more.effects)
	maps.Copy(out.files, more.files)
	maps.Copy(out.sockets, more.sockets)
	return out
}

// Call returns what a system call does; NoEffect for those that the table does not have.
func (t *Table) Call(name string) Effect { return t.calls.effects[name] }

// File returns the component that a file lies in, by the longest begin of its path that the
// table has. It returns the empty text for none. A relative path lies where most files do.
func (t *Table) File(path string) string {
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	best, component := "", ""
	for begin, c := range t.calls.files {
		if len(begin) > len(best) && strings.HasPrefix(path, begin) {
			best, component = begin, c
		}
	}
	return component
}

// Socket returns the component of sockets of a family, such as AF_INET; empty for none.
func (t *Table) Socket(family string) string {
	if behind, ok := strings.CutPrefix(family, "PF_"); ok {
		family = "AF_" + behind
	}
	return t.calls.sockets[family]
}

// Calls returns the names of the system calls that have an effect, in their order.
func (t *Table) Calls(e Effect) []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(t.calls.effects)) {
		if t.calls.effects[name] == e {
			names = append(names, name)
		}
	}
	return names
}

// syscalls reads the system calls by what they do.
func (p *parser) syscalls(v table.Value) {
	keys := make(map[string]func(table.Value))
	for key, effect := range effects {
		keys[key] = func(v table.Value) {
			for name := range p.words(v, "system call", isName) {
				p.table.calls.effects[name] = effect
			}
		}
	}
	v.Object(keys)
}

// places reads components with what lies in them.
func (p *parser) places(v table.Value, what string, fits func(string) string, to map[string]string) {
	for component, list := range v.Entries() {
		if component == none {
			component = ""
		}
		for text := range p.words(list, what, fits) {
			to[text] = component
		}
	}
}

// words yields the texts of a list, each of which may stand once among its kind. fits says what
// is wrong with a text, nothing if it is right.
func (p *parser) words(v table.Value, what string, fits func(string) string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for _, one := range v.List() {
			text, ok := one.Text()
			if !ok {
				continue
			}
			line, twice := p.lines[what+" "+text]
			switch said := fits(text); {
			case said != "":
				one.Fail("%q is no %s: %s", text, what, said)
			case twice:
				one.Fail("%s stands on line %d already", text, line)
			default:
				p.lines[what+" "+text] = one.Line()
				if !yield(text) {
					return
				}
			}
		}
	}
}

func isName(text string) string {
	for _, r := range text {
		if r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') {
			return "write its name, such as sendto"
		}
	}
	return ""
}

func isPath(text string) string {
	if !strings.HasPrefix(text, "/") {
		return "write the begin of a path, such as /data/"
	}
	return ""
}

func isFamily(text string) string {
	if !strings.HasPrefix(text, "AF_") {
		return "write its name, such as AF_INET"
	}
	return ""
}
