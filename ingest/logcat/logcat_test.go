package logcat_test

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/diffprof/diffprof/ingest/formattest"
	"github.com/diffprof/diffprof/ingest/logcat"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/trace/tracetest"
)

var update = flag.Bool("update", false, "write the goldens")

var format = formattest.Format{
	Sniff: logcat.Sniff,
	Decode: func(ctx context.Context, data []byte, _ string, sink trace.Sink) (*trace.Trace, error) {
		return logcat.Decode(ctx, bytes.NewReader(data), sink, nil)
	},
}

// A recording is a log in memory.
type recording []byte

func (r recording) Scan(ctx context.Context, sink trace.Sink) (*trace.Trace, error) {
	return logcat.Decode(ctx, bytes.NewReader(r), sink, nil)
}

func TestOpens(t *testing.T) { format.Opens(t, logcat.Format) }

func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no golden files", err)
	}
	for _, file := range files {
		ar, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		got, err := tracetest.Show(t.Context(), recording(ar.Files[0].Data))
		if err != nil {
			t.Fatal(err)
		}
		if err := tracetest.Check(t.Context(), recording(ar.Files[0].Data)); err != nil {
			t.Error(err)
		}
		if *update {
			ar.Files = append(ar.Files[:1], txtar.File{Name: "want", Data: []byte(got)})
			if err := os.WriteFile(file, txtar.Format(ar), 0o644); err != nil {
				t.Fatal(err)
			}
		} else if got != string(ar.Files[1].Data) {
			t.Errorf("%s: got\n%s", file, got)
		}
	}
}

func TestCut(t *testing.T) { format.Cut(t) }

func FuzzDecode(f *testing.F) { format.Fuzz(f) }

// TestDialects reads the same line in all formats that have times.
func TestDialects(t *testing.T) {
	const text = `CameraService::connect call (PID 9 "com.mine", camera ID 0)`
	for _, test := range []struct {
		line  string
		clock trace.SystemClock
		at    int64
	}{
		{"11-22 11:41:55.823  1438  1440 I CameraService: " + text, "", 0},
		{"11-22 11:41:55.823456  1000  1438  1440 I CameraService: " + text, "", 0},
		{"2026-11-22 11:41:55.823  1438  1440 I CameraService: " + text, "", 0},
		{"2023-11-14 23:13:20.500 +0100  1438  1440 I CameraService: " + text, trace.Realtime, 1_700_000_000_500_000_000},
		{"2023-11-14 22:13:20.500 +0000  1438  1440 I CameraService: " + text, trace.Realtime, 1_700_000_000_500_000_000},
		{"11-22 11:41:55.823 I/CameraService( 1438): " + text, "", 0},
		{"  1700000000.500  1438  1440 I CameraService: " + text, trace.Realtime, 1_700_000_000_500_000_000},
		{"   95387.250  1438  1440 I CameraService: " + text, trace.Monotonic, 95_387_250_000_000},
		{"2024-11-07 13:22:19.426  1324-5828  CameraService           cameraserver                         I  " + text, "", 0},
	} {
		if !logcat.Sniff([]byte(test.line + "\n")) {
			t.Errorf("%s: Sniff does not recognise it", test.line)
		}
		tr, err := logcat.Decode(t.Context(), strings.NewReader(test.line+"\n"), tracetest.Discard{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case len(tr.Warnings) > 0:
			t.Errorf("%s: %v", test.line, tr.Warnings)
		case test.clock == "" && len(tr.Timeline) > 0:
			t.Errorf("%s: %v", test.line, tr.Timeline)
		case test.clock != "" && (len(tr.Timeline) != 1 || tr.Timeline[0] != trace.Reading{Clock: test.clock, Value: test.at}):
			t.Errorf("%s: %v", test.line, tr.Timeline)
		}
	}
}

// TestSniff distinguishes logs from other texts.
func TestSniff(t *testing.T) {
	for _, head := range []string{
		"D/Tag( 1438): without a moment\n", "1438  1795347522.113805 execve(\"/bin/a\", [\"a\"], 0x1) = 0\n", "time,power\n", "main;load;read 12\n",
		"swapper     0/0     100.300000:  1001001 cpu-clock:u:\n", "11-22 11:41:55.823\n", "Battery History (1% used)\n",
	} {
		if logcat.Sniff([]byte(head)) {
			t.Errorf("%q is taken for a log", head)
		}
	}
}

// TestNewYear reads a log without years that continues into the next year.
func TestNewYear(t *testing.T) {
	tr, err := logcat.Decode(t.Context(), strings.NewReader(
		"12-31 23:59:59.000  1  2 I A: b\n01-01 00:00:01.000  1  2 I A: b\n"), tracetest.Discard{}, nil)
	if err != nil || tr.Elapsed != 2*time.Second {
		t.Errorf("elapsed %v, %v", tr.Elapsed, err)
	}
}

func TestErrors(t *testing.T) {
	_, err := logcat.Decode(t.Context(), strings.NewReader("D/Tag( 1438): without a moment\n"), tracetest.Discard{}, nil)
	if err == nil || !strings.Contains(err.Error(), "no line has a time") {
		t.Errorf("got %v", err)
	}
}
