package name_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/name"
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

// TestParseIsLinear parses texts for which a naive parser takes quadratic time.
func TestParseIsLinear(t *testing.T) {
	for _, piece := range []string{"<", "a::", "<a as ", "(", "a.", "a/", ".(*", "[", "operator", " ", "a!", ":1", "$LT$", "()::", "{"} {
		text := "core::" + strings.Repeat(piece, (1<<20)/len(piece))
		for lang := name.Unknown; lang <= name.Native; lang++ {
			if m := name.Parse(text, lang); m.Short() == "" {
				t.Errorf("%.20q… has no short name", text)
			}
		}
	}
}

// FuzzParse checks four laws of labels on any text in any language:
//
//   - nothing is lost: the label is the text, except for the separators of JVM names, the
//     addresses of hidden classes, and the separator of library and symbol;
//   - parsing is stable: a label parses to the same method;
//   - the package is a prefix of the class;
//   - there is a short name.
func FuzzParse(f *testing.F) {
	hidden := regexp.MustCompile(`([/+.:](0x[0-9a-fA-F]+|[0-9]+))+`)
	for _, label := range []string{
		"java.lang.String.valueOf(I)Ljava/lang/String;", "a/B.<init>()V", "*.onClick(Landroid/view/View;)V",
		"operator()(int)", "foo (inlined)", "/usr/lib/libc.so", "(toplevel)", "..", "a(b.c)d/e", "(((", "/(", "a./()", "net/http.(*conn).serve", "a::b<c>::d(e)_[j]", "io/Loop:.run_[j]", "La/B;::c",
		"A!B.<c>d.e", "a/B$$Lambda+0x1f.run()V", "java.lang.invoke.LambdaForm$MH.0x00.invoke", "a/0x1.0x2.b", "libjvm.so.A::b()", "vdso.x", "f (g.py:3)", "f g.js:1:2", "libc.so.6`read", "<a as b>::c::h0123456789abcdef",
	} {
		f.Add(label)
	}
	f.Fuzz(func(t *testing.T, text string) {
		parted := strings.NewReplacer("/", "", ".", "", ":", "", ";", "", "L", "")
		for lang := name.Unknown; lang <= name.Native; lang++ {
			m := name.Parse(text, lang)
			label := m.Label()
			lost := m.Lang == name.JVM && parted.Replace(hidden.ReplaceAllString(label, "")) != parted.Replace(hidden.ReplaceAllString(text, ""))
			if symbol := strings.TrimPrefix(label, m.Module+"`"); lost || m.Lang != name.JVM && m.Type != "" && !strings.Contains(text, symbol) {
				t.Errorf("Parse(%q, %s).Label() = %q", text, lang, label)
			}
			if again := name.Parse(label, max(lang, m.Lang)); again != m {
				t.Errorf("Parse(%q, %s) = %+v, but its label %q reads as %+v", text, lang, m, label, again)
			}
			if m.Lang == name.JVM && !strings.HasPrefix(m.Class(), m.Scope) {
				t.Errorf("Parse(%q, %s): package %q is no part of class %q", text, lang, m.Scope, m.Class())
			}
			if m.Short() == "" && text != "" {
				t.Errorf("Parse(%q, %s) has no short name", text, lang)
			}
		}
	})
}
