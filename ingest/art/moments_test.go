package art_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/diffprof/diffprof/ingest/art"
	"github.com/diffprof/diffprof/tools/artwrite"
	"github.com/diffprof/diffprof/trace"
)

// A wall clock of 32 bits wraps around after 71 minutes. A thread whose first event is later still
// gets the right time.
func TestMomentsOfLateThreads(t *testing.T) {
	const wrap = 1 << 32
	const header = "*version\n3\nclock=dual\n*threads\n1|main\n2|late\n*methods\n0x4|a.C|m|()V\n"
	type reading struct{ thread, wall uint32 }
	for _, test := range []struct {
		name     string
		readings []reading
		want     []int64 // microseconds
		skew     time.Duration
	}{
		{"before a wrap", []reading{{1, 5}, {2, 7}}, []int64{5, 7}, 0},
		{"after a wrap", []reading{{1, wrap - 10}, {1, 20}, {2, 25}}, []int64{wrap - 10, wrap + 20, wrap + 25}, 0},
		{"just before what others have passed", []reading{{1, wrap - 10}, {1, 20}, {2, wrap - 5}}, []int64{wrap - 10, wrap + 20, wrap - 5}, 25 * time.Microsecond},
		{"after an hour", []reading{{1, 5}, {2, 3_600_000_000}}, []int64{5, 3_600_000_000}, 0},
	} {
		var records [][4]uint32
		for _, r := range test.readings {
			records = append(records, [4]uint32{r.thread, 4, 0, r.wall})
		}
		tr, events := decode(t, text(header, records...), art.Options{})
		var got []int64
		for _, e := range events {
			got = append(got, e.Time/1000)
		}
		if !slices.Equal(got, test.want) || tr.Skew != test.skew {
			t.Errorf("%s: %v with skew %v, want %v with %v", test.name, got, tr.Skew, test.want, test.skew)
		}
	}
}

// Every form states when the trace began. Dalvik states it as the time of day. Only the text form
// states the process.
func TestTimelineOfForms(t *testing.T) {
	eachForm(t, func(t *testing.T, f artwrite.Form) {
		run := calls(5, 50)
		run.Start = 1234567 * time.Microsecond
		tr, _ := decode(t, write(t, run, f), art.Options{Clock: f.Clock})
		if want := []trace.Reading{{Clock: trace.Monotonic, Value: 1234567000}}; !slices.Equal(tr.Timeline, want) {
			t.Errorf("timeline %v, want %v", tr.Timeline, want)
		}
		if want := []trace.Process{{ID: 4711}}; !slices.Equal(tr.Processes, want) {
			t.Errorf("processes %v, want %v", tr.Processes, want)
		}
	})
}

// The table has, for real and generated traces, the start with its clock, and the range of the
// events' times. decode checks the order of the events.
func TestRealMoments(t *testing.T) {
	for _, test := range []struct{ file, want string }{
		{"androidperformance-App.trace", "monotonic 97h51m14.103071s, events from 20.021ms to 117.344ms, skew 1µs"},
		{"cf2204-profile.trace", "monotonic 2h50m0.078595s, events from 12.613ms to 21.530317s, skew 21.517676s"},
		{"firefox-art-regular.trace.gz", "monotonic 208h17m28.949749s, events from 113.741ms to 6.338271s, skew 0s"},
		{"firefox-art-streaming.trace.gz", "monotonic 183h56m13.553092s, events from 127.116ms to 9.558217s, skew 0s"},
		{"jagframework-dmtrace.trace", "realtime 2014-03-30 03:51:35.448161 +0000 UTC, events from 345µs to 5.17ms, skew 0s"},
		{"launcher-app.trace", "monotonic 33h56m45.843234s, events from 697.619ms to 4.708693s, skew 0s"},
		{"likaci-cpu_trace.trace", "monotonic 1h3m32.974656s, events from 307.086ms to 22.529254s, skew 0s"},
		{"perflib-basic-api10.trace", "realtime 2013-09-24 17:05:14.331017 +0000 UTC, events from 0s to 0s, skew 0s"},
		{"perflib-basic.trace", "realtime 2013-07-24 22:12:51.214759 +0000 UTC, events from 230µs to 287µs, skew 0s"},
		{"perflib-exception.trace", "realtime 2013-07-24 22:16:22.32954 +0000 UTC, events from 232µs to 300µs, skew 0s"},
		{"perflib-mismatched.trace", "realtime 2013-07-24 22:16:21.987289 +0000 UTC, events from 232µs to 254µs, skew 0s"},
		{"profilertester-cpu-art-new.trace", "monotonic 5h15m3.00365s, events from 56.804ms to 4.257717s, skew 0s"},
		{"cases/kaspersky-avg/subject.trace", "realtime 1970-01-01 04:09:48 +0000 UTC, events from 0s to 0s, skew 0s"},
		{"cases/wish-letgo/subject.trace.gz", "monotonic 4h18m42s, events from 0s to 40s, skew 0s"},
	} {
		t.Run(test.file, func(t *testing.T) {
			tr, events := decode(t, realTrace(t, test.file), art.Options{})
			first, last := events[0].Time, events[0].Time
			for _, e := range events {
				first, last = min(first, e.Time), max(last, e.Time)
			}
			start := tr.Timeline[0]
			began := fmt.Sprint(time.Duration(start.Value))
			if start.Clock == trace.Realtime {
				began = time.Unix(0, start.Value).UTC().String()
			}
			got := fmt.Sprintf("%s %s, events from %v to %v, skew %v", start.Clock, began, time.Duration(first), time.Duration(last), tr.Skew)
			if got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}
