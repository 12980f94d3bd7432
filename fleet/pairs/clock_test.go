package pairs

import (
	"testing"

	"github.com/diffprof/diffprof/fleet/samples"
)

// record returns a client that is discharging, with samples at some times and levels in percent.
func record(times, levels []int64) *samples.Client {
	c := samples.NewClient(1, 0)
	for i := range times {
		c.Add(&samples.Sample{Time: times[i], Level: int32(levels[i]) * samples.Percent, State: samples.Discharging})
	}
	return c
}

// TestTimesOfDay checks the hour and the part of the day of a pair. Both are those of its middle.
func TestTimesOfDay(t *testing.T) {
	const minute = hour / 60
	for _, test := range []struct {
		from, to   int64 // minutes from the first midnight
		hour, part int32
	}{
		{0, 10, 0, 0},
		{3*60 + 30, 4*60 + 20, 3, 0}, // The middle is 3:55.
		{3*60 + 30, 4*60 + 30, 4, 1},
		{11 * 60, 12*60 + 58, 11, 2},
		{23 * 60, 23*60 + 50, 23, 5},
		{23*60 + 30, 24*60 + 40, 0, 0}, // The middle is on the next day.
		{49 * 60, 49*60 + 2, 1, 0},
	} {
		c := record([]int64{test.from * minute, test.to * minute}, []int64{50, 49})
		p := pairOf(c, 0, 1)
		if h, part := hourOf(c, &p), dayPartOf(c, &p); h != test.hour || part != test.part {
			t.Errorf("a pair from minute %d to %d is in hour %d and in part %d, want %d and %d", test.from, test.to, h, part, test.hour, test.part)
		}
	}
}

// TestHalves checks that the first half of a record ends at the middle of its time.
func TestHalves(t *testing.T) {
	c := record([]int64{10 * hour, 11 * hour, 15*hour - 1, 15 * hour, 19 * hour, 20 * hour}, []int64{60, 59, 58, 57, 56, 55})
	for from, want := range []int32{0, 0, 0, 1, 1} {
		if p := pairOf(c, from, from+1); halfOf(c, &p) != want {
			t.Errorf("sample %d is in half %d, want %d", from, halfOf(c, &p), want)
		}
	}
}

// TestBands checks the quarters of the battery level. A full battery is in the last quarter.
func TestBands(t *testing.T) {
	for level, want := range map[int64]int32{0: 0, 24: 0, 25: 1, 49: 1, 50: 2, 74: 2, 75: 3, 99: 3, 100: 3} {
		c := record([]int64{0, hour}, []int64{level, 0})
		if p := pairOf(c, 0, 1); bandOf(c, &p) != want {
			t.Errorf("%d %% is in the band %d, want %d", level, bandOf(c, &p), want)
		}
	}
}

// TestLeaps checks when the levels of a client are of two devices. A leap is a rise of at least 2 %
// in less than 18 seconds. A client needs three leaps, and one per ten samples.
func TestLeaps(t *testing.T) {
	for _, test := range []struct {
		name           string
		leaps, samples int
		rise, time     int64
		want           bool
	}{
		{"three leaps", 3, 30, 2, 17_000, true},
		{"too few leaps", 2, 20, 2, 17_000, false},
		{"too many samples", 3, 31, 2, 17_000, false},
		{"slow rises", 3, 30, 2, 19_000, false},
		{"small rises", 3, 30, 1, 1000, false},
		{"rises at one moment", 3, 30, 2, 0, true},
	} {
		times, levels := []int64{0}, []int64{50}
		at, level := int64(0), int64(50)
		for i := 1; i < test.samples; i++ {
			if i%2 == 0 && i/2 <= test.leaps {
				at, level = at+test.time, level+test.rise
			} else {
				at, level = at+hour, level-1
			}
			times, levels = append(times, at), append(levels, level)
		}
		w := &Work{Options: Options{Model: -1}}
		if got := w.hasLeaps(record(times, levels)); got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

// TestPooledCodes checks that rare codes share a code, and that frequent codes keep their own.
func TestPooledCodes(t *testing.T) {
	var codes, want []int32
	for code, n := range []int{minStratum, 0, minStratum - 1, 1, minStratum + 1} {
		for range n {
			codes = append(codes, int32(code))
			want = append(want, map[int]int32{0: 0, 2: 1, 3: 1, 4: 2}[code])
		}
	}
	f := pooled(codes)
	if f.Width != 3 {
		t.Errorf("there are %d codes, want 3", f.Width)
	}
	for i := range want {
		if f.Codes[i] != want[i] {
			t.Fatalf("code %d became %d, want %d", codes[i], f.Codes[i], want[i])
		}
	}
}
