package flows

import (
	"fmt"
	"strings"
	"testing"
)

// TestReadResolvesTheNearestEnqueue checks that each dispatch gets the number of the latest enqueue
// with its hash that is not after the dispatch. Lines may be in any order.
func TestReadResolvesTheNearestEnqueue(t *testing.T) {
	f, err := Read(strings.NewReader(`# posted by the click
dispatch 1 50 a # run by the main looper
enqueue 2 10 a
enqueue 3 40 a

dispatch 1 20 a
dispatch 4 60 a
enqueue 2 70 b
dispatch 1 70 b
enqueue 2 80 a
dispatch 1 90 c
`))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range f.marks {
		verb := "enqueue"
		if m.dispatch {
			verb = "dispatch"
		}
		got = append(got, fmt.Sprintf("%s %d %d %s is flow %d", verb, m.thread, m.time, m.hash, m.flow))
	}
	want := `enqueue 2 10 a is flow 0
dispatch 1 20 a is flow 0
enqueue 3 40 a is flow 1
dispatch 1 50 a is flow 1
dispatch 4 60 a is flow 1
enqueue 2 70 b is flow 2
dispatch 1 70 b is flow 2
enqueue 2 80 a is flow -1
dispatch 1 90 c is flow -1`
	if text := strings.Join(got, "\n"); text != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
	if f.resolved != 3 || f.orphans != 1 {
		t.Errorf("%d flows and %d orphans, want 3 and 1", f.resolved, f.orphans)
	}
}
