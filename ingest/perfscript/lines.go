package perfscript

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"

	"github.com/diffprof/diffprof/ingest/stacks"
	"github.com/diffprof/diffprof/units"
)

// A sample is the parsed first line of a sample.
type sample struct {
	name []byte
	// process is -1 if the line states only the thread.
	process, thread int64
	time            int64 // time is in nanoseconds.
	timed           bool
	// count is 1 if the line states no count.
	count   int64
	counted bool
	event   []byte
	// rest is the text after the event: the only frame of a sample without further lines.
	rest []byte
}

// parseSample parses the first line of a sample. It finds the time first, because the name of a
// thread may contain anything.
func parseSample(line []byte) (s sample, ok bool) {
	// The time is the first word that consists of a number with a fraction and a colon. It follows
	// the name and the numbers of the thread.
	at, end := 0, 0
	for {
		start, stop := word(line, end)
		if start == stop {
			return parseUntimed(line)
		}
		if w := line[start:stop]; w[len(w)-1] == ':' && start > 0 {
			if s.time, ok = seconds(w[:len(w)-1]); ok {
				at, end = start, stop
				break
			}
		}
		end = stop
	}
	s.timed = true
	if !s.parseThread(line[:at]) {
		return s, false
	}
	return s, s.parseEvent(line[end:])
}

// parseUntimed parses the first line of a sample without a time, which perf script prints without
// -F time. The line has a thread, an optional count, and an event as its last word. A frame's line
// never has this form.
func parseUntimed(line []byte) (s sample, ok bool) {
	bare := bytes.TrimSpace(line)
	event := bytes.LastIndexAny(bare, " \t") + 1
	if event == 0 || !isEvent(bare[event:]) {
		return s, false
	}
	// The number before the event is a count only if another number precedes it.
	before := bytes.TrimSpace(bare[:event])
	if i := bytes.LastIndexAny(before, " \t") + 1; i > 0 && isNumber(before[i:]) && s.parseThread(before[:i]) {
		return s, s.parseEvent(bare[i:])
	}
	s = sample{}
	return s, s.parseThread(before) && s.parseEvent(bare[event:])
}

// isEvent reports whether a word is the name of an event, followed by a colon.
func isEvent(w []byte) bool {
	if len(w) < 3 || w[len(w)-1] != ':' || !isLetter(w[0]) {
		return false
	}
	for _, c := range w {
		if !isLetter(c) && !('0' <= c && c <= '9') && !bytes.ContainsRune([]byte("-_:/=,.@"), rune(c)) {
			return false
		}
	}
	return true
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// parseThread parses the text before the time.
func (s *sample) parseThread(before []byte) bool {
	before = bytes.TrimSpace(before)
	if n := len(before); n > 0 && before[n-1] == ']' { // The last word is the processor.
		i := bytes.LastIndexByte(before, '[')
		if i < 0 || !isNumber(before[i+1:n-1]) {
			return false
		}
		before = bytes.TrimSpace(before[:i])
	}
	i := bytes.LastIndexAny(before, " \t") + 1
	process, thread, both := bytes.Cut(before[i:], []byte{'/'})
	if i == 0 {
		return false
	}
	if !both {
		process, thread = nil, process
	}
	s.process = -1
	ok := false
	if both {
		if s.process, ok = number(process); !ok {
			return false
		}
	}
	if s.thread, ok = number(thread); !ok {
		return false
	}
	s.name = bytes.TrimSpace(before[:i])
	return true
}

// parseEvent parses the text after the time.
func (s *sample) parseEvent(rest []byte) bool {
	start, stop := word(rest, 0)
	s.count = 1
	if n, ok := number(rest[start:stop]); ok {
		s.count, s.counted = n, true
		start, stop = word(rest, stop)
	}
	w := rest[start:stop]
	if len(w) < 2 || w[len(w)-1] != ':' || bytes.HasPrefix(w, []byte("PERF_RECORD_")) {
		return false
	}
	s.event, s.rest = w[:len(w)-1], bytes.TrimSpace(rest[stop:])
	return true
}

// word returns the range of the first word of a line at or after an offset.
func word(line []byte, from int) (start, stop int) {
	for from < len(line) && isSpace(line[from]) {
		from++
	}
	stop = from
	for stop < len(line) && !isSpace(line[stop]) {
		stop++
	}
	return from, stop
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

func isNumber(b []byte) bool { return len(b) > 0 && len(bytes.Trim(b, "0123456789")) == 0 }

// number parses an integer. It also accepts -1, which perf prints if there is no number.
func number(b []byte) (int64, bool) {
	if string(b) == "-1" {
		return 0, true
	}
	if !isNumber(b) || len(b) > 18 {
		return 0, false
	}
	n := int64(0)
	for _, c := range b {
		n = n*10 + int64(c-'0')
	}
	return n, true
}

// seconds parses seconds with a fraction, and returns them in nanoseconds.
func seconds(b []byte) (int64, bool) {
	whole, fraction, ok := bytes.Cut(b, []byte{'.'})
	if !ok || !isNumber(whole) || !isNumber(fraction) || len(whole) > 9 || len(fraction) > 9 {
		return 0, false
	}
	n, _ := number(whole)
	f, _ := number(fraction)
	for range 9 - len(fraction) {
		f *= 10
	}
	return n*1e9 + f, true
}

// A frame is the parsed line of a frame.
type frame struct {
	address   uint64
	addressed bool
	symbol    []byte
	// file is nil if the line does not state it.
	file []byte
}

// parseFrame parses the line of a frame, without the white space around it.
func parseFrame(line []byte) (f frame, ok bool) {
	rest := line
	if start, stop := word(line, 0); stop > start {
		if n, ok := stacks.Hexadecimal(line[start:stop]); ok {
			f.address, f.addressed = n, true
			rest = bytes.TrimSpace(line[stop:])
		}
	}
	if n := len(rest); n > 0 && rest[n-1] == ')' {
		if i := opening(rest); i == 0 || i > 0 && isSpace(rest[i-1]) {
			f.file, rest = rest[i+1:n-1], bytes.TrimSpace(rest[:i])
		}
	}
	switch {
	case len(rest) == 0 && !f.addressed:
		return f, false
	case len(rest) == 0 && f.file != nil:
		// A single word is an address or the name of a function. A word without a digit, such as
		// add, is a name.
		if start, stop := word(line, 0); !bytes.ContainsAny(line[start:stop], "0123456789") {
			f.addressed, rest = false, line[start:stop]
		}
	}
	if i := bytes.LastIndex(rest, []byte("+0x")); i > 0 && len(bytes.Trim(rest[i+3:], "0123456789abcdef")) == 0 {
		rest = rest[:i]
	}
	f.symbol = rest
	return f, true
}

// opening returns the index of the parenthesis that matches the last parenthesis of a text.
func opening(b []byte) int {
	open := 0
	for i := len(b) - 1; i >= 0; i-- {
		switch b[i] {
		case ')':
			open++
		case '(':
			if open--; open == 0 {
				return i
			}
		}
	}
	return -1
}

// maxLine is the largest valid line number.
const maxLine = 1 << 30

// parseLine parses a position in a source file or in a library, such as main.c:12 or
// libc.so.6[98a87]. number is the line, or 0 if unknown.
func parseLine(b []byte) (number int32, inlined, ok bool) {
	for cut := true; cut; {
		b, cut = cutSuffix(b, &inlined)
	}
	if bytes.ContainsAny(b, " \t") {
		return 0, false, false
	}
	if i := bytes.LastIndexByte(b, ':'); i > 0 && b[i-1] != ':' && isNumber(b[i+1:]) {
		if len(b)-i <= 10 {
			if n, err := strconv.Atoi(string(b[i+1:])); err == nil && n <= maxLine {
				number = int32(n)
			}
		}
		return number, inlined, true
	}
	i := bytes.LastIndexByte(b, '[')
	return 0, inlined, i > 0 && b[len(b)-1] == ']' && len(bytes.Trim(b[i+1:len(b)-1], "0123456789abcdef")) == 0
}

// cutSuffix removes a remark after a position, such as " (inlined)".
func cutSuffix(b []byte, inlined *bool) ([]byte, bool) {
	if rest, ok := bytes.CutSuffix(b, []byte(" (inlined)")); ok {
		*inlined = true
		return rest, true
	}
	i := bytes.LastIndex(b, []byte(" (discriminator "))
	if i < 0 || b[len(b)-1] != ')' || !isNumber(b[i+len(" (discriminator "):len(b)-1]) {
		return b, false
	}
	return b[:i], true
}

// A header is the text that perf prints before the samples.
type header struct {
	processor units.Frequency
	// periods has the nanoseconds between samples, by the name of the clock event. period is the
	// period in perf's command line, or 0 if the command line states none.
	periods map[string]int64
	period  int64
	// dwarf is set if perf unwound stacks with DWARF.
	dwarf bool
}

var (
	processorLine = regexp.MustCompile(`^# cpudesc : .* @ (\S+Hz)$`)
	frequencyFlag = regexp.MustCompile(`^# cmdline : .* record .*(?:-F|--freq)[ =]?(\d+)\b`)
	dwarfFlag     = regexp.MustCompile(`^# cmdline : .* record .*--call-graph[ =]"?dwarf\b`)
	eventLine     = regexp.MustCompile(`^# event : name = ([^,]+), .*\{ sample_period, sample_freq \} = (\d+),.* freq = 1`)
)

// read reads a line of the header.
func (h *header) read(line []byte) {
	if m := processorLine.FindSubmatch(line); m != nil {
		if f, err := units.ParseFrequency(string(m[1])); err == nil {
			h.processor = f
		}
	}
	if m := frequencyFlag.FindSubmatch(line); m != nil {
		if n, ok := number(m[1]); ok && n > 0 {
			h.period = int64(1e9) / n
		}
	}
	h.dwarf = h.dwarf || dwarfFlag.Match(line)
	if m := eventLine.FindSubmatch(line); m != nil && len(h.periods) < maxEvents {
		if n, ok := number(m[2]); ok && n > 0 {
			h.periods[string(m[1])] = int64(1e9) / n
		}
	}
}

// text converts bytes to valid UTF-8.
func text(b []byte) string { return strings.ToValidUTF8(string(b), "\uFFFD") }
