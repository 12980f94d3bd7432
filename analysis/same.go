package analysis

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"slices"

	"github.com/diffprof/diffprof/ingest"
)

// sameContent reports whether the two inputs are one recording, or two copies of it, that are
// read in the same way. It reads files only where the figures of both inputs are equal. Pipes
// can be read once and folders hold many files, so for these it reports false.
func (s *setup) sameContent(ctx context.Context, a, b *Input) bool {
	o := &s.options
	switch {
	case a.Runs != nil || b.Runs != nil,
		a.Trace.Format != b.Trace.Format || a.Trace.Events != b.Trace.Events || a.CPU != b.CPU,
		o.Subject.Process != o.Reference.Process || o.Subject.Flows != o.Reference.Flows || !slices.Equal(o.Subject.With, o.Reference.With):
		return false
	case a.Scale == nil && b.Scale == nil && a.Energy != b.Energy:
		return false
	}
	one, err := os.Stat(a.Path)
	other, otherErr := os.Stat(b.Path)
	if err != nil || otherErr != nil || !one.Mode().IsRegular() || !other.Mode().IsRegular() {
		return false
	}
	return os.SameFile(one, other) || s.equalFiles(ctx, a.Path, b.Path)
}

// equalFiles reports whether two files have equal bytes without their compression. A file that
// cannot be read again is equal to no other.
func (s *setup) equalFiles(ctx context.Context, a, b string) bool {
	one, err := ingest.OpenSide(ctx, a, s.options.Ingest.MaxExpanded)
	if err != nil {
		return false
	}
	defer one.Close()
	other, err := ingest.OpenSide(ctx, b, s.options.Ingest.MaxExpanded)
	if err != nil {
		return false
	}
	defer other.Close()
	return equal(ctx, one, other)
}

// equal reports whether two streams have the same bytes. It stops at the first difference.
func equal(ctx context.Context, a, b io.Reader) bool {
	const chunk = 1 << 18
	one, other := bufio.NewReaderSize(a, chunk), bufio.NewReaderSize(b, chunk)
	for ctx.Err() == nil {
		x, err := one.Peek(chunk)
		y, otherErr := other.Peek(chunk)
		switch {
		case !bytes.Equal(x, y) || err != otherErr:
			return false
		case err != nil:
			return errors.Is(err, io.EOF)
		}
		one.Discard(len(x))
		other.Discard(len(y))
	}
	return false
}
