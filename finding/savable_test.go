package finding_test

import (
	"strings"
	"testing"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/appcode"
	"github.com/diffprof/diffprof/eflask"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/units"
)

// TestSavable holds it to trial of all sets of tasks of which none lies inside another, each
// with the app's own code that lies in none of them.
func TestSavable(t *testing.T) {
	stack := func(frames ...string) string { return strings.Join(frames, ";") }
	const root = "android.os.Looper.loop()V;com.app.Main.run()V"
	subject := strings.Join([]string{
		// A task in a task, in another: all are alone here.
		stack(root, "android.view.View.draw()V", "com.app.Box.onDraw()V", "android.graphics.Canvas.drawText()V 50"),
		stack(root, "android.view.View.draw()V", "com.app.Box.onDraw()V", "android.graphics.Canvas.drawText()V", "com.app.Font.onLoad()V", "java.io.File.exists()Z 30"),
		// The outer one is cheaper than there, what is in it is not done there.
		stack(root, "android.widget.ListView.layout()V", "com.app.Rows.getView()V", "android.widget.TextView.setText()V 20"),
		stack(root, "android.widget.ListView.layout()V", "com.app.Rows.getView()V", "android.database.Cursor.getString()V 9"),
		stack(root, "android.widget.ListView.layout()V", "com.app.Rows.getView()V 1"),
		stack(root, "android.os.Handler.post()V 7"),
		// Code of the app that drains more than there: in two tasks, and in none.
		stack(root, "com.app.Sort.bubble()V 40"),
		stack(root, "android.view.View.draw()V", "com.app.Box.onDraw()V", "com.app.Sort.bubble()V 11"),
		stack(root, "android.widget.ListView.layout()V", "com.app.Rows.getView()V", "com.app.Sort.bubble()V 6"),
	}, "\n") + "\n"
	reference := strings.Join([]string{
		stack(root, "android.widget.ListView.layout()V", "com.app.Rows.getView()V 90"),
		stack(root, "android.os.Handler.post()V 2"),
		stack(root, "com.app.Sort.bubble()V 3"),
	}, "\n") + "\n"
	r := compare(t, subject, reference).Result
	if len(r.Tasks) != 7 {
		t.Fatalf("%d tasks", len(r.Tasks))
	}
	if !r.AppCode.OneApp || r.AppCode.Rows[0].Saving != 54 {
		t.Fatalf("the dearest code saves %v, in one app: %v", r.AppCode.Rows[0].Saving, r.AppCode.OneApp)
	}
	for ignored := range 1 << len(r.Tasks) {
		hidden := make(map[int]bool)
		for i := range r.Tasks {
			if ignored&(1<<i) != 0 {
				hidden[i] = true
			}
		}
		want := units.Energy(0)
		for chosen := range 1 << len(r.Tasks) {
			if sum, ok := apart(r, chosen&^ignored); ok {
				want = max(want, sum)
			}
		}
		if got := finding.Savable(r, hidden, nil); got != want {
			t.Errorf("without %v: %v can be saved, want %v", hidden, got, want)
		}
	}
	all, code := make(map[int]bool), make(map[int]bool)
	for i := range r.Tasks {
		all[i] = true
	}
	for i := range r.AppCode.Rows {
		code[i] = true
	}
	if got := finding.Savable(r, all, code); got != 0 {
		t.Errorf("without all of it %v can be saved", got)
	}
}

// apart sums the savings of the tasks in a set, and those of the code that lies in none; it
// fails if one lies inside another.
func apart(r *analysis.Result, set int) (sum units.Energy, ok bool) {
	inside := func(a, b eflask.Task) bool {
		return b.Node < a.Node && a.Node < r.Subject.Tree.Nodes[b.Node].End
	}
	for i, a := range r.Tasks {
		if set&(1<<i) == 0 {
			continue
		}
		for j, b := range r.Tasks {
			if set&(1<<j) != 0 && inside(a, b) {
				return 0, false
			}
		}
		sum += a.Saving
	}
	for _, row := range r.AppCode.Rows {
		if row.Saving <= 0 || row.Kind != appcode.Method {
			continue
		}
		energy := units.Energy(0)
		for _, p := range row.Parts {
			part := row.Saving*(energy+p.Energy)/row.Energy - row.Saving*energy/row.Energy
			energy += p.Energy
			for i, task := range r.Tasks {
				if set&(1<<i) != 0 && inside(eflask.Task{Node: p.Node}, task) {
					part = 0
				}
			}
			sum += part
		}
	}
	return sum, true
}
