package trend_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/history"
	"github.com/diffprof/diffprof/history/change"
	"github.com/diffprof/diffprof/history/git"
	"github.com/diffprof/diffprof/history/trend"
	"github.com/diffprof/diffprof/history/trend/trendtest"
)

func entries(t *testing.T, path string, f history.Filter) []history.Entry {
	t.Helper()
	store, err := history.Open(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	list, err := store.List(context.Background(), f)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func read(t *testing.T, path string) *trend.Trend {
	t.Helper()
	made, err := trend.Read(context.Background(), entries(t, path, history.Filter{}), trendtest.Options(path))
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// TestFindsChanges checks that exactly the history's changes are found, at their places.
func TestFindsChanges(t *testing.T) {
	made := read(t, trendtest.News(t))
	want := map[string][]int{
		"Feed.onRefresh": {trendtest.Dearer}, "Bitmap.compress": {trendtest.Dearer},
		"Article.onClick": {trendtest.Cheaper}, "Socket.connect": {trendtest.Cheaper}, "Settings.onClick": nil,
	}
	all := made.All()
	for _, s := range all {
		var at []int
		for _, c := range s.Found.Changes {
			at = append(at, c.At)
			if grows := s.Method.Short() == "Feed.onRefresh" || s.Method.Short() == "Bitmap.compress"; s.Kind != trend.Whole && c.Costlier() != grows {
				t.Errorf("%s changes by %+v", s.Method.Short(), c)
			}
		}
		places, known := want[s.Method.Short()]
		if s.Kind == trend.Whole {
			// A rise that is soon followed by an equal fall cannot be found from so few entries.
			places, known = nil, true
		}
		if !known || !slices.Equal(at, places) {
			t.Errorf("%v %s changes at %v, want %v", s.Kind, s.Method.Short(), at, places)
		}
		if (s.Q <= change.Rate) != (len(at) > 0) || s.Q < s.Found.P {
			t.Errorf("%s: p is %v and q %v", s.Method.Short(), s.Found.P, s.Q)
		}
	}
	if len(all) != 6 {
		t.Errorf("%d series are judged", len(all))
	}
}

// TestAgreesWithRuns compares a series with the energy of each run, read separately.
func TestAgreesWithRuns(t *testing.T) {
	path := trendtest.News(t)
	made := read(t, path)
	whole, refresh := made.Whole(), find(t, made, "news.Feed.onRefresh")
	for i, e := range made.Entries {
		for k, run := range e.Runs[:1+i%2] {
			o := trendtest.Options(path)
			o.Subject.Path = "history:" + e.Ref() + "/" + run.Name
			in, err := analysis.Read(context.Background(), o)
			if err != nil {
				t.Fatal(err)
			}
			table := finding.ByMethod(in)
			row := table.Find("Feed.onRefresh")
			if got := whole.Points[i][k]; got != float64(in.Energy) || in.Energy != run.Energy {
				t.Errorf("%s of %s drained %v, not %v", run.Name, e.Ref(), got, in.Energy)
			}
			if want := table.Methods[row[0]].Runs[0].All; refresh.Points[i][k] != float64(want) {
				t.Errorf("Feed.onRefresh drained %v in %s, not %v", refresh.Points[i][k], run.Name, want)
			}
		}
	}
}

func find(t *testing.T, made *trend.Trend, name string) *trend.Series {
	t.Helper()
	s, err := made.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestFind checks that Find finds tasks by the identity from a comparison of two entries, and
// methods by their names.
func TestFind(t *testing.T) {
	path := trendtest.News(t)
	made := read(t, path)
	o := trendtest.Options(path)
	o.Subject.Path, o.Reference.Path, o.Alpha = "history:"+made.Entries[7].Ref(), "history:"+made.Entries[0].Ref(), analysis.AutoAlpha
	r, err := analysis.Compare(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Tasks) != 2 {
		t.Fatalf("there are %d tasks", len(r.Tasks))
	}
	for i, id := range finding.IDs(r) {
		s := find(t, made, id)
		if s.Kind != trend.Task || s.ID != id || math.Abs(s.Medians[7].Median-float64(r.Tasks[i].Energy)) > 0.1*s.Medians[7].Median {
			t.Errorf("the task %s is %+v, which drains %v", id, s, r.Tasks[i].Energy)
		}
	}
	if s := find(t, made, "Socket.connect"); s.Kind != trend.Method || s.Method.Label() != find(t, made, "java.net.Socket.connect").Method.Label() {
		t.Errorf("%+v", s)
	}
	for text, want := range map[string]string{"Feed.onRefrsh": "did you mean Feed.onRefresh", "0123456789abcdef": "no run of the history has"} {
		if _, err := made.Find(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s is %v", text, err)
		}
	}
}

// TestNeverMixes checks that runs of two devices cannot form a trend, and that Latest chooses the
// runs that were added last.
func TestNeverMixes(t *testing.T) {
	path := trendtest.News(t)
	trendtest.Add(t, path, history.Entry{Version: "2", Device: "Pixel 9", Scenario: "morning", Time: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}, "main;news.Feed.onRefresh 5\n")
	list := entries(t, path, history.Filter{})
	var mixed *trend.MixedError
	if _, err := trend.Read(context.Background(), list, trendtest.Options(path)); !errors.As(err, &mixed) || mixed.What != "device" || !slices.Equal(mixed.Names, []string{"Pixel 4", "Pixel 9"}) {
		t.Errorf("mixed devices are %v", err)
	}
	latest := trend.Latest(list)
	if len(latest) != 1 || latest[0].Device != "Pixel 9" {
		t.Errorf("the latest are %+v", latest)
	}
	// A trend of a single run has no evidence of a change.
	made, err := trend.Read(context.Background(), latest, trendtest.Options(path))
	if err != nil {
		t.Fatal(err)
	}
	if s := made.Whole(); s.Points[0][0] != 5 || s.Latest() != nil {
		t.Errorf("%+v", s)
	}
	if n := made.Next(context.Background(), made.Whole(), nil); n.Between != [2]int{} {
		t.Errorf("next is %+v", n)
	}
	if _, err := trend.Read(context.Background(), nil, trendtest.Options(path)); err == nil {
		t.Error("no entries are a trend")
	}
}

// TestNext checks that Next returns the commits around the change, and advises more runs for the
// last entry, which has a single run.
func TestNext(t *testing.T) {
	path := trendtest.News(t)
	made := read(t, path)
	asked := [2]string{}
	bisect := func(_ context.Context, good, bad string) (*git.Bisection, error) {
		asked = [2]string{good, bad}
		return &git.Bisection{Commits: 3, Middle: "abc", Steps: 2}, nil
	}
	n := made.Next(context.Background(), find(t, made, "Feed.onRefresh"), bisect)
	if n.Between != [2]int{trendtest.Dearer - 1, trendtest.Dearer} || n.Commits == nil || asked != [2]string{made.Entries[3].Commit, made.Entries[4].Commit} || n.Repeats != nil {
		t.Errorf("%+v, asked for %v", n, asked)
	}
	n = made.Next(context.Background(), find(t, made, "Feed.onRefresh"), func(context.Context, string, string) (*git.Bisection, error) {
		return nil, errors.New("no such commit")
	})
	if n.Commits != nil || n.Unknown != "no such commit" {
		t.Errorf("%+v", n)
	}
	trendtest.Add(t, path, history.Entry{Version: "2", Device: "Pixel 4", Scenario: "morning", Time: time.Date(2026, 9, 1, 0, 0, 0, 0, time.UTC)},
		"main;android.os.Handler.dispatchMessage;news.Settings.onClick 900000\n")
	made = read(t, path)
	s := find(t, made, "Settings.onClick")
	n = made.Next(context.Background(), s, bisect)
	if s.Latest() != nil || len(n.Repeats) != 1 || n.Repeats[0].Point != 8 || n.Unknown == "" {
		t.Errorf("of %+v next is %+v", s.Found, n)
	}
}

// TestNextRepeatsUnclearEntries checks that Next advises more runs only for entries that may be
// before or after the change.
func TestNextRepeatsUnclearEntries(t *testing.T) {
	points := [][]float64{{100, 101, 99, 100}, {100, 102, 99, 101}, {100, 99, 101, 102}, {100, 201}, {201, 199, 200, 202}, {200, 201, 199, 202}, {200, 198, 202, 201}}
	s := &trend.Series{Points: points, Found: change.Find(points)}
	c := s.Latest()
	if c == nil || c.Latest <= c.At {
		t.Fatalf("the change is clear: %+v", c)
	}
	n := (&trend.Trend{Entries: make([]history.Entry, len(points))}).Next(t.Context(), s, nil)
	if n.Between != [2]int{c.At - 1, c.At} || len(n.Repeats) == 0 {
		t.Errorf("next is %+v", n)
	}
	for _, want := range n.Repeats {
		if want.Point < c.Earliest || want.Point >= c.Latest {
			t.Errorf("%d more runs of entry %d, which is on one side of %+v", want.Runs, want.Point, c)
		}
	}
}
