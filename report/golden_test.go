package report_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/eflask"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/ingest"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/markdown"
	"github.com/diffprof/diffprof/report/render"
	"github.com/diffprof/diffprof/report/reporttest"
	"github.com/diffprof/diffprof/report/text"
	"github.com/diffprof/diffprof/units"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata")

// renderings are all renderings of a comparison. A case has a section for each of them, after its
// inputs.
var renderings = []struct {
	name, schema string
	write        func(*bytes.Buffer, *comparison) error
}{
	{"compare, 80 columns", "", func(b *bytes.Buffer, c *comparison) error {
		return text.Comparison(b, c.report, report.Options{})
	}},
	{"compare, 140 columns, in colour, in µAh", "", func(b *bytes.Buffer, c *comparison) error {
		return text.Comparison(b, c.report, report.Options{Width: 140, Color: true, Unit: microampereHour})
	}},
	{"compare as Markdown", "", func(b *bytes.Buffer, c *comparison) error {
		r, _ := render.Find(report.Comparison, "markdown")
		return r.Render(b, report.NewComparison(finding.New(c.result), c.report), report.Options{})
	}},
	{"compare as JSON", "report", func(b *bytes.Buffer, c *comparison) error {
		return c.report.WriteJSON(b)
	}},
	{"matching", "", func(b *bytes.Buffer, c *comparison) error {
		return report.WriteMatching(b, c.result)
	}},
	{"tree", "", func(b *bytes.Buffer, c *comparison) error {
		return text.Tree(b, report.NewTree(&c.result.Subject, "test", false, report.Prune{MinShare: 0.01}), report.Options{})
	}},
	{"raw tree to depth 2 as JSON", "tree", func(b *bytes.Buffer, c *comparison) error {
		return report.NewTree(&c.result.Subject, "test", true, report.Prune{Depth: 2}).WriteJSON(b)
	}},
	{"packages", "", func(b *bytes.Buffer, c *comparison) error {
		return text.Packages(b, c.packages, report.Options{})
	}},
	{"flask of the first task", "", func(b *bytes.Buffer, c *comparison) error {
		return c.flask("text", b)
	}},
	{"flask of the first task as JSON", "flask", func(b *bytes.Buffer, c *comparison) error {
		return c.flask("json", b)
	}},
	{"flask of the first task as Markdown", "", func(b *bytes.Buffer, c *comparison) error {
		return c.flask("markdown", b)
	}},
	{"data of the page, without the report", "", func(b *bytes.Buffer, c *comparison) error {
		return c.page(b)
	}},
	{"packages as JSON", "packages", func(b *bytes.Buffer, c *comparison) error {
		return c.packages.WriteJSON(b)
	}},
	{"compare, nested", "", func(b *bytes.Buffer, c *comparison) error {
		return text.Comparison(b, c.report, report.Options{Nest: true})
	}},
	{"compare by caller", "", func(b *bytes.Buffer, c *comparison) error {
		return text.Comparison(b, c.grouped(finding.ByCaller), report.Options{})
	}},
	{"compare by package as JSON", "report", func(b *bytes.Buffer, c *comparison) error {
		return c.grouped(finding.ByCallingPackage).WriteJSON(b)
	}},
	{"top of the subject", "", func(b *bytes.Buffer, c *comparison) error {
		return text.Top(b, c.top(report.TopOptions{Sort: report.BySelf, Grain: finding.EachMethod, Method: -1}, &c.result.Subject), report.Options{})
	}},
	{"top by saving, 140 columns", "", func(b *bytes.Buffer, c *comparison) error {
		return text.Top(b, c.top(report.TopOptions{Sort: report.BySaving, Grain: finding.EachMethod, Rows: 4, Method: -1}, c.inputs()...), report.Options{Width: 140})
	}},
	{"top by library", "", func(b *bytes.Buffer, c *comparison) error {
		return text.Top(b, c.top(report.TopOptions{Sort: report.BySelf, Grain: finding.EachLibrary, Method: -1}, c.inputs()...), report.Options{})
	}},
	{"top of own code by class, Markdown", "", func(b *bytes.Buffer, c *comparison) error {
		own := func(row *finding.MethodUse) bool { return row.Own }
		return markdown.Top(b, c.top(report.TopOptions{Sort: report.ByAll, Grain: finding.EachClass, Keep: own, Method: -1}, c.inputs()...), report.Options{})
	}},
	{"sandwich, Markdown", "", func(b *bytes.Buffer, c *comparison) error {
		return markdown.Top(b, c.top(report.TopOptions{Sort: report.BySelf, Grain: finding.EachMethod, Method: reporttest.Busiest(c.inputs())}, &c.result.Subject), report.Options{})
	}},
	{"sandwich", "", func(b *bytes.Buffer, c *comparison) error {
		return text.Top(b, c.top(report.TopOptions{Sort: report.BySelf, Grain: finding.EachMethod, Method: reporttest.Busiest(c.inputs())}, c.inputs()...), report.Options{})
	}},
	{"sandwich as JSON", "top", func(b *bytes.Buffer, c *comparison) error {
		return c.top(report.TopOptions{Sort: report.BySelf, Grain: finding.EachMethod, Method: reporttest.Busiest(c.inputs())}, c.inputs()...).WriteJSON(b)
	}},
}

var microampereHour = func() *units.Unit { u := units.MicroampereHour; return &u }()

// A comparison is the input of the renderings.
type comparison struct {
	result   *analysis.Result
	report   *report.Report
	packages *report.Packages
}

// flask renders the flask of the first task, or of the whole run if there is no task.
func (c *comparison) flask(format string, b *bytes.Buffer) error {
	task := min(0, len(c.result.Tasks)-1) // This is analysis.WholeRun if there are no tasks.
	d := report.NewFlasks(finding.New(c.result), "test", task, analysis.Prune{})
	r, ok := render.Find(d.View, format)
	if !ok {
		return nil // Markdown shows only tasks
	}
	return r.Render(b, d, report.Options{})
}

// inputs returns the two inputs of the comparison.
func (c *comparison) inputs() []*analysis.Input {
	return []*analysis.Input{&c.result.Subject, &c.result.Reference}
}

// top lists methods of some inputs.
func (c *comparison) top(o report.TopOptions, inputs ...*analysis.Input) *report.Top {
	made := report.NewTop(finding.ByGrain(o.Grain, inputs...), inputs, "test", o)
	made.NoteInputs(c.result.Comparability, c.result.Warnings)
	return made
}

// grouped returns the report with groups, and with one task.
func (c *comparison) grouped(by finding.Grouping) *report.Report {
	made := report.New(finding.New(c.result), "test", 1)
	made.GroupBy(finding.New(c.result), by, 0)
	return made
}

// page renders the data of the HTML page, one flask per line. TestRenderingsAgree compares its
// report with the JSON.
func (c *comparison) page(b *bytes.Buffer) error {
	var text bytes.Buffer
	r, _ := render.Find(report.Comparison, "html")
	if err := r.Render(&text, report.NewComparison(finding.New(c.result), c.report), report.Options{}); err != nil {
		return err
	}
	p, err := readPage(text.String())
	if err != nil {
		return err
	}
	fmt.Fprintf(b, "%v V, in %s\n", p.Volts, p.Unit)
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	for _, task := range c.report.Tasks {
		if err := e.Encode(p.Flasks[task.ID]); err != nil {
			return err
		}
	}
	return errors.Join(e.Encode(p.Run), e.Encode(p.Names))
}

// TestGolden compares the inputs of every case in testdata. It compares all renderings with the
// case, and validates the JSON against its schema. A case has a subject and a reference, each as
// subject.folded or as a script of calls (see writeCalls), and may have options.json.
func TestGolden(t *testing.T) {
	schemas := compileSchemas(t)
	eachCase(t, "testdata/*.txtar", func(t *testing.T, c *comparison, got *txtar.Archive) {
		for _, r := range renderings {
			var b bytes.Buffer
			if err := r.write(&b, c); err != nil {
				t.Fatal(err)
			}
			if r.schema != "" {
				validate(t, schemas[r.schema], b.Bytes())
			}
			got.Files = append(got.Files, txtar.File{Name: r.name, Data: b.Bytes()})
		}
	})
}

// eachCase compares the inputs of each golden file that matches a pattern. It compares the sections
// that render adds with the file.
func eachCase(t *testing.T, pattern string, render func(t *testing.T, c *comparison, got *txtar.Archive)) {
	t.Helper()
	cases, err := filepath.Glob(pattern)
	if err != nil || len(cases) == 0 {
		t.Fatal("no cases fit", pattern, err)
	}
	for _, file := range cases {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if file, err = filepath.Abs(file); err != nil {
				t.Fatal(err)
			}
			c, inputs := compareCase(t, archive)
			got := &txtar.Archive{Comment: archive.Comment, Files: inputs}
			render(t, c, got)
			hold(t, file, got)
		})
	}
}

// hold compares renderings with a golden file. With -update it writes the file.
func hold(t *testing.T, file string, got *txtar.Archive) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, txtar.Format(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := make(map[string]string)
	for _, f := range archive.Files {
		want[f.Name] = string(f.Data)
	}
	for _, f := range got.Files {
		if string(f.Data) != want[f.Name] {
			t.Errorf("%s:\n%s\nwant:\n%s\nIf that is right, run go test ./report -update and read the diff.", f.Name, f.Data, want[f.Name])
		}
	}
	if len(got.Files) != len(archive.Files) {
		t.Errorf("%s has %d sections, and there are %d renderings and inputs", file, len(archive.Files), len(got.Files))
	}
}

// stated returns options that state nanojoules as the unit of folded stacks.
func stated(t *testing.T) ingest.Options {
	t.Helper()
	nano, err := units.ParseValueUnit("nJ")
	if err != nil {
		t.Fatal(err)
	}
	return ingest.Options{Unit: nano}
}

// compareCase compares a case's inputs. It returns the sections of the case that are not
// renderings.
func compareCase(t *testing.T, archive *txtar.Archive) (*comparison, []txtar.File) {
	t.Helper()
	o := analysis.Options{Ingest: stated(t), Alpha: analysis.AutoAlpha, Coverage: true, Matching: eflask.Options{Threads: 1}}
	top := 0
	dir := t.TempDir()
	var inputs []txtar.File
	for _, f := range archive.Files {
		name, _, _ := strings.Cut(f.Name, ".")
		switch {
		case f.Name == "options.json":
			given := struct {
				*analysis.Options
				Top *int
			}{&o, &top}
			if err := json.Unmarshal(f.Data, &given); err != nil {
				t.Fatal(err)
			}
		case name == "subject":
			o.Subject.Path = writeInput(t, dir, f.Name, string(f.Data))
		case name == "reference":
			o.Reference.Path = writeInput(t, dir, f.Name, string(f.Data))
		default:
			continue
		}
		inputs = append(inputs, f)
	}
	t.Chdir(dir)
	result, err := analysis.Compare(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	known, err := analysis.Platform(o)
	if err != nil {
		t.Fatal(err)
	}
	return &comparison{
		result:   result,
		report:   report.New(finding.New(result), "test", top),
		packages: report.NewPackages([]*analysis.Input{&result.Subject, &result.Reference}, "test", known, 0),
	}, inputs
}

// compileSchemas compiles the schemas in docs, by name.
func compileSchemas(t *testing.T) map[string]*jsonschema.Schema {
	t.Helper()
	compiler := jsonschema.NewCompiler()
	names := []string{"report", "tree", "packages", "info", "flask", "top", "lines", "profile", "group", "noise", "trend", "history", "doctor", "api-costs"}
	urls := map[string]string{}
	for _, name := range names {
		data, err := os.ReadFile("../docs/" + name + ".schema.json")
		if err != nil {
			t.Fatal(err)
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		urls[name] = doc.(map[string]any)["$id"].(string)
		if err := compiler.AddResource(urls[name], doc); err != nil {
			t.Fatal(err)
		}
	}
	schemas := map[string]*jsonschema.Schema{}
	for _, name := range names {
		schema, err := compiler.Compile(urls[name])
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		schemas[name] = schema
	}
	return schemas
}

// validate validates JSON against its schema.
func validate(t *testing.T, schema *jsonschema.Schema, data []byte) {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(value); err != nil {
		t.Errorf("JSON breaks its schema: %v\n%s", err, data)
	}
}
