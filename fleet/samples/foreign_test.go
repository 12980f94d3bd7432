package samples

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
)

// foreign writes a table in the layout of other programs.
func foreign(t *testing.T, screen parquet.Node, o ...parquet.WriterOption) string {
	t.Helper()
	schema := parquet.NewSchema("samples", parquet.Group{
		"client": parquet.String(), "time": parquet.Leaf(parquet.Int64Type), "level": parquet.Leaf(parquet.DoubleType), "apps": parquet.String(), "screen": screen,
	})
	var b bytes.Buffer
	w := parquet.NewGenericWriter[any](&b, append(o, schema)...)
	for i, level := range []float64{97, 96} {
		at := 1704067200_000000000 + int64(i)*600_000000001
		row := map[string]any{"client": "a", "time": at, "level": level, "apps": "com.a@1|com.b", "screen": i == 1}
		if _, err := w.Write([]any{row}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "p.parquet")
	if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestForeignParquet checks that lists in one text are split, and that nanoseconds are exact to the
// millisecond.
func TestForeignParquet(t *testing.T) {
	path := foreign(t, parquet.Leaf(parquet.BooleanType))
	const want = `client a: features screen
  2024-01-01T00:00:00Z 97 unknown off com.a@1 com.b
  2024-01-01T00:10:00Z 96 unknown on com.a@1 com.b
`
	if got := shown(t, Options{Paths: []string{path}}, "a"); got != want {
		t.Errorf("read as\n%s, want\n%s", got, want)
	}
}

// TestMisreadParquet checks that a file which the library misreads is an error with advice.
func TestMisreadParquet(t *testing.T) {
	for path, want := range map[string]string{
		foreign(t, parquet.Leaf(parquet.BooleanType), parquet.Compression(&parquet.Lz4Raw)): "is compressed by LZ4; write the file with zstd, snappy or gzip",
		foreign(t, parquet.Encoded(parquet.Leaf(parquet.BooleanType), &parquet.RLE)):        "column screen has run-length-encoded booleans; write the file with data pages of version 1",
	} {
		set, err := Open(context.Background(), Options{Paths: []string{path}})
		if err == nil {
			set.Close()
		}
		if err == nil || !strings.HasPrefix(err.Error(), path) || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, want %s", err, want)
		}
	}
}
