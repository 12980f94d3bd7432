// Package trendtest makes the history of a generated news reader, for tests.
package trendtest

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/history"
	"github.com/diffprof/diffprof/ingest"
	"github.com/diffprof/diffprof/units"
)

// Refreshing costs more from the entry Dearer on. Articles cost less from the entry Cheaper on.
const Dearer, Cheaper = 4, 6

// Entries is the number of entries of News, and Runs the number of runs of each entry.
const Entries, Runs = 8, 4

// News makes a history of the reader on one device and in one scenario. It returns the path of the
// history. From the entry Dearer on, Feed.onRefresh costs two fifths more. From Cheaper on,
// Article.onClick costs a third less. Nothing else changes. Runs vary by three percent.
func News(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "history.db")
	made.Lock()
	defer made.Unlock()
	if made.news == nil {
		write(t, path)
		var err error
		if made.news, err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
		return path
	}
	if err := os.WriteFile(path, made.news, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// made has the file of News. It is made once per process.
var made struct {
	sync.Mutex
	news []byte
}

// write makes the history of News.
func write(t testing.TB, path string) {
	t.Helper()
	random := rand.New(rand.NewPCG(7, 11))
	noisy := func(x float64) int { return int(1000 * x * math.Exp(0.03*random.NormFloat64())) }
	for n := range Entries {
		var runs []string
		for range Runs {
			refresh, article := 500.0, 600.0
			if n >= Dearer {
				refresh *= 1.4
			}
			if n >= Cheaper {
				article *= 0.67
			}
			runs = append(runs, fmt.Sprintf("main;android.os.Handler.dispatchMessage;news.Feed.onRefresh;android.graphics.Bitmap.compress %d\n"+
				"main;android.os.Handler.dispatchMessage;news.Article.onClick;java.net.Socket.connect %d\n"+
				"main;android.os.Handler.dispatchMessage;news.Settings.onClick %d\n", noisy(refresh), noisy(article), noisy(200)))
		}
		Add(t, path, history.Entry{
			Commit: fmt.Sprintf("%07x%033x", 0x1111111*(n+1), n), Version: fmt.Sprintf("1.%d", n), Device: "Pixel 4", Scenario: "morning",
			Time: time.Date(2026, 3, 1+n, 12, 0, 0, 0, time.UTC),
		}, runs...)
	}
}

// Add adds runs to an entry of a history. Each run is folded stacks in nanojoules.
func Add(t testing.TB, path string, e history.Entry, runs ...string) {
	t.Helper()
	ctx, folder := context.Background(), t.TempDir()
	o := Options(path)
	for k, text := range runs {
		file := filepath.Join(folder, fmt.Sprintf("run%d.folded", k+1))
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		o.Subject.Repeats = append(o.Subject.Repeats, file)
	}
	o.Subject.Path, o.Subject.Repeats = o.Subject.Repeats[0], o.Subject.Repeats[1:]
	kept, err := analysis.ReadForStore(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	store, err := history.Create(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if _, err := store.Add(ctx, e, kept...); err != nil {
		t.Fatal(err)
	}
}

// Options returns options for reading the runs of a history.
func Options(path string) analysis.Options {
	nanojoules, _ := units.ParseValueUnit("nJ") // nJ is a valid unit.
	return analysis.Options{Store: history.File(path), Ingest: ingest.Options{Unit: nanojoules}}
}
