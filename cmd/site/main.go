//go:build js

// Command site is the engine of the web page that compares in the browser. It runs the stages of
// diffprof and writes the same report. It runs once per report, in a web worker. The worker's
// global `host` has the request, the files, and functions that receive the progress, the report or
// an error.
package main

import (
	"bytes"
	"context"
	"runtime/debug"
	"syscall/js"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/render"
	"github.com/diffprof/diffprof/settings"
)

// version is set by web/site/build.sh with the linker's flag -X.
var version = "(devel)"

const (
	// maxMemory is the limit of the memory. A browser allows WebAssembly 4 GiB.
	maxMemory = 3 << 30
	// collectAt is the GOGC percentage. The collector should run rarely, because it stops the only
	// thread.
	collectAt = 400
)

func main() {
	debug.SetGCPercent(collectAt)
	debug.SetMemoryLimit(maxMemory)
	host := js.Global().Get("host")
	s := settings.Default()
	s.MaxMemory = maxMemory
	request := host.Get("request")
	s.Subject.Path = request.Get("subject").String()
	s.Reference.Path = request.Get("reference").String()
	s.PowerProfile = request.Get("powerProfile").String()
	s.Subject.Mapping = request.Get("mappingSubject").String()
	s.Reference.Mapping = request.Get("mappingReference").String()
	s.Progress = func(stage string, done, total int64) { host.Call("progress", stage, float64(done), float64(total)) }
	page, err := write(&s)
	if err != nil {
		host.Call("failed", err.Error())
		return
	}
	bytes := js.Global().Get("Uint8Array").New(len(page))
	js.CopyBytesToJS(bytes, page)
	host.Call("finished", bytes)
}

// write returns the page for a pair of recordings, or for one recording if there is no reference.
func write(s *settings.Settings) ([]byte, error) {
	d, renderer, err := document(s)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = renderer.Render(&out, d, report.Options{Unit: s.Unit, Voltage: s.Voltage, Nest: s.Nest})
	return out.Bytes(), err
}

func document(s *settings.Settings) (*report.Document, render.Renderer, error) {
	if s.Reference.Path == "" {
		renderer, _ := render.Find(report.Contexts, "html")
		in, err := analysis.Read(context.Background(), s.Options)
		if err != nil {
			return nil, renderer, err
		}
		made := report.NewTree(in, version, false, report.Prune{Most: renderer.Contexts})
		return &report.Document{View: report.Contexts, Input: in, Tree: made}, renderer, nil
	}
	renderer, _ := render.Find(report.Comparison, "html")
	s.Coverage = renderer.Coverage
	result, err := analysis.Compare(context.Background(), s.Options)
	if err != nil {
		return nil, renderer, err
	}
	set := finding.New(result)
	made := report.New(set, version, renderer.Top)
	made.GroupBy(set, s.Group, renderer.Top)
	return report.NewComparison(set, made), renderer, nil
}
