package profile_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	pprof "github.com/google/pprof/profile"
	"golang.org/x/tools/txtar"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/ingest"
	"github.com/diffprof/diffprof/internal/shorten"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/render"
	"github.com/diffprof/diffprof/units"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// formats are the formats of profiles. Each states whether diffprof can read a run's energies back
// from it.
var formats = []struct {
	name     string
	readable bool
}{{"folded", true}, {"speedscope", true}, {"firefox", true}, {"chrome", true}, {"pprof", true}, {"perfetto", false}}

// write writes a document in a format.
func write(t testing.TB, d *report.Document, format string) []byte {
	t.Helper()
	r, ok := render.Find(d.View, format)
	if !ok {
		t.Fatalf("no format %s", format)
	}
	var b bytes.Buffer
	if err := r.Render(&b, d, report.Options{}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// recorded reads a run.
func recorded(t testing.TB, path string) *report.Document {
	t.Helper()
	unit, err := units.ParseValueUnit("nJ")
	if err != nil {
		t.Fatal(err)
	}
	in, err := analysis.Read(context.Background(), analysis.Options{Subject: analysis.Side{Path: path}, Ingest: ingest.Options{Unit: unit}})
	if err != nil {
		t.Fatal(err)
	}
	return &report.Document{View: report.FullRecording, Input: in, Version: "test"}
}

// compared compares two runs.
func compared(t testing.TB, subject, reference string) *report.Document {
	t.Helper()
	unit, err := units.ParseValueUnit("nJ")
	if err != nil {
		t.Fatal(err)
	}
	r, err := analysis.Compare(context.Background(), analysis.Options{Subject: analysis.Side{Path: subject}, Reference: analysis.Side{Path: reference}, Ingest: ingest.Options{Unit: unit}})
	if err != nil {
		t.Fatal(err)
	}
	return report.NewComparison(finding.New(r), report.New(finding.New(r), "test", 0))
}

// put writes a file that is deleted after the test.
func put(t testing.TB, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestGolden writes the pair of testdata in every format. Binary formats are shown as text.
func TestGolden(t *testing.T) {
	const file = "testdata/pair.txtar"
	ar, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	subject, reference := put(t, "subject.folded", ar.Files[0].Data), put(t, "reference.folded", ar.Files[1].Data)
	got := &txtar.Archive{Comment: ar.Comment, Files: ar.Files[:2:2]}
	for _, d := range []*report.Document{recorded(t, subject), compared(t, subject, reference)} {
		what := "run"
		if d.View == report.Comparison {
			what = "comparison"
		}
		for _, f := range formats {
			if !slices.Contains(render.Names(d.View), f.name) {
				continue
			}
			data := write(t, d, f.name)
			if !bytes.Equal(data, write(t, d, f.name)) {
				t.Errorf("%s: written twice, it differs", f.name)
			}
			switch f.name {
			case "pprof":
				p, err := pprof.ParseData(data)
				if err != nil {
					t.Fatal(err)
				}
				data = []byte(p.String())
			case "perfetto":
				data = []byte(packets(t, data))
			}
			got.Files = append(got.Files, txtar.File{Name: what + " as " + f.name, Data: data})
		}
	}
	if *update {
		if err := os.WriteFile(file, txtar.Format(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	for i, f := range got.Files {
		if i >= len(ar.Files) || ar.Files[i].Name != f.Name {
			t.Fatalf("%s lacks %s", file, f.Name)
		}
		if want := string(ar.Files[i].Data); strings.TrimSpace(want) != strings.TrimSpace(string(f.Data)) {
			t.Errorf("%s:\n%s\nwant:\n%s", f.Name, f.Data, want)
		}
	}
}

// energies lists the exclusive energies of a run's contexts, with their depths.
func energies(in *analysis.Input) []string {
	var list []string
	depth := make([]int, len(in.Tree.Source.Nodes))
	for i, n := range in.Tree.Source.Nodes {
		if n.Parent >= 0 {
			depth[i] = depth[n.Parent] + 1
		}
		if e := in.Tree.Source.Energy.Self(int32(i)); e != 0 && i > 0 {
			list = append(list, fmt.Sprintf("%d at %d", e, depth[i]))
		}
	}
	slices.Sort(list)
	return list
}

// TestReadBack writes runs and reads them again. The totals must be equal to the nanojoule. Unless
// the run has hand-overs, the energy of each context must also be equal. Energy outside of all
// calls gets a frame.
func TestReadBack(t *testing.T) {
	var files []string
	for _, pattern := range []string{
		"../../testdata/cases/dfndr-turbo/*.trace", "../../../shared/data/art/firefox*", "../../../shared/data/art/jag*",
		"../../../shared/data/jfr/cortex*0*", "../../../shared/data/pprof/pyroscope-dotnet*3*", "../../../shared/data/chrome/*116*",
	} {
		more, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, more...)
	}
	if len(files) == 0 {
		t.Fatal("no runs")
	}
	for _, file := range shorten.Some(files) {
		d := recorded(t, file)
		root := d.Input.Tree.Source.Energy.Self(0)
		for _, f := range formats {
			if !f.readable {
				continue
			}
			again := recorded(t, put(t, "again", write(t, d, f.name))).Input
			if again.Energy != d.Input.Energy {
				t.Errorf("%s as %s: %d nJ, want %d", file, f.name, again.Energy, d.Input.Energy)
			}
			want := energies(d.Input)
			if root != 0 {
				want = append(want, fmt.Sprintf("%d at 1", root))
				slices.Sort(want)
			}
			if got := energies(again); len(d.Input.Tree.Source.Handovers) == 0 && !slices.Equal(got, want) {
				t.Errorf("%s as %s: %d contexts with energy, want %d", file, f.name, len(got), len(want))
			}
		}
	}
}

// TestPprofTool opens a run and a comparison in Go's own pprof.
func TestPprofTool(t *testing.T) {
	if testing.Short() {
		t.Skip("go tool pprof takes seconds to start")
	}
	tool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("go is not on PATH")
	}
	ar, err := txtar.ParseFile("testdata/pair.txtar")
	if err != nil {
		t.Fatal(err)
	}
	subject, reference := put(t, "subject.folded", ar.Files[0].Data), put(t, "reference.folded", ar.Files[1].Data)
	for _, tt := range []struct {
		document *report.Document
		args     []string
		want     string
	}{
		{recorded(t, subject), []string{"-top"}, "of 11357199254741220nanojoules total"},
		{compared(t, subject, reference), []string{"-top", "-sample_index=reference"}, "of 920000000000054nanojoules total"},
		{compared(t, subject, reference), []string{"-top"}, "Type: difference"},
		{compared(t, subject, reference), []string{"-raw"}, "task:[JsonReader.nextString]"},
		{compared(t, subject, reference), []string{"-top", "-tagfocus=task=JsonReader.nextString", "-sample_index=subject"}, "1200000000000118nanojoules"},
	} {
		args := append(append([]string{"tool", "pprof"}, tt.args...), put(t, "p.pprof", write(t, tt.document, "pprof")))
		out, err := exec.Command(tool, args...).CombinedOutput()
		if err != nil || !strings.Contains(string(out), tt.want) {
			t.Errorf("go %s: %v; want %q in\n%s", strings.Join(args[:len(args)-1], " "), err, tt.want, out)
		}
	}
}
