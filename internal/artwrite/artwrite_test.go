package artwrite_test

import (
	"bytes"
	"fmt"
	"slices"
	"time"

	"github.com/diffprof/diffprof/internal/artwrite"
	"github.com/diffprof/diffprof/trace"
)

func Example() {
	t := &artwrite.Trace{
		Threads: []artwrite.Thread{{ID: 1, Name: "main"}},
		Methods: []trace.Method{{Class: "a.B", Name: "run", Descriptor: "()V"}},
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
