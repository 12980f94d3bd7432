package samples

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/diffprof/diffprof/internal/syntax"
)

// TestCutFiles cuts each file at many places, plain and compressed. Reading must return an error
// that names the file, or a part of the whole.
func TestCutFiles(t *testing.T) {
	for name, content := range formats(t) {
		for packed, pack := range map[string]func([]byte) []byte{"": same, ".gz": gzipped(t), ".zst": zstandard(t)} {
			t.Run(name+packed, func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "s")
				content := pack(content)
				step := max(1, len(content)/61)
				for n := 0; n < len(content); n += step {
					if err := os.WriteFile(path, content[:n], 0o666); err != nil {
						t.Fatal(err)
					}
					err := tryRead(t, path)
					if packed != "" && err == nil {
						t.Errorf("cut at %d of %d bytes, it is read as if it were whole", n, len(content))
					}
				}
			})
		}
	}
}

// tryRead reads a file that may be damaged. It checks that an error has one line and names the
// file.
func tryRead(t *testing.T, path string) error {
	t.Helper()
	set, err := Open(context.Background(), Options{Paths: []string{path}})
	if err == nil {
		defer set.Close()
		for p := range set.Parts() {
			if err = set.Each(context.Background(), p, func(*Client) error { return nil }); err != nil {
				break
			}
		}
	}
	if err != nil && strings.Contains(err.Error(), "\n") {
		t.Errorf("an error of more than a line: %q", err)
	}
	if s := (*syntax.Error)(nil); err != nil && !errors.Is(err, ErrNoSamples) && (!errors.As(err, &s) || s.File != path) {
		t.Errorf("an error that does not name the file: %v", err)
	}
	return err
}

// TestErrorsNameTheRow cuts or damages a row in the middle of a file.
func TestErrorsNameTheRow(t *testing.T) {
	long := strings.Repeat("x", 17<<20)
	for content, want := range map[string]string{
		"client,time,level\na,2024-01-01 00:00:00,50\na,2024-01\n":                       "row 2: the row has fewer columns than the first line: 2, not 3; the file may be cut",
		`{"client":"a","time":1704067200,"level":50}` + "\n" + `{"client":"a","time":17`: "row 2: unexpected EOF; each line must be one JSON object",
		`{"client":"a","time":1704067200,"level":50}` + "\n[1]\n":                        "row 2: json: cannot unmarshal array",
		"client,time,level\na,2024-01-01 00:00:00,50\na,2024-01-01 00:00:00," + long:     "row 2: the row has more than 16 MB",
		`{"client":"a","time":1704067200,"level":50}` + "\n" + `{"client":"` + long:      "row 2: the row has more than 16 MB",
		"[{\"client\":\"a\"}]":                 "one JSON array; write one object per line",
		"\x00\x01\x02":                         "neither CSV, JSON lines, SQLite nor Parquet",
		"PAR1 and nothing else":                "the file does not end like a Parquet file",
		"PAR1\xff\xff\xff\x7fPAR1":             "the metadata claims 2147483647 bytes",
		"SQLite format 3\x00 and nothing else": "database",
		"\x1f\x8b\x08\x00":                     "gzip",
		"\x28\xb5\x2f\xfd\xff\xff":             "",
	} {
		path := filepath.Join(t.TempDir(), "s")
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		err := tryRead(t, path)
		if want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%.60q: %v, want %s", content, err, want)
		}
	}
}

// TestClaimsAreNotBelieved reads Parquet files that state 2⁶⁰ rows in a row group, or a few too
// many, and the same number of values in each column.
func TestClaimsAreNotBelieved(t *testing.T) {
	whole := formats(t)["parquet"]
	const tail = 8
	size := int(binary.LittleEndian.Uint32(whole[len(whole)-tail:]))
	for claim, want := range map[int64]string{
		1 << 60: "row group 2 claims 1152921504606846976 rows",
		1 << 31: "row group 2 claims 2147483648 rows and has 1",
		3:       "row group 2 claims 3 rows and has 1",
		-1:      "num_rows=-1 is negative",
	} {
		var about format.FileMetaData
		protocol := &thrift.CompactProtocol{}
		if err := thrift.Unmarshal(protocol, whole[len(whole)-tail-size:len(whole)-tail], &about); err != nil {
			t.Fatal(err)
		}
		about.NumRows, about.RowGroups[1].NumRows = claim, claim
		for i := range about.RowGroups[1].Columns {
			about.RowGroups[1].Columns[i].MetaData.NumValues = claim
		}
		described, err := thrift.Marshal(protocol, about)
		if err != nil {
			t.Fatal(err)
		}
		content := slices.Concat(whole[:len(whole)-tail-size], described, binary.LittleEndian.AppendUint32(nil, uint32(len(described))), []byte("PAR1"))
		path := filepath.Join(t.TempDir(), "s.parquet")
		if err := os.WriteFile(path, content, 0o666); err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err = tryRead(t, path)
		runtime.ReadMemStats(&after)
		if taken := after.TotalAlloc - before.TotalAlloc; taken > 64<<20 {
			t.Errorf("%d rows: %d MB are taken", claim, taken>>20)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%d rows: it is read with the error %v, want %s", claim, err, want)
		}
	}
}

// TestListsStayAligned has an app without a version between two apps with a version. The order of
// the columns differs from the order of the roles. One file is read directly, and another file is
// sorted first.
func TestListsStayAligned(t *testing.T) {
	type sample struct {
		Versions []*string `parquet:"app_versions,list"`
		Apps     []string  `parquet:"apps,list"`
		Client   string    `parquet:"client"`
		Level    float64   `parquet:"level"`
		Time     int64     `parquet:"time"`
	}
	one, three := "1.0", "3.0"
	row := func(client string, minute int64) sample {
		return sample{Client: client, Time: 1_704_067_200 + 60*minute, Level: 50, Apps: []string{"com.a", "My App", "com.c"}, Versions: []*string{&one, nil, &three}}
	}
	for name, clients := range map[string][]string{"in place": {"a", "a", "b"}, "sorted": {"a", "b", "a"}} {
		var rows []sample
		for n, c := range clients {
			rows = append(rows, row(c, int64(n)))
		}
		var b bytes.Buffer
		if err := parquet.Write(&b, rows); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "s.parquet")
		if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		if got := shown(t, Options{Paths: []string{path}}); strings.Count(got, " My App com.a@1.0 com.c@3.0") != 3 {
			t.Errorf("%s: read as\n%s", name, got)
		}
	}
}
