package apicost_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/energy/apicost"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
)

// TestLogChargesTheMethodThatBeganLast plays a short run of two threads. The comment after each
// call names the method that Orka charges for it.
func TestLogChargesTheMethodThatBeganLast(t *testing.T) {
	const onClick, otherOnClick, work, show, invalidate, list, stub = 0, 1, 2, 3, 4, 5, 6
	r := &run{threads: 2}
	for _, label := range []string{
		"com.mine.Main.onClick(Landroid/view/View;)V", "com.mine.Other.onClick(Landroid/view/View;)V", "com.mine.Main.work()V",
		"android.widget.Toast.show()V", "android.view.View.invalidate()V", "java.util.ArrayList.clear()V",
	} {
		r.methods = append(r.methods, name.Parse(label, name.JVM))
	}
	r.methods = append(r.methods, name.Method{Name: "art_quick_invoke_stub", Lang: name.JVM})
	enter := func(thread trace.ThreadID, m trace.Ref) {
		r.events = append(r.events, trace.Event{Kind: trace.Enter, Ref: m, Thread: thread, CPU: 1})
	}
	exit := func(thread trace.ThreadID, m trace.Ref) {
		r.events = append(r.events, trace.Event{Kind: trace.Exit, Ref: m, Thread: thread, CPU: 1})
	}
	call := func(thread trace.ThreadID, m trace.Ref) { enter(thread, m); exit(thread, m) }

	enter(0, onClick)
	call(0, show) // onClick
	call(0, list) // no method, because the table has no costs of such packages
	enter(1, work)
	call(0, show) // work, which began on another thread
	exit(1, work)
	call(0, invalidate) // work, because a log has no ends of methods
	enter(0, stub)
	call(0, show) // no method, because the runtime made the call
	exit(0, stub)
	enter(0, show) // work
	call(0, show)  // no method, because the framework made the call
	exit(0, show)
	exit(0, onClick)
	enter(0, otherOnClick)
	call(0, invalidate) // onClick, because Orka ignores classes
	exit(0, otherOnClick)
	call(1, show) // no method, because no method made the call

	replay, err := cct.NewReplay(t.Context(), r, cct.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	table := readTable(t, "signature,cost,unit\nandroid.widget.Toast.show(),50,uJ\nandroid.view.View.invalidate,7,uJ\n")
	log := apicost.NewLog(replay.Trace.Methods, apicost.Options{Table: table, Platform: knownPlatform(t), Orka: true})
	if err := replay.Play(t.Context(), log); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range log.Routines() {
		got = append(got, fmt.Sprintf("%s: %d calls, %d nJ, %s J in all, %s J each", r.Method.Name, r.Calls, r.Energy, r.Exact.Joules(), r.Average.Joules()))
	}
	want := "work: 1 calls, 107000 nJ, 0.000107 J in all, 0.000107 J each\n" +
		"onClick: 2 calls, 57000 nJ, 0.000057 J in all, 0.0000285 J each"
	if got := strings.Join(got, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
