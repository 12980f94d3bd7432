package main

import (
	"fmt"
	"strings"
	"testing"
)

func TestCompare(t *testing.T) {
	counted := map[string]bool{"a.B.c()V": true}
	want, outside, err := reference(strings.NewReader("3 enter a.B.c()V\n7 call a.B.c()V android.view.View.invalidate()V\n"+
		"2 enter a.Library.run()V\n4 call a.Library.run()V android.view.View.invalidate()V\n"), counted)
	if err != nil {
		t.Fatal(err)
	}
	got := map[event]int64{{"a.B.c()V", ""}: 3, {"a.B.c()V", "android.view.View.invalidate()V"}: 7}
	var out strings.Builder
	if err := compare(&out, got, want, outside); err != nil {
		t.Error(err)
	}
	const figures = "1 methods began 3 times, and made 7 calls of the framework, with 1 different pairs of a method and a called method\n" +
		"4 calls are in methods that the copy does not count\n"
	if out.String() != figures {
		t.Errorf("printed %q", out.String())
	}
	out.Reset()
	got[event{"a.B.c()V", "android.view.View.invalidate()V"}]--
	got[event{"a.B.c()V", "java.lang.Object.wait()V"}] = 1
	err = compare(&out, got, want, 0)
	if err == nil || err.Error() != "2 counts differ" {
		t.Error(err)
	}
	if !strings.Contains(out.String(), "  6 times in the copy, 7 in the original: a.B.c()V calls android.view.View.invalidate()V\n"+
		"  1 times in the copy, 0 in the original: a.B.c()V calls java.lang.Object.wait()V\n") {
		t.Errorf("printed %q", out.String())
	}
	if err := compare(&out, nil, nil, 0); err == nil {
		t.Error("an empty reference proves nothing")
	}
}

func TestReferenceErrors(t *testing.T) {
	for _, text := range []string{"x", "3 enter", "3 call a.B.c()V", "3 leave a.B.c()V"} {
		if _, _, err := reference(strings.NewReader("1 enter a.B.c()V\n"+text), nil); err == nil || !strings.HasPrefix(err.Error(), "line 2: ") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestRecord reads a recording of a generated program. The method work4 of the program calls the
// methods show4 and show24.
func TestRecord(t *testing.T) {
	counted := make(map[string]bool)
	for part := range 3 {
		for i := range 20 {
			counted[fmt.Sprintf("com.mine.Part%d.work%d()V", part, i)] = true
		}
	}
	events, err := record("../../ingest/calls/testdata/workload.calls", counted)
	if err != nil {
		t.Fatal(err)
	}
	var begins, calls int64
	for e, n := range events {
		var part, caller, callee int
		if _, err := fmt.Sscanf(e.method, "com.mine.Part%d.work%d()V", &part, &caller); err != nil {
			t.Errorf("%s: %v", e, err)
		}
		if e.callee == "" {
			begins += n
			continue
		}
		calls += n
		if _, err := fmt.Sscanf(e.callee, "android.view.View.show%d(I)V", &callee); err != nil || callee%20 != caller {
			t.Errorf("%s: %v", e, err)
		}
	}
	if begins == 0 || calls == 0 {
		t.Errorf("%d methods began, %d calls", begins, calls)
	}
}
