package report_test

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/diffprof/diffprof/history"
	"github.com/diffprof/diffprof/history/git"
	"github.com/diffprof/diffprof/history/trend"
	"github.com/diffprof/diffprof/history/trend/trendtest"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/render"
)

// TestTrend holds all renderings of the trends of a made-up history to testdata/trend/history.txtar.
func TestTrend(t *testing.T) {
	const golden = "testdata/trend/history.txtar"
	ctx, path := context.Background(), trendtest.News(t)
	// An entry with one run, and with a name that is markup.
	trendtest.Add(t, path, history.Entry{Version: "<b>|1.9", Device: "Pixel 4", Scenario: "morning", Time: time.Date(2026, 9, 1, 0, 0, 0, 0, time.UTC)},
		"main;android.os.Handler.dispatchMessage;news.Settings.onClick 900000\n")
	store, err := history.Open(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	entries, err := store.List(ctx, history.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	made, err := trend.Read(ctx, entries, trendtest.Options(path))
	if err != nil {
		t.Fatal(err)
	}
	var named []*trend.Series
	for _, name := range []string{"Feed.onRefresh", "Settings.onClick"} {
		s, err := made.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		named = append(named, s)
	}
	bisect := func(context.Context, string, string) (*git.Bisection, error) {
		return &git.Bisection{Commits: 5, Middle: "abcdef0123456789", Steps: 3}, nil
	}
	blamed := report.NewTrend(made, "test", named...)
	for i, s := range named {
		blamed.SetNext(i, made.Next(ctx, s, bisect))
	}
	all := made.All()
	changed, listed := report.NewBlame(made, "test", all, 3)
	changed.SetNext(0, made.Next(ctx, listed[0], bisect))
	none, _ := report.NewBlame(made, "test", named[1:], 0)
	none.Judged = len(all)
	got := &txtar.Archive{Comment: []byte("What the history of a made-up reader of news says. Written by go test ./report -update.\n")}
	schema := compileSchemas(t)["trend"]
	for _, c := range []struct {
		name string
		view report.View
		made *report.Trend
	}{
		{"trend", report.OverCommits, report.NewTrend(made, "test", named...)},
		{"blame", report.Blamed, blamed},
		{"all", report.Blamed, changed},
		{"none", report.Blamed, none},
	} {
		for _, name := range render.Names(c.view) {
			r, _ := render.Find(c.view, name)
			var b bytes.Buffer
			if err := r.Render(&b, &report.Document{View: c.view, Trend: c.made}, report.Options{}); err != nil {
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
				// A line for each object keeps the golden short.
				b.Reset()
				b.Write(bytes.ReplaceAll(data, []byte(",{"), []byte(",\n{")))
			case "text":
				for _, line := range strings.Split(b.String(), "\n") {
					if n := len([]rune(line)); n > 80 {
						t.Errorf("a line has %d cells: %s", n, line)
					}
				}
			}
			got.Files = append(got.Files, txtar.File{Name: c.name + "." + name, Data: b.Bytes()})
		}
	}
	hold(t, golden, got)
}
