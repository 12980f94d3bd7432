package data

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"testing"
)

// small returns a file with one event, some bytes of records and one unknown feature.
func small() []byte {
	const attribute, records = minAttribute + 16, 24
	le := binary.LittleEndian
	b := append([]byte(Magic), le.AppendUint64(nil, fileHeader)...)
	for _, n := range []uint64{attribute, fileHeader, attribute, fileHeader + attribute, records, 0, 0} {
		b = le.AppendUint64(b, n)
	}
	mask := make([]byte, 32)
	mask[1] = 1 << 7 // feature 15
	b = append(b, mask...)
	event := make([]byte, minAttribute)
	le.PutUint32(event[4:], minAttribute)
	b = append(b, event...)
	b = le.AppendUint64(le.AppendUint64(b, fileHeader), 0)
	b = append(b, make([]byte, records)...)
	return le.AppendUint64(le.AppendUint64(b, fileHeader), 8)
}

// TestCutFiles truncates a file within and after its records. With Partial, the part before the
// truncation can be read. A complete file never has Cut set.
func TestCutFiles(t *testing.T) {
	whole := small()
	open := func(n int, partial bool) (*File, error) {
		return Open(t.Context(), bytes.NewReader(whole[:n]), int64(n), Options{Partial: partial})
	}
	for _, partial := range []bool{false, true} {
		f, err := open(len(whole), partial)
		if err != nil || f.Cut || len(f.Attributes) != 1 || f.begin != fileHeader+minAttribute+16 || f.end != f.begin+24 {
			t.Fatalf("partial %v: %+v, %v", partial, f, err)
		}
	}
	for missing := 1; missing <= 16; missing++ {
		if _, err := open(len(whole)-missing, false); !errors.Is(err, ErrCut) {
			t.Errorf("%d bytes are missing: %v", missing, err)
		}
		f, err := open(len(whole)-missing, true)
		if err != nil || !f.Cut || f.end-f.begin != 24 {
			t.Errorf("%d bytes are missing: %+v, %v", missing, f, err)
		}
	}
	for missing := 17; missing <= 30; missing++ {
		if f, err := open(len(whole)-missing, true); err != nil || !f.Cut || f.end != int64(len(whole)-missing) {
			t.Errorf("%d bytes are missing: %+v, %v", missing, f, err)
		}
	}
	// If the section of a feature is outside of the file, the file is damaged, not truncated.
	binary.LittleEndian.PutUint64(whole[len(whole)-8:], 1<<20)
	for _, partial := range []bool{false, true} {
		if _, err := open(len(whole), partial); err == nil || errors.Is(err, ErrCut) {
			t.Errorf("a feature is outside of the file: %v", err)
		}
	}
}

// appendRecord appends a record. It has simpleperf's form if the type is one of simpleperf's own
// types, and otherwise the kernel's form.
func appendRecord(b []byte, typ uint32, body ...byte) []byte {
	le := binary.LittleEndian
	size := recordHeader + len(body)
	b = le.AppendUint16(le.AppendUint16(le.AppendUint32(b, typ), uint16(size>>16)), uint16(size))
	return append(b, body...)
}

// TestRecords reads records of several sizes in file order. perf writes tracing data after its
// record, and simpleperf writes it within its record.
func TestRecords(t *testing.T) {
	eight := []byte{4, 0, 0, 0, 0, 0, 0, 0}
	long := bytes.Repeat([]byte("x"), maxPlain+100)
	var records []byte
	records = appendRecord(records, Lost, eight...)
	records = appendRecord(records, recordTracingData, eight[:4]...)
	records = append(records, "data"...) // These four bytes are not a record.
	records = appendRecord(records, recordTracingData, append([]byte{200, 0, 0, 0, 0, 0, 0, 0}, "12345678"...)...)
	records = appendRecord(records, simpleperfRecords+1, long...)
	records = appendRecord(records, simpleperfRecords+1, long[:300]...)
	records = appendRecord(records, Lost)
	f := &File{r: bytes.NewReader(records), end: int64(len(records))}
	var got []string
	if err := f.each(t.Context(), func(r *Record) error {
		got = append(got, fmt.Sprintf("%d: %d at %d", r.Type, len(r.Body), r.At))
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	large := recordHeader + len(long)
	want := []string{
		fmt.Sprintf("%d: 8 at 0", Lost), fmt.Sprintf("%d: %d at 56", simpleperfRecords+1, len(long)), fmt.Sprintf("%d: 300 at %d", simpleperfRecords+1, 56+large), fmt.Sprintf("%d: 0 at %d", Lost, 56+large+308),
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
