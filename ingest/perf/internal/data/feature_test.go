package data

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/code/program"
	"github.com/diffprof/diffprof/units"
)

// pack encodes numbers as little-endian bytes of their size, and texts without a terminator.
func pack(parts ...any) []byte {
	var b bytes.Buffer
	for _, part := range parts {
		if text, ok := part.(string); ok {
			b.WriteString(text)
		} else if err := binary.Write(&b, binary.LittleEndian, part); err != nil {
			panic(err)
		}
	}
	return b.Bytes()
}

// TestFeatures reads the section of each feature, whole and truncated at each byte. The forms are
// those in perf's perf.data-file-format.txt and in simpleperf's record_file_format.h.
func TestFeatures(t *testing.T) {
	id := strings.Repeat("\x11", 20)
	tracing := pack("\x17\x08\x44tracing", "0.6\x00", "\x00\x08\x00\x10\x00\x00", "header_page\x00", uint64(2), "ab", "header_event\x00", uint64(1), "c",
		uint32(1), uint64(3), "ftr", uint32(1), "sched\x00", uint32(2), uint64(7), "nothing", uint64(32), "name: sched_switch\nID: 316\nmore:")
	for _, c := range []struct {
		number feature
		body   []byte
		want   func(f *Features) bool
	}{
		{featureCores, pack(uint32(8), uint32(6)), func(f *Features) bool { return f.Cores == 8 }},
		{featureCores, pack(uint32(math.MaxUint32), uint32(0)), func(f *Features) bool { return f.Cores == maxCores }},
		{featureProcessor, pack(uint32(8), "ARM v8\x00\x00"), func(f *Features) bool { return f.Processor == "ARM v8" && f.Frequency() == 0 }},
		{featureProcessor, pack(uint32(16), "Xeon @ 2.80GHz\x00\x00"), func(f *Features) bool { return f.Frequency() == 2_800_000*units.Kilohertz }},
		{featureBuildIDs, pack(uint32(0), uint16(0), uint16(8+4+24+8), int32(-1), id, "\x00\x00\x00\x00", "/a.so\x00\x00\x00",
			uint32(0), uint16(miscBuildSize), uint16(8+4+24+8), int32(-1), id, "\x04\x00\x00\x00", "/b.so\x00\x00\x00"),
			func(f *Features) bool {
				return maps.Equal(f.BuildIDs, map[string]string{"/a.so": id, "/b.so": id[:4]})
			}},
		{featureMeta, pack("app_package_name\x00org.app\x00debuggable\x00true\x00"), func(f *Features) bool {
			return maps.Equal(f.Meta, map[string]string{"app_package_name": "org.app", "debuggable": "true"})
		}},
		{featureEvents, pack(uint32(2), uint32(4), "attr", uint32(2), uint32(7), "cycles\x00", uint64(10), uint64(11), "attr", uint32(1), uint32(4), "wall", uint64(12)),
			func(f *Features) bool {
				return maps.Equal(f.events, map[uint64]string{10: "cycles", 11: "cycles", 12: "wall"})
			}},
		{featureFiles, pack(uint32(4+4+8+4+(8+4+5)+8+1), "/a\x00", uint32(ELF), uint64(0x1000), uint32(1), uint64(0x1010), uint32(16), "main\x00", uint64(0x40), "\x00\x00"),
			func(f *Features) bool {
				return len(f.Objects) == 1 && f.Objects[0].Path == "/a" && f.Objects[0].Kind == ELF && f.Objects[0].Address == 0x1000 && f.Objects[0].Offset == 0x40 &&
					slices.Equal(f.Objects[0].Symbols, []program.Symbol{{Address: 0x1010, Size: 16, Name: "main"}})
			}},
		{featureTracing, tracing, func(f *Features) bool {
			return maps.Equal(f.tracepoints, map[uint64]string{316: "sched:sched_switch"})
		}},
		// A FileFeature message: path, kind, address, a function, and the offset of its code.
		{featureFiles2, pack(uint32(28), "\x0a\x02/b\x10\x02\x18\x80\x20\x22\x0d\x08\x90\x20\x10\x08\x1a\x06vsyncs\x32\x02\x08\x20"), func(f *Features) bool {
			return len(f.Objects) == 1 && f.Objects[0].Path == "/b" && f.Objects[0].Kind == ELF && f.Objects[0].Address == 0x1000 && f.Objects[0].Offset == 0x20 &&
				slices.Equal(f.Objects[0].Symbols, []program.Symbol{{Address: 0x1010, Size: 8, Name: "vsyncs"}})
		}},
	} {
		var f Features
		if err := f.add(c.number, c.body); err != nil || !c.want(&f) {
			t.Errorf("feature %d: %v, %+v", c.number, err, f)
		}
		for n := range c.body {
			var f Features
			if f.add(c.number, c.body[:n]); c.number != featureCores && c.want(&f) && n < len(c.body)-8 {
				t.Errorf("feature %d: %d of %d bytes are the whole", c.number, n, len(c.body))
			}
		}
	}
	// The section is padded: the bytes after the stated number of events are ignored.
	var padded Features
	one := pack("attr", uint32(1), uint32(4), "wall", uint64(12))
	if err := padded.add(featureEvents, pack(uint32(1), uint32(4), one, one[:8], uint32(4), "more", uint64(13))); err != nil || !maps.Equal(padded.events, map[uint64]string{12: "wall"}) {
		t.Errorf("%v, %v", padded.events, err)
	}
	for number := range feature(256) {
		if want := slices.Contains([]feature{1, 2, 7, 8, 12, 128, 129, 132}, number); number.known() != want {
			t.Errorf("feature %d is known: %v", number, !want)
		}
	}
}

// TestEventNames takes the names of events from the recording, from simpleperf's list, from their
// numbers, and from tracepoints. The name of an event that counts only in one mode includes the
// mode.
func TestEventNames(t *testing.T) {
	f := &File{Attributes: []Attribute{
		{kind: 0, config: 0}, {kind: 0, config: 9, flag: flagExcludeKernel}, {kind: 1, config: 1, flag: flagExcludeUser},
		{kind: 2, config: 316}, {kind: 2, config: 317}, {kind: 4, config: 0x11, flag: flagExcludeKernel}, {kind: 0, config: 10}, {kind: 1, config: 11},
		{kind: 1, config: 0, flag: flagExcludeKernel | flagExcludeUser},
	}, ids: map[uint64]int{5: 0, 6: 1}}
	f.events = map[uint64]string{5: "cycles:ppp", 99: "of no event"}
	f.tracepoints = map[uint64]string{316: "sched:sched_switch"}
	f.Meta = map[string]string{"event_type_info": "raw-l1,4,17\nbroken,4\nworse,x,1\n"}
	f.nameEvents()
	var got []string
	for _, a := range f.Attributes {
		got = append(got, a.Name)
	}
	want := "cycles:ppp ref-cycles:u task-clock:k sched:sched_switch event 2/0x13d raw-l1:u event 0/0xa event 1/0xb cpu-clock"
	if strings.Join(got, " ") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, " "), want)
	}
}

// TestSamples reads a sample with all parts, and samples that lack one part. The parts are in the
// order of PERF_RECORD_SAMPLE in perf_event_open(2).
func TestSamples(t *testing.T) {
	parts := []struct {
		bit  uint64
		body []byte
	}{
		{partIdentifier, pack(uint64(77))},
		{partIP, pack(uint64(0x1234))},
		{partThread, pack(int32(70), int32(71))},
		{partTime, pack(uint64(5000))},
		{partAddress, pack(uint64(1))},
		{partID, pack(uint64(77))},
		{partStream, pack(uint64(2))},
		{partCPU, pack(uint32(3), uint32(0))},
		{partPeriod, pack(uint64(250))},
		// A group of two counters, with both times and with ids and lost samples.
		{partRead, pack(uint64(2), uint64(9), uint64(9), uint64(1), uint64(77), uint64(0), uint64(1), uint64(78), uint64(0))},
		{partChain, pack(uint64(3), uint64(0xfffffffffffffe00), uint64(0x1234), uint64(0x99))},
	}
	for without := -1; without < len(parts); without++ {
		a := Attribute{period: 40, format: readEnabled | readRunning | readID | readGroup | readLost}
		want := Sample{IP: 0x1234, PID: 70, TID: 71, Time: 5000, Period: 250, Chain: []uint64{0xfffffffffffffe00, 0x1234, 0x99}}
		var body []byte
		for i, part := range parts {
			if i != without {
				a.sampleType |= part.bit
				body = append(body, part.body...)
				continue
			}
			switch part.bit {
			case partIP:
				want.IP = 0
			case partThread:
				want.PID, want.TID = 0, 0
			case partTime:
				want.Time = 0
			case partPeriod:
				want.Period = 40
			case partChain:
				want.Chain = nil
			}
		}
		f := &File{Attributes: []Attribute{a}}
		r := &Record{Type: SampleType, Body: body}
		var got Sample
		if err := f.Sample(r, &got); err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("without part %d: %+v, %v, want %+v", without, got, err, want)
		}
		if f.Time(r) != want.Time {
			t.Errorf("without part %d the time is %d", without, f.Time(r))
		}
		for n := range body {
			if err := f.Sample(&Record{Type: SampleType, Body: body[:n]}, &got); err == nil {
				t.Errorf("without part %d, %d of %d bytes are a sample", without, n, len(body))
			}
		}
		// If the attribute has a target frequency, it does not state the number of events per
		// sample.
		f.Attributes[0].flag = flagFrequency
		if err := f.Sample(r, &got); without == 8 && (err != nil || got.Period != 1) {
			t.Errorf("a sample without a period has %d", got.Period)
		}
	}
}

// TestSeveralEvents finds the event of a sample by its id. The id is either the first part of the
// sample or after other parts.
func TestSeveralEvents(t *testing.T) {
	for _, parts := range []uint64{partIdentifier | partIP | partTime, partIP | partThread | partTime | partID} {
		f := &File{Attributes: []Attribute{{sampleType: parts}, {sampleType: parts}}, ids: map[uint64]int{501: 0, 502: 1}}
		f.layout = newLayout(&f.Attributes[0])
		for id, want := range map[uint64]int{501: 0, 502: 1, 503: 0} {
			body := pack(id, uint64(1), uint64(2))
			if parts&partID != 0 {
				body = pack(uint64(1), uint64(3), uint64(2), id)
			}
			if got := f.Event(&Record{Type: SampleType, Body: body}); got != want {
				t.Errorf("id %d is of event %d, want %d", id, got, want)
			}
		}
	}
	// All other records end with the same fields: thread, time, id, stream, core and identifier.
	a := Attribute{sampleType: partThread | partTime | partID | partCPU | partIdentifier, flag: flagSampleIDAll}
	f := &File{Attributes: []Attribute{a}, layout: newLayout(&a)}
	body := pack(int32(1), int32(2), "name\x00\x00\x00\x00", int32(1), int32(2), uint64(4711), uint64(501), uint32(3), uint32(0), uint64(501))
	if got := f.Time(&Record{Type: Comm, Body: body}); got != 4711 {
		t.Errorf("the time of a name is %d, want 4711", got)
	}
	if got := f.Time(&Record{Type: recordAttribute, Body: body}); got != 0 {
		t.Errorf("the time of an attribute is %d", got)
	}
}

// TestTasksAndMappings reads records about threads and about memory mappings.
func TestTasksAndMappings(t *testing.T) {
	id := strings.Repeat("\x22", 20)
	for _, c := range []struct {
		r    Record
		want string
	}{
		{Record{Type: Mmap, Body: pack(int32(7), int32(8), uint64(0x1000), uint64(0x2000), uint64(0x30), "/lib/a.so\x00\x00")}, `{7 4096 8192 48 /lib/a.so 0 }`},
		{Record{Type: Mmap2, Misc: miscBuildID, Body: pack(int32(7), int32(8), uint64(1), uint64(2), uint64(3), "\x04\x00\x00\x00", id, uint32(5), uint32(2), "/b\x00")}, `{7 1 2 3 /b 5 """"}`},
		{Record{Type: Mmap2, Body: pack(int32(7), int32(8), uint64(1), uint64(2), uint64(3), "\x04\x00\x00\x00", id, uint32(5), uint32(2), "/b\x00")}, `{7 1 2 3 /b 5 }`},
		{Record{Type: Comm, Body: pack(int32(7), int32(8), "worker\x00\x00")}, `{7 8 0 worker 0}`},
		{Record{Type: Fork, Body: pack(int32(7), int32(5), int32(8), int32(6), uint64(0))}, `{7 8 5  6}`},
	} {
		got, err := any(nil), error(nil)
		read := func(r Record) {
			if r.Type == Mmap || r.Type == Mmap2 {
				got, err = r.Mapping()
			} else {
				got, err = r.Task()
			}
		}
		if read(c.r); err != nil || fmt.Sprint(got) != c.want {
			t.Errorf("record %d is %v, %v, want %s", c.r.Type, got, err, c.want)
		}
		for n := range 8 {
			if read(Record{Type: c.r.Type, Body: c.r.Body[:n]}); !errors.Is(err, errShort) {
				t.Errorf("%d bytes of record %d: %v", n, c.r.Type, err)
			}
		}
	}
	lost := &Record{Type: Lost, Body: pack(uint64(501), uint64(12))}
	samples := &Record{Type: LostSamples, Body: pack(uint64(12))}
	if lost.Lost() != 12 || samples.Lost() != 12 {
		t.Errorf("%d and %d samples are lost, want 12", lost.Lost(), samples.Lost())
	}
	if r := (&Record{Body: pack(uint32(3), "abcdef")}); string(r.Kallsyms()) != "abc" {
		t.Errorf("the table is %q", r.Kallsyms())
	}
	for misc, want := range map[uint16][2]bool{0: {false, false}, miscExec: {true, false}, 1: {false, true}, 2: {false, false}, 3: {false, false}, miscExec | 1: {true, true}} {
		if r := (&Record{Misc: misc}); r.Exec() != want[0] || r.Kernel() != want[1] {
			t.Errorf("bits %#x: exec %v, kernel %v", misc, r.Exec(), r.Kernel())
		}
	}
}

// TestOrder writes records of several cores in rounds, as perf does, and reads them in time order.
// A record that is older than the previous round is counted as late.
func TestOrder(t *testing.T) {
	a := Attribute{sampleType: partTime}
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 3))
		var records []byte
		var times []uint64
		from, rounds := uint64(1), 1+r.IntN(5)
		for range rounds {
			until := from + 100
			for core := range 3 {
				// Each core writes in time order. Core 2 is one round behind.
				n := r.IntN(6)
				list := make([]uint64, n)
				for i := range list {
					if list[i] = from + r.Uint64N(100); core == 2 && from > 100 {
						list[i] -= 100
					}
				}
				slices.Sort(list)
				for _, at := range list {
					records = appendRecord(records, SampleType, pack(at)...)
				}
				times = append(times, list...)
			}
			records = appendRecord(records, recordRound)
			from = until
		}
		f := &File{Attributes: []Attribute{a}, r: bytes.NewReader(records), end: int64(len(records))}
		disorder := !slices.IsSorted(times)
		if err := f.Survey(t.Context(), func(*Record) error { return nil }); err != nil || f.disorder != disorder {
			t.Fatalf("seed %d: disorder %v, %v", seed, f.disorder, err)
		}
		var got []uint64
		late, err := f.Each(t.Context(), func(r *Record) error {
			if r.Type == SampleType {
				got = append(got, binary.LittleEndian.Uint64(r.Body))
			}
			return nil
		})
		slices.Sort(times)
		if err != nil || late != 0 || !slices.Equal(got, times) {
			t.Fatalf("seed %d: %d late, %v: %v, want %v", seed, late, err, got, times)
		}
	}
	var records []byte
	for _, at := range []uint64{50, 60, 0, 55} {
		records = appendRecord(records, SampleType, pack(at)...)
	}
	for range 2 {
		records = appendRecord(records, recordRound)
	}
	records = appendRecord(records, SampleType, pack(uint64(10))...) // This record is older than records that were already visited.
	f := &File{Attributes: []Attribute{a}, r: bytes.NewReader(records), end: int64(len(records)), disorder: true}
	var got []uint64
	late, err := f.Each(context.Background(), func(r *Record) error {
		got = append(got, f.Time(r))
		return nil
	})
	// A record without a time is visited at once.
	if want := []uint64{0, 50, 55, 60, 10}; err != nil || late != 1 || !slices.Equal(got, want) {
		t.Errorf("%d late, %v: %v, want %v", late, err, got, want)
	}
}
