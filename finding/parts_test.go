package finding_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/appcode"
	"github.com/diffprof/diffprof/eflask"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/internal/shorten"
	"github.com/diffprof/diffprof/preprocess"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// TestPortionsAddUp checks the law of the headline on generated pairs, on the case studies and on
// random pairs of real recordings, if they exist: the portions add up to the energies of both runs,
// and the possible saving is at most the subject's energy.
func TestPortionsAddUp(t *testing.T) {
	for seed := range uint64(shorten.Count(60)) {
		random := rand.New(rand.NewPCG(seed, 7))
		subject, reference := stacks(random), stacks(random)
		set := compare(t, subject, reference)
		addUp(t, fmt.Sprintf("seed %d", seed), set)
		mirrored := compare(t, reference, subject).Headline()
		h := set.Headline()
		if mirrored.Difference != -h.Difference || mirrored.Subject != h.Reference {
			t.Errorf("seed %d: the mirrored difference of %d is %d", seed, h.Difference, mirrored.Difference)
		}
		if same := compare(t, subject, subject).Headline(); same.Rows != 0 || same.Savable != (finding.Interval{}) || same.Verdict != finding.SameContent {
			t.Errorf("seed %d with itself: %+v", seed, same)
		}
	}
	check := func(subject, reference string) {
		r, err := analysis.Compare(t.Context(), analysis.Options{Subject: analysis.Side{Path: subject}, Reference: analysis.Side{Path: reference}})
		if err == nil { // some real recordings are damaged on purpose
			addUp(t, subject+" against "+reference, finding.New(r))
		}
	}
	cases, _ := filepath.Glob("../testdata/cases/*/subject.trace*")
	if len(cases) == 0 {
		t.Error("there are no shipped cases")
	}
	for _, subject := range shorten.Some(cases) {
		found, _ := filepath.Glob(filepath.Join(filepath.Dir(subject), "reference.trace*"))
		if filepath.Ext(subject) == ".flows" || len(found) == 0 {
			continue
		}
		check(subject, found[0])
		check(found[0], subject)
	}
	var files []string
	for _, folder := range []string{"art", "pprof", "jfr", "folded", "simpleperf", "chrome", "perfetto", "time"} {
		found, _ := filepath.Glob("../../shared/data/" + folder + "/*.*")
		files = append(files, found...)
	}
	if len(files) == 0 {
		return
	}
	random := rand.New(rand.NewPCG(1, 1))
	for range shorten.Count(120) {
		check(files[random.IntN(len(files))], files[random.IntN(len(files))])
	}
}

// stacks makes folded stacks of two apps that share code and tasks.
func stacks(random *rand.Rand) string {
	var b strings.Builder
	callbacks := []string{"com.app.Main.onClick()V", "com.app.Job.run()V", "com.other.View.onDraw()V"}
	calls := []string{"android.util.Log.d()I", "android.view.View.draw()V", "java.io.File.exists()Z", "android.database.Cursor.getString()V"}
	own := []string{"com.app.Sort.bubble()V", "com.app.Texts.trim()V", "com.other.Box.pack()V"}
	for range 1 + random.IntN(30) {
		path := []string{"android.os.Looper.loop()V"}
		for range 1 + random.IntN(3) {
			path = append(path, callbacks[random.IntN(len(callbacks))])
			if random.IntN(2) == 0 {
				path = append(path, own[random.IntN(len(own))])
			}
			if random.IntN(3) > 0 {
				path = append(path, calls[random.IntN(len(calls))])
			}
		}
		fmt.Fprintf(&b, "%s %d\n", strings.Join(path, ";"), 1+random.IntN(1_000_000))
	}
	return b.String()
}

// addUp checks the sums of a headline, also with hidden rows.
func addUp(t *testing.T, what string, set *finding.Set) {
	t.Helper()
	h, r := set.Headline(), set.Result
	var subject, reference units.Energy
	for _, p := range h.Portions {
		subject, reference = subject+p.Subject, reference+p.Reference
	}
	if subject != r.Subject.Energy || reference != r.Reference.Energy {
		t.Errorf("%s: the portions have %d and %d of %d and %d: %+v", what, subject, reference, r.Subject.Energy, r.Reference.Energy, h.Portions)
	}
	if h.Savable.Least < 0 || h.Savable.Least > h.Savable.Most || h.Savable.Most > r.Subject.Energy || h.Rows == 0 && h.Savable.Most != 0 {
		t.Errorf("%s: %+v could be saved of %d, by %d rows", what, h.Savable, r.Subject.Energy, h.Rows)
	}
	counting := 0
	for _, at := range set.Ranking() {
		s := set.Standing(at)
		if s.IsFinding {
			counting++
		}
		if s.IsFinding != (set.SeverityOf(at) != "") || s.IsFinding && s.Doubt != finding.NoDoubt {
			t.Errorf("%s: row %+v counts, with %+v", what, at, s)
		}
	}
	if counting != h.Rows || h.Rows > 0 && !set.Standing(h.First).IsFinding {
		t.Errorf("%s: %d rows count, the headline has %d", what, counting, h.Rows)
	}
	if h.Difference != subject-reference {
		t.Errorf("%s: the parts differ by %d, the runs by %d", what, subject-reference, h.Difference)
	}
	ownFigures(t, what, set)
	all, code := make(map[int]bool), make(map[int]bool)
	for i := range r.Tasks {
		all[i] = true
	}
	for i := range r.AppCode.Rows {
		code[i] = true
	}
	if hidden := set.Hide(all, code).Headline(); hidden.Savable != (finding.Interval{}) || hidden.Difference != h.Difference || !slices.Equal(hidden.Portions, h.Portions) {
		t.Errorf("%s: without any row %+v could be saved", what, hidden.Savable)
	}
}

// ownFigures compares each row with a plain walk over the recorded contexts: a row has the energy
// of its own contexts, and its saving and its interval are at most that energy.
func ownFigures(t *testing.T, what string, set *finding.Set) {
	t.Helper()
	r := set.Result
	tree := r.Subject.Tree
	// below has, for each node of the tree, the energy of the contexts that became a part of it and
	// of their callees. own has the energy of each own method, by name.
	below, own := make([]units.Energy, len(tree.Nodes)), make(map[string]units.Energy)
	for x := range int32(len(tree.Source.Nodes)) {
		energy, into := tree.Source.Energy.Self(x), tree.Image[x]
		for v := into; v >= 0; v = tree.Nodes[v].Parent {
			below[v] += energy
			if v == 0 {
				break
			}
		}
		if tree.Nodes[into].Kind != preprocess.App {
			continue
		}
		// Code without a known owner belongs to the app method that calls it, or else to the
		// outermost method that became a part of the same node.
		actor := tree.Source.Nodes[x].Method
		for at := x; at > 0; at = tree.Source.Nodes[at].Parent {
			m := tree.Source.Nodes[at].Method
			if tree.Image[at] == into {
				actor = m
			}
			if m >= 0 && tree.MethodKind(m) == preprocess.App {
				actor = m
				break
			}
		}
		if actor >= 0 {
			own[ownLabel(tree, actor)] += energy
		}
	}
	for _, at := range set.Ranking() {
		standing, energy, saving := set.Standing(at), units.Energy(0), units.Energy(0)
		if at.Code {
			row := &r.AppCode.Rows[at.Index]
			energy, saving = row.Energy, row.Saving
			if row.Kind == appcode.Method && len(row.Parts) > 0 {
				label := ownLabel(tree, row.Parts[0].Method)
				if most := own[label]; energy > most {
					t.Errorf("%s: %s has %d, its contexts %d", what, label, energy, most)
				}
			}
		} else {
			task := &r.Tasks[at.Index]
			energy, saving = task.Energy, task.Saving
			if energy != below[task.Node] {
				t.Errorf("%s: %v has %d, its contexts %d", what, tree.Path(task.Node), energy, below[task.Node])
			}
		}
		if saving > energy || standing.Saving.Least > standing.Saving.Most || standing.Saving.Most > max(energy, 0) && standing.Tested {
			t.Errorf("%s: row %+v of %d saves %d, %+v", what, at, energy, saving, standing.Saving)
		}
	}
}

// ownLabel returns the label of the row of an own method. Functions without names are one row per
// module, because their addresses differ between runs.
func ownLabel(tree *preprocess.Tree, id trace.MethodID) string {
	method := tree.Source.Methods[id]
	if method.IsAddress() && method.Module != "" {
		method = method.Unnamed()
	} else {
		method = tree.Compared(id)
	}
	return method.Label()
}

// TestPortionsAgainstNodes compares the portions with a plain assignment of each node and of each
// part of a row, which searches the tree for the deciding task.
func TestPortionsAgainstNodes(t *testing.T) {
	for seed := range uint64(40) {
		random := rand.New(rand.NewPCG(seed, 11))
		set := compare(t, stacks(random), stacks(random))
		r := set.Result
		if len(r.Shifts) > 0 {
			continue
		}
		want := make(map[finding.PartCode]units.Energy)
		for v := range int32(len(r.Subject.Tree.Nodes)) {
			if r.Subject.Tree.Nodes[v].Kind != preprocess.App {
				want[plainPart(set, v)] += r.Subject.Tree.Energy.Self(v)
			}
		}
		for i := range r.AppCode.Rows {
			row, s := &r.AppCode.Rows[i], set.Standing(finding.Ranked{Code: true, Index: i})
			for _, p := range row.Parts {
				code := plainPart(set, p.Node)
				switch {
				case s.Unclear():
				case row.Peer == nil:
					code = finding.SubjectOnlyOwn
				case row.Saving > 0:
					code = finding.CostlierOwn
				case row.Saving < 0:
					code = finding.CheaperOwn
				}
				want[code] += p.Energy
			}
		}
		got := make(map[finding.PartCode]units.Energy)
		for _, p := range set.Headline().Portions {
			got[p.Code] += p.Subject
		}
		for _, code := range []finding.PartCode{finding.CostlierTasks, finding.CheaperTasks, finding.SubjectOnlyTasks, finding.CostlierOwn, finding.CheaperOwn, finding.SubjectOnlyOwn, finding.PossibleTasks, finding.MovedTasks, finding.NoMethod} {
			if got[code] != want[code] {
				t.Errorf("seed %d: %s has %d, want %d", seed, code, got[code], want[code])
			}
		}
	}
}

// plainPart returns the part of the subject's node v, without tables.
func plainPart(set *finding.Set, v int32) finding.PartCode {
	r := set.Result
	nodes := r.Subject.Tree.Nodes
	for w := v; w > 0; w = nodes[w].Parent {
		if !eflask.IsTask(r.Subject.Tree, w) {
			continue
		}
		i := slices.IndexFunc(r.Tasks, func(t eflask.Task) bool { return t.Node == w })
		s, task := set.Standing(finding.Ranked{Index: i}), &r.Tasks[i]
		switch {
		case task.Perhaps != nil:
			if w == v || innermost(set, v) == w {
				return finding.PossibleTasks
			}
			return finding.Unclear
		case task.Moved() && (s.Unclear() || task.Saving == 0):
			return finding.Unclear
		case task.Moved() && !s.IsFinding:
			return finding.MovedTasks
		case s.Unclear() || task.Saving == 0:
			continue
		case task.Found == eflask.Unmatched:
			return finding.SubjectOnlyTasks
		case task.Saving > 0:
			return finding.CostlierTasks
		}
		return finding.CheaperTasks
	}
	if v == 0 {
		return finding.NoMethod
	}
	return finding.Unclear
}

// innermost returns the task that a node is in.
func innermost(set *finding.Set, v int32) int32 { return eflask.Innermost(set.Result.Subject.Tree)[v] }
