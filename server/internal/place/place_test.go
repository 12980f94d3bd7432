package place

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/code/source"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/server/internal/buffer"
	"github.com/diffprof/diffprof/units"
)

// A project is an app of some files and the findings of a comparison.
type project struct {
	set   *finding.Set
	index *source.Index
	paths []string
}

// newProject writes n classes with two methods each. The methods call tasks. It also writes the
// recordings.
func newProject(t *testing.T, n int) *project {
	t.Helper()
	folder := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	p := &project{index: source.New(source.Options{Roots: []string{folder}})}
	var subject strings.Builder
	for i := range n {
		p.paths = append(p.paths, write(fmt.Sprintf("C%d.java", i), class(i, "first", "second")))
		for _, method := range []string{"first", "second"} {
			fmt.Fprintf(&subject, "android.os.Handler.dispatchMessage()V;com.app.C%d.%s()V;android.content.ContentResolver.query()V %d\n", i, method, 1_000_000+i)
		}
	}
	const both = "android.view.View.draw()V;com.app.Both.onDraw()V 10007\n"
	r, err := analysis.Compare(t.Context(), analysis.Options{
		Subject:   analysis.Side{Path: write("subject.folded", subject.String()+both)},
		Reference: analysis.Side{Path: write("reference.folded", "android.os.Handler.dispatchMessage()V;org.other.Main.run()V 10\n"+both)},
	})
	if err != nil {
		t.Fatal(err)
	}
	p.set = finding.New(r)
	if _, err := p.index.Load(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	return p
}

// class returns the text of a class whose methods call a task.
func class(i int, methods ...string) string {
	text := fmt.Sprintf("package com.app;\n\nclass C%d {\n", i)
	for _, m := range methods {
		text += "  void " + m + "() {\n    resolver.query();\n  }\n"
	}
	return text + "}\n"
}

func TestPlaces(t *testing.T) {
	p := newProject(t, 1)
	l := New(p.set, p.index, 0, nil)
	at := func(line, from, to int) Site {
		return Site{Path: p.paths[0], From: buffer.Position{Line: line, Column: from}, To: buffer.Position{Line: line, Column: to}}
	}
	marks := l.Files[p.paths[0]]
	if marks == nil || len(marks.Calls) != 2 || len(marks.Methods) != 3 {
		t.Fatalf("the marks are %+v", marks)
	}
	for i, want := range []Site{at(4, 13, 18), at(7, 13, 18)} {
		got := marks.Calls[i]
		if got.Site.Compare(want) != 0 || got.Site.To != want.To || !got.Exact || got.Stale != "" {
			t.Errorf("call %d is at %+v, want %+v", i, got, want)
		}
	}
	for i, want := range []Site{at(2, 6, 8), at(3, 7, 12), at(6, 7, 13)} {
		if got := marks.Methods[i].Site; got.Compare(want) != 0 || got.To != want.To {
			t.Errorf("method %d is at %+v, want %+v", i, got, want)
		}
	}
	// With a threshold above all shares there are no places, but Callers still finds the callers.
	none := New(p.set, p.index, 2, nil)
	if len(none.Files) != 0 || len(none.Tasks) != 0 {
		t.Errorf("above the whole run there are places: %+v", none.Files)
	}
	for i := range p.set.Tasks() {
		if got, want := none.Callers(i), l.Tasks[i]; !reflect.DeepEqual(got, want) {
			t.Errorf("task %d is called at %+v, want %+v", i, got, want)
		}
	}
	if sites, stale := l.Find(name.Parse("com.app.C0.away()V", name.JVM)); len(sites) != 1 || sites[0].Compare(at(2, 6, 8)) != 0 || stale == "" {
		t.Errorf("a method that is gone is at %+v (%q), want its class", sites, stale)
	}
	if sites, _ := l.Find(name.Parse("com.app.Other.away()V", name.JVM)); len(sites) != 0 {
		t.Errorf("a method of another app is at %+v", sites)
	}
}

// TestContains checks that a name contains its end position, because the cursor may be there.
func TestContains(t *testing.T) {
	s := Site{From: buffer.Position{Line: 3, Column: 4}, To: buffer.Position{Line: 3, Column: 6}}
	for at, want := range map[[2]int]bool{{3, 3}: false, {3, 4}: true, {3, 6}: true, {3, 7}: false, {2, 5}: false, {4, 5}: false} {
		if got := s.Contains(buffer.Position{Line: at[0], Column: at[1]}); got != want {
			t.Errorf("%v: %v", at, got)
		}
	}
}

// TestUpdatedIsNew checks that Updated finds the same places as a new layout. The edits change
// code, names, or a class that distinguishes calls in other files. Unchanged parts must be shared.
func TestUpdatedIsNew(t *testing.T) {
	const files, rounds = 6, 300
	p := newProject(t, files)
	r := rand.New(rand.NewPCG(3, 5))
	texts := []func(i int) string{
		func(i int) string { return class(i, "first", "second") },
		func(i int) string { return "\n\n" + class(i, "first", "second") },
		func(i int) string { return "\n\n" + class(i, "second", "first") },
		func(i int) string { return class(i, "first") },
		func(i int) string { return class(i, "renamed", "second") },
		func(i int) string { return class((i+1)%files, "first", "second") }, // This class exists twice.
		func(i int) string { return "" },
		func(i int) string {
			return strings.ReplaceAll(class(i, "first", "second"), "resolver.query()", "done()")
		},
		func(i int) string {
			return strings.ReplaceAll(class(i, "first", "second"), "resolver.query()", "help.query(); some.query()")
		},
		// The superclass of Help decides which of the two calls is the task.
		func(i int) string {
			return strings.ReplaceAll(class(i, "first", "second"), "resolver.query()", "new Help().query(); some.query()")
		},
		func(i int) string {
			return "package com.app;\nclass Help extends android.content.ContentResolver { }\n"
		},
		func(i int) string { return "package com.app;\nclass Help extends Thread { }\n" },
	}
	l := New(p.set, p.index, 0, nil)
	shared := 0
	for round := range rounds {
		changed := make(map[string]bool)
		for range r.IntN(3) {
			i := r.IntN(files)
			changed[p.paths[i]] = true
			if err := p.index.Update(context.Background(), p.paths[i], []byte(texts[r.IntN(len(texts))](i)), int32(round)); err != nil {
				t.Fatal(err)
			}
		}
		before := l
		l = l.Updated(changed)
		want := New(p.set, p.index, 0, nil)
		if !reflect.DeepEqual(l.Files, want.Files) || !reflect.DeepEqual(l.Tasks, want.Tasks) {
			t.Fatalf("round %d, after edits of %v:\n%+v\nwant\n%+v", round, changed, l.Files, want.Files)
		}
		for path := range l.Files {
			if l.Files[path] == before.Files[path] {
				shared++
			}
		}
	}
	if shared == 0 {
		t.Error("an edit makes the marks of all files anew")
	}
}

// TestPartsAddUp checks that the figures at the places of a task add up to at most the task's
// energy and saving. The sources have one, a few and many calls per method. The sources are
// generated from the methods of real recordings.
func TestPartsAddUp(t *testing.T) {
	for _, recording := range []string{"jagframework-dmtrace.trace", "androidperformance-App.trace", "launcher-app.trace", "firefox-art-streaming.trace.gz"} {
		t.Run(recording, func(t *testing.T) {
			t.Parallel()
			const real = "../../../../shared/data/art/"
			if _, err := os.Stat(real); err != nil {
				t.Skip("the real traces are not at ../shared/data/art")
			}
			whole := analysis.Side{Path: real + recording}
			r, err := analysis.Compare(t.Context(), analysis.Options{Subject: whole, Reference: whole, Alpha: 1})
			if err != nil {
				t.Fatal(err)
			}
			// The reference is the same run without some calls.
			folder := t.TempDir()
			fold := func(name string, step int) analysis.Side {
				path := filepath.Join(folder, name)
				if err := os.WriteFile(path, []byte(folded(&r.Subject, step)), 0o666); err != nil {
					t.Fatal(err)
				}
				return analysis.Side{Path: path}
			}
			r, err = analysis.Compare(t.Context(), analysis.Options{Subject: fold("subject.folded", 0), Reference: fold("reference.folded", 2), Alpha: 1, Noise: 1e-4})
			if err != nil {
				t.Fatal(err)
			}
			set := finding.New(r)
			index := source.New(source.Options{Roots: []string{writeCallers(t, set)}})
			if _, err := index.Load(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			layout := New(set, index, 0, nil)
			shown := addUp(t, layout)
			placed := 0
			for i, p := range shown {
				task := &r.Tasks[i]
				if p.energy > task.Energy || p.saving > max(task.Saving, 0) {
					t.Errorf("the places of %s show %d nJ of %d, and save %d of %d", set.Tasks()[i].Callee.Label(), p.energy, task.Energy, p.saving, task.Saving)
				}
				if p.energy > 0 {
					placed++
				}
			}
			if placed == 0 {
				t.Error("no task has a place with energy")
			}
		})
	}
}

// folded writes a run's recording. It omits every step-th call that a method of the app makes.
func folded(in *analysis.Input, step int) string {
	tree := in.Tree.Source
	var b strings.Builder
	paths, lacks := make([]string, len(tree.Nodes)), make([]bool, len(tree.Nodes))
	calls := 0
	for i, n := range tree.Nodes {
		if n.Parent < 0 || n.Method == cct.NoMethod {
			continue
		}
		paths[i], lacks[i] = tree.Methods[n.Method].Label(), lacks[n.Parent]
		above := &tree.Nodes[n.Parent]
		if paths[n.Parent] != "" {
			paths[i] = paths[n.Parent] + ";" + paths[i]
			if !lacks[i] && in.Own.Is(above.Method) && !in.Own.Is(n.Method) {
				calls++
				lacks[i] = step > 0 && calls%step == 0
			}
		}
		if e := tree.Energy.Self(int32(i)); e > 0 && !lacks[i] {
			fmt.Fprintf(&b, "%s %d\n", paths[i], e)
		}
	}
	return b.String()
}

// parts are the sums over the places of a task.
type parts struct{ energy, saving units.Energy }

// addUp sums the figures at the places of each task, and checks the consistency of each
// place.
func addUp(t *testing.T, l *Layout) map[int]parts {
	sums := make(map[int]parts)
	for _, m := range l.Files {
		for _, c := range m.Calls {
			for _, p := range c.Tasks {
				if !p.First && (p.Energy != 0 || p.Saving != 0 || p.Calls != 0) {
					t.Errorf("%v is not the first place, and has %+v", c.Site, p)
				}
				if c.Exact && len(p.Places) > maxPlaces {
					t.Errorf("%v is one of %d places", c.Site, len(p.Places))
				}
				sums[p.Task] = parts{sums[p.Task].energy + p.Energy, sums[p.Task].saving + p.Saving}
			}
		}
	}
	return sums
}

// writeCallers writes classes in which the app's methods call their tasks, and returns
// their folder.
func writeCallers(t *testing.T, set *finding.Set) string {
	folder := t.TempDir()
	type key struct{ class, method string }
	calls := make(map[key][]string)
	var order []key
	for i := range set.Tasks() {
		for _, s := range set.Tasks()[i].Sites {
			at := key{s.Method.Class(), s.Method.Name}
			if strings.ContainsAny(at.class+at.method+set.Tasks()[i].Method.Name, "$<-") {
				continue
			}
			if calls[at] == nil {
				order = append(order, at)
			}
			for range []int{1, 2, 5}[i%3] {
				calls[at] = append(calls[at], "other."+set.Tasks()[i].Method.Name+"();")
			}
		}
	}
	classes := make(map[string]string)
	for _, at := range order {
		classes[at.class] += "  void " + at.method + "() {\n    " + strings.Join(calls[at], "\n    ") + "\n  }\n"
	}
	for class, body := range classes {
		dot := strings.LastIndexByte(class, '.')
		text := fmt.Sprintf("package %s;\nclass %s {\n%s}\n", class[:max(dot, 0)], class[dot+1:], body)
		if err := os.WriteFile(filepath.Join(folder, class+".java"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// TestCallsAroundAreNotSure has a class that D8 generated from a lambda. The class around the
// lambda is known, but the lambda is not.
func TestCallsAroundAreNotSure(t *testing.T) {
	folder := t.TempDir()
	text := "package com.app;\nclass Main {\n  void start(View v) {\n    v.post(() -> v.show());\n    v.post(() -> v.hide());\n    v.dim();\n  }\n}\n"
	if err := os.WriteFile(filepath.Join(folder, "Main.java"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	index := source.New(source.Options{Roots: []string{folder}})
	if _, err := index.Load(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	f := finder{index: index}
	for _, test := range []struct {
		caller, callee string
		line           int
		sure           bool
	}{
		{"com.app.Main$$ExternalSyntheticLambda1.run()V", "com.app.View.hide()V", 4, false},
		{"com.app.Main.start(Lcom/app/View;)V", "com.app.View.dim()V", 5, true},
	} {
		got := f.calls(name.Parse(test.caller, name.JVM), name.Parse(test.callee, name.JVM))
		if len(got.sites) != 1 || got.sites[0].From.Line != test.line || got.sure != test.sure {
			t.Errorf("%s calls %s at %+v", test.caller, test.callee, got)
		}
	}
}

// TestManyCalls checks that a method with up to three calls of a task is marked at each call. With
// more calls, only the method's name is marked, and the mark lists all calls.
func TestManyCalls(t *testing.T) {
	for calls, marks := range map[int]int{1: 1, 3: 3, 4: 1, 7: 1} {
		folder := t.TempDir()
		write := func(name, text string) string {
			path := filepath.Join(folder, name)
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			return path
		}
		path := write("A.java", "package com.app;\nclass A {\n  void run() {\n"+strings.Repeat("    resolver.query();\n", calls)+"  }\n}\n")
		const both = "android.view.View.draw()V;com.app.Both.onDraw()V 10007\n"
		r, err := analysis.Compare(t.Context(), analysis.Options{
			Subject:   analysis.Side{Path: write("a.folded", "android.os.Handler.dispatchMessage()V;com.app.A.run()V;android.content.ContentResolver.query()V 1000000\n"+both)},
			Reference: analysis.Side{Path: write("b.folded", "android.os.Handler.dispatchMessage()V;org.other.Main.run()V 10\n"+both)},
		})
		if err != nil {
			t.Fatal(err)
		}
		index := source.New(source.Options{Roots: []string{folder}})
		if _, err := index.Load(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		l := New(finding.New(r), index, 0, nil)
		if l.Files[path] == nil || len(l.Files[path].Calls) != marks {
			t.Fatalf("%d calls: the marks are %+v, want %d", calls, l.Files[path], marks)
		}
		for i, c := range l.Files[path].Calls {
			line := 3 + i
			if calls > 3 {
				line = 2
			}
			if len(c.Tasks) != 1 || len(c.Tasks[0].Places) != calls || c.Site.From.Line != line || c.Exact != (calls <= 3) || c.Tasks[0].First != (i == 0) {
				t.Errorf("%d calls: mark %d is %+v", calls, i, c)
			}
		}
	}
}
