// Command large writes a synthetic method trace or Perfetto trace of any size, for measuring how
// fast traces are read and compared.
//
//	go run ./tools/large -records 10000000 -o a.trace
//	go run ./tools/large -records 10000000 -changed -o b.trace
//	go run ./tools/large -records 10000000 -perfetto -o c.perfetto-trace
//
// The run follows a fixed tree of calls that is 12 levels deep. Each method calls three of 2,000
// other methods one after the other, and calls some of them several times. Four threads take turns.
// The trace therefore has about 270,000 calling contexts, regardless of its length. A changed run
// has one method renamed and calls more tasks. In a random run, each call is a random one of the
// three. With -reads N, every N-th innermost call reads a file. With -repeat FILE the events of a
// recording are repeated. The same flags give the same bytes.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"time"

	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/tools/artwrite"
)

const (
	methods = 2000
	extra   = 50 // methods that only a changed run calls
	levels  = 12
	fanOut  = 3
	threads = 4
	turn    = 200 // consecutive records of a thread
)

func main() {
	records := flag.Int("records", 1_000_000, "records to write, 14 bytes each in a method trace")
	changed := flag.Bool("changed", false, "write the changed run")
	random := flag.Bool("random", false, "call in random order")
	reads := flag.Int("reads", 0, "have each `N`-th of the innermost calls read a file; 0 has none")
	repeat := flag.String("repeat", "", "repeat the events of the trace in `file`")
	streaming := flag.Bool("streaming", false, "write a streaming trace")
	out := flag.String("o", "", "the `file` to write")
	perfetto := flag.Bool("perfetto", false, "write a trace of Perfetto, with as many events of the kernel")
	flag.Parse()
	var err error
	if *perfetto {
		err = writePerfetto(*out, *records)
	} else {
		err = write(*out, run{*records, *changed, *random, *reads, *repeat}, artwrite.Form{Streaming: *streaming})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "large:", err)
		os.Exit(1)
	}
}

// A run specifies a trace to write.
type run struct {
	records         int
	changed, random bool
	reads           int
	repeat          string
}

func write(path string, asked run, form artwrite.Form) (err error) {
	t, err := made(asked)
	if err != nil {
		return err
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() {
		if e := f.Close(); err == nil {
			err = e
		}
	}()
	w := bufio.NewWriterSize(f, 1<<20)
	if err := artwrite.Write(w, t, form); err != nil {
		return err
	}
	return w.Flush()
}

func made(asked run) (*artwrite.Trace, error) {
	if asked.repeat != "" {
		return repeated(asked.repeat, asked.records)
	}
	t := &artwrite.Trace{Methods: table(asked.changed), Events: walk(asked), Elapsed: time.Duration(asked.records) * 3 * time.Microsecond}
	for i := range threads {
		t.Threads = append(t.Threads, artwrite.Thread{ID: uint32(100 + i), Name: fmt.Sprintf("thread-%d", i)})
	}
	return t, nil
}

// table names the methods. Two in three belong to the framework.
func table(changed bool) []name.Method {
	var list []name.Method
	for i := range methods + extra {
		m := name.OfClass(fmt.Sprintf("android.view.Bench%d", i/8), fmt.Sprintf("call%d", i), "(I)V").At("Bench.java", 0)
		if i%3 == 0 {
			m = m.In(fmt.Sprintf("com.example.bench.App%d", i/8))
		}
		if changed && i == 7 {
			m.Name = "renamed7"
		}
		list = append(list, m)
	}
	return append(list, name.OfClass("java.io.FileInputStream", "read", "([BII)I"))
}

// callee returns the k-th callee of method m. It is the same for all runs.
func callee(m, k int) int {
	x := uint64(m*fanOut+k+1) * 0x9E3779B97F4A7C15
	x ^= x >> 32
	return int(x % methods)
}

// A call is an open call. left is the number of calls that it will still make.
type call struct{ method, next, left int }

// walk yields the records. Each thread calls and returns in depth-first order, and closes its calls
// at the end.
func walk(asked run) iter.Seq[artwrite.Event] {
	return func(yield func(artwrite.Event) bool) {
		r := rand.New(rand.NewPCG(1, 2))
		var stacks [threads][]call
		var cpu [threads]time.Duration
		var wall time.Duration
		left, open, innermost := asked.records, 0, 0
		event := func(thread, method int, action artwrite.Action) bool {
			step := time.Duration(1+r.IntN(4)) * time.Microsecond
			cpu[thread] += step
			wall += step
			left--
			return yield(artwrite.Event{Thread: thread, Method: method, Action: action, CPU: cpu[thread], Wall: wall})
		}
		for thread := 0; left > open+1; thread = (thread + 1) % threads {
			for i := 0; i < turn && left > open+1; i++ {
				s := &stacks[thread]
				if n := len(*s); n > 0 && ((*s)[n-1].left == 0 || n == levels) {
					m := (*s)[n-1].method
					*s = (*s)[:n-1]
					open--
					if !event(thread, m, artwrite.Exit) {
						return
					}
					continue
				}
				m := 0
				if n := len(*s); n > 0 {
					top := &(*s)[n-1]
					top.left--
					m = callee(top.method%methods, top.next%fanOut)
					if asked.random {
						top.next = r.IntN(fanOut)
					} else if r.IntN(4) > 0 { // otherwise call the same method again
						top.next++
					}
					if asked.changed && r.IntN(1000) == 0 {
						m = methods + r.IntN(extra)
					}
					if n == levels-1 && asked.reads > 0 {
						if innermost++; innermost%asked.reads == 0 {
							m = methods + extra
						}
					}
				}
				*s = append(*s, call{method: m, left: r.IntN(2*fanOut + 1)})
				open++
				if !event(thread, m, artwrite.Enter) {
					return
				}
			}
		}
		for thread := range stacks {
			for i := len(stacks[thread]) - 1; i >= 0; i-- {
				if !event(thread, stacks[thread][i].method, artwrite.Exit) {
					return
				}
			}
		}
	}
}
