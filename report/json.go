package report

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/diffprof/diffprof/analysis"
)

// WriteJSON writes the report as indented JSON, ended by a newline.
func (r *Report) WriteJSON(w io.Writer) error { return writeJSON(w, r) }

// writeJSON writes any of the package's values. Labels such as <init> stay as
// they are: nobody pastes a report into a web page's script.
func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return fmt.Errorf("writing JSON: %w", err)
	}
	return nil
}

// WriteMatching writes every pair of a result's matching as a line of JSON, in
// preorder of the subject: the labels from the root to each of the two nodes as
// they stand after preprocessing, γ of the two and the distance of the paths.
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
