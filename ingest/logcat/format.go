package logcat

import (
	"context"
	"io"

	"github.com/diffprof/diffprof/ingest/format"
	"github.com/diffprof/diffprof/trace"
)

// Format describes logs of Android.
var Format = format.Format{
	Name:       "logcat",
	Title:      "logs of Android",
	Begins:     "text: a moment, a priority and a tag",
	Extensions: []string{"logcat"},
	Carries: []format.Fact{
		{Name: "run", How: "none: they lie beside a recording of what the app did"},
		{Name: "clocks", How: "that of the calendar, or since the phone's start, where logcat was asked for one of them"},
		{Name: "signals", How: "wakelocks, the GPS receiver, cameras and the screen, where the phone logs them"},
	},
	Record: []format.Recipe{
		{
			With:  "adb",
			Steps: []string{"adb logcat -b all -v epoch > app.logcat"},
			Note:  "With -v monotonic it lies beside a method trace by itself.",
		},
	},
	Text:   true,
	Sniff:  func(s format.Source) bool { return format.IsText(s.Head()) && Sniff(s.Head()) },
	Decode: format.Streamed(read),
}

func read(ctx context.Context, r io.Reader, sink trace.Sink, o format.Options) (*trace.Trace, error) {
	return Decode(ctx, r, sink, o.Triggers)
}
