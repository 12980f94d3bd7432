// Package html renders results as one HTML file, which works offline. For a comparison it shows a
// summary, the tasks, both runs as an icicle, and the flask of each task (its calls in both runs,
// side by side). For a single run it shows the tree and the methods.
//
// The views are the web app in web/. Its build, app.js and app.css, is embedded in this package.
// `make generate` builds it, and a test fails if the build is older than its sources. A page
// consists of the app and a block of JSON, compressed with gzip and encoded in base64:
//
//	{"report": report.Report, "spoken": report.Wording, "headline": […], "volts": 3.7, "unit": "mJ", "run": report.Flask, "top": report.MethodList, "flasks": {"<task id>": report.Flask}}
//
// The page of one run has
//
//	{"tree": report.Tree, "profile": report.Overview, "view": "energy", "volts": 3.7, "unit": "mJ", "top": report.MethodList}
//
// view is the view that opens first. It may be empty.
//
// The page of a group has
//
//	{"group": report.AppGroup, "about": {…}, "volts": 3.7, "unit": "mJ", "flasks": {"<duty>/<user>": report.Flask}, "names": …}
//
// where about has the sentences above its tables.
//
// The page of a trend, and of an answer about a fleet, has
//
//	{"article": Article}
//
// headline has the sentences of words.Headline. spoken has the sentences of the headline and of
// rows for other units. It is null if the reader cannot choose a unit.
//
// volts is the battery's voltage, which converts energy to charge. unit is the initial unit of
// energy.
//
// Laws that every page keeps:
//
//   - It loads nothing and sends nothing. Its content security policy allows only the embedded script and style sheet, by hash.
//   - Names come from traces and are never markup. The page contains them only in encoded data, and the app inserts them as text. The policy enforces this (trusted types).
//   - The report is complete. The page has as many call trees as fit into 3 MB, beginning with the first tasks. It counts omitted rows at the place where they are missing.
//
// All functions may be called concurrently.
package html

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"path/filepath"
	"strconv"

	"github.com/klauspost/compress/gzip"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/words"
)

//go:generate ../../web/build.sh

var (
	//go:embed app.js
	script string
	//go:embed app.css
	style string
)

// Limits of a page. dataBytes is the size of the compressed data after which no more call trees are
// added. runBytes is the size of the JSON of the whole run. runRows and flaskRows limit the rows of
// a call tree. A page stays below 3 MB, including the app. base64 makes 4 bytes of every 3.
const (
	dataBytes = 2 << 20
	runBytes  = 4 << 20
	runRows   = 20_000
	flaskRows = 500
)

// Write writes a comparison, the contexts of one run, or a group as an HTML page.
func Write(w io.Writer, d *report.Document, o report.Options) error {
	if d.View == report.CommitTrend || d.View == report.CommitBlame {
		return Trend(w, d.Trend, o)
	}
	var title string
	var write func(*gzip.Writer, *counter) error
	switch {
	case d.View == report.ByApp:
		title = words.Some(len(d.Apps.Apps), "app") + ", " + words.Some(len(d.Apps.Pairs), "comparison")
		write = func(w *gzip.Writer, packed *counter) error { return writeGroup(w, packed, d.Apps, o) }
	case d.View == report.Contexts || d.View == report.EnergyProfile:
		title = filepath.Base(d.Input.Path)
		write = func(w *gzip.Writer, _ *counter) error { return writeTree(w, d, o) }
	default:
		here, there := filepath.Base(d.Report.Subject.Path), filepath.Base(d.Report.Reference.Path)
		if here == there {
			here, there = words.Names(d.Report.Subject.Path, d.Report.Reference.Path)
		}
		title = here + " compared with " + there
		write = func(w *gzip.Writer, packed *counter) error { return writeComparison(w, packed, d.Report, d.Set, o) }
	}
	return writePage(w, title, write)
}

func writeHead(out *bufio.Writer, title string) {
	fmt.Fprintf(out, `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="%s">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>%s</title>
<style>%s</style>
</head>
<body>
<div id="app"></div>
<noscript>This report needs JavaScript; it loads nothing from anywhere.</noscript>
<script type="application/gzip;base64" id="data">`, policy(), html.EscapeString(title), style)
}

// policy returns the content security policy of a page. In browsers with trusted types, making
// markup from strings is an error.
func policy() string {
	hash := func(s string) string {
		sum := sha256.Sum256([]byte(s))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return "default-src 'none'; script-src " + hash(script) + "; style-src " + hash(style) +
		"; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
}

// writeData writes a compressed block of JSON. Writers keep their first error, and Close returns it.
// The counter counts the packed bytes.
func writeData(out io.Writer, write func(*gzip.Writer, *counter) error) error {
	text := base64.NewEncoder(base64.StdEncoding, out)
	packed := &counter{to: text}
	w := gzip.NewWriter(packed)
	if err := write(w, packed); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	return text.Close()
}

// A counter counts the bytes that it passes on.
type counter struct {
	to io.Writer
	n  int
}

func (c *counter) Write(p []byte) (int, error) {
	c.n += len(p)
	return c.to.Write(p)
}

// writeTree writes the data of one run.
func writeTree(w *gzip.Writer, d *report.Document, o report.Options) error {
	in, shown, view := d.Input, d.Tree, ""
	overview := report.NewOverview
	if d.View == report.EnergyProfile {
		view = "energy"
		if d.Profile.APICosts != nil {
			view = "api"
		}
		shown = report.NewTree(in, d.Profile.Tool.Version, false, report.Prune{Most: runRows})
		overview = func(*analysis.Input) *report.Overview { return d.Profile.Overview(in) }
	}
	scale := words.ScaleFor(in.Unit(o.Unit), o.Voltage, in.Energy)
	names := &packer{at: make(map[string]int)}
	tree, err := json.Marshal(shown)
	if err != nil {
		return err
	}
	profile, err := json.Marshal(overview(in))
	if err != nil {
		return err
	}
	top, err := json.Marshal(names.packList(report.NewMethodList(in)))
	if err != nil {
		return err
	}
	table, err := json.Marshal(names.names)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, `{"tree":%s,"profile":%s,"view":%q,"volts":%s,"unit":%q,"top":%s,"names":%s}`,
		tree, profile, view, strconv.FormatFloat(scale.Volts(), 'g', -1, 64), scale.Unit(), top, table)
	return err
}

// writeComparison writes the data of a comparison.
func writeComparison(w *gzip.Writer, packed *counter, r *report.Report, set *finding.Set, o report.Options) error {
	result := set.Result
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	scale := words.ScaleFor(result.Unit(o.Unit), cmp.Or(o.Voltage, r.Voltage), r.Subject.Energy)
	names := &packer{at: make(map[string]int)}
	run, err := fit(set, names)
	if err != nil {
		return err
	}
	top, err := json.Marshal(names.packList(report.NewMethodList(&result.Subject, &result.Reference)))
	if err != nil {
		return err
	}
	headline, err := json.Marshal(r.Headline(o).Sentences())
	if err != nil {
		return err
	}
	spoken, err := json.Marshal(r.Wording(o))
	if err != nil {
		return err
	}
	fmt.Fprintf(w, `{"report":%s,"spoken":%s,"headline":%s,"volts":%s,"unit":%q,"run":%s,"top":%s,"flasks":{`, data, spoken, headline, strconv.FormatFloat(scale.Volts(), 'g', -1, 64), scale.Unit(), run, top)
	for i, task := range r.Tasks {
		flask, err := json.Marshal(names.pack(report.NewFlask(set, result.Flask(i, analysis.Prune{MaxRows: flaskRows}))))
		if err != nil {
			return err
		}
		if packed.n >= dataBytes {
			break
		}
		if i > 0 {
			fmt.Fprint(w, ",")
		}
		fmt.Fprintf(w, "%q:%s", task.ID, flask)
	}
	table, err := json.Marshal(names.names)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, `},"names":%s}`, table)
	return err
}

// fit makes the call tree of the whole run, with as many rows as fit.
func fit(set *finding.Set, names *packer) ([]byte, error) {
	for rows := runRows; ; rows /= 2 {
		run, err := json.Marshal(names.pack(report.NewFlask(set, set.Result.Flask(analysis.WholeRun, analysis.Prune{MaxRows: rows}))))
		if err != nil || len(run) <= runBytes || rows < 100 {
			return run, err
		}
	}
}
