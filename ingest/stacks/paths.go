package stacks

import (
	"errors"
	"fmt"

	"github.com/diffprof/diffprof/trace"
)

// Paths is a table of frames. Each frame has the index of its caller. Many formats store stacks in
// this form. Paths must not be used concurrently.
type Paths struct {
	frames []pathFrame
	// lined is set if a line of any frame is known.
	lined bool
	// path is the path that was pushed last, as frames, the outermost first. methods and lines are
	// its stack, and ends[i] is the length of the stack up to path[i]. If the next path begins with
	// the same frames, these are not processed again.
	path    []int32
	ends    []int32
	methods []trace.MethodID
	lines   []int32
	// at has the index of each frame in path. It is outdated for frames that are no longer in path.
	at []int32
	// inner has the frames of a path that are not in the previous path, the innermost first.
	inner []int32
}

type pathFrame struct {
	caller int32
	method trace.MethodID
	line   int32
}

// NoFrame is the caller of an outermost frame. As a method, it marks an entry that is not a frame.
// Push skips such entries.
const NoFrame = -1

// Add adds the next frame. Frames are numbered from 0. caller may be the number of a later frame.
// line is 0 if it is unknown.
func (p *Paths) Add(caller int32, m trace.MethodID, line int32) {
	p.frames = append(p.frames, pathFrame{caller, m, line})
	p.lined = p.lined || line != 0
}

// Insert adds a frame between a frame and its caller, and returns its number.
func (p *Paths) Insert(frame int32, m trace.MethodID, line int32) int32 {
	p.Add(p.frames[frame].caller, m, line)
	added := int32(len(p.frames) - 1)
	p.SetCaller(frame, added)
	return added
}

// Len returns the number of frames.
func (p *Paths) Len() int { return len(p.frames) }

// SetCaller sets the caller of a frame.
func (p *Paths) SetCaller(frame, caller int32) {
	p.frames[frame].caller = caller
	p.path = p.path[:0]
}

// Repair makes a frame outermost if its caller is not in the table, or if its callers form a cycle.
// It returns the number of frames that it changed.
func (p *Paths) Repair() (lost int) {
	const seen, done = 1, 2
	state := make([]uint8, len(p.frames))
	for i := range p.frames {
		at := int32(i)
		for state[at] == 0 {
			state[at] = seen
			caller := p.frames[at].caller
			if caller == NoFrame {
				break
			}
			if caller < 0 || int(caller) >= len(p.frames) || state[caller] == seen {
				p.SetCaller(at, NoFrame)
				lost++
				break
			}
			at = caller
		}
		for at := int32(i); at != NoFrame && state[at] == seen; at = p.frames[at].caller {
			state[at] = done
		}
	}
	return lost
}

// Push adds the path that ends at a frame to the stack of the next sample of b. It ignores NoFrame.
func (p *Paths) Push(b *Batch, frame int32) error {
	if frame == NoFrame {
		return nil
	}
	if len(p.at) < len(p.frames) {
		p.at = append(p.at, make([]int32, len(p.frames)-len(p.at))...)
	}
	p.inner = p.inner[:0]
	shared := 0
	for frame != NoFrame {
		if frame < 0 || int(frame) >= len(p.frames) {
			return fmt.Errorf("a stack refers to unknown frame %d (the file has %d)", frame, len(p.frames))
		}
		if at := int(p.at[frame]); at < len(p.path) && p.path[at] == frame {
			shared = at + 1
			break
		}
		if p.inner = append(p.inner, frame); len(p.inner) > len(p.frames) {
			return errors.New("a stack has a cycle of callers")
		}
		frame = p.frames[frame].caller
	}
	p.path, p.ends = p.path[:shared], p.ends[:shared]
	depth := 0
	if shared > 0 {
		depth = int(p.ends[shared-1])
	}
	p.methods, p.lines = p.methods[:depth], p.lines[:depth]
	for i := len(p.inner) - 1; i >= 0; i-- {
		frame := p.inner[i]
		p.at[frame] = int32(len(p.path))
		p.path = append(p.path, frame)
		if f := p.frames[frame]; f.method != NoFrame {
			p.methods = append(p.methods, f.method)
			p.lines = append(p.lines, f.line)
		}
		p.ends = append(p.ends, int32(len(p.methods)))
	}
	b.methods = append(b.methods, p.methods...)
	b.lines = append(b.lines, p.lines...)
	b.lined = b.lined || p.lined && len(p.lines) > 0
	return nil
}
