package pprof

import (
	"encoding/binary"

	"github.com/diffprof/diffprof/ingest/wire"
)

// bytesFields are the fields of a Profile that are messages or strings. The other fields are
// numbers. Repeated numbers may be packed into bytes.
const bytesFields = 1<<fieldSampleType | 1<<fieldSample | 1<<fieldMapping | 1<<fieldLocation |
	1<<fieldFunction | 1<<fieldString | 1<<fieldPeriodType

// fieldComment is the only repeated field that has numbers.
const fieldComment = 13

// Sniff reports whether head is the start of a profile.
func Sniff(head []byte) bool {
	if isOld(head) {
		return true
	}
	// Other messages also have fields with the numbers 1 to 15. In a profile, all of these fields
	// have the right types, and some field other than the first occurs.
	types, others := 0, 0
	for m := wire.Message(head); len(m) > 0; {
		before := m
		number, _, data, err := m.Next()
		if err != nil {
			// head ends within this field.
			number, data = beginning(before)
		}
		isBytes := data != nil
		switch {
		case number < fieldSampleType || number > 15 || number != fieldComment && isBytes != (bytesFields>>number&1 == 1):
			return false
		case number == fieldSampleType && err == nil && !isValueType(data):
			return false
		case number == fieldSampleType:
			types++
		default:
			others++
		}
		if err != nil {
			break
		}
	}
	return others > 0 && (types > 0 || others > 1)
}

// beginning returns the number of an incomplete field, or 0 if m is not a field. It also returns
// the field's data if the field is bytes.
func beginning(m wire.Message) (number int, data []byte) {
	tag, n := binary.Uvarint(m)
	switch {
	case n <= 0 || tag>>3 > 15:
		return 0, nil
	case tag&7 == 2:
		return int(tag >> 3), m[n:]
	case tag&7 == 0:
		return int(tag >> 3), nil
	}
	return 0, nil
}

// isValueType reports whether data consists of at most two string indices.
func isValueType(data []byte) bool {
	return wire.Each(data, func(number int, _ uint64, data []byte) error {
		if data != nil || number < 1 || number > 2 {
			return wire.ErrNumber
		}
		return nil
	}) == nil
}
