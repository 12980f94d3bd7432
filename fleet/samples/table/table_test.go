package table

import (
	"bytes"
	"compress/gzip"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"

	"github.com/diffprof/diffprof/internal/syntax"
)

// shown returns the tables of a file as text: the columns, the rows with their numbers and lists,
// and the error without the path of the file.
func shown(t *testing.T, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "samples")
	if err := os.WriteFile(path, content, 0o666); err != nil {
		t.Fatal(err)
	}
	temp := t.TempDir()
	var b strings.Builder
	tables, err := Open(path, temp)
	for _, table := range tables {
		fmt.Fprintf(&b, "%s%q\n", table.Name, table.Columns)
		for range 2 { // A table may be read again.
			err = table.Each(func(r *Record) error {
				fmt.Fprintf(&b, "%d %q", r.Row, r.Values)
				if len(r.Apps) > 0 {
					fmt.Fprintf(&b, " apps %v", r.Apps)
				}
				for i, list := range r.Lists {
					if list != nil {
						fmt.Fprintf(&b, " %s %q", table.Columns[i], list)
					}
				}
				for i, list := range r.Objects {
					if list != nil {
						fmt.Fprintf(&b, " %s %v", table.Columns[i], list)
					}
				}
				b.WriteByte('\n')
				return nil
			})
			if table.Unended {
				b.WriteString("unended\n")
			}
			if err != nil {
				break
			}
		}
		stop := errors.New("stop")
		if got := table.Each(func(*Record) error { return stop }); err == nil && !errors.Is(got, stop) && b.Len() > 0 && strings.Contains(b.String(), "\n1 ") {
			t.Errorf("the error of the function is %v", got)
		}
	}
	for _, table := range tables {
		table.Close()
	}
	if err != nil {
		e := (*syntax.Error)(nil)
		if !errors.As(err, &e) || e.File != path {
			t.Errorf("the error %v has no file", err)
		}
		fmt.Fprintln(&b, strings.ReplaceAll(err.Error(), path, "FILE"))
	}
	if left, _ := os.ReadDir(temp); len(left) > 0 {
		t.Errorf("%d files are left behind", len(left))
	}
	return b.String()
}

// twice repeats the rows of a text from shown, because each table is read twice.
func twice(text string) string {
	head, rows, _ := strings.Cut(text, "\n")
	return head + "\n" + rows + rows
}

func TestTexts(t *testing.T) {
	for _, c := range []struct{ content, want string }{
		{"a,b\n1,2\n", twice("[\"a\" \"b\"]\n1 [\"1\" \"2\"]\n")},
		{"a;b,c;d\r\n1;2;3\r\n", twice("[\"a\" \"b,c\" \"d\"]\n1 [\"1\" \"2\" \"3\"]\n")},
		{"a\tb\n1\t\n", twice("[\"a\" \"b\"]\n1 [\"1\" \"\"]\n")},
		{"a|b\n1|2", twice("[\"a\" \"b\"]\n1 [\"1\" \"2\"]\nunended\n")},
		{"\ufeffsep=|\r\na,b|c\n1|2\n", twice("[\"a,b\" \"c\"]\n1 [\"1\" \"2\"]\n")},
		{"\ufeff \"a\" ,b\n\"x,\ny\",2\n\"un\"quoted\",3\n", twice("[\"a\" \"b\"]\n1 [\"x,\\ny\" \"2\"]\n2 [\"un\\\"quoted\" \"3\"]\n")},
		{"a,b\n1\n", "[\"a\" \"b\"]\nFILE: row 1: the row has fewer columns than the first line: 1, not 2; the file may be cut: copy it again\n"},
		{"a,b\n1,2\n1,2,3\n", "[\"a\" \"b\"]\n1 [\"1\" \"2\"]\nFILE: row 2: the row has more columns than the first line: 3, not 2; put a value that contains ',' in quotes\n"},
		{"a,b\n1,\"2\n3,4\n5,6\n", "[\"a\" \"b\"]\nFILE: row 1: column b: the value in quotes has a whole row in it; the quote at its end is missing: add it, or remove the row\n"},
		{"a,b\n\"1,2\n3,4\n", "[\"a\" \"b\"]\nFILE: row 1: the row has fewer columns than the first line: 1, not 2; the quote at the end of a value is missing: add it, or remove the row\n"},
		{"a\n\"1\n2\"\n", twice("[\"a\"]\n1 [\"1\\n2\"]\n")},
		{"a,b\n1,\"x\ny,z,\"\"\"\n", "[\"a\" \"b\"]\nFILE: row 1: column b: the value in quotes has a whole row in it; the quote at its end is missing: add it, or remove the row\n"},
		{"a,b\n1,x\x00y\n", "[\"a\" \"b\"]\nFILE: row 1: column b: a NUL byte in \"x\\x00y\"; a part of the file may not have been written: copy it again, or remove the row\n"},
		{"a,b\n1," + strings.Repeat("z", 39) + "\x00\x00\n", "[\"a\" \"b\"]\nFILE: row 1: column b: a NUL byte in \"" + strings.Repeat("z", 39) + "\\x00\"; a part of the file may not have been written: copy it again, or remove the row\n"},
		{"a\x00b\n1\n", "FILE: neither CSV, JSON lines, SQLite nor Parquet; convert it to one of them\n"},
		{" \t\r\n", "FILE: the file is empty\n"},
		{"", "FILE: the file is empty\n"},
		{" [{}]", "FILE: one JSON array; write one object per line, like jq -c '.[]' does\n"},
		{"\n{\"b\":1.50,\"a\":true,\"n\":null}\n\n{\"a\":false,\"c\":{\"d\":\"x\"}}", twice("[\"a\" \"b\" \"c.d\"]\n2 [\"1\" \"1.50\" \"\"]\n4 [\"0\" \"\" \"x\"]\n")},
		{"{\"apps\":[\"p\",\"\",{\"process_name\":\"q\",\"name\":\"other\",\"versionCode\":7},{\"pName\":\"r\",\"version_name\":\"1.2\",\"versionCode\":8,\"priority\":\"top\",\"x\":[]},{\"version\":1},3]}\n",
			twice("[]\n1 [] apps [{p  } {other 7 } {r 1.2 top}]\n")},
		{"{\"x\":{\"piList\":[{\"name\":\"first\",\"processName\":\"second\"}]},\"other\":[\"o\"]}\n", twice("[\"other\"]\n1 [\"\"] apps [{second  }] other [{o  }]\n")},
		{"{\"a\":1}\n{\"a\":\n", "[\"a\"]\n"}, // replaced below: the second line is cut
		{"{\"a\":\"x\\u0000\"}\n", "[\"a\"]\nFILE: row 1: column a: a NUL byte in \"x\\x00\"; a part of the file may not have been written: copy it again, or remove the row\n"},
		{"{\"b\":[\"x\\u0000\"]}\n", "[\"b\"]\nFILE: row 1: column b: a NUL byte in \"x\\x00\"; a part of the file may not have been written: copy it again, or remove the row\n"},
	} {
		if strings.HasSuffix(c.content, "{\"a\":\n") {
			c.want = "FILE: row 2: unexpected EOF; each line must be one JSON object; the last line may be incomplete\n"
		}
		if got := shown(t, []byte(c.content)); got != c.want {
			t.Errorf("%q is\n%s\nwant\n%s", c.content, got, c.want)
		}
		if strings.HasPrefix(c.content, "a") && !strings.Contains(c.content, "\x00") {
			packed := map[string][]byte{"gzip": gzipped(t, c.content), "zstd": zstandard(t, c.content)}
			for name, order := range map[string]binary.AppendByteOrder{"UTF-16LE": binary.LittleEndian, "UTF-16BE": binary.BigEndian} {
				for _, mark := range []string{"", "\ufeff"} {
					var b []byte
					for _, u := range utf16.Encode([]rune(mark + c.content)) {
						b = order.AppendUint16(b, u)
					}
					packed[name+mark] = b
				}
			}
			for name, content := range packed {
				if got := shown(t, content); got != c.want && len(c.content) >= 8 {
					t.Errorf("%q in %s is\n%s\nwant\n%s", c.content, name, got, c.want)
				}
			}
		}
	}
}

// TestWideTexts reads characters outside of the basic plane, and texts that are cut within a
// character.
func TestWideTexts(t *testing.T) {
	wide := func(units ...uint16) (b []byte) {
		for _, u := range append(utf16.Encode([]rune("\ufeffa,b\n1,")), units...) {
			b = binary.LittleEndian.AppendUint16(b, u)
		}
		return b
	}
	for _, c := range []struct {
		content []byte
		want    string
	}{
		{wide(0xd83d, 0xde00, '\n'), twice("[\"a\" \"b\"]\n1 [\"1\" \"😀\"]\n")},
		{wide(0xd83d, 'x', '\n'), twice("[\"a\" \"b\"]\n1 [\"1\" \"\ufffdx\"]\n")},
		{wide(0xd83d), twice("[\"a\" \"b\"]\n1 [\"1\" \"\ufffd\"]\nunended\n")},
		{append(wide('x', '\n'), 'y'), "[\"a\" \"b\"]\n1 [\"1\" \"x\"]\nFILE: row 2: the text is in UTF-16, but has an odd number of bytes\n"},
	} {
		if got := shown(t, c.content); got != c.want {
			t.Errorf("%x is\n%s\nwant\n%s", c.content, got, c.want)
		}
	}
	long := "a,b\n" + strings.Repeat("1,é漢\n", 5000)
	var b []byte
	for _, u := range utf16.Encode([]rune("\ufeff" + long)) {
		b = binary.BigEndian.AppendUint16(b, u)
	}
	if got, want := shown(t, b), shown(t, []byte(long)); got != want {
		t.Error("a long text in UTF-16 differs from the same in UTF-8")
	}
}

// TestLongRows checks that a row of more than 16 MB is rejected, and that many rows whose total is
// larger are read.
func TestLongRows(t *testing.T) {
	if testing.Short() {
		t.Skip("reads 50 MB")
	}
	for head, row := range map[string]string{"a,b\n": "1," + strings.Repeat("z", 9<<20) + "\n", "{\"a\":1}\n": "{\"a\":\"" + strings.Repeat("z", 9<<20) + "\"}\n"} {
		path := filepath.Join(t.TempDir(), "samples")
		for n, want := range map[int]string{1: "", 2: "the row has more than 16 MB"} {
			content := head + row + row
			if n == 2 {
				content = head + strings.Replace(row, "z", strings.Repeat("z", 8<<20), 1)
			}
			if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
				t.Fatal(err)
			}
			rows := 0
			tables, err := Open(path, t.TempDir())
			if err == nil {
				err = tables[0].Each(func(*Record) error { rows++; return nil })
			}
			if want == "" && (err != nil || rows < 2) || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
				t.Errorf("%q and long rows: %d rows, %v, want %q", head, rows, err, want)
			}
		}
	}
}

// TestBinaries reads SQLite and Parquet, plain and compressed.
func TestBinaries(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range []string{
		`CREATE TABLE "b t" (c TEXT, n, x REAL, d BLOB)`, `INSERT INTO "b t" VALUES ('one', 5, 0.25, x'6162'), (NULL, -1, 1e30, NULL)`,
		`CREATE VIEW a AS SELECT n FROM "b t"`,
	} {
		if _, err := db.Exec(q); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	database, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	type row struct {
		Client string   `parquet:"client,dict"`
		Level  float32  `parquet:"level"`
		State  *string  `parquet:"state,optional"`
		Apps   []string `parquet:"apps,list"`
	}
	var file bytes.Buffer
	w := parquet.NewGenericWriter[row](&file, parquet.MaxRowsPerRowGroup(2))
	on := "on"
	if _, err := w.Write([]row{{"a", 0.1, &on, []string{"x", "y"}}, {"b", 99, nil, nil}, {"a", 1e-3, &on, []string{"z"}}}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		content []byte
		want    string
	}{
		{database, twice("a[\"n\"]\n1 [\"5\"]\n2 [\"-1\"]\n") + twice("b t[\"c\" \"n\" \"x\" \"d\"]\n1 [\"one\" \"5\" \"0.25\" \"ab\"]\n2 [\"\" \"-1\" \"1e+30\" \"\"]\n")},
		{file.Bytes(), twice("[\"client\" \"level\" \"state\" \"apps\"]\n1 [\"a\" \"0.1\" \"on\" \"\"] apps [\"x\" \"y\"]\n2 [\"b\" \"99\" \"\" \"\"] apps []\n3 [\"a\" \"0.001\" \"on\" \"\"] apps [\"z\"]\n")},
	} {
		for _, content := range [][]byte{c.content, gzipped(t, string(c.content)), zstandard(t, string(c.content))} {
			if got := shown(t, content); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		}
		if got := shown(t, c.content[:len(c.content)-20]); !strings.Contains(got, "copy it again") {
			t.Errorf("a file that is cut is\n%s", got)
		}
	}
}

func gzipped(t *testing.T, content string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(content)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func zstandard(t *testing.T, content string) []byte {
	t.Helper()
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	return z.EncodeAll([]byte(content), nil)
}
