package speedscope

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/diffprof/diffprof/trace"
)

// A role is what a frame of .NET's recorders (dotnet-trace, PerfView) is besides a method.
type role uint8

const (
	method role = iota
	// managed, unmanaged and blocked are the innermost frames of each stack. They state what the
	// thread did: it ran the method above, it was in native code, or it waited. A thread in native
	// code may also wait.
	managed
	unmanaged
	blocked
	// outer are the outermost frames: the process, the thread, and the headings between them.
	outer
)

// roleOf returns the role of a frame in a recording of .NET. In other recordings, a method may have
// the name of an outer frame.
func roleOf(frame string) role {
	switch frame {
	case "CPU_TIME":
		return managed
	case "UNMANAGED_CODE_TIME":
		return unmanaged
	case "BLOCKED_TIME":
		return blocked
	case "(Non-Activities)", "Threads":
		return outer
	}
	for _, prefix := range []string{"Thread (", "Process(", "Process32 ", "Process64 "} {
		if strings.HasPrefix(frame, prefix) {
			return outer
		}
	}
	return method
}

// activities states what a thread did while a frame was innermost.
var activities = [...]trace.Activity{managed: trace.Working, unmanaged: trace.UnknownActivity, blocked: trace.Waiting, outer: trace.UnknownActivity}

// addresses matches the addresses of method tables in the signatures of generated methods, as in
// dynamicClass.ResolveService(pMT: 0x304312d90). They differ from run to run.
var addresses = regexp.MustCompile(`pMT: 0x[0-9A-Fa-f]+`)

// addFrame adds a frame with this name, and returns its method. addOuter adds the method of a frame
// that may be an outer frame.
func (d *decoder) addFrame(text string) trace.MethodID {
	r := roleOf(text)
	d.roles = append(d.roles, r)
	switch {
	case r == outer:
		d.outer = append(d.outer, outerFrame{len(d.roles) - 1, text})
		return 0
	case r != method:
		d.dotNet = true
		return 0
	case text == "?!?":
		text = "[unknown]"
	case strings.Contains(text, "pMT: 0x"):
		text = addresses.ReplaceAllString(text, "pMT")
	}
	return d.names.ID([]byte(text))
}

// An outerFrame is a frame that is a method unless the recording is of .NET.
type outerFrame struct {
	at   int
	text string
}

// addOuter adds the outer frames to the table if the recording is not of .NET.
func (d *decoder) addOuter() {
	for _, f := range d.outer {
		if !d.dotNet {
			d.roles[f.at], d.methods[f.at] = method, d.names.ID([]byte(f.text))
		}
	}
	d.outer = nil
}

// maxStack bounds the frames of a sample. Without it, the time for a profile with events would grow
// with the square of the depth.
const maxStack = 1 << 11

// sendStack sends the open frames of a recording of .NET as a sample. value belongs to them. The
// events of such a recording are the changes from sample to sample, not calls.
func (r *run) sendStack(ctx context.Context, value int64) error {
	if !r.dotNet || value == 0 {
		return nil
	}
	if len(r.open) > maxStack {
		r.deep++
	}
	for _, frame := range r.open[:min(len(r.open), maxStack)] {
		if err := r.push(frame); err != nil {
			return err
		}
	}
	r.time = r.last - r.first - value
	samples := int64(1)
	if r.period > 0 {
		samples = max(1, (value+r.period/2)/r.period)
	}
	return r.add(ctx, value, samples)
}

// Constants of findPeriod. maxGaps bounds the number of differences. Moments of one sample differ by
// at most leastGap, in nanoseconds.
const (
	maxGaps  = 1 << 16
	leastGap = 100_000
)

// findPeriod finds the time between two samples of a recording of .NET. The recorder merges equal
// samples that follow each other, and takes one or two milliseconds between samples. The period is
// the lower quartile of the differences between consecutive moments of a profile, since merged
// samples only make differences longer.
func (d *decoder) findPeriod(ctx context.Context) error {
	var gaps []int64
	err := d.eachChosen(func(p *profile) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		last := int64(-1)
		return d.in.Members(func(name []byte) error {
			if string(name) != "events" || len(gaps) >= maxGaps {
				return d.in.Skip()
			}
			return d.in.Elements(func() error {
				return d.in.Members(func(name []byte) error {
					if string(name) != "at" {
						return d.in.Skip()
					}
					now, err := d.in.Scaled(p.num, p.den)
					if gap := now - last; last >= 0 && gap > leastGap && len(gaps) < maxGaps {
						gaps = append(gaps, gap)
					}
					last = now
					return err
				})
			})
		})
	})
	if slices.Sort(gaps); len(gaps) > 0 {
		d.period = gaps[len(gaps)/4]
	}
	return err
}
