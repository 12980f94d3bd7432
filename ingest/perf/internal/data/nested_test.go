package data

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// attribute returns the bytes of an event's attribute in a file.
func attribute(kind uint32, parts, flags uint64) []byte {
	return pack(kind, uint32(minAttribute+48), uint64(0), uint64(100), parts, uint64(0), flags, make([]byte, 44), uint32(1), make([]byte, 16))
}

// read returns the types and bodies of encoded records.
func read(t *testing.T, f *File, records []byte) ([]string, error) {
	t.Helper()
	f.r, f.begin, f.end = bytes.NewReader(records), 0, int64(len(records))
	var got []string
	err := f.each(t.Context(), func(r *Record) error {
		got = append(got, fmt.Sprintf("%d %q at %d", r.Type, r.Body, r.At))
		return nil
	})
	return got, err
}

// TestRecordsInRecords reads records that simpleperf split and records that perf compressed. The
// result must be the original records, at the offset of the record that contains them.
func TestRecordsInRecords(t *testing.T) {
	var inner []byte
	for i := range 40 {
		inner = appendRecord(inner, Comm, []byte(strings.Repeat(string(rune('a'+i%26)), i*7))...)
	}
	want, err := read(t, &File{}, inner)
	if err != nil || len(want) != 40 {
		t.Fatal(len(want), err)
	}
	bodies := func(records []string) (out []string) {
		for _, r := range records {
			body, _, _ := strings.Cut(r, " at ")
			out = append(out, body)
		}
		return out
	}
	for _, typ := range []uint32{recordCompressed, recordCompressed2} {
		// A piece of the compressed stream may end in the middle of a record.
		var stream bytes.Buffer
		z, err := zstd.NewWriter(&stream)
		if err != nil {
			t.Fatal(err)
		}
		var file []byte
		for i, piece := range [][]byte{inner[:5], inner[5:1000], inner[1000:1003], inner[1003:]} {
			z.Write(piece)
			if err := z.Flush(); err != nil {
				t.Fatal(err)
			}
			body := slices.Clone(stream.Bytes())
			stream.Reset()
			if typ == recordCompressed2 {
				body = append(pack(uint64(len(body)), body), make([]byte, i)...) // rounded up
			}
			file = appendRecord(file, typ, body...)
		}
		got, err := read(t, &File{}, file)
		if err != nil || !slices.Equal(bodies(got), bodies(want)) {
			t.Errorf("compressed records of type %d: %v, %q", typ, err, got)
		}
		if _, err := read(t, &File{max: int64(len(inner))}, file); err != nil {
			t.Errorf("%d bytes are allowed: %v", len(inner), err)
		}
		if _, err := read(t, &File{max: int64(len(inner)) - 1}, file); err == nil || !strings.Contains(err.Error(), "hold more than") {
			t.Errorf("%d bytes are allowed: %v", len(inner)-1, err)
		}
	}
	// A record whose size has more than 16 bits has parts.
	long := appendRecord(nil, KernelSymbols, bytes.Repeat([]byte("k"), 70_000)...)
	var file []byte
	file = appendRecord(file, Lost)
	file = appendRecord(file, recordSplit, long[:40_000]...)
	file = appendRecord(file, recordSplit, long[40_000:]...)
	end := len(file)
	file = appendRecord(file, recordSplitEnd)
	got, err := read(t, &File{}, file)
	if want := []string{`13 ""`, fmt.Sprintf("%d %q", KernelSymbols, long[recordHeader:])}; err != nil || len(got) != 2 || bodies(got)[1] != want[1] || !strings.HasSuffix(got[1], fmt.Sprint(" at ", end)) {
		t.Errorf("a split record: %v, %.80q", err, got)
	}
}

// TestBadRecords checks the errors of damaged records, and the errors' positions.
func TestBadRecords(t *testing.T) {
	whole := appendRecord(nil, Lost, 1, 2, 3, 4, 5, 6, 7, 8)
	after := func(b []byte) []byte { return append(slices.Clone(whole), b...) }
	var compressed bytes.Buffer
	z, err := zstd.NewWriter(&compressed)
	if err != nil {
		t.Fatal(err)
	}
	z.Write(appendRecord(nil, recordCompressed, 0, 0))
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		records []byte
		want    string
	}{
		{after(pack(uint32(Lost), uint16(0), uint16(7))), "invalid size of 7 bytes"},
		{after(pack(uint32(Lost), uint16(0), uint16(9))), ErrCut.Error()},
		{after([]byte{1, 2, 3}), ErrCut.Error()},
		{after(pack(uint32(simpleperfRecords+1), uint16(0x1001), uint16(0))), "more than the limit"},
		{after(appendRecord(nil, recordSplitEnd)), "shorter than its fields"},
		{after(appendRecord(appendRecord(nil, recordSplit, whole[:12]...), recordSplitEnd)), "has parts of 12 bytes"},
		{after(appendRecord(nil, recordCompressed, []byte("no stream")...)), "decompressing"},
		{after(appendRecord(nil, recordCompressed, compressed.Bytes()...)), "is in a compressed one"},
	} {
		got, err := read(t, &File{}, c.records)
		var place *Error
		if len(got) != 1 || !errors.As(err, &place) || place.At < int64(len(whole)) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%d records, %v, want %s", len(got), err, c.want)
		}
	}
	// An error of visit ends the reading, and is returned unchanged.
	stop := errors.New("stop")
	f := &File{r: bytes.NewReader(whole), end: int64(len(whole))}
	if err := f.each(t.Context(), func(*Record) error { return stop }); err != stop {
		t.Error(err)
	}
}

// TestPipe reads the output to a pipe: attributes, features and build ids are records.
func TestPipe(t *testing.T) {
	head := append([]byte(Magic), pack(uint64(pipeHeader))...)
	file := slices.Clone(head)
	file = appendRecord(file, recordAttribute, append(attribute(1, partIdentifier|partTime, flagSampleIDAll|flagClock), pack(uint64(501), uint64(502))...)...)
	file = appendRecord(file, recordAttribute, append(attribute(0, partIdentifier|partTime|partStack, 0), pack(uint64(601))...)...)
	file = appendRecord(file, recordFeature, pack(uint64(featureCores), uint32(4), uint32(2))...)
	file = appendRecord(file, recordFeature, pack(uint64(255), "unknown")...)
	file = appendRecord(file, recordBuildID, pack(int32(-1), strings.Repeat("\x11", 20), "\x00\x00\x00\x00", "/a.so\x00")...)
	file = appendRecord(file, recordEventID, pack(uint64(1), uint64(1), uint64(602), uint64(9), uint64(603))...)
	f, err := Open(t.Context(), bytes.NewReader(file), int64(len(file)), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Attributes) != 2 || f.Cores != 4 || len(f.BuildIDs["/a.so"]) != 20 || f.Cut || f.Simpleperf {
		t.Errorf("%+v", f)
	}
	if a, b := &f.Attributes[0], &f.Attributes[1]; !a.Monotonic() || b.Monotonic() || a.Unwound() || !b.Unwound() {
		t.Errorf("attributes are %+v", f.Attributes)
	}
	for id, want := range map[uint64]int{501: 0, 502: 0, 601: 1, 602: 1, 603: 0} {
		if got := f.ids[id]; got != want {
			t.Errorf("id %d is of event %d, want %d", id, got, want)
		}
	}
	for _, c := range []struct {
		file []byte
		want string
	}{
		{head, "no events"},
		{append([]byte("PERFILE1"), head[8:]...), "begins with"},
		{pack(Magic, uint64(103), make([]byte, 200)), "invalid size of 103 bytes"},
		{pack(Magic, uint64(300), make([]byte, 200)), "invalid size of 300 bytes"},
		{head[:12], ErrCut.Error()},
		{appendRecord(slices.Clone(head), recordAttribute, pack(uint32(1), uint32(minAttribute-1), make([]byte, 100))...), "invalid size of 63 bytes"},
		{appendRecord(slices.Clone(head), recordAttribute, 1, 2), "invalid size of 0 bytes"},
	} {
		if _, err := Open(t.Context(), bytes.NewReader(c.file), int64(len(c.file)), Options{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

// TestBadTables checks the errors for damaged tables of a file. Each case overwrites a number at an
// offset of the header.
func TestBadTables(t *testing.T) {
	for _, c := range []struct {
		at    int
		value uint64
		want  string
	}{
		{16, minAttribute + 15, "invalid size of 79 bytes"},
		{16, 1<<12 + 1, "invalid size of 4097 bytes"},
		{24, 1 << 20, ErrCut.Error()},                        // The attributes are outside of the file.
		{40, 1 << 20, ErrCut.Error()},                        // The records are outside of the file.
		{48, 1 << 20, ErrCut.Error()},                        // The records are too long.
		{48, 0, ErrCut.Error()},                              // There are features without records.
		{fileHeader + minAttribute, 1 << 20, ErrCut.Error()}, // The ids are outside of the file.
	} {
		file := small()
		binary.LittleEndian.PutUint64(file[c.at:], c.value)
		if _, err := Open(t.Context(), bytes.NewReader(file), int64(len(file)), Options{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%d at %d: %v, want %s", c.value, c.at, err, c.want)
		}
	}
	// perf writes the size of the records and the mask of features only when it ends.
	file := small()
	copy(file[48:56], make([]byte, 8))
	copy(file[72:104], make([]byte, 32))
	if _, err := Open(t.Context(), bytes.NewReader(file), int64(len(file)), Options{}); !errors.Is(err, ErrOpen) {
		t.Error(err)
	}
	if f, err := Open(t.Context(), bytes.NewReader(file), int64(len(file)), Options{Partial: true}); err != nil || !f.Cut || f.end != int64(len(file)) {
		t.Errorf("%+v, %v", f, err)
	}
}
