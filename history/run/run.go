// Package run packs a run into few bytes: its calling-context tree, and the data of its recording.
// A comparison with a packed run gives the same result as one with its recording, to the nanojoule.
//
// A packed run consists of a header and a zstd frame with a checksum. The header has eight bytes:
// the text "dfprun", and two bytes with the version of the layout. The frame has three parts:
//
//   - the length of the second part, as a varint;
//   - the data of the run in JSON;
//   - the tree in the format of cct.Tree.Pack.
//
// The names in the JSON are names of fields in package trace and other packages. A field that an
// older run lacks is zero. A field that no longer exists is ignored. Runs with another version of
// the layout are rejected.
//
// Both functions are safe for concurrent use.
package run

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/energy"
	"github.com/diffprof/diffprof/energy/bundle"
	"github.com/diffprof/diffprof/ingest/align"
	"github.com/diffprof/diffprof/lines"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

const (
	magic   = "dfprun"
	version = 1
	headLen = len(magic) + 2
	// most is the maximum unpacked size in bytes. Without it, a frame of ten kilobytes could expand
	// to any size. It suffices for about ten million contexts. A trace of a gigabyte has less than
	// one million.
	most = 256 << 20
)

// metadata has the stored data of a run, except for its tree. Its fields are named after those of
// analysis.Input and analysis.StoredRun.
type metadata struct {
	Trace               trace.Trace
	CPU                 time.Duration
	PowerSource         string
	Components          []energy.Component
	Model               *analysis.PowerModel
	Battery             units.Energy
	Size                int64
	Compression         []string
	Tracks              []energy.Track
	Rails               *analysis.Rails
	Aligned             []align.Place `json:"Beside"` // the name in stored runs
	Mapping             *analysis.Renaming
	Bundles             *analysis.Bundles
	Packages            []string
	Process, SampleType string
	Content             [32]byte
	APICosts            *analysis.APICosts `json:",omitempty"`
	Known               lines.Coverage     `json:",omitzero"`
	KeptLines           []keptLine         `json:",omitempty"`
}

// Pack returns a run as bytes. Equal runs give equal bytes.
func Pack(k *analysis.StoredRun) ([]byte, error) {
	inner, err := plain(k)
	if err != nil {
		return nil, fmt.Errorf("packing the run %s: %w", k.Input.Path, err)
	}
	z, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBetterCompression), zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(true))
	if err != nil {
		return nil, err
	}
	head := binary.LittleEndian.AppendUint16([]byte(magic), version)
	return z.EncodeAll(inner, head), z.Close()
}

// plain returns the content of the frame.
func plain(k *analysis.StoredRun) ([]byte, error) {
	in := &k.Input
	a := metadata{
		*in.Trace, in.CPU, in.PowerSource, in.Components, in.Model, in.Battery, in.Size, in.Compression, in.Tracks, in.Rails, in.Aligned, in.Mapping,
		in.Bundles, k.Packages, k.Process, k.SampleType, k.Content, in.APICosts, in.Known, packLines(in.StoredLines),
	}
	a.Trace.Methods = nil // The tree has the methods.
	text, err := json.Marshal(&a)
	if err != nil {
		return nil, err
	}
	out := binary.AppendUvarint(nil, uint64(len(text)))
	out = append(append(out, text...), k.Tree.Pack()...)
	if len(out) > most {
		return nil, fmt.Errorf("it has %d bytes, and the limit is %d", len(out), most)
	}
	return out, nil
}

var errDamaged = errors.New("the kept run is damaged")

// Unpack returns the run that Pack packed, without its path. It fails for bytes that Pack did not
// write. Even malicious bytes need at most about ten times the memory of the largest run.
func Unpack(packed []byte) (*analysis.StoredRun, error) {
	if len(packed) < headLen || !bytes.HasPrefix(packed, []byte(magic)) {
		return nil, errDamaged
	}
	if v := binary.LittleEndian.Uint16(packed[len(magic):]); v != version {
		return nil, fmt.Errorf("the run has version %d of the layout, and this program reads version %d: use the version of diffprof that added it, or a newer one", v, version)
	}
	inner, err := expand(packed[headLen:], most)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errDamaged, err)
	}
	return unpack(inner)
}

// expand returns the content of a frame, or an error if it has more than `most` bytes.
func expand(frame []byte, most uint64) ([]byte, error) {
	z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(most))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	return z.DecodeAll(frame, nil)
}

// unpack reads a run from the content of the frame.
func unpack(inner []byte) (*analysis.StoredRun, error) {
	length, n := binary.Uvarint(inner)
	if n <= 0 || length > uint64(len(inner)-n) {
		return nil, errDamaged
	}
	var a metadata
	if err := json.Unmarshal(inner[n:n+int(length)], &a); err != nil {
		return nil, fmt.Errorf("%w: %w", errDamaged, err)
	}
	tree, err := cct.Unpack(inner[n+int(length):])
	if err != nil {
		return nil, err
	}
	if !a.fits(len(tree.Methods)) || !tree.Fits(&a.Trace) {
		return nil, errDamaged
	}
	a.Trace.Methods = tree.Methods
	kept, ok := unpackLines(a.KeptLines)
	if !ok {
		return nil, errDamaged
	}
	return &analysis.StoredRun{
		Input: analysis.Input{
			Trace: &a.Trace, Energy: tree.Energy.Total(), CPU: a.CPU, PowerSource: a.PowerSource, Components: a.Components, Model: a.Model,
			Battery: a.Battery, Size: a.Size, Compression: a.Compression, Tracks: a.Tracks, Rails: a.Rails, Aligned: a.Aligned, Mapping: a.Mapping, Bundles: a.Bundles,
			APICosts: a.APICosts, Known: a.Known, StoredLines: kept,
		},
		Tree: tree, Packages: a.Packages, Process: a.Process, SampleType: a.SampleType, Content: a.Content,
	}, nil
}

// fits reports whether all indices are within their tables. methods is the number of methods.
func (a *metadata) fits(methods int) bool {
	for _, t := range a.Trace.Threads {
		if t.Process < 0 || t.Process > 0 && t.Process >= len(a.Trace.Processes) {
			return false
		}
	}
	for _, c := range a.Components {
		if int(c.Account)+int(trace.Rest) >= len(a.Trace.Accounts) {
			return false
		}
		for _, span := range c.Lane.Spans {
			if span.State < 0 || span.State >= len(c.States) {
				return false
			}
		}
	}
	return a.Bundles == nil || a.bundlesFit(methods)
}

func (a *metadata) bundlesFit(methods int) bool {
	b := a.Bundles
	if len(b.Ran) != len(b.List) || len(b.LastRan) != len(b.Holds) {
		return false
	}
	fits := func(m trace.MethodID) bool { return m >= 0 && int(m) < methods }
	for i, ran := range b.Ran {
		if len(ran) != len(b.List[i].States) {
			return false
		}
		for _, routines := range ran {
			if slices.ContainsFunc(routines, func(r energy.Routine) bool { return !fits(r.Method) }) {
				return false
			}
		}
	}
	for _, path := range b.Paths {
		if slices.ContainsFunc(path, func(m trace.MethodID) bool { return !fits(m) }) {
			return false
		}
	}
	return !slices.ContainsFunc(b.Holds, func(h bundle.Hold) bool {
		return h.Thread < trace.NoThread || int(h.Thread) >= len(a.Trace.Threads)
	})
}
