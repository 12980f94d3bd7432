package stacks

import (
	"errors"
	"fmt"

	"github.com/diffprof/diffprof/trace"
)

// Paths are stacks in the form that many formats use: a table of frames, each with the index of
// its caller. They must not be used concurrently.
type Paths struct {
	frames []pathFrame
	// inner are the frames of one path, innermost first.
	inner []pathFrame
}

type pathFrame struct {
	caller int32
	method trace.MethodID
	line   int32
}

// NoFrame is the caller of an outermost frame. It is also the method of an entry that is not a
// frame: a path skips the entry.
const NoFrame = -1

// Add adds the next frame; the first one has the number 0. caller may be the number of a later
// frame. The line is 0 if it is unknown.
func (p *Paths) Add(caller int32, m trace.MethodID, line int32) {
	p.frames = append(p.frames, pathFrame{caller, m, line})
}

// Len returns the number of frames.
func (p *Paths) Len() int { return len(p.frames) }

// SetCaller sets the caller of a frame.
func (p *Paths) SetCaller(frame, caller int32) { p.frames[frame].caller = caller }

// Push adds the path that ends at a frame to the stack of the next sample. NoFrame is an empty
// path.
func (p *Paths) Push(b *Batch, frame int32) error {
	p.inner = p.inner[:0]
	for steps := 0; frame != NoFrame; steps++ {
		switch {
		case frame < 0 || int(frame) >= len(p.frames):
			return fmt.Errorf("a stack refers to unknown frame %d (the file has %d)", frame, len(p.frames))
		case steps > len(p.frames):
			return errors.New("a stack has a cycle of callers")
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
