// Package pprof reads pprof profiles. Go, Pyroscope, Parca, .NET, Node.js and many other profilers
// write them.
//
// A profile is a message of profile.proto. It has samples, and tables of locations, functions,
// mappings and strings. A sample is a stack of locations and a value for each sample type of the
// profile. The tables may come after the samples, so the decoder reads a profile twice. Memory
// grows with the tables, but not with the samples.
//
// # Values
//
// The decoder reads one sample type, which [Options].SampleType selects. By default it is the first
// of these that the profile has: energy, processor time, the profile's default type, the last type.
//
// Other values in units of time are elapsed time. If a sample type counts samples, each sample
// represents one sampling period. Values in other units, such as bytes, are numbers with an unknown
// unit ([trace.Trace].Unstated).
//
// # Frames
//
// A location is a function and the functions inlined into it. Each of them is a frame. The name of
// code without a function is its library and its offset in that library. The offset does not depend
// on the load address. Names of C++ and Rust are demangled. Labels that name threads become
// threads.
//
// # The old form
//
// The binary profiles of gperftools are first converted with pprof's library.
package pprof

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/google/pprof/profile"

	"github.com/diffprof/diffprof/ingest/wire"
	"github.com/diffprof/diffprof/internal/syntax"
	"github.com/diffprof/diffprof/trace"
)

// Options state how to read a profile.
type Options struct {
	// SampleType is the sample type to read, such as cpu. It may include the unit, as in
	// cpu/nanoseconds. If it is empty, the decoder chooses.
	SampleType string
}

// maxOld limits the size of profiles in the old form, which are read into memory.
const maxOld = 256 << 20

// Decode reads a profile and sends its samples to sink. open returns a reader from the start of the
// profile, and is called more than once. Errors in the file are *syntax.Error.
func Decode(ctx context.Context, open func() (io.ReadCloser, error), sink trace.Sink, o Options) (*trace.Trace, error) {
	open, err := modern(open)
	if err != nil {
		return nil, err
	}
	var t *tables
	err = with(open, func(r io.Reader) (err error) {
		t, err = readTables(ctx, r)
		return err
	})
	if err != nil {
		return nil, err
	}
	values, err := t.choose(o.SampleType)
	if err != nil {
		return nil, located(-1, err)
	}
	d := newDecoder(t, values, sink)
	trace.Start(sink, d.trace.Clock, d.trace.Energy)
	if err := with(open, func(r io.Reader) error { return d.read(ctx, r) }); err != nil {
		return nil, err
	}
	return d.finish()
}

// with opens the profile, passes it to read, and closes it.
func with(open func() (io.ReadCloser, error), read func(io.Reader) error) error {
	r, err := open()
	if err != nil {
		return err
	}
	return errors.Join(read(r), r.Close())
}

// modern returns a function that opens the profile in the current form. It returns open itself,
// unless the profile is in the old form.
func modern(open func() (io.ReadCloser, error)) (func() (io.ReadCloser, error), error) {
	var old []byte
	err := with(open, func(r io.Reader) error {
		head := make([]byte, 5*8)
		n, err := io.ReadFull(r, head)
		if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) || !isOld(head[:n]) {
			return cutShort(err)
		}
		old, err = io.ReadAll(io.LimitReader(io.MultiReader(bytes.NewReader(head[:n]), r), maxOld+1))
		return err
	})
	switch {
	case err != nil:
		return nil, err
	case old == nil:
		return open, nil
	case len(old) > maxOld:
		return nil, located(-1, fmt.Errorf("a profile in the old form is larger than %d MiB; convert it with pprof -proto", maxOld>>20))
	}
	p, err := profile.ParseData(old)
	if err != nil {
		return nil, located(-1, err)
	}
	var b bytes.Buffer
	if err := p.WriteUncompressed(&b); err != nil {
		return nil, located(-1, err)
	}
	return func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(b.Bytes())), nil }, nil
}

// cutShort returns nil if err means that the file is shorter than a head. That is no error.
func cutShort(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return err
}

// isOld reports whether head is the start of a CPU profile of gperftools. Such a profile begins
// with the words 0, 3, 0 or 1, a period and 0. Words have 32 or 64 bits.
func isOld(head []byte) bool {
	for _, size := range []int{4, 8} {
		var words [5]uint64
		for i := 0; i < len(words) && size*(i+1) <= len(head); i++ {
			word := make([]byte, 8)
			copy(word, head[size*i:size*(i+1)])
			words[i] = binary.LittleEndian.Uint64(word)
		}
		if words[0] == 0 && words[1] == 3 && words[2] <= 1 && words[3] > 0 && words[4] == 0 {
			return true
		}
	}
	return false
}

// located adds an offset to an error. Offset -1 means the whole file.
func located(offset int64, err error) error {
	e := &syntax.Error{Format: "pprof profile", Offset: offset, Err: err}
	if errors.Is(err, wire.ErrCut) {
		e.Hint = "fetch the file again, or record again"
	}
	return e
}
