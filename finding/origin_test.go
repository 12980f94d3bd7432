package finding_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/internal/shorten"
	"github.com/diffprof/diffprof/name"
)

// TestOrigins checks that a site is the app's own method, whatever library is between it and the
// task. If the framework called the library, the site is the library's method.
func TestOrigins(t *testing.T) {
	set := clear(t, strings.Join([]string{
		"android.os.Handler.handle()V;p.Feed.load()V;android.util.Log.own()I 50",
		"android.os.Handler.handle()V;p.Feed.load()V;kotlin.text.Regex.find()V;android.util.Log.library()I 40",
		"android.os.Handler.handle()V;p.Feed.load()V;android.view.View.inflate()V;androidx.a.Text.<init>()V;android.util.Log.deep()I 30",
		"android.os.Handler.handle()V;androidx.a.Text.draw()V;android.util.Log.none()I 20",
		"java.lang.Thread.run()V;p.Pool.run()V;java.lang.Thread.run()V;androidx.a.Text.run()V;android.util.Log.pool()I 10",
	}, "\n")+"\n", other)
	want := map[string]finding.Site{
		"own":     {Method: method("p.Feed.load()V"), Energy: 50 * million, Saving: 50 * million},
		"library": {Method: method("p.Feed.load()V"), Energy: 40 * million, Saving: 40 * million, Called: method("kotlin.text.Regex.find()V"), Intermediary: finding.Intermediary{Library: "Kotlin", Class: "Regex"}},
		"deep":    {Method: method("p.Feed.load()V"), Energy: 30 * million, Saving: 30 * million, Called: method("android.view.View.inflate()V"), Intermediary: finding.Intermediary{Library: "androidx", Class: "Text"}},
		"none":    {Method: method("androidx.a.Text.draw()V"), Energy: 20 * million, Saving: 20 * million},
		// The call that started the thread's work is not a call of the app.
		"pool": {Method: method("androidx.a.Text.run()V"), Energy: 10 * million, Saving: 10 * million},
	}
	origins := finding.NewOrigins(&set.Result.Subject)
	for i, f := range set.Tasks() {
		w, ok := want[f.Method.Name]
		if !ok {
			continue
		}
		if len(f.Sites) != 1 || f.Sites[0] != w {
			t.Errorf("%s is called by %+v, want %+v", f.Method.Name, f.Sites, w)
		}
		if own := w.Method.Scope == "p"; origins.Own(&set.Result.Tasks[i]) != own {
			t.Errorf("%s is of the app's own code: %v", f.Method.Name, !own)
		}
		delete(want, f.Method.Name)
	}
	if len(want) > 0 {
		t.Errorf("no tasks %v", want)
	}
	// The possible saving of calls by a library belongs to the own method.
	for _, c := range set.Methods() {
		switch n := len(c.Tasks); c.Method.Label() {
		case "p.Feed.load()V":
			if n != 4 {
				t.Errorf("Feed.load has %d tasks", n)
			}
		case "kotlin.text.Regex.find()V":
			if n != 0 {
				t.Errorf("Regex.find has %d tasks", n)
			}
		}
	}
}

func method(label string) name.Method { return name.Parse(label, name.JVM) }

// TestOriginsAreOnTheWayUp compares the origins in generated runs with a plain search upwards.
func TestOriginsAreOnTheWayUp(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	frames := []string{"p.A.a()V", "p.B.run()V", "androidx.C.c()V", "kotlin.D.d()V", "android.view.E.e()V", "java.lang.Thread.run()V", "android.os.Looper.loop()V"}
	for range shorten.Count(40) {
		var text strings.Builder
		for range 30 {
			for range 1 + rng.IntN(9) {
				text.WriteString(frames[rng.IntN(len(frames))] + ";")
			}
			text.WriteString("android.util.Log.i()I 1\n")
		}
		in := &compare(t, text.String(), other).Result.Subject
		origins, source := finding.NewOrigins(in), in.Tree.Source
		for i := int32(1); int(i) < len(source.Nodes); i++ {
			var own, called name.Method
			for at := i; at > 0 && (at == i || in.Tree.Image[at] != 0); at = in.Tree.Caller(at) {
				m := source.Methods[source.Nodes[at].Method]
				if m.Scope == "p" {
					own = m
					break
				}
				called = m
			}
			if own.Name == "" {
				called = name.Method{}
			}
			if got := origins.Origin(i); got.Own != own || got.Called != called {
				t.Fatalf("%q: origin %+v, want %v by %v", source.Path(i), got, own, called)
			}
		}
	}
}
