package profile_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/internal/shorten"
	"github.com/diffprof/diffprof/lines"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/profile"
	"github.com/diffprof/diffprof/units"
)

// TestPprofKeepsLines writes recordings with lines as pprof and reads them again. Each line must have
// the same energies and the same number of samples. go tool pprof shows the same energies.
func TestPprofKeepsLines(t *testing.T) {
	var files []string
	for _, pattern := range []string{"jfr/cortex*0*", "pprof/*"} {
		more, err := filepath.Glob("../../../shared/data/" + pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, more...)
	}
	if len(files) == 0 {
		t.Skip("../shared/data is not here")
	}
	compared, shown := 0, 0
	for _, file := range shorten.Some(files) {
		side := analysis.Side{Path: file}
		known, err := analysis.ReadFile(t.Context(), analysis.Options{Subject: side, LinesIfKnown: true})
		if err != nil || known.Energy == 0 || known.Known.Lines == 0 || known.Trace.Unstated {
			continue
		}
		split, err := analysis.ReadFile(t.Context(), analysis.Options{Subject: side, Lines: true})
		if err != nil {
			t.Fatal(err)
		}
		want := split.Lines()
		if share := want.LocatedSamples / want.Samples; share-known.Known.Share() > 1e-9 || known.Known.Share()-share > 1e-9 {
			t.Errorf("%s: %v of the samples have a line, and by the table %v", file, known.Known.Share(), share)
		}
		d := &report.Document{View: report.FullRecording, Input: known, Version: "test"}
		names := make(map[string]string)
		for _, f := range profile.New(d).Frames {
			names[f.Label] = f.Name
		}
		written := put(t, "again.pprof", write(t, d, "pprof"))
		again, err := analysis.ReadFile(t.Context(), analysis.Options{Subject: analysis.Side{Path: written}, Lines: true})
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		type figures struct {
			own, all      units.Energy
			samples, with float64
		}
		rows := func(table *lines.Table, name func(*lines.Row) string) map[string]figures {
			out := make(map[string]figures)
			for i := range table.Rows {
				r := &table.Rows[i]
				if r.AllSamples == 0 && r.All == 0 {
					continue
				}
				out[fmt.Sprintf("%s:%d", name(r), r.Line)] = figures{r.Own, r.All, r.Samples, r.AllSamples}
			}
			return out
		}
		wanted := rows(want, func(r *lines.Row) string { return names[r.Method.Label()] })
		got := rows(again.Lines(), func(r *lines.Row) string { return r.Method.Label() })
		lost := 0
		for key, w := range wanted {
			if g, ok := got[key]; !ok || g != w {
				if lost++; lost < 5 {
					t.Errorf("%s: %s has %+v, want %+v", file, key, g, w)
				}
			}
		}
		compared++
		shown += checkTool(t, written, want, names)
	}
	if !testing.Short() && (compared < 8 || shown < 1000) {
		t.Errorf("%d files and %d lines were compared", compared, shown)
	}
}

// toolRow is a row of go tool pprof -lines: own and inclusive values, and the name with the line.
var toolRow = regexp.MustCompile(`(?m)^\s*(\d+)(?:nanojoules)?\s+\S+%\s+\S+%\s+(\d+)(?:nanojoules)?\s+\S+%\s+(.*)$`)

// checkTool compares the lines of a profile with go tool pprof, and returns their number. It omits names with
// brackets, which the tool shortens.
func checkTool(t *testing.T, path string, want *lines.Table, names map[string]string) (compared int) {
	t.Helper()
	tool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("go is not on PATH")
	}
	out, err := exec.Command(tool, "tool", "pprof", "-top", "-lines", "-nodecount=0", "-nodefraction=0", "-edgefraction=0", "-unit=nanojoules", "-sample_index=energy", path).Output()
	if err != nil {
		t.Fatalf("go tool pprof: %v", err)
	}
	type sums struct{ own, all int64 }
	shown := make(map[string]sums)
	for _, m := range toolRow.FindAllStringSubmatch(string(out), -1) {
		own, _ := strconv.ParseInt(m[1], 10, 64)
		all, _ := strconv.ParseInt(m[2], 10, 64)
		shown[strings.TrimSuffix(m[3], " (inline)")] = sums{own, all}
	}
	wrong := 0
	for i := range want.Rows {
		r := &want.Rows[i]
		name := names[r.Method.Label()]
		if r.Line == 0 || strings.ContainsAny(name, "[(<") || r.All == 0 {
			continue
		}
		compared++
		key := fmt.Sprintf("%s %s:%d", name, r.Method.File, r.Line)
		if got := shown[key]; got != (sums{int64(r.Own), int64(r.All)}) {
			if wrong++; wrong < 5 {
				t.Errorf("%s: go tool pprof shows %+v for %q, want %d and %d", path, got, key, r.Own, r.All)
			}
		}
	}
	return compared
}
