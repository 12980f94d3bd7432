package trace_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/trace"
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
		if got := trace.Short(label); got != want {
			t.Errorf("%q is %q, want %q", label, got, want)
		}
	}
}

func TestNames(t *testing.T) {
	want := map[string]string{
		"android.widget.TextView.setText(Ljava/lang/CharSequence;)V":                                       "TextView.setText(CharSequence)",
		"android.widget.TextView.setText(Ljava/lang/CharSequence;Landroid/widget/TextView$BufferType;ZI)V": "TextView.setText(CharSequence, BufferType, boolean, int)",
		"android.view.View.invalidate()V":                                                                  "View.invalidate()",
		"android.view.View.invalidate(Z)V":                                                                 "View.invalidate(boolean)",
		"android.view.View.draw([[J)V":                                                                     "View.draw",
		// Parameters do not tell these apart.
		"a.Box.get()I": "a.Box.get()I",
		"b.Box.get()I": "b.Box.get()I",
		"c.Bag.get()I": "c.Bag.get()I",
		"c.Bag.get()J": "c.Bag.get()J",
		// Nor has one of these any.
		"a.Stack.run":    "a.Stack.run",
		"a.Stack.run()V": "Stack.run()",
	}
	labels := slices.Collect(maps.Keys(want))
	got := trace.Names(append(labels, labels...))
	for label, name := range want {
		if got[label] != name {
			t.Errorf("%s is %q, want %q", label, got[label], name)
		}
	}
}

// FuzzNames holds names to what they are for.
func FuzzNames(f *testing.F) {
	f.Add("a.B.c(I)V\na.B.c(J)V\nb.B.c(I)V\n(toplevel)\nx")
	f.Add("a.B.c([[La/b;)V\na.B.c([[Lb/b;)V\nB.c\nB.c(b[][])")
	f.Fuzz(func(t *testing.T, text string) {
		labels := strings.Split(text, "\n")
		names := trace.Names(labels)
		bearer := make(map[string]string)
		for _, l := range labels {
			name, ok := names[l]
			if other, taken := bearer[name]; !ok || taken && other != l && name != l && name != other {
				t.Errorf("%q and %q are both %q", l, other, name)
			}
			bearer[name] = l
		}
	})
}

func TestParseDescriptor(t *testing.T) {
	for d, want := range map[string]string{
		"()V":                            ": void",
		"(IJ[[BLjava/util/Map$Entry;)[Z": "int long byte[][] java.util.Map$Entry: boolean[]",
	} {
		if params, result, ok := trace.ParseDescriptor(d); !ok || strings.Join(params, " ")+": "+result != want {
			t.Errorf("%s is %q, %q, %v; want %s", d, params, result, ok, want)
		}
	}
	for _, d := range []string{"", "V", "(", "()", "(V)V", "(I", "(L;)V", "(Lx)V", "()VV", "([)V", "(Q)V", "(" + strings.Repeat("I", 256) + ")V", "()" + strings.Repeat("[", 256) + "I"} {
		if params, result, ok := trace.ParseDescriptor(d); ok {
			t.Errorf("%s is %q, %q", d, params, result)
		}
	}
}
