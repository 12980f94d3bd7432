package mcp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/units"
)

// addTools adds all tools.
func (s *Server) addTools() {
	add(s, tool{name: "compare", title: "Compare two runs",
		description: "Compares two recordings of apps, or the pair of diffprof.yaml: what costs more, whether that is more than noise, and where. Returns the judgement in sentences and the first rows."}, s.compare)
	add(s, tool{name: "explain", title: "Explain a finding",
		description: "Explains one row of a comparison: its callers in the source, the calls below it on both sides, how its counterpart was found, components, and the evidence of repeated runs."}, s.explain)
	add(s, tool{name: "find", title: "Find findings in code",
		description: "Lists the rows of a comparison in a source file, a class or a method, or at a line of a file."}, s.find)
	s.addRunTools()
	s.addHistoryTools()
	if s.o.Write != nil {
		s.addWriteTools()
	}
}

type compareArgs struct {
	pairArgs
	paged
}

// A Comparison is the answer of the tool compare.
type Comparison struct {
	Subject   Side `json:"subject"`
	Reference Side `json:"reference"`
	// Verdict and Sentences are the judgement.
	Verdict      finding.Verdict `json:"verdict" jsonschema:"how the subject compares with the reference: more, less, no-difference, cannot-tell, same-content, two-kinds or nothing-recorded"`
	Sentences    []string        `json:"sentences" jsonschema:"the judgement of the whole comparison"`
	DifferenceNJ units.Energy    `json:"differenceNJ"`
	SavingNJ     Range           `json:"savingNJ" jsonschema:"possible saving of all rows that count"`
	Findings     int             `json:"findings" jsonschema:"number of rows that count"`
	RunsToTell   int             `json:"runsToTell,omitempty" jsonschema:"how many runs of each side would show the smallest difference that matters"`
	Spread       string          `json:"spread" jsonschema:"how certain the differences are"`
	Unlike       []string        `json:"unlike,omitempty" jsonschema:"differences between the recordings that make them hard to compare"`
	Warnings     []string        `json:"warnings,omitempty"`
	Unit         string          `json:"unit" jsonschema:"nJ, or unknown if a file states numbers without a unit"`
	Rows         []Row           `json:"rows"`
	page
}

func (c *Comparison) linked() []Place { return placesOf(c.Rows) }

func placesOf(rows []Row) []Place {
	var all []Place
	for i := range rows {
		all = append(all, rows[i].Places...)
	}
	return all
}

// A Side is a side of a comparison in an answer.
type Side struct {
	Path       string       `json:"path"`
	Runs       int          `json:"runs"`
	EnergyNJ   units.Energy `json:"energyNJ"`
	EnergyFrom string       `json:"energyFrom" jsonschema:"how the energy was obtained"`
}

func (s *Server) side(in *report.Input) Side {
	return Side{Path: s.files.displayPath(in.Path), Runs: in.Runs, EnergyNJ: in.Energy, EnergyFrom: in.EnergyFrom}
}

// maxNotes limits the warnings in an answer. maxCallers limits the callers of a row in a list.
const (
	maxNotes   = 5
	maxCallers = 2
)

func notesOf(notes []report.Note) []string {
	var all []string
	for _, n := range notes[:min(maxNotes, len(notes))] {
		all = append(all, n.Message)
	}
	if more := len(notes) - len(all); more > 0 {
		all = append(all, fmt.Sprintf("%d more are in the report", more))
	}
	return all
}

func (s *Server) compare(ctx context.Context, req *sdk.CallToolRequest, a compareArgs) (*Comparison, error) {
	c, err := s.compared(reporting(ctx, req), a.pairArgs)
	if err != nil {
		return nil, err
	}
	index, err := s.o.Source.Index(ctx)
	if err != nil {
		return nil, err
	}
	made, h := c.made, c.made.Judgement.Headline
	out := &Comparison{
		Subject: s.side(&made.Subject), Reference: s.side(&made.Reference), Verdict: h.Verdict, Sentences: made.Judgement.Sentences,
		DifferenceNJ: h.Difference, SavingNJ: Range{h.SavableLeast, h.SavableMost}, Findings: h.Rows, RunsToTell: h.Runs,
		Spread: made.Spread, Unlike: notesOf(made.Comparability), Warnings: notesOf(made.Warnings), Unit: made.Subject.Unit,
	}
	out.Rows, out.page, err = fill(s, a.paged, c.id, out, len(c.rows), func(i int) Row { return s.row(c, index, &c.rows[i], maxCallers) })
	return out, err
}

type findArgs struct {
	pairArgs
	paged
	File   string `json:"file,omitempty" jsonschema:"source file, or the end of its path, such as feed/FeedAdapter.kt"`
	Line   int    `json:"line,omitempty" jsonschema:"line of the file, from 1: only the method whose declaration has this line"`
	Class  string `json:"class,omitempty" jsonschema:"class, with or without its package; classes inside it are included"`
	Method string `json:"method,omitempty" jsonschema:"name of a method, such as bind or FeedAdapter.bind"`
	All    bool   `json:"all,omitempty" jsonschema:"also list rows that do not count"`
}

// A FindResult is the answer of the tool find.
type FindResult struct {
	Sentence string `json:"sentence" jsonschema:"the first sentence of the judgement of the whole comparison"`
	Hidden   int    `json:"notCounting,omitempty" jsonschema:"rows in this code that are no findings; all=true lists them"`
	Rows     []Row  `json:"rows"`
	page
}

func (f *FindResult) linked() []Place { return placesOf(f.Rows) }

func (s *Server) find(ctx context.Context, req *sdk.CallToolRequest, a findArgs) (*FindResult, error) {
	if a.File == "" && a.Class == "" && a.Method == "" {
		return nil, errors.New("give a file, a class or a method; the tool compare lists all rows")
	}
	if a.Line != 0 && a.File == "" {
		return nil, errors.New("line needs the file that it is in: give file")
	}
	c, err := s.compared(reporting(ctx, req), a.pairArgs)
	if err != nil {
		return nil, err
	}
	out := &FindResult{}
	if len(c.made.Judgement.Sentences) > 0 {
		out.Sentence = c.made.Judgement.Sentences[0]
	}
	index, err := s.o.Source.Index(ctx)
	if err != nil {
		return nil, err
	}
	spots := s.declarations(c, index)
	var found []int
	for i := range c.rows {
		matched := slices.ContainsFunc(spots[i], a.matches)
		switch {
		case !matched:
		case !a.All && !c.rows[i].standing().IsFinding:
			out.Hidden++
		default:
			found = append(found, i)
		}
	}
	list := strings.Join([]string{c.id, a.File, fmt.Sprint(a.Line), a.Class, a.Method, fmt.Sprint(a.All)}, "|")
	out.Rows, out.page, err = fill(s, a.paged, list, out, len(found), func(i int) Row { return s.row(c, index, &c.rows[found[i]], maxCallers) })
	return out, err
}
