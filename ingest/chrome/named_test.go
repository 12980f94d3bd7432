package chrome_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/ingest/chrome"
)

// TestNamesOfSlices checks whether the names in a trace are read as functions or as slices. Slices
// lose the numbers in their names, and slices whose names are then equal are one method.
func TestNamesOfSlices(t *testing.T) {
	for _, c := range []struct {
		names []string
		want  string // want has the methods, with [] around slices.
	}{
		{[]string{"Choreographer#doFrame 7", "Choreographer#doFrame 8", "measure"}, "[Choreographer#doFrame #] [measure]"},
		{[]string{"Frame", "BUILD", "Feed.bind"}, "[Frame] [BUILD] [Feed.bind]"},
		{[]string{"RunTask"}, "[RunTask]"},
		{[]string{"RunTask", "LatencyInfo.Flow", "V8.GCScavenger", "SimpleWatcher::OnHandleReady"}, "[RunTask] [LatencyInfo.Flow] [V#.GCScavenger] [SimpleWatcher::OnHandleReady]"},
		{[]string{"com.mine.Feed.bind", "com.mine.Row1.show", "com.mine.Row2.show"}, "com.mine.Feed.bind com.mine.Row1.show com.mine.Row2.show"},
		{[]string{"run (/src/a.js)", "step2 (/src/a.js)", "RunTask"}, "run (/src/a.js) step2 (/src/a.js) RunTask"},
	} {
		var b strings.Builder
		for i, n := range c.names {
			fmt.Fprintf(&b, `{"ph":"X","ts":%d,"dur":5,"tts":%d,"tdur":5,"pid":1,"tid":1,"name":%q},`, 10*i, 10*i, n)
		}
		tr, err := chrome.Decode(t.Context(), strings.NewReader("["+strings.TrimSuffix(b.String(), ",")+"]"), &kinds{}, chrome.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, m := range tr.Methods {
			label := m.Label()
			if m.IsSlice() {
				label = "[" + label + "]"
			}
			got = append(got, label)
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%q are the methods %s, want %s", c.names, s, c.want)
		}
	}
}
