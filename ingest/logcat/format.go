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
	Start:      "text: a time, a priority and a tag",
	Extensions: []string{"logcat"},
	Facts: []format.Fact{
		{Name: "run", Detail: "none: they complement a recording of the app"},
		{Name: "clocks", Detail: "calendar time if logcat ran with -v epoch, the time since the phone's start with -v monotonic"},
		{Name: "signals", Detail: "wakelocks, the GPS receiver, cameras and the screen, if the phone logs them"},
	},
	Record: []format.Recipe{
		{
			Tools: "adb",
			Steps: []string{"adb logcat -b all -v epoch > app.logcat"},
			Note:  "With -v monotonic it is aligned with a method trace automatically.",
		},
	},
	Text:   true,
	Sniff:  func(s format.Source) bool { return format.IsText(s.Head()) && Sniff(s.Head()) },
	Decode: format.Streamed(read),
}

func read(ctx context.Context, r io.Reader, sink trace.Sink, o format.Options) (*trace.Trace, error) {
	return Decode(ctx, r, sink, o.Triggers)
}
