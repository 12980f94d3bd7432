package logcat

import (
	"testing"
	"time"
)

// TestMoments reads the times of lines, to the nanosecond, and compares them with package time.
func TestMoments(t *testing.T) {
	day := func(year, month, day, h, m, s, ns int) int64 {
		return time.Date(year, time.Month(month), day, h, m, s, ns, time.UTC).UnixNano()
	}
	for _, c := range []struct {
		text  string
		clock kind
		at    int64
	}{
		{"11-22 11:41:55.823", calendar, day(2000, 11, 22, 11, 41, 55, 823e6)},
		{"11-22 11:41:55.823456", calendar, day(2000, 11, 22, 11, 41, 55, 823456e3)},
		{"11-22 11:41:55.8", calendar, day(2000, 11, 22, 11, 41, 55, 8e8)},
		{"02-29 23:59:59.123456789", calendar, day(2000, 2, 29, 23, 59, 59, 123456789)},
		{"01-01 00:00:00.000", calendar, day(2000, 1, 1, 0, 0, 0, 0)},
		{"12-31 01:02:03.004", calendar, day(2000, 12, 31, 1, 2, 3, 4e6)},
		{"1970-01-01 00:00:01.000", calendar, 1e9},
		{"2200-12-31 00:00:00.000", calendar, day(2200, 12, 31, 0, 0, 0, 0)},
		{"2026-11-22 11:41:55.823", calendar, day(2026, 11, 22, 11, 41, 55, 823e6)},
		{"2026-11-22 11:41:55.823 +0000", epoch, day(2026, 11, 22, 11, 41, 55, 823e6)},
		{"2026-11-22 11:41:55.823 +0530", epoch, day(2026, 11, 22, 6, 11, 55, 823e6)},
		{"2026-11-22 11:41:55.823 -0930", epoch, day(2026, 11, 22, 21, 11, 55, 823e6)},
		// A zone without a year does not make the time absolute.
		{"11-22 11:41:55.823 +0530", calendar, day(2000, 11, 22, 11, 41, 55, 823e6)},
		{"0.000", monotonic, 0},
		{"12.5", monotonic, 12_500_000_000},
		{"999999999.999", monotonic, 999_999_999_999_000_000},
		{"1000000000.000", epoch, 1_000_000_000_000_000_000},
		{"8999999999.999", epoch, 8_999_999_999_999_000_000},
	} {
		var l line
		rest, ok := l.moment([]byte(c.text + "  1438 rest"))
		if !ok || l.clock != c.clock || l.at != c.at || string(rest) != "1438 rest" {
			t.Errorf("%s: clock %d at %d, then %q, %v; want clock %d at %d", c.text, l.clock, l.at, rest, ok, c.clock, c.at)
		}
	}
}

// TestNoMoments checks that words that are no times are rejected.
func TestNoMoments(t *testing.T) {
	for _, text := range []string{
		"", "x", "11-22", "11 11:41:55.823", "1-2-3-4 11:41:55.823",
		"00-22 11:41:55.823", "13-22 11:41:55.823", "11-00 11:41:55.823", "11-32 11:41:55.823",
		"1969-11-22 11:41:55.823", "2201-11-22 11:41:55.823", "x-11-22 11:41:55.823", "x-22 11:41:55.823", "11-x 11:41:55.823",
		"11-22 11:41:55", "11-22 11:41:55.", "11-22 11.41:55.823", "11-22 11:41.55.823", "11-22 11:41:55:823",
		"11-22 xx:41:55.823", "11-22 11:xx:55.823", "11-22 11:41:xx.823", "11-22 11:41:55.x", "11-22 11:41:55.0123456789",
		"9000000000.000", "x.000", "1.x", ".5", "1.", "1234567890123.0",
	} {
		var l line
		if _, ok := l.moment([]byte(text + " 1438 rest")); ok {
			t.Errorf("%q is taken for the moment %d", text, l.at)
		}
	}
}

// TestMessages reads the tag and the text of a line in each layout.
func TestMessages(t *testing.T) {
	for text, want := range map[string][2]string{
		"I/Tag( 1438): text":                       {"Tag", "text"},
		"I/A tag ( 1438): text (with) more":        {"A tag", "text (with) more"},
		"1438  1440 I Tag: text: more":             {"Tag", "text: more"},
		"1438  1440 I Tag  : text":                 {"Tag", "text"},
		"1438  1440 I Tag:":                        {"Tag", ""},
		"1000  1438  1440 W Tag: text":             {"Tag", "text"},
		"1324-5828  Tag    com.mine    I  text":    {"Tag", "text"},
		"1324-5828  Tag    com.mine    I  a: text": {"Tag", "a: text"},
	} {
		var l line
		if !l.message([]byte(text)) || string(l.tag) != want[0] || string(l.text) != want[1] {
			t.Errorf("%q: tag %q, text %q, want %q", text, l.tag, l.text, want)
		}
	}
	for _, text := range []string{
		"", "I", "I/", "I/Tag", "I/Tag): ", "I/Tag 1438): text", "I/Tag( 1438) text", "X/Tag( 1438): text",
		"I Tag: text", "1438 I Tag: text", "1438 1440 X Tag: text", "1438 1440 I Tag text",
		"1 2 3 4 I Tag: text", "-1 1440 I", "1324-5828 Tag com.mine X text",
	} {
		var l line
		if l.message([]byte(text)) {
			t.Errorf("%q is taken for the message %q of %q", text, l.text, l.tag)
		}
	}
}
