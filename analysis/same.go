package analysis

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/diffprof/diffprof/ingest"
	"github.com/diffprof/diffprof/trace"
)

// shared returns the pairs of runs that are the same recording, or copies of it, read with the same
// options. A pair has the indices of the two runs. The only run of an input has index 0.
//
// shared reads files only if the lengths of two runs are equal. Unless a run was scaled or has
// other measurements, the energies must be equal too. It never returns pipes, because a pipe can be
// read only once. A folder equals only itself.
func (s *setup) shared(ctx context.Context, a, b *Input) [][2]int {
	o := &s.options
	if a.Trace.Format != b.Trace.Format || o.Subject.Process != o.Reference.Process || o.Subject.Flows != o.Reference.Flows {
		return nil
	}
	var pairs [][2]int
	there := single(b)
	taken := make([]bool, len(there))
	for i, run := range single(a) {
		for k, other := range there {
			// Scaling and another power meter change the energy of the same recording.
			free := run.Scale != nil || other.Scale != nil || len(o.Subject.With)+len(o.Reference.With) > 0
			same := !taken[k] && run.Elapsed == other.Elapsed && (free || run.Energy == other.Energy)
			if same && s.sameFile(ctx, run.Path, other.Path) {
				taken[k] = true
				pairs = append(pairs, [2]int{i, k})
				break
			}
		}
	}
	return pairs
}

// single returns the runs of an input, also for an input with one run.
func single(in *Input) []Run {
	if in.Runs != nil {
		return in.Runs
	}
	return []Run{{Path: in.Path, Energy: in.Energy, Scale: in.Scale, Elapsed: in.Trace.Elapsed}}
}

// compareFiles sets SameContent, or warns about recordings that are in both inputs.
func (r *Result) compareFiles(ctx context.Context, s *setup) {
	here, there := single(&r.Subject), single(&r.Reference)
	shared := s.shared(ctx, &r.Subject, &r.Reference)
	all := len(shared) == len(here) && len(shared) == len(there)
	switch {
	case len(shared) == 0:
		return
	case all && slices.Equal(s.options.Subject.With, s.options.Reference.With):
		r.SameContent = true
		return
	case all:
		r.Comparability = append(r.Comparability, trace.Warning{Code: "shared-runs",
			Message: "both sides are the same recording with different meters: all differences are differences of the meters"})
		return
	}
	first := shared[0]
	more := ""
	if n := len(shared) - 1; n > 0 {
		more = fmt.Sprintf(" and %d more", n)
	}
	verb := "are"
	if len(shared) == 1 {
		verb = "is"
	}
	r.Comparability = append(r.Comparability, trace.Warning{Code: "shared-runs", Message: fmt.Sprintf(
		"%s %s on both sides: the subject's %s has the content of the reference's %s%s; leave each recording on the side that it belongs to",
		count(int64(len(shared)), "recording"), verb, here[first[0]].Path, there[first[1]].Path, more)})
}

// minEqual is the smallest number of rows for which equal figures are not a coincidence.
const minEqual = 5

// EqualRows reports whether both runs have the same rows with the same energies, to the nanojoule.
// The two files are then one recording in two formats. EqualRows returns false for fewer than
// minEqual rows, which may be equal by chance.
func (r *Result) EqualRows() bool {
	there := &r.ReferenceSummary
	if r.TwoKinds() || r.Subject.Energy != r.Reference.Energy || r.Summary.Outside != there.Outside || there.Unmatched > 0 || r.AppCode.Only.Energy != 0 {
		return false
	}
	rows := 0
	for i := range r.Tasks {
		if t := &r.Tasks[i]; t.Peer < 0 || t.Saving != 0 {
			return false
		} else if t.Energy > 0 {
			rows++
		}
	}
	for i := range r.AppCode.Rows {
		if row := &r.AppCode.Rows[i]; row.Peer == nil || row.Saving != 0 {
			return false
		} else if row.Energy > 0 {
			rows++
		}
	}
	return rows >= minEqual
}

// sameFile reports whether two paths are one regular file or two files of equal content.
func (s *setup) sameFile(ctx context.Context, a, b string) bool {
	one, err := os.Stat(a)
	other, otherErr := os.Stat(b)
	if err != nil || otherErr != nil {
		return false
	}
	if one.IsDir() && other.IsDir() {
		return os.SameFile(one, other)
	}
	return one.Mode().IsRegular() && other.Mode().IsRegular() && (os.SameFile(one, other) || s.equalFiles(ctx, a, b))
}

// equalFiles reports whether two files have equal bytes after decompression. It returns false if a
// file cannot be read a second time.
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
