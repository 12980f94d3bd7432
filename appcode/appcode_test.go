package appcode_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/appcode"
	"github.com/diffprof/diffprof/preprocess"
	"github.com/diffprof/diffprof/units"
)

// compare compares two runs, each given as folded stacks.
func compare(t *testing.T, subject, reference string) *analysis.Result {
	t.Helper()
	o := analysis.Options{Subject: analysis.Side{Path: filepath.Join(t.TempDir(), "subject.folded")}, Reference: analysis.Side{Path: filepath.Join(t.TempDir(), "reference.folded")}}
	for path, text := range map[string]string{o.Subject.Path: subject, o.Reference.Path: reference} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	r, err := analysis.Compare(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

const click = "android.view.View.performClick()Z;com.mine.Main.onClick()V"

// rows lists the rows of a comparison, one per line.
func rows(c *appcode.Comparison) string {
	var b strings.Builder
	for _, row := range c.Rows {
		peer := "–"
		if row.Peer != nil {
			peer = fmt.Sprintf("%s %d", row.Peer.Method.Short(), row.Peer.Energy)
		}
		fmt.Fprintf(&b, "%s %d own %d, %s %s, saves %d\n", row.Method.Short(), row.Energy, row.Own, row.Match, peer, row.Saving)
	}
	return b.String()
}

func TestRows(t *testing.T) {
	for name, c := range map[string]struct {
		subject, reference string
		oneApp             bool
		want               string
	}{
		"one app: each method, whatever calls it": {
			subject:   click + " 10\n" + click + ";com.mine.Sort.bubble()V 5000\n" + "android.os.Handler.handle()V;com.mine.Job.run()V;com.mine.Sort.bubble()V 7\n",
			reference: click + " 10\n" + click + ";com.mine.Sort.bubble()V 10\n" + click + ";com.mine.Old.gone()V 3\n",
			oneApp:    true,
			want:      "Sort.bubble 5007 own 5007, exact Sort.bubble 10, saves 4997\nMain.onClick 10 own 10, exact Main.onClick 10, saves 0\n",
		},
		"inside of a task it counts for the row and not again for the sum": {
			subject:   click + ";android.view.ViewGroup.layout()V;com.mine.Row.onLayout()V 30\n",
			reference: click + ";android.view.ViewGroup.layout()V;com.mine.Row.onLayout()V 20\n",
			oneApp:    true,
			want:      "Row.onLayout 30 own 0, exact Row.onLayout 20, saves 10\n",
		},
		"other parameters, and another class": {
			subject:   click + ";com.mine.Sort.bubble(I)V 50\n" + click + ";com.mine.Texts.trim()V 9\n",
			reference: click + ";com.mine.Sort.bubble()V 5\n" + click + ";com.mine.Util.trim()V 8\n",
			oneApp:    true,
			want:      "Sort.bubble 50 own 50, signature Sort.bubble 5, saves 45\nTexts.trim 9 own 9, moved Util.trim 8, saves 1\n",
		},
		"another class, but not from the same callback": {
			subject:   click + " 1\n" + click + ";com.mine.Texts.trim()V 9\n",
			reference: click + " 1\n" + "android.os.Handler.handle()V;com.mine.Job.run()V;com.mine.Util.trim()V 8\n",
			oneApp:    true,
			want:      "Texts.trim 9 own 9, none –, saves 9\nMain.onClick 1 own 1, exact Main.onClick 1, saves 0\n",
		},
		"another class, but both runs have it": {
			subject:   click + " 1\n" + click + ";com.mine.Texts.trim()V 9\n" + click + ";com.mine.Util.join()V 2\n",
			reference: click + " 1\n" + click + ";com.mine.Util.trim()V 8\n" + click + ";com.mine.Texts.split()V 1\n",
			oneApp:    true,
			want:      "Texts.trim 9 own 9, none –, saves 9\nUtil.join 2 own 2, none –, saves 2\nMain.onClick 1 own 1, exact Main.onClick 1, saves 0\n",
		},
		"two apps: callbacks that have less than half of their tasks in common": {
			subject:   click + " 10\n" + click + ";android.util.Log.d()I 1\n" + click + ";java.io.File.exists()Z 5\n" + click + ";android.net.Uri.parse()V 5\n" + click + ";java.net.URL.open()V 5\n",
			reference: strings.ReplaceAll(click+" 7\n"+click+";android.util.Log.d()I 1\n", "com.mine.", "org.theirs.Their"),
			want:      "*.onClick 10 own 10, none –, saves 10\n",
		},
		"two apps: callbacks, paired by the tasks that they have in common": {
			subject:   click + " 10\n" + click + ";com.mine.Sort.bubble()V 90\n" + click + ";android.util.Log.d()I 1\n" + "android.os.Handler.handle()V;com.mine.Job.run()V 8\n",
			reference: strings.ReplaceAll(click+" 7\n"+click+";android.util.Log.d()I 1\n"+"android.os.Handler.handle()V;com.mine.Job.run()V 8\n", "com.mine.", "org.theirs.Their"),
			want:      "*.onClick 100 own 100, tasks *.onClick 7, saves 93\n*.run 8 own 8, none –, saves 8\n",
		},
		"two apps: the methods of a library that both have": {
			subject:   click + ";androidx.viewpager.widget.ViewPager.populate()V 40\n" + click + " 2\n",
			reference: "android.os.Handler.handle()V;org.theirs.Page.onClick()V;androidx.viewpager.widget.ViewPager.populate()V 4\n",
			want:      "ViewPager.populate 40 own 40, exact ViewPager.populate 4, saves 36\n*.onClick 2 own 2, none –, saves 2\n",
		},
		"two apps: names that obfuscators give are not the same": {
			subject:   click + ";a.b.c()V 40\n",
			reference: "android.os.Handler.handle()V;org.theirs.Page.run()V;a.b.c()V 4\n",
			want:      "*.onClick 40 own 40, none –, saves 40\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := compare(t, c.subject, c.reference)
			if r.AppCode.OneApp != c.oneApp || rows(r.AppCode) != c.want {
				t.Errorf("one app: %v, rows\n%swant\n%s", r.AppCode.OneApp, rows(r.AppCode), c.want)
			}
			conserves(t, r)
			conserves(t, compare(t, c.reference, c.subject))
		})
	}
}

// conserves compares the energy of the rows with the energy of the trees' app nodes.
func conserves(t *testing.T, r *analysis.Result) {
	t.Helper()
	drained := func(tree *preprocess.Tree) (sum units.Energy) {
		for v := range tree.Nodes {
			if tree.Nodes[v].Kind == preprocess.App {
				sum += tree.Energy.Self(int32(v))
			}
		}
		return sum
	}
	var own, energy units.Energy
	there, thereOwn := r.AppCode.Only.Energy, r.AppCode.Only.Own
	for _, row := range r.AppCode.Rows {
		own += row.Own
		energy += row.Energy
		if row.Peer != nil {
			there += row.Peer.Energy
			thereOwn += row.Peer.Own
		}
		var parts units.Energy
		for _, p := range row.Parts {
			parts += p.Energy
		}
		if parts != row.Energy {
			t.Errorf("the parts of %s are %d of %d", row.Method.Short(), parts, row.Energy)
		}
	}
	if own != r.Summary.Outside.AppCode || energy != drained(r.Subject.Tree) {
		t.Errorf("rows have %d, %d outside of tasks, of %d and %d", energy, own, drained(r.Subject.Tree), r.Summary.Outside.AppCode)
	}
	if thereOwn != r.ReferenceSummary.Outside.AppCode || there != drained(r.Reference.Tree) {
		t.Errorf("the reference's rows have %d, %d outside of tasks, of %d and %d", there, thereOwn, drained(r.Reference.Tree), r.ReferenceSummary.Outside.AppCode)
	}
}

// TestConservation checks the conservation of energy on all pairs of real recordings, if they
// exist.
func TestConservation(t *testing.T) {
	files, _ := filepath.Glob("../../shared/data/art/*")
	if len(files) == 0 {
		t.Skip("there are no real recordings")
	}
	for i, subject := range files {
		for k, reference := range files {
			if testing.Short() && (i+k)%16 != 0 {
				continue
			}
			r, err := analysis.Compare(t.Context(), analysis.Options{Subject: analysis.Side{Path: subject}, Reference: analysis.Side{Path: reference}})
			if err != nil {
				continue // damaged on purpose
			}
			conserves(t, r)
			if subject == reference && len(r.AppCode.Rows) > 0 && r.AppCode.Rows[0].Saving != 0 {
				t.Errorf("%s against itself saves %d", subject, r.AppCode.Rows[0].Saving)
			}
		}
	}
}
