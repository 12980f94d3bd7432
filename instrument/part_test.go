package instrument

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/apk"
	"github.com/diffprof/diffprof/code/dex"
	"github.com/diffprof/diffprof/instrument/runtime"
)

// manifestOf returns the manifest of a part.
func manifestOf(pkg, split string) []byte {
	if split != "" {
		split = fmt.Sprintf(" split=%q", split)
	}
	return fmt.Appendf(nil, `<manifest xmlns:android="a" package=%q%s><application/></manifest>`, pkg, split)
}

// splitApp returns an app of three parts: a split with code, the base, and a split without code.
func splitApp(t testing.TB) []Part {
	t.Helper()
	base := small(t)
	feature, err := os.ReadFile("testdata/Programs.dex")
	if err != nil {
		t.Fatal(err)
	}
	return []Part{
		{"split_feature.apk", archive(t, map[string][]byte{"AndroidManifest.xml": manifestOf("com.mine", "feature"), "classes.dex": feature})},
		{"base.apk", archive(t, base)},
		{"split_config.en.apk", archive(t, map[string][]byte{"AndroidManifest.xml": manifestOf("com.mine", "config.en"), "resources.arsc": []byte("text")})},
	}
}

// written writes and reopens the copy of each part.
func written(t testing.TB, parts []Part, r *Result) (copies []*apk.Archive) {
	t.Helper()
	key, err := apk.DebugKey(filepath.Join(t.TempDir(), "key.pem"))
	if err != nil {
		t.Fatal(err)
	}
	for i, part := range parts {
		var b bytes.Buffer
		if _, err := part.Archive.Write(t.Context(), &b, r.Edits[i], key, r.Manifest.MinSDK); err != nil {
			t.Fatal(err)
		}
		copies = append(copies, open(t, b.Bytes()))
	}
	return copies
}

// TestAppSplits instruments an app that consists of several APKs. They have a single map.
func TestAppSplits(t *testing.T) {
	parts := splitApp(t)
	all, err := NewFilter([]string{"*"})
	if err != nil {
		t.Fatal(err)
	}
	r, err := App(t.Context(), parts, Options{Include: all})
	if err != nil {
		t.Fatal(err)
	}
	if r.Base != 1 || len(r.Edits[2]) > 0 || len(r.Skipped) > 0 {
		t.Errorf("base %d, %d edits of the split without code, left %v", r.Base, len(r.Edits[2]), r.Skipped)
	}
	copies := written(t, parts, r)
	found := probes(t, content(t, copies[0], "classes.dex"))
	for key, n := range probes(t, content(t, copies[1], "classes.dex")) {
		found[key] += n
	}
	doc := mapOf(t, copies[1], r)
	checkMap(t, found, r, doc)
	if !bytes.Equal(content(t, copies[1], "classes2.dex"), runtime.Dex()) || copies[0].Entry("classes2.dex") != nil || copies[0].Entry(runtime.MapEntry) != nil {
		t.Error("the runtime is not in the base alone")
	}
	var names []string
	for _, d := range doc.Dex {
		names = append(names, d.Name)
	}
	if want := []string{"split_feature.apk/classes.dex", "base.apk/classes.dex"}; !slices.Equal(names, want) {
		t.Errorf("the map names %v, want %v", names, want)
	}
}

func TestAppSplitsBadInput(t *testing.T) {
	app := splitApp(t)
	other := Part{"other.apk", archive(t, map[string][]byte{"AndroidManifest.xml": manifestOf("com.other", "config.de")})}
	full := small(t)
	full["assets/diffprof-calls.map"] = nil
	for _, c := range []struct {
		parts []Part
		want  string
	}{
		{app[:1], "split_feature.apk: it is a split of an app: name the base APK"},
		{[]Part{app[1], app[1]}, "base.apk and base.apk are both base APKs"},
		{[]Part{app[1], app[2], app[2]}, `are both splits "config.en"`},
		{[]Part{app[1], other}, "other.apk: it belongs to the app com.other, but base.apk to com.mine"},
		{[]Part{app[2], {"calls.apk", archive(t, full)}}, "calls.apk: the app is instrumented already"},
	} {
		if _, err := App(t.Context(), c.parts, Options{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

// fullDex returns a DEX file whose method table has room for only `left` more methods. It has the
// sample's classes and another class. The code of the sample uses all methods.
func fullDex(t testing.TB, left int) []byte {
	t.Helper()
	data, err := os.ReadFile("testdata/Shapes.dex")
	if err != nil {
		t.Fatal(err)
	}
	f := parseOne(t, data)
	w, err := dex.NewWriter(f)
	if err != nil {
		t.Fatal(err)
	}
	methods := methodsOf(t, f)
	const names = 256 // The number of methods of a class.
	for n := 0; len(f.Methods)+n < dex.MaxIndexes-left; n++ {
		callee, err := w.Method(fmt.Sprintf("Lother/C%d;", n/names), fmt.Sprint("m", n%names), "V")
		if err != nil {
			t.Fatal(err)
		}
		b := methods[n%len(methods)].body
		b.Order = append(b.Order, b.Append(dex.Instruction{Op: dex.OpInvokeStatic, Index: callee}, -1))
	}
	for _, m := range methods {
		// The calls are after the end of the original code, so they never run.
		m.body.Order = append(m.body.Order, m.body.Append(dex.Instruction{Op: dex.OpGoto, Target: 0}, -1))
		w.Replace(m.Index, func() (*dex.Body, error) { return m.body, nil })
	}
	out, err := w.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestAppFull instruments an app with a DEX file whose method table is full. Classes must move to a
// new file.
func TestAppFull(t *testing.T) {
	entries := small(t)
	plain := entries["classes.dex"]
	for _, left := range []int{0, 2, 3, 55} {
		full := fullDex(t, left)
		entries["classes.dex"] = full
		made, r, doc := instrumented(t, archive(t, entries), Options{})
		want := []string{"classes.dex", "classes2.dex"}
		if left < 3 {
			want = append(want, "classes3.dex")
		}
		if got := made.Dex(); !slices.Equal(got, want) || len(r.Skipped) > 0 || r.Moved > 0 != (left < 3) {
			t.Fatalf("%d left: %v, %d classes moved, left %v", left, got, r.Moved, r.Skipped)
		}
		if !bytes.Equal(content(t, made, want[len(want)-1]), runtime.Dex()) {
			t.Error("the last file is not the runtime")
		}
		found := make(map[string]int)
		classes := make(map[string]int)
		for _, entry := range want[:len(want)-1] {
			data := content(t, made, entry)
			for key, n := range probes(t, data) {
				found[key] += n
			}
			f := parseOne(t, data)
			for i := range f.Classes {
				classes[f.Descriptor(f.Classes[i].Type)]++
			}
		}
		checkMap(t, found, r, doc)
		whole := parseOne(t, full)
		for i := range whole.Classes {
			if class := whole.Descriptor(whole.Classes[i].Type); classes[class] != 1 {
				t.Errorf("%d left: %d files have %s", left, classes[class], class)
			}
		}
	}
	// A class that two files define must stay in its file.
	entries["classes.dex"] = fullDex(t, 0)
	entries["classes2.dex"] = plain
	made, r, doc := instrumented(t, archive(t, entries), Options{})
	if len(r.Skipped) != 1 || r.Skipped[0].Dex != "classes.dex" || r.Skipped[0].Method != "" || !strings.Contains(r.Skipped[0].Reason, dex.ErrFull.Error()) {
		t.Error(r.Skipped)
	}
	checkMap(t, probes(t, content(t, made, "classes2.dex")), r, doc)
}

func TestPrint(t *testing.T) {
	parts := []Part{{"app.apk", archive(t, small(t))}}
	for _, name := range []string{"Shapes.fibonacci", "LShapes;->fibonacci(I)I", "Shapes.fibonacci(I)I"} {
		list, err := Print(t.Context(), parts, Options{}, name)
		if err != nil {
			t.Fatal(err)
		}
		if len(list) != 1 || list[0].Class != "Shapes" || strings.Contains(list[0].Before, "diffprof") || strings.Count(list[0].After, "Ldiffprof/Runtime;->exit(I)V") < 2 || list[0].Reason != "" {
			t.Errorf("%s: %+v", name, list)
		}
	}
	only, err := NewFilter([]string{"Shapes$2"})
	if err != nil {
		t.Fatal(err)
	}
	list, err := Print(t.Context(), parts, Options{Include: only}, "Shapes.fibonacci")
	if err != nil || len(list) != 1 || list[0].After != "" || list[0].Reason != "it is not among the counted methods" {
		t.Errorf("%+v, %v", list, err)
	}
	if _, err := Print(t.Context(), parts, Options{}, "Shapes.fibonaci"); err == nil || !strings.Contains(err.Error(), "did you mean Shapes.fibonacci?") {
		t.Error(err)
	}
}
