package finding_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/name"
)

// TestOriginsOfHandovers compares the origins in generated runs with a plain search upwards. In
// both runs, a caller that hands over work comes later in the tree than that work.
func TestOriginsOfHandovers(t *testing.T) {
	// The hand-overs of a file are in a file with the additional suffix .flows.
	flows, err := filepath.Glob("../testdata/cases/textnow-whatsapp/*.flows")
	if err != nil || len(flows) != 2 {
		t.Fatalf("%d files of hand-overs: %v", len(flows), err)
	}
	late := 0
	for _, file := range flows {
		file = strings.TrimSuffix(file, ".flows")
		in, err := analysis.Read(t.Context(), analysis.Options{Subject: analysis.Side{Path: file}})
		if err != nil {
			t.Fatal(err)
		}
		origins, source := finding.NewOrigins(in), in.Tree.Source
		for i := int32(1); int(i) < len(source.Nodes); i++ {
			if in.Tree.Caller(i) > i {
				late++
			}
			var own, called name.Method
			for at := i; ; {
				m := source.Nodes[at].Method
				if m >= 0 && in.Own.Is(m) {
					own = source.Methods[m]
					break
				}
				from := in.Tree.Caller(at)
				if from < 0 || in.Tree.Image[from] == cct.Root {
					called = name.Method{}
					break
				}
				called, at = source.Methods[m], from
			}
			if got := origins.Origin(i); got.Own != own || got.Called != called {
				t.Errorf("%s, %q: origin %+v, want %v by %v", file, source.Path(i), got, own, called)
			}
		}
	}
	if late == 0 {
		t.Error("no work is handed over to a later caller")
	}
}
