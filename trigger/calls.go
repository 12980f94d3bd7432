package trigger

import (
	"maps"
	"slices"
	"strings"

	"github.com/diffprof/diffprof/internal/table"
)

// An Effect is the effect of a system call on the file or socket that is its first argument.
type Effect uint8

// The effects.
const (
	NoEffect Effect = iota
	// Receives and Sends move data in and out. Syncs waits until written data is stored.
	Receives
	Sends
	Syncs
)

// effects maps the keys of syscalls to effects.
var effects = map[string]Effect{"receive": Receives, "send": Sends, "sync": Syncs, none: NoEffect}

// In tables, this text means no component.
const none = "none"

// calls are the entries for system calls.
type calls struct {
	effects map[string]Effect
	// files maps prefixes of paths to components. sockets maps families to components. An empty
	// text means no component.
	files, sockets map[string]string
}

func newCalls() calls {
	return calls{make(map[string]Effect), make(map[string]string), make(map[string]string)}
}

// with is Table.With for the entries of system calls.
func (c calls) with(more calls) calls {
	out := calls{maps.Clone(c.effects), maps.Clone(c.files), maps.Clone(c.sockets)}
	maps.Copy(out.effects, more.effects)
	maps.Copy(out.files, more.files)
	maps.Copy(out.sockets, more.sockets)
	return out
}

// Call returns the effect of a system call, or NoEffect if the call is unknown.
func (t *Table) Call(name string) Effect { return t.calls.effects[name] }

// File returns the component of a file, or "". The longest prefix of the path in the table decides.
// A relative path is taken from the root folder, which is the most common one.
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

// Socket returns the component of a family of sockets, such as AF_INET, or "".
func (t *Table) Socket(family string) string {
	if behind, ok := strings.CutPrefix(family, "PF_"); ok {
		family = "AF_" + behind
	}
	return t.calls.sockets[family]
}

// Calls returns the sorted names of the system calls with an effect.
func (t *Table) Calls(e Effect) []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(t.calls.effects)) {
		if t.calls.effects[name] == e {
			names = append(names, name)
		}
	}
	return names
}

// syscalls reads the system calls, grouped by effect.
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

// places reads components with their paths or families.
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

// words yields the texts of a list. A text may occur only once per kind. fits returns the reason
// why a text is invalid, or "".
func (p *parser) words(v table.Value, what string, fits func(string) string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for _, one := range v.List() {
			text, ok := one.Text()
			if !ok {
				continue
			}
			line, twice := p.lines[what+" "+text]
			switch reason := fits(text); {
			case reason != "":
				one.Fail("%q is not a %s: %s", text, what, reason)
			case twice:
				one.Fail("%s is already on line %d", text, line)
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
		return "write the start of a path, such as /data/"
	}
	return ""
}

func isFamily(text string) string {
	if !strings.HasPrefix(text, "AF_") {
		return "write its name, such as AF_INET"
	}
	return ""
}
