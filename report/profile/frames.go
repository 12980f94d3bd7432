package profile

import (
	"github.com/diffprof/diffprof/name"
)

// frames makes the frames of a profile.
type frames struct {
	p *Profile
	// known maps the numbers of methods to frames. methods has the method of each frame.
	known   map[int32]int32
	methods []name.Method
}

func newFrames(p *Profile) *frames { return &frames{p: p, known: make(map[int32]int32)} }

// frame returns the frame of a method. number is the method's number in its table.
func (f *frames) frame(number int32, m name.Method) int32 {
	at, ok := f.known[number]
	if !ok {
		at = int32(len(f.methods))
		f.known[number] = at
		f.methods = append(f.methods, m)
	}
	return at
}

// name sets the names of the frames, after all of them were added. Descriptors of the JVM are hard
// to read, so it omits the descriptor of a method if no other method has the same name.
func (f *frames) name() {
	plain := make(map[string]int, len(f.methods))
	counted := make(map[string]bool, len(f.methods))
	for _, m := range f.methods {
		if m = m.OnLine(0); !counted[m.Label()] {
			counted[m.Label()] = true
			plain[withoutDescriptor(m)]++
		}
	}
	for _, m := range f.methods {
		on := int(max(m.On, 0))
		m = m.OnLine(0)
		frame := Frame{Name: withoutDescriptor(m), Label: m.Label(), File: m.File, Line: m.Line, On: on}
		if plain[frame.Name] > 1 || frame.Name == "" {
			frame.Name = frame.Label
		}
		if frame.Name == "" {
			frame.Name = "(unnamed)"
		}
		f.p.Frames = append(f.p.Frames, frame)
	}
}

// withoutDescriptor returns a method's label without its JVM descriptor.
func withoutDescriptor(m name.Method) string {
	if m.Lang == name.JVM {
		m.Signature = ""
	}
	return m.Label()
}
