package art_test

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

	"github.com/diffprof/diffprof/ingest/art"
	"github.com/diffprof/diffprof/internal/syntax"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/tools/artwrite"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/trace/tracetest"
)

const dual = trace.ThreadCPU | trace.WallClock

// A capture keeps the events of a scan.
type capture struct{ events []trace.Event }

func (c *capture) Events(batch []trace.Event) error {
	c.events = append(c.events, batch...)
	return nil
}

func (c *capture) Samples([]trace.Sample) error { return errors.New("samples from a method trace") }

// A recording decodes the same bytes at each scan, through a reader that returns pieces whose
// length is a prime number.
type recording struct {
	data []byte
	opts art.Options
}

func (r recording) Scan(ctx context.Context, sink trace.Sink) (*trace.Trace, error) {
	return art.Decode(ctx, &pieces{r.data}, sink, r.opts)
}

type pieces struct{ data []byte }

func (p *pieces) Read(b []byte) (int, error) {
	if len(p.data) == 0 {
		return 0, io.EOF
	}
	n := copy(b[:min(len(b), 4099)], p.data)
	p.data = p.data[n:]
	return n, nil
}

// decode decodes data, and checks the laws of package trace.
func decode(t *testing.T, data []byte, o art.Options) (*trace.Trace, []trace.Event) {
	t.Helper()
	if err := tracetest.Check(t.Context(), recording{data, o}); err != nil {
		t.Fatalf("Check: %v", err)
	}
	var c capture
	tr, err := art.Decode(t.Context(), bytes.NewReader(data), &c, o)
	if err != nil {
		t.Fatalf("Decode: %v", err)
	}
	return tr, c.events
}

// decodeError decodes invalid data, and returns the error message.
func decodeError(t *testing.T, data []byte) string {
	t.Helper()
	_, err := art.Decode(t.Context(), bytes.NewReader(data), &capture{}, art.Options{})
	if err == nil {
		t.Fatal("Decode: no error")
	}
	var s *syntax.Error
	if !errors.As(err, &s) {
		t.Fatalf("Decode: %v is a %T", err, err)
	}
	return err.Error()
}

func write(t testing.TB, tr *artwrite.Trace, f artwrite.Form) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := artwrite.Write(&b, tr, f); err != nil {
		t.Fatalf("Write(%+v): %v", f, err)
	}
	return b.Bytes()
}

// calls returns a run of n events of random calls on a few threads. Its clocks advance by
// nanoseconds or by seconds.
func calls(seed uint64, n int) *artwrite.Trace {
	r := rand.New(rand.NewPCG(seed, 1))
	tr := &artwrite.Trace{
		Threads: []artwrite.Thread{{ID: 1, Name: "main"}, {ID: 7, Name: "Binder:1_1"}, {ID: 200, Name: "pool-1-thread-1"}},
		PID:     4711,
		Elapsed: time.Hour,
		Start:   time.Hour,
	}
	for i := range 40 {
		tr.Methods = append(tr.Methods, name.OfClass(fmt.Sprintf("com.example.p%d.Ünïcode$%d", i%5, i), "run", "(I)Ljava/lang/String;").At("Run.java", 0))
	}
	var events []artwrite.Event
	cpu, wall := make([]time.Duration, len(tr.Threads)), time.Duration(0)
	stacks := make([][]int, len(tr.Threads))
	for range n {
		th := r.IntN(len(tr.Threads))
		step := time.Duration(r.Int64N(1 << (1 + r.IntN(30))))
		wall += step
		cpu[th] += step / 2
		e := artwrite.Event{Thread: th, Method: r.IntN(len(tr.Methods)), CPU: cpu[th], Wall: wall}
		if s := &stacks[th]; len(*s) > 0 && r.IntN(2) == 0 {
			e.Action = artwrite.Exit + artwrite.Action(r.IntN(2))
			e.Method = (*s)[len(*s)-1]
			*s = (*s)[:len(*s)-1]
		} else {
			*s = append(*s, e.Method)
		}
		events = append(events, e)
	}
	tr.Events = slices.Values(events)
	return tr
}

// A step is an event with names instead of ids.
type step struct {
	thread    int64
	label     string
	kind      trace.Kind
	cpu, time int64
}

func steps(tr *trace.Trace, events []trace.Event) []step {
	out := make([]step, len(events))
	for i, e := range events {
		out[i] = step{tr.Threads[e.Thread].ID, tr.Methods[e.Ref].Label(), e.Kind, e.CPU, e.Time}
	}
	return out
}

// slowSteps is the oracle of decoding. It computes the events that a form preserves directly from
// the run. For each event, it searches backwards for the thread's previous event.
func slowSteps(tr *artwrite.Trace, f artwrite.Form) []step {
	events := slices.Collect(tr.Events)
	cut := func(d time.Duration) int64 {
		if f.Version == 4 {
			return d.Nanoseconds()
		}
		return d.Microseconds() * 1000
	}
	var out []step
	for i, e := range events {
		s := step{thread: int64(tr.Threads[e.Thread].ID), label: tr.Methods[e.Method].Label(), kind: trace.Enter}
		if e.Action != artwrite.Enter {
			s.kind = trace.Exit
		}
		for j := i - 1; j >= 0 && f.Clock&trace.ThreadCPU != 0; j-- {
			if events[j].Thread == e.Thread {
				s.cpu = cut(e.CPU) - cut(events[j].CPU)
				break
			}
		}
		if f.Clock&trace.WallClock != 0 {
			s.time = cut(e.Wall)
		}
		out = append(out, s)
	}
	return out
}

// forms lists every form of file.
func forms() map[string]artwrite.Form {
	m := make(map[string]artwrite.Form)
	for _, clock := range []trace.Clock{trace.ThreadCPU, trace.WallClock, dual} {
		for version := 1; version <= 4; version++ {
			if clock == dual && version < 3 {
				continue
			}
			for _, streaming := range []bool{false, true} {
				if version == 1 && streaming {
					continue // Packets need the 16-bit thread numbers of later versions.
				}
				name := fmt.Sprintf("v%d-%v", version, clock)
				if streaming {
					name += "-streaming"
				}
				m[name] = artwrite.Form{Version: version, Clock: clock, Streaming: streaming}
			}
		}
	}
	m["v3-crlf"] = artwrite.Form{Version: 3, Clock: dual, CRLF: true}
	m["v3-padded"] = artwrite.Form{Version: 3, Clock: dual, RecordSize: 18, DataOffset: 48}
	m["v3-wall-padded"] = artwrite.Form{Version: 3, Clock: trace.WallClock, RecordSize: 14}
	m["v3-short-header"] = artwrite.Form{Version: 3, Clock: trace.ThreadCPU, DataOffset: 18}
	return m
}

// eachForm runs test for every form, in order.
func eachForm(t *testing.T, test func(t *testing.T, f artwrite.Form)) {
	all := forms()
	names := make([]string, 0, len(all))
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		t.Run(name, func(t *testing.T) { test(t, all[name]) })
	}
}

// realTrace returns a real trace, decompressed, and skips the test if it is absent.
func realTrace(t testing.TB, name string) []byte {
	t.Helper()
	path := filepath.Join("..", "..", "..", "shared", "data", "art", name)
	if strings.HasPrefix(name, "cases/") {
		path = filepath.Join("..", "..", "testdata", name)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Skipf("the real traces are not there: %v", err)
	}
	if filepath.Ext(name) == ".gz" {
		z, err := gzip.NewReader(bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		if b, err = io.ReadAll(z); err != nil {
			t.Fatal(err)
		}
	}
	return b
}
