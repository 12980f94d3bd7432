package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"

	"go.lsp.dev/jsonrpc2"

	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/render"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/server/internal/lsp"
	"github.com/diffprof/diffprof/server/internal/workspace"
)

// reportResult is what a page of package html holds.
type reportResult struct {
	Report *report.Report `json:"report"`
	// Headline are the sentences of the judgement, in the settings' unit.
	Headline []string `json:"headline"`
	// Spoken has these sentences and those of rows for readers who choose another unit; nil where
	// there is no choice.
	Spoken *report.Spoken `json:"spoken"`
	// Volts is the battery's voltage, by which energy is shown as charge.
	Volts float64 `json:"volts"`
	// Unit is what to show energy in: the settings' unit, or one that suits.
	Unit string `json:"unit"`
	// Top lists what methods drained over all of their contexts.
	Top *report.MethodList `json:"top"`
}

// wholeReport returns the comparison that is shown as a whole, for views that do not
// ask page by page.
func wholeReport(_ context.Context, snap *workspace.Snapshot, _ *struct{}) (*reportResult, error) {
	r := report.New(snap.Set, snap.Version, 0)
	scale := words.In(snap.Set.Result.Unit(snap.Preferences.Unit), r.Voltage, r.Subject.Energy)
	o := report.Options{Unit: snap.Preferences.Unit, Voltage: r.Voltage}
	spoken := r.Spoken(o)
	// The page leaves out the rows that the settings ignore, and so does the headline.
	listed := report.New(snap.Listed(), snap.Version, 0)
	spoken.Headline = listed.Spoken(o).Headline
	return &reportResult{r, listed.Headline(o).Sentences(), spoken, scale.Volts(), scale.Unit(), report.NewMethodList(&snap.Set.Result.Subject, &snap.Set.Result.Reference)}, nil
}

// reportArguments say where to write a report.
type reportArguments struct {
	// Path is below a workspace folder: absolute, or from the first one.
	Path string `json:"path"`
	// Format is "html", "json" or "text". Without one the end of the file's name
	// decides: .html, .txt, and JSON for all others.
	Format string `json:"format"`
	// Overwrite says whether a file that is there already may be replaced.
	Overwrite bool `json:"overwrite"`
}

// writeReport writes the comparison to a file of the workspace.
func writeReport(_ context.Context, snap *workspace.Snapshot, a *reportArguments) (any, error) {
	path := snap.Roots.Absolute(a.Path)
	if a.Path == "" || !snap.Roots.Inside(path) {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "%.200q does not lie in the workspace: reports go nowhere else", a.Path)
	}
	renderer, err := rendererFor(a.Format, path)
	if err != nil {
		return nil, err
	}
	data, err := rendered(snap, renderer)
	if err != nil {
		return nil, err
	}
	if err := writeFile(path, data, a.Overwrite); err != nil {
		return nil, fmt.Errorf("writing the report: %w", err)
	}
	return map[string]string{"uri": string(lsp.URIOf(path))}, nil
}

// reportWidth is the width of text reports in files, in columns.
const reportWidth = 120

// rendererFor finds the renderer for a format, or for what a file's name asks for.
func rendererFor(format, path string) (render.Renderer, error) {
	if format == "" {
		if r, ok := render.ForFile(report.Comparison, path); ok {
			return r, nil
		}
		format = "json"
	}
	r, ok := render.Find(report.Comparison, format)
	if !ok {
		return r, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "there is no format %.40q: use one of %s", format, strings.Join(render.Names(report.Comparison), ", "))
	}
	return r, nil
}

// rendered renders what diffprof compare --format would write.
func rendered(snap *workspace.Snapshot, r render.Renderer) ([]byte, error) {
	set, fewer := snap.Set.Without(func(id, method string, above iter.Seq[string]) bool {
		return snap.Preferences.Ignored(id, method, above) != nil
	})
	var foreign finding.Fewer
	if snap.Preferences.OwnOnly {
		set, foreign = set.OwnOnly()
	}
	set.Severity = snap.Preferences.Severity
	made := report.New(set, snap.Version, snap.Preferences.TopOr(r.Top))
	made.NoteIgnored(fewer, "the settings")
	made.NoteForeign(foreign.Tasks, foreign.Code)
	made.GroupBy(set, snap.Preferences.Group, snap.Preferences.TopOr(r.Top))
	var b bytes.Buffer
	o := report.Options{Unit: snap.Preferences.Unit, Voltage: set.Result.Voltage, Width: reportWidth, Nest: snap.Preferences.Nest}
	if err := r.Render(&b, report.NewComparison(set, made), o); err != nil {
		return nil, fmt.Errorf("rendering the report: %w", err)
	}
	return b.Bytes(), nil
}

// writeFile writes a file whole or not at all.
func writeFile(path string, data []byte, overwrite bool) error {
	if info, err := os.Lstat(path); err == nil && (!overwrite || !info.Mode().IsRegular()) {
		return fmt.Errorf("%s: %w", path, fs.ErrExist)
	}
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*.part")
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	err = errors.Join(err, file.Chmod(0o644), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		// The first error says what matters.
		_ = os.Remove(file.Name())
	}
	return err
}
