package logcat

import (
	"bytes"
	"time"
)

// A kind is the clock of the times in a log.
type kind uint8

const (
	calendar  kind = iota // calendar means dates in the phone's time zone, which is unknown.
	epoch                 // epoch means times since 1970.
	monotonic             // monotonic means times since the phone started.
)

// A line is a parsed line of the log. Its byte slices are parts of the line's text.
type line struct {
	clock kind
	at    int64 // at is in nanoseconds.
	tag   []byte
	text  []byte
}

// read parses a line. It returns false if the line lacks a time, a priority or a tag.
func (l *line) read(text []byte) bool {
	rest, ok := l.moment(text)
	return ok && l.message(rest)
}

// moment parses the time at the start of a line, and returns the rest of the line.
func (l *line) moment(text []byte) ([]byte, bool) {
	word, rest := cut(text)
	if whole, fraction, ok := bytes.Cut(word, []byte(".")); ok {
		s, okS := number(whole)
		ns, okF := decimals(fraction)
		l.clock, l.at = monotonic, s*int64(time.Second)+ns
		if s >= 1e9 {
			l.clock = epoch
		}
		return rest, okS && okF && s < 9e9
	}
	date := bytes.Split(word, []byte("-"))
	year := int64(2000) // The year 2000 is a leap year.
	ok := len(date) == 2 || len(date) == 3
	if len(date) == 3 {
		year, ok = number(date[0])
		date = date[1:]
	}
	if !ok {
		return nil, false
	}
	month, okMonth := number(date[0])
	day, okDay := number(date[1])
	clock, rest := cut(rest)
	at, okClock := timeOfDay(clock)
	if !okMonth || !okDay || !okClock || month < 1 || month > 12 || day < 1 || day > 31 || year < 1970 || year > 2200 {
		return nil, false
	}
	l.clock = calendar
	midnight := time.Date(int(year), time.Month(month), int(day), 0, 0, 0, 0, time.UTC)
	l.at = midnight.UnixNano() + at
	if zone, after := cut(rest); len(zone) == 5 && (zone[0] == '+' || zone[0] == '-') {
		if n, ok := number(zone[1:]); ok && year != 2000 {
			offset := (n/100*60 + n%100) * int64(time.Minute)
			if zone[0] == '-' {
				offset = -offset
			}
			l.clock, l.at = epoch, l.at-offset
		}
		rest = after
	}
	return rest, true
}

// message parses the rest of a line after the time.
func (l *line) message(rest []byte) bool {
	if len(rest) > 1 && rest[1] == '/' && isPriority(rest[:1]) { // This is the form I/Tag( 1438): text.
		open := bytes.IndexByte(rest, '(')
		end := bytes.Index(rest, []byte("): "))
		if open < 0 || end < open {
			return false
		}
		l.tag, l.text = bytes.TrimSpace(rest[2:open]), rest[end+len("): "):]
		return true
	}
	// The next words are the user, the process and the thread. The user may be missing. Android
	// Studio joins process and thread, and writes the priority after the tag and the package.
	for words := 0; words < 4; words++ {
		word, after := cut(rest)
		switch {
		case isPriority(word) && words > 1:
			tag, text, ok := bytes.Cut(after, []byte(": "))
			if !ok {
				tag, ok = bytes.CutSuffix(after, []byte(":"))
			}
			l.tag, l.text = bytes.TrimSpace(tag), text
			return ok
		case words == 0 && bytes.IndexByte(word, '-') > 0:
			tag, after := cut(after)
			_, after = cut(after)
			priority, text := cut(after)
			l.tag, l.text = tag, text
			return isPriority(priority)
		}
		rest = after
	}
	return false
}

// isPriority reports whether a word is one of logcat's letters for priorities.
func isPriority(word []byte) bool {
	return len(word) == 1 && bytes.IndexByte([]byte("VDIWEFAS"), word[0]) >= 0
}

// cut splits a text after its first word and the spaces that follow it.
func cut(text []byte) (word, rest []byte) {
	text = bytes.TrimLeft(text, " \t")
	i := bytes.IndexAny(text, " \t")
	if i < 0 {
		return text, nil
	}
	return text[:i], bytes.TrimLeft(text[i:], " \t")
}

// timeOfDay parses a time such as 11:41:55.823, with three or six decimals.
func timeOfDay(word []byte) (int64, bool) {
	if len(word) < len("00:00:00.0") || word[2] != ':' || word[5] != ':' || word[8] != '.' {
		return 0, false
	}
	h, okH := number(word[:2])
	m, okM := number(word[3:5])
	s, okS := number(word[6:8])
	ns, okF := decimals(word[9:])
	return ((h*60+m)*60+s)*int64(time.Second) + ns, okH && okM && okS && okF
}

// decimals parses the decimals of a number of seconds, and returns nanoseconds.
func decimals(digits []byte) (int64, bool) {
	n, ok := number(digits)
	if !ok || len(digits) > 9 {
		return 0, false
	}
	for range 9 - len(digits) {
		n *= 10
	}
	return n, true
}

// number parses an integer of up to 12 digits.
func number(digits []byte) (int64, bool) {
	if len(digits) == 0 || len(digits) > 12 {
		return 0, false
	}
	n := int64(0)
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	return n, true
}
