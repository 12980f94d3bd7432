// Package pprof reads profiles as pprof has them: what Go, Pyroscope, Parca, .NET,
// Node.js and many other profilers write.
//
// A profile is a message of profile.proto: samples, each a stack of locations and a
// value for each of the profile's sample types, and tables of locations, functions,
// mappings and strings. The tables may come after the samples, so that a profile is
// read twice. Memory is needed for the tables and not for the samples.
//
// # Values
//
// One sample type is read: [Options].SampleType, else energy, else processor time,
// else what the profile shows by default, else the last. Values in units of time whose
// kind is no processor time are elapsed time. A type that counts samples stands for a
// period each. Values in other units, such as bytes, are numbers whose unit nobody
// states ([trace.Trace].Unstated).
//
// # Frames
//
// A location is a function and those that the compiler inlined into it, each a frame.
// Code without a function is named by its library and its place in that library, which
// is the same wherever a run loads it to. Names of C++ and Rust are demangled. The
// labels that profilers name threads by become threads.
//
// # The old form
//
// The binary profiles of gperftools are turned into the present form first, by pprof's
// own library.
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

// Options say how to read a profile.
type Options struct {
	// SampleType is the kind of the values to read, such as cpu, or the kind and the
	// unit, as in cpu/nanoseconds; empty chooses.
	SampleType string
}

// maxOld bounds profiles of the old form, which are read as a whole.
const maxOld = 256 << 20

// Decode reads a profile, which open gives from its begin as often as it is asked, and
// hands a Sample for each of its samples to sink. Errors of the file are *syntax.Error.
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

// with reads what open gives.
func with(open func() (io.ReadCloser, error), read func(io.Reader) error) error {
	r, err := open()
	if err != nil {
		return err
	}
	return errors.Join(read(r), r.Close())
}

// modern returns what gives a profile in the present form.
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
		return nil, located(-1, fmt.Errorf("a profile of the old form is larger than %d MiB; write it anew with pprof -proto", maxOld>>20))
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

// cutShort passes over the end of a file that is shorter than a head.
func cutShort(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return err
}

// isOld says whether head is that of gperftools' CPU profiles: the words 0, 3, 0 or 1,
// a period and 0, of 32 or 64 bits.
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

// located says where the file is wrong; offset -1 is nowhere in particular.
func located(offset int64, err error) error {
	e := &syntax.Error{Format: "pprof profile", Offset: offset, Err: err}
	if errors.Is(err, wire.ErrCut) {
		e.Hint = "fetch the file again, or record again"
	}
	return e
}
