package art_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/diffprof/diffprof/ingest/art"
	"github.com/diffprof/diffprof/internal/syntax"
	"github.com/diffprof/diffprof/tools/artwrite"
	"github.com/diffprof/diffprof/trace"
)

// Every form that is truncated at any byte is an error. The exceptions are streaming forms that are
// truncated between two packets, because a killed app leaves such files. With Partial, the events
// before the truncation are read.
func TestDecodeTruncated(t *testing.T) {
	step := 1
	if testing.Short() {
		step = 7
	}
	eachForm(t, func(t *testing.T, f artwrite.Form) {
		data := write(t, few(), f)
		_, whole := decode(t, data, art.Options{Clock: f.Clock})
		for n := 4; n < len(data); n += step {
			truncate(t, data[:n], whole, f)
		}
	})
}

// few returns a run that is small enough to be truncated at every byte.
func few() *artwrite.Trace {
	run := calls(2, 0)
	run.Methods = run.Methods[:3]
	var events []artwrite.Event
	for i := range 12 {
		at := time.Duration(i) * time.Millisecond
		events = append(events, artwrite.Event{Thread: i % 2, Method: i % 3, Action: artwrite.Action(i % 3), CPU: at, Wall: at})
	}
	run.Events = slices.Values(events)
	return run
}

func truncate(t *testing.T, data []byte, whole []trace.Event, f artwrite.Form) {
	t.Helper()
	tr, err := art.Decode(t.Context(), bytes.NewReader(data), &capture{}, art.Options{Clock: f.Clock})
	var s *syntax.Error
	switch {
	case err == nil && (!(f.Streaming || f.Version == 4) || tr.Warnings[0].Code != "no-summary"):
		t.Fatalf("cut at %d: no error", len(data))
	case err != nil && !errors.As(err, &s):
		t.Fatalf("cut at %d: %v is a %T", len(data), err, err)
	case err != nil && (strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), "the file ends in the middle of")):
		t.Fatalf("cut at %d: %v", len(data), err)
	}
	var c capture
	tr, err = art.Decode(t.Context(), bytes.NewReader(data), &c, art.Options{Clock: f.Clock, Partial: true})
	switch {
	case err != nil:
	case len(tr.Warnings) == 0:
		t.Fatalf("cut at %d: no warning", len(data))
	case len(c.events) > len(whole) || !slices.Equal(c.events, whole[:len(c.events)]):
		t.Fatalf("cut at %d: other events than those of the whole file", len(data))
	}
}

func TestDecodePartial(t *testing.T) {
	data := write(t, calls(2, 60), artwrite.Form{Version: 3})
	var c capture
	tr, err := art.Decode(t.Context(), bytes.NewReader(data[:len(data)-20]), &c, art.Options{Partial: true})
	if err != nil || len(c.events) != 58 || tr.Events != 58 || tr.Warnings[0].Code != "truncated" {
		t.Errorf("%d events, %+v, %v", len(c.events), tr, err)
	}
}

func TestDecodeErrors(t *testing.T) {
	good := string(text("*version\n3\nclock=dual\n*threads\n1|main\n*methods\n0x4|a.C|m|()V\n", [4]uint32{1, 4, 0, 0}))
	head, records, _ := strings.Cut(good, "SLOW")
	records = "SLOW" + records
	with := func(at int, b ...byte) string {
		r := []byte(records)
		copy(r[at:], b)
		return head + string(r)
	}
	stream := string(write(t, calls(1, 3), artwrite.Form{Version: 3, Streaming: true}))
	packed := string(write(t, calls(1, 3), artwrite.Form{Version: 4}))
	tests := []struct{ name, data, want string }{
		{"empty", "", "offset 0: art trace: the file ends in the middle of a trace's first bytes"},
		{"something else", "hello world", "offset 0: art trace: neither *version nor SLOW at the start"},
		{"no end", strings.Replace(good, "*end", "*bend", 1)[:80], "the file ends in the middle of a header: *end is missing"},
		{"header only", head, "the file ends in the middle of the header of the records"},
		{"wrong magic", head + "FAST" + records[4:], `"FAST" in place of the magic SLOW after *end`},
		{"data version", with(4, 9, 9), "data version 2313 is not 1, 2 or 3"},
		{"data offset", with(6, 3, 0), "records start at 3, within their own header"},
		{"far data offset", with(6, 255, 255), "the file ends in the middle of the header of the records"},
		{"record size 0", with(16, 0, 0), "record size 0; if the file went through a text filter"},
		{"record size 9", with(16, 9, 0), "record size 9"},
		{"absurd record size", with(16, 255, 255), "record size 65535"},
		{"text filter", head + records[:32] + strings.Repeat("\xef\xbf\xbd\x01\x02", 100), "the binary part is full of U+FFFD"},
		{"header version", strings.Replace(good, "\n3\n", "\nthree\n", 1), `line 2: art trace: version "three" is not a number`},
		{"clock", strings.Replace(good, "dual", "sundial", 1), `line 3: art trace: unknown clock "sundial"`},
		{"negative count", strings.Replace(good, "clock=dual", "clock=dual\nnum-method-calls=-1", 1), `line 4: art trace: num-method-calls "-1" is not a count`},
		{"absurd count", strings.Replace(good, "clock=dual", "clock=dual\nnum-method-calls=99999999999999999999", 1), "is not a count"},
		{"fewer records than stated", strings.Replace(good, "clock=dual", "clock=dual\nnum-method-calls=3", 1), "in the middle of the records: it has 1 of 3"},
		{"endless line", strings.Replace(good, "main", strings.Repeat("x", 2<<20), 1), "line 5: art trace: a line of more than 1048576 bytes"},
		{"data half", records, "records without a header; this looks like the data half of a trace in two files"},
		{"unknown binary version", "SLOW\x07\x00" + records[6:], "unknown version 0x7"},
		{"stream without events", stream[:32], "the file ends in the middle of its first packets, before any event"},
		{"stream packet", stream[:32] + "\x00\x00\x09" + stream[32:], "offset 34: art trace: unknown packet type 9"},
		{"stream summary", strings.Replace(stream, "clock=dual", "clock=lunr", 1), fmt.Sprintf("offset %d: art trace: unknown clock \"lunr\"", strings.Index(stream, "elapsed"))},
		{"stream version", stream[:4] + "\xf1" + stream[5:], "unknown version 0xf1"},
		{"stream data offset", stream[:6] + "\x02\x00" + stream[8:], "records start at 2, within their own header"},
		{"stream record size", stream[:16] + "\x02\x00" + stream[18:], "record size 2"},
		{"packed packet", packed[:32] + "\x09" + packed[32:], "offset 32: art trace: unknown packet type 9"},
		{"packed frequency", packed[:22] + "\x01" + packed[23:], "offset 22: art trace: a packed trace with a counter frequency"},
		{"packed entry", packed[:32] + "\x02\x01\x00\x00\x00\x01\x00\x00\x02\x00\x00\x00\x81\x81" + packed[32:], "an entry that runs out of its block"},
		{"packed block", packed[:32] + "\x02\x01\x00\x00\x00\x01\x00\x00\xff\xff\xff\xff\x04", "the file ends in the middle of a block of entries"},
	}
	offset := fmt.Sprintf("offset %d: art trace: records start at 3", len(head)+6)
	tests = append(tests, struct{ name, data, want string }{"place of the data offset", with(6, 3, 0), offset})
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := decodeError(t, []byte(test.data))
			if !strings.Contains(got, test.want) || strings.Contains(got, "\n") {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// This trace was committed to a repository as text. Every byte of its binary part that is not UTF-8
// became U+FFFD, which moved a zero to the place of the record size.
func TestDecodeTextFiltered(t *testing.T) {
	data := write(t, calls(1, 500), artwrite.Form{Version: 3})
	filtered := []byte(strings.ToValidUTF8(string(data), "\uFFFD"))
	if got := decodeError(t, filtered); !strings.Contains(got, "fetch it again as binary") {
		t.Errorf("got %q", got)
	}
}

// A file with more ids than any real table has is damaged. It is rejected before its ids fill the
// memory.
func TestDecodeTooManyUnknownMethods(t *testing.T) {
	b := text("*version\n3\nclock=dual\n*threads\n1|main\n*methods\n")
	for i := range 1<<16 + 1 {
		id := uint32(i) << 2
		b = append(b, 1, 0, byte(id), byte(id>>8), byte(id>>16), byte(id>>24), 0, 0, 0, 0, 0, 0, 0, 0)
	}
	if got := decodeError(t, b); !strings.Contains(got, "more than 65536 methods are") {
		t.Errorf("got %q", got)
	}
}

// Clock readings whose sum exceeds an int64 of nanoseconds are damage.
func TestDecodeAbsurdTimes(t *testing.T) {
	var b bytes.Buffer
	b.WriteString("SLOW\x05\x00")
	b.Write(make([]byte, 26))
	for id := range 2000 {
		// The clocks are 0 in the first entry, and 2^53-1 ns later in the second.
		entries := "\x04\x00\x00\x04\xff\xff\xff\xff\xff\xff\xff\x0f\xff\xff\xff\xff\xff\xff\xff\x0f"
		b.Write([]byte{2, byte(id), byte(id >> 8), 0, 0, 2, 0, 0, byte(len(entries)), 0, 0, 0})
		b.WriteString(entries)
	}
	if got := decodeError(t, b.Bytes()); !strings.Contains(got, "more than 146 years") {
		t.Errorf("got %q", got)
	}
}

func FuzzDecode(f *testing.F) {
	for _, form := range forms() {
		data := write(f, calls(3, 40), form)
		f.Add(data)
		f.Add(data[:len(data)/2])
	}
	f.Add(text("*version\n3\nclock=dual\n*threads\n1|main\n*methods\n0x4|a.C|m|()V\n", [4]uint32{1, 4, 0, 0}, [4]uint32{9, 0x55, 1, 1}))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, partial := range []bool{false, true} {
			var c capture
			tr, err := art.Decode(t.Context(), bytes.NewReader(data), &c, art.Options{Partial: partial})
			if err != nil {
				var s *syntax.Error
				if !errors.As(err, &s) || strings.Contains(err.Error(), "\n") {
					t.Errorf("%T: %q", err, err)
				}
				continue
			}
			if int64(len(c.events)) != tr.Events {
				t.Errorf("%d events, and the trace says %d", len(c.events), tr.Events)
			}
			o := art.Options{Partial: partial}
			if art.LateClock(data) {
				o.Clock = tr.Clock
			}
			decode(t, data, o)
		}
	})
}

// Two concatenated traces are an error in all forms that mark their end.
func TestDecodeConcatenated(t *testing.T) {
	eachForm(t, func(t *testing.T, f artwrite.Form) {
		data := write(t, few(), f)
		err := decodeError(t, append(slices.Clone(data), data...))
		want := fmt.Sprintf("offset %d: art trace: another trace begins here: the file consists of two traces", len(data))
		if !strings.Contains(err, want) {
			t.Errorf("%q does not say %q", err, want)
		}
	})
}

// Bytes after the summary of a streaming trace are counted.
func TestDecodeTrailingBytes(t *testing.T) {
	eachForm(t, func(t *testing.T, f artwrite.Form) {
		if !f.Streaming {
			return // Records of this form extend to the end of the file.
		}
		data := write(t, few(), f)
		tr, events := decode(t, append(data, "more"...), art.Options{Clock: f.Clock})
		if n := len(tr.Warnings); n == 0 || tr.Warnings[n-1].Message != "4 bytes after the end of the trace, not read" {
			t.Errorf("warnings are %v", tr.Warnings)
		}
		if len(events) != 12 {
			t.Errorf("%d events, want 12", len(events))
		}
	})
}
