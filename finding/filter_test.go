package finding_test

import (
	"slices"
	"testing"

	"github.com/diffprof/diffprof/code/platform"
	"github.com/diffprof/diffprof/finding"
)

const filtered = `[main];android.view.View.draw()V;p.A.onDraw()V;android.util.Log.i()I 400
[main];android.view.View.draw()V;p.A.onDraw()V;kotlin.K.k()V;java.io.File.exists()Z 30
[worker-1];android.os.Handler.handle()V;q.B.run()V 50
[worker-1];android.os.Handler.handle()V;q.B.run()V;android.util.Log.i()I 20
`

// TestFilter checks that all listed rows match the filter.
func TestFilter(t *testing.T) {
	r := compare(t, filtered, "[main];android.view.View.draw()V;p.A.onDraw()V;android.util.Log.i()I 100\n").Result
	packages := func(names ...string) *platform.Packages {
		p, err := platform.NewPackages(names)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	for what, test := range map[string]struct {
		finding.Filter
		tasks, code []string
	}{
		"all":                  {finding.Filter{}, []string{"Log.i", "File.exists", "Log.i"}, []string{"*.run"}},
		"a package that calls": {finding.Filter{Packages: packages("q.*")}, []string{"Log.i"}, []string{"*.run"}},
		"of own code above":    {finding.Filter{Packages: packages("p")}, []string{"Log.i", "File.exists"}, nil},
		"of a library":         {finding.Filter{Packages: packages("@kotlin")}, []string{"File.exists"}, nil},
		"of the method":        {finding.Filter{Packages: packages("java.io", "android.none")}, []string{"File.exists"}, nil},
		"a thread":             {finding.Filter{Threads: []string{"work"}}, []string{"Log.i"}, []string{"*.run"}},
		"threads":              {finding.Filter{Threads: []string{"main", "worker-1"}}, []string{"Log.i", "File.exists", "Log.i"}, []string{"*.run"}},
		"tasks":                {finding.Filter{Kinds: []finding.Kind{finding.TaskKind}}, []string{"Log.i", "File.exists", "Log.i"}, nil},
		"app code":             {finding.Filter{Kinds: []finding.Kind{finding.CodeKind}}, nil, []string{"*.run"}},
		"dearer":               {finding.Filter{Kinds: []finding.Kind{finding.DearerKind}}, []string{"Log.i"}, nil},
		"tasks only here":      {finding.Filter{Kinds: []finding.Kind{finding.SubjectOnlyKind, finding.TaskKind}}, []string{"File.exists", "Log.i"}, nil},
		"of all at once":       {finding.Filter{Packages: packages("p"), Threads: []string{"worker"}}, nil, nil},
	} {
		only, fewer := finding.New(r).Filtered(&test.Filter)
		left, fewerTasks, fewerCode := only.Result, fewer.Tasks, fewer.Code
		var tasks, code []string
		for i := range left.Tasks {
			tasks = append(tasks, left.Subject.Tree.Labels.Method(left.Subject.Tree.Nodes[left.Tasks[i].Node].Label).Short())
		}
		for i := range left.AppCode.Rows {
			code = append(code, left.AppCode.Rows[i].Method.Short())
		}
		if !slices.Equal(tasks, test.tasks) || !slices.Equal(code, test.code) {
			t.Errorf("%s: tasks %q, code %q; want %q and %q", what, tasks, code, test.tasks, test.code)
		}
		if len(left.Tasks)+fewerTasks != len(r.Tasks) || len(left.AppCode.Rows)+fewerCode != len(r.AppCode.Rows) || left.Summary != r.Summary {
			t.Errorf("%s: %d tasks and %d rows are left out", what, fewerTasks, fewerCode)
		}
	}
}

// TestKindsPart checks that every row has exactly two kinds: task or app code, and one result.
func TestKindsPart(t *testing.T) {
	r := compare(t, filtered, "[main];android.view.View.draw()V;p.A.onDraw()V;android.util.Log.i()I 100\n").Result
	for _, kinds := range [][]finding.Kind{
		{finding.TaskKind, finding.CodeKind},
		{finding.SubjectOnlyKind, finding.PossibleKind, finding.DearerKind, finding.CheaperKind, finding.SameKind},
	} {
		tasks, code := 0, 0
		for _, k := range kinds {
			only, _ := finding.New(r).Filtered(&finding.Filter{Kinds: []finding.Kind{k}})
			left := only.Result
			tasks += len(left.Tasks)
			code += len(left.AppCode.Rows)
		}
		if tasks != len(r.Tasks) || code != len(r.AppCode.Rows) {
			t.Errorf("%v: %d tasks of %d, %d rows of %d", kinds, tasks, len(r.Tasks), code, len(r.AppCode.Rows))
		}
	}
}
