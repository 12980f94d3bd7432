package batterystats

import (
	"context"
	"io"

	"github.com/diffprof/diffprof/ingest/format"
	"github.com/diffprof/diffprof/trace"
)

// Format describes battery statistics of Android.
var Format = format.Format{
	Name:       "batterystats",
	Title:      "battery statistics of Android",
	Start:      "text: `Battery History`",
	Extensions: []string{}, // Many other files have the extension .txt.
	Facts: []format.Fact{
		{Name: "run", Detail: "none: they complement a recording of the app"},
		{Name: "clocks", Detail: "the phone's clock, since the reset of the statistics"},
		{Name: "signals", Detail: "which components were on, and the battery's charge in whole mAh"},
	},
	Record: []format.Recipe{
		{
			Tools: "diffprof itself, with each run",
			Steps: []string{"diffprof record --battery-stats --package com.mine -o runs"},
		},
		{
			Tools: "adb",
			Steps: []string{"adb shell dumpsys batterystats --reset", "adb shell dumpsys batterystats > run.batterystats.txt"},
			Note:  "The phone does not count while it is plugged in; adb shell dumpsys battery unplug makes it count.",
		},
	},
	Text:   true,
	Sniff:  func(s format.Source) bool { return format.IsText(s.Head()) && Sniff(s.Head()) },
	Decode: format.Streamed(read),
}

func read(ctx context.Context, r io.Reader, sink trace.Sink, _ format.Options) (*trace.Trace, error) {
	return Decode(ctx, r, sink)
}
