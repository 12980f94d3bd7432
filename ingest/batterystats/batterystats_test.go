package batterystats_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/diffprof/diffprof/ingest/batterystats"
	"github.com/diffprof/diffprof/ingest/formattest"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/trace/tracetest"
)

// A file is a recording for tracetest.
type file []byte

func (f file) Scan(ctx context.Context, sink trace.Sink) (*trace.Trace, error) {
	return batterystats.Decode(ctx, bytes.NewReader(f), sink)
}

// changes counts how often each state was entered, such as "screen1". drained is the energy that
// the battery lost, in nJ.
func changes(l *tracetest.Listener) (changes map[string]int, drained int64) {
	changes = make(map[string]int)
	for _, s := range l.Signals {
		switch s.Kind {
		case trace.Drain:
			drained = s.Value
		case trace.State:
			changes[l.Tracks[s.Track].Name+strconv.FormatInt(s.Value, 10)]++
		}
	}
	return changes, drained
}

func scan(t *testing.T, text []byte) (*trace.Trace, *tracetest.Listener, error) {
	t.Helper()
	got := new(tracetest.Listener)
	tr, err := batterystats.Decode(t.Context(), bytes.NewReader(text), got)
	return tr, got, err
}

const history = `Battery History (0% used, 84 used of 256KB, 3 strings using 134):
                    0 (9) RESET:TIME: 2016-07-17-22-21-06
                    0 (2) 100 status=full volt=4000 charge=3000 +running wake_reason=0:"a +gps b"
             +3s487ms (2) 099 80000000 +screen -running
            +1m00s000ms (2) 099 charge=2990 volt=3900
            +1d01h00m00s005ms (2) 098 charge=2991
            +1d01h00m00s006ms (2) 098 charge=2981 -screen

Per-PID Stats:
  PID 565 wake time: +1s550ms
`

func TestHistory(t *testing.T) {
	tr, got, err := scan(t, []byte(history))
	if err != nil {
		t.Fatal(err)
	}
	// The battery lost 10 mAh at 4.0 V and 10 mAh at 3.9 V. The charge that was added in between is
	// not subtracted.
	c, drained := changes(got)
	if want := int64(144e9 + 140.4e9); drained != want {
		t.Errorf("drained %d nJ, want %d", drained, want)
	}
	if want := int64(25*3600e9 + 6e6); int64(tr.Elapsed) != want {
		t.Errorf("elapsed %d, want %d", tr.Elapsed, want)
	}
	if c["running1"] != 1 || c["running0"] != 1 || c["screen1"] != 1 || c["screen0"] != 1 || c["gps1"] != 0 {
		t.Errorf("changes are %v", c)
	}
	if err := tracetest.Check(t.Context(), file(history)); err != nil {
		t.Error(err)
	}
}

// TestReal compares real histories with counts of regular expression matches.
func TestReal(t *testing.T) {
	var paths []string
	for _, pattern := range []string{"*.log", "*.txt"} {
		found, err := filepath.Glob("../../../shared/data/batterystats/" + pattern)
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, found...)
	}
	if len(paths) == 0 {
		t.Skip("no real histories: ../shared is not here")
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !batterystats.Sniff(data[:min(len(data), 8<<10)]) {
			t.Errorf("%s is not known for battery statistics", path)
		}
		tr, got, err := scan(t, data)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		c, _ := changes(got)
		_, text, _ := strings.Cut(string(data), "Battery History (")
		text, _, _ = strings.Cut(strings.ReplaceAll(text, "\r", ""), "\n\n")
		for _, state := range []string{"screen", "wifi_radio", "gps", "audio"} {
			want := len(regexp.MustCompile(`(?m) \+`+state+`( |=|$)`).FindAllString(text, -1))
			if c[state+"1"] != want {
				t.Errorf("%s: %s goes on %d times, want %d", path, state, c[state+"1"], want)
			}
		}
		if len(tr.Warnings) > 0 {
			t.Logf("%s: %v", path, tr.Warnings)
		}
		if err := tracetest.Check(t.Context(), file(data)); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestBadHistory(t *testing.T) {
	for text, want := range map[string]string{
		"Battery History (0% used):\n\nStatistics\n":                "has no readable line",
		"Battery History (0% used):\n 0 (2) 100 volt=high\n":        `line 2: battery statistics: volt="high" is not a number`,
		"Battery History (0% used):\n" + strings.Repeat("a", 2<<20): "longer than 1048576 bytes",
	} {
		if _, _, err := scan(t, []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, want %q", err, want)
		}
	}
}

// TestCut reads a history that is truncated at every byte.
func TestCut(t *testing.T) {
	for n := range len(history) {
		if _, _, err := scan(t, []byte(history[:n])); err != nil && !strings.Contains(err.Error(), "battery statistics: ") {
			t.Errorf("cut at %d: %v", n, err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(history))
	f.Add([]byte("Battery History [Format: 2] (1% used):\n  12-31 23:59:58.838 093 volt=4000 charge=3000 +running\n  01-01 00:00:00.838 092 charge=2999\n"))
	f.Add([]byte("Battery History (0% used):\n +9d (2) 100 charge=1 volt=9 charge=0 -\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, err := file(data).Scan(t.Context(), tracetest.Discard{}); err != nil {
			return
		}
		if err := tracetest.Check(t.Context(), file(data)); err != nil {
			t.Error(err)
		}
	})
}

// Android 14 writes dates without a year, and a new year may begin within the history.
func TestDated(t *testing.T) {
	const text = "Battery History [Format: 2] (102% used, 4208KB used of 4096KB, 151 strings using 7967):\r\n" + `  12-31 23:59:58.838 RESET:TIME: 2025-12-31-23-59-58
  12-31 23:59:58.838 093 c4002820 status=discharging health=good plug=none temp=348 volt=4000 charge=3000 +running +wifi device_idle=full
  12-31 23:59:59.332 093
  01-01 00:00:00.838 092 +screen charge=2999 wake_reason=0:"479 dhdpcie_host_wake"
  01-01 00:00:00.500 092 -screen
  01-01 00:00:03.838 092 -running
  overflow

Statistics since last charge:
`
	tr, got, err := scan(t, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	states, drained := changes(got)
	if tr.Elapsed != 5*time.Second || drained != 14_400_000_000 || states["running1"] != 1 || states["running0"] != 1 || states["screen1"] != 1 || states["screen0"] != 0 {
		t.Errorf("%v, %d nJ, %v", tr.Elapsed, drained, states)
	}
	if n := len(tr.Warnings); n != 2 || tr.Warnings[0].Code != "odd-lines" || tr.Warnings[1].Code != "backward-time" {
		t.Errorf("%v", tr.Warnings)
	}
	if !batterystats.Sniff([]byte(text)[:64]) {
		t.Error("not known by its head")
	}
	if err := tracetest.Check(t.Context(), file(text)); err != nil {
		t.Error(err)
	}
}

// TestScreen checks that switching the screen on is an operation without a thread, and that the
// brightness and the signal strengths of radios are signals of kind Level.
func TestScreen(t *testing.T) {
	const text = `Battery History (0% used, 84 used of 256KB, 3 strings using 134):
                    0 (2) 100 +screen brightness=dim phone_signal_strength=great wifi_signal_strength=2
                 +1s000ms (2) 100 +screen brightness=bright phone_signal_strength=none
                 +2s000ms (2) 100 -screen brightness=blinding phone_signal_strength=good wifi_signal_strength=9
`
	tr, got, err := scan(t, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, s := range got.Signals {
		if s.Kind == trace.Level {
			lines = append(lines, fmt.Sprintf("%d s %s %d %s of %s", s.Time/1e9, got.Tracks[s.Track].Name, s.Value, got.Tracks[s.Track].Unit, got.Tracks[s.Track].Component))
		}
	}
	for _, o := range got.Operations {
		lines = append(lines, fmt.Sprintf("%d s %s %s, handle %d, thread %d", o.Time/1e9, o.Verb, o.Component, o.Handle, o.Thread))
	}
	want := `0 s brightness 30 % of screen
0 s phone_signal_strength 4 bars of cellular
0 s wifi_signal_strength 2 bars of wifi
1 s brightness 90 % of screen
1 s phone_signal_strength 0 bars of cellular
2 s phone_signal_strength 3 bars of cellular
0 s start screen, handle 1, thread -1
2 s stop screen, handle 1, thread -1`
	if got := strings.Join(lines, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if len(tr.Warnings) != 1 || tr.Warnings[0].Message != "2 levels of brightness or signal strength are unknown, and were left out" {
		t.Errorf("%v", tr.Warnings)
	}
	if err := tracetest.Check(t.Context(), file(text)); err != nil {
		t.Error(err)
	}
}

func TestOpens(t *testing.T) { formattest.Opens(t, batterystats.Format, []byte(history)) }
