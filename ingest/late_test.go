package ingest_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/diffprof/diffprof/ingest"
)

// TestOpenFindsLateMembers puts a long text before the members that identify a JSON document. All
// formats in JSON must still be recognized.
func TestOpenFindsLateMembers(t *testing.T) {
	for _, format := range []string{"chrome", "firefox", "otlp", "speedscope"} {
		files, err := filepath.Glob(filepath.Join(format, "testdata", "*.txtar"))
		if err != nil {
			t.Fatal(err)
		}
		tried := 0
		for _, file := range files {
			ar, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			data := strings.TrimSpace(string(ar.Files[0].Data))
			path := filepath.Join(t.TempDir(), "app.json")
			kind := func(text string) string {
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				f, err := ingest.Open(t.Context(), path, ingest.Options{})
				if err != nil {
					return err.Error()
				}
				defer f.Close()
				return f.Format().Name
			}
			if !json.Valid([]byte(data)) || !strings.HasPrefix(data, "{") || kind(data) != format {
				continue
			}
			tried++
			if got := kind(`{"comment":"` + strings.Repeat("x", 9000) + `",` + data[1:]); got != format {
				t.Errorf("%s: got %s", file, got)
			}
		}
		if tried == 0 {
			t.Errorf("no sample of %s is an object", format)
		}
	}
}
