package strace_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/diffprof/diffprof/ingest/formattest"
	"github.com/diffprof/diffprof/ingest/strace"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/trace/tracetest"
)

var update = flag.Bool("update", false, "write the goldens")

var format = formattest.Format{
	Sniff: strace.Sniff,
	Decode: func(ctx context.Context, data []byte, process string, sink trace.Sink) (*trace.Trace, error) {
		return strace.Decode(ctx, opener(data), sink, strace.Options{Process: process})
	},
}

func opener(data []byte) func() (io.ReadCloser, error) {
	return func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }
}

func TestOpens(t *testing.T)  { format.Opens(t, strace.Format) }
func TestGolden(t *testing.T) { format.Golden(t, *update) }

func TestCut(t *testing.T) { format.Cut(t) }

func FuzzDecode(f *testing.F) { format.Fuzz(f) }

// A tally is a sink that adds up samples and operations.
type tally struct {
	tracetest.Discard
	// The keys of calls and walls are system calls. The keys of asked and bytes are a component and
	// a verb.
	calls map[trace.MethodID]int64
	walls map[trace.MethodID]int64
	asked map[string]int64
	bytes map[string]int64
	err   error
}

func (s *tally) Samples(batch []trace.Sample) error {
	for _, x := range batch {
		own := x.Stack[len(x.Stack)-1]
		s.calls[own] += x.Calls
		s.walls[own] += x.Wall
	}
	return s.err
}

func (s *tally) TakeSignals() trace.SignalSink { return (*askTally)(s) }

type askTally tally

func (s *askTally) Track(trace.Track) error      { return nil }
func (s *askTally) Signals([]trace.Signal) error { return nil }
func (s *askTally) Until(int64) error            { return nil }

func (s *askTally) Operations(batch []trace.Operation) error {
	for _, o := range batch {
		key := fmt.Sprint(o.Component, " ", o.Verb)
		s.asked[key]++
		s.bytes[key] += o.Bytes
	}
	return nil
}

func newTally() *tally {
	return &tally{
		calls: make(map[trace.MethodID]int64), walls: make(map[trace.MethodID]int64),
		asked: make(map[string]int64), bytes: make(map[string]int64),
	}
}

// log reads the log in the golden file with a name.
func log(t *testing.T, name string) []byte {
	t.Helper()
	ar, err := txtar.ParseFile(filepath.Join("testdata", name+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	return ar.Files[0].Data
}

func decode(t *testing.T, data []byte, o strace.Options) (*tally, *trace.Trace) {
	t.Helper()
	s := newTally()
	tr, err := strace.Decode(t.Context(), opener(data), s, o)
	if err != nil {
		t.Fatal(err)
	}
	return s, tr
}

// TestSummary compares calls and times with strace's own summary (-C) at the end of the log, and
// with a sum of the durations on the lines.
func TestSummary(t *testing.T) {
	data := log(t, "app")
	s, tr := decode(t, data, strace.Options{})
	wall, calls := map[string]int64{}, map[string]int64{}
	for id, n := range s.calls {
		name := strings.TrimPrefix(tr.Methods[id].Label(), "[kernel]`")
		calls[name], wall[name] = n, s.walls[id]
	}
	row := regexp.MustCompile(`(?m)^ *[\d.]+ +[\d.]+ +\d+ +(\d+) +(?:\d+ +)?(\w+)$`)
	want := map[string]int64{}
	for _, m := range row.FindAllSubmatch(data, -1) {
		if string(m[2]) != "total" {
			want[string(m[2])], _ = strconv.ParseInt(string(m[1]), 10, 64)
		}
	}
	// The calls that end a thread do not return, and strace's summary does not count them.
	delete(calls, "exit")
	delete(calls, "exit_group")
	if len(want) < 20 || !maps.Equal(calls, want) {
		t.Errorf("calls %v, and the summary has %v", calls, want)
	}
	took := map[string]int64{}
	for _, m := range regexp.MustCompile(`(?m)(?: |<\.\.\. )(\w+)(?:\(| resumed>).*<(\d+)\.(\d{6})>$`).FindAllSubmatch(data, -1) {
		s, _ := strconv.ParseInt(string(m[2]), 10, 64)
		us, _ := strconv.ParseInt(string(m[3]), 10, 64)
		took[string(m[1])] += s*1e9 + us*1e3
	}
	waited := time.Duration(0)
	for _, name := range []string{"futex", "wait4", "recvfrom", "connect", "fsync"} {
		if took[name] == 0 {
			t.Errorf("no call of %s", name)
		}
		waited += time.Duration(took[name])
		delete(took, name) // TestWaits tests these calls.
	}
	for name, ns := range took {
		if wall[name] != ns {
			t.Errorf("%s took %d ns, and the lines say %d", name, wall[name], ns)
		}
	}
	warned := slices.ContainsFunc(tr.Warnings, func(w trace.Warning) bool {
		return w.Code == "waiting-calls" && strings.Contains(w.Message, waited.String())
	})
	if !warned {
		t.Errorf("no warning says that calls waited for %v: %v", waited, tr.Warnings)
	}
}

// TestWaits checks which calls take no time because they wait. For most calls, the name decides.
// For reads, the kind of file decides.
func TestWaits(t *testing.T) {
	const file, pipe, socket = "9 1700000000.0 open(\"/a\", O_RDONLY) = 3\n", "9 1700000000.0 pipe([3, 4]) = 0\n", "9 1700000000.0 socket(AF_UNIX, SOCK_STREAM, 0) = 3\n"
	for _, test := range []struct {
		log   string
		waits bool
	}{
		{file + `9 1700000000.1 read(3, "a", 9) = 1 <0.000500>`, false},
		{pipe + `9 1700000000.1 read(3, "a", 9) = 1 <0.000500>`, true},
		{socket + `9 1700000000.1 read(3, "a", 9) = 1 <0.000500>`, true},
		{socket + `9 1700000000.1 write(3, "a", 1) = 1 <0.000500>`, false},
		{file + `9 1700000000.1 dup2(3, 0) = 0` + "\n" + `9 1700000000.1 read(0, "a", 9) = 1 <0.000500>`, false},
		{`9 1700000000.1 read(0, "a", 9) = 1 <0.000500>`, true},
		{`9 1700000000.1 read(7, "a", 9) = 1 <0.000500>`, true},
		{`9 1700000000.1 read(7</proc/stat>, "a", 9) = 1 <0.000500>`, false},
		{`9 1700000000.1 read(7</dev/pts/0<char 136:0>>, "a", 9) = 1 <0.000500>`, true},
		{`9 1700000000.1 read(7<TCP:[1.1.1.1:1->9.9.9.9:2]>, "a", 9) = 1 <0.000500>`, true},
		{`9 1700000000.1 epoll_wait(4, [], 1024, 100) = 0 <0.000500>`, true},
		{`9 1700000000.1 fcntl(4, F_SETLKW, {l_type=F_WRLCK}) = 0 <0.000500>`, true},
		{`9 1700000000.1 fcntl(4, F_SETLK, {l_type=F_WRLCK}) = 0 <0.000500>`, false},
		{`9 1700000000.1 newfstatat(4, "", {}, 0) = 0 <0.000500>`, false},
	} {
		s, tr := decode(t, []byte(test.log+"\n"), strace.Options{})
		sum := int64(0)
		for _, ns := range s.walls {
			sum += ns
		}
		waits := slices.ContainsFunc(tr.Warnings, func(w trace.Warning) bool { return w.Code == "waiting-calls" })
		if waits != test.waits || (sum == 0) != test.waits {
			t.Errorf("%s: lasts %d ns, waits %v", test.log, sum, waits)
		}
	}
}

// TestDelayed checks that a call takes no time if its end was delayed because strace was writing
// the stack of another thread.
func TestDelayed(t *testing.T) {
	const torn = "1 1700000000.0 write(4, \"a\", 1 <unfinished ...>\n2 1700000000.1 close(3) = 0 <0.000001>\n%s1 1700000000.2 <... write resumed>) = 1 <0.200000>\n"
	for stack, want := range map[string]int64{"": 200_001_000, " > /lib/libc.so.6(close+0x1) [0x2]\n": 1000} {
		s, _ := decode(t, fmt.Appendf(nil, torn, stack), strace.Options{})
		sum := int64(0)
		for _, ns := range s.walls {
			sum += ns
		}
		if sum != want {
			t.Errorf("with %q calls last %d ns, want %d", stack, sum, want)
		}
	}
}

// asked has the number of operations of testdata/app.c. A thread and another process each open a
// connection and receive 6000 bytes. The program also writes three times to one file and syncs the
// file. The loader opens two more files and reads three times.
var asked = map[string]int64{
	"disk open": 3, "disk read": 3, "disk write": 4, "disk close": 3,
	"network open": 2, "network send": 2, "network receive": 4, "network close": 2,
}

// TestOperations checks that logs made with different options of strace give the same operations.
func TestOperations(t *testing.T) {
	for _, name := range []string{"app", "decoded", "relative"} {
		s, _ := decode(t, log(t, name), strace.Options{})
		if !maps.Equal(s.asked, asked) || s.bytes["network receive"] != 12000 || s.bytes["network send"] != 18 || s.bytes["disk write"] != 30 {
			t.Errorf("%s: %v with %v bytes, want %v", name, s.asked, s.bytes, asked)
		}
	}
}

// TestProcess reads only one process.
func TestProcess(t *testing.T) {
	_, all := decode(t, log(t, "app"), strace.Options{})
	if len(all.Processes) != 2 || all.Processes[1].Name != "app" {
		t.Fatalf("processes: %v", all.Processes)
	}
	child := strconv.FormatInt(all.Processes[1].ID, 10)
	s, tr := decode(t, log(t, "app"), strace.Options{Process: child})
	if s.asked["disk write"] != 0 || s.asked["network send"] != 1 || tr.Active() != 1 {
		t.Errorf("the child asks for %v in %d threads", s.asked, tr.Active())
	}
	if _, err := strace.Decode(t.Context(), opener(log(t, "app")), tracetest.Discard{}, strace.Options{Process: "other"}); err == nil {
		t.Error("no error for a process that is not there")
	}
}

// TestNumbersAgain checks that threads that have the same number at different times are kept
// separate.
func TestNumbersAgain(t *testing.T) {
	recorded := string(log(t, "again"))
	lines := strings.SplitAfter(recorded, "\n")
	resumed := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, "vfork resumed") })
	if !strings.Contains(lines[resumed-1], "+++ exited") {
		t.Fatal("the child of vfork does not end before the call")
	}
	lines[resumed-1], lines[resumed] = lines[resumed], lines[resumed-1]
	late := strings.Join(lines, "")
	unlike := recorded
	for number, other := range map[string]string{"4478": "4501", "4479": "4502"} {
		_, after, _ := strings.Cut(unlike, "= "+number+" ")
		first := unlike[:len(unlike)-len(after)]
		before, again, _ := strings.Cut(after, "clone(")
		unlike = first + before + "clone(" + strings.ReplaceAll(again, number, other)
	}
	read := func(text string) (threads, numbers []string) {
		_, tr := decode(t, []byte(text), strace.Options{})
		for _, th := range tr.Threads {
			p := tr.Processes[th.Process]
			threads = append(threads, fmt.Sprintf("%s of %s, number %d of them: %d", th.Name, p.Name, th.Process, th.Events))
			numbers = append(numbers, fmt.Sprint(th.ID, " of ", p.ID))
		}
		return threads, numbers
	}
	want, numbers := read(unlike)
	if got := strings.Join(numbers, ", "); got != "4477 of 4477, 4478 of 4478, 4501 of 4501, 4479 of 4479, 4502 of 4502" {
		t.Fatalf("threads of numbers of their own are %s", got)
	}
	if second := "two of again, number 2 of them: 2"; !slices.Contains(want, second) {
		t.Errorf("threads are %q, without %q", want, second)
	}
	for name, text := range map[string]string{"as recorded": recorded, "with a child that ends behind its call": late} {
		got, numbers := read(text)
		if !slices.Equal(got, want) {
			t.Errorf("%s: threads\n%q, want\n%q", name, got, want)
		}
		if got := strings.Join(numbers, ", "); got != "4477 of 4477, 4478 of 4478, 4478 of 4478, 4479 of 4479, 4479 of 4479" {
			t.Errorf("%s: numbers %s", name, got)
		}
	}
	// Two processes have the same number at different times. Only one is read.
	for wanted, events := range map[string]int64{"one": 3, "4478": 3, "4477": 10} {
		if _, tr := decode(t, []byte(recorded), strace.Options{Process: wanted}); tr.Events != events {
			t.Errorf("process %s has %d calls, want %d", wanted, tr.Events, events)
		}
	}
}

// TestLines parses single lines, each in a log of its own.
func TestLines(t *testing.T) {
	const connected = "9 1.0 socket(AF_INET, SOCK_STREAM, 0) = 3 <0.000001>\n9 1.1 connect(3, {sa_family=AF_INET, sin_port=htons(80), sin_addr=inet_addr(\"9.9.9.9\")}, 16) = 0 <0.000001>\n"
	for _, test := range []struct{ name, log, want string }{
		{"loopback", strings.ReplaceAll(connected, "9.9.9.9", "127.0.0.1") + `9 1.2 sendto(3, "a", 1, 0, NULL, 0) = 1` + "\n", ""},
		{"reuse", connected + "9 1.2 close(3) = 0\n9 1.3 open(\"/a\", O_RDONLY) = 3\n9 1.4 read(3, \"a\", 9) = 1\n",
			"network open 1 0, network close 1 0, disk open 2 0, disk read 2 1"},
		{"dup", connected + "9 1.2 dup2(3, 7) = 7\n9 1.3 close(3) = 0\n9 1.4 write(7, \"a\", 1) = 1\n9 1.5 close(7) = 0\n",
			"network open 1 0, network send 1 1, network close 1 0"},
		{"exec", connected + "9 1.2 fcntl(3, F_SETFD, FD_CLOEXEC) = 0\n9 1.3 execve(\"/bin/b\", [\"b\"], 0x1) = 0\n", "network open 1 0, network close 1 0"},
		{"kept over exec", connected + "9 1.3 execve(\"/bin/b\", [\"b\"], 0x1) = 0\n9 1.4 +++ exited with 0 +++\n", "network open 1 0, network close 1 0"},
		{"no exec", connected + "9 1.3 execve(\"/bin/b\", [\"b\"], 0x1) = -1 ENOENT (No such file or directory)\n", "network open 1 0"},
		{"pipe", "9 1.0 pipe([3, 4]) = 0\n9 1.1 write(4, \") = 7\", 5) = 5\n", ""},
		{"kernel's files", "9 1.0 open(\"/proc/stat\", O_RDONLY) = 3\n9 1.1 read(3, \"a\", 9) = 1\n", ""},
		{"hexadecimal", "9 1.0 open(\"\\x2f\\x64\\x65\\x76\\x2f\\x61\", O_RDONLY) = 3\n9 1.1 read(3, \"a\", 9) = 1\n", ""},
		{"told", "9 1.0 read(3</a (b)>, \"a\", 9) = 1\n9 1.1 sendto(4<UDP:[1.1.1.1:1->9.9.9.9:2]>, \"a\", 1, 0, NULL, 0) = 1\n9 1.2 write(5<pipe:[7]>, \"a\", 1) = 1\n",
			"disk read 1 1, network send 2 1"},
		{"unknown", "9 1.0 sendto(4, \"a\", 1, 0, NULL, 0) = 1\n", "unknown-descriptors"},
		{"file to socket", connected + "9 1.2 open(\"/a\", O_RDONLY) = 4\n9 1.3 sendfile(3, 4, NULL, 100) = 60\n",
			"network open 1 0, disk open 2 0, disk read 2 60, network send 1 60"},
		{"messages", connected + "9 1.2 sendmmsg(3, [{msg_hdr={}, msg_len=30}, {msg_hdr={}, msg_len=12}], 2, 0) = 2\n", "network open 1 0, network send 1 42"},
		{"accept", "9 1.0 socket(AF_INET, SOCK_STREAM, 0) = 3\n9 1.1 accept4(3, {sa_family=AF_INET, sin_port=htons(5), sin_addr=inet_addr(\"9.9.9.9\")}, [16], SOCK_CLOEXEC) = 4\n9 1.2 recvfrom(4, \"\", 9, 0, NULL, NULL) = 0\n",
			"network open 2 0"},
		{"not yet", connected + "9 1.2 recvfrom(3, 0x1, 9, 0, NULL, NULL) = -1 EAGAIN (Resource temporarily unavailable)\n", "network open 1 0"},
		{"shutdown", connected + "9 1.2 shutdown(3, SHUT_RDWR) = 0\n9 1.3 close(3) = 0\n", "network open 1 0, network close 1 0"},
		{"range", connected + "9 1.2 close_range(3, 4294967295, 0) = 0\n", "network open 1 0, network close 1 0"},
		{"range over exec", connected + "9 1.2 close_range(3, 3, CLOSE_RANGE_CLOEXEC) = 0\n9 1.3 sendto(3, \"a\", 1, 0, NULL, 0) = 1\n9 1.4 execve(\"/bin/b\", [\"b\"], 0x1) = 0\n9 1.5 sendto(3, \"a\", 1, 0, NULL, 0) = 1\n",
			"network open 1 0, network send 1 1, network close 1 0, unknown-descriptors"},
		{"no moments", "9 open(\"/a\", O_RDONLY) = 3 <0.000001>\n", "no-moments"},
		{"hidden", connected + "9 1.2 io_uring_enter(5, 1, 0, 0, NULL, 8) = 1\n", "network open 1 0, hidden-operations"},
	} {
		s := &lister{}
		tr, err := strace.Decode(t.Context(), opener([]byte(strings.ReplaceAll(test.log, "9 1.", "9 1700000000."))), s, strace.Options{})
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		for _, w := range tr.Warnings {
			if w.Code != "no-durations" && w.Code != "waiting-calls" {
				s.all = append(s.all, w.Code)
			}
		}
		if got := strings.Join(s.all, ", "); got != test.want {
			t.Errorf("%s: got %s, want %s", test.name, got, test.want)
		}
	}
}

// A lister lists operations.
type lister struct {
	tracetest.Discard
	all []string
}

func (s *lister) TakeSignals() trace.SignalSink { return s }
func (s *lister) Track(trace.Track) error       { return nil }
func (s *lister) Signals([]trace.Signal) error  { return nil }
func (s *lister) Until(int64) error             { return nil }

func (s *lister) Operations(batch []trace.Operation) error {
	for _, o := range batch {
		s.all = append(s.all, fmt.Sprint(o.Component, " ", o.Verb, " ", o.Handle, " ", o.Bytes))
	}
	return nil
}

// TestOrder has an unfinished receive for which too many later operations wait. Its start is then
// set to a later time, and all operations are in order.
func TestOrder(t *testing.T) {
	var b strings.Builder
	b.WriteString("1 1700000000.0 recvfrom(3<TCP:[1.1.1.1:1->9.9.9.9:2]>,  <unfinished ...>\n")
	for i := range 40000 {
		fmt.Fprintf(&b, "2 %d.%06d write(5</a>, \"a\", 1) = 1 <0.000001>\n", 1700000001+i/1e6, i%1e6)
	}
	b.WriteString("1 1700000009.0 <... recvfrom resumed>\"a\", 9, 0, NULL, NULL) = 1 <9.000000>\n")
	rec := recording{b.String()}
	if err := tracetest.Check(t.Context(), rec); err != nil {
		t.Error(err)
	}
	s := newTally()
	if _, err := rec.Scan(t.Context(), s); err != nil || s.asked["network receive"] != 1 || s.asked["disk write"] != 40000 {
		t.Errorf("got %v, %v", s.asked, err)
	}
}

type recording struct{ text string }

func (r recording) Scan(ctx context.Context, sink trace.Sink) (*trace.Trace, error) {
	return strace.Decode(ctx, opener([]byte(r.text)), sink, strace.Options{})
}

// TestErrors checks that the error of a sink is returned unchanged, and that a log without
// calls is an error.
func TestErrors(t *testing.T) {
	refused := errors.New("refused")
	s := newTally()
	s.err = refused
	if _, err := strace.Decode(t.Context(), opener(log(t, "app")), s, strace.Options{}); !errors.Is(err, refused) {
		t.Errorf("got %v", err)
	}
	if _, err := strace.Decode(t.Context(), opener([]byte("9 +++ exited with 0 +++\n")), tracetest.Discard{}, strace.Options{}); err == nil ||
		!strings.Contains(err.Error(), "no line is a complete system call") {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := strace.Decode(ctx, opener(log(t, "app")), tracetest.Discard{}, strace.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// TestSniff distinguishes logs from other texts.
func TestSniff(t *testing.T) {
	for head, want := range map[string]bool{
		"strace: Process 7 attached\nread(3, \"a\", 1) = 1\n":               true,
		"[pid  7<app>] 11:41:55 (+ 0.000001) close(3) = 0\n":                true,
		"1700000000.1 --- SIGCHLD {si_signo=SIGCHLD} ---\n":                 true,
		"9 1700000000.1 execve(\"/bin/a\", [\"" + strings.Repeat("a", 9000): true,
		"main;load;read 12\n": false,
		"11-22 11:41:55.823  1438  1440 D Tag: read(3) = 1\n":            false,
		"swapper     0/0     100.300000:  1001001 cpu-clock:u:\n":        false,
		" > /usr/lib/libc.so.6(read+0x1) [0x2]\nread(3, \"a\", 1) = 1\n": false,
		"x = 3\n":          false,
		"let f(x) = 3\n":   false,
		"# comment\nf = 3": false,
	} {
		if got := strace.Sniff([]byte(head)); got != want {
			t.Errorf("%q: %v", head[:min(len(head), 60)], got)
		}
	}
}

// TestBeyondMidnight reads a log in which the day changes between two lines.
func TestBeyondMidnight(t *testing.T) {
	_, tr := decode(t, []byte("23:59:59.5 close(3) = 0 <0.000001>\n00:00:00.5 close(3) = 0 <0.000001>\n"), strace.Options{})
	if tr.Elapsed != time.Second+time.Microsecond {
		t.Errorf("elapsed %v", tr.Elapsed)
	}
}

// TestFunctions names the functions of testdata/app.c, and the call of the kernel below them.
func TestFunctions(t *testing.T) {
	_, tr := decode(t, log(t, "stacks"), strace.Options{})
	var names []string
	for _, m := range tr.Methods {
		names = append(names, m.Label())
	}
	for _, want := range []string{"app`main", "app`fetch", "app`save", "app`work", "libc.so.6`fsync", "[kernel]`fsync"} {
		if !slices.Contains(names, want) {
			t.Errorf("no %s in %v", want, names)
		}
	}
	if _, err := os.Stat("testdata/app.c"); err != nil {
		t.Error(err)
	}
}
