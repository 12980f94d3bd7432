package ingest_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/ingest"
	"github.com/diffprof/diffprof/trace/tracetest"
)

// stacksOf returns the cost of each stack of each thread, and the total.
func stacksOf(t *testing.T, path string, o ingest.Options) (map[string]int64, int64) {
	t.Helper()
	file, err := ingest.Open(context.Background(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	c := &tracetest.Collector{}
	tr, err := file.Scan(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	sums, all := make(map[string]int64), int64(0)
	for _, s := range c.Kept {
		var b strings.Builder
		fmt.Fprint(&b, tr.Threads[s.Thread].ID)
		for _, m := range s.Stack {
			b.WriteByte(';')
			b.WriteString(tr.Methods[m].Label())
		}
		n := s.CPU + s.Wall + int64(s.Energy)
		sums[b.String()] += n
		all += n
	}
	return sums, all
}

// tool skips the test if a program is missing.
func tool(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("%s is not here to compare with", name)
	}
	return path
}

// TestSimpleperfAgrees compares recordings with simpleperf's own text report, which package
// ingest/simpleperf reads. The totals must be equal, and most stacks must have equal costs. The
// remaining stacks contain functions of libart.so, and only the recording shows that Java called
// them.
func TestSimpleperfAgrees(t *testing.T) {
	program := tool(t, "simpleperf")
	const dir = "../../shared/data/simpleperf"
	if _, err := os.Stat(dir); err != nil {
		t.Skip("the real recordings of ../shared/data/simpleperf are not here")
	}
	for name, least := range map[string]int64{
		"aggregatable_perf1": 99, "aggregatable_perf2": 99, "perf_display_bitmaps": 95, "perf_with_add_counter": 100,
		"perf_with_interpreter_frames": 96, "perf_with_trace_offcpu_v2": 89, "perf_with_tracepoint_event": 100,
		"perf_with_two_event_types": 100, "two_process_perf": 100,
	} {
		in, out := filepath.Join(dir, "aosp-"+name+".data"), filepath.Join(t.TempDir(), name)
		if b, err := exec.Command(program, "report-sample", "--protobuf", "--show-callchain", "--remove-gaps", "0", "-i", in, "-o", out).CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s", name, err, b)
			continue
		}
		ours, all := stacksOf(t, in, ingest.Options{})
		theirs, sum := stacksOf(t, out, ingest.Options{})
		same := int64(0)
		for stack, n := range ours {
			same += min(n, theirs[stack])
		}
		if all != sum || same < all*least/100 {
			t.Errorf("%s: %d in all, %d of it in the same stacks, and simpleperf has %d", name, all, same, sum)
		}
	}
}

// TestPerfAgrees compares a recording with the output of perf script.
func TestPerfAgrees(t *testing.T) {
	program := tool(t, "perf")
	data := filepath.Join(t.TempDir(), "perf.data")
	record := exec.Command(program, "record", "-q", "-e", "cpu-clock:u", "-F", "4999", "-g", "-o", data, "--", "sh", "-c", "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done")
	if b, err := record.CombinedOutput(); err != nil {
		t.Skipf("perf may not record here: %v: %s", err, b)
	}
	text, err := exec.Command(program, "script", "--header", "-i", data).Output()
	if err != nil {
		t.Fatal(err)
	}
	printed := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(printed, text, 0o600); err != nil {
		t.Fatal(err)
	}
	ours, all := stacksOf(t, data, ingest.Options{Symfs: "/"})
	theirs, sum := stacksOf(t, printed, ingest.Options{})
	same := int64(0)
	for stack, n := range ours {
		same += min(n, theirs[stack])
	}
	// perf sometimes chooses another name for a function, and it invents names for import tables.
	if all == 0 {
		t.Skip("perf took no samples")
	}
	if all != sum || same < all*3/4 {
		t.Errorf("%d in all, %d of it in the same stacks, and perf has %d", all, same, sum)
	}
}
