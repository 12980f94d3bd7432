package report_test

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/render"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/units"
)

// rendered renders a document in a format.
func rendered(t *testing.T, d *report.Document, format string, o report.Options) string {
	t.Helper()
	r, ok := render.Find(d.View, format)
	if !ok {
		t.Fatalf("there is no format %s for view %d", format, d.View)
	}
	var b bytes.Buffer
	if err := r.Render(&b, d, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A page is the data of a page of HTML.
type page struct {
	Report report.Report
	Volts  float64
	Unit   string
	Run    pageFlask
	Flasks map[string]pageFlask
	// Names has the label, the short name and the owner of each method.
	Names [][3]string
}

// A pageFlask is a flask of a page. Its labels are indices of the page's names.
type pageFlask struct {
	report.Flask
	Labels  []int `json:"labels"`
	Methods struct {
		Apart map[int]string `json:"apart"`
	} `json:"methods"`
}

var pageData = regexp.MustCompile(`(?s)<script type="application/gzip;base64" id="data">(.*?)</script>`)

// readPage unpacks the data of a page.
func readPage(text string) (p page, err error) {
	data, err := unpackPage(text)
	if err != nil {
		return p, err
	}
	return p, json.Unmarshal(data, &p)
}

// unpackPage returns the JSON of a page.
func unpackPage(text string) ([]byte, error) {
	found := pageData.FindStringSubmatch(text)
	if found == nil {
		return nil, errors.New("the page has no data")
	}
	r, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(found[1])))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

// figures has the figures of a task in a rendering, by name. Figures that the rendering does not
// show are absent.
type figures map[string]string

// The figures of a task.
const (
	energy, share, times             = "energy", "share", "times"
	peerEnergy, peerShare, peerTimes = "energy of the reference", "share of the reference", "times in the reference"
	saving, moreCalls, morePerCall   = "saving", "more calls", "more per call"
)

// TestRenderingsAgree reads every figure of every task from each rendering of each case. It
// compares the figure with the JSON's figure as package words writes it. It does so in two units:
// in one, figures are whole, and in the other they are rounded.
func TestRenderingsAgree(t *testing.T) {
	cases, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(cases) == 0 {
		t.Fatal("no cases in testdata", err)
	}
	for _, file := range cases {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			c, _ := compareCase(t, archive)
			for _, unit := range []units.Unit{units.Nano, units.Micro} {
				agree(t, c, report.Options{Unit: &unit, Width: 250})
			}
		})
	}
}

func agree(t *testing.T, c *comparison, o report.Options) {
	all := report.New(finding.New(c.result), "test", 0)
	d := report.NewComparison(finding.New(c.result), all)
	var made report.Report
	if err := json.Unmarshal([]byte(rendered(t, d, "json", o)), &made); err != nil {
		t.Fatal(err)
	}
	page, err := readPage(rendered(t, d, "html", o))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(page.Report, made) {
		t.Errorf("the page has another report than the JSON")
	}
	scale := words.ScaleFor(o.Unit, o.Voltage, 0)
	speaksOfCalls(t, rendered(t, d, "text", o), &made)
	rows, code := ofTable(t, rendered(t, d, "text", o), &made)
	speaksOfCalls(t, rendered(t, d, "markdown", o), &made)
	comment := ofComment(t, rendered(t, d, "markdown", o), &made)
	for i := range made.AppCode {
		row := &made.AppCode[i]
		if want := ofCode(row, &made, scale, code[i]); !maps.Equal(code[i], want) {
			t.Errorf("app code %d: the table has %v, the JSON %v", i+1, code[i], want)
		}
		if each := words.ScalePerFigure(nil, 0); !strings.Contains(row.Message, " "+each.Energy(row.Energy)+" ") {
			t.Errorf("app code %d: the message %q lacks %s", i+1, row.Message, each.Energy(row.Energy))
		}
	}
	holdTotals(t, rendered(t, d, "text", o), &made, scale)
	for i := range made.Tasks {
		task := &made.Tasks[i]
		want := ofTask(task, &made, scale)
		flask := report.NewFlasks(finding.New(c.result), "test", i, analysis.Prune{})
		speaksOfCalls(t, rendered(t, flask, "text", o)+rendered(t, flask, "markdown", o)+task.Message, &made)
		var data report.Flask
		if err := json.Unmarshal([]byte(rendered(t, flask, "json", o)), &data); err != nil {
			t.Fatal(err)
		}
		inPage, ok := page.Flasks[task.ID]
		if !ok {
			t.Errorf("the page has no flask of task %s", task.ID)
			continue
		}
		for name, got := range map[string]figures{
			"the table":              rows[i],
			"the comment":            comment[i],
			"Markdown":               ofMarkdown(rendered(t, flask, "markdown", o)),
			"the flask in text":      ofFlask(rendered(t, flask, "text", o), task, data.Counts),
			"the flask in JSON":      ofRow(&data, slices.Index(data.Rows.Part, 1), scale),
			"the flask in the page":  ofRow(&inPage.Flask, slices.Index(inPage.Rows.Part, 1), scale),
			"the page's row of runs": ofRow(&page.Run.Flask, slices.Index(page.Run.Rows.SubjectNode, task.Node), scale),
		} {
			if got[energy] == "" {
				t.Errorf("task %d: %s has no figures", i+1, name)
			}
			for what, figure := range got {
				if figure != want[what] {
					t.Errorf("task %d: %s has %q for %s, the JSON %q", i+1, name, figure, what, want[what])
				}
			}
		}
		if each := words.ScalePerFigure(nil, 0); !strings.Contains(task.Message, " "+each.Energy(task.Energy)+" ") {
			t.Errorf("task %d: the message %q lacks %s", i+1, task.Message, each.Energy(task.Energy))
		}
	}
}

// verb matches texts that name a caller. These texts do not state numbers of calls.
var verb = regexp.MustCompile(`(task|reference|it) calls`)

// speaksOfCalls fails if a text mentions numbers of calls although the recording does not count
// calls.
func speaksOfCalls(t *testing.T, text string, r *report.Report) {
	t.Helper()
	if r.Counts != "calls" && strings.Contains(verb.ReplaceAllString(text, ""), "calls") {
		t.Errorf("calls are not counted, and yet the text speaks of them:\n%s", text)
	}
}

// ofTask returns the figures of a task in JSON. A missing figure is "–".
func ofTask(task *report.Task, r *report.Report, s words.Scale) figures {
	f := figures{
		energy: s.Amount(task.Energy), share: words.Percent(task.Share), times: tally(task.Value(r.Counts)),
		peerEnergy: "–", peerShare: "–", peerTimes: "–", saving: s.Amount(task.Saving), moreCalls: "–", morePerCall: "–",
	}
	if p := task.Peer; p != nil {
		f[peerEnergy], f[peerShare], f[peerTimes] = s.Amount(p.Energy), words.Percent(p.Share), tally(p.Value(r.Counts))
	}
	if task.Split != nil {
		f[moreCalls], f[morePerCall] = s.Amount(task.Split.Calls), s.Amount(task.Split.PerCall)
	}
	return f
}

// ofCode returns the figures of a row of app code in JSON, but only those that are in shown.
func ofCode(c *report.AppCode, r *report.Report, s words.Scale, shown figures) figures {
	as := report.Task{Energy: c.Energy, Share: c.Share, Counts: c.Counts, Saving: c.Saving, Split: c.Split}
	if p := c.Peer; p != nil {
		as.Peer = &report.Peer{Energy: p.Energy, Share: p.Share, Counts: p.Counts}
	}
	f := ofTask(&as, r, s)
	maps.DeleteFunc(f, func(what, _ string) bool { return shown[what] == "" })
	return f
}

func tally(n int64) string {
	if n == 0 {
		return "–"
	}
	return words.Count(n)
}

// oneWord is a row of the table with a verdict of one word.
var oneWord = regexp.MustCompile(`^( *(?:app|\d+)) +(perhaps|unclear) `)

// ofTable reads the table of tasks and app code. A wide table has all columns. A verdict has two
// words.
func ofTable(t *testing.T, text string, r *report.Report) (rows, code []figures) {
	split := slices.ContainsFunc(r.Tasks, func(t report.Task) bool { return t.Split != nil }) ||
		slices.ContainsFunc(r.AppCode, func(c report.AppCode) bool { return c.Split != nil })
	if has := strings.Contains(text, "more calls  more per call"); has != split {
		t.Errorf("the table has columns for a split: %v", has)
	}
	for line := range strings.Lines(text) {
		// All verdicts but these have two words.
		fields := strings.Fields(oneWord.ReplaceAllString(line, "$1 $2 so "))
		to := &rows
		switch {
		case len(fields) >= 8 && fields[0] == "app":
			to = &code
		case len(fields) < 8 || fields[0] != fmt.Sprint(len(rows)+1):
			continue
		}
		columns := []string{"", "", "", saving}
		if split {
			columns = append(columns, moreCalls, morePerCall)
		}
		columns = append(columns, energy, share, peerEnergy, peerShare)
		row := figures{}
		for i, column := range columns {
			row[column] = fields[i]
		}
		delete(row, "")
		row[saving] = atMost(t, fields[1] == "perhaps", row[saving])
		if r.Counts != "" {
			row[times], row[peerTimes], _ = strings.Cut(fields[len(columns)], ":")
		}
		*to = append(*to, row)
	}
	if len(rows) != len(r.Tasks) || len(code) != len(r.AppCode) {
		t.Fatalf("the table has %d tasks of %d, %d pieces of code of %d:\n%s", len(rows), len(r.Tasks), len(code), len(r.AppCode), text)
	}
	return rows, code
}

// atMost returns a saving without the mark of an uncertain saving.
func atMost(t *testing.T, perhaps bool, saving string) string {
	t.Helper()
	amount, marked := strings.CutPrefix(saving, "≤")
	if want := perhaps && amount != "0" && amount != "~0"; marked != want {
		t.Errorf("the saving %s is marked: %v, want %v", saving, marked, want)
	}
	return amount
}

// explained matches the text below a task's name in a comparison in Markdown.
var explained = regexp.MustCompile(`<br>([a-z ]+), (<?[0-9.]+%)(?:, (\S+)(?: : (\S+))? (?:calls|samples))?`)

// ofComment reads the tables of tasks of a comparison in Markdown.
func ofComment(t *testing.T, text string, r *report.Report) []figures {
	var rows []figures
	for line := range strings.Lines(text) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
		if len(cells) < 5 || strings.TrimSpace(cells[0]) != fmt.Sprint(len(rows)+1) {
			continue
		}
		about := explained.FindStringSubmatch(cells[4])
		if about == nil {
			t.Fatalf("the comment does not explain a row: %s", line)
		}
		row := figures{saving: atMost(t, about[1] == "perhaps", cells[1]), energy: cells[2], share: about[2], peerEnergy: cells[3]}
		if r.Counts != "" {
			row[times], row[peerTimes] = about[3], cmp.Or(about[4], "–")
		}
		rows = append(rows, row)
	}
	if len(rows) != len(r.Tasks) {
		t.Fatalf("the comment has %d tasks of %d:\n%s", len(rows), len(r.Tasks), text)
	}
	return rows
}

// holdTotals compares the parts of both runs' energy with the summary.
func holdTotals(t *testing.T, text string, r *report.Report, s words.Scale) {
	t.Helper()
	here, there := r.Summary, r.Summary.Reference
	for part, e := range map[string][2]units.Energy{
		`tasks? only here`: {here.UnmatchedEnergy}, `tasks? only there`: {0, there.UnmatchedEnergy},
		`tasks? matched`:        {here.MatchedEnergy, there.MatchedEnergy},
		`outside of tasks`:      {here.OutsideTasksEnergy, there.OutsideTasksEnergy},
		`the app's own code`:    {here.Outside.AppCode, there.Outside.AppCode},
		`the system's own work`: {here.Outside.System, there.Outside.System},
		`waiting`:               {here.Outside.Waiting, there.Outside.Waiting},
		`recording the run`:     {here.Outside.Recorder, there.Outside.Recorder},
		`outside of any method`: {here.Outside.Toplevel, there.Outside.Toplevel},
		`total`:                 {r.Subject.Energy, r.Reference.Energy},
	} {
		found := regexp.MustCompile(`(?m)^  .*` + part + ` +(\S+) +(\S+) +(\S+) +(\S+)`).FindStringSubmatch(text)
		if found == nil && e == [2]units.Energy{} {
			continue // Parts without energy may be left out.
		}
		want := []string{s.Amount(e[0]), words.Share(e[0], r.Subject.Energy), s.Amount(e[1]), words.Share(e[1], r.Reference.Energy)}
		if found == nil || !slices.Equal(found[1:], want) {
			t.Errorf("%s: the text has %q, the JSON %q", part, found, want)
		}
	}
}

// ofMarkdown reads the table of a task, with units.
func ofMarkdown(text string) figures {
	f := figures{}
	for line := range strings.Lines(text) {
		cells := strings.Split(line, "|")
		if len(cells) != 5 {
			continue
		}
		here, there := strings.TrimSpace(cells[2]), strings.TrimSpace(cells[3])
		switch strings.TrimSpace(cells[1]) {
		case "energy":
			f[energy], _, _ = strings.Cut(here, " ")
			f[peerEnergy], _, _ = strings.Cut(there, " ")
		case "share of the run":
			f[share], f[peerShare] = here, there
		case "calls", "samples":
			f[times], f[peerTimes] = here, there
		}
	}
	return f
}

// ofFlask reads the row of the F-method: its sign, and the energy, the time and the count of each
// side. Unknown counts are absent.
func ofFlask(text string, task *report.Task, counts string) figures {
	lines := strings.Split(text, "\n")
	at := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, "  ") && strings.Contains(line, "method") })
	fields := strings.Fields(lines[at+1])[1:]
	timed := strings.Count(lines[at], "CPU")+strings.Count(lines[at], "wall") > 0
	f := figures{}
	take := func(energyName, timesName string, n int64) {
		f[energyName], fields = fields[0], fields[1:]
		if timed {
			fields = fields[2:] // These two fields are a number and its unit.
		}
		if counts != "" && n > 0 {
			f[timesName], fields = fields[0], fields[1:]
		}
	}
	take(energy, times, task.Value(counts))
	if task.Peer != nil {
		fields = fields[1:] // This is the method's name on the left side.
		take(peerEnergy, peerTimes, task.Peer.Value(counts))
	}
	return f
}

// ofRow reads a row of a flask in JSON.
func ofRow(f *report.Flask, row int, s words.Scale) figures {
	if row < 0 {
		return figures{}
	}
	c := &f.Rows
	calls, peerCalls := c.SubjectCalls, c.ReferenceCalls
	if f.Counts == "samples" {
		calls, peerCalls = c.SubjectSamples, c.ReferenceSamples
	}
	made := figures{energy: s.Amount(c.SubjectEnergy[row])}
	if calls != nil {
		made[times] = tally(calls[row])
	}
	if c.ReferenceNode[row] >= 0 {
		made[peerEnergy] = s.Amount(c.ReferenceEnergy[row])
		if peerCalls != nil {
			made[peerTimes] = tally(peerCalls[row])
		}
	}
	return made
}
