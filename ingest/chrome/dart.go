package chrome

import (
	"fmt"

	"github.com/diffprof/diffprof/ingest/document"
	"github.com/diffprof/diffprof/ingest/stacks"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
)

// The samples of Dart's VM come in three forms:
//
//   - The VM's own answer. It has a table of functions. A sample is a list of indices in this table.
//   - A trace whose events P refer to a table of frames, like the samples of Hermes.
//   - Such a trace within an export of the developer tools.
//
// The VM samples only running isolates. A sample represents one sampling period of processor time.
// The file states the period.

// maxPeriod limits the sampling period that a file states, in nanoseconds.
const maxPeriod = 60_000_000_000

// readPeriod reads the sampling period.
func (h *hermes) readPeriod(d *decoder) error {
	ns, err := moment(d.in)
	if ns > 0 && ns <= maxPeriod {
		h.period = ns
	}
	return err
}

// readFunctions reads the table of functions.
func (h *hermes) readFunctions(d *decoder) error {
	if !d.in.Is('[') {
		return d.in.Skip()
	}
	return d.in.Elements(func() error {
		if len(h.functions) >= maxNodes {
			return fmt.Errorf("the trace has more than %d functions", maxNodes)
		}
		var f dartFunction
		var path string
		if err := d.in.Members(func(name []byte) (err error) {
			switch {
			case string(name) == "function" && d.in.Is('{'):
				return f.read(d.in)
			case string(name) == "resolvedUrl":
				path, err = d.in.Name()
				return err
			}
			return d.in.Skip()
		}); err != nil {
			return err
		}
		if path == "" {
			path = f.path
		}
		h.functions = append(h.functions, d.dart(f.name, path))
		return nil
	})
}

// A dartFunction is a function in the VM's table. Its name begins with the class, if any.
type dartFunction struct{ name, path string }

func (f *dartFunction) read(in *document.Reader) error {
	class := ""
	err := in.Members(func(name []byte) (err error) {
		switch {
		case string(name) == "name":
			f.name, err = in.Name()
			return err
		case string(name) == "owner" && in.Is('{'):
			class, err = f.owner(in)
			return err
		}
		return in.Skip()
	})
	if class != "" {
		f.name = class + "." + f.name
	}
	return err
}

// owner reads the owner of a function, which is a class, a library or an enclosing function. It
// returns the name to put before the name of the function.
func (f *dartFunction) owner(in *document.Reader) (string, error) {
	kind, text, outer := "", "", ""
	err := in.Members(func(name []byte) (err error) {
		switch {
		case string(name) == "type":
			kind, err = in.Name()
		case string(name) == "name":
			text, err = in.Name()
		case string(name) == "uri":
			f.path, err = in.Name()
		case string(name) == "owner" && in.Is('{'):
			outer, err = f.owner(in)
		case string(name) == "library" && in.Is('{'):
			_, err = f.owner(in)
		default:
			err = in.Skip()
		}
		return err
	})
	switch {
	case kind == "@Library" || kind == "Library":
		return "", err
	case outer != "":
		return outer + "." + text, err
	}
	return text, err
}

// dart returns the method for a Dart function.
func (d *decoder) dart(function, path string) trace.MethodID {
	if path == "" {
		return d.names.ID([]byte(function))
	}
	return d.names.Add(name.OfScript(function, path, 0))
}

// stack adds a sample's stack to paths, and returns the node of its innermost function. In the
// sample, the innermost function comes first.
func (h *hermes) stack(s *hermesSample, paths *stacks.Paths, known map[dartContext]int32) int32 {
	at := int32(stacks.NoFrame)
	for i := s.to - 1; i >= s.from; i-- {
		method := trace.MethodID(stacks.NoFrame)
		if f := h.indices[i]; f >= 0 && int(f) < len(h.functions) {
			method = h.functions[f]
		} else if method = h.unknown; f < 0 {
			continue
		}
		key := dartContext{at, method}
		node, ok := known[key]
		if !ok {
			node = int32(paths.Len())
			paths.Add(at, method, 0)
			known[key] = node
		}
		at = node
	}
	return at
}

// A dartContext is a function that is called at the node caller.
type dartContext struct {
	caller int32
	method trace.MethodID
}
