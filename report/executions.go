package report

import (
	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/lines"
)

// Executions counts how often lines ran. It needs a build that records executed paths.
type Executions struct {
	// Paths counts the executed paths. Stopped counts the paths that an exception stopped. Unknown
	// counts the paths whose lines are unknown. Times counts the paths whose times the app kept.
	Paths   int64 `json:"paths"`
	Stopped int64 `json:"stopped"`
	Unknown int64 `json:"unknown"`
	Times   int64 `json:"times"`
	// Busy is the time spent in methods with probes. Probes is the part spent in the probes
	// themselves, and Overhead is Probes divided by Busy. Joined is the part of Busy that may be
	// outside methods.
	Busy     int64   `json:"busyNS"`
	Joined   int64   `json:"joinedNS"`
	Probes   int64   `json:"probesNS"`
	Overhead float64 `json:"overhead"`
	// Total is the number of lines that pass the filters, and Rows has the listed ones.
	Total int            `json:"total"`
	Rows  []ExecutionRow `json:"rows"`
}

// An ExecutionRow states how often a line was executed, and how often an exception stopped it.
type ExecutionRow struct {
	Method  string `json:"method"`
	File    string `json:"file"`
	Line    int    `json:"line"`
	Own     bool   `json:"own"`
	Count   int64  `json:"count"`
	Stopped int64  `json:"stopped"`
}

// setExecutions sets l.Executions from counted lines.
func (l *Lines) setExecutions(e *lines.Executions, o LinesOptions) {
	x := &Executions{
		Paths: e.Paths, Stopped: e.Stopped, Unknown: e.Unknown, Times: e.Times,
		Busy: e.Cost.Busy, Joined: e.Cost.Joined, Probes: e.Cost.Probes, Rows: []ExecutionRow{},
	}
	if x.Busy > 0 {
		x.Overhead = float64(x.Probes) / float64(x.Busy)
	}
	for _, r := range e.Rows {
		own := l.maker.owners[r.Method.Label()].own
		if o.Keep != nil && !o.Keep(LineOwner{r.Method, own}) {
			continue
		}
		if x.Total++; o.Rows > 0 && len(x.Rows) >= o.Rows {
			continue
		}
		l.Methods.add(r.Method)
		x.Rows = append(x.Rows, ExecutionRow{r.Method.Label(), r.Method.File, r.Line, own, r.Count, r.Stopped})
	}
	l.Executions, l.maker.executed = x, e
}

// executionsIn returns how often each line of a class and its nested classes ran. Lambdas put
// several methods on one line; the largest count is used.
func (l *Lines) executionsIn(class string) map[int]int64 {
	ran := make(map[int]int64)
	if l.maker.executed == nil {
		return ran
	}
	for _, r := range l.maker.executed.Rows {
		if analysis.TopLevel(r.Method) == class {
			ran[r.Line] = max(ran[r.Line], r.Count)
		}
	}
	return ran
}

// Place names the line of a row.
func (l *Lines) Place(r *ExecutionRow, name string) string {
	return l.Name(&LineRow{Method: r.Method, File: r.File, Line: r.Line, Lines: 1}, name)
}

// Unlisted counts the lines that are not listed.
func (x *Executions) Unlisted() int { return x.Total - len(x.Rows) }
