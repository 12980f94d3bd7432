package perfetto

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/diffprof/diffprof/ingest/perfetto/symbol"
	methods "github.com/diffprof/diffprof/ingest/stacks"
	"github.com/diffprof/diffprof/ingest/wire"
	"github.com/diffprof/diffprof/trace"
)

// maxFrames limits the total number of frames in the different stacks of a trace.
const maxFrames = 4 << 20

var errFrames = errors.New("the stacks of the trace have more than four million frames")

// stacks has the different stacks of a trace, each with the outermost frame first.
type stacks struct {
	methods []trace.MethodID
	lines   []int32
	// ends has the end of each stack in methods.
	ends []int32
}

// add completes the stack whose frames were pushed, and returns its index.
func (s *stacks) add() (int32, error) {
	if len(s.methods) > maxFrames || len(s.ends) > maxFrames {
		return noStack, errFrames
	}
	s.ends = append(s.ends, int32(len(s.methods)))
	return int32(len(s.ends) - 1), nil
}

// at returns a stack.
func (s *stacks) at(index int32) ([]trace.MethodID, []int32) {
	from := int32(0)
	if index > 0 {
		from = s.ends[index-1]
	}
	return s.methods[from:s.ends[index]], s.lines[from:s.ends[index]]
}

func (s *stacks) push(m trace.MethodID, line int) {
	s.methods = append(s.methods, m)
	s.lines = append(s.lines, int32(max(line, 0)))
}

// stackOf returns the index of the interned stack with an id, or of the empty stack if the id is
// unknown.
func (s *sequence) stackOf(id uint64) (int32, error) {
	c := s.callstacks[id]
	if s.d.surveying || c.frames != nil && c.index != noStack {
		return c.index, nil
	}
	s.d.codes, s.d.lines = s.d.codes[:0], s.d.lines[:0]
	for _, f := range c.frames {
		s.pushFrame(s.frames[f])
	}
	// Frames without information are left out, and so are their lines.
	all := slices.Clone(s.d.codes)
	i := 0
	for _, kept := range methods.Tidy(s.d.codes) {
		for all[i] != kept {
			i++
		}
		s.d.stacks.push(kept.Method, s.d.lines[i])
		i++
	}
	index, err := s.d.stacks.add()
	put(&s.callstacks, id, callstack{frames: append([]uint64{}, c.frames...), index: index})
	return index, err
}

// pushFrame pushes a frame and the functions that were inlined into it.
func (s *sequence) pushFrame(f frame) {
	d := s.d
	m := s.mappings[f.mapping]
	file := s.pathOf(m)
	push := func(c methods.Code, line int) {
		d.codes = append(d.codes, c)
		d.lines = append(d.lines, line)
	}
	lines := d.symbols.Lines(file, string(s.builds[m.build]), f.place)
	for _, l := range slices.Backward(lines) {
		push(d.names.Function(file, l.Function), l.Number)
	}
	if len(lines) > 0 {
		return
	}
	function := d.symbols.Java(file, d.pkg, string(s.functions[f.function]))
	line := int(int32(f.line))
	switch {
	case function == "":
		push(d.names.Place(cmp.Or(file, "unknown"), f.place), line)
	case f.kind == frameInterpreted:
		push(methods.Code{Method: d.names.ID([]byte(function)), Kind: methods.Interpreted}, line)
	case f.kind == frameJIT:
		push(methods.Code{Method: d.names.ID([]byte(function)), Kind: methods.JIT}, line)
	case file == "":
		// The kind of this code is unknown.
		push(methods.Code{Method: d.names.ID([]byte(methods.Demangle(function)))}, line)
	default:
		push(d.names.Function(file, function), line)
	}
}

// pathOf returns the path of a mapping.
func (s *sequence) pathOf(m mapping) string {
	var b strings.Builder
	for _, part := range m.parts {
		b.WriteByte('/')
		b.WriteString(strings.TrimPrefix(string(s.paths[part]), "/"))
	}
	return b.String()
}

// The kinds of frames of Android's virtual machine.
const (
	frameInterpreted = 3
	frameJIT         = 4
)

// inlineStack reads a stack that its sample contains.
func (s *sequence) inlineStack(data []byte) (int32, error) {
	err := wire.Each(data, func(number int, _ uint64, data []byte) error {
		if number != 1 || s.d.surveying {
			return nil
		}
		var l symbol.Line
		err := wire.Each(data, func(number int, value uint64, data []byte) error {
			switch number {
			case 1:
				l.Function = string(data)
			case 3:
				l.Number = int(int32(value))
			}
			return nil
		})
		s.d.stacks.push(s.d.names.ID([]byte(l.Function)), l.Number)
		return err
	})
	if err != nil || s.d.surveying {
		return 0, err
	}
	return s.d.stacks.add()
}
