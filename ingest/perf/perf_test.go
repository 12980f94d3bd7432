package perf_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/diffprof/diffprof/ingest/formattest"
	"github.com/diffprof/diffprof/ingest/perf"
	"github.com/diffprof/diffprof/internal/syntax"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/trace/tracetest"
)

// A recording is a file in memory.
type recording struct {
	data []byte
	opts perf.Options
}

func (r recording) Scan(ctx context.Context, sink trace.Sink) (*trace.Trace, error) {
	return perf.Decode(ctx, bytes.NewReader(r.data), int64(len(r.data)), sink, r.opts)
}

// render formats a decoded recording.
func render(t *testing.T, data []byte, o perf.Options) string {
	t.Helper()
	c := &tracetest.Collector{}
	tr, err := recording{data, o}.Scan(context.Background(), c)
	if err != nil {
		return "error: " + err.Error() + "\n"
	}
	if err := tracetest.Check(context.Background(), recording{data, o}); err != nil {
		t.Error(err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s, clock %v, interval %v, energy %v, elapsed %v, vm %q, device %q\n", tr.Format, tr.Clock, tr.Interval, tr.Energy, tr.Elapsed, tr.VM, tr.Device)
	for _, th := range tr.Threads {
		p := tr.Processes[th.Process]
		fmt.Fprintf(&b, "thread %q %d of %q %d: %d samples\n", th.Name, th.ID, p.Name, p.ID, th.Events)
	}
	for _, s := range c.Kept {
		fmt.Fprintf(&b, "%d at %v: %d", s.Thread, time.Duration(s.Time), s.CPU+s.Wall+int64(s.Energy))
		for _, m := range s.Stack {
			fmt.Fprintf(&b, " %s", tr.Methods[m].Label())
		}
		b.WriteByte('\n')
	}
	for _, w := range tr.Warnings {
		fmt.Fprintf(&b, "warning %s: %s\n", w.Code, w.Message)
	}
	return b.String()
}

// Addresses of the mappings in the recordings android and linux.
const (
	libart, libc, jit, dex, kernel = 0x7000_0000, 0x7100_0000, 0x9000_0000, 0x7200_0000, -1 << 47
	markKernel, markUser           = -128, -512
)

// mode returns the processor mode for an address: kernel or user.
func mode(ip int) uint16 {
	if ip < 0 {
		return 1
	}
	return 2
}

// android returns a recording of an app by simpleperf, including waiting threads.
func android() *file {
	const parts = sampleIP | sampleTID | sampleTime | sampleID | sampleCPU | samplePeriod | sampleRead | sampleChain
	clock := attribute{kind: 1, period: 4000, parts: parts, read: 7, flags: flagFreq | flagClockID | flagKernelOut, ids: []uint64{5, 6}}
	sched := attribute{kind: 2, config: 47, period: 1, parts: parts, read: 7, ids: []uint64{7}}
	f := &file{attributes: []attribute{clock, sched}, features: map[int][]byte{
		129: numbers("app_package_name", "com.example.mine", "trace_offcpu", "true", "android_sdk_version", "34", "product_props", "Google:Pixel 3:blueline",
			"event_type_info", "cpu-clock,1,0\nsched:sched_switch,2,47"),
		132: slices.Concat(
			object("/apex/com.android.art/lib64/libart.so", 2, 0x2000, 0x1000, function{0x2000, 0x100, "ExecuteNterpImpl"}, function{0x2100, 0x100, "art_quick_generic_jni_trampoline"}),
			object("/apex/com.android.runtime/lib64/bionic/libc.so", 2, 0x500, 0x100, function{0x500, 0x10, "read"}, function{0x600, 0x10, "__start_thread"}),
			object("/data/app/base.vdex", 3, 0, 0, function{0x40, 0x10, "com.mine.Main.run"}, function{0x80, 0x10, "com.mine.Feed.load"}),
			object("/data/local/tmp/perf.data_jit_app_cache:100-200", 2, 0, -1, function{jit + 0x10, 0x20, "void com.mine.Feed.load(int)"}),
			object("[kernel.kallsyms]", 0, 0, 0, function{kernel + 0x100, 0x40, "do_sys_read"}),
			object("/vendor/lib/modules/wlan.ko", 1, 0x30, 0x10, function{0x40, 0x10, "hdd_rx"}),
		),
	}}
	sample := func(id uint64, tid int32, time, period int, ip int, chain ...int) []byte {
		body := numbers(ip, int32(100), tid, time, id, 3, period, 1, 2, 3, id, len(chain))
		for _, at := range chain {
			body = append(body, numbers(at)...)
		}
		return record(9, mode(ip), append(body, "registers and the stack follow"...))
	}
	f.add(
		record(1, 1, numbers(int32(-1), int32(0), -1<<47, 1<<46, 0, "[kernel.kallsyms]_stext")),
		record(1, 1, numbers(int32(-1), int32(0), -1<<46, 0x1000, 0, "/vendor/lib/modules/wlan.ko")),
		mmap2(2, 100, libart, 0x1000, 0x1000, 5, "/apex/com.android.art/lib64/libart.so"),
		mmap2(2, 100, libc, 0x1000, 0x100, 5, "/apex/com.android.runtime/lib64/bionic/libc.so"),
		mmap2(2, 100, dex, 0x1000, 0, 1, "/data/app/base.vdex"),
		mmap2(2, 100, jit, 0x1000, 0, 0x4005, "/data/local/tmp/perf.data_jit_app_cache:100-200"),
		comm(0, 100, 100, "com.example.mine"[1:]), comm(0, 100, 101, "RenderThread"),
		sample(5, 100, 1000, 250, libc, libc, jit+0x14, libart+0x10, dex+0x84, libart+0x20, dex+0x44, libc+0x101, 0x1234, libc),
		sample(6, 101, 1100, 250, kernel+0x110, markKernel, kernel+0x110, -1<<46+0x22, -1<<46+0x80, markUser, libc+4, libart+0x104, libart+0x4, dex+0x44),
		sample(7, 101, 1200, 1, libc+2),
		sample(5, 101, 5200, 250, dex+0x80),
		record(2, 0, numbers(5, 3)),
		record(32774, 0, numbers(1, 1, 9)), // another id of the scheduler
		record(32772, 0, sample(9, 100, 6000, 1, libc+1)[:20]), record(32772, 0, sample(9, 100, 6000, 1, libc+1)[20:]), record(32773, 0, nil),
	)
	return f
}

const (
	androidThreads = "thread \"om.example.mine\" 100 of \"com.example.mine\" 100: 1 samples\n"
	stackLoad      = " libc.so`__start_thread com.mine.Main.run com.mine.Feed.load libc.so`read"
	stackKernel    = " com.mine.Main.run libc.so`read wlan.ko`0xa0 wlan.ko`hdd_rx [kernel.kallsyms]`do_sys_read"
)

func TestAndroid(t *testing.T) {
	data := android().bytes()
	const want = "perf, clock thread-cpu, interval 250ns, energy none, elapsed 5µs, vm \"art\", device \"Google Pixel 3\"\n" + androidThreads +
		"thread \"RenderThread\" 101 of \"com.example.mine\" 100: 2 samples\n" +
		"0 at 0s: 250" + stackLoad + "\n1 at 100ns: 250" + stackKernel + "\n1 at 4.2µs: 250 com.mine.Feed.load\n" +
		"warning lost-samples: the recorder lost 3 samples\n" +
		"warning no-symbols: 1 of 15 frames has no function name, in wlan.ko; use --symfs with the folder of these files\n" +
		"warning other-events: 2 samples of sched:sched_switch are not counted; --sample-type chooses the event\n"
	if got := render(t, data, perf.Options{}); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	got := render(t, data, perf.Options{SampleType: "wall"})
	for _, want := range []string{
		"clock wall, interval 0s", "\"om.example.mine\" 100 of \"com.example.mine\" 100: 1 samples", "\"RenderThread\" 101 of \"com.example.mine\" 100: 2 samples",
		"0 at 0s: 5000" + stackLoad + "\n", "1 at 100ns: 100" + stackKernel + "\n", "1 at 200ns: 4000 libc.so`read\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("wall:\n%s\nlacks %s", got, want)
		}
	}
	if strings.Contains(got, "not counted") {
		t.Errorf("wall counts the scheduler's samples: %s", got)
	}
	if got := render(t, data, perf.Options{SampleType: "sched:sched_switch"}); !strings.Contains(got, "0 at 200ns: 1 libc.so`read\n1 at 5µs: 1 libc.so`read\n") {
		t.Errorf("sched_switch: %s", got)
	}
}

// TestOldFunctions reads the files with functions as the first versions of simpleperf wrote them.
func TestOldFunctions(t *testing.T) {
	f := android()
	delete(f.features, 132)
	f.features[128] = slices.Concat(
		oldObject("/apex/com.android.runtime/lib64/bionic/libc.so", 2, 0x500, function{0x500, 0x10, "read"}),
		oldObject("/data/app/base.vdex", 3, 0, function{0x80, 0x10, "com.mine.Feed.load"}),
	)
	got := render(t, f.bytes(), perf.Options{})
	for _, want := range []string{" com.mine.Feed.load [JIT]`[unknown] libc.so`read\n", "1 at 4.2µs: 250 com.mine.Feed.load\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("got\n%s\nlacks %s", got, want)
		}
	}
}

// linux returns a recording of two processes by Linux perf, with records of two cores in rounds.
func linux() *file {
	const parts = sampleIdentifier | sampleIP | sampleTID | sampleTime | samplePeriod | sampleChain
	cycles := attribute{period: 1000, parts: parts, flags: flagFreq | flagIDAll, ids: []uint64{8}, name: "cycles:ppp"}
	events := numbers(uint32(1), uint32(112), cycles.bytes(), uint32(1), uint32(12), []byte("cycles:ppp\x00\x00"), 8)
	f := &file{attributes: []attribute{cycles}, features: map[int][]byte{
		8:  numbers(uint32(24), []byte("Some CPU @ 2.50GHz\x00\x00\x00\x00\x00\x00")),
		12: events,
		2:  record(0, 1<<15, numbers(int32(-1), []byte("0123456789"), make([]byte, 10), []byte{10, 0, 0, 0}, "/usr/bin/server")),
	}}
	sample := func(pid, tid int32, time, period int, chain ...int) []byte {
		body := numbers(8, chain[len(chain)-1], pid, tid, time, period, len(chain)+1, markUser)
		for _, at := range chain {
			body = append(body, numbers(at)...)
		}
		return record(9, 2, body)
	}
	// Records other than samples end with the time and the id.
	at := func(time int, r []byte) []byte {
		size := len(r) + 16
		r[6], r[7] = byte(size), byte(size>>8)
		return append(r, numbers(time, 8)...)
	}
	round := record(68, 0, nil)
	f.add(
		at(0, mmap2(2, 1, 0x401000, 0x1000, 0x1000, 5, "/usr/bin/server")), at(0, comm(0, 1, 1, "server")),
		// The second core's records come first, although they are later.
		sample(2, 2, 4000, 2500, 0x401020, 0x402000),
		at(3000, mmap2(2, 2, 0x402000, 0x1000, 0, 5, "//anon")),
		round,
		sample(1, 1, 1000, 2500, 0x401010, 0x401020, 0x99, 0x98), sample(1, 1, 1100, 2501, 0x99),
		at(2000, fork(2, 1, 2, 1, 2000)), at(2100, comm(0, 2, 2, "worker")),
		round,
		at(5000, comm(1<<13, 2, 2, "other")), sample(2, 2, 5100, 2500, 0x401010),
		round,
	)
	return f
}

const linuxWant = "perf, clock cycles, interval 0s, energy none, elapsed 4.1µs, vm \"\", device \"\"\n" +
	"thread \"server\" 1 of \"server\" 1: 2 samples\nthread \"other\" 2 of \"other\" 2: 2 samples\n" +
	"0 at 0s: 1000 server`0x1020 server`0x1010\n0 at 100ns: 1000 [unknown]\n1 at 3µs: 1000 server`0x1020\n1 at 4.1µs: 1000 [unknown]\n" +
	"warning cycle-time: 10001 cycles are converted to processor time at 2.5 GHz, which the name of the processor states: the times are as accurate as that frequency\n" +
	"warning no-symbols: 3 of 8 frames have no function name, in server; use --symfs with the folder of these files\n" +
	"warning several-processes: samples of 2 processes are read together; --process chooses one\n"

func TestLinux(t *testing.T) {
	compressed := linux()
	compressed.compressed = true
	for name, data := range map[string][]byte{"file": linux().bytes(), "compressed": compressed.bytes(), "pipe": linux().pipe()} {
		want := linuxWant
		if got := render(t, data, perf.Options{}); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
		}
	}
	got := render(t, linux().bytes(), perf.Options{Frequency: 1e9, Process: "2"})
	if !strings.Contains(got, "thread \"other\" 2 of \"other\" 2: 2 samples\n0 at 3µs: 2500 server`0x1020\n") || strings.Contains(got, "several-processes") || !strings.Contains(got, "1 GHz, which --cpu-frequency gives") {
		t.Errorf("one process: %s", got)
	}
	delete(compressed.features, 8)
	if got := render(t, compressed.bytes(), perf.Options{}); !strings.Contains(got, "energy given") || !strings.Contains(got, "--cpu-frequency, such as 2.4GHz") {
		t.Errorf("without a frequency: %s", got)
	}
}

// TestAncestors checks that a process inherits the mappings of the process that forked it, even if
// that process has no samples.
func TestAncestors(t *testing.T) {
	f := linux()
	at := func(time int, r []byte) []byte {
		size := len(r) + 16
		r[6], r[7] = byte(size), byte(size>>8)
		return append(r, numbers(time, 8)...)
	}
	f.add(
		at(6000, fork(3, 1, 3, 1, 6000)), at(6100, mmap2(2, 3, 0x500000, 0x1000, 0, 5, "/usr/lib/three.so")),
		at(6150, mmap2(2, 9, 0x500000, 0x1000, 0, 5, "/usr/lib/nine.so")),
		at(6200, fork(4, 3, 4, 3, 6200)), at(6300, fork(5, 4, 5, 4, 6300)),
		record(9, 2, numbers(8, 0x500010, int32(5), int32(5), 6400, 2500, 2, markUser, 0x500010)),
		record(68, 0, nil),
	)
	if got := render(t, f.bytes(), perf.Options{}); !strings.Contains(got, " three.so`0x10\n") {
		t.Errorf("got\n%s", got)
	}
}

// TestPrograms takes function names from ELF files with the recorded build id, and from the list of
// a virtual machine.
func TestPrograms(t *testing.T) {
	right := program("0123456789", function{0x401010, 8, "_Z4loadi"}, function{0x401020, 8, "main"})
	wrong := program("9876543210", function{0x401010, 8, "wrong"})
	// A file of debug symbols has no code, and does not state where the code is in the program.
	symbols := slices.Concat(right[:72], make([]byte, 8), right[80:96], make([]byte, 8), right[104:])
	for name, files := range map[string]fstest.MapFS{
		"path":     {"usr/bin/server": {Data: right}, "server": {Data: wrong}},
		"name":     {"usr/bin/server": {Data: wrong}, "server": {Data: right}},
		"build id": {".build-id/30/313233343536373839.debug": {Data: symbols}, "server": {Data: wrong}},
		"debug":    {"usr/lib/debug/usr/bin/server.debug": {Data: symbols}, "usr/bin/server": {Data: right}, "server": {Mode: fs.ModeDir}},
	} {
		files["tmp/perf-1.map"] = &fstest.MapFile{Data: []byte("90 10 Interpreter\nno line\n")}
		got := render(t, linux().bytes(), perf.Options{Files: files})
		if !strings.Contains(got, "0 at 0s: 1000 Interpreter Interpreter server`main server`load(int)\n0 at 100ns: 1000 Interpreter\n") || strings.Contains(got, "no-symbols") {
			t.Errorf("%s: %s", name, got)
		}
	}
	broken := fstest.MapFS{"usr/bin/server": {Data: right[:100]}, "server": {Data: wrong}}
	const other = "warning symfs: no lines are known of some files in --symfs: server (server: the file's build id differs from the build id in the recording)\n"
	if got := render(t, linux().bytes(), perf.Options{Files: broken}); got != linuxWant+other {
		t.Errorf("broken: %s", got)
	}
}

// TestIdle checks that samples of idle processors are left out.
func TestIdle(t *testing.T) {
	f := linux()
	f.attributes[0].kind, f.attributes[0].ids = 1, []uint64{9} // cpu-clock
	delete(f.features, 12)
	body := numbers(9, kernel, int32(0), int32(0), 6000, 700, 1, kernel)
	f.records = [][]byte{record(9, 1, body)}
	if got := render(t, f.bytes(), perf.Options{}); !strings.Contains(got, "warning idle: 1 sample of idle processors") || strings.Contains(got, "thread \"") {
		t.Error(got)
	}
	if got := render(t, f.bytes(), perf.Options{Process: "0"}); !strings.Contains(got, "0 at 0s: 700 [kernel.kallsyms]`[unknown]\n") {
		t.Error(got)
	}
}

// TestKernelSymbols uses the kernel's table of symbols in the recording.
func TestKernelSymbols(t *testing.T) {
	text := "0000000000000000 T zero\nffff800000000100 T do_read\nffff800000000150 d data\nffff800000000200 t end [mod]\n" + strings.Repeat("\n", 70_000)
	f := android()
	delete(f.features, 132)
	f.records = append([][]byte{record(32769, 0, numbers(uint32(len(text)), []byte(text)))}, f.records...)
	if got := render(t, f.bytes(), perf.Options{}); !strings.Contains(got, " [kernel.kallsyms]`do_read\n") {
		t.Error(got)
	}
}

func TestDecodeErrors(t *testing.T) {
	change := func(at int, b ...byte) func([]byte) []byte {
		return func(data []byte) []byte { copy(data[at:], b); return data }
	}
	const hint = "; fetch the file again, or read it as far as it goes with --partial"
	for _, tt := range []struct {
		name   string
		change func([]byte) []byte
		opts   perf.Options
		want   string
	}{
		{"empty", func([]byte) []byte { return nil }, perf.Options{}, "the file ends before its records do" + hint},
		{"header", change(8, 17), perf.Options{}, "its header has the invalid size of 17 bytes (a header has 104)"},
		{"attributes", change(16, 8), perf.Options{}, "its attributes have the invalid size of 8 bytes"},
		{"no events", change(32, make([]byte, 8)...), perf.Options{}, "it has no events"},
		{"not closed", func(b []byte) []byte { copy(b[48:], make([]byte, 8)); copy(b[72:], make([]byte, 32)); return b }, perf.Options{}, "the recording was not closed: it does not state the size of its records" + hint},
		{"records outside", change(47, 1), perf.Options{}, "the file ends before its records do" + hint},
		{"record of nothing", change(240+6, 3, 0), perf.Options{}, "a record has the invalid size of 3 bytes"},
		{"short record", func([]byte) []byte { f := linux(); f.add(record(9, 2, numbers(8))); return f.bytes() }, perf.Options{}, "a record is shorter than its fields"},
		{"other event", func(b []byte) []byte { return b }, perf.Options{SampleType: "x"}, `no event is called "x"; the recording has cycles:ppp`},
		{"no waits", func(b []byte) []byte { return b }, perf.Options{SampleType: "wall"}, "the recording has no waiting times; record with simpleperf's --trace-offcpu"},
		{"other process", func(b []byte) []byte { return b }, perf.Options{Process: "x"}, `no process "x"; the processes are other (2), server (1)`},
	} {
		_, err := recording{tt.change(linux().bytes()), tt.opts}.Scan(context.Background(), tracetest.Discard{})
		var located *syntax.Error
		if err == nil || !strings.HasSuffix(err.Error(), "perf.data: "+tt.want) || !errors.As(err, &located) {
			t.Errorf("%s: error %v, want %s", tt.name, err, tt.want)
		}
	}
	bomb := linux()
	bomb.compressed = true
	for range 1000 {
		bomb.add(comm(0, 1, 1, strings.Repeat("a", 1000)))
	}
	if _, err := (recording{bomb.bytes(), perf.Options{MaxExpanded: 1 << 16}}).Scan(context.Background(), tracetest.Discard{}); err == nil || !strings.Contains(err.Error(), "compressed records hold more than 65536 bytes") {
		t.Errorf("bomb: %v", err)
	}
}

// TestTruncation truncates files at every byte. The result is an error or, with Partial, a
// recording with a warning.
func TestTruncation(t *testing.T) {
	compressed := linux()
	compressed.compressed = true
	for name, data := range map[string][]byte{"android": android().bytes(), "linux": linux().bytes(), "compressed": compressed.bytes(), "pipe": linux().pipe()} {
		results := 0
		for n := range data {
			for _, partial := range []bool{false, true} {
				tr, err := recording{data[:n], perf.Options{Partial: partial}}.Scan(context.Background(), tracetest.Discard{})
				var located *syntax.Error
				switch {
				case err != nil && !errors.As(err, &located):
					t.Fatalf("%s cut at %d: %v", name, n, err)
				case err == nil && !partial && name != "pipe": // The output to a pipe may end after any record.
					t.Fatalf("%s cut at %d is read", name, n)
				case err == nil && partial:
					results++
					if name != "pipe" && !slices.ContainsFunc(tr.Warnings, func(w trace.Warning) bool { return w.Code == "truncated" }) {
						t.Fatalf("%s cut at %d is not called so", name, n)
					}
				}
			}
		}
		if results < len(data)/10 {
			t.Errorf("%s: only %d of %d cuts have a result", name, results, len(data))
		}
	}
}

// TestMappingsAreBounded checks the limits of mappings and of their copies.
func TestMappingsAreBounded(t *testing.T) {
	f := linux()
	for i := range 1<<16 + 10 {
		f.add(mmap2(2, 1, 0x1000000+i<<13, 0x1000, 0, 5, "/lib/many.so"))
	}
	for i := range int32(40) {
		f.add(fork(1000+i, 1, 1000+i, 1, 0), mmap2(2, 1000+i, 0x10, 0x10, 0, 5, "/lib/one.so"))
	}
	tr, err := recording{data: f.bytes()}.Scan(context.Background(), tracetest.Discard{})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(tr.Warnings, func(w trace.Warning) bool { return w.Code == "many-mappings" }) {
		t.Errorf("warnings %v", tr.Warnings)
	}
}

func TestStops(t *testing.T) {
	f := linux()
	for range 3 {
		f.records = append(f.records, slices.Repeat(f.records[6:7], 1000)...)
	}
	if err := tracetest.CheckStops(recording{data: f.bytes()}); err != nil {
		t.Error(err)
	}
}

func TestSniff(t *testing.T) {
	if !perf.Sniff(linux().bytes()) || !perf.Sniff(linux().pipe()) || perf.Sniff([]byte("PERFILE")) {
		t.Error("files are not told by their first bytes")
	}
}

func FuzzDecode(f *testing.F) {
	compressed := linux()
	compressed.compressed = true
	for _, data := range [][]byte{android().bytes(), linux().bytes(), compressed.bytes(), linux().pipe()} {
		f.Add(data, "")
		f.Add(data, "wall")
	}
	f.Fuzz(func(t *testing.T, data []byte, asked string) {
		rec := recording{data, perf.Options{SampleType: asked, Partial: len(data)%2 == 0, MaxExpanded: 1 << 24}}
		if _, err := rec.Scan(context.Background(), tracetest.Discard{}); err != nil {
			return
		}
		if err := tracetest.Check(context.Background(), rec); err != nil {
			t.Error(err)
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	f := linux()
	for len(f.records) < 200_000 {
		f.records = append(f.records, f.records[5:7]...)
	}
	data := f.bytes()
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := (recording{data: data}).Scan(context.Background(), tracetest.Discard{}); err != nil {
			b.Fatal(err)
		}
	}
}

func TestOpens(t *testing.T) { formattest.Opens(t, perf.Format, android().bytes()) }
