package calls

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"hash/crc32"
	"os"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/internal/syntax"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/trace/tracetest"
)

var update = flag.Bool("update", false, "rewrite testdata/workload.txt")

// block returns a block.
func block(kind byte, content []byte) []byte {
	b := append([]byte(Magic), kind)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(content)))
	b = append(b, content...)
	return binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(append([]byte{kind}, content...)))
}

// numbers encodes ints and strings as a block's content.
func numbers(all ...any) []byte {
	var b []byte
	for _, v := range all {
		switch v := v.(type) {
		case int:
			b = binary.AppendUvarint(b, uint64(v))
		case uint64:
			b = binary.AppendUvarint(b, v)
		case string:
			b = append(binary.AppendUvarint(b, uint64(len(v))), v...)
		case []byte:
			b = append(b, v...)
		default:
			panic(fmt.Sprintf("%T", v))
		}
	}
	return b
}

const jsonMap = `{"format":"diffprof-calls-map 1","dex":[],
"methods":[{"id":0,"class":"com.mine.Main","name":"onClick","descriptor":"(Landroid/view/View;)V","file":"Main.java"},
 {"id":1,"class":"com.mine.Feed","name":"load","descriptor":"(I)V","file":"Feed.java"}],
"sites":[{"id":0,"method":0,"line":31,"class":"com.mine.Toasts","name":"show","descriptor":"()V","resolved":"android.widget.Toast"},
 {"id":1,"method":1,"line":52,"class":"android.os.PowerManager$WakeLock","name":"acquire","descriptor":"()V","resolved":""}]}`

func packed(text string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err := z.Write([]byte(text))
	if err := errors.Join(err, z.Close()); err != nil {
		panic(err)
	}
	return b.Bytes()
}

func sumOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// A head has the first fields of a process block.
type head struct {
	version            int
	build, name        string
	pid, start, length int
	pairCost, faults   int
}

var usual = head{version: 1, build: sumOf(jsonMap), name: "com.mine", pid: 4711, start: 5_000_000_000, length: 2_000_000_000}

// process returns the content of a process block. rest has the fields after the head.
func (h head) process(rest ...any) []byte {
	return numbers(append([]any{h.version, h.build, "com.mine 1.2", h.name, "Google Pixel 8", 34, h.pid, 1, h.start, h.length, 1_760_000_000_000, 0, h.pairCost, 40, h.faults}, rest...)...)
}

// thread1 is a thread that calls onClick twice. onClick calls load three times. Both call sites
// have calls.
var thread1 = numbers(77, "main", 100, 900, 1, 0, 0, 0,
	2, 1, 0, 2, 40_000, 1, 1, 3, 60_000,
	3, 1, 0, 2, 2, 1, 300, 0, 1, 5)

// timed1 is thread1 with processor times, as version 2 has them.
var timed1 = numbers(77, "main", 100, 900, 1, 0, 0, 0,
	2, 1, 0, 2, 40_000, 30_000, 1, 1, 3, 60_000, 70_000,
	3, 1, 0, 2, 2, 1, 300, 0, 1, 5)

// timed is a process of version 2, with the figures after the faults.
func timed(has int) []byte {
	newer := usual
	newer.version = 2
	return block('P', newer.process(has, 1, 1, 7, 500, 200, 0, 1, timed1))
}

// TestProcessorTime reads a process with processor times. A processor time is reduced to the
// elapsed time if it is longer. If one process lacks processor times, all processes are read
// without them.
func TestProcessorTime(t *testing.T) {
	for _, c := range []struct {
		blocks []byte
		clock  trace.Clock
		cpu    int64
	}{
		{file(mapBlock, timed(1)), trace.ThreadCPU | trace.WallClock, 30_000 + 60_000 + 200},
		{file(mapBlock, timed(0)), trace.WallClock, 0},
		{file(mapBlock, timed(1), block('P', usual.process(0, 0, 1, thread1))), trace.WallClock, 0},
	} {
		r := one(c.blocks)
		if err := tracetest.Check(t.Context(), r); err != nil {
			t.Error(err)
		}
		tr, err := r.Scan(t.Context(), tracetest.Discard{})
		if err != nil {
			t.Fatal(err)
		}
		cpu := int64(0)
		for _, th := range tr.Threads {
			cpu += int64(th.CPU)
		}
		if tr.Clock != c.clock || cpu != c.cpu {
			t.Errorf("clocks %v, %d ns of the processor; want %v, %d", tr.Clock, cpu, c.clock, c.cpu)
		}
	}
	for n := range len(timed(1)) {
		if _, err := one(append(bytes.Clone(mapBlock), timed(1)[:n]...)).Scan(t.Context(), tracetest.Discard{}); err == nil && n > 0 {
			t.Errorf("cut after %d bytes: no error", n)
		}
	}
}

func file(blocks ...[]byte) []byte { return bytes.Join(blocks, nil) }

var (
	mapBlock = block('M', packed(jsonMap))
	whole    = file(mapBlock, block('P', usual.process(0, 0, 1, thread1)))
)

// A recording is a recording in memory.
type recording struct {
	files   []File
	options Options
}

// Scan implements trace.Recording.
func (r recording) Scan(ctx context.Context, sink trace.Sink) (*trace.Trace, error) {
	return Decode(ctx, r.files, sink, r.options)
}

func one(data []byte) recording { return recording{files: []File{{Data: data}}} }

// show returns a recording as text, and checks it against the laws.
func show(t *testing.T, r recording) string {
	t.Helper()
	if err := tracetest.Check(t.Context(), r); err != nil {
		t.Error(err)
	}
	text, err := tracetest.Show(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(text, " sample ") {
		if err := tracetest.CheckStops(r); err != nil {
			t.Error(err)
		}
	}
	return text
}

// TestWorkload decodes recordings that the runtime wrote on a JVM.
func TestWorkload(t *testing.T) {
	for _, sample := range []string{"testdata/workload", "testdata/handovers"} {
		data, err := os.ReadFile(sample + ".calls")
		if err != nil {
			t.Fatal(err)
		}
		got := show(t, one(data))
		if *update {
			if err := os.WriteFile(sample+".txt", []byte(got), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if want, err := os.ReadFile(sample + ".txt"); err != nil || got != string(want) {
			t.Errorf("got:\n%s\nwant (%v):\n%s", got, err, want)
		}
	}
}

// handedOver is the part of a version 3 process block after the processor times. Its origins are
// onClick, and load called by onClick. On another thread, load carries out the work that onClick
// handed over, and calls acquire.
func handedOver(from ...any) []any {
	more := append([]any{0, 0, 2, 2, 1, 0, 1, 1, 1, 77, "worker", 0, 0, 0, 0, 0, 0}, from...)
	return append([]any{1}, more...)
}

func TestHandOvers(t *testing.T) {
	newer := usual
	newer.version = 3
	data := func(from ...any) []byte { return file(mapBlock, block('P', newer.process(handedOver(from...)...))) }
	whole := data(2, 1, 1, 4, 700, 300, 2, 1, 0, 1, 50, 50, 0, 1, 1, 1, 9)
	got := show(t, one(whole))
	for _, want := range []string{
		"sample com.mine.Main.onClick(Landroid/view/View;)V > com.mine.Feed.load(I)V, cpu 300, wall 700",
		"2 hand-overs have no origin",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%s\nlacks %s", got, want)
		}
	}
	kept, tr := tracetest.Samples(t, one(whole))
	paths := make(map[string]int64)
	for _, s := range kept {
		text := ""
		for _, m := range s.Stack {
			text += " " + tr.Methods[m].Name
		}
		paths[text] += s.Calls
	}
	if paths[" onClick load"] != 4 || paths[" onClick load acquire"] != 9 || paths[" onClick load onClick"] != 1 || len(paths) != 3 {
		t.Error(paths)
	}
	for n := len(mapBlock) + 1; n < len(whole); n++ {
		if _, err := one(whole[:n]).Scan(t.Context(), tracetest.Discard{}); err == nil {
			t.Errorf("cut after %d bytes: no error", n)
		}
	}
	for _, c := range []struct {
		data []byte
		want string
	}{
		{data(1, 1, 1, 4, 700, 300, 4, 0), "path 1 begins at origin 3, but the process has only 2"},
		{data(2, 1, 1, 4, 700, 300, 0, 1, 0, 1, 50, 50, 2, 0), "path 2 has both a caller and an origin"},
		{file(mapBlock, block('P', newer.process(1, 0, 0, 0, 1, 2, 0))), "origin 1 has a caller 2 entries before it"},
		{file(mapBlock, block('P', newer.process(1, 0, 0, 0, 2000, bytes.Repeat([]byte{1, 0}, 2000)))), "deeper than 1024 calls"},
	} {
		if _, err := one(c.data).Scan(t.Context(), tracetest.Discard{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

func TestDecode(t *testing.T) {
	const want = `calls: clock wall, energy none, technique instrumented, calls counted, elapsed 2s, skew 0s, 5 events, 0 flows
thread 0: id 77, name "main", process 0, 5 events, cpu 0s, wall 100µs
process 0: id 4711, name "com.mine"
`
	got := show(t, one(whole))
	if !strings.HasPrefix(got, want) {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	kept, tr := tracetest.Samples(t, one(whole))
	var lines strings.Builder
	for _, sample := range kept {
		for j, m := range sample.Stack {
			line := int32(0)
			if len(sample.Lines) > 0 {
				line = sample.Lines[j]
			}
			fmt.Fprintf(&lines, "%s:%d ", tr.Methods[m].Label(), line)
		}
		fmt.Fprintf(&lines, "calls %d wall %d\n", sample.Calls, sample.Wall)
	}
	// A call made while no activation is open belongs to the call site's method.
	const samples = `com.mine.Feed.load(I)V:52 android.os.PowerManager$WakeLock.acquire()V:0 calls 5 wall 0
com.mine.Main.onClick(Landroid/view/View;)V:0 calls 2 wall 40000
com.mine.Main.onClick(Landroid/view/View;)V:31 android.widget.Toast.show()V:0 calls 2 wall 0
com.mine.Main.onClick(Landroid/view/View;)V:0 com.mine.Feed.load(I)V:0 calls 3 wall 60000
com.mine.Main.onClick(Landroid/view/View;)V:0 com.mine.Feed.load(I)V:52 android.os.PowerManager$WakeLock.acquire()V:0 calls 300 wall 0
`
	if lines.String() != samples {
		t.Errorf("got:\n%s\nwant:\n%s", lines.String(), samples)
	}
	if tr.Device != "Google Pixel 8" || len(tr.Timeline) != 2 || tr.Timeline[0].Value != 5_000_000_000 {
		t.Errorf("device %q, timeline %v", tr.Device, tr.Timeline)
	}
}

func TestWarnings(t *testing.T) {
	second := usual
	second.start, second.length = 4_000_000_000, 500
	slow := usual
	slow.pairCost, slow.faults = 30_000_000, 7
	for _, c := range []struct {
		name string
		data []byte
		want []string
	}{
		{"lost", file(mapBlock, block('P', usual.process(1, 1, 12, 700, 2, 0, 5, 1, 6, 0))), []string{
			"12 calls of methods have no call path", "11 calls of the framework have no call path", `name "(without call paths)"`,
			"sample com.mine.Main.onClick(Landroid/view/View;)V:31 > android.widget.Toast.show()V", "elapsed 2s"}},
		{"exits", file(mapBlock, block('P', usual.process(0, 0, 1, 1, "t", 0, 0, 0, 3, 1, 2, 0, 0))), []string{
			"3 exits of methods have no entry, and were ignored", "1 call of a method was left without an exit, and was ended", "the clock ran backwards 2 times"}},
		{"probes", file(mapBlock, block('P', slow.process(0, 0, 1, thread1))), []string{"the probes themselves took about 100%", "7 probes failed"}},
		{"twice", file(mapBlock, block('P', usual.process(0, 0, 1, thread1)), block('P', second.process(0, 0, 0))), []string{
			"started again 1 time,", "elapsed 3s", "process 1: id 4711"}},
		{"unknown", file(mapBlock, block('P', usual.process(0, 0, 1, 1, "t", 0, 0, 0, 0, 0, 0, 1, 1, 99, 1, 5, 1, 1, 88, 4))), []string{
			"2 ids are not in the map", "(unknown method 99) > (unknown call site 88)"}},
		{"nothing", file(mapBlock, block('P', usual.process(0, 0, 0))), []string{"0 events"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := show(t, one(c.data))
			for _, want := range c.want {
				if !strings.Contains(got, want) {
					t.Errorf("%s\nlacks %s", got, want)
				}
			}
		})
	}
}

func TestErrors(t *testing.T) {
	other := usual
	other.build = strings.Repeat("ab", 32)
	none := usual
	none.build = ""
	newer := usual
	newer.version = 6
	p := block('P', usual.process(0, 0, 1, thread1))
	damaged := bytes.Clone(whole)
	damaged[len(damaged)-20] ^= 1
	withMap := func(text string) []byte { return file(block('M', packed(text)), p) }
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"no map", p, "made by com.mine 1.2, whose map begins with " + usual.build[:12] + " and is missing; diffprof instrument wrote a file .calls-map"},
		{"other map", file(mapBlock, block('P', other.process(0, 0, 0))), "made by com.mine 1.2, whose map begins with abababababab; the map here belongs to another build"},
		{"never a map", file(mapBlock, block('P', none.process(0, 0, 0))), "which has no map; instrument the app again"},
		{"map alone", mapBlock, "no process: the app has not written a recording"},
		{"empty", nil, "no process"},
		{"damaged", damaged, "the checksum of the block is"},
		{"text after", append(bytes.Clone(whole), "more than a magic number"...), "not a block"},
		{"kind", file(mapBlock, block('X', nil)), "unknown kind 'X'; update diffprof"},
		{"version", file(mapBlock, block('P', newer.process(0, 0, 0))), "version 6, but this diffprof reads the versions 1 to 5"},
		{"bytes after", file(mapBlock, block('P', usual.process(0, 0, 0, 5))), "1 bytes follow the last thread"},
		{"many", file(mapBlock, block('P', usual.process(1<<40))), "the content ends early"},
		{"large", file(mapBlock, block('P', usual.process(uint64(1<<63)))), "more than 63 bits"},
		{"id", file(mapBlock, block('P', usual.process(1, 1<<31, 0, 0, 0, 0))), "is not an id"},
		{"calls", file(mapBlock, block('P', usual.process(0, 1, 0, 1<<32, 0))), "more than can be counted"},
		{"caller", file(mapBlock, block('P', usual.process(0, 0, 1, 1, "t", 0, 0, 0, 0, 0, 0, 1, 2, 0, 1, 1, 0))), "has a caller 2 entries before it"},
		{"path", file(mapBlock, block('P', usual.process(0, 0, 1, 1, "t", 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 1))), "unknown path 1"},
		{"deep", file(mapBlock, block('P', usual.process(0, 0, 1, 1, "t", 0, 0, 0, 0, 0, 0, maxDepth+1, bytes.Repeat([]byte{1, 0, 1, 1}, maxDepth+1), 0))), "deeper than 2048 calls"},
		{"gzip", file(block('M', []byte("certainly no gzip")), p), "the map: "},
		{"json", withMap("{"), "the map: unexpected end of JSON input"},
		{"format", withMap("{}"), `its format is "", not "diffprof-calls-map 1"`},
		{"method twice", withMap(strings.Replace(jsonMap, `"id":1,"class":"com.mine.Feed"`, `"id":0,"class":"x"`, 1)), "method 0 occurs twice"},
		{"site twice", withMap(strings.Replace(jsonMap, `{"id":1,"method":1`, `{"id":0,"method":1`, 1)), "call site 0 occurs twice"},
		{"site's method", withMap(strings.Replace(jsonMap, `"method":1`, `"method":9`, 1)), "call site 1 is in unknown method 9"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := one(c.data).Scan(t.Context(), tracetest.Discard{})
			var place *syntax.Error
			if !errors.As(err, &place) || !strings.Contains(err.Error(), c.want) || strings.ContainsAny(err.Error(), "\n\x00") {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
		})
	}
}

func TestOptions(t *testing.T) {
	second := usual
	second.name, second.pid = "com.mine:sync", 4800
	both := file(mapBlock, block('P', usual.process(0, 0, 1, thread1)), block('P', second.process(0, 0, 1, thread1)))
	for process, want := range map[string]int{"": 2, "com.mine": 1, "4800": 1, "com.mine:sync": 1} {
		r := one(both)
		r.options.Process = process
		if tr, err := r.Scan(t.Context(), tracetest.Discard{}); err != nil || len(tr.Processes) != want {
			t.Errorf("%q: %v", process, err)
		}
	}
	r := one(both)
	r.options.Process = "other"
	if _, err := r.Scan(t.Context(), tracetest.Discard{}); err == nil || !strings.Contains(err.Error(), "com.mine (4711) com.mine:sync (4800)") {
		t.Error(err)
	}
	r = one(both[:len(both)-3])
	r.options.Partial = true
	if tr, err := r.Scan(t.Context(), tracetest.Discard{}); err != nil || len(tr.Processes) != 1 || tr.Warnings[0].Code != "cut-short" {
		t.Error(err)
	}
	// The map may be a JSON file in the folder.
	r = recording{files: []File{{"run/a.calls", both[len(mapBlock):]}, {"run/app.calls-map.json", []byte(jsonMap)}}}
	if tr, err := r.Scan(t.Context(), tracetest.Discard{}); err != nil || len(tr.Processes) != 2 {
		t.Error(err)
	}
}

// TestCut truncates the samples at each offset. The result is an error with a position or, with
// Partial, a recording of the blocks before the truncation.
func TestCut(t *testing.T) {
	data, err := os.ReadFile("testdata/workload.calls")
	if err != nil {
		t.Fatal(err)
	}
	handovers, err := os.ReadFile("testdata/handovers.calls")
	if err != nil {
		t.Fatal(err)
	}
	for _, sample := range [][]byte{data, whole, handovers} {
		for n := range sample {
			for _, partial := range []bool{false, true} {
				r := one(sample[:n])
				r.options.Partial = partial
				_, err := r.Scan(t.Context(), tracetest.Discard{})
				var place *syntax.Error
				if !errors.As(err, &place) || strings.ContainsAny(err.Error(), "\n\x00") {
					t.Fatalf("cut at %d: %v", n, err)
				}
			}
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(whole, true)
	f.Add(usual.process(0, 0, 1, thread1), false)
	f.Add(usual.process(1, 1, 12, 700, 2, 0, 5, 1, 6, 0), false)
	newer := usual
	newer.version = 3
	f.Add(newer.process(handedOver(2, 1, 1, 4, 700, 300, 2, 1, 0, 1, 50, 50, 0, 1, 1, 1, 9)...), false)
	f.Fuzz(func(t *testing.T, data []byte, raw bool) {
		if !raw {
			// The content is mutated, and its checksum is right.
			data = file(mapBlock, block('P', data))
		}
		r := one(data)
		if _, err := r.Scan(t.Context(), tracetest.Discard{}); err != nil {
			if strings.ContainsAny(err.Error(), "\n\x00") {
				t.Errorf("the error is not one line: %q", err)
			}
			return
		}
		if err := tracetest.Check(t.Context(), r); err != nil {
			t.Error(err)
		}
	})
}

// TestMapCut truncates a map in a file of its own at each offset. The error says what to do. It is
// an error even with Partial, because nothing can be read without the map. The error for a map of
// another build names that map, too.
func TestMapCut(t *testing.T) {
	process := block('P', usual.process(0, 0, 1, thread1))
	for n := range mapBlock {
		for _, partial := range []bool{false, true} {
			r := recording{[]File{{Name: "app.calls-map", Data: mapBlock[:n]}, {Name: "run.calls", Data: process}}, Options{Partial: partial}}
			_, err := r.Scan(t.Context(), tracetest.Discard{})
			var place *syntax.Error
			if !errors.As(err, &place) || !strings.Contains(err.Error(), "diffprof instrument wrote") || n > 0 && place.File != "app.calls-map" {
				t.Fatalf("cut at %d, partial %v: %v", n, partial, err)
			}
		}
	}
	other := block('M', packed(jsonMap+"\n"))
	r := recording{files: []File{{Name: "app.calls-map", Data: other}, {Name: "run.calls", Data: process}}}
	if _, err := r.Scan(t.Context(), tracetest.Discard{}); err == nil || !strings.Contains(err.Error(), "the map here belongs to another build") {
		t.Error(err)
	}
}
