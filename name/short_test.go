package name_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/name"
)

func TestShort(t *testing.T) {
	for label, want := range map[string]string{
		"android.widget.TextView.setText(Ljava/lang/CharSequence;)V": "TextView.setText",
		"java.util.Map$Entry.getKey()Ljava/lang/Object;":             "Map$Entry.getKey",
		"*.run()V":    "*.run",
		"(toplevel)":  "(toplevel)",
		"malloc":      "malloc",
		"A.<init>()V": "A.<init>",
		"":            "",
	} {
		if got := name.Parse(label, name.JVM).Short(); got != want {
			t.Errorf("%q is %q, want %q", label, got, want)
		}
	}
}

// TestPackage checks Method.Package: files for native code, and scopes for other code.
func TestPackage(t *testing.T) {
	for _, c := range []struct {
		m    name.Method
		want string
	}{
		{name.OfClass("java.util.Map$Entry", "getKey", ""), "java.util"},
		{name.OfClass("Main", "run", ""), ""},
		{name.Method{Lang: name.Native, Module: "/system/lib64/libc.so", Scope: "std", Name: "malloc"}, "libc.so"},
		{name.Method{Lang: name.CPP, Module: "libart.so", Scope: "art", Type: "Monitor", Name: "Wait"}, "libart.so"},
		{name.Method{Lang: name.CPP, Scope: "art", Type: "Monitor", Name: "Wait"}, "art"},
		{name.Method{Lang: name.JVM, Module: "/app/base.apk", Scope: "org.app", Type: "Main", Name: "run"}, "org.app"},
	} {
		if got := c.m.Package(); got != c.want {
			t.Errorf("%+v is in %q, want %q", c.m, got, c.want)
		}
	}
}

// apart returns the distinct names of JVM labels.
func apart(labels []string) map[string]string {
	methods := make([]name.Method, len(labels))
	for i, l := range labels {
		methods[i] = name.Parse(l, name.JVM)
	}
	names := make(map[string]string, len(labels))
	for i, short := range name.DistinctNames(methods) {
		names[labels[i]] = short
	}
	return names
}

func TestApart(t *testing.T) {
	want := map[string]string{
		"android.widget.TextView.setText(Ljava/lang/CharSequence;)V":                                       "TextView.setText(CharSequence)",
		"android.widget.TextView.setText(Ljava/lang/CharSequence;Landroid/widget/TextView$BufferType;ZI)V": "TextView.setText(CharSequence, BufferType, boolean, int)",
		"android.view.View.invalidate()V":                                                                  "View.invalidate()",
		"android.view.View.invalidate(Z)V":                                                                 "View.invalidate(boolean)",
		"android.view.View.draw([[J)V":                                                                     "View.draw",
		// These methods have equal parameters.
		"a.Box.get()I": "a.Box.get()",
		"b.Box.get()I": "b.Box.get()",
		"c.Bag.get()I": "c.Bag.get()I",
		"c.Bag.get()J": "c.Bag.get()J",
		// One of these methods has no parameters.
		"a.Stack.run":    "Stack.run",
		"a.Stack.run()V": "Stack.run()",
	}
	labels := slices.Collect(maps.Keys(want))
	got := apart(append(labels, labels...))
	for label, name := range want {
		if got[label] != name {
			t.Errorf("%s is %q, want %q", label, got[label], name)
		}
	}
}

// FuzzDistinctNames checks what the comment on DistinctNames promises.
func FuzzDistinctNames(f *testing.F) {
	f.Add("a.B.c(I)V\na.B.c(J)V\nb.B.c(I)V\n(toplevel)\nx")
	f.Add("a.B.c([[La/b;)V\na.B.c([[Lb/b;)V\nB.c\nB.c(b[][])")
	f.Fuzz(func(t *testing.T, text string) {
		labels := strings.Split(text, "\n")
		for i, l := range labels {
			labels[i] = name.Parse(l, name.JVM).Label()
		}
		names := apart(labels)
		bearer := make(map[string]string)
		for _, l := range labels {
			short, ok := names[l]
			if other, taken := bearer[short]; !ok || taken && other != l && short != l && short != other {
				t.Errorf("%q and %q are both %q", l, other, short)
			}
			bearer[short] = l
		}
	})
}
