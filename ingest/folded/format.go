package folded

import (
	"context"
	"io"

	"github.com/diffprof/diffprof/ingest/format"
	"github.com/diffprof/diffprof/trace"
)

// Format describes folded stacks.
var Format = format.Format{
	Name:       "folded",
	Title:      "folded stacks",
	Start:      "text: on each line frames separated by `;`, then a space and a number",
	Extensions: []string{"folded", "collapsed", "foldedstack"},
	Facts: []format.Fact{
		{Name: "run", Detail: "stacks, each with a value for its innermost frame"},
		{Name: "methods", Detail: "the text of a frame: class, name and descriptor if the writer knows them"},
		{Name: "lines", Detail: "if the writer adds them, as in load (feed.py:12) and com/mine/Feed.load:12"},
		{Name: "threads", Detail: "if the first frame is the thread's name in brackets"},
		{Name: "clocks", Detail: "processor time, if --folded-unit is a unit of time"},
		{Name: "energy", Detail: "if --folded-unit is a unit of energy"},
		{Name: "calls", Detail: "if values state them, as in 1200@3"},
	},
	Record: []format.Recipe{
		{
			Tools: "async-profiler, for a JVM",
			Steps: []string{"asprof -d 30 -e cpu -t --total -o collapsed -f app.folded PID"},
			Note:  "Read it with --folded-unit ns.",
		},
		{
			Tools: "simpleperf, for an Android app",
			Steps: []string{
				`app_profiler.py -p com.mine -r "-e cpu-clock -f 1000 -g --duration 10"`,
				"stackcollapse.py -i perf.data > app.folded",
			},
			Note: "Read it with --folded-unit ns.",
		},
		{
			Tools: "perf and FlameGraph, on Linux",
			Steps: []string{
				"perf record -F 1000 -g -p PID -- sleep 30",
				"perf script | stackcollapse-perf.pl > app.folded",
			},
			Note: "Values count samples: read it with --folded-unit ms.",
		},
		{
			Tools: "any other program",
			Steps: []string{"echo '[main];app.Feed.load()V;app.Json.read()V 1200' > app.folded"},
			Note:  "Read it with --folded-unit nJ, or the unit of the values.",
		},
	},
	Text:   true,
	Sniff:  func(s format.Source) bool { return Sniff(s.Head()) },
	Decode: format.Streamed(read),
}

func read(ctx context.Context, r io.Reader, sink trace.Sink, o format.Options) (*trace.Trace, error) {
	return Decode(ctx, r, sink, Options{Unit: o.Unit, Voltage: o.Voltage})
}
