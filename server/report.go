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

// reportResult is the data for a page of package html about a comparison.
type reportResult struct {
	Report *report.Report `json:"report"`
	// Headline has the sentences of the judgement, in the settings' unit.
	Headline []string `json:"headline"`
	// Spoken has the same sentences in other units. It is nil if there is only one unit.
	Spoken *report.Wording `json:"spoken"`
	// Volts is the battery's voltage, for showing energy as charge.
	Volts float64 `json:"volts"`
	// Unit is the settings' unit, or a suitable one.
	Unit string `json:"unit"`
	// Top lists each method's energy, summed over all its callers.
	Top *report.MethodList `json:"top"`
}

// wholeReport returns the whole shown comparison, for views that do not request pages.
func wholeReport(_ context.Context, snap *workspace.Snapshot, _ *struct{}) (*reportResult, error) {
	r := report.New(snap.Set, snap.Version, 0)
	scale := words.ScaleFor(snap.Set.Result.Unit(snap.Preferences.Unit), r.Voltage, r.Subject.Energy)
	o := report.Options{Unit: snap.Preferences.Unit, Voltage: r.Voltage}
	spoken := r.Wording(o)
	// The page and the headline omit the rows that the settings ignore.
	listed := report.New(snap.Listed(), snap.Version, 0)
	if spoken != nil {
		spoken.Headline = listed.Wording(o).Headline
	}
	return &reportResult{r, listed.Headline(o).Sentences(), spoken, scale.Volts(), scale.Unit(), report.NewMethodList(&snap.Set.Result.Subject, &snap.Set.Result.Reference)}, nil
}

// reportArguments describe the file of a report.
type reportArguments struct {
	// Path is below a workspace folder: absolute, or relative to the first one.
	Path string `json:"path"`
	// Format is "html", "json" or "text". Without it the extension of the file decides: .html,
	// .txt, and JSON for all others.
	Format string `json:"format"`
	// Overwrite allows replacing an existing file.
	Overwrite bool `json:"overwrite"`
}

// writeReport writes the comparison to a file of the workspace.
func writeReport(_ context.Context, snap *workspace.Snapshot, a *reportArguments) (any, error) {
	path := snap.Roots.Absolute(a.Path)
	if a.Path == "" || !snap.Roots.Inside(path) {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "%.200q is outside the workspace: choose a file in a workspace folder", a.Path)
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

// openReport opens the comparison in a browser. The page is removed when the connection ends.
func (s *session) openReport(ctx context.Context, _ *struct{}) (any, error) {
	if !s.client.Can().Window.ShowDocument.Support {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidRequest, "the editor cannot open a browser: write the report to a file with %s", commandReport)
	}
	snap, err := s.comparedSnapshot(ctx)
	if err != nil {
		return nil, err
	}
	renderer, _ := render.Find(report.Comparison, "html")
	data, err := rendered(snap, renderer)
	if err != nil {
		return nil, err
	}
	path, err := s.pages.Add(data)
	if err != nil {
		return nil, fmt.Errorf("writing the report: %w", err)
	}
	uri := lsp.URIOf(path)
	s.client.Request("window/showDocument", map[string]any{"uri": uri, "external": true})
	return map[string]string{"uri": string(uri)}, nil
}

// reportWidth is the width of text reports in files, in columns.
const reportWidth = 120

// rendererFor finds the renderer for a format, or for the extension of a file.
func rendererFor(format, path string) (render.Renderer, error) {
	if format == "" {
		if r, ok := render.ForFile(report.Comparison, path); ok {
			return r, nil
		}
		format = "json"
	}
	r, ok := render.Find(report.Comparison, format)
	if !ok {
		return r, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "unknown format %.40q: use one of %s", format, strings.Join(render.Names(report.Comparison), ", "))
	}
	return r, nil
}

// rendered renders the output of diffprof compare --format.
func rendered(snap *workspace.Snapshot, r render.Renderer) ([]byte, error) {
	set, fewer := snap.Set.Without(func(id, method string, above iter.Seq[string]) bool {
		return snap.Preferences.Ignored(id, method, above) != nil
	})
	var foreign finding.Removed
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

// writeFile writes a file atomically.
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
		// The caller gets the first error, not the error of Remove.
		_ = os.Remove(file.Name())
	}
	return err
}
