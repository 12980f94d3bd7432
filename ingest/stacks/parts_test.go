package stacks_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/diffprof/diffprof/ingest/stacks"
	"github.com/diffprof/diffprof/trace"
)

// TestPathsAreStacks pushes the paths in random tables of frames. The oracle follows the callers of
// each frame without any cache.
func TestPathsAreStacks(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 1))
	for range 200 {
		var p stacks.Paths
		n := 1 + r.IntN(12)
		callers, methods, lines := make([]int32, n), make([]trace.MethodID, n), make([]int32, n)
		for i := range n {
			callers[i], methods[i], lines[i] = int32(r.IntN(n+3)-2), trace.MethodID(r.IntN(5)-1), int32(r.IntN(3))
			p.Add(callers[i], methods[i], lines[i])
		}
		lost := 0
		for i := range n { // If the callers of the frames are resolved in this order, the chain of a frame ends at an outermost frame or at an unknown caller.
			seen := map[int32]bool{}
			for at := int32(i); ; at = callers[at] {
				seen[at] = true
				if c := callers[at]; c == stacks.NoFrame {
					break
				} else if c < 0 || int(c) >= n || seen[c] {
					callers[at] = stacks.NoFrame
					lost++
					break
				}
			}
		}
		if got := p.Repair(); got != lost || p.Len() != n {
			t.Fatalf("%d of %d frames are outermost, want %d of %d", got, p.Len(), lost, n)
		}
		var got samples
		b := stacks.NewBatch(&got)
		var want []string
		for i := range 20 {
			frame := int32(r.IntN(n+1) - 1)
			if r.IntN(4) == 0 && frame >= 0 { // Making a frame outermost cannot create a cycle.
				callers[frame] = stacks.NoFrame
				p.SetCaller(frame, stacks.NoFrame)
			}
			var stack []trace.MethodID
			var at []int32
			for f := frame; f != stacks.NoFrame; f = callers[f] {
				if methods[f] != stacks.NoFrame {
					stack, at = append(stack, methods[f]), append(at, lines[f])
				}
			}
			slices.Reverse(stack)
			slices.Reverse(at)
			want = append(want, fmt.Sprint(stack, at))
			if err := p.Push(b, frame); err != nil {
				t.Fatal(err)
			}
			if b.Depth() != len(stack) {
				t.Fatalf("the stack has %d frames, want %d", b.Depth(), len(stack))
			}
			b.Add(trace.Sample{Time: int64(i)})
		}
		if err := b.Flush(); err != nil {
			t.Fatal(err)
		}
		for i, s := range got.all {
			if s.Lines == nil {
				s.Lines = make([]int32, len(s.Stack))
			}
			if text := fmt.Sprint(s.Stack, s.Lines); text != want[i] {
				t.Fatalf("stack %d is %s, want %s", i, text, want[i])
			}
		}
		if err := p.Push(b, int32(n)); err == nil {
			t.Fatal("a frame beyond the table has a path")
		}
	}
	var loop stacks.Paths
	loop.Add(1, 1, 0)
	loop.Add(0, 2, 0)
	if err := loop.Push(stacks.NewBatch(nil), 0); err == nil || !strings.Contains(err.Error(), "cycle") {
		t.Errorf("a cycle is %v", err)
	}
}

// TestBatchFinish checks the warning about samples that are out of order, the skew between threads,
// and the limits of a batch.
func TestBatchFinish(t *testing.T) {
	var got samples
	b := stacks.NewBatch(&got)
	for _, s := range []trace.Sample{{Time: 10}, {Time: 4, Thread: 2}, {Time: 7}, {Time: 12}, {Time: -3, Thread: 1}, {Time: 3, Thread: 2}} {
		b.Push(1, 0)
		b.Add(s)
	}
	var tr trace.Trace
	b.Finish(&tr)
	if tr.Skew != 12 || len(tr.Warnings) != 1 || tr.Warnings[0].Code != "clock-backwards" || !strings.HasPrefix(tr.Warnings[0].Message, "3 samples are ") {
		t.Errorf("skew %d, %v", tr.Skew, tr.Warnings)
	}
	if err := b.Flush(); err != nil {
		t.Fatal(err)
	}
	var times []int64
	for _, s := range got.all {
		times = append(times, s.Time)
	}
	if !slices.Equal(times, []int64{10, 4, 10, 12, 0, 4}) {
		t.Errorf("the samples are at %v", times)
	}
	for i := range 1 << 10 {
		if b.Full() {
			t.Fatalf("full after %d samples", i)
		}
		b.Add(trace.Sample{})
	}
	if !b.Full() {
		t.Error("not full after 1024 samples")
	}
	b = stacks.NewBatch(&got)
	for range 1<<16 - 1 {
		b.Push(1, 0)
	}
	if b.Full() {
		t.Error("full before 65536 frames")
	}
	if b.Push(1, 0); !b.Full() {
		t.Error("not full after 65536 frames")
	}
}

// TestWaits checks the time to the next sample of a thread.
func TestWaits(t *testing.T) {
	var w stacks.Durations
	var got []string
	next := func(thread trace.ThreadID, time uint64, stopped bool, m trace.MethodID) {
		stack := []stacks.Code{{Method: m}}
		if err := w.Next(thread, time, stopped, stack, func(time uint64, took int64, did trace.Activity, stack []stacks.Code) error {
			got = append(got, fmt.Sprint(time, " took ", took, " ", did == trace.Waiting, " ", stack[0].Method))
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		stack[0].Method = 99 // The caller may reuse its stack.
	}
	next(1, 10, false, 1)
	next(2, 11, true, 2)
	next(1, 15, true, 3)
	next(1, 15, false, 4)
	next(1, 12, false, 5)
	next(2, math.MaxUint64, false, 6)
	want := []string{"10 took 5 false 1", "15 took 1 true 3", "15 took 1 false 4", "11 took 9223372036854775807 true 2"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	stop := errors.New("stop")
	if err := w.Next(1, 20, false, nil, func(uint64, int64, trace.Activity, []stacks.Code) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("the error of add is %v", err)
	}
}

func TestHexadecimal(t *testing.T) {
	for _, text := range []string{"0", "9", "a", "f", "7fff00", "ffffffffffffffff", "", "G", "A", "/", ":", "`", "g", "10000000000000000", "1g"} {
		want, err := strconv.ParseUint(text, 16, 64)
		ok := err == nil && strings.ToLower(text) == text
		if got, gotOK := stacks.Hexadecimal([]byte(text)); gotOK != ok || ok && got != want {
			t.Errorf("%q is %x, %v; want %x, %v", text, got, gotOK, want, ok)
		}
	}
}

// TestLines reads lines with and without line breaks, of about the size of the buffer.
func TestLines(t *testing.T) {
	for _, size := range []int{1, 1<<16 - 1, 1 << 16, 1<<16 + 1, 3 << 16} {
		long := strings.Repeat("x", size)
		for _, text := range []string{long, long + "\n", "a\n" + long + "\nb", long + "\n\n" + long} {
			lines := stacks.NewLines(strings.NewReader(stacks.ByteOrderMark + text))
			var got []string
			for {
				line, err := lines.Next()
				if err == io.EOF {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				if got = append(got, string(line)); lines.Number != len(got) {
					t.Fatalf("line %d has the number %d", len(got), lines.Number)
				}
			}
			if strings.Join(got, "") != text || len(got) != len(strings.Split(strings.TrimSuffix(text, "\n"), "\n")) || lines.Number != len(got) {
				t.Errorf("%d lines of %d bytes each, number %d", len(got), size, lines.Number)
			}
		}
	}
	endless := stacks.NewLines(io.MultiReader(strings.NewReader(strings.Repeat("x", 16<<20)), strings.NewReader(strings.Repeat("x", 1<<17))))
	if _, err := endless.Next(); err == nil || err.Error() != "line is longer than 16 MiB" {
		t.Errorf("a line of more than 16 MiB: %v", err)
	}
}

// TestShortLines reads lines with a limit of their length.
func TestShortLines(t *testing.T) {
	located := func(number int, err error) error { return fmt.Errorf("line %d: %w", number, err) }
	read := func(r io.Reader) (got []string, err error) {
		err = stacks.ShortLines(context.Background(), r, 16, located, func(number int, line []byte, last bool) error {
			got = append(got, fmt.Sprintf("%d %q %v", number, line, last))
			return nil
		})
		return got, err
	}
	if got, err := read(strings.NewReader("a\r\n\nlast")); err != nil || !slices.Equal(got, []string{`1 "a" false`, `2 "" false`, `3 "last" true`}) {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := read(strings.NewReader("a\n")); err != nil || !slices.Equal(got, []string{`1 "a" false`, `2 "" true`}) {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := read(strings.NewReader("a\n" + strings.Repeat("b", 17) + "\n")); err == nil || err.Error() != "line 2: a line is longer than 16 bytes" {
		t.Errorf("a long line: %v", err)
	}
	if _, err := read(iotest.ErrReader(io.ErrUnexpectedEOF)); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a failing reader: %v", err)
	}
	stop := errors.New("stop")
	if err := stacks.ShortLines(context.Background(), strings.NewReader("a\nb"), 16, located, func(int, []byte, bool) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("the function's error: %v", err)
	}
	done, cancel := context.WithCancel(context.Background())
	cancel()
	if err := stacks.ShortLines(done, strings.NewReader("a"), 16, located, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of the context: %v", err)
	}
}

// TestTableOfTexts checks the methods of texts: code without a symbol, functions in different
// files, and the total size.
func TestTableOfTexts(t *testing.T) {
	table := stacks.NewTable()
	for _, c := range []struct {
		code  stacks.Code
		label string
		kind  stacks.Kind
	}{
		{table.Place("[kernel.kallsyms]", 0xffff), "[kernel.kallsyms]`[unknown]", stacks.Unnamed},
		{table.Place("[JIT app cache]", 5), "[JIT]`[unknown]", stacks.JIT},
		{table.Place("/system/lib64/libc.so", 0x1f), "libc.so`0x1f", stacks.Native},
		{table.Place("/data/app/base.odex", 0x1f), "base.odex`0x1f", stacks.Compiled},
		{table.Nowhere(), "[unknown]", stacks.Nowhere},
		{table.Function("/data/app/base.vdex", "Lcom/mine/Feed;.load(I)V"), "com.mine.Feed.load(I)V", stacks.Interpreted},
		{table.Function("/lib64/libgame.so", "run (.cold)"), "libgame.so`run", stacks.Native},
	} {
		m, _ := table.Name(c.code.Method)
		if c.code.Kind != c.kind || m.Label() != c.label {
			t.Errorf("%q of kind %d, want %q of kind %d", m.Label(), c.code.Kind, c.label, c.kind)
		}
	}
	size := table.Size()
	if again := table.Place("/system/lib64/libc.so", 0x1f); table.Size() != size || again != table.Place("/system/lib64/libc.so", 0x1f) {
		t.Errorf("an equal place adds %d bytes", table.Size()-size)
	}
	other := table.Place("/system/lib64/libc.so", 0x20)
	if table.Size() <= size {
		t.Error("another place adds no bytes")
	}
	if _, known := table.Name(other.Method); known {
		t.Error("a method of native code is known before its file is settled")
	}
	if _, known := table.Name(-1); known {
		t.Error("no method is known")
	}
	if _, known := table.Name(1000); known {
		t.Error("a method beyond the table is known")
	}
	table.ID([]byte("a\xff.b"))
	methods, warnings := table.Finish()
	if m := methods[other.Method]; m.Module != "/system/lib64/libc.so" {
		t.Errorf("the module is %q", m.Module)
	}
	if len(warnings) != 1 || warnings[0].Code != "invalid-utf8" || !strings.HasPrefix(warnings[0].Message, "1 different") {
		t.Errorf("warnings %v", warnings)
	}
}
