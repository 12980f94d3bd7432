// Package meter reads the table that a power meter recorded during a run. The table is CSV, or has
// one JSON object per line. A row has a time and an energy or a power.
//
// Columns are recognized by their names, in any order. The unit follows the name, as in "power_mW"
// or "Power (mW)". The default units are the second, the watt, the joule, the ampere and the volt:
//
//	time, timestamp, start_time   the time: seconds from any start, or since 1970, or a date
//	end_time, duration            the end of the row's time
//	energy, joules                energy since the previous row, or between the row's start and end
//	total_energy, energy_total    energy since any start
//	power, watts                  power at the time, or between the row's start and end
//	current and voltage           their product is the power
//	remaining_charge              the battery's charge, which shows the precision of the energies
//	NAME (ON/OFF)                 the state of a component
//
// The package uses the energy if the table has it, or else the power, or else the current. Between
// two times, power is interpolated linearly. Numbers may have decimal commas. A time without a unit
// is in seconds from any start if it is small. A large time is in s, ms, µs or ns since 1970,
// depending on its magnitude.
package meter

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/diffprof/diffprof/internal/syntax"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// maxLine limits the length of a row, in bytes.
const maxLine = 1 << 20

// Sniff reports whether head, the first bytes of a file, is the table of a meter.
func Sniff(head []byte) bool {
	head = bytes.TrimPrefix(head, []byte(byteOrderMark))
	line, _, _ := bytes.Cut(head, []byte("\n"))
	names, _ := header(line)
	t := newTable(names)
	return t.complete() == nil
}

// byteOrderMark is the mark that some editors write at the start of UTF-8 files.
const byteOrderMark = "\uFEFF"

// Decode reads a meter's table to its end, and sends its energy to sink as signals. There is one
// track of the kind Drain, in nanojoules, and one track of the kind State for each component. The
// trace has no events and no methods. Errors in the text are *syntax.Error.
func Decode(ctx context.Context, r io.Reader, sink trace.Sink) (*trace.Trace, error) {
	trace.Start(sink, trace.WallClock, trace.NoEnergy)
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	d := &decoder{signals: trace.Signals(sink)}
	number := 0
	for lines.Scan() {
		number++
		if number%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err := d.line(lines.Bytes(), number == 1); err != nil {
			return nil, located(number, err)
		}
	}
	if err := lines.Err(); err != nil {
		if errors.Is(err, bufio.ErrTooLong) {
			err = located(number+1, fmt.Errorf("a row is longer than %d bytes", maxLine))
		}
		return nil, err
	}
	return d.finish()
}

// located adds the line to an error.
func located(line int, err error) error {
	var own *syntax.Error
	if errors.As(err, &own) || errors.Is(err, errSink) {
		return err
	}
	return &syntax.Error{Format: "a meter's table", Line: line, Offset: -1, Err: err}
}

// errSink marks errors that the sink returned.
var errSink = errors.New("sink")

// A decoder converts rows to signals.
type decoder struct {
	signals trace.SignalSink
	table   *table
	json    bool
	split   splitter
	batch   []trace.Signal

	// begin is the time of the first row on the meter's clock. epoch is set if that clock counts
	// from 1970.
	begin int64
	epoch bool
	rows  int
	// last is the end of the previous row. power is that row's power in µW.
	last, power int64
	// drained is the energy so far in nJ. part is the rest below a nanojoule, in µW·ns.
	drained, part int64
	// total is the latest reading of a column of total energy.
	total    int64
	charge   charge
	states   []int64
	tracks   []trace.Track
	skipped  int
	backward int
}

// line reads a line.
func (d *decoder) line(line []byte, first bool) error {
	if first {
		line = bytes.TrimPrefix(line, []byte(byteOrderMark))
	}
	line = bytes.TrimSpace(line)
	if len(line) == 0 || line[0] == '#' {
		return nil
	}
	if d.table == nil {
		names, delimiter := header(line)
		d.table = newTable(names)
		if err := d.table.complete(); err != nil {
			return err
		}
		if err := d.define(); err != nil {
			return err
		}
		if d.json = line[0] == '{'; !d.json {
			d.split.delimiter = delimiter
			return nil
		}
	}
	var cells []string
	var err error
	if d.json {
		cells, err = d.table.object(line)
	} else {
		cells, err = d.split.cells(string(line))
	}
	if err != nil {
		return err
	}
	row, ok, err := d.table.read(cells)
	if err != nil {
		return err
	}
	if !ok {
		d.skipped++
		return nil
	}
	return d.add(row)
}

// define defines the tracks.
func (d *decoder) define() error {
	d.tracks = append(d.tracks, trace.Track{Name: "meter", Component: "device", Unit: "nJ", Core: -1, UID: -1})
	for _, c := range d.table.columns {
		if c.what == isState {
			d.tracks = append(d.tracks, trace.Track{Name: c.name, Component: component(c.name), Core: -1, UID: -1})
		}
	}
	d.states = make([]int64, len(d.tracks)-1)
	for i := range d.states {
		d.states[i] = -1
	}
	if d.signals == nil {
		return nil
	}
	for _, t := range d.tracks {
		if err := d.signals.Track(t); err != nil {
			return fmt.Errorf("%w: %w", errSink, err)
		}
	}
	return nil
}

// add adds a row.
func (d *decoder) add(r *row) error {
	if d.rows == 0 {
		d.begin, d.epoch, d.last = r.begin, r.epoch, r.begin
		d.total = r.energy
	}
	if r.begin < d.last {
		d.backward++
		return nil
	}
	first := d.rows == 0
	d.rows++
	d.charge.note(r)
	if first || r.begin > d.last && r.end > r.begin {
		// If rows have ends, the energy between the previous row and this one is unknown.
		d.send(r.begin, 0, trace.Drain, d.drained)
	}
	if err := d.drain(r, first); err != nil {
		return err
	}
	for i, state := range r.states {
		if state != d.states[i] {
			d.states[i] = state
			d.send(r.begin, trace.TrackID(1+i), trace.State, state)
		}
	}
	d.last, d.power = r.end, r.power
	d.send(r.end, 0, trace.Drain, d.drained)
	return d.flush(4096)
}

// drain adds the energy of a row.
func (d *decoder) drain(r *row, first bool) error {
	var more int64
	between := r.end > r.begin
	switch {
	case d.table.has(isTotal):
		if r.energy < d.total {
			return fmt.Errorf("the total falls from %d to %d nJ: the meter was reset, or its counter overflowed; cut the table there, or give powers", d.total, r.energy)
		}
		more, d.total = r.energy-d.total, r.energy
	case d.table.has(isEnergy):
		// The energy of the first row counts from an unknown time, unless rows have ends.
		if between || !first {
			more = r.energy
		}
	default:
		span, power := r.end-r.begin, r.power
		if !between {
			span, power = r.begin-d.last, r.power+d.power
		}
		if power < 0 {
			// A battery supplies no energy while it charges.
			power = 0
		}
		perNanojoule := int64(1_000_000) // The unit is µW·ns.
		if !between {
			perNanojoule *= 2 // The sum of two powers is twice their mean.
		}
		if span > 0 && power > (math.MaxInt64-perNanojoule)/span {
			more, d.part = units.MulDiv(power, span, perNanojoule), 0
		} else {
			spent := power*span + d.part
			more, d.part = spent/perNanojoule, spent%perNanojoule
		}
	}
	if more < 0 || d.drained >= math.MaxInt64-more {
		return errors.New("the energy leaves the range of 9.2 GJ")
	}
	d.drained += more
	return nil
}

// send adds a signal to the batch.
func (d *decoder) send(moment int64, track trace.TrackID, kind trace.SignalKind, value int64) {
	if d.signals == nil {
		return
	}
	d.batch = append(d.batch, trace.Signal{Time: moment - d.begin, Value: value, Track: track, Thread: trace.NoThread, Kind: kind})
}

// flush sends the batch to the sink if it has at least `most` signals.
func (d *decoder) flush(most int) error {
	if len(d.batch) < max(most, 1) {
		return nil
	}
	if err := d.signals.Signals(d.batch); err != nil {
		return fmt.Errorf("%w: %w", errSink, err)
	}
	d.batch = d.batch[:0]
	return nil
}

// finish returns the trace.
func (d *decoder) finish() (*trace.Trace, error) {
	if d.rows == 0 {
		return nil, &syntax.Error{Format: "a meter's table", Offset: -1, Err: errors.New("no row has both a time and an energy or a power")}
	}
	if err := d.flush(0); err != nil {
		return nil, err
	}
	t := &trace.Trace{Format: "meter", Clock: trace.WallClock, Tracks: d.tracks, Elapsed: time.Duration(d.last - d.begin), Calls: trace.NoCalls}
	if d.epoch {
		t.Timeline = []trace.Reading{{Clock: trace.Realtime, Time: 0, Value: d.begin}}
	}
	if w := d.charge.warning(d.drained); w != nil {
		t.Warnings = append(t.Warnings, *w)
	}
	if d.skipped > 0 {
		t.Warnings = append(t.Warnings, trace.Warning{Code: "incomplete-rows", Message: trace.Counted("%d {row has|rows have} no time, or neither energy nor power, and {was|were} left out", d.skipped)})
	}
	if d.backward > 0 {
		t.Warnings = append(t.Warnings, trace.Warning{Code: "backward-time", Message: trace.Counted("%d {row begins|rows begin} before the end of the row above, and {was|were} left out", d.backward)})
	}
	return t, nil
}
