package column

import (
	"testing"

	"github.com/parquet-go/parquet-go/format"
)

// TestRunLengths checks whether the values of a column are run-length encoded. Levels always are,
// and dictionaries do not count.
func TestRunLengths(t *testing.T) {
	stats := func(page format.PageType, encoding format.Encoding) format.PageEncodingStats {
		return format.PageEncodingStats{PageType: page, Encoding: encoding}
	}
	for _, c := range []struct {
		name string
		m    format.ColumnMetaData
		want bool
	}{
		{"plain pages", format.ColumnMetaData{EncodingStats: []format.PageEncodingStats{stats(format.DataPage, format.Plain)}}, false},
		{"pages of version 1", format.ColumnMetaData{EncodingStats: []format.PageEncodingStats{stats(format.DataPage, format.RLE)}}, true},
		{"pages of version 2", format.ColumnMetaData{EncodingStats: []format.PageEncodingStats{stats(format.DataPage, format.Plain), stats(format.DataPageV2, format.RLE)}}, true},
		{"an index", format.ColumnMetaData{EncodingStats: []format.PageEncodingStats{stats(format.IndexPage, format.RLE)}}, false},
		{"no statistics, with plain values", format.ColumnMetaData{Encoding: []format.Encoding{format.RLE, format.Plain}}, false},
		{"no statistics, without plain values", format.ColumnMetaData{Encoding: []format.Encoding{format.RLE}}, true},
		{"statistics of plain pages, without plain values in the list", format.ColumnMetaData{Encoding: []format.Encoding{format.RLE}, EncodingStats: []format.PageEncodingStats{stats(format.DataPage, format.Plain)}}, false},
	} {
		if got := byRunLength(&c.m); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
