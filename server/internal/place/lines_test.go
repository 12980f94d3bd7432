package place

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/diffprof/diffprof/lines"
	"github.com/diffprof/diffprof/name"
)

// placed lists the lines of a file: the present line, counted from 0, and the energy.
func placed(list []Line) string {
	text := ""
	for _, l := range list {
		text += fmt.Sprintf("%d:%d/%d ", l.Line, l.Row.Own, l.Row.All)
	}
	return text
}

// TestLinesMoveWithEdits places lines with energy in a file, before and after edits. The methods of
// the file are in lines 4 to 6 and 7 to 9, counted from 1.
func TestLinesMoveWithEdits(t *testing.T) {
	p := newProject(t, 2)
	method := func(label string) name.Method { return name.Parse(label, name.JVM) }
	first, second := method("com.app.C0.first()V"), method("com.app.C0.second()V")
	table := &lines.Table{Runs: 1, Clump: 1, Rows: []lines.Row{
		{Method: second, Line: 8, Own: 30, All: 40}, {Method: first, Line: 5, Own: 10, All: 20}, {Method: first, Line: 4, All: 5}, {Method: first, Line: 6},
		{Method: first, Own: 99}, {Method: first, Line: 8, Own: 99}, {Method: first, Line: 50, Own: 99}, {Method: method("com.app.None.first()V"), Line: 5, Own: 99},
		{Method: method("com.app.C1.first()V"), Line: 5, Own: 7, All: 7},
	}}
	l := New(p.set, p.index, 0, nil)
	made := NewLines(&Figures{Table: table}, l)
	if got := placed(made.Files[p.paths[0]]) + "| " + placed(made.Files[p.paths[1]]); got != "3:0/5 4:10/20 7:30/40 | 4:7/7 " || len(made.Files) != 2 {
		t.Errorf("the lines are %s", got)
	}
	for _, c := range []struct {
		from, to int
		want     string
	}{{0, 100, "3:0/5 4:10/20 7:30/40 "}, {3, 4, "3:0/5 4:10/20 "}, {4, 4, "4:10/20 "}, {5, 6, ""}, {5, 7, "7:30/40 "}, {8, 100, ""}, {0, 2, ""}, {7, 3, ""}} {
		if got := placed(made.In(p.paths[0], c.from, c.to)); got != c.want {
			t.Errorf("from %d to %d: %s, want %s", c.from, c.to, got, c.want)
		}
	}
	if (*Lines)(nil).In(p.paths[0], 0, 9) != nil || made.In("none", 0, 9) != nil {
		t.Error("a file without lines has lines")
	}
	for i, edit := range []struct{ text, want string }{
		{"\n\n" + class(0, "first", "second"), "5:0/5 6:10/20 9:30/40 "}, {class(0, "second"), "4:30/40 "}, {"", ""}, {class(0, "first", "second"), "3:0/5 4:10/20 7:30/40 "},
	} {
		if err := p.index.Update(t.Context(), p.paths[0], []byte(edit.text), int32(i+1)); err != nil {
			t.Fatal(err)
		}
		changed := map[string]bool{p.paths[0]: true}
		l = l.Updated(changed)
		made = made.Updated(changed, l)
		again := NewLines(made.Figures, l)
		if got := placed(made.Files[p.paths[0]]); got != edit.want {
			t.Errorf("after edit %d: %s, want %s", i, got, edit.want)
		}
		if !reflect.DeepEqual(made.Files, again.Files) {
			t.Errorf("after edit %d: %v, placed anew %v", i, made.Files, again.Files)
		}
	}
}
