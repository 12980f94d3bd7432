// Package stacks has the common parts of decoders for sampled stacks: a table of methods, and
// batches of samples.
package stacks

import (
	"bytes"
	"cmp"
	"fmt"
	"path"
	"slices"
	"unicode/utf8"

	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
)

// A Table maps the names of methods, in any language, to ids. A name is called a text until it is
// parsed. A Table must not be used concurrently.
type Table struct {
	census  name.Detector
	methods []name.Method
	// ids has the ids of methods by their text, and by their label.
	ids map[string]trace.MethodID
	// ambiguous has the methods whose language is ambiguous.
	ambiguous []ambiguous
	// settled is set after ResolveAmbiguous. Ambiguous texts are then parsed at once.
	settled bool
	// files has the paths of the files of native methods.
	files map[trace.MethodID]string
	// broken counts texts that are not UTF-8. size is the total size of the texts in bytes.
	broken, size int
}

// ambiguous is a method of an ambiguous language. Its text is parsed after all texts were read.
type ambiguous struct {
	id   trace.MethodID
	text string
}

// NewTable returns an empty table.
func NewTable() *Table {
	return &Table{ids: make(map[string]trace.MethodID), files: make(map[trace.MethodID]string)}
}

// ID returns the method of a text. The compiler makes the map lookup without a copy of text, so
// only a new text allocates memory.
func (t *Table) ID(text []byte) trace.MethodID {
	if id, ok := t.ids[string(text)]; ok {
		return id
	}
	t.size += len(text)
	valid := string(text)
	if !utf8.Valid(text) {
		t.broken++
		valid = string(bytes.ToValidUTF8(text, []byte("\uFFFD")))
	}
	// The spellings of a name with slashes and with dots are the same method.
	m, sure := t.census.Parse(valid)
	label := valid
	if sure {
		label = m.Label()
	}
	id, ok := t.ids[label]
	if !ok {
		id = trace.MethodID(len(t.methods))
		t.methods = append(t.methods, m)
		t.ids[label] = id
		if !sure {
			t.ambiguous = append(t.ambiguous, ambiguous{id, valid})
		}
		if t.settled {
			t.ResolveAmbiguous()
		}
	}
	t.ids[string(text)] = id
	return id
}

// Name implements trace.Names. Before ResolveAmbiguous, it returns false for native methods, and
// for methods whose language is ambiguous.
func (t *Table) Name(id trace.MethodID) (name.Method, bool) {
	if id < 0 || int(id) >= len(t.methods) {
		return name.Method{}, false
	}
	_, filed := t.files[id]
	_, unsure := slices.BinarySearchFunc(t.ambiguous, id, func(u ambiguous, id trace.MethodID) int { return cmp.Compare(u.id, id) })
	return t.methods[id], !filed && !unsure
}

// Size returns the total size of the different texts in bytes. Decoders use it to limit memory.
func (t *Table) Size() int { return t.size }

// native returns the method of native code. text has only the base name of the file.
func (t *Table) native(file string, text []byte) trace.MethodID {
	id := t.ID(text)
	if _, ok := t.files[id]; !ok {
		t.files[id] = file
		t.size += len(file)
	}
	return id
}

// Add returns the id of a method whose parts the recording states separately.
func (t *Table) Add(m name.Method) trace.MethodID {
	label := m.Label()
	id, ok := t.ids[label]
	if !ok {
		t.size += len(label)
		id = trace.MethodID(len(t.methods))
		t.methods = append(t.methods, m)
		t.ids[label] = id
	}
	return id
}

// ResolveAmbiguous parses the texts whose language is ambiguous. It assumes the most frequent
// language of the texts so far. If two methods would get the same label, the second keeps its whole
// text as its name. ResolveAmbiguous also completes the paths of native methods' files. After
// ResolveAmbiguous, Name knows all methods so far.
func (t *Table) ResolveAmbiguous() {
	t.settled = true
	for _, u := range t.ambiguous {
		m := t.census.Resolve(u.text)
		if id, taken := t.ids[m.Label()]; taken && id != u.id {
			m = name.Method{Name: u.text}
		}
		t.ids[m.Label()] = u.id
		t.methods[u.id] = m
	}
	for id, file := range t.files {
		file = name.Unhashed(file)
		if m := &t.methods[id]; m.Module == path.Base(file) {
			m.Module = file
		}
	}
	t.ambiguous = nil
	clear(t.files)
}

// Finish calls ResolveAmbiguous and returns the methods, indexed by id, with a warning about texts
// that are not UTF-8. ID must not be called afterwards.
func (t *Table) Finish() ([]name.Method, []trace.Warning) {
	t.ResolveAmbiguous()
	if t.broken == 0 {
		return t.methods, nil
	}
	return t.methods, []trace.Warning{{
		Code:    "invalid-utf8",
		Message: fmt.Sprintf("%d different frames are not UTF-8 text; the bytes that are not are shown as \uFFFD", t.broken),
	}}
}
