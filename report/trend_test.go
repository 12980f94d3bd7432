package report_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/render"
	"github.com/diffprof/diffprof/report/reporttest"
)

// TestTrend compares all renderings of the trends of an invented history with
// testdata/trend/history.txtar.
func TestTrend(t *testing.T) {
	const golden = "testdata/" + reporttest.TrendsFile
	got := &txtar.Archive{Comment: []byte("What the history of a made-up reader of news says. Written by go test ./report -update.\n")}
	schema := compileSchemas(t)["trend"]
	reporttest.Trends(t, func(section string, d *report.Document) {
		for _, name := range render.Names(d.View) {
			r, _ := render.Find(d.View, name)
			var b bytes.Buffer
			if err := r.Render(&b, d, report.Options{}); err != nil {
				t.Fatal(err)
			}
			switch name {
			case "json":
				validate(t, schema, b.Bytes())
			case "html":
				if strings.Contains(b.String(), "<b>|1.9") {
					t.Error("the page has a version as markup")
				}
				data, err := unpackPage(b.String())
				if err != nil {
					t.Fatal(err)
				}
				// One line per object keeps the golden file short.
				b.Reset()
				b.Write(bytes.ReplaceAll(data, []byte(",{"), []byte(",\n{")))
			case "text":
				for _, line := range strings.Split(b.String(), "\n") {
					if n := len([]rune(line)); n > 80 {
						t.Errorf("a line has %d cells: %s", n, line)
					}
				}
			}
			got.Files = append(got.Files, txtar.File{Name: section + name, Data: b.Bytes()})
		}
	})
	hold(t, golden, got)
}
