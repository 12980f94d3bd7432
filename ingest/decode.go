package ingest

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/diffprof/diffprof/ingest/art"
	"github.com/diffprof/diffprof/ingest/atrace"
	"github.com/diffprof/diffprof/ingest/batterystats"
	"github.com/diffprof/diffprof/ingest/chrome"
	"github.com/diffprof/diffprof/ingest/firefox"
	"github.com/diffprof/diffprof/ingest/folded"
	"github.com/diffprof/diffprof/ingest/jfr"
	"github.com/diffprof/diffprof/ingest/joularjx"
	"github.com/diffprof/diffprof/ingest/logcat"
	"github.com/diffprof/diffprof/ingest/meter"
	"github.com/diffprof/diffprof/ingest/perf"
	"github.com/diffprof/diffprof/ingest/perfetto"
	"github.com/diffprof/diffprof/ingest/perfscript"
	"github.com/diffprof/diffprof/ingest/petra"
	"github.com/diffprof/diffprof/ingest/pprof"
	"github.com/diffprof/diffprof/ingest/profilo"
	"github.com/diffprof/diffprof/ingest/simpleperf"
	"github.com/diffprof/diffprof/ingest/speedscope"
	"github.com/diffprof/diffprof/ingest/strace"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// These functions read a source as a format of the table.

func decodeART(ctx context.Context, s *Source, sink trace.Sink, o Options) (*trace.Trace, error) {
	opts := art.Options{Partial: o.Partial, Flows: s.flows}
	decode := func(sink trace.Sink) (*trace.Trace, error) {
		r, err := s.Stream(ctx)
		if err != nil {
			return nil, err
		}
		defer r.Close()
		return art.Decode(ctx, r, sink, opts)
	}
	if art.LateClock(s.Head()) {
		// Which of an event's fields its time belongs to has to be known from the
		// start, so that this rare form is read twice.
		t, err := decode(nothing{})
		if err != nil {
			return nil, err
		}
		opts.Clock = t.Clock
	}
	return decode(sink)
}

func decodeSimpleperf(ctx context.Context, s *Source, sink trace.Sink, o Options) (*trace.Trace, error) {
	open := func() (io.ReadCloser, error) { return s.Stream(ctx) }
	return simpleperf.Decode(ctx, open, sink, simpleperf.Options{SampleType: o.SampleType, Process: o.Process, Frequency: o.Frequency, Partial: o.Partial})
}

func decodePerf(ctx context.Context, s *Source, sink trace.Sink, o Options) (*trace.Trace, error) {
	r, size, err := s.At(ctx)
	if err != nil {
		return nil, err
	}
	opts := perf.Options{
		SampleType: o.SampleType, Process: o.Process, Frequency: o.Frequency, Partial: o.Partial, MaxExpanded: max(o.MaxExpanded, 0),
	}
	if o.Symfs != "" {
		root, err := os.OpenRoot(o.Symfs)
		if err != nil {
			return nil, fmt.Errorf("opening the folder of programs: %w", err)
		}
		defer root.Close()
		opts.Files = root.FS()
	}
	return perf.Decode(ctx, r, size, sink, opts)
}

func decodePerfScript(ctx context.Context, s *Source, sink trace.Sink, o Options) (*trace.Trace, error) {
	open := func() (io.ReadCloser, error) { return s.Stream(ctx) }
	return perfscript.Decode(ctx, open, sink, perfscript.Options{SampleType: o.SampleType, Process: o.Process, Frequency: o.Frequency})
}

func decodeLogcat(ctx context.Context, s *Source, sink trace.Sink, o Options) (*trace.Trace, error) {
	r, err := s.Stream(ctx)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return logcat.Decode(ctx, r, sink, o.Triggers)
}

func decodeStrace(ctx context.Context, s *Source, sink trace.Sink, o Options) (*trace.Trace, error) {
	open := func() (io.ReadCloser, error) { return s.Stream(ctx) }
	return strace.Decode(ctx, open, sink, strace.Options{Process: o.Process, Triggers: o.Triggers})
}

func decodeJFR(ctx context.Context, s *Source, sink trace.Sink, o Options) (*trace.Trace, error) {
	r, size, err := s.At(ctx)
	if err != nil {
		return nil, err
	}
	return jfr.Decode(ctx, r, size, sink, jfr.Options{SampleType: o.SampleType, Partial: o.Partial})
}

func decodePerfetto(ctx context.Context, s *Source, sink trace.Sink, o Options) (*trace.Trace, error) {
	r, size, err := s.At(ctx)
	if err != nil {
		return nil, err
	}
	return perfetto.Decode(ctx, r, size, sink, perfetto.Options{
		SampleType: o.SampleType, Process: o.Process, Partial: o.Partial, MaxExpanded: s.max,
		Spool: func() (perfetto.File, error) { return unnamed() }, Triggers: o.Triggers,
	})
}

func decodePprof(ctx context.Context, s *Source, sink trace.Sink, o Options) (*trace.Trace, error) {
	open := func() (io.ReadCloser, error) { return s.Stream(ctx) }
	return pprof.Decode(ctx, open, sink, pprof.Options{SampleType: o.SampleType})
}

func decodeAtrace(ctx context.Context, s *Source, sink trace.Sink, o Options) (*trace.Trace, error) {
	open := func() (io.ReadCloser, error) { return s.Stream(ctx) }
	return atrace.Decode(ctx, open, sink, atrace.Options{Process: o.Process, Partial: o.Partial, Triggers: o.Triggers})
}

func decodeChrome(ctx context.Context, s *Source, sink trace.Sink, o Options) (*trace.Trace, error) {
	r, err := s.Stream(ctx)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return chrome.Decode(ctx, r, sink, chrome.Options{SampleType: o.SampleType, Process: o.Process})
}

func decodeCPUProfile(ctx context.Context, s *Source, sink trace.Sink, o Options) (*trace.Trace, error) {
	r, err := s.Stream(ctx)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return chrome.DecodeProfile(ctx, r, sink, chrome.Options{SampleType: o.SampleType, Process: o.Process})
}

func decodeSpeedscope(ctx context.Context, s *Source, sink trace.Sink, o Options) (*trace.Trace, error) {
	open := func() (io.ReadCloser, error) { return s.Stream(ctx) }
	return speedscope.Decode(ctx, open, sink, speedscope.Options{SampleType: o.SampleType, Unit: o.Unit, Voltage: o.Voltage})
}

func decodeFirefox(ctx context.Context, s *Source, sink trace.Sink, o Options) (*trace.Trace, error) {
	r, err := s.Stream(ctx)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return firefox.Decode(ctx, r, sink, firefox.Options{SampleType: o.SampleType, Process: o.Process})
}

func decodeFolded(ctx context.Context, s *Source, sink trace.Sink, o Options) (*trace.Trace, error) {
	r, err := s.Stream(ctx)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return folded.Decode(ctx, r, sink, folded.Options{Unit: o.Unit, Voltage: o.Voltage})
}

func decodeMeter(ctx context.Context, s *Source, sink trace.Sink, _ Options) (*trace.Trace, error) {
	r, err := s.Stream(ctx)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return meter.Decode(ctx, r, sink)
}

func decodeBatteryStats(ctx context.Context, s *Source, sink trace.Sink, _ Options) (*trace.Trace, error) {
	r, err := s.Stream(ctx)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return batterystats.Decode(ctx, r, sink)
}

func decodeProfilo(ctx context.Context, s *Source, sink trace.Sink, o Options) (*trace.Trace, error) {
	r, err := s.Stream(ctx)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return profilo.Decode(ctx, r, sink, profilo.Options{Unit: o.Unit, Voltage: o.Voltage})
}

func decodePETrA(ctx context.Context, s *Source, sink trace.Sink, _ Options) (*trace.Trace, error) {
	r, err := s.Stream(ctx)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return petra.Decode(ctx, r, sink)
}

func sniffJoularJX(s *Source) bool {
	if folder := s.Folder(); folder != nil {
		return joularjx.Holds(folder)
	}
	return joularjx.Sniff(s.Head())
}

func decodeJoularJX(ctx context.Context, s *Source, sink trace.Sink, _ Options) (*trace.Trace, error) {
	joule, err := units.ParseValueUnit("J")
	if err != nil {
		return nil, err
	}
	r, err := openJoularJX(ctx, s)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	t, err := folded.Decode(ctx, r, sink, folded.Options{Unit: joule, Comma: true})
	if err != nil {
		return nil, err
	}
	t.Format = "joularjx"
	if joularjx.IsPower(s.path) {
		t.Warnings = append(t.Warnings, trace.Warning{Code: "powers", Message: "by its name the file holds powers, and their sum is no energy; read the file of energies beside it"})
	}
	return t, nil
}

// openJoularJX opens the file, or of a folder the one that says most of its run.
func openJoularJX(ctx context.Context, s *Source) (io.ReadCloser, error) {
	folder := s.Folder()
	if folder == nil {
		return s.Stream(ctx)
	}
	path, err := joularjx.Find(folder)
	if err != nil {
		return nil, err
	}
	return s.file(path)
}

// nothing is a sink for scans that are made for their Trace.
type nothing struct{}

func (nothing) Events([]trace.Event) error   { return nil }
func (nothing) Samples([]trace.Sample) error { return nil }
