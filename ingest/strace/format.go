package strace

import (
	"context"

	"github.com/diffprof/diffprof/ingest/format"
	"github.com/diffprof/diffprof/trace"
)

// Format describes logs of strace.
var Format = format.Format{
	Name:       "strace",
	Title:      "logs of strace",
	Start:      "text: a system call with its arguments and result, optionally after a thread's number and a time",
	Extensions: []string{"strace"},
	Facts: []format.Fact{
		{Name: "run", Detail: "every system call, as the innermost frame of the stack that made it, if -k printed the stack"},
		{Name: "methods", Detail: "the library and the function, if the library has symbols; the system call"},
		{Name: "threads", Detail: "id, name and process"},
		{Name: "clocks", Detail: "the duration of each call, if -T printed it, and the time since the start"},
		{Name: "calls", Detail: "system calls are counted"},
		{Name: "signals", Detail: "requests to the network and the disk, by the descriptors of calls"},
	},
	Record: []format.Recipe{
		{
			Tools: "strace, on Linux, or on a rooted Android phone",
			Steps: []string{"strace -f -ttt -T -k -yy -o app.strace ./app"},
			Note:  "Stacks take most of the time; without -k the calls have no callers. Merge the files of -ff with strace-log-merge.",
		},
	},
	Text:   true,
	Sniff:  func(s format.Source) bool { return format.IsText(s.Head()) && Sniff(s.Head()) },
	Decode: read,
}

func read(ctx context.Context, s format.Source, sink trace.Sink, o format.Options) (*trace.Trace, error) {
	return Decode(ctx, format.Opener(ctx, s), sink, Options{Process: o.Process, Triggers: o.Triggers})
}
