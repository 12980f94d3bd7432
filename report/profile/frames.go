package profile

import (
	"github.com/diffprof/diffprof/name"
)

// frames makes the frames of a profile.
type frames struct {
	p *Profile
	// known are the frames by the numbers of methods, methods those of the frames.
	known   map[int32]int32
	methods []name.Method
}

func newFrames(p *Profile) *frames { return &frames{p: p, known: make(map[int32]int32)} }

// of returns the frame of a method, which has a number in its table.
func (f *frames) of(number int32, m name.Method) int32 {
	at, ok := f.known[number]
	if !ok {
		at = int32(len(f.methods))
		f.known[number] = at
		f.methods = append(f.methods, m)
	}
	return at
}

// name names the frames, once all are there. The descriptor of a method of the JVM says
// little to people: it is left out where no other frame has the name without it.
func (f *frames) name() {
	plain := make(map[string]int, len(f.methods))
	for _, m := range f.methods {
		plain[withoutDescriptor(m)]++
	}
	for _, m := range f.methods {
		frame := Frame{Name: withoutDescriptor(m), Label: m.Label(), File: m.File, Line: m.Line}
		if plain[frame.Name] > 1 || frame.Name == "" {
			frame.Name = frame.Label
		}
		if frame.Name == "" {
			frame.Name = "(unnamed)"
		}
		f.p.Frames = append(f.p.Frames, frame)
	}
}

// withoutDescriptor returns a method's label without the JVM's descriptor.
func withoutDescriptor(m name.Method) string {
	if m.Lang == name.JVM {
		m.Signature = ""
	}
	return m.Label()
}
