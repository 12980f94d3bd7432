package lines

import (
	"cmp"
	"context"
	"slices"

	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
)

// Executions counts how often each line of a run was executed. It is made from a recording that
// counts the paths which control took through methods.
//
// A line is executed when control reaches it from another line, from a caller or from an exception.
// A loop within one line therefore counts once. The counts are exact, except for paths with unknown
// lines.
type Executions struct {
	// Rows are sorted by count, the largest first.
	Rows []Execution
	// Paths is how often any path was taken. Stopped counts the paths that an exception ended, and
	// Unknown the paths with unknown lines.
	Paths, Stopped, Unknown int64
	// Times is the number of path executions with a recorded time.
	Times int64
	Cost  trace.PathCost
}

// An Execution counts how often one line was executed.
type Execution struct {
	Method name.Method
	Line   int
	Count  int64
	// Stopped counts the executions that an exception stopped.
	Stopped int64
}

// CountExecutions counts the executions of lines in a recording with paths. source maps a compiled
// method and line to the method and line in the source. It may be nil.
func CountExecutions(ctx context.Context, rec trace.Recording, source func(m name.Method, line int32) (name.Method, int)) (*Executions, error) {
	c := &counter{figures: make(map[place]*Execution)}
	tr, err := rec.Scan(ctx, c)
	if err != nil {
		return nil, err
	}
	type line struct {
		method name.Method
		line   int
	}
	sums := make(map[line]*Execution)
	for at, f := range c.figures {
		m, n := tr.Methods[at.method], int(at.line)
		if source != nil {
			m, n = source(m, at.line)
		}
		sum := sums[line{m, n}]
		if sum == nil {
			sum = &Execution{Method: m, Line: n}
			sums[line{m, n}] = sum
		}
		sum.Count += f.Count
		sum.Stopped += f.Stopped
	}
	for _, sum := range sums {
		if sum.Count > 0 {
			c.out.Rows = append(c.out.Rows, *sum)
		}
	}
	slices.SortFunc(c.out.Rows, func(a, b Execution) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Method.Label(), b.Method.Label()), cmp.Compare(a.Line, b.Line))
	})
	return &c.out, nil
}

// A counter adds up the paths of a recording by line.
type counter struct {
	out     Executions
	figures map[place]*Execution
}

// Events implements trace.Sink.
func (c *counter) Events([]trace.Event) error { return nil }

// Samples implements trace.Sink.
func (c *counter) Samples([]trace.Sample) error { return nil }

// TakePaths implements trace.PathTaker.
func (c *counter) TakePaths() trace.PathSink { return c }

// Paths implements trace.PathSink.
func (c *counter) Paths(batch []trace.Path) error {
	for i := range batch {
		p := &batch[i]
		c.out.Paths += p.Count
		switch p.End {
		case trace.PathStopped:
			c.out.Stopped += p.Count
		case trace.PathClosed, trace.PathOther:
			c.out.Unknown += p.Count
		}
		for _, line := range p.Lines {
			c.at(p.Method, line).Count += p.Count
		}
		if len(p.Lines) == 0 {
			continue
		}
		last := c.at(p.Method, p.Lines[len(p.Lines)-1])
		if p.Continues {
			last.Count -= p.Count // The next path begins on this line, and counts it.
		}
		if p.End == trace.PathStopped {
			last.Stopped += p.Count
		}
	}
	return nil
}

func (c *counter) at(m trace.MethodID, line int32) *Execution {
	at := place{m, line}
	e := c.figures[at]
	if e == nil {
		e = new(Execution)
		c.figures[at] = e
	}
	return e
}

// PathTimes implements trace.PathSink.
func (c *counter) PathTimes(batch []trace.PathTime) error {
	c.out.Times += int64(len(batch))
	return nil
}

// Invocations implements trace.PathSink.
func (c *counter) Invocations([]trace.Invocation) error { return nil }

// PathCost implements trace.PathSink.
func (c *counter) PathCost(cost trace.PathCost) error {
	c.out.Cost = cost
	return nil
}
