package report

import (
	"slices"
	"testing"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/code/platform"
	"github.com/diffprof/diffprof/energy/bundle"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
)

// TestPathsOfBundles checks the innermost app method of a call path. Without an app method, the
// innermost method is used.
func TestPathsOfBundles(t *testing.T) {
	var methods []name.Method
	for _, s := range []string{"android.os.Looper.loop()V", "com.app.Feed.load()V", "java.net.Socket.read()I", "com.app.Feed.parse()V"} {
		methods = append(methods, name.Parse(s, name.JVM))
	}
	paths := map[bundle.Context][]trace.MethodID{0: {0, 1, 2}, 1: {0, 1, 3, 2}, 2: {0, 2}, 3: {0}, 4: {}, 5: {1}}
	want := []int{1, 3, 2, 0, -1, 1}
	in := &analysis.Input{Bundles: &analysis.Bundles{Paths: paths}, Own: analysis.OwnCode{Methods: []platform.Basis{"", platform.BySources, "", platform.BySources}}}
	m := bundler{in, Methods{}, methods}
	for i, w := range want {
		label := ""
		if w >= 0 {
			label = methods[w].Label()
		}
		c := bundle.Context(i)
		path, method := m.path(c)
		if method != label {
			t.Errorf("path %v has the method %q, want %q", paths[c], method, label)
		}
		labels := []string{}
		for _, id := range paths[c] {
			labels = append(labels, methods[id].Label())
		}
		if !slices.Equal(path, labels) || path == nil {
			t.Errorf("path %v is %q, want %q", paths[c], path, labels)
		}
	}
}
