package preprocess_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/code/platform"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/preprocess"
	"github.com/diffprof/diffprof/trace"
)

// Two versions of an app open the same file, through methods with different names, on threads that
// were started differently.
func Example() {
	before := chain(
		"java.lang.Thread.run()V", "com.example.Load.run()V", "com.example.Load.read()V",
		"java.io.FileInputStream.open()V")
	after := chain(
		"java.lang.Thread.run()V", "java.util.concurrent.ThreadPoolExecutor$Worker.run()V",
		"java.util.concurrent.ThreadPoolExecutor.runWorker()V", "com.example.Loader.run()V",
		"java.io.FileInputStream.open()V")

	android, err := platform.New(platform.Rules{Framework: []string{"java.*"}}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	s, r := preprocess.Pair(after, before, preprocess.Options{
		Steps:    preprocess.Steps{Async: true, Entry: true, App: true, Hierarchy: true},
		Platform: android,
	})
	fmt.Println(strings.Join(s.Path(2), " → "))
	fmt.Println(strings.Join(r.Path(2), " → "))
	for _, c := range r.Callers(2) {
		fmt.Println("called by", before.Label(c.Source))
	}
	// Output:
	// (toplevel) → *.run()V → java.io.FileInputStream.open()V
	// (toplevel) → *.run()V → java.io.FileInputStream.open()V
	// called by com.example.Load.read()V
}

// chain returns a tree in which each method calls the next, once.
func chain(labels ...string) *cct.Tree {
	end := int32(len(labels) + 1)
	t := &cct.Tree{Nodes: []cct.Node{{Method: cct.NoMethod, Parent: -1, End: end}}}
	for i, label := range labels {
		t.Methods = append(t.Methods, name.Parse(label, name.JVM))
		t.Nodes = append(t.Nodes, cct.Node{Method: trace.MethodID(i), Parent: int32(i), End: end})
	}
	calls := slices.Repeat([]int64{1}, len(t.Nodes))
	calls[cct.Root] = 0
	t.Calls = cct.NewColumn(t.Ends(), calls)
	return t
}
