package stacks_test

import (
	"slices"
	"testing"

	"github.com/diffprof/diffprof/ingest/stacks"
	"github.com/diffprof/diffprof/trace"
)

// samples collects samples. It embeds a nil sink, so other calls panic.
type samples struct {
	trace.Sink
	all []trace.Sample
}

func (s *samples) Samples(batch []trace.Sample) error {
	for _, one := range batch {
		one.Stack, one.Lines = slices.Clone(one.Stack), slices.Clone(one.Lines)
		s.all = append(s.all, one)
	}
	return nil
}

// TestBatchHasStacksAndLines checks the stack of each sample. It also checks that samples have
// lines if any line in the batch is known.
func TestBatchHasStacksAndLines(t *testing.T) {
	var got samples
	b := stacks.NewBatch(&got)
	b.Push(1, 0)
	b.Push(2, 0)
	b.Add(trace.Sample{Time: 5})
	if err := b.Flush(); err != nil {
		t.Fatal(err)
	}
	b.Push(1, 10)
	b.Push(3, 0)
	b.Line(30)
	b.Add(trace.Sample{Time: 6})
	b.Push(4, 0)
	b.Add(trace.Sample{Time: 2})
	if err := b.Flush(); err != nil {
		t.Fatal(err)
	}
	if len(got.all) != 3 {
		t.Fatalf("%d samples", len(got.all))
	}
	for i, want := range []struct {
		time  int64
		stack []trace.MethodID
		lines []int32
	}{
		{5, []trace.MethodID{1, 2}, nil},
		{6, []trace.MethodID{1, 3}, []int32{10, 30}},
		{6, []trace.MethodID{4}, []int32{0}}, // This sample is earlier than a sample before it.
	} {
		if s := got.all[i]; s.Time != want.time || !slices.Equal(s.Stack, want.stack) || !slices.Equal(s.Lines, want.lines) {
			t.Errorf("sample %d is %+v, want %+v", i, s, want)
		}
	}
}
