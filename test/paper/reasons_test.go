package paper_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/eflask"
	"github.com/diffprof/diffprof/preprocess"
)

// allNames returns the short names of a node and of the nodes below it.
func allNames(in *analysis.Input, node int32) map[string]int64 {
	names := make(map[string]int64)
	tree := in.Tree
	for i := node; i < tree.Nodes[node].End; i++ {
		names[taskName(in, i)] += tree.Calls.Self(i) + tree.Recursive.Self(i)
	}
	return names
}

// TestReasons checks the subtrees and paths from which the paper concludes the reasons.
func TestReasons(t *testing.T) {
	t.Run("Figure 8(a): other calls above, collapsed to run", func(t *testing.T) {
		r := compare(t, options(t, "wish-letgo"))
		for _, name := range []string{"Bitmap.compress", "BitmapFactory.decodeStream"} {
			k := task(t, r, name)
			if up, down := path(&r.Subject, k.Node), path(&r.Reference, k.Peer); up[len(up)-1] != "*.run" || down[len(down)-1] != "*.run" {
				t.Errorf("%s: called by %v and %v, want *.run", name, up, down)
			}
			theirs := r.Reference.Tree.Callers(k.Peer)
			a, b := r.Subject.Tree.Source.Path(eflask.Callers(r.Subject.Tree, k.Node)[0].Source), r.Reference.Tree.Source.Path(theirs[0].Source)
			if len(a) <= len(b) {
				t.Errorf("%s: recorded paths of %d and %d calls, want Wish's longer", name, len(a), len(b))
			}
		}
	})
	t.Run("Figure 8(b): a traversal below setText", func(t *testing.T) {
		r := compare(t, options(t, "pandora57-pandora83"))
		k := task(t, r, "TextView.setText")
		ours, theirs := allNames(&r.Subject, k.Node), allNames(&r.Reference, k.Peer)
		if ours["ViewRootImpl.scheduleTraversals"] == 0 || theirs["ViewRootImpl.scheduleTraversals"] != 0 {
			t.Error("want ViewRootImpl.scheduleTraversals below Pandora 5.7's setText only")
		}
	})
	t.Run("Spotify moves its bar with each frame", func(t *testing.T) {
		r := compare(t, options(t, "spotify-pandora83"))
		k := task(t, r, "ProgressBar.setProgress")
		if up := path(&r.Subject, k.Node); up[len(up)-1] != "*.doFrame" {
			t.Errorf("Spotify's path is %v, want *.doFrame at its end", up)
		}
		source := r.Reference.Tree.Source
		caller := source.Label(r.Reference.Tree.Callers(k.Peer)[0].Source)
		if short(caller) != "TrackProgress.onTrackElapsedTime" {
			t.Errorf("Pandora calls it from %s, want onTrackElapsedTime", short(caller))
		}
	})
	t.Run("TextNow measures 226 views, WhatsApp 76", func(t *testing.T) {
		r := compare(t, options(t, "textnow-whatsapp"))
		k := task(t, r, "ViewRootImpl.performTraversals")
		ours, theirs := allNames(&r.Subject, k.Node), allNames(&r.Reference, k.Peer)
		const each = "ViewGroup.measureChildWithMargins"
		if ours[each] != 226*k.Calls || theirs[each] != 76*k.PeerCalls {
			t.Errorf("%d and %d views in %d and %d traversals, want 226 and 76 in each", ours[each], theirs[each], k.Calls, k.PeerCalls)
		}
	})
	t.Run("Solid's animation goes on", func(t *testing.T) {
		r := compare(t, options(t, "solid-fx"))
		k := task(t, r, "Drawable.invalidateSelf")
		if more := k.Calls - k.PeerCalls; more != 1002 {
			t.Errorf("%d more calls, want 1002", more)
		}
		if up := path(&r.Subject, k.Node); !slices.Contains(up, "ObjectAnimator.animateValue") {
			t.Errorf("the path is %v, want ObjectAnimator.animateValue in it", up)
		}
	})
}

// TestPaths checks that tasks match in spite of the differences in Section 3.4.1.
func TestPaths(t *testing.T) {
	r := compare(t, options(t, "dfndr-turbo"))
	t.Run("onClick and onItemClick", func(t *testing.T) {
		k := task(t, r, "Activity.startActivity")
		if k.Found != eflask.Path || k.Distance != 3 {
			t.Errorf("found %v at distance %d, want path at 3", k.Found, k.Distance)
		}
		up, down := path(&r.Subject, k.Node), path(&r.Reference, k.Peer)
		if up[len(up)-1] != "*.onItemClick" || down[len(down)-1] != "*.onClick" {
			t.Errorf("paths are %v and %v", up, down)
		}
	})
	t.Run("a thread pool and a thread", func(t *testing.T) {
		k := task(t, r, "ApplicationPackageManager.getInstalledPackages")
		if k.Found != eflask.Exact {
			t.Errorf("found %v, want exact", k.Found)
		}
		pool := r.Subject.Tree.Source.Path(eflask.Callers(r.Subject.Tree, k.Node)[0].Source)
		thread := r.Reference.Tree.Source.Path(r.Reference.Tree.Callers(k.Peer)[0].Source)
		if short(pool[2]) != "ThreadPoolExecutor$Worker.run" || short(thread[2]) != "Walker.run" {
			t.Errorf("recorded paths begin %v and %v", pool[:3], thread[:3])
		}
	})
	t.Run("setImageDrawable and setImageResource", func(t *testing.T) {
		k := task(t, r, "ImageView.setImageDrawable")
		if k.Found != eflask.Renamed || taskName(&r.Reference, k.Peer) != "ImageView.setImageResource" {
			t.Errorf("found %v", k.Found)
		}
	})
}

// TestFlows checks that without its hand-overs, TextNow's traversals belong to the framework and
// are no task (Section 3.5).
func TestFlows(t *testing.T) {
	o := options(t, "textnow-whatsapp")
	o.Merge = &preprocess.Steps{Entry: true, App: true, Hierarchy: true}
	r := compare(t, o)
	for _, k := range r.Tasks {
		if taskName(&r.Subject, k.Node) == "ViewRootImpl.performTraversals" {
			t.Error("performTraversals is a task without the async step")
		}
	}
	if uAh(r.Summary.OutsideEnergy) < 230.46 {
		t.Errorf("%.1f µAh are outside of tasks, want the traversals among them", uAh(r.Summary.OutsideEnergy))
	}
}

// TestMapping checks that without a mapping, DFNDR's trace has obfuscated names.
func TestMapping(t *testing.T) {
	o := options(t, "dfndr-turbo")
	o.Subject.Mapping = ""
	r := compare(t, o)
	k := task(t, r, "Runtime.exec")
	tree := r.Subject.Tree.Source
	m := tree.Methods[tree.Nodes[eflask.Callers(r.Subject.Tree, k.Node)[0].Source].Method]
	if !strings.HasPrefix(m.Class(), "a.a.") || m.File != "SourceFile" {
		t.Errorf("called by %s in %s, want short names", m.Label(), m.File)
	}
}
