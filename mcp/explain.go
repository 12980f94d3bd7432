package mcp

import (
	"context"
	"errors"
	"fmt"
	"slices"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/code/source"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/units"
)

type explainArgs struct {
	pairArgs
	ID string `json:"id" jsonschema:"id of a row that compare or find returned"`
}

// An Explanation is the answer of the tool explain.
type Explanation struct {
	Row
	Why          string             `json:"why,omitempty" jsonschema:"what most of the difference comes from"`
	Split        string             `json:"split,omitempty" jsonschema:"how much comes from more calls and how much from more energy per call"`
	Moved        string             `json:"moved,omitempty"`
	Path         []string           `json:"path" jsonschema:"call path from the root"`
	Counterpart  *Counterpart       `json:"counterpart,omitempty"`
	PossiblePeer *Counterpart       `json:"perhaps,omitempty" jsonschema:"a counterpart that is likely but not sure"`
	Components   []report.Component `json:"components,omitempty"`
	Threads      []string           `json:"threads,omitempty"`
	Evidence     *Evidence          `json:"evidence,omitempty"`
	// Tree lists calls below the row: those with the most energy in either run.
	Tree       []TreeRow `json:"tree,omitempty" jsonschema:"the calls below, in both runs"`
	Basis      string    `json:"energyFrom"`
	WholeFirst string    `json:"sentence,omitempty" jsonschema:"the first sentence of the judgement of the whole comparison"`
}

func (e *Explanation) linked() []Place { return e.Places }

// A Counterpart is the task or the method of the reference that a row is compared with.
type Counterpart struct {
	Method     string       `json:"method"`
	EnergyNJ   units.Energy `json:"energyNJ"`
	How        string       `json:"how,omitempty"`
	Confidence string       `json:"confidence,omitempty"`
	Path       []string     `json:"path,omitempty" jsonschema:"only if it differs"`
}

// An Evidence is the evidence of repeated runs about a row.
type Evidence struct {
	Message string  `json:"message"`
	P       float64 `json:"p"`
	Q       float64 `json:"q" jsonschema:"p adjusted for the number of rows tested"`
}

// A TreeRow is a call in the trees of both runs.
type TreeRow struct {
	Depth       int           `json:"depth"`
	Method      string        `json:"method"`
	SubjectNJ   *units.Energy `json:"subjectNJ,omitempty"`
	ReferenceNJ *units.Energy `json:"referenceNJ,omitempty"`
}

// Limits of an explanation.
const (
	maxPlaces  = 8
	treeRows   = 16
	treeShare  = 0.03
	pathLabels = 12
)

func (s *Server) explain(ctx context.Context, req *sdk.CallToolRequest, a explainArgs) (*Explanation, error) {
	if a.ID == "" {
		return nil, errors.New("give the id of a row, as compare or find returns it")
	}
	c, err := s.compared(reporting(ctx, req), a.pairArgs)
	if err != nil {
		return nil, err
	}
	index, err := s.o.Source.Index(ctx)
	if err != nil {
		return nil, err
	}
	for i := range c.rows {
		if c.rows[i].id() == a.ID {
			return s.explanation(c, index, &c.rows[i]), nil
		}
	}
	return nil, fmt.Errorf("no row has the id %q: compare lists the ids of this comparison", clean(a.ID))
}

func (s *Server) explanation(c *comparison, index *source.Index, r *row) *Explanation {
	e := &Explanation{Row: s.row(c, index, r, maxPlaces), Basis: c.made.Subject.EnergyFrom}
	if all := c.made.Judgement.Sentences; len(all) > 0 {
		e.WholeFirst = all[0]
	}
	var evidence *report.Evidence
	var split *report.Split
	if t := r.task; t != nil {
		e.Path, e.Moved, e.Components, e.Threads, evidence, split = ends(t.Path), t.Moved, t.Components, t.Threads, t.Evidence, t.Split
		if p := t.Peer; p != nil {
			e.Counterpart = counterpart(p.Method, p.Energy, p.How, p.Confidence.Message, p.Path, t.Path)
		}
		if p := t.PossiblePeer; p != nil {
			e.PossiblePeer = counterpart(p.Method, p.Energy, p.How, p.Confidence.Message, p.Path, t.Path)
		}
		s.tree(c, e)
	} else {
		t := r.code
		e.Path, e.Threads, evidence, split = ends(t.Path), t.Threads, t.Evidence, t.Split
		if p := t.Peer; p != nil {
			e.Counterpart = counterpart(p.Method, p.Energy, p.How, "", p.Path, t.Path)
		}
	}
	e.Threads = slices.DeleteFunc(slices.Clone(e.Threads), func(thread string) bool { return thread == "" })
	if split != nil {
		e.Split = split.Message
	}
	if evidence != nil && e.Counts {
		e.Evidence = &Evidence{evidence.Message, evidence.P, evidence.Q}
	}
	return e
}

func counterpart(method string, energy units.Energy, how, confidence string, path, other []string) *Counterpart {
	c := &Counterpart{Method: method, EnergyNJ: energy, How: how, Confidence: confidence}
	if fmt.Sprint(path) != fmt.Sprint(other) {
		c.Path = ends(path)
	}
	return c
}

// ends shortens a long path in the middle.
func ends(path []string) []string {
	if len(path) <= pathLabels {
		return append([]string{}, path...)
	}
	short := append([]string{}, path[:pathLabels/3]...)
	short = append(short, fmt.Sprintf("… %d more", len(path)-pathLabels))
	return append(short, path[len(path)-(pathLabels-pathLabels/3):]...)
}

// pruned returns the parts of a task's call trees to omit, so that about the given number of rows
// remain below the task. The rows of the path to the task do not count.
func pruned(r *analysis.Result, task, rows int) analysis.Prune {
	return analysis.Prune{MinShare: treeShare, MaxRows: rows + int(r.Flask(task, analysis.Prune{MaxRows: 1}).F)}
}

// tree adds those calls below a task that use the most energy, and the sentence about the main
// cause.
func (s *Server) tree(c *comparison, e *Explanation) {
	task, ok := c.set.ByID(e.ID)
	if !ok {
		return
	}
	f := report.NewFlask(c.set, c.set.Result.Flask(task, pruned(c.set.Result, task, treeRows)))
	if f.Why != nil {
		e.Why = f.Why.Text
	}
	depth := make([]int, len(f.Rows.Label))
	for i, label := range f.Rows.Label {
		if f.Rows.Part[i] == 0 {
			depth[i] = -1 // the path to the task
			continue
		}
		above := int(f.Rows.Parent[i])
		if above < 0 {
			above = int(f.Rows.ReferenceParent[i])
		}
		if above >= 0 {
			depth[i] = depth[above] + 1
		}
		at := TreeRow{Depth: depth[i], Method: f.Labels[label]}
		if energy := f.Rows.SubjectEnergy[i]; energy >= 0 {
			at.SubjectNJ = &energy
		}
		if energy := f.Rows.ReferenceEnergy[i]; energy >= 0 {
			at.ReferenceNJ = &energy
		}
		e.Tree = append(e.Tree, at)
	}
}
