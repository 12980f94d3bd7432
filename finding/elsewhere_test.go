package finding_test

import (
	"testing"

	"github.com/diffprof/diffprof/finding"
)

// TestWorkOfAnotherCallbackInsideOfATask checks work of an app method inside a task. It is no
// saving if the other run calls the method in another callback. New work in the task is a saving.
func TestWorkOfAnotherCallbackInsideOfATask(t *testing.T) {
	const click, menu = "android.os.Looper.loop()V;com.app.Main.onClick()V;", "android.os.Looper.loop()V;com.app.Main.onMenu()V;android.app.Activity.openMenu()V;"
	const list = "com.app.Files.list()V;java.io.File.list()V 50000011\n"
	rest := click + "android.view.View.draw()V 70000003\n" + menu + "com.app.Menu.onShow()V 1000003\n"
	for _, c := range []struct {
		name      string
		reference string
		counts    bool
	}{
		{"moved", rest + click + list, false},
		{"new", rest, true},
	} {
		set := compare(t, rest+menu+"com.app.Menu.onShow()V;"+list, c.reference)
		if rows := set.Headline().Rows; (rows > 0) != c.counts {
			t.Errorf("%s: %d rows count: %+v", c.name, rows, set.Headline().Portions)
		}
		for i := range set.Result.Tasks {
			task := &set.Result.Tasks[i]
			s := set.Standing(finding.Ranked{Index: i})
			if label := set.Result.Subject.Tree.Labels.Text(set.Result.Subject.Tree.Nodes[task.Node].Label); label == "android.app.Activity.openMenu()V" && s.IsFinding != c.counts {
				t.Errorf("%s: %s counts %v: saving %d of %d", c.name, label, s.IsFinding, task.Saving, task.Energy)
			}
		}
	}
}
