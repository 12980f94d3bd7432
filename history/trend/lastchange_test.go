package trend_test

import (
	"errors"
	"io/fs"
	"path/filepath"
	"testing"
	"time"

	"github.com/diffprof/diffprof/history"
	"github.com/diffprof/diffprof/history/trend"
	"github.com/diffprof/diffprof/history/trend/trendtest"
	"github.com/diffprof/diffprof/name"
)

// TestReadLastChanges reads since when methods use as much energy as now.
func TestReadLastChanges(t *testing.T) {
	path := trendtest.News(t)
	made := read(t, path)
	last, err := trend.ReadLastChanges(t.Context(), path, trendtest.Options(path))
	if err != nil {
		t.Fatal(err)
	}
	for method, at := range map[string]int{"Feed.onRefresh": trendtest.Dearer, "Article.onClick": trendtest.Cheaper, "Settings.onClick": -1} {
		c := last.Method(find(t, made, method).Method)
		switch {
		case at < 0 && c != nil:
			t.Errorf("%s has changed at %s", method, c.Name)
		case at >= 0 && (c == nil || c.At != at || c.Name != made.Entries[at].Short() || c.First != made.Entries[c.Earliest].Short() || c.Last != made.Entries[c.Latest].Short()):
			t.Errorf("%s has changed at %+v, want entry %d", method, c, at)
		}
	}
	tasks := 0
	for _, s := range made.All() {
		c := last.Task(s.ID)
		if s.Kind == trend.Task && (c == nil) != (s.Latest() == nil) {
			t.Errorf("the task %s has changed at %+v, want %+v", s.ID, c, s.Latest())
		} else if s.Kind == trend.Task {
			tasks++
		}
	}
	if tasks != 2 {
		t.Errorf("%d tasks, want 2", tasks)
	}
	var none *trend.LastChanges
	if none.Task("x") != nil || none.Method(name.Method{}) != nil || last.Task("x") != nil {
		t.Error("an unknown task has changed")
	}
}

// TestReadLastChangesOfOneEntry reads a history with one entry, and a file that does not exist.
func TestReadLastChangesOfOneEntry(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.db")
	if _, err := trend.ReadLastChanges(t.Context(), path, trendtest.Options(path)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a file: %v", err)
	}
	trendtest.Add(t, path, history.Entry{Version: "1", Time: time.Unix(1, 0)}, "main;news.Feed.onRefresh 5\n")
	last, err := trend.ReadLastChanges(t.Context(), path, trendtest.Options(path))
	if err != nil || last == nil || last.Method(name.Parse("news.Feed.onRefresh", name.JVM)) != nil {
		t.Errorf("one entry has changes: %+v %v", last, err)
	}
}

// TestCostliest asks for the methods that use the most energy. The series of the whole run is first.
func TestCostliest(t *testing.T) {
	made := read(t, trendtest.News(t))
	for n, want := range [][]string{{""}, {"", "Feed.onRefresh"}, {"", "Feed.onRefresh", "Article.onClick"}} {
		all := made.Costliest(n)
		if len(all) != len(want) || all[0].Kind != trend.Whole {
			t.Fatalf("%d series, want %d", len(all), len(want))
		}
		for i, s := range all[1:] {
			if s.Method.Short() != want[i+1] {
				t.Errorf("%d is %s, want %s", i+1, s.Method.Short(), want[i+1])
			}
		}
	}
	if n := len(made.Costliest(100)); n != 4 {
		t.Errorf("%d series, want the whole run and three methods", n)
	}
}
