package pprof_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/pprof/profile"

	"github.com/diffprof/diffprof/ingest/pprof"
	"github.com/diffprof/diffprof/internal/syntax"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/trace/tracetest"
)

// A recording is a profile in memory.
type recording struct {
	data []byte
	opts pprof.Options
}

func (r recording) Scan(ctx context.Context, sink trace.Sink) (*trace.Trace, error) {
	open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(r.data)), nil }
	return pprof.Decode(ctx, open, sink, r.opts)
}

// A collector keeps the samples, their stacks and lines.
type collector struct {
	stacks [][]trace.MethodID
	lines  [][]int32
	each   []trace.Sample
}

func (c *collector) Events([]trace.Event) error { return errors.New("profiles have no events") }

func (c *collector) Samples(batch []trace.Sample) error {
	for _, s := range batch {
		c.stacks = append(c.stacks, slices.Clone(s.Stack))
		lines := slices.Clone(s.Lines)
		if lines == nil {
			lines = make([]int32, len(s.Stack)) // All lines are unknown.
		}
		c.lines = append(c.lines, lines)
		s.Stack, s.Lines = nil, nil
		c.each = append(c.each, s)
	}
	return nil
}

func decode(data []byte, o pprof.Options) (*trace.Trace, *collector, error) {
	c := &collector{}
	t, err := recording{data, o}.Scan(context.Background(), c)
	return t, c, err
}

// sums adds up the values of equal stacks. Its keys are the labels of a stack's methods.
func sums(t *trace.Trace, c *collector) map[string]int64 {
	out := make(map[string]int64)
	for i, s := range c.each {
		var b strings.Builder
		for k, m := range c.stacks[i] {
			fmt.Fprintf(&b, "%s:%d;", t.Methods[m].Label(), c.lines[i][k])
		}
		out[b.String()] += s.CPU + s.Wall + int64(s.Energy)
	}
	return out
}

// oracle adds up the values of equal stacks with pprof's own library.
func oracle(p *profile.Profile, at int, scale int64) map[string]int64 {
	out := make(map[string]int64)
	for _, s := range p.Sample {
		var b strings.Builder
		for i := len(s.Location) - 1; i >= 0; i-- {
			l := s.Location[i]
			for k := len(l.Line) - 1; k >= 0; k-- {
				fmt.Fprintf(&b, "%s:%d;", l.Line[k].Function.Name, l.Line[k].Line)
			}
		}
		out[b.String()] += s.Value[at] * scale
	}
	return out
}

// sample returns a profile with difficult parts: inlined functions, two sample types, threads, a
// location without a function, a value of 0, and an empty stack.
func sample() *profile.Profile {
	p := &profile.Profile{
		SampleType:    []*profile.ValueType{{Type: "samples", Unit: "count"}, {Type: "cpu", Unit: "microseconds"}},
		PeriodType:    &profile.ValueType{Type: "cpu", Unit: "microseconds"},
		Period:        10_000,
		TimeNanos:     1_700_000_000_000_000_000,
		DurationNanos: 2_000_000_000,
		Mapping:       []*profile.Mapping{{ID: 1, Start: 0x7000, Limit: 0x9000, Offset: 0x100, File: "/usr/lib/libfoo.so"}},
	}
	for i, name := range []string{"main.main", "net/http.(*conn).serve", "main.inlined", "java/util/Map$Entry.get"} {
		p.Function = append(p.Function, &profile.Function{ID: uint64(i) + 1, Name: name, SystemName: name, Filename: "/src/f.go"})
	}
	f := p.Function
	p.Location = []*profile.Location{
		{ID: 1, Line: []profile.Line{{Function: f[0], Line: 10}}},
		{ID: 7, Line: []profile.Line{{Function: f[2], Line: 3}, {Function: f[1], Line: 20}}},
		{ID: 3, Line: []profile.Line{{Function: f[3], Line: 30}}},
		{ID: 4, Mapping: p.Mapping[0], Address: 0x7abc},
	}
	l := p.Location
	p.Sample = []*profile.Sample{
		{Location: []*profile.Location{l[1], l[0]}, Value: []int64{1, 10_000}, Label: map[string][]string{"thread": {"main"}}},
		{Location: []*profile.Location{l[2], l[1], l[0]}, Value: []int64{2, 20_000}, NumLabel: map[string][]int64{"thread_id": {42}}},
		{Location: []*profile.Location{l[3]}, Value: []int64{0, 0}},
		{Location: []*profile.Location{l[3], l[0]}, Value: []int64{3, 30_000}, Label: map[string][]string{"thread": {"main"}}},
		{Value: []int64{1, 10_000}},
	}
	return p
}

func bytesOf(t testing.TB, p *profile.Profile) []byte {
	var b bytes.Buffer
	if err := p.WriteUncompressed(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestDecode(t *testing.T) {
	tr, c, err := decode(bytesOf(t, sample()), pprof.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]int64{
		"main.main:10;net/http.(*conn).serve:20;main.inlined:3;":                            10_000_000,
		"main.main:10;net/http.(*conn).serve:20;main.inlined:3;java.util.Map$Entry.get:30;": 20_000_000,
		"libfoo.so`0xbbc:0;":              0,
		"main.main:10;libfoo.so`0xbbc:0;": 30_000_000,
		"":                                10_000_000,
	}
	if got := sums(tr, c); !equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	var threads []string
	for _, th := range tr.Threads {
		threads = append(threads, fmt.Sprintf("%q %d: %d samples, %v", th.Name, th.ID, th.Events, th.CPU))
	}
	if got, want := strings.Join(threads, "\n"), `"main" 1: 2 samples, 40ms
"" 42: 1 samples, 20ms
"" 3: 2 samples, 10ms`; got != want {
		t.Errorf("threads\n%s\nwant\n%s", got, want)
	}
	if tr.Clock != trace.ThreadCPU || tr.Elapsed != 2*time.Second || tr.Interval != 10*time.Millisecond || tr.Calls != trace.NoCalls || tr.Technique != trace.Sampled {
		t.Errorf("clock %v, elapsed %v, interval %v, calls %v, technique %v", tr.Clock, tr.Elapsed, tr.Interval, tr.Calls, tr.Technique)
	}
	if len(tr.Timeline) != 1 || tr.Timeline[0].Value != 1_700_000_000_000_000_000 || tr.Timeline[0].Clock != trace.Realtime {
		t.Errorf("timeline %v", tr.Timeline)
	}
	if len(tr.Warnings) != 1 || tr.Warnings[0].Code != "no-symbols" {
		t.Errorf("warnings %v", tr.Warnings)
	}
	if c.each[3].Count != 3 {
		t.Errorf("the fourth sample counts %d, want 3", c.each[3].Count)
	}
	if err := tracetest.Check(context.Background(), recording{data: bytesOf(t, sample())}); err != nil {
		t.Error(err)
	}
}

func equal(a, b map[string]int64) bool {
	if len(a) != len(b) {
		return false
	}
	for k, v := range a {
		if w, ok := b[k]; !ok || v != w {
			return false
		}
	}
	return true
}

// TestSampleType checks which values are read, and their meaning.
func TestSampleType(t *testing.T) {
	period := &profile.ValueType{Type: "cpu", Unit: "nanoseconds"}
	for _, tt := range []struct {
		types, deflt, asked string
		period              *profile.ValueType
		want                string
	}{
		{"samples/count cpu/nanoseconds", "", "", period, "cpu 2"},
		{"cpu/nanoseconds samples/count", "", "", period, "cpu 1"},
		{"samples/count", "", "", period, "cpu 10"},
		{"samples/count", "", "", nil, "plain 1"},
		{"samples/count wall/microseconds", "", "", period, "cpu 10"},
		{"sample/count wall/microseconds", "", "", &profile.ValueType{Type: "wall", Unit: "microseconds"}, "wall 2000"},
		{"cpu/nanoseconds energy/microjoules", "", "", period, "energy 2000"},
		{"cpu/nanoseconds wall/nanoseconds", "", "wall", period, "wall 2"},
		{"cpu/nanoseconds wall/nanoseconds", "", "wall/nanoseconds", period, "wall 2"},
		{"alloc_objects/count alloc_space/bytes inuse_space/bytes", "", "", nil, "plain 3"},
		{"alloc_objects/count alloc_space/bytes inuse_space/bytes", "alloc_space", "", nil, "plain 2"},
		{"alloc_objects/count alloc_space/bytes", "", "inuse", nil,
			`error: pprof profile: unknown sample type "inuse"; the sample types are alloc_objects/count, alloc_space/bytes`},
		{"cpu/nanoseconds", "", "", nil, "cpu 1"},
	} {
		p := &profile.Profile{PeriodType: tt.period, Period: 10, DefaultSampleType: tt.deflt}
		s := &profile.Sample{}
		for i, text := range strings.Fields(tt.types) {
			kind, unit, _ := strings.Cut(text, "/")
			p.SampleType = append(p.SampleType, &profile.ValueType{Type: kind, Unit: unit})
			s.Value = append(s.Value, int64(i)+1)
		}
		p.Sample = []*profile.Sample{s}
		tr, c, err := decode(bytesOf(t, p), pprof.Options{SampleType: tt.asked})
		got := ""
		switch {
		case err != nil:
			got = "error: " + err.Error()
		case tr.Unstated:
			got = fmt.Sprintf("plain %d", c.each[0].Energy)
		case tr.Energy == trace.Given:
			got = fmt.Sprintf("energy %d", c.each[0].Energy)
		case tr.Clock == trace.WallClock:
			got = fmt.Sprintf("wall %d", c.each[0].Wall)
		default:
			got = fmt.Sprintf("cpu %d", c.each[0].CPU)
		}
		if got != tt.want {
			t.Errorf("%s, asked %q: %s, want %s", tt.types, tt.asked, got, tt.want)
		}
	}
}

// TestScripts checks that functions with the same name in different script files are different
// methods.
func TestScripts(t *testing.T) {
	p := &profile.Profile{SampleType: []*profile.ValueType{{Type: "cpu", Unit: "nanoseconds"}}}
	for i, f := range [][2]string{
		{"(anonymous)", "node:net"}, {"(anonymous)", "node:dns"}, {"run", "/app/job.py"}, {"run", "/app/other.py"},
		{"node:events:emit:5", "node:events"}, {"_ZN3foo3barEi", "foo.cc"},
	} {
		fn := &profile.Function{ID: uint64(i) + 1, Name: f[0], Filename: f[1]}
		l := &profile.Location{ID: uint64(i) + 1, Line: []profile.Line{{Function: fn}}}
		p.Function = append(p.Function, fn)
		p.Location = append(p.Location, l)
		p.Sample = append(p.Sample, &profile.Sample{Location: []*profile.Location{l}, Value: []int64{1}})
	}
	tr, _, err := decode(bytesOf(t, p), pprof.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range tr.Methods {
		got = append(got, m.Lang.String()+" "+m.Label())
	}
	want := []string{
		"javascript (anonymous) node:net", "javascript (anonymous) node:dns", "python run (/app/job.py)", "python run (/app/other.py)",
		"javascript node:events:emit:5", "cpp foo::bar(int)",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// TestOracle compares generated profiles with pprof's library.
func TestOracle(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		p := generated(rng)
		tr, c, err := decode(bytesOf(t, p), pprof.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := sums(tr, c), oracle(p, 1, 1); !equal(got, want) {
			t.Fatalf("got  %v\nwant %v", got, want)
		}
	}
}

// generated returns a profile with stacks of any depth over a few functions.
func generated(rng *rand.Rand) *profile.Profile {
	p := &profile.Profile{SampleType: []*profile.ValueType{{Type: "samples", Unit: "count"}, {Type: "cpu", Unit: "nanoseconds"}}}
	for i := range 1 + rng.IntN(20) {
		p.Function = append(p.Function, &profile.Function{ID: uint64(i) + 1, Name: fmt.Sprintf("main.f%d", i)})
	}
	for i := range 1 + rng.IntN(30) {
		l := &profile.Location{ID: uint64(i) + 1}
		if rng.IntN(3) == 0 {
			l.ID += 1 << 40
		}
		for range 1 + rng.IntN(3) {
			l.Line = append(l.Line, profile.Line{Function: p.Function[rng.IntN(len(p.Function))], Line: rng.Int64N(100)})
		}
		p.Location = append(p.Location, l)
	}
	for range 1 + rng.IntN(50) {
		s := &profile.Sample{Value: []int64{1, rng.Int64N(1000)}}
		for range rng.IntN(20) {
			s.Location = append(s.Location, p.Location[rng.IntN(len(p.Location))])
		}
		p.Sample = append(p.Sample, s)
	}
	return p
}

func TestDecodeErrors(t *testing.T) {
	negative := sample()
	negative.Sample[1].Value[1] = -1
	large := sample()
	large.Sample[1].Value[1] = 1 << 62
	for _, tt := range []struct {
		name string
		data []byte
		want string
	}{
		{"empty", nil, "pprof profile: the profile has no sample types"},
		{"no samples", bytesOf(t, &profile.Profile{SampleType: []*profile.ValueType{{Type: "cpu", Unit: "ns"}}}), "pprof profile: the profile has no samples"},
		{"negative", bytesOf(t, negative), "a value is negative, as in the difference of two profiles; read the two profiles"},
		{"large", bytesOf(t, large), "a value is too large"},
		{"field 0", []byte{0, 0}, "offset 0: pprof profile: invalid field number 0"},
		{"group", []byte{1<<3 | 3}, "offset 0: pprof profile: invalid field type 3"},
		{"long number", append([]byte{9 << 3}, bytes.Repeat([]byte{0xff}, 11)...), "offset 0: pprof profile: a number has more than 64 bits"},
		{"claims much", []byte{6<<3 | 2, 0xff, 0xff, 0xff, 0xff, 0x0f}, "offset 0: pprof profile: a field has 4294967295 bytes, more than the limit of 67108864"},
		{"cut", []byte{6<<3 | 2, 10, 'a'}, "offset 0: pprof profile: the file ends in the middle of a field; fetch the file again, or record again"},
		{"few values", append(bytesOf(t, sample()), 2<<3|2, 2, 2<<3, 1), "a sample has 1 values, and the profile has 2 sample types"},
	} {
		_, _, err := decode(tt.data, pprof.Options{})
		var located *syntax.Error
		if err == nil || !strings.HasSuffix(err.Error(), tt.want) || !errors.As(err, &located) {
			t.Errorf("%s: error %v, want %s", tt.name, err, tt.want)
		}
	}
}

// TestMissingTables reads samples with a missing location, and locations with a missing
// function.
func TestMissingTables(t *testing.T) {
	data := append(bytesOf(t, sample()), 2<<3|2, 6, 1<<3, 99, 2<<3, 1, 2<<3, 1)
	data = append(data, 4<<3|2, 6, 1<<3, 98, 4<<3|2, 2, 1<<3, 77)
	tr, c, err := decode(data, pprof.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if sums(tr, c)["location 99:0;"] != 1000 || tr.Unlisted != 1 {
		t.Errorf("%v, %d methods unlisted", sums(tr, c), tr.Unlisted)
	}
}

// TestTruncation truncates a profile at every byte. The result is a recording or an error with a
// position.
func TestTruncation(t *testing.T) {
	data := bytesOf(t, sample())
	for n := range data {
		_, _, err := decode(data[:n], pprof.Options{})
		var located *syntax.Error
		if err != nil && !errors.As(err, &located) {
			t.Fatalf("cut at %d: %v", n, err)
		}
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := (recording{data: bytesOf(t, sample())}).Scan(ctx, &collector{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestReal(t *testing.T) {
	files, _ := filepath.Glob("../../../shared/data/pprof/*")
	if len(files) == 0 {
		t.Skip("the real profiles of ../shared/data/pprof are not here")
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if z, err := gzip.NewReader(bytes.NewReader(data)); err == nil {
			if data, err = io.ReadAll(z); err != nil {
				t.Fatal(err)
			}
		}
		name := filepath.Base(file)
		if !pprof.Sniff(data[:min(len(data), 8<<10)]) {
			t.Errorf("%s is not known", name)
		}
		if err := tracetest.Check(context.Background(), recording{data: data}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		tr, c, err := decode(data, pprof.Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		p, err := profile.ParseData(data)
		if err != nil && strings.Contains(name, "dotnet") {
			continue // Its functions have no ids, so pprof's library rejects it.
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		at, scale := len(p.SampleType)-1, int64(1)
		if p.SampleType[at].Unit == "microseconds" {
			scale = 1000
		}
		var got, want int64
		for _, v := range sums(tr, c) {
			got += v
		}
		for _, s := range p.Sample {
			want += s.Value[at] * scale
		}
		if got != want || len(c.each) != len(p.Sample) {
			t.Errorf("%s: %d in %d samples, want %d in %d", name, got, len(c.each), want, len(p.Sample))
		}
		for i, s := range p.Sample {
			depth := 0
			for _, l := range s.Location {
				depth += max(1, len(l.Line))
			}
			if len(c.stacks[i]) != depth {
				t.Fatalf("%s: sample %d has %d frames, want %d", name, i, len(c.stacks[i]), depth)
			}
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(bytesOf(f, sample()))
	rng := rand.New(rand.NewPCG(3, 4))
	f.Add(bytesOf(f, generated(rng)))
	f.Add([]byte{0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 100, 0, 0, 0, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, data []byte) {
		pprof.Sniff(data)
		if _, _, err := decode(data, pprof.Options{}); err != nil {
			return
		}
		if err := tracetest.Check(context.Background(), recording{data: data}); err != nil {
			t.Error(err)
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	rng := rand.New(rand.NewPCG(5, 6))
	p := generated(rng)
	for len(p.Sample) < 20_000 {
		p.Sample = append(p.Sample, p.Sample...)
	}
	data := bytesOf(b, p)
	b.Run("diffprof", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		b.ReportAllocs()
		for b.Loop() {
			if _, err := (recording{data: data}).Scan(context.Background(), tracetest.Discard{}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("pprof", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		b.ReportAllocs()
		for b.Loop() {
			if _, err := profile.ParseData(data); err != nil {
				b.Fatal(err)
			}
		}
	})
}
