package instrument

import (
	"fmt"
	"os"
	"testing"

	"github.com/diffprof/diffprof/apk"
	"github.com/diffprof/diffprof/instrument/runtime"
	"github.com/diffprof/diffprof/test/cached"
)

// TestTimedCalls compares the sites whose start and end are recorded in three ways: by the map, by
// the count in the result, and by the probes in the code. It requests all calls, so some calls are
// where a probe after the call would lack an exception handler.
func TestTimedCalls(t *testing.T) {
	compare := func(t *testing.T, a *apk.Archive) {
		all, err := NewFilter([]string{"*"})
		if err != nil {
			t.Fatal(err)
		}
		made, r, doc := instrumented(t, a, Options{Paths: true, Invocations: all})
		found := make(map[string]int)
		entries := made.Dex()
		for _, entry := range entries[:len(entries)-1] {
			for key, n := range probes(t, content(t, made, entry)) {
				found[key] += n
			}
		}
		timed := 0
		for _, s := range doc.Sites {
			want := 0
			if s.Timed != "" {
				want = 1
				timed++
			}
			if n := found[fmt.Sprint(runtime.Invoke, " ", s.ID)]; n != want {
				t.Errorf("the call of %s.%s in method %d has %d probes for its time; the map says %q", s.Class, s.Name, s.Method, n, s.Timed)
			}
		}
		if timed == 0 || timed != r.Timed {
			t.Errorf("%d calls with times in the map, %d in the result", timed, r.Timed)
		}
		t.Logf("%d of %d calls have times", timed, len(doc.Sites))
	}
	t.Run("Shapes", func(t *testing.T) { compare(t, archive(t, small(t))) })
	t.Run("real apps", func(t *testing.T) {
		apps := cached.Few(t)
		for _, path := range apps[:min(2, len(apps))] {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			compare(t, open(t, data))
		}
	})
}
