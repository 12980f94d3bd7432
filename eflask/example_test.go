package eflask_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/eflask"
	"github.com/diffprof/diffprof/ingest/folded"
	"github.com/diffprof/diffprof/preprocess"
	"github.com/diffprof/diffprof/trace"
)

// stacks is a recording written as folded stacks, in nanojoules.
type stacks string

func (s stacks) Scan(ctx context.Context, sink trace.Sink) (*trace.Trace, error) {
	return folded.Decode(ctx, strings.NewReader(string(s)), sink, folded.Options{})
}

// The old version draws from onDraw. The new version draws from a helper that a click also calls.
// Both draw the same shape.
func Example() {
	tree := func(s stacks) *cct.Tree {
		t, _, err := cct.Build(context.Background(), s, cct.Limits{})
		if err != nil {
			panic(err)
		}
		return t
	}
	subject, reference := preprocess.Pair(
		tree("android.view.View.draw;app.Chart.onDraw;app.Chart.paint;android.graphics.Canvas.drawPath 900@3\n"+
			"android.view.View.performClick;app.Chart.onClick;android.widget.Toast.show 50@1\n"),
		tree("android.view.View.draw;app.Chart.onDraw;android.graphics.Canvas.drawPath 200@1\n"),
		preprocess.Options{Steps: preprocess.Steps{App: true}})
	m, err := eflask.Match(context.Background(), subject, reference, 0, eflask.Options{})
	if err != nil {
		panic(err)
	}
	for _, t := range eflask.Tasks(subject, reference, eflask.Counterparts(subject, reference, m, false)) {
		fmt.Println(subject.Path(t.Node)[1:], t.Found, "saves", t.Saving, "nJ")
	}
	// Output:
	// [android.view.View.draw *.onDraw android.graphics.Canvas.drawPath] exact saves 700 nJ
	// [android.view.View.performClick *.onClick android.widget.Toast.show] unmatched saves 50 nJ
}
