package samples

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
)

// TestNumbersAreOneInAllFormats has the same numbers in columns of Parquet, and as text from Go and
// Java. The values must be equal. Otherwise a cluster would find other conditions than a single
// machine.
func TestNumbersAreOneInAllFormats(t *testing.T) {
	type row struct {
		Client string  `parquet:"client"`
		Time   int64   `parquet:"time"`
		Level  float64 `parquet:"level"`
		Warm   float64 `parquet:"warm"`
		Bright float32 `parquet:"bright"`
	}
	options := Options{Map: Map{Features: []string{"warm", "bright"}}}
	read := func(name string, content func(path string) error) string {
		path := filepath.Join(t.TempDir(), name)
		if err := content(path); err != nil {
			t.Fatal(err)
		}
		o := options
		o.Paths = []string{path}
		return shown(t, o)
	}
	var rows []row
	var goes, javas strings.Builder
	for _, b := range []*strings.Builder{&goes, &javas} {
		b.WriteString("client,time,level,warm,bright\n")
	}
	for i, v := range []struct{ plain, java string }{{"25", "25.0"}, {"0.000001", "1.0E-6"}, {"12345678900", "1.23456789E10"}, {"-0.1", "-0.1"}, {"36.6", "36.6"}} {
		var n float64
		if _, err := fmt.Sscan(v.java, &n); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, row{"a", 1704067200 + int64(i), 50, n, 0.1})
		fmt.Fprintf(&goes, "a,%d,50,%s,0.1\n", 1704067200+i, v.plain)
		fmt.Fprintf(&javas, "a,%d,50,%s,0.1\n", 1704067200+i, v.java)
	}
	want := read("go.csv", func(path string) error { return os.WriteFile(path, []byte(goes.String()), 0o666) })
	if !strings.Contains(want, " 0.000001") || !strings.Contains(want, " 0.1 ") {
		t.Fatalf("read as\n%s", want)
	}
	for name, got := range map[string]string{
		"java":    read("java.csv", func(path string) error { return os.WriteFile(path, []byte(javas.String()), 0o666) }),
		"parquet": read("p.parquet", func(path string) error { return parquet.WriteFile(path, rows) }),
	} {
		if got != want {
			t.Errorf("%s: read as\n%s, want\n%s", name, got, want)
		}
	}
	// Possible versions do not change.
	for _, s := range []string{"4.10", "1.2.0", "2E5", "a.0"} {
		if got := parseValue("kernel", s); got != strings.ToLower(s) {
			t.Errorf("%q is read as %q", s, got)
		}
	}
}
