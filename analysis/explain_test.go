package analysis

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/eflask"
	"github.com/diffprof/diffprof/internal/shorten"
	"github.com/diffprof/diffprof/units"
)

// TestExplainCases compares the reasons for the paper's case studies with the paper (DiffProf,
// Section 5.3).
func TestExplainCases(t *testing.T) {
	want := map[string][2]string{ // of the first task
		"pandora57-pandora83": {"lacking", "android.view.ViewRootImpl.scheduleTraversals()V"},
		"spotify-pandora83":   {"more-calls", "android.widget.ProgressBar.setProgress(I)V"},
		"solid-fx":            {"more-calls", "android.graphics.drawable.Drawable.invalidateSelf()V"},
		"hangouts-whatsapp":   {"lacking", "android.content.ContentProviderProxy.query("},
		"pandora80-freemusic": {"lacking", "*.update("},
		"kaspersky-avg":       {"lacking", "dalvik.system.VMStack.getThreadStackTrace("},
		"dfndr-turbo":         {"self", "java.io.File.listFiles("},
		"wish-letgo":          {"dearer", "android.graphics.BitmapFactory.nativeDecodeStream("},
	}
	for name, o := range recordings(t) {
		r := compareFiles(t, o)
		for i := range r.Tasks {
			checkReason(t, r, i)
		}
		if w, ok := want[name]; ok {
			delete(want, name)
			got := r.Explain(0)
			if got.Kind.String() != w[0] || !strings.HasPrefix(got.Method.Label(), w[1]) {
				t.Errorf("%s: %s %s, want %s %s", name, got.Kind, got.Method.Label(), w[0], w[1])
			}
		}
	}
	if len(want) > 0 {
		t.Errorf("no such cases: %v", want)
	}
}

// checkReason checks that the reason for task i has the properties documented for Reason and
// ReasonKind.
func checkReason(t *testing.T, r *Result, i int) {
	t.Helper()
	task, got := r.Tasks[i], r.Explain(i)
	if got != r.Explain(i) {
		t.Fatalf("task %d: two reasons of it differ", i)
	}
	if got.Saving != task.Saving || (got.Kind == Same) != (task.Saving == 0) {
		t.Fatalf("task %d, which saves %d: %+v", i, task.Saving, got)
	}
	if got.Kind != Same && 2*abs(got.Energy) < abs(task.Saving)-1 {
		t.Fatalf("task %d: %+v explains less than half", i, got)
	}
	if task.Saving != 0 && (got.Energy < 0) != (task.Saving < 0) {
		t.Fatalf("task %d: %+v has the wrong sign", i, got)
	}
	switch got.Kind {
	case MoreCalls, Self, Spread:
		if got.Subject != task.Node || got.Reference != task.Peer {
			t.Fatalf("task %d: %+v is not about its F-method", i, got)
		}
	case Lacking, Dearer:
		if (got.Subject >= 0 && got.Reference >= 0) != (got.Kind == Dearer) {
			t.Fatalf("task %d: %+v is of the wrong kind", i, got)
		}
		if task.Peer < 0 && got.Energy != r.Subject.Tree.Energy.All(got.Subject) {
			t.Fatalf("task %d: %+v is not all of the branch's energy", i, got)
		}
	}
}

func abs(e units.Energy) units.Energy { return max(e, -e) }

func TestExplainRandomPairs(t *testing.T) {
	dir := t.TempDir()
	for seed := range shorten.Count(200) {
		rnd := rand.New(rand.NewPCG(uint64(seed), 2))
		o := Options{Subject: Side{Path: filepath.Join(dir, "s")}, Reference: Side{Path: filepath.Join(dir, "r")}, Alpha: rnd.IntN(3), Matching: eflask.Options{Threads: 1}}
		for _, path := range []string{o.Subject.Path, o.Reference.Path} {
			if err := os.WriteFile(path, []byte(randomFolded(rnd, 1+rnd.IntN(25))+"some.Rest.of 1\n"), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		r := compareFiles(t, o)
		for i := range r.Tasks {
			checkReason(t, r, i)
		}
	}
}

// TestExplainSeesThroughWrappers has an additional caller on one side, around a call that both
// sides make. The caller must not be the reason.
func TestExplainSeesThroughWrappers(t *testing.T) {
	dir := t.TempDir()
	o := Options{Subject: Side{Path: filepath.Join(dir, "s")}, Reference: Side{Path: filepath.Join(dir, "r")}, Alpha: 2}
	write := func(path, text string) {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write(o.Subject.Path, `android.os.Looper.loop;com.app.A.onClick;java.io.F.read;java.io.Wrap.read;java.io.G.deep;java.io.H.deeper 900
android.os.Looper.loop;com.app.A.onClick;java.io.F.read;java.io.K.more 100
`)
	write(o.Reference.Path, `android.os.Looper.loop;com.app.A.onClick;java.io.F.read;java.io.G.deep;java.io.H.deeper 900
android.os.Looper.loop;com.app.A.onClick;java.io.F.read;java.io.K.more 10
`)
	r := compareFiles(t, o)
	got := r.Explain(0)
	if got.Kind != Dearer || got.Method.Label() != "java.io.K.more" || got.Energy != 90 || got.Saving != 90 {
		t.Errorf("Explain = %+v", got)
	}
}
