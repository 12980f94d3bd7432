package artwrite_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/tools/artwrite"
	"github.com/diffprof/diffprof/trace"
)

func Example() {
	t := &artwrite.Trace{
		Threads: []artwrite.Thread{{ID: 1, Name: "main"}},
		Methods: []name.Method{name.OfClass("a.B", "run", "()V")},
		Events: slices.Values([]artwrite.Event{
			{Action: artwrite.Enter},
			{Action: artwrite.Exit, CPU: 5 * time.Microsecond, Wall: 9 * time.Microsecond},
		}),
	}
	var b bytes.Buffer
	if err := artwrite.Write(&b, t, artwrite.Form{Version: 3}); err != nil {
		fmt.Println(err)
		return
	}
	header, records, _ := bytes.Cut(b.Bytes(), []byte("*end\n"))
	fmt.Printf("%s%d bytes\n", header, len(records))
	// Output:
	// *version
	// 3
	// data-file-overflow=false
	// clock=dual
	// elapsed-time-usec=0
	// num-method-calls=2
	// clock-call-overhead-nsec=1000
	// vm=art
	// pid=0
	// *threads
	// 1	main
	// *methods
	// 0	a.B	run	()V
	// 60 bytes
}

func TestWriteErrors(t *testing.T) {
	empty := &artwrite.Trace{Events: slices.Values([]artwrite.Event(nil))}
	for _, f := range []artwrite.Form{
		{Version: 5},
		{Version: -1},
		{Version: 2, Clock: trace.ThreadCPU | trace.WallClock},
		{DataOffset: 4},
	} {
		if err := artwrite.Write(io.Discard, empty, f); err == nil {
			t.Errorf("%+v: no error", f)
		}
	}
	full := errors.New("disk full")
	if err := artwrite.Write(failing{full}, empty, artwrite.Form{}); !errors.Is(err, full) {
		t.Errorf("%v, want %v", err, full)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// TestWriteIsDeterministic checks, for every form, that writing the same run twice gives the same
// bytes.
func TestWriteIsDeterministic(t *testing.T) {
	run := &artwrite.Trace{
		Threads: []artwrite.Thread{{ID: 3, Name: "a"}, {ID: 4, Name: "b"}},
		Methods: []name.Method{name.OfClass("a.B", "m", ""), name.OfClass("a.B", "n", "()V").At("B.java", 3)},
		Events: slices.Values([]artwrite.Event{
			{Thread: 1, Method: 1}, {Thread: 0}, {Thread: 1, Method: 1, Action: artwrite.Unwind, CPU: time.Second, Wall: time.Minute},
		}),
		VM: "dalvik",
	}
	for version := 1; version <= 4; version++ {
		for _, streaming := range []bool{false, true} {
			f := artwrite.Form{Version: version, Streaming: streaming, CRLF: true, RecordSize: 20}
			var first, second bytes.Buffer
			if err := errors.Join(artwrite.Write(&first, run, f), artwrite.Write(&second, run, f)); err != nil {
				t.Fatal(err)
			}
			if first.Len() == 0 || !bytes.Equal(first.Bytes(), second.Bytes()) {
				t.Errorf("%+v: %d and %d bytes that differ", f, first.Len(), second.Len())
			}
		}
	}
}
