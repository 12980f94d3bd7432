package analysis

import (
	"cmp"
	"context"

	"github.com/diffprof/diffprof/code/mapping"
	"github.com/diffprof/diffprof/ingest"
	"github.com/diffprof/diffprof/lines"
	"github.com/diffprof/diffprof/name"
)

// Executions counts how often a run executed each source line. It reads the recording again. The
// result is nil for a recording without paths (see trace.PathSink), and for several runs.
func Executions(ctx context.Context, in *Input, o Options) (*lines.Executions, error) {
	if !in.Trace.Paths || len(in.Runs) > 0 {
		return nil, nil
	}
	how := o.Ingest
	how.Process = cmp.Or(o.Subject.Process, how.Process)
	f, err := ingest.Open(ctx, in.Path, how)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if o.Subject.Mapping == "" {
		return lines.CountExecutions(ctx, f, nil)
	}
	names, err := readMapping(ctx, o.Subject.Mapping, how.MaxExpanded)
	if err != nil {
		return nil, err
	}
	return lines.CountExecutions(ctx, f, func(m name.Method, line int32) (name.Method, int) { return innermost(names, m, line) })
}

// innermost returns the source method and line of a recorded line. An inlined line belongs to the
// inlined method.
func innermost(names *mapping.Map, m name.Method, line int32) (name.Method, int) {
	at := frame(m)
	at.Line = int(line)
	frames := names.RetraceLine(at)
	f := frames[len(frames)-1]
	return name.OfClass(f.Class, f.Method, f.Descriptor).At(f.File, 0), f.Line
}
