package preprocess

import (
	"flag"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/cct"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "write the goldens anew")

// TestGolden runs the cases in testdata. The packages fw and those of Android and Java are
// framework. A case has these parts:
//
//   - folded stacks called subject and, for a pair, reference;
//   - the steps;
//   - class relations, one per line: "sub < super";
//   - hand-overs, one per line: "node <- origin";
//   - elapsed, if the subject's energies are based on elapsed time.
//
// The output has the trees (see render), the labels whose γ is 0, and the callers of each node with
// the app's node above it.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var keep []txtar.File
			in, want := make(map[string]string), make(map[string]string)
			for _, f := range archive.Files {
				if name, ok := strings.CutPrefix(f.Name, "want "); ok {
					want[name] = string(f.Data)
					continue
				}
				in[f.Name] = string(f.Data)
				keep = append(keep, f)
			}
			got := runCase(t, in)
			if *update {
				archive.Files = keep
				for _, f := range got {
					archive.Files = append(archive.Files, txtar.File{Name: "want " + f.Name, Data: f.Data})
				}
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			for _, f := range got {
				if want[f.Name] != string(f.Data) {
					t.Errorf("%s is\n%s\nwant\n%s", f.Name, f.Data, want[f.Name])
				}
				delete(want, f.Name)
			}
			for name := range want {
				t.Errorf("no %s", name)
			}
		})
	}
}

func runCase(t *testing.T, in map[string]string) []txtar.File {
	t.Helper()
	var o Options
	for name := range strings.FieldsSeq(in["steps"]) {
		if !o.Steps.Add(name) {
			t.Fatalf("there is no step %q", name)
		}
	}
	parents := make(map[string][]string)
	for line := range strings.Lines(in["classes"]) {
		sub, super, _ := strings.Cut(strings.TrimSpace(line), " < ")
		parents[sub] = append(parents[sub], super)
	}
	o.Platform = newTestPlatform(func(class string) iter.Seq[string] { return slices.Values(parents[class]) })

	subject := folded(t, in["subject"])
	subject.Elapsed = in["elapsed"] != ""
	for line := range strings.Lines(in["handovers"]) {
		node, origin, _ := strings.Cut(strings.TrimSpace(line), " <- ")
		subject.Handovers = append(subject.Handovers, cct.Handover{Node: find(t, subject, node), Origin: find(t, subject, origin)})
	}
	trees := map[string]*Tree{}
	if in["reference"] == "" {
		trees["subject"] = One(subject, o)
	} else {
		trees["subject"], trees["reference"] = Pair(subject, folded(t, in["reference"]), o)
	}
	var out []txtar.File
	for _, name := range []string{"subject", "reference"} {
		if trees[name] != nil {
			out = append(out, txtar.File{Name: name, Data: []byte(render(trees[name]))})
		}
	}
	var related strings.Builder
	l := trees["subject"].Labels
	for a := range LabelID(l.Len()) {
		for _, b := range l.Related(a) {
			if a < b {
				fmt.Fprintf(&related, "%s = %s\n", l.Text(a), l.Text(b))
			}
		}
	}
	if related.Len() > 0 {
		out = append(out, txtar.File{Name: "related", Data: []byte(related.String())})
	}
	var callers strings.Builder
	s := trees["subject"]
	for i, n := range s.Nodes {
		if n.Kind != Framework || s.Nodes[n.Parent].Kind != App {
			continue
		}
		fmt.Fprintf(&callers, "%s\n", s.Labels.Text(n.Label))
		for _, c := range s.Callers(int32(i)) {
			fmt.Fprintf(&callers, "  %s %d\n", s.Source.Label(c.Source), c.Calls)
		}
	}
	if callers.Len() > 0 {
		out = append(out, txtar.File{Name: "callers", Data: []byte(callers.String())})
	}
	return out
}

func find(t *testing.T, tree *cct.Tree, path string) int32 {
	t.Helper()
	for i := range tree.Nodes {
		if strings.Join(tree.Path(int32(i))[1:], ";") == path {
			return int32(i)
		}
	}
	t.Fatalf("no node %q", path)
	return 0
}
