package analysis

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/eflask"
	"github.com/diffprof/diffprof/preprocess"
	"github.com/diffprof/diffprof/units"
)

// checkFlask checks a flask against the laws of Flask, using only the trees and the matching.
func checkFlask(t *testing.T, r *Result, f *Flask, pruned bool) {
	t.Helper()
	sides := []struct {
		name           string
		tree           *preprocess.Tree
		node           func(Row) int32
		parent         func(Row) int32
		left           func(Row) units.Energy
		rows           map[int32]int // by node
		children, mine []units.Energy
	}{
		{name: "subject", tree: r.Subject.Tree, node: func(r Row) int32 { return r.Subject }, parent: func(r Row) int32 {
			return r.Parent
		}, left: func(r Row) units.Energy { return r.PrunedSubject }},
		{name: "reference", tree: r.Reference.Tree, node: func(r Row) int32 { return r.Reference }, parent: func(r Row) int32 {
			return r.ReferenceParent
		}, left: func(r Row) units.Energy { return r.PrunedReference }},
	}
	gamma := map[[2]int32]uint8{}
	for _, p := range r.align(f.Task).pairs {
		gamma[[2]int32{p.Subject, p.Reference}] = p.Gamma
	}
	last := []int{} // path to the previous row, to check the preorder
	for i, row := range f.Rows {
		if row.Subject < 0 && row.Reference < 0 {
			t.Fatalf("row %d stands for nothing", i)
		}
		if int(row.Parent) >= i || int(row.ReferenceParent) >= i || (row.Parent < 0) != (i == 0) {
			t.Fatalf("row %d has the parents %d and %d", i, row.Parent, row.ReferenceParent)
		}
		for len(last) > 0 && last[len(last)-1] != int(row.Parent) {
			last = last[:len(last)-1]
		}
		if len(last) == 0 && i > 0 {
			t.Fatalf("row %d: not in preorder", i)
		}
		last = append(last, i)
		if row.Pruned < 0 {
			t.Fatalf("row %d: %d left out", i, row.Pruned)
		}
		if g, ok := gamma[[2]int32{row.Subject, row.Reference}]; row.Subject >= 0 && row.Reference >= 0 && (!ok || g != row.Gamma) {
			t.Fatalf("row %d: %d and %d with γ %d are no pair", i, row.Subject, row.Reference, row.Gamma)
		}
		if (row.Part == Neck) != (i < int(f.F)) || (row.Part == FMethod) != (i == int(f.F)) {
			t.Fatalf("row %d: part %d, and the F-method is row %d", i, row.Part, f.F)
		}
	}
	for _, s := range sides {
		s.rows = map[int32]int{}
		below := make([]units.Energy, len(f.Rows))
		for i, row := range f.Rows {
			v := s.node(row)
			if v < 0 {
				if s.left(row) != 0 {
					t.Fatalf("row %d leaves out energy of the %s, which it lacks", i, s.name)
				}
				continue
			}
			if j, ok := s.rows[v]; ok {
				t.Fatalf("%s node %d has rows %d and %d", s.name, v, j, i)
			}
			s.rows[v] = i
			n := s.tree.Nodes[v]
			if n.Parent < 0 {
				continue
			}
			at := s.parent(row)
			if at < 0 || s.node(f.Rows[at]) != n.Parent {
				t.Fatalf("row %d: its parent in the %s is row %d, which is not node %d", i, s.name, at, n.Parent)
			}
			below[at] += s.tree.Energy.All(v)
		}
		for i, row := range f.Rows {
			if v := s.node(row); v >= 0 {
				self, all := s.tree.Energy.Self(v), s.tree.Energy.All(v)
				if self+below[i]+s.left(row) != all {
					t.Fatalf("row %d, %s: %d + %d + %d is not %d", i, s.name, self, below[i], s.left(row), all)
				}
			}
		}
		if pruned {
			continue
		}
		// All nodes of the body must have rows.
		v := s.node(f.Rows[f.F])
		for w := v; v >= 0 && w < s.tree.Nodes[v].End; w++ {
			if _, ok := s.rows[w]; !ok {
				t.Fatalf("%s node %d has no row", s.name, w)
			}
		}
	}
	if pruned {
		return
	}
	// The two nodes of each pair in both bodies must be in one row.
	both := 0
	for _, row := range f.Rows[f.F:] {
		if row.Subject >= 0 && row.Reference >= 0 {
			both++
		}
	}
	top := f.Rows[f.F]
	for _, p := range r.align(f.Task).pairs {
		if top.Reference >= 0 && within(r.Subject.Tree, top.Subject, p.Subject) && within(r.Reference.Tree, top.Reference, p.Reference) {
			both--
		}
	}
	if both != 0 {
		t.Fatalf("%d matched rows too many", both)
	}
}

func within(t *preprocess.Tree, top, v int32) bool { return v >= top && v < t.Nodes[top].End }

// slowPruned counts the omitted nodes of a pruned flask without shortcuts: all nodes of the two
// runs that are in no row, where a pair counts once. Callees of an unmatched task have no partners
// there.
func slowPruned(r *Result, f *Flask) int {
	nodes := len(r.Subject.Tree.Nodes) + len(r.Reference.Tree.Nodes)
	shownS, shownR := map[int32]bool{}, map[int32]bool{}
	for _, row := range f.Rows {
		if row.Subject >= 0 {
			shownS[row.Subject] = true
			nodes--
		}
		if row.Reference >= 0 {
			shownR[row.Reference] = true
			nodes--
		}
	}
	top := f.Rows[f.F]
	for _, p := range r.align(f.Task).pairs {
		if top.Reference < 0 && within(r.Subject.Tree, top.Subject, p.Subject) {
			continue
		}
		if !shownS[p.Subject] && !shownR[p.Reference] {
			nodes--
		}
	}
	return nodes
}

func checkPruning(t *testing.T, r *Result, task int, p Prune) {
	t.Helper()
	f := r.Flask(task, p)
	checkFlask(t, r, f, true)
	if p.MaxRows > 0 && len(f.Rows) > max(p.MaxRows, int(f.F)+1) {
		t.Fatalf("task %d: %d rows, %d wanted at most", task, len(f.Rows), p.MaxRows)
	}
	whole := r.Flask(task, Prune{MinShare: p.MinShare})
	if p.MaxRows >= int(f.F)+1 && len(f.Rows) != min(p.MaxRows, len(whole.Rows)) {
		t.Fatalf("task %d: %d rows of %d with room for %d", task, len(f.Rows), len(whole.Rows), p.MaxRows)
	}
	left := 0
	for _, row := range f.Rows {
		left += int(row.Pruned)
	}
	if want := slowPruned(r, f); left != want {
		t.Fatalf("task %d pruned to %+v: %d left out, want %d", task, p, left, want)
	}
}

// checkFlasks checks the flasks of at most `most` tasks of a comparison.
func checkFlasks(t *testing.T, r *Result, most int) {
	t.Helper()
	step := max(1, len(r.Tasks)/most)
	tasks := []int{WholeRun}
	for i := 0; i < len(r.Tasks); i += step {
		tasks = append(tasks, i)
	}
	for _, task := range tasks {
		checkFlask(t, r, r.Flask(task, Prune{}), false)
		for _, p := range []Prune{{}, {MinShare: 0.01}, {MinShare: 0.2}, {MaxRows: 1}, {MaxRows: 7}, {MinShare: 0.05, MaxRows: 12}} {
			checkPruning(t, r, task, p)
		}
		if !slices.Equal(r.Flask(task, Prune{MaxRows: 9}).Rows, r.Flask(task, Prune{MaxRows: 9}).Rows) {
			t.Fatalf("task %d: two flasks of it differ", task)
		}
	}
}

func compareFiles(t *testing.T, o Options) *Result {
	t.Helper()
	r, err := Compare(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// randomFolded writes a random tree as folded stacks.
func randomFolded(r *rand.Rand, stacks int) string {
	names := []string{"android.a.A.m()V", "android.a.B.m()V", "android.b.C.n()V", "java.lang.D.o()V", "com.app.E.p()V", "com.app.F.q()V", "com.app.G.r()V"}
	var b strings.Builder
	var stack []string
	for range stacks {
		stack = stack[:r.IntN(len(stack)+1)]
		for len(stack) < 1+r.IntN(9) {
			stack = append(stack, names[r.IntN(len(names))])
		}
		fmt.Fprintf(&b, "%s %d\n", strings.Join(stack, ";"), r.IntN(50))
	}
	return b.String()
}

func TestFlaskOfRandomPairs(t *testing.T) {
	rounds := 300
	if testing.Short() {
		rounds = 40
	}
	dir := t.TempDir()
	for seed := range rounds {
		rnd := rand.New(rand.NewPCG(uint64(seed), 1))
		o := Options{Subject: Side{Path: filepath.Join(dir, "s")}, Reference: Side{Path: filepath.Join(dir, "r")}, Alpha: rnd.IntN(4), Matching: eflask.Options{Threads: 1}}
		text := randomFolded(rnd, 1+rnd.IntN(25))
		other := randomFolded(rnd, 1+rnd.IntN(25))
		if rnd.IntN(2) == 0 {
			// Generate pairs with much in common, and long chains between them.
			lines := strings.Split(text, "\n")
			for i := range lines {
				switch rnd.IntN(4) {
				case 0:
					lines[i] = strings.Replace(lines[i], ";", ";android.z.Z.z()V;android.z.Y.y()V;", 1)
				case 1:
					lines[i] = strings.Replace(lines[i], "android.a.A.m()V;", "", 1)
				}
			}
			other = strings.TrimSpace(strings.Join(lines, "\n")) + "\njava.lang.D.o()V 1\n"
		}
		for path, s := range map[string]string{o.Subject.Path: text, o.Reference.Path: other} {
			if err := os.WriteFile(path, []byte(s), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		checkFlasks(t, compareFiles(t, o), 50)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// recordings yields the pairs that are part of the project, and those recorded on phones if they
// exist.
func recordings(t *testing.T) iter.Seq2[string, Options] {
	t.Helper()
	return func(yield func(string, Options) bool) {
		folders, _ := filepath.Glob("../testdata/cases/*")
		for _, dir := range folders {
			s, _ := filepath.Glob(filepath.Join(dir, "subject.trace*"))
			r, _ := filepath.Glob(filepath.Join(dir, "reference.trace*"))
			if len(s) > 0 && len(r) > 0 && !yield(filepath.Base(dir), Options{Subject: Side{Path: s[0]}, Reference: Side{Path: r[0]}, Alpha: AutoAlpha}) {
				return
			}
		}
		const art = "../../shared/data/art/"
		if _, err := os.Stat(art); err != nil {
			t.Log("skipping recordings of phones: they are not here")
			return
		}
		for _, o := range []Options{
			{Subject: Side{Path: art + "firefox-art-regular.trace.gz"}, Reference: Side{Path: art + "firefox-art-streaming.trace.gz"}, Alpha: AutoAlpha},
			{Subject: Side{Path: art + "androidperformance-App.trace"}, Reference: Side{Path: art + "launcher-app.trace"}, Alpha: 2},
		} {
			if !yield(filepath.Base(o.Subject.Path), o) {
				return
			}
		}
	}
}

func TestFlaskOfRecordings(t *testing.T) {
	for name, o := range recordings(t) {
		t.Run(name, func(t *testing.T) { checkFlasks(t, compareFiles(t, o), 25) })
	}
}

func TestFlaskOfEqualRunsIsFullyMatched(t *testing.T) {
	for name, o := range recordings(t) {
		o.Reference.Path = o.Subject.Path
		o.Subject.Flows, o.Reference.Flows = "", ""
		r := compareFiles(t, o)
		for task := WholeRun; task < min(len(r.Tasks), 30); task++ {
			f := r.Flask(task, Prune{})
			for i, row := range f.Rows {
				if row.Subject != row.Reference || row.Gamma != 0 || row.Parent != row.ReferenceParent || row.PrunedSubject != row.PrunedReference {
					t.Fatalf("%s, task %d, row %d: %+v", name, task, i, row)
				}
			}
		}
	}
}

// mirror swaps the sides of a result. It does not match again, because that may break ties
// differently.
func mirror(r *Result) *Result {
	m := &Result{Subject: r.Reference, Reference: r.Subject, Matching: &eflask.Matching{Alpha: r.Matching.Alpha, Size: r.Matching.Size}}
	for _, p := range withRoots(r.Matching.Pairs) {
		p.Subject, p.Reference = p.Reference, p.Subject
		m.Matching.Pairs = append(m.Matching.Pairs, p)
	}
	slices.SortFunc(m.Matching.Pairs, func(a, b eflask.Pair) int { return int(a.Subject - b.Subject) })
	counterparts := eflask.Counterparts(m.Subject.Tree, m.Reference.Tree, m.Matching, false)
	if r.AppCode.OneApp {
		counterparts = eflask.Moves(m.Subject.Tree, m.Reference.Tree, counterparts, m.own())
	}
	m.Tasks = eflask.Tasks(m.Subject.Tree, m.Reference.Tree, counterparts)
	m.pairs = believed(m.Subject.Tree, m.Reference.Tree, m.Matching, m.Tasks)
	return m
}

func TestFlaskOfMirroredInputsMirrors(t *testing.T) {
	for name, o := range recordings(t) {
		r := compareFiles(t, o)
		m := mirror(r)
		same := func(a, b *Flask) {
			t.Helper()
			set := func(f *Flask, swap bool) map[[3]int32]bool {
				out := map[[3]int32]bool{}
				for _, row := range f.Rows {
					key := [3]int32{row.Subject, row.Reference, int32(row.Gamma)}
					if swap {
						key[0], key[1] = key[1], key[0]
					}
					out[key] = true
				}
				return out
			}
			x, y := set(a, false), set(b, true)
			if len(x) != len(y) {
				t.Fatalf("%s: %d rows, mirrored %d", name, len(x), len(y))
			}
			for k := range x {
				if !y[k] {
					t.Fatalf("%s: row %v is not in the mirrored flask", name, k)
				}
			}
		}
		same(r.Flask(WholeRun, Prune{}), m.Flask(WholeRun, Prune{}))
		same(r.Flask(WholeRun, Prune{MinShare: 0.01}), m.Flask(WholeRun, Prune{MinShare: 0.01}))
		for i, task := range r.Tasks {
			if task.Peer < 0 {
				continue
			}
			j := slices.IndexFunc(m.Tasks, func(t eflask.Task) bool { return t.Node == task.Peer })
			if m.Tasks[j].Peer != task.Node {
				t.Fatalf("%s: the counterpart of node %d is %d, of which it is %d when mirrored", name, task.Node, task.Peer, m.Tasks[j].Peer)
			}
			if !r.align(i).paired() {
				continue // bodies are matched again separately, which may break ties differently
			}
			same(r.Flask(i, Prune{}), m.Flask(j, Prune{}))
			same(r.Flask(i, Prune{MinShare: 0.05}), m.Flask(j, Prune{MinShare: 0.05}))
		}
	}
}

// TestFlaskOfTaskThatTheMatchingDoesNotPair checks that the subtrees of two counterparts are
// matched for their flask if the matching of the runs does not pair them.
func TestFlaskOfTaskThatTheMatchingDoesNotPair(t *testing.T) {
	const work = "android.view.View.draw()V;android.view.View.onDraw()V;android.graphics.Canvas.drawLine()V"
	folder := t.TempDir()
	file := func(name, callback string) string {
		text := ""
		for i, task := range []string{work, "android.database.Cursor.move()V;android.database.Window.fill()V", "android.util.Xml.parse()V;android.util.Tokens.next()V"} {
			text += fmt.Sprintf("android.os.Looper.loop()V;com.app.Main.%s()V;%s %d\n", callback, task, 1000*(i+1))
		}
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	r := compareFiles(t, Options{Subject: Side{Path: file("a.folded", "onClick")}, Reference: Side{Path: file("b.folded", "onTouch")}})
	checked := 0
	for i := range r.Tasks {
		matched := slices.ContainsFunc(r.pairs, func(p eflask.Pair) bool { return p.Subject == r.Tasks[i].Node && p.Reference == r.Tasks[i].Peer })
		if r.Tasks[i].Peer < 0 || matched {
			continue
		}
		checked++
		both := 0
		for _, row := range r.align(i).rows {
			if row.Part == Body && row.Subject >= 0 && row.Reference >= 0 {
				both++
			}
		}
		if want := int(r.Subject.Tree.Nodes[r.Tasks[i].Node].End - r.Tasks[i].Node - 1); both != want {
			t.Errorf("task %d: %d of %d rows below the F-method are of both runs", i, both, want)
		}
	}
	if checked == 0 {
		t.Error("the matching pairs all counterparts")
	}
}

// TestFlaskOfExtremes uses the deepest and the widest possible trees, with tasks throughout.
func TestFlaskOfExtremes(t *testing.T) {
	const n = 5_000
	var deep, wide strings.Builder
	deep.WriteString("android.os.Looper.loop;com.app.A.onClick")
	for i := range n {
		fmt.Fprintf(&deep, ";java.io.F.m%d", i)
		fmt.Fprintf(&wide, "android.os.Looper.loop;com.app.A.onClick;java.io.F.m;java.io.G.m%d %d\n", i, i)
	}
	deep.WriteString(" 7\n")
	dir := t.TempDir()
	for name, text := range map[string]string{"deep": deep.String(), "wide": wide.String()} {
		o := Options{Subject: Side{Path: filepath.Join(dir, name)}, Reference: Side{Path: filepath.Join(dir, name+"2")}}
		for path, text := range map[string]string{o.Subject.Path: text, o.Reference.Path: text + "java.io.H.x 1\n"} {
			if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		r := compareFiles(t, o)
		for task := WholeRun; task < len(r.Tasks); task++ {
			checkFlask(t, r, r.Flask(task, Prune{}), false)
			checkPruning(t, r, task, Prune{MinShare: 0.01, MaxRows: 100})
			if task >= 0 {
				checkReason(t, r, task)
			}
		}
		if len(r.Tasks) != 1 {
			t.Fatalf("%s: %d tasks", name, len(r.Tasks))
		}
	}
}
