package outline

import (
	"context"
	"testing"

	"github.com/diffprof/diffprof/code/source/internal/syntaxtree"
)

// TestLocalTypes parses nested, local and anonymous classes of Java. A local class has a number in its
// name, and belongs to the member around it. Local classes are inner classes, and static ones are not.
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
