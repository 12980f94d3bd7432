package report

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/diffprof/diffprof/analysis"
)

// WriteJSON writes a document of any view as JSON, ended by a newline. The JSON is indented, except
// for flasks, which have many numbers. The options are ignored.
func WriteJSON(w io.Writer, d *Document, _ Options) error {
	switch d.View {
	case Comparison:
		return d.Report.WriteJSON(w)
	case OneTask, WholeRun:
		return d.Flask.WriteJSON(w)
	case Contexts:
		return d.Tree.WriteJSON(w)
	case PackageList:
		return d.Packages.WriteJSON(w)
	case ByApp:
		return d.Apps.WriteJSON(w)
	case Ledger:
		return d.History.WriteJSON(w)
	case Variation:
		return d.Noise.WriteJSON(w)
	case Diagnosis:
		return d.Doctor.WriteJSON(w)
	case CommitTrend, CommitBlame:
		return d.Trend.WriteJSON(w)
	case CostTable:
		return d.Costs.WriteJSON(w)
	case ByLine:
		return d.Lines.WriteJSON(w)
	case ByMethod:
		return d.Top.WriteJSON(w)
	case EnergyProfile:
		return d.Profile.WriteJSON(w)
	case FullRecording:
		return NewTree(d.Input, d.Version, true, Prune{}).WriteJSON(w)
	default:
		return d.Info.WriteJSON(w)
	}
}

// WriteJSON writes the report as indented JSON, ended by a newline. Tasks and app code are encoded
// one at a time, because their text may not fit into memory.
func (r *Report) WriteJSON(w io.Writer) error {
	frame := *r
	frame.Tasks, frame.AppCode = []Task{}, []AppCode{}
	var b bytes.Buffer
	if err := writeJSON(&b, &frame); err != nil {
		return err
	}
	// Strings in JSON contain no line ends, so this line is unique.
	before, rest, _ := bytes.Cut(b.Bytes(), []byte("\n  \"tasks\": []"))
	between, after, _ := bytes.Cut(rest, []byte("\n  \"appCode\": []"))
	out := bufio.NewWriter(w)
	out.Write(before) // A bufio.Writer keeps its first error until Flush.
	if err := writeList(out, "tasks", r.Tasks); err != nil {
		return err
	}
	out.Write(between)
	if err := writeList(out, "appCode", r.AppCode); err != nil {
		return err
	}
	out.Write(after)
	if err := out.Flush(); err != nil {
		return fmt.Errorf("writing JSON: %w", err)
	}
	return nil
}

// writeList writes a property whose value is an array, one element at a time.
func writeList[E any](out *bufio.Writer, name string, list []E) error {
	fmt.Fprintf(out, "\n  %q: [", name)
	var element bytes.Buffer
	e := json.NewEncoder(&element)
	e.SetEscapeHTML(false)
	lines := indenter{w: out, depth: 2}
	for i := range list {
		element.Reset()
		if err := e.Encode(&list[i]); err != nil {
			return fmt.Errorf("writing JSON: %w", err)
		}
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteString("\n    ")
		if _, err := lines.write(bytes.TrimSuffix(element.Bytes(), []byte("\n"))); err != nil {
			return fmt.Errorf("writing JSON: %w", err)
		}
	}
	if len(list) > 0 {
		out.WriteString("\n  ")
	}
	out.WriteByte(']')
	return nil
}

// writeJSON writes any value of the package. Labels such as <init> are not escaped for HTML, because
// reports are not pasted into scripts of web pages.
func writeJSON(w io.Writer, v any) error {
	return writeIndented(w, v)
}

// WriteMatching writes the matched nodes of a comparison, one pair per line of JSON, in preorder of
// the subject. Each line has the two call paths after preprocessing, the pair's γ (0 for equal
// methods, 1 otherwise), and the edit distance of the paths.
func WriteMatching(w io.Writer, r *analysis.Result) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	for _, p := range r.Matching.Pairs {
		err := e.Encode(struct {
			Subject   []string `json:"subject"`
			Reference []string `json:"reference"`
			Gamma     uint8    `json:"gamma"`
			Distance  int32    `json:"distance"`
		}{r.Subject.Tree.Path(p.Subject), r.Reference.Tree.Path(p.Reference), p.Gamma, p.Distance})
		if err != nil {
			return fmt.Errorf("writing the matching: %w", err)
		}
	}
	return nil
}
