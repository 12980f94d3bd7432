package server

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.lsp.dev/protocol"

	"github.com/diffprof/diffprof/history"
	"github.com/diffprof/diffprof/history/trend/trendtest"
	"github.com/diffprof/diffprof/server/internal/lsp"
	"github.com/diffprof/diffprof/server/internal/workspace"
)

// writePast adds six commits with four runs each to a history. From the fourth commit on, the query of
// com.app.Main.onCreate costs two fifths more, and its setText costs a fifth less.
func writePast(t testing.TB, path string) {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	for n := range 6 {
		var runs []string
		for range 4 {
			query, text := 3e6, 3e6
			if n >= 3 {
				query, text = query*1.4, text*0.8
			}
			stack := "android.app.Activity.performCreate(Landroid/os/Bundle;)V;com.app.Main.onCreate(Landroid/os/Bundle;)V;"
			noisy := func(x float64) int { return int(x * math.Exp(0.03*random.NormFloat64())) }
			runs = append(runs, fmt.Sprintf("%sandroid.content.ContentResolver.query()V %d\n%sandroid.widget.TextView.setText()V %d\n", stack, noisy(query), stack, noisy(text)))
		}
		trendtest.Add(t, path, history.Entry{Commit: strings.Repeat(fmt.Sprint(n+1), 40), Device: "phone", Time: time.Date(2026, 1, 1+n, 0, 0, 0, 0, time.UTC)}, runs...)
	}
}

// recalling returns a client whose server reads the history when the test calls look.
type recalling struct {
	*fake
	document map[string]any
	turns    chan struct{}
}

func openPast(t *testing.T, history string, more map[string]any) *recalling {
	t.Helper()
	folder := t.TempDir()
	set := traces(t, folder)
	set["history"] = history
	for key, value := range more {
		set[key] = value
	}
	path := write(t, folder, "Main.java", mainJava)
	r := &recalling{document: map[string]any{"uri": lsp.URIOf(path)}, turns: make(chan struct{}, 100)}
	told := make(chan struct{})
	once := sync.OnceFunc(func() { close(told) })
	r.fake = connect(t, func(o *Options) {
		o.recalled = func() { r.turns <- struct{}{} }
		o.published = func(snap *workspace.Snapshot) {
			if snap.Set != nil && snap.Notified() {
				once()
			}
		}
	})
	r.open(folder, `{}`, set)
	var did didCompareParams
	if r.await(lsp.MethodDidCompare, 1, &did); did.Error != "" {
		t.Fatal(did.Error)
	}
	<-told // The history is read only after the server has recorded that it notified the client.
	return r
}

// look makes the server check its files, and waits until it has read the history. The first turn of
// the loop, which begins with the server, may still be running.
func (r *recalling) look() {
	for range 2 {
		r.ticks["files"] <- time.Time{}
		<-r.turns
	}
}

// since returns the lines and texts of the lenses about a commit.
func (r *recalling) since() (found []string, all int) {
	var lenses []protocol.CodeLens
	r.must("textDocument/codeLens", map[string]any{"textDocument": r.document}, &lenses)
	for _, l := range lenses {
		if strings.HasPrefix(l.Command.Title, "since ") {
			found = append(found, fmt.Sprintf("%d %s", l.Range.Start.Line, l.Command.Title))
		}
	}
	return found, len(lenses)
}

// TestSince checks that the lenses of a method and of a task that cost more show the commit. Hovers
// also show it for tasks that cost less. A history that has grown is read again, and a removed
// history has no effect.
func TestSince(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.db")
	writePast(t, path)
	f := openPast(t, path, nil)
	f.look()
	found, all := f.since()
	if len(found) != 2 || all != 4 || found[0] != "3 since 4444444: +10.1% in Main.onCreate" || found[1] != "4 since 4444444: +39.9%" {
		t.Fatalf("of %d lenses there are %q", all, found)
	}
	hover := func(line int) string {
		var h protocol.Hover
		f.must("textDocument/hover", map[string]any{"textDocument": f.document, "position": map[string]int{"line": line, "character": 18}}, &h)
		return h.Contents.Value
	}
	if text := hover(4); !strings.Contains(text, "In the history it costs ") || !strings.Contains(text, " more (") || !strings.Contains(text, "since 4444444") {
		t.Errorf("the hover says %q", text)
	}
	if text := hover(5); !strings.Contains(text, " less (") || !strings.Contains(text, "since 4444444") {
		t.Errorf("the hover of what costs less says %q", text)
	}
	// Runs of another device are a separate series, even if they were added later.
	trendtest.Add(t, path, history.Entry{Version: "9", Device: "tablet", Time: time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)}, "com.app.Main.onCreate(Landroid/os/Bundle;)V 5\n")
	f.look()
	if found, all := f.since(); len(found) != 0 || all != 2 {
		t.Errorf("of another device there are %q", found)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	f.look()
	if found, _ := f.since(); len(found) != 0 {
		t.Errorf("without a history there are %q", found)
	}
	f.quit()
}

// TestSinceIsSilent checks that all other lenses are shown without a message if the history file is
// missing or invalid, or if these lenses are switched off.
func TestSinceIsSilent(t *testing.T) {
	folder := t.TempDir()
	whole := filepath.Join(folder, "whole.db")
	writePast(t, whole)
	for name, c := range map[string]struct {
		path string
		more map[string]any
	}{
		"no file":      {filepath.Join(folder, "none.db"), nil},
		"no history":   {write(t, folder, "other.db", "no history"), nil},
		"switched off": {whole, map[string]any{"codeLens": map[string]any{"since": false}}},
	} {
		f := openPast(t, c.path, c.more)
		f.look()
		if found, all := f.since(); len(found) != 0 || all != 2 {
			t.Errorf("%s: of %d lenses there are %q", name, all, found)
		}
		if n := f.count("window/showMessage"); n != 0 {
			t.Errorf("%s: %d messages", name, n)
		}
		f.quit()
	}
}
