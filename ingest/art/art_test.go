package art_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/diffprof/diffprof/ingest/art"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/tools/artwrite"
	"github.com/diffprof/diffprof/trace"
)

func Example() {
	run := &artwrite.Trace{
		Threads: []artwrite.Thread{{ID: 1, Name: "main"}},
		Methods: []name.Method{name.OfClass("app.Feed", "load", "()V")},
		Events: slices.Values([]artwrite.Event{
			{Action: artwrite.Enter},
			{Action: artwrite.Exit, CPU: 40 * time.Microsecond, Wall: 90 * time.Microsecond},
		}),
	}
	var file bytes.Buffer
	if err := artwrite.Write(&file, run, artwrite.Form{Version: 3}); err != nil {
		fmt.Println(err)
		return
	}
	var c capture
	t, err := art.Decode(context.Background(), &file, &c, art.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	exit := c.events[1]
	fmt.Println(t.Threads[exit.Thread].Name, t.Methods[exit.Ref].Label(), exit.CPU, exit.Time)
	// Output:
	// main app.Feed.load()V 40000 90000
}

func TestDecodeForms(t *testing.T) {
	eachForm(t, func(t *testing.T, f artwrite.Form) {
		for seed := range uint64(3) {
			run := calls(seed, 5000)
			if seed == 1 {
				run.VM = "dalvik"
			}
			if seed == 2 {
				run.MethodID = func(i int) uint64 { return 0x7f12_0000_0000 + uint64(i)*64 }
			}
			data := write(t, run, f)
			tr, events := decode(t, data, art.Options{Clock: f.Clock})
			got, want := steps(tr, events), slowSteps(run, f)
			if !slices.Equal(got, want) {
				for i := range want {
					if i >= len(got) || got[i] != want[i] {
						t.Fatalf("seed %d, event %d of %d: got %+v, want %+v", seed, i, len(got), got[min(i, len(got)-1)], want[i])
					}
				}
				t.Fatalf("seed %d: %d events, want %d", seed, len(got), len(want))
			}
			for _, m := range tr.Methods {
				if m.File != "Run.java" {
					t.Fatalf("method %+v", m)
				}
			}
			if tr.Clock != f.Clock || tr.Elapsed != time.Hour || tr.Active() != 3 || tr.Unlisted != 0 {
				t.Errorf("clock %v, elapsed %v, %d active threads, %d unlisted methods", tr.Clock, tr.Elapsed, tr.Active(), tr.Unlisted)
			}
			if got := tr.Threads[slices.IndexFunc(tr.Threads, func(th trace.Thread) bool { return th.ID == 7 })].Name; got != "Binder:1_1" {
				t.Errorf("thread 7 is %q", got)
			}
			if len(tr.Warnings) != 0 && !f.CRLF {
				t.Errorf("warnings %v", tr.Warnings)
			}
			if !art.Sniff(data[:art.SniffLen]) {
				t.Error("Sniff says no")
			}
			late := (f.Streaming || f.Version == 4) && f.Clock != dual
			if got := art.LateClock(data[:art.SniffLen]); got != late {
				t.Errorf("LateClock = %v", got)
			}
		}
	})
}

// A clock that only the summary names is in the Trace, so that a second decoding can use it.
func TestDecodeLateClock(t *testing.T) {
	for _, version := range []int{2, 3, 4} {
		data := write(t, calls(1, 100), artwrite.Form{Version: version, Clock: trace.ThreadCPU, Streaming: true})
		tr, err := art.Decode(t.Context(), bytes.NewReader(data), &capture{}, art.Options{})
		if err != nil || tr.Clock != trace.ThreadCPU {
			t.Errorf("version %d: %v, %v", version, tr, err)
		}
	}
}

func TestDecodeMoreMethodsThan16Bits(t *testing.T) {
	run := calls(1, 0)
	run.Methods = nil
	var events []artwrite.Event
	for i := range 70_000 {
		run.Methods = append(run.Methods, name.OfClass(fmt.Sprintf("a.C%d", i), "m", "()V"))
		events = append(events, artwrite.Event{Method: i})
	}
	run.Events = slices.Values(events)
	for _, f := range []artwrite.Form{{Version: 3}, {Version: 3, Streaming: true}, {Version: 4}} {
		tr, got := decode(t, write(t, run, f), art.Options{})
		if len(tr.Methods) != 70_000 {
			t.Fatalf("%+v: %d methods", f, len(tr.Methods))
		}
		if last := tr.Methods[got[69_999].Ref].Class(); last != "a.C69999" {
			t.Errorf("%+v: the last event is in %s", f, last)
		}
	}
}

// text returns a version 3 file with the given header lines and records.
func text(header string, records ...[4]uint32) []byte {
	b := []byte(strings.ReplaceAll(header, "|", "\t") + "*end\n")
	b = append(b, "SLOW\x03\x00\x20\x00\x00\x00\x00\x00\x00\x00\x00\x00\x0e\x00"...)
	b = append(b, make([]byte, 14)...)
	for _, r := range records {
		b = append(b, byte(r[0]), byte(r[0]>>8))
		for _, v := range r[1:] {
			b = append(b, byte(v), byte(v>>8), byte(v>>16), byte(v>>24))
		}
	}
	return b
}

func TestDecodeMethodRows(t *testing.T) {
	tests := []struct {
		row  string
		want name.Method
	}{
		{"0x4|a/b/C|m|()V|C.java|12", name.OfClass("a.b.C", "m", "()V").At("C.java", 12)},
		{"0x4|a/b/C|m|()V|a/b/C.java|-2", name.OfClass("a.b.C", "m", "()V").At("C.java", 0)},
		{"0x4|a.b.C|m|()V|C.java", name.OfClass("a.b.C", "m", "()V").At("C.java", 0)},
		{"0x4|a.b.C|m|()V|", name.OfClass("a.b.C", "m", "()V")},
		{"0x4|a.b.C|m|()V", name.OfClass("a.b.C", "m", "()V")},
		{"0x4|a.b.C|m|C.java", name.OfClass("a.b.C", "m", "").At("C.java", 0)},
		{"0x4|a.b.C|m", name.OfClass("a.b.C", "m", "")},
		{"0x4|a.b.C|m|x|C.kt|7", name.OfClass("a.b.C", "m", "").At("C.kt", 7)},
		{"0x4|libc_read|/system/lib/libc.c|88", name.Method{Name: "libc_read", File: "libc.c", Line: 88}},
		{"0x4|native_thing", name.Method{Name: "native_thing"}},
		{"0x7F00000004|a.b.Naïve$1|<init>|(Lä/ö;)V", name.OfClass("a.b.Naïve$1", "<init>", "(Lä/ö;)V")},
		{"0x4|a.\xed\xa0\xbd\xed\xb8\x80|b\xed\xa0\xbd|()V|\xff\xc0\x80ü", name.OfClass("a.😀", "b\uFFFD", "()V").At("\uFFFD\uFFFD\uFFFDü", 0)},
		{"4|a.C|<clinit>|()V", name.OfClass("a.C", "<clinit>", "()V")},
	}
	for _, test := range tests {
		data := text("*version\n3\nclock=dual\n*threads\n1|main\n*methods\n"+test.row+"\n", [4]uint32{1, 4, 0, 0})
		tr, events := decode(t, data, art.Options{})
		if got := tr.Methods[events[0].Ref]; got != test.want {
			t.Errorf("%s: %+v, want %+v", test.row, got, test.want)
		}
	}
}

func TestDecodeWarnings(t *testing.T) {
	const header = "*version\n3\ndata-file-overflow=false\nclock=dual\nvm=art\n*threads\n1|main\n70001|late\n*methods\n0x4|a.C|m|()V\n0x8|a.C|m|()V\n0x10|a.D|n|()V\n"
	tests := []struct {
		name string
		data []byte
		want string
	}{
		{"none", text(header, [4]uint32{1, 4, 0, 0}, [4]uint32{1, 9, 1, 1}), ""},
		{"unknown method", text(header, [4]uint32{1, 0x104, 0, 0}, [4]uint32{1, 0x105, 0, 0}, [4]uint32{1, 0xf0000004, 0, 0}),
			"unknown-methods: 3 events of 2 methods missing from the method table"},
		{"unlisted thread", text(header, [4]uint32{9, 4, 0, 0}), "unlisted-threads: 1 thread missing from the thread table"},
		{"thread by its low bits", text(header, [4]uint32{70001 & 0xffff, 4, 0, 0}), ""},
		{"clock backwards", text(header, [4]uint32{1, 4, 50, 60}, [4]uint32{1, 4, 40, 70}, [4]uint32{1, 5, 60, 65}),
			"clock-backwards: the thread clock ran backwards at 1 event; it counts as stopped there\n" +
				"wall-backwards: the wall clock ran backwards at 1 event; it counts as stopped there"},
		{"action 3", text(header, [4]uint32{1, 7, 0, 0}, [4]uint32{1, 4, 0, 0}), "invalid-records: 1 record without a valid action or never written, not counted"},
		{"unwritten slot", text(header, [4]uint32{0xeeee, 0xeeeeeeee, 0xeeeeeeee, 0xeeeeeeee}, [4]uint32{1, 4, 0, 0}), "invalid-records: 1 record without a valid action or never written, not counted"},
		{"overflow", text(strings.Replace(header, "false", "true", 1), [4]uint32{1, 4, 0, 0}), "overflow: the recorder's buffer was full: the end of the run is missing"},
		{"rows", text(strings.Replace(header, "*threads\n", "*threads\nnonsense\n-4|x\n", 1)+"0xzz|a.E|m\n0x14\n", [4]uint32{1, 4, 0, 0}),
			"table-rows: 4 rows of the method and thread tables could not be read"},
		{"more records than stated", text(strings.Replace(header, "vm=", "num-method-calls=1\nvm=", 1), [4]uint32{1, 4, 0, 0}, [4]uint32{1, 5, 0, 0}),
			"record-count: the file states 1 record and has 2"},
		{"as many records as stated", text(strings.Replace(header, "vm=", "num-method-calls=1\nvm=", 1), [4]uint32{1, 4, 0, 0}), ""},
		{"a record, but none stated", text(strings.Replace(header, "vm=", "num-method-calls=0\nvm=", 1), [4]uint32{1, 4, 0, 0}),
			"record-count: the file states 0 records and has 1"},
		{"version", text(strings.Replace(header, "3", "2", 1), [4]uint32{1, 4, 0, 0}), "version: the header states version 2 and the records state version 3, which is used"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			tr, _ := decode(t, test.data, art.Options{})
			var got []string
			for _, w := range tr.Warnings {
				got = append(got, w.Code+": "+w.Message)
			}
			if got := strings.Join(got, "\n"); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestDecodeUnknownMethods(t *testing.T) {
	tr, events := decode(t, text("*version\n3\nclock=dual\n*threads\n1|main\n*methods\n0x4|a.C|m|()V\n",
		[4]uint32{1, 0x1234, 0, 0}, [4]uint32{1, 0x1235, 0, 0}), art.Options{})
	if tr.Unlisted != 1 || events[0].Ref != events[1].Ref {
		t.Fatalf("%d unlisted, events %+v", tr.Unlisted, events)
	}
	if got := tr.Methods[events[0].Ref]; got != (name.Method{Name: "(unknown 0x1234)"}) {
		t.Errorf("method %+v", got)
	}
}

// Methods with equal labels are the same method, whatever their ids. A file lists a method several
// times if its class was obfuscated or loaded again.
func TestDecodeMergesEqualLabels(t *testing.T) {
	tr, events := decode(t, text("*version\n3\nclock=dual\n*threads\n1|main\n*methods\n0x4|a.C|m|()V\n0x8|a.C|m|()V\n",
		[4]uint32{1, 4, 0, 0}, [4]uint32{1, 9, 0, 0}), art.Options{})
	if len(tr.Methods) != 1 || events[0].Ref != events[1].Ref {
		t.Errorf("%d methods, events %+v", len(tr.Methods), events)
	}
}

func TestDecodeClocks(t *testing.T) {
	const wrap = 1 << 32
	header := "*version\n3\nclock=dual\n*threads\n1|main\n*methods\n0x4|a.C|m|()V\n"
	tests := []struct {
		name     string
		readings []uint32
		want     []int64 // microseconds
	}{
		{"forward", []uint32{5, 6, 6, 9}, []int64{0, 1, 0, 3}},
		{"held", []uint32{100, 90, 95, 105}, []int64{0, 0, 0, 5}},
		{"wraps", []uint32{wrap - 10, 5, 20}, []int64{0, 15, 15}},
		{"falls behind a wrap", []uint32{wrap - 10, 5, wrap - 3, 7}, []int64{0, 15, 0, 2}},
		{"sleeps for an hour", []uint32{0, 3_600_000_000}, []int64{0, 3_600_000_000}},
	}
	for _, test := range tests {
		var records [][4]uint32
		for _, r := range test.readings {
			records = append(records, [4]uint32{1, 4, r, 0})
		}
		_, events := decode(t, text(header, records...), art.Options{})
		var got []int64
		for _, e := range events {
			got = append(got, e.CPU/1000)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

func TestDecodeStops(t *testing.T) {
	data := write(t, calls(1, 5000), artwrite.Form{Version: 3})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := art.Decode(ctx, bytes.NewReader(data), &capture{}, art.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	full := errors.New("full")
	if _, err := art.Decode(t.Context(), bytes.NewReader(data), failing{full}, art.Options{}); err != full {
		t.Errorf("sink: %v", err)
	}
}

type failing struct{ err error }

func (f failing) Events([]trace.Event) error   { return f.err }
func (f failing) Samples([]trace.Sample) error { return f.err }
