package html_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/ingest"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/html"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/units"
)

// hostile is a method's name that a careless page would execute as a script.
const hostile = `com.mine.Page.<img_src=x_onerror=alert(1)></script><script>alert(2)</script>&amp`

const (
	subject = "android.view.View.performClick;com.mine.Main.onClick;android.widget.TextView.setText 900\n" +
		"android.view.View.performClick;com.mine.Main.onClick;java.io.File.delete 200\n" +
		"android.view.View.performClick;" + hostile + ";java.io.File.delete 300\n"
	reference = "android.view.View.performClick;com.mine.Main.onClick;android.widget.TextView.setText 200\n"
)

func compare(t testing.TB, o analysis.Options) *analysis.Result {
	t.Helper()
	o.Alpha = analysis.AutoAlpha
	result, err := analysis.Compare(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func compareStacks(t testing.TB, subject, reference string) *analysis.Result {
	t.Helper()
	write := func(name, stacks string) string {
		file := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(file, []byte(stacks), 0o666); err != nil {
			t.Fatal(err)
		}
		return file
	}
	nano, err := units.ParseValueUnit("nJ")
	if err != nil {
		t.Fatal(err)
	}
	return compare(t, analysis.Options{
		Ingest: ingest.Options{Unit: nano}, Subject: analysis.Side{Path: write("<i>new.folded", subject)}, Reference: analysis.Side{Path: write("old.folded", reference)},
	})
}

func render(t testing.TB, result *analysis.Result, top int) (*report.Report, string) {
	t.Helper()
	r := report.New(finding.New(result), "test", top)
	var b bytes.Buffer
	if err := html.Write(&b, report.NewComparison(finding.New(result), r), report.Options{}); err != nil {
		t.Fatal(err)
	}
	return r, b.String()
}

// part returns the only match of a pattern in a page.
func part(t *testing.T, page, pattern string) string {
	t.Helper()
	found := regexp.MustCompile("(?s)"+pattern).FindAllStringSubmatch(page, -1)
	if len(found) != 1 {
		t.Fatalf("the page has %q %d times, want once", pattern, len(found))
	}
	return found[0][1]
}

// unpack reads the page's block of data.
func unpack(t *testing.T, page string) []byte {
	t.Helper()
	text := part(t, page, `<script type="application/gzip;base64" id="data">(.*?)</script>`)
	r, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(text)))
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

type data struct {
	Report json.RawMessage
	Volts  float64
	Unit   string
	Flasks map[string]flask
	Run    flask
	Names  [][3]string
}

// A flask is a flask of a page. Its labels are indices of the page's names.
type flask struct {
	report.Flask
	Labels  []int                          `json:"labels"`
	Methods struct{ Apart map[int]string } `json:"methods"`
}

func read(t *testing.T, page string) data {
	t.Helper()
	var d data
	if err := json.Unmarshal(unpack(t, page), &d); err != nil {
		t.Fatal(err)
	}
	return d
}

func TestWriteHoldsReportAndFlasks(t *testing.T) {
	result := compareStacks(t, subject, reference)
	r, page := render(t, result, 0)
	d := read(t, page)
	want, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	if string(d.Report) != string(want) {
		t.Errorf("report is %s\nwant %s", d.Report, want)
	}
	if d.Volts != 3.7 {
		t.Errorf("volts is %v, want 3.7", d.Volts)
	}
	if d.Unit != "nJ" {
		t.Errorf("unit is %q, want nJ", d.Unit)
	}
	charge := units.MicroampereHour
	var b bytes.Buffer
	if err := html.Write(&b, report.NewComparison(finding.New(result), r), report.Options{Unit: &charge}); err != nil {
		t.Fatal(err)
	}
	if unit := read(t, b.String()).Unit; unit != "µAh" {
		t.Errorf("unit is %q, want µAh", unit)
	}
	if len(d.Flasks) != len(r.Tasks) || len(r.Tasks) < 2 {
		t.Fatalf("%d flasks of %d tasks", len(d.Flasks), len(r.Tasks))
	}
	for _, task := range r.Tasks {
		flask, ok := d.Flasks[task.ID]
		if !ok || flask.Task != task.ID {
			t.Fatalf("task %s has flask %q", task.ID, flask.Task)
		}
		for i, p := range flask.Rows.Part {
			if p == 1 && d.Names[flask.Labels[flask.Rows.Label[i]]][0] != task.Method {
				t.Errorf("the F-method of %s is %s", task.Method, d.Names[flask.Labels[flask.Rows.Label[i]]][0])
			}
		}
	}
	if got := d.Run.Rows.SubjectEnergy[0]; got != r.Subject.Energy {
		t.Errorf("the whole run has %d nJ, want %d", got, r.Subject.Energy)
	}
	if _, again := render(t, result, 0); again != page {
		t.Error("the same result gave another page")
	}
}

func TestWriteTakesNamesForText(t *testing.T) {
	_, page := render(t, compareStacks(t, subject, reference), 0)
	if d := read(t, page); !strings.Contains(fmt.Sprint(d.Names), "<img_src=x_onerror=alert(1)></script>") {
		t.Error("the hostile name did not arrive")
	}
	if strings.Contains(page, "<img_src") || strings.Contains(page, "<i>") {
		t.Error("a name stands in the page as markup")
	}
	if got := part(t, page, `<title>(.*?)</title>`); got != "&lt;i&gt;new.folded compared with old.folded – diffprof" {
		t.Errorf("title is %q", got)
	}
	if n := strings.Count(strings.ToLower(page), "<script"); n != 2 {
		t.Errorf("%d script elements, want 2", n)
	}
}

func TestWritePolicyAllowsThePageAlone(t *testing.T) {
	_, page := render(t, compareStacks(t, subject, reference), 0)
	policy := part(t, page, `<meta http-equiv="Content-Security-Policy" content="([^"]*)">`)
	hash := func(s string) string {
		sum := sha256.Sum256([]byte(s))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	want := fmt.Sprintf("default-src 'none'; script-src %s; style-src %s; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
		hash(part(t, page, "\n<script>(.*?)</script>")), hash(part(t, page, "<style>(.*?)</style>")))
	if policy != want {
		t.Errorf("policy is %s\nwant %s", policy, want)
	}
	for _, attribute := range []string{" onclick=", " onload=", " src=", " href=", " style="} {
		shell := strings.ReplaceAll(page, part(t, page, "\n<script>(.*?)</script>"), "")
		if strings.Contains(shell, attribute) {
			t.Errorf("the page has an attribute %s", attribute)
		}
	}
}

func TestWriteWithoutTasks(t *testing.T) {
	r, page := render(t, compareStacks(t, "a.B.c 5\n", "a.B.c 5\n"), 0)
	if d := read(t, page); len(d.Flasks) != len(r.Tasks) || d.Run.Rows.SubjectEnergy[0] != 5 {
		t.Errorf("%d flasks, run of %d nJ", len(d.Flasks), d.Run.Rows.SubjectEnergy[0])
	}
}

// TestWriteStaysSmall renders the largest pairs of recordings at hand.
func TestWriteStaysSmall(t *testing.T) {
	const folder = "../../../shared/data/art/"
	names := []string{"likaci-cpu_trace.trace", "firefox-art-streaming.trace.gz", "firefox-art-regular.trace.gz"}
	for _, name := range names {
		if _, err := os.Stat(folder + name); err != nil {
			t.Skipf("no recordings to render: %v", err)
		}
	}
	for _, pair := range [][2]string{{names[0], names[1]}, {names[1], names[2]}} {
		result := compare(t, analysis.Options{Subject: analysis.Side{Path: folder + pair[0]}, Reference: analysis.Side{Path: folder + pair[1]}})
		r, page := render(t, result, 500)
		t.Logf("%s against %s: %d bytes", pair[0], pair[1], len(page))
		if len(page) >= 3_000_000 {
			t.Errorf("%s against %s: %d bytes, want less than 3 MB", pair[0], pair[1], len(page))
		}
		d := read(t, page)
		if d.Run.Rows.ReferenceEnergy[0] != result.Reference.Energy || len(d.Flasks) != len(r.Tasks) {
			t.Errorf("%s against %s: run of %d nJ, %d flasks", pair[0], pair[1], d.Run.Rows.ReferenceEnergy[0], len(d.Flasks))
		}
	}
}

// TestWriteOneRun checks that the page of one run has the whole tree.
func TestWriteOneRun(t *testing.T) {
	in := &compareStacks(t, subject, reference).Subject
	tree := report.NewTree(in, "test", false, report.Prune{})
	var b bytes.Buffer
	if err := html.Write(&b, &report.Document{View: report.Contexts, Input: in, Tree: tree}, report.Options{}); err != nil {
		t.Fatal(err)
	}
	var d struct {
		Tree  json.RawMessage
		Volts float64
		Unit  string
		Top   struct {
			Labels                         []int
			SubjectSelfNJ, ReferenceSelfNJ []units.Energy
		}
		Names [][3]string
	}
	if err := json.Unmarshal(unpack(t, b.String()), &d); err != nil {
		t.Fatal(err)
	}
	want, err := json.Marshal(tree)
	if err != nil {
		t.Fatal(err)
	}
	if string(d.Tree) != string(want) || d.Volts != 3.7 || d.Unit != "nJ" {
		t.Errorf("the page has %s, %v V, %s\nwant %s", d.Tree, d.Volts, d.Unit, want)
	}
	var self, there units.Energy
	for i := range d.Top.Labels {
		self, there = self+d.Top.SubjectSelfNJ[i], there+d.Top.ReferenceSelfNJ[i]
	}
	if self != in.Energy || there != 0 || len(d.Top.Labels) != len(d.Names) {
		t.Errorf("the methods drained %d nJ of %d and %d of nothing, under %d names", self, in.Energy, there, len(d.Names))
	}
	if got := part(t, b.String(), `<title>(.*?)</title>`); got != "&lt;i&gt;new.folded – diffprof" {
		t.Errorf("title is %q", got)
	}
	if strings.Contains(b.String(), "<img_src") {
		t.Error("a name stands in the page as markup")
	}
}

// full is a writer that fails like a full disk.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestWriteReturnsErrors(t *testing.T) {
	result := compareStacks(t, subject, reference)
	if err := html.Write(full{}, report.NewComparison(finding.New(result), report.New(finding.New(result), "test", 0)), report.Options{}); err == nil || !strings.Contains(err.Error(), "writing HTML: no space left") {
		t.Errorf("error is %v", err)
	}
}

// TestGroupPage checks that the page of a group has the group's JSON, and as many call trees of the
// first rankings as fit. Each call tree must equal the flask from which it was made.
func TestGroupPage(t *testing.T) {
	flask := func(task string) *report.Flask {
		return &report.Flask{SchemaVersion: 1, Task: task, Labels: []string{"a.B.c"}, Methods: report.FlaskMethods{Short: []string{"B.c"}, Owner: []string{"B"}, Distinct: []string{""}}}
	}
	g := &report.AppGroup{SchemaVersion: 1, Unit: "nJ", Apps: []report.GroupApp{{Name: "</script><b>a"}, {Name: "b"}, {Name: "c"}}, Flasks: make(map[report.Ranking]*report.Flask)}
	users := []report.GroupUse{{App: 0}, {App: 1}, {App: 2}}
	g.Tasks = []report.CommonTask{{Short: "B.c", Users: users}, {Short: "D.e", Users: users}}
	g.Flasks[report.Ranking{Task: 0, User: 1}] = flask("one")
	g.Flasks[report.Ranking{Task: 1, User: 2}] = flask("two")
	var page bytes.Buffer
	if err := html.Write(&page, &report.Document{View: report.ByApp, Apps: g}, report.Options{}); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(page.String(), "<b>a") {
		t.Error("a name is markup")
	}
	var data struct {
		Group  report.AppGroup
		About  map[string]string
		Unit   string
		Flasks map[string]struct {
			Task   string
			Labels []int
		}
		Names [][3]string
	}
	if err := json.Unmarshal(unpack(t, page.String()), &data); err != nil {
		t.Fatal(err)
	}
	if data.Group.Apps[0].Name != g.Apps[0].Name || data.Unit == "" || len(data.About) != 4 || len(data.Flasks) != 2 || data.Flasks["0/1"].Task != "one" || data.Flasks["1/2"].Task != "two" {
		t.Errorf("%+v", data)
	}
	if at := data.Flasks["1/2"].Labels[0]; data.Names[at] != [3]string{"a.B.c", "B.c", "B"} {
		t.Errorf("names %v", data.Names)
	}
}

// TestTrendPage checks that the page states how many series were judged, if there are several.
func TestTrendPage(t *testing.T) {
	for judged, want := range map[int]bool{1: false, 2: true} {
		made := html.FourEntries()
		made.Judged = judged
		var b bytes.Buffer
		if err := html.Trend(&b, made, report.Options{}); err != nil {
			t.Fatal(err)
		}
		page := string(unpack(t, b.String()))
		if got := strings.Contains(page, words.Judged(judged, 1, 0.05)); got != want {
			t.Errorf("%d series: their number is stated: %v", judged, got)
		}
		if !strings.Contains(page, "Warning: runs are few") || !strings.Contains(page, `"better"`) {
			t.Error("the page lacks a warning or the tone of the latest change")
		}
	}
}
