// Package batterystats reads the history in the output of Android's dumpsys batterystats. The
// history states when each component was on, and how the charge of the battery fell.
//
// The charge is present only if the phone measures it. It is in mAh or a coarser unit, and the
// track states this resolution. Times count from the last reset of the history. From Android 14 on,
// times are dates without a year, and the decoder counts from the first date. The text does not
// state the time zone of dates, so dates cannot be related to any clock.
package batterystats

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/diffprof/diffprof/internal/syntax"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// maxLine limits the length of a line, in bytes.
const maxLine = 1 << 20

const formatName = "battery statistics"

// Sniff reports whether head contains the start of a battery history.
func Sniff(head []byte) bool {
	return bytes.Contains(head, []byte(begin+"(")) || bytes.Contains(head, []byte(begin+"[Format: "))
}

// begin is the start of the line above a history.
const begin = "Battery History "

// The indices of the tracks. Tracks from bright on have values of kind trace.Level.
const (
	drained = iota
	level
	volt
	temp
	charge
	bright
	phoneBars
	wifiBars
	states
)

var gauges = []trace.Track{
	drained: {Name: "battery", Component: "battery", Unit: "nJ"},
	level:   {Name: "level", Component: "battery", Unit: "%"},
	volt:    {Name: "volt", Component: "battery", Unit: "mV"},
	temp:    {Name: "temp", Component: "battery", Unit: "0.1 °C"},
	charge:  {Name: "charge", Component: "battery", Unit: "mAh"},
	// The values of the other tracks are of kind trace.Level.
	bright:    {Name: "brightness", Component: "screen", Unit: "%"},
	phoneBars: {Name: "phone_signal_strength", Component: "cellular", Unit: "bars"},
	wifiBars:  {Name: "wifi_signal_strength", Component: "wifi", Unit: "bars"},
}

// levels maps words that set the intensity of a component to numbers. For example, "brightness" may
// be "dark" (10 %). Android logs the brightness in five equal steps. A step becomes the middle of
// its range, as in Android's own energy accounting.
var levels = map[string]struct {
	track int
	words map[string]int64
}{
	"brightness":            {bright, map[string]int64{"dark": 10, "dim": 30, "medium": 50, "light": 70, "bright": 90}},
	"phone_signal_strength": {phoneBars, map[string]int64{"none": 0, "poor": 1, "moderate": 2, "good": 3, "great": 4, "excellent": 4}},
	"wifi_signal_strength":  {wifiBars, map[string]int64{"0": 0, "1": 1, "2": 2, "3": 3, "4": 4}},
}

// components maps states to the components that are active in them, for example "wifi_scan" to
// "wifi". Components are named as in trace.Account.
var components = []struct{ name, component string }{
	{"running", "cpu"}, {"wake_lock", "wakelock"}, {"screen", "screen"}, {"gps", "gps"},
	{"wifi_radio", "wifi"}, {"wifi_scan", "wifi"}, {"mobile_radio", "cellular"}, {"phone_scanning", "cellular"},
	{"ble_scan", "bluetooth"}, {"audio", "audio"}, {"video", "video"}, {"camera", "camera"},
	{"flashlight", "flashlight"}, {"sensor", "sensors"}, {"plugged", ""},
}

// Decode reads a history, and sends it to sink as signals. The trace has no events and no methods.
// Errors in the text are *syntax.Error.
func Decode(ctx context.Context, r io.Reader, sink trace.Sink) (*trace.Trace, error) {
	trace.Start(sink, trace.WallClock, trace.NoEnergy)
	d := &decoder{signals: trace.Signals(sink), numbers: make(map[string]int)}
	if err := d.define(); err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	number, inside := 0, false
	for lines.Scan() {
		number++
		if number%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		line := lines.Text()
		switch {
		case strings.HasPrefix(line, begin):
			inside = true
		case inside && strings.TrimSpace(line) == "":
			inside = false // Statistics follow the history.
		case inside:
			if err := d.line(line); err != nil {
				return nil, &syntax.Error{Format: formatName, Line: number, Offset: -1, Err: err}
			}
			if err := d.flush(4096); err != nil {
				return nil, err
			}
		}
	}
	if err := lines.Err(); err != nil {
		if errors.Is(err, bufio.ErrTooLong) {
			err = &syntax.Error{Format: formatName, Line: number + 1, Offset: -1, Err: fmt.Errorf("the line is longer than %d bytes", maxLine)}
		}
		return nil, err
	}
	return d.finish()
}

// A decoder turns a history into signals.
type decoder struct {
	signals trace.SignalSink
	tracks  []trace.Track
	numbers map[string]int // numbers has the track of each state in components, by name.
	batch   []trace.Signal

	lines int
	now   int64 // now is in nanoseconds.
	dates dates
	// volts is the voltage in mV, and held is the charge in mAh. Both are 0 until the text states
	// them. sum is the energy used so far, in nJ.
	volts, held int64
	sum         int64
	last        [states]int64
	met         [states]bool
	// charged counts how often the charge increased.
	charged int
	// lit is set while the screen is on.
	lit bool
	// backward counts lines with decreasing time. odd counts lines that were not understood.
	// unknown counts values that are missing from levels.
	backward, odd, unknown int
}

// define defines the tracks.
func (d *decoder) define() error {
	for _, t := range gauges {
		t.Core, t.UID = -1, -1
		d.tracks = append(d.tracks, t)
	}
	// This is the energy of a milliampere-hour at four volts, in nJ.
	d.tracks[drained].Resolution = 14_400_000_000
	for i, c := range components {
		d.numbers[c.name] = states + i
		d.tracks = append(d.tracks, trace.Track{Name: c.name, Component: c.component, Core: -1, UID: -1})
	}
	if d.signals == nil {
		return nil
	}
	for _, t := range d.tracks {
		if err := d.signals.Track(t); err != nil {
			return err
		}
	}
	return nil
}

// line reads a line of the history: a time and changes. If the time counts from the reset, a number
// of bytes follows in brackets.
func (d *decoder) line(line string) error {
	at, rest, err := d.moment(strings.TrimSpace(line))
	if err != nil {
		// Android adds notes without a time to the history, for example about an overflow.
		d.odd++
		return nil
	}
	if at < d.now {
		d.backward++
		return nil
	}
	d.now = at
	d.lines++
	words := fields(rest)
	if n, err := strconv.ParseInt(words[0], 10, 64); err == nil && n >= 0 && n <= 100 {
		d.set(level, trace.Gauge, n)
		words = words[1:]
	}
	for _, w := range words {
		if err := d.word(w); err != nil {
			return err
		}
	}
	return nil
}

// word reads one change, such as "+screen", "-screen" or "volt=4302".
func (d *decoder) word(w string) error {
	if w[0] == '+' || w[0] == '-' {
		name, _, _ := strings.Cut(w[1:], "=")
		if n, ok := d.numbers[name]; ok {
			on := int64(0)
			if w[0] == '+' {
				on = 1
			}
			d.send(n, trace.State, on)
			if name == screen {
				return d.setScreen(on == 1)
			}
		}
		return nil
	}
	name, value, ok := strings.Cut(w, "=")
	if l, is := levels[name]; ok && is {
		if n, known := l.words[value]; known {
			d.set(l.track, trace.Level, n)
		} else {
			d.unknown++
		}
		return nil
	}
	if !ok || name != "volt" && name != "temp" && name != "charge" {
		return nil
	}
	n, err := strconv.ParseInt(value, 10, 32)
	if err != nil {
		return fmt.Errorf("%s=%q is not a number", name, value)
	}
	switch name {
	case "volt":
		d.volts = n
		d.set(volt, trace.Gauge, n)
	case "temp":
		d.set(temp, trace.Gauge, n)
	default:
		if err := d.drain(n); err != nil {
			return err
		}
		d.set(charge, trace.Gauge, n)
	}
	return nil
}

// drain converts the charge lost since the previous reading to energy, and adds it to d.sum.
func (d *decoder) drain(held int64) error {
	lost := d.held - held
	if !d.met[charge] {
		lost = 0
	}
	d.held = held
	if d.volts <= 0 {
		return nil
	}
	if lost < 0 {
		d.charged++
		return nil
	}
	if lost > 0 {
		// A milliampere-hour at a millivolt is 3.6 mJ.
		more := units.MulDiv(lost, d.volts*3_600_000, 1)
		if d.sum >= math.MaxInt64-more {
			return errors.New("the energy leaves the range of 9.2 GJ")
		}
		d.sum += more
	}
	d.send(drained, trace.Drain, d.sum)
	return nil
}

// set sends the value of a gauge or a level if it changed.
func (d *decoder) set(track int, kind trace.SignalKind, value int64) {
	if d.met[track] && d.last[track] == value {
		return
	}
	d.met[track], d.last[track] = true, value
	d.send(track, kind, value)
}

// screen names both the state and the component of the screen. Switching the screen is also sent as
// an operation. The operation has no thread, because no single thread uses the screen.
const screen = "screen"

// setScreen sends an operation when the screen goes on or off.
func (d *decoder) setScreen(on bool) error {
	if d.signals == nil || on == d.lit {
		return nil
	}
	d.lit = on
	verb := trace.OpStop
	if on {
		verb = trace.OpStart
	}
	if err := d.flush(0); err != nil {
		return err
	}
	return d.signals.Operations([]trace.Operation{{
		Time: d.now, Thread: trace.NoThread, Mark: trace.NoRef, Verb: verb, Component: screen, Handle: 1, Name: screen,
	}})
}

// send adds a signal to the batch.
func (d *decoder) send(track int, kind trace.SignalKind, value int64) {
	if d.signals != nil {
		d.batch = append(d.batch, trace.Signal{Time: d.now, Value: value, Track: trace.TrackID(track), Thread: trace.NoThread, Kind: kind})
	}
}

// flush sends the batch if it has at least as many signals as the parameter most.
func (d *decoder) flush(most int) error {
	if len(d.batch) < max(most, 1) {
		return nil
	}
	err := d.signals.Signals(d.batch)
	d.batch = d.batch[:0]
	return err
}

// finish returns the trace.
func (d *decoder) finish() (*trace.Trace, error) {
	if d.lines == 0 {
		return nil, &syntax.Error{Format: formatName, Offset: -1, Err: errors.New("the history has no readable line"),
			Hint: "save the output of adb shell dumpsys batterystats unchanged"}
	}
	if err := d.flush(0); err != nil {
		return nil, err
	}
	t := &trace.Trace{Format: "batterystats", Clock: trace.WallClock, Tracks: d.tracks, Elapsed: time.Duration(d.now), Calls: trace.NoCalls}
	if d.charged > 0 {
		t.Warnings = append(t.Warnings, trace.Warning{Code: "charged", Message: "the battery was charged during the history: the energy used while charging is not known"})
	}
	if d.odd > 0 {
		t.Warnings = append(t.Warnings, trace.Warning{Code: "odd-lines", Message: trace.Counted("%d {line|lines} of the history {is|are} not understood", d.odd)})
	}
	if d.unknown > 0 {
		t.Warnings = append(t.Warnings, trace.Warning{Code: "odd-levels", Message: trace.Counted("%d {level|levels} of brightness or signal strength {is|are} unknown, and {was|were} left out", d.unknown)})
	}
	if d.backward > 0 {
		t.Warnings = append(t.Warnings, trace.Warning{Code: "backward-time", Message: trace.Counted("%d {line|lines} of the history {is|are} earlier than the line above, and {was|were} left out", d.backward)})
	}
	return t, nil
}

// fields splits a line at spaces outside of quotes. It returns at least one field.
func fields(line string) []string {
	quoted := false
	out := strings.FieldsFunc(line, func(r rune) bool {
		if r == '"' {
			quoted = !quoted
		}
		return r == ' ' && !quoted
	})
	if len(out) == 0 {
		return []string{"-"}
	}
	return out
}

// moment reads the time at the start of a line.
func (d *decoder) moment(line string) (at int64, rest string, err error) {
	if len(line) > len(dateLayout) && line[len(dateLayout)] == ' ' {
		if rest := line[len(dateLayout):]; d.dates.read(line[:len(dateLayout)], rest) {
			return d.dates.since(), rest, nil
		}
	}
	text, rest, _ := strings.Cut(line, " ")
	size, rest, ok := strings.Cut(strings.TrimSpace(rest), ") ")
	if !ok || !strings.HasPrefix(size, "(") {
		return 0, "", errors.New("no moment")
	}
	at, err = span(text)
	return at, rest, err
}

// dateLayout is the layout of a date without a year.
const dateLayout = "01-02 15:04:05.000"

// dates converts dates without a year to times since the first date.
type dates struct {
	// year is the year of the latest date. It is a leap year if no line states the year.
	year              int
	first, last, next time.Time
}

// read reads a date. If the rest of the line states the year, as in TIME: 2026-07-23-12-08-29, it
// uses that year.
func (d *dates) read(text, rest string) bool {
	if d.year == 0 {
		d.year = 2000
		if _, date, ok := strings.Cut(rest, "TIME: "); ok && len(date) > 4 {
			if year, err := strconv.ParseUint(date[:4], 10, 16); err == nil {
				d.year = int(year)
			}
		}
	}
	// Normally the year is the year of the previous date. A date that would be half a year or more
	// before it is in the next year.
	for _, year := range []int{d.year, d.year + 1} {
		t, err := time.Parse("2006-"+dateLayout, fmt.Sprintf("%04d-%s", year, text))
		if err == nil && (d.last.IsZero() || d.last.Sub(t) < 183*24*time.Hour) {
			d.year, d.next = year, t
			return true
		}
	}
	return false
}

// since returns the time from the first to the latest date in nanoseconds.
func (d *dates) since() int64 {
	if d.first.IsZero() {
		d.first = d.next
	}
	d.last = d.next
	return int64(d.next.Sub(d.first))
}

// span parses a time since the reset, such as 0, +1m44s430ms or +1d02h03m04s005ms. It returns
// nanoseconds.
func span(text string) (int64, error) {
	if text == "0" {
		return 0, nil
	}
	rest, ok := strings.CutPrefix(text, "+")
	if !ok {
		return 0, errors.New("no moment")
	}
	var days int64
	if d, more, ok := strings.Cut(rest, "d"); ok {
		n, err := strconv.ParseInt(d, 10, 16)
		if err != nil {
			return 0, err
		}
		days, rest = n, more
	}
	if rest == "" {
		return days * int64(24*time.Hour), nil
	}
	t, err := time.ParseDuration(rest)
	if err != nil || t < 0 {
		return 0, errors.New("no moment")
	}
	const most = 1 << 62
	if total := days*int64(24*time.Hour) + int64(t); total >= 0 && total < most {
		return total, nil
	}
	return 0, errors.New("no moment")
}
