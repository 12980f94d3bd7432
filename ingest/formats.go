package ingest

import (
	"github.com/diffprof/diffprof/ingest/art"
	"github.com/diffprof/diffprof/ingest/atrace"
	"github.com/diffprof/diffprof/ingest/batterystats"
	"github.com/diffprof/diffprof/ingest/calls"
	"github.com/diffprof/diffprof/ingest/chrome"
	"github.com/diffprof/diffprof/ingest/firefox"
	"github.com/diffprof/diffprof/ingest/folded"
	"github.com/diffprof/diffprof/ingest/format"
	"github.com/diffprof/diffprof/ingest/jfr"
	"github.com/diffprof/diffprof/ingest/joularjx"
	"github.com/diffprof/diffprof/ingest/logcat"
	"github.com/diffprof/diffprof/ingest/meter"
	"github.com/diffprof/diffprof/ingest/otlp"
	"github.com/diffprof/diffprof/ingest/perf"
	"github.com/diffprof/diffprof/ingest/perfetto"
	"github.com/diffprof/diffprof/ingest/perfscript"
	"github.com/diffprof/diffprof/ingest/petra"
	"github.com/diffprof/diffprof/ingest/pprof"
	"github.com/diffprof/diffprof/ingest/profilo"
	"github.com/diffprof/diffprof/ingest/simpleperf"
	"github.com/diffprof/diffprof/ingest/speedscope"
	"github.com/diffprof/diffprof/ingest/strace"
)

// These are the types of package format that callers of this package use.
type (
	Format  = format.Format
	Fact    = format.Fact
	Recipe  = format.Recipe
	Source  = format.Source
	Options = format.Options
)

// FactNames returns the names of all kinds of data in [Format].Carries, in display order.
func FactNames() []string { return format.FactNames() }

// Formats returns the formats that diffprof reads, in the order in which it tries them. To add a
// format, add its value here. Formats with a magic number come first, then text formats. Folded
// stacks are last, because many other texts look like them.
func Formats() []Format {
	return []Format{
		art.Format,
		calls.Format,
		simpleperf.Format,
		perf.Format,
		jfr.Format,
		perfetto.Format,
		pprof.Format,
		meter.Format,
		batterystats.Format,
		atrace.Format,
		chrome.CPUProfile,
		chrome.Format,
		speedscope.Format,
		firefox.Format,
		otlp.Format,
		perfscript.Format,
		logcat.Format,
		strace.Format,
		profilo.Format,
		petra.Format,
		joularjx.Format,
		folded.Format,
	}
}
