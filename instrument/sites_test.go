package instrument

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/apk"
	"github.com/diffprof/diffprof/name"
)

// TestSites checks that the call sites of an app are those that an instrumented copy counts if all
// its code has probes.
func TestSites(t *testing.T) {
	apps := map[string]*apk.Archive{"Shapes.dex": archive(t, small(t))}
	paths, _ := filepath.Glob("../.cache/apks/*Demos*.apk")
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		apps[path] = open(t, data)
	}
	for app, a := range apps {
		made, r, doc := instrumented(t, a, Options{})
		want := make(map[string]int)
		for _, s := range doc.Sites {
			class := s.Class
			if s.Resolved != "" {
				class = s.Resolved
			}
			want[class+"."+s.Name+s.Descriptor]++
		}
		got, callers := make(map[string]int), make(map[string]bool)
		unclear, err := Sites(t.Context(), single(a), func(caller, callee name.Method) {
			got[label(callee)]++
			callers[caller.Class()] = true
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Skipped) == 0 && (unclear != r.Unclear || len(got) != len(want)) {
			t.Errorf("%s: %d APIs, %d unclear; want %d, %d", app, len(got), unclear, len(want), r.Unclear)
		}
		for m, n := range want {
			if got[m] < n || len(r.Skipped) == 0 && got[m] != n {
				t.Errorf("%s: %s has %d sites, want %d", app, m, got[m], n)
			}
		}
		t.Logf("%s: %d APIs called by %d classes", app, len(got), len(callers))
		if _, err := Sites(t.Context(), single(made), func(name.Method, name.Method) {}); !errors.Is(err, ErrInstrumented) {
			t.Errorf("%s: the copy: %v", app, err)
		}
	}
	entries := small(t)
	delete(entries, "classes.dex")
	if _, err := Sites(t.Context(), single(archive(t, entries)), func(name.Method, name.Method) {}); err == nil || !strings.Contains(err.Error(), "no code") {
		t.Errorf("without code: %v", err)
	}
}
