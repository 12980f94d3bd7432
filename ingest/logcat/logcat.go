// Package logcat reads requests to components of the device, such as wakelocks, the GPS receiver,
// cameras and the screen, from Android's log.
//
//	11-22 11:41:55.823  1438  1440 I CameraService: CameraService::connect call (PID 99 "com.mine", camera ID 0)
//
// A table of triggers states which messages are requests. Each such message becomes an operation,
// whose name contains the app that made the request. Each component has a track with the number of
// its resources that are held. A system service logs a message on one of its own threads, so
// operations have no thread, and their energy belongs to no call.
//
// # Times
//
// The package reads the formats threadtime, time, epoch and monotonic with the options year, zone,
// uid and usec. It also reads the format of Android Studio. It does not read formats whose lines
// have no time (brief, tag, long). Dates without a zone are in the phone's calendar, which cannot
// be related to any clock. The times in the formats epoch and monotonic are clock readings.
//
// # Imperfect logs
//
// Lines of several buffers are not in one order. A line that is older than the line before it gets
// that line's time, and a warning counts differences of more than a second. A resource that is
// acquired or started twice counts once. An end without a begin is left out and counted in a
// warning.
package logcat

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/diffprof/diffprof/ingest/stacks"
	"github.com/diffprof/diffprof/internal/syntax"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/trigger"
)

// Sniff reports whether head, the start of a file, is a log. The first line that is not one of
// logcat's dividers must have a time, a priority and a tag.
func Sniff(head []byte) bool {
	head = bytes.TrimPrefix(head, []byte(stacks.ByteOrderMark))
	for text := range bytes.Lines(head) {
		text = bytes.TrimRight(text, "\r\n")
		if len(text) == 0 || bytes.HasPrefix(text, []byte(divider)) {
			continue
		}
		var l line
		return l.read(text)
	}
	return false
}

// divider is the start of a line in which logcat names a buffer.
const divider = "--------- "

// Decode reads a log, and sends its requests to sink. triggers states which messages are requests.
// nil means the built-in table. Errors in the text are *syntax.Error.
func Decode(ctx context.Context, r io.Reader, sink trace.Sink, triggers *trigger.Table) (*trace.Trace, error) {
	all, err := trigger.OrBuiltIn(triggers)
	if err != nil {
		return nil, err
	}
	trace.Start(sink, trace.WallClock, trace.NoEnergy)
	d := &decoder{triggers: all, signals: trace.Signals(sink), tracks: make(map[string]int), held: make(map[string]int64)}
	lines := stacks.NewLines(r)
	var l line
	for {
		if lines.Number%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		text, err := lines.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, located(lines.Number, err)
		}
		text = bytes.TrimRight(text, "\r\n")
		if len(text) == 0 || bytes.HasPrefix(text, []byte(divider)) {
			continue
		}
		if !l.read(text) {
			d.odd++
			continue
		}
		if err := d.line(&l); err != nil {
			return nil, err
		}
	}
	return d.finish()
}

// located adds the line to an error. Line 0 means the whole file.
func located(line int, err error) error {
	return &syntax.Error{Format: "logcat", Line: line, Offset: -1, Err: err}
}

// most is the limit of held resources, and of tracks.
const most = 1 << 16

// A decoder converts lines to signals and operations.
type decoder struct {
	triggers *trigger.Table
	signals  trace.SignalSink
	clock    kind
	// origin is the time of the first line. now is the latest time on the timeline. met is set by
	// the first line.
	origin, now int64
	met         bool
	years       int64
	// tracks maps components to their tracks. held has the handles of held resources. Its keys are
	// the component and the resource's name in the log.
	tracks  map[string]int
	defined []trace.Track
	counts  []int64
	held    map[string]int64
	handles int64
	asked   int64
	// odd counts lines without a usable time. backward counts lines that are older than the line
	// before. lost counts ends without a begin.
	odd, backward, lost int64
}

// year is longer than any log.
const year = int64(366 * 24 * time.Hour)

// line processes a line.
func (d *decoder) line(l *line) error {
	if !d.met {
		d.met, d.clock, d.origin = true, l.clock, l.at
	}
	if l.clock != d.clock {
		d.odd++
		return nil
	}
	at := l.at - d.origin + d.years
	if l.clock == calendar && at < d.now-year/2 {
		d.years += year // The dates have no year, and a new year began.
		at += year
	}
	if at < d.now-int64(time.Second) {
		d.backward++
	}
	d.now = max(d.now, at)
	messages := d.triggers.Messages(l.tag)
	for i := range messages {
		if handle, name, ok := messages[i].Match(l.text); ok {
			return d.ask(&messages[i], handle, name)
		}
	}
	return nil
}

// ask processes a message that is a request to a component.
func (d *decoder) ask(m *trigger.Message, handle, called []byte) error {
	key := m.Component + "\x00" + string(handle)
	h, held := d.held[key]
	change := int64(0)
	begins := m.Verb == trace.OpAcquire || m.Verb == trace.OpStart || m.Verb == trace.OpOpen
	ends := m.Verb == trace.OpRelease || m.Verb == trace.OpStop || m.Verb == trace.OpClose
	switch {
	case m.Component == "":
		return nil
	case begins && held, begins && len(d.held) >= most:
		return nil
	case !begins && !ends:
		h = 0 // This request has no duration.
	case begins:
		d.handles++
		h, change = d.handles, 1
		d.held[key] = h
	case !held:
		if m.Component != "gps" { // The phone may use other providers of positions too.
			d.lost++
		}
		return nil
	default:
		change = -1
		delete(d.held, key)
	}
	d.asked++
	if d.signals == nil {
		return nil
	}
	track, ok := d.tracks[m.Component]
	if !ok {
		track = len(d.defined)
		d.tracks[m.Component] = track
		t := trace.Track{Name: m.Component, Component: m.Component, Core: -1, UID: -1}
		d.defined, d.counts = append(d.defined, t), append(d.counts, 0)
		if err := d.signals.Track(t); err != nil {
			return err
		}
	}
	d.counts[track] += change
	name := strings.ToValidUTF8(string(called), "\uFFFD")
	if err := d.signals.Operations([]trace.Operation{{
		Time: d.now, Thread: trace.NoThread, Mark: trace.NoRef, Verb: m.Verb, Component: m.Component, Handle: h, Name: name,
	}}); err != nil {
		return err
	}
	return d.signals.Signals([]trace.Signal{{
		Time: d.now, Value: d.counts[track], Track: trace.TrackID(track), Thread: trace.NoThread, Kind: trace.State,
	}})
}

// finish returns the trace.
func (d *decoder) finish() (*trace.Trace, error) {
	if !d.met {
		return nil, located(0, errors.New("no line has a time; save the log with logcat -v threadtime, or better -v epoch"))
	}
	t := &trace.Trace{Format: "logcat", Clock: trace.WallClock, Tracks: d.defined, Elapsed: time.Duration(d.now)}
	switch d.clock {
	case epoch:
		t.Timeline = []trace.Reading{{Clock: trace.Realtime, Value: d.origin}}
	case monotonic:
		t.Timeline = []trace.Reading{{Clock: trace.Monotonic, Value: d.origin}}
	}
	t.Warnings = append(t.Warnings, trace.Counts(
		trace.Count{N: d.backward, Code: "backward-time", Text: "%d lines are more than a second older than a line above them, and get the time of that line"},
		trace.Count{N: d.odd, Code: "odd-lines", Text: "%d lines have no time, or one in another format, and were left out"},
		trace.Count{N: d.lost, Code: "lost-begins", Text: "%d lines end a use that began before the log, and were left out"},
	)...)
	if d.asked == 0 {
		t.Warnings = append(t.Warnings, trace.Warning{Code: "nothing-asked", Message: "no line reports the use of a wakelock, the GPS receiver, a camera or the screen; " +
			"most phones log only cameras, and the screen with logcat -b all"})
	}
	return t, nil
}
