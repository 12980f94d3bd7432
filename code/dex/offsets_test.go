package dex

import (
	"errors"
	"testing"

	"github.com/diffprof/diffprof/internal/syntax"
)

// TestErrorsHaveTheirOffset damages one number in the third row of each table. The error has the
// offset of the number.
func TestErrorsHaveTheirOffset(t *testing.T) {
	for _, c := range []struct {
		table         string
		header        int
		row, at, size int
		report        int // the offset of the error in the row
	}{
		{"types", headerTypes, 4, 0, 4, 0}, {"signatures: shorty", headerProtos, 12, 0, 4, 0}, {"signatures: result", headerProtos, 12, 4, 4, 4},
		{"fields: class", headerFields, 8, 0, 2, 0}, {"fields: type", headerFields, 8, 2, 2, 0}, {"fields: name", headerFields, 8, 4, 4, 4},
		{"methods: class", headerMethods, 8, 0, 2, 0}, {"methods: signature", headerMethods, 8, 2, 2, 2}, {"methods: name", headerMethods, 8, 4, 4, 4},
	} {
		data := sample(t)
		row := int(u32(data[c.header+4:])) + 2*c.row
		for i := range c.size {
			data[row+c.at+i] = 0xee
		}
		_, err := Parse(data)
		var located *syntax.Error
		if !errors.As(err, &located) || located.Offset != int64(row+c.report) {
			t.Errorf("%s: %v, want offset %d", c.table, err, row+c.report)
		}
	}
}
