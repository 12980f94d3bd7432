package outline

import (
	"context"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/code/source/internal/syntaxtree"
)

// TestLocalTypes parses nested, local and anonymous classes of Java. The name of a local class has
// a number, and the class belongs to the enclosing member. Local classes are inner classes, unless
// they are static.
func TestLocalTypes(t *testing.T) {
	const source = `package a.b;
class Outer {
  class Inner {}
  static class Nested {}
  interface Face { class InFace {} }
  void first() { class Local { class Deep {} } class Other {} }
  void second() { class Local {} }
  Object third = new Object() { void run() {} };
  Object fourth() { return new Face() {}; }
}
`
	p := syntaxtree.NewParser()
	defer p.Close()
	file, err := Parse(context.Background(), p, syntaxtree.Java, "Outer.java", []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]struct {
		local, inner bool
		member       string
	}{
		"Outer": {}, "Outer$Inner": {inner: true}, "Outer$Nested": {}, "Outer$Face": {}, "Outer$Face$InFace": {},
		"Outer$1Local": {true, true, "first"}, "Outer$1Other": {true, true, "first"}, "Outer$2Local": {true, true, "second"}, "Outer$1Local$Deep": {inner: true},
		"Outer$1": {local: true, inner: true, member: "third"}, "Outer$2": {local: true, inner: true, member: "fourth"},
	}
	for _, typ := range file.Types {
		w, ok := want[typ.Name]
		if !ok {
			t.Errorf("there is a type %s", typ.Name)
			continue
		}
		delete(want, typ.Name)
		member := ""
		if typ.Owner != None {
			member = file.Members[typ.Owner].Name
		}
		if typ.Local != w.local || typ.Inner != w.inner || w.local && member != w.member {
			t.Errorf("%s: local %v, inner %v, in %q; want %+v", typ.Name, typ.Local, typ.Inner, member, w)
		}
	}
	if len(want) > 0 {
		t.Errorf("no types %v", want)
	}
}

// TestOperands finds the calls in the left and right operands of Kotlin's operators.
func TestOperands(t *testing.T) {
	const source = "fun f() {\n val x = one() + two() shl three()\n y[four()] += five()\n six() in seven()\n eight().z = nine()\n}\n"
	p := syntaxtree.NewParser()
	defer p.Close()
	file, err := Parse(context.Background(), p, syntaxtree.Kotlin, "f.kt", []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]int{}
	for _, s := range file.Sites {
		if s.Kind == Call {
			found[file.Names[s.Name]]++
		}
	}
	for _, name := range strings.Fields("one two three four five six seven eight nine shl") {
		if found[name] != 1 {
			t.Errorf("%d calls of %s", found[name], name)
		}
	}
}

// TestVariableArguments reads types of Java parameters.
func TestVariableArguments(t *testing.T) {
	const source = "class A { void f(int n, final @Some String... rest) {} void g(int[]... rows) {} void h(long[] a[]) {} }"
	p := syntaxtree.NewParser()
	defer p.Close()
	file, err := Parse(context.Background(), p, syntaxtree.Java, "A.java", []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range file.Members {
		want, ok := map[string]string{"f": "int String[]", "g": "int[][]", "h": "long[][]"}[m.Name]
		if got := strings.Join(m.Params, " "); ok && (got != want || m.Varargs != (m.Name != "h")) {
			t.Errorf("%s has the parameters %s, varargs %v, want %s", m.Name, got, m.Varargs, want)
		}
	}
}
