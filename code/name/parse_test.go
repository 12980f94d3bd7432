package name_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/code/name"
)

func ExampleParse() {
	m := name.Parse("android.view.View$1.onClick(Landroid/view/View;)V", name.JVM)
	fmt.Println(m.Scope)
	fmt.Println(m.Class())
	fmt.Println(m.Name)
	fmt.Println(m.Signature)
	fmt.Println(m.Label())
	// Output:
	// android.view
	// android.view.View$1
	// onClick
	// (Landroid/view/View;)V
	// android.view.View$1.onClick(Landroid/view/View;)V
}

func TestParse(t *testing.T) {
	tests := []struct {
		label string
		want  name.Method
		pkg   string
	}{
		{"java.lang.String.valueOf(I)Ljava/lang/String;", name.OfClass("java.lang.String", "valueOf", "(I)Ljava/lang/String;"), "java.lang"},
		{"a.B.<init>()V", name.OfClass("a.B", "<init>", "()V"), "a"},
		{"a.B.<clinit>()V", name.OfClass("a.B", "<clinit>", "()V"), "a"},
		{"a.B$C$1.access$000(La/B;)I", name.OfClass("a.B$C$1", "access$000", "(La/B;)I"), "a"},
		{"a.B.run", name.OfClass("a.B", "run", ""), "a"},
		{"B.run()V", name.OfClass("B", "run", "()V"), ""},
		{"*.onClick(Landroid/view/View;)V", name.OfClass("*", "onClick", "(Landroid/view/View;)V"), ""},
		{"Übung.läuft()V", name.OfClass("Übung", "läuft", "()V"), ""},
		{"__start_thread", name.OfClass("", "__start_thread", ""), ""},
		{"__pthread_start(void*)", name.OfClass("", "__pthread_start", "(void*)"), ""},
		{"(toplevel)", name.OfClass("", "(toplevel)", ""), ""},
		{"", name.Method{}, ""},
		{".x", name.OfClass("", ".x", ""), ""},
		{"x.", name.OfClass("", "x.", ""), ""},
		{"a.b(", name.OfClass("a", "b(", ""), ""},
	}
	for _, tt := range tests {
		got := name.Parse(tt.label, name.JVM)
		if got != tt.want || got.Scope != tt.pkg {
			t.Errorf("Parse(%q) = %+v in package %q, want %+v in %q", tt.label, got, got.Scope, tt.want, tt.pkg)
		}
		if back := got.Label(); back != tt.label {
			t.Errorf("Parse(%q).Label() = %q", tt.label, back)
		}
	}
}

func TestParseTurnsSlashes(t *testing.T) {
	got := name.Parse("java/util/Map$Entry.getKey(Ljava/lang/Object;)V", name.JVM)
	want := name.OfClass("java.util.Map$Entry", "getKey", "(Ljava/lang/Object;)V")
	if got != want {
		t.Errorf("got %+v, want %+v: slashes of the class turn, those of the descriptor stay", got, want)
	}
}

// FuzzParse holds labels to three laws on any text:
//
//   - nothing is lost: the label is the text, but for slashes that became dots;
//   - reading back is stable: a label reads as the same method again;
//   - the package is a prefix of the class.
func FuzzParse(f *testing.F) {
	for _, label := range []string{
		"java.lang.String.valueOf(I)Ljava/lang/String;", "a/B.<init>()V", "*.onClick(Landroid/view/View;)V",
		"operator()(int)", "foo (inlined)", "/usr/lib/libc.so", "(toplevel)", "..", "a(b.c)d/e", "(((", "/(", "a./()",
	} {
		f.Add(label)
	}
	f.Fuzz(func(t *testing.T, text string) {
		m := name.Parse(text, name.JVM)
		label := m.Label()
		if len(label) != len(text) || strings.ReplaceAll(label, "/", ".") != strings.ReplaceAll(text, "/", ".") {
			t.Errorf("Parse(%q).Label() = %q", text, label)
		}
		if again := name.Parse(label, name.JVM); again != m {
			t.Errorf("Parse(%q) = %+v, but its label %q reads as %+v", text, m, label, again)
		}
		if !strings.HasPrefix(m.Class(), m.Scope) {
			t.Errorf("Parse(%q): package %q is no part of class %q", text, m.Scope, m.Class())
		}
	})
}
