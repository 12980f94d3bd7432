package finding_test

import (
	"strings"
	"testing"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/eflask"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/units"
)

// TestSavable holds it to trial of all sets of tasks of which none lies inside
// another.
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
	}, "\n") + "\n"
	reference := strings.Join([]string{
		stack(root, "android.widget.ListView.layout()V", "com.app.Rows.getView()V 90"),
		stack(root, "android.os.Handler.post()V 2"),
	}, "\n") + "\n"
	r := compare(t, subject, reference).Result
	if len(r.Tasks) != 7 {
		t.Fatalf("%d tasks", len(r.Tasks))
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
		if got := finding.Savable(r, hidden); got != want {
			t.Errorf("without %v: %v can be saved, want %v", hidden, got, want)
		}
	}
}

// apart sums the savings of the tasks in a set; it fails if one lies inside another.
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
	return sum, true
}
