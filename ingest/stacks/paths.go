package stacks

import (
	"errors"

	"github.com/diffprof/diffprof/trace"
)

// Paths are stacks as many formats write them: a table of frames, each of which names the
// one that called it. It is for one goroutine.
type Paths struct {
	frames []pathFrame
	// inner are the frames of one path, the innermost first.
	inner []pathFrame
}

type pathFrame struct {
	caller int32
	method trace.MethodID
	line   int32
}

// NoFrame is the caller of an outermost frame, and the method of a frame that is none:
// a path has those around it.
const NoFrame = -1

// Add adds the next frame; the first one has the number 0. caller may be the number of a
// frame that comes later. The line is 0 where it is unknown.
func (p *Paths) Add(caller int32, m trace.MethodID, line int32) {
	p.frames = append(p.frames, pathFrame{caller, m, line})
}

// Len is how many frames there are.
func (p *Paths) Len() int { return len(p.frames) }

// SetCaller says what called a frame.
func (p *Paths) SetCaller(frame, caller int32) { p.frames[frame].caller = caller }

// Push puts the path that ends at a frame on the stack of the sample that comes next.
// NoFrame is an empty one.
func (p *Paths) Push(b *Batch, frame int32) error {
	p.inner = p.inner[:0]
	for steps := 0; frame != NoFrame; steps++ {
		switch {
		case frame < 0 || int(frame) >= len(p.frames):
			return errors.New("a stack names a frame that there is not")
		case steps > len(p.frames):
			return errors.New("a stack has a frame that called itself")
		}
		if f := p.frames[frame]; f.method != NoFrame {
			p.inner = append(p.inner, f)
		}
		frame = p.frames[frame].caller
	}
	for i := len(p.inner) - 1; i >= 0; i-- {
		b.Push(p.inner[i].method, p.inner[i].line)
	}
	return nil
}
