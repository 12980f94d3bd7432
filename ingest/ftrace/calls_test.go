package ftrace_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/ingest/abi"
	"github.com/diffprof/diffprof/ingest/ftrace"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/trace/tracetest"
	"github.com/diffprof/diffprof/trigger"
)

// A callRun is a recording of system calls, one per line: the time, the thread, the call with its
// arguments, and the result after an equals sign. A call whose line ends in ... ends at the
// thread's next line, which begins with ... too.
type callRun struct {
	abi     abi.ABI
	machine string
	table   *trigger.Table
	lines   []string
}

func (r *callRun) Scan(_ context.Context, sink trace.Sink) (*trace.Trace, error) {
	tasks := ftrace.NewTasks()
	tasks.Process(100, []byte("com.mine"))
	tasks.Process(200, []byte("other"))
	for _, tid := range []int64{100, 101, 102} {
		tasks.Thread(tid, 100, nil)
	}
	tasks.Thread(200, 200, nil)
	number := func(name string) int64 { return int64(slices.Index(r.abi.Names(), name)) }
	for range 9 { // Every process makes these calls.
		tasks.Call(100, number("futex"))
		tasks.Call(100, number("ioctl"))
	}
	m, err := ftrace.New(tasks, sink, ftrace.Options{Process: "100", Machine: r.machine, Triggers: r.table})
	if err != nil {
		return nil, err
	}
	open := make(map[int64]int64)
	last := int64(0)
	for _, line := range r.lines {
		f := strings.Fields(line)
		var at, tid, result int64
		fmt.Sscan(f[0], &at)
		fmt.Sscan(f[1], &tid)
		last = at
		if f[2] == "begin" {
			m.Begin(at, tid, []byte(f[3]))
			continue
		}
		if f[2] != "..." {
			name, rest, _ := strings.Cut(f[2], "(")
			var args []uint64
			for _, text := range strings.Split(strings.TrimSuffix(rest, ")"), ",") {
				var arg int64
				if n, _ := fmt.Sscan(text, &arg); n == 1 {
					args = append(args, uint64(arg))
				}
			}
			open[tid] = number(name)
			m.SysEnter(at, tid, open[tid], args)
		}
		if f[3] != "..." {
			fmt.Sscan(f[4], &result)
			m.SysExit(at, tid, open[tid], result)
		}
	}
	return m.Finish(last)
}

// operations returns the operations and the warnings of a run as text.
func (r *callRun) operations(t *testing.T) string {
	t.Helper()
	if err := tracetest.Check(t.Context(), r); err != nil {
		t.Error(err)
	}
	l := new(tracetest.Listener)
	tr, err := r.Scan(t.Context(), l)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	handles := make(map[int64]int)
	for _, o := range l.Operations {
		if _, ok := handles[o.Handle]; !ok {
			handles[o.Handle] = len(handles) + 1
		}
		marked := ""
		if o.Mark != trace.NoRef {
			marked = " marked"
		}
		fmt.Fprintf(&b, "%d+%d thread %d %s %s %d bytes of %d%s\n", o.Time, o.Duration, tr.Threads[o.Thread].ID, o.Verb, o.Component, o.Bytes, handles[o.Handle], marked)
	}
	for _, w := range tr.Warnings {
		if w.Code != "open-calls" {
			fmt.Fprintf(&b, "%s: %s\n", w.Code, w.Message)
		}
	}
	return b.String()
}

// script is a program that sends and receives data, writes a file, and makes calls that are no
// operations.
const script = `
1 100 begin load
10 100 socket(2,1) = 5
20 100 connect(5,7) = -115
30 101 recvfrom(5,0,100) ...
40 100 sendto(5,0,200) = 200
50 100 openat(-100,0,0) = 6
55 100 write(6,0,4096) = 4096
60 100 fsync(6) = 0
65 100 dup(6) = 7
70 100 close(6) = 0
75 100 write(7,0,10) = 10
80 100 close(7) = 0
90 101 ... = 90
92 100 recvfrom(5,0,100) = -11
94 100 read(5,0,100) = 0
95 100 eventfd2(0,0) = 8
96 100 write(8,0,8) = 8
97 100 socket(1,1) = 9
98 100 sendto(9,0,50) = 50
100 100 read(77,0,10) = 10
105 100 write(1,0,10) = 10
110 100 fcntl(5,1030,0) = 10
115 100 shutdown(10,2) = 0
120 200 write(5,0,10) = 10
125 102 io_uring_enter(3) = 1
130 100 getpid() = 1
`

const asked = `20+0 thread 100 open network 0 bytes of 1 marked
30+60 thread 101 receive network 90 bytes of 1
40+0 thread 100 send network 200 bytes of 1 marked
50+0 thread 100 open disk 0 bytes of 2 marked
55+0 thread 100 write disk 4096 bytes of 2 marked
60+0 thread 100 write disk 0 bytes of 2 marked
75+0 thread 100 write disk 10 bytes of 2 marked
80+0 thread 100 close disk 0 bytes of 2 marked
115+0 thread 100 close network 0 bytes of 1 marked
`

// TestCalls checks that the same script gives the same operations in all ABIs, whether the machine
// is stated or inferred.
func TestCalls(t *testing.T) {
	lines := strings.Split(strings.TrimSpace(script), "\n")
	const warned = `unknown-descriptors: 1 system call uses a descriptor opened before the recording, and is counted for no component
hidden-operations: 1 system call submits work that the recording does not show, such as io_uring; it is not counted
assumed-files: 5 operations are on files with unknown paths; these files are assumed to be in the device's storage, not in memory, in /dev or in /proc
assumed-peers: 4 operations are on sockets with unknown peers; the peers are assumed to be on another machine
`
	for a, machine := range map[abi.ABI]string{abi.ARM64: "aarch64", abi.AMD64: "x86_64", abi.ARM: "armv8l", abi.I386: "i686"} {
		if got := (&callRun{abi: a, machine: machine, lines: lines}).operations(t); got != asked+warned {
			t.Errorf("%s: got\n%swant\n%s", a, got, asked+warned)
		}
	}
	for a, machine := range map[abi.ABI]string{abi.ARM: "aarch64", abi.I386: "x86_64", abi.ARM64: "", abi.AMD64: ""} {
		got := (&callRun{abi: a, machine: machine, lines: lines}).operations(t)
		if !strings.HasPrefix(got, asked) || strings.Contains(got, "guessed-abi: the recording does not state the processor architecture; judging by their most frequent calls, processes run code for "+a.String()) != (machine == "") {
			t.Errorf("%s on %q: got\n%s", a, machine, got)
		}
	}
	table, err := trigger.Read(strings.NewReader("files: {none: /}\nsockets: {modem: AF_INET}\nsyscalls: {send: [sendto], receive: [recvfrom]}\n"))
	if err != nil {
		t.Fatal(err)
	}
	const mine = "20+0 thread 100 open modem 0 bytes of 1 marked\n30+60 thread 101 receive modem 90 bytes of 1\n40+0 thread 100 send modem 200 bytes of 1 marked\n115+0 thread 100 close modem 0 bytes of 1 marked\n"
	if got := (&callRun{abi: abi.ARM64, machine: "aarch64", table: table, lines: lines}).operations(t); !strings.HasPrefix(got, mine) || strings.Contains(got, "disk") {
		t.Errorf("a table of one's own: got\n%s", got)
	}
}

// TestDescriptors checks the effects of calls on descriptors as the manual pages describe them:
// from which descriptor to which a call moves data, which descriptors refer to the same file, and
// which descriptors execve closes.
func TestDescriptors(t *testing.T) {
	const script = `
1 100 openat(-100,0,0) = 3
2 100 socket(2,1) = 4
3 100 connect(4,0) = 0
10 100 sendfile(4,3,0,100) = 60
11 100 splice(4,0,3,0,50,0) = 50
12 100 copy_file_range(3,0,3,0,9,0) = 9
13 100 sendfile(4,3,0,100) = 0
14 100 splice(4,0,3,0,50,0) = -11
20 100 dup3(4,10,0) = 10
21 100 sendto(10,0,1) = 1
22 100 fcntl(4,1030,20) = 20
23 100 fcntl(4,0,30) = 30
24 100 fcntl(30,2,1) = 0
25 100 fcntl(4,1030,40) = 40
26 100 fcntl(40,2,0) = 0
30 100 execve(0) = 0
31 100 sendto(20,0,1) = 1
32 100 sendto(30,0,1) = 1
33 100 sendto(40,0,2) = 2
34 100 sendto(10,0,3) = 3
40 100 close_range(3,50,4) = 0
41 100 sendto(4,0,4) = 4
42 100 close_range(4,4294967295,0) = 0
43 100 sendto(4,0,1) = 1
50 100 openat(-100,0,524288) = 5
51 100 socket(2,1) = 6
52 100 accept4(6,0,0,524288) = 7
53 100 sendmmsg(7,0,3,0) = 3
54 100 recvfrom(7,0,9) = 0
55 100 execve(0) = -2
56 100 execve(0) = 0
57 100 write(3,0,7) = 7
`
	const want = `1+0 thread 100 open disk 0 bytes of 1
3+0 thread 100 open network 0 bytes of 2
10+0 thread 100 read disk 60 bytes of 1
10+0 thread 100 send network 60 bytes of 2
11+0 thread 100 receive network 50 bytes of 2
11+0 thread 100 write disk 50 bytes of 1
12+0 thread 100 read disk 9 bytes of 1
12+0 thread 100 write disk 9 bytes of 1
21+0 thread 100 send network 1 bytes of 2
33+0 thread 100 send network 2 bytes of 2
34+0 thread 100 send network 3 bytes of 2
41+0 thread 100 send network 4 bytes of 2
42+0 thread 100 close network 0 bytes of 2
50+0 thread 100 open disk 0 bytes of 3
52+0 thread 100 open network 0 bytes of 4
53+0 thread 100 send network 0 bytes of 4
56+0 thread 100 close disk 0 bytes of 1
56+0 thread 100 close disk 0 bytes of 3
56+0 thread 100 close network 0 bytes of 4
unknown-descriptors: 4 system calls use descriptors`
	got := (&callRun{abi: abi.ARM64, machine: "aarch64", lines: strings.Split(strings.TrimSpace(script), "\n")}).operations(t)
	if !strings.HasPrefix(got, want) {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// TestNoCalls checks the warnings about missing arguments and an unknown machine.
func TestNoCalls(t *testing.T) {
	got := (&callRun{abi: abi.ARM64, machine: "aarch64", lines: []string{"10 100 read() = 5", "20 100 socket() = 5", "30 100 close() = 0"}}).operations(t)
	if want := "bare-calls: 1 system call has no arguments in the recording, and its effect is unknown; newer versions of Perfetto record arguments\n"; got != want {
		t.Errorf("got %s", got)
	}
	unknown := &callRun{abi: abi.Unknown, lines: []string{"10 100 read(5) = 5"}}
	if got, want := unknown.operations(t), "unknown-abi: 1 system call is not read, because the recording does not state the processor architecture\n"; got != want {
		t.Errorf("got %s", got)
	}
}

// TestCallsInOrder checks that operations and signals of concurrent threads arrive in time order,
// and that none are lost.
func TestCallsInOrder(t *testing.T) {
	for seed := range uint64(6) {
		random := rand.New(rand.NewPCG(seed, 1))
		lines := []string{"1 100 socket(2,1) = 5", "2 100 connect(5) = 0"}
		busy := make(map[int]bool)
		moved := 0
		at := 10
		for range 4000 {
			at += random.IntN(3)
			tid := 100 + random.IntN(3)
			switch {
			case busy[tid] && random.IntN(40) == 0:
				lines = append(lines, fmt.Sprintf("%d %d ... = 7", at, tid))
				busy[tid] = false
				moved++
			case busy[tid]:
			case random.IntN(30) == 0:
				lines = append(lines, fmt.Sprintf("%d %d recvfrom(5) ...", at, tid))
				busy[tid] = true
			default:
				lines = append(lines, fmt.Sprintf("%d %d sendto(5) = 7", at, tid))
				moved++
			}
		}
		r := &callRun{abi: abi.ARM64, machine: "aarch64", lines: lines}
		if err := tracetest.Check(t.Context(), r); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		l := new(tracetest.Listener)
		if _, err := r.Scan(t.Context(), l); err != nil {
			t.Fatal(err)
		}
		if got := len(l.Operations) - 1; got != moved {
			t.Errorf("seed %d: %d operations, want %d", seed, got, moved)
		}
	}
}
