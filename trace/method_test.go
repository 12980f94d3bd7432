package trace_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/trace"
)

func ExampleParseLabel() {
	m := trace.ParseLabel("android.view.View$1.onClick(Landroid/view/View;)V")
	fmt.Println(m.Package())
	fmt.Println(m.Class)
	fmt.Println(m.Name)
	fmt.Println(m.Descriptor)
	fmt.Println(m.Label())
	// Output:
	// android.view
	// android.view.View$1
	// onClick
	// (Landroid/view/View;)V
	// android.view.View$1.onClick(Landroid/view/View;)V
}

func TestParseLabel(t *testing.T) {
	tests := []struct {
		label string
		want  trace.Method
		pkg   string
	}{
		{"java.lang.String.valueOf(I)Ljava/lang/String;", trace.Method{Class: "java.lang.String", Name: "valueOf", Descriptor: "(I)Ljava/lang/String;"}, "java.lang"},
		{"a.B.<init>()V", trace.Method{Class: "a.B", Name: "<init>", Descriptor: "()V"}, "a"},
		{"a.B.<clinit>()V", trace.Method{Class: "a.B", Name: "<clinit>", Descriptor: "()V"}, "a"},
		{"a.B$C$1.access$000(La/B;)I", trace.Method{Class: "a.B$C$1", Name: "access$000", Descriptor: "(La/B;)I"}, "a"},
		{"a.B.run", trace.Method{Class: "a.B", Name: "run"}, "a"},
		{"B.run()V", trace.Method{Class: "B", Name: "run", Descriptor: "()V"}, ""},
		{"*.onClick(Landroid/view/View;)V", trace.Method{Class: "*", Name: "onClick", Descriptor: "(Landroid/view/View;)V"}, ""},
		{"Übung.läuft()V", trace.Method{Class: "Übung", Name: "läuft", Descriptor: "()V"}, ""},
		{"__start_thread", trace.Method{Name: "__start_thread"}, ""},
		{"__pthread_start(void*)", trace.Method{Name: "__pthread_start", Descriptor: "(void*)"}, ""},
		{"(toplevel)", trace.Method{Name: "(toplevel)"}, ""},
		{"", trace.Method{}, ""},
		{".x", trace.Method{Name: ".x"}, ""},
		{"x.", trace.Method{Name: "x."}, ""},
		{"a.b(", trace.Method{Class: "a", Name: "b("}, ""},
	}
	for _, tt := range tests {
		got := trace.ParseLabel(tt.label)
		if got != tt.want || got.Package() != tt.pkg {
			t.Errorf("ParseLabel(%q) = %+v in package %q, want %+v in %q", tt.label, got, got.Package(), tt.want, tt.pkg)
		}
		if back := got.Label(); back != tt.label {
			t.Errorf("ParseLabel(%q).Label() = %q", tt.label, back)
		}
	}
}

func TestParseLabelTurnsSlashes(t *testing.T) {
	got := trace.ParseLabel("java/util/Map$Entry.getKey(Ljava/lang/Object;)V")
	want := trace.Method{Class: "java.util.Map$Entry", Name: "getKey", Descriptor: "(Ljava/lang/Object;)V"}
	if got != want {
		t.Errorf("got %+v, want %+v: slashes of the class turn, those of the descriptor stay", got, want)
	}
}

// FuzzParseLabel holds labels to three laws on any text:
//
//   - nothing is lost: the label is the text, but for slashes that became dots;
//   - reading back is stable: a label reads as the same method again;
//   - the package is a prefix of the class.
func FuzzParseLabel(f *testing.F) {
	for _, label := range []string{
		"java.lang.String.valueOf(I)Ljava/lang/String;", "a/B.<init>()V", "*.onClick(Landroid/view/View;)V",
		"operator()(int)", "foo (inlined)", "/usr/lib/libc.so", "(toplevel)", "..", "a(b.c)d/e", "(((", "/(", "a./()",
	} {
		f.Add(label)
	}
	f.Fuzz(func(t *testing.T, text string) {
		m := trace.ParseLabel(text)
		label := m.Label()
		if len(label) != len(text) || strings.ReplaceAll(label, "/", ".") != strings.ReplaceAll(text, "/", ".") {
			t.Errorf("ParseLabel(%q).Label() = %q", text, label)
		}
		if again := trace.ParseLabel(label); again != m {
			t.Errorf("ParseLabel(%q) = %+v, but its label %q reads as %+v", text, m, label, again)
		}
		if !strings.HasPrefix(m.Class, m.Package()) {
			t.Errorf("ParseLabel(%q): package %q is no part of class %q", text, m.Package(), m.Class)
		}
	})
}
