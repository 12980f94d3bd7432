package server

import (
	"context"
	"math"

	"go.lsp.dev/protocol"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/lines/metered"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/server/internal/buffer"
	"github.com/diffprof/diffprof/server/internal/lsp"
	"github.com/diffprof/diffprof/server/internal/place"
	"github.com/diffprof/diffprof/server/internal/runner"
	"github.com/diffprof/diffprof/server/internal/workspace"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// followLines reads the finished comparison's subject again to divide its energy by source line. It
// runs afterwards, so the comparison is not delayed. It does nothing if the recording has no lines.
func (s *session) followLines(run *runner.Run, set *finding.Set, o analysis.Options) {
	subject := &set.Result.Subject
	if subject.Metered() {
		run.After(func(ctx context.Context) {
			s.runWork("splitting the measured energy by line", func() error {
				r, err := analysis.Metered(ctx, subject, forLines(o), 0, false)
				if ctx.Err() == nil && r != nil {
					s.workspace.ShowLines(set, &place.Figures{Measured: r})
				}
				return err
			})
		})
		return
	}
	known := subject.Known
	if known.Lines == 0 && (known.PositionShare() == 0 || len(o.Classpath) == 0) {
		return
	}
	run.After(func(ctx context.Context) {
		s.runWork("dividing by line", func() error {
			in, err := s.o.read(ctx, forLines(o))
			switch {
			case ctx.Err() != nil:
				return nil // A newer comparison replaces this comparison.
			case err != nil:
				return err
			}
			s.workspace.ShowLines(set, &place.Figures{Table: in.Lines()})
			return nil
		})
	})
}

// forLines returns options for reading only the source lines of the subject.
func forLines(o analysis.Options) analysis.Options {
	// Lines do not depend on the owners of methods or on the activity of components.
	o.Lines, o.MeterLines, o.Bundles, o.Coverage, o.Sources, o.Manifests, o.Progress = true, true, false, false, nil, nil, nil
	o.Reference = analysis.Side{}
	return o
}

// A linesResult lists the energy of a file's lines.
type linesResult struct {
	// LineHeat is the setting lineHeat. If it is set, plug-ins color the lines.
	LineHeat bool `json:"lineHeat"`
	// Precision is a sentence about how finely energy can be divided by line. It is empty until the
	// lines are known.
	Precision string     `json:"carry"`
	Lines     []lineItem `json:"lines"`
}

// A lineItem is a line of a source file.
type lineItem struct {
	// Line counts from 0.
	Line int `json:"line"`
	// Heat is the line's color, from 1 (blue) to words.Heats (red). It is 0 if the energy is too
	// uncertain: too few samples, or a measured run that does not determine it.
	Heat int `json:"heat"`
	// Text is the figure with its unit. Message is a sentence about the line.
	Text    string `json:"text"`
	Message string `json:"message"`
	// EnergyNJ is the energy of the line without callees, between LeastNJ and MostNJ. These are
	// null for a line with too few samples. AllNJ includes callees. It is null, and AllShare is 0,
	// if the recording has no lines of callers.
	EnergyNJ *units.Energy `json:"energyNJ"`
	LeastNJ  *units.Energy `json:"leastNJ"`
	MostNJ   *units.Energy `json:"mostNJ"`
	AllNJ    *units.Energy `json:"allNJ"`
	Share    float64       `json:"share"`
	AllShare float64       `json:"allShare"`
	Samples  float64       `json:"samples"`
	// Provenance is the origin of the energy, such as "cpu-time", or "fitted" for measured lines.
	Provenance string `json:"provenance"`
	// Executions counts the executions of a line, and EachNJ is the energy of one. They are known
	// only for lines measured by a meter. For other lines, they are 0 and null.
	Executions int64         `json:"executions"`
	EachNJ     *units.Energy `json:"eachNJ"`
	// Stale is the reason why the line may be wrong. It is empty if the line is right.
	Stale string `json:"stale"`
}

// lineUses returns the lines of a file whose own energy is large enough to show.
func lineUses(_ context.Context, snap *workspace.Snapshot, p *lsp.LinesParams) (*linesResult, error) {
	out := &linesResult{LineHeat: snap.Preferences.LineHeat, Lines: []lineItem{}}
	path, err := lsp.PathOf(p.TextDocument.URI)
	if snap.Set == nil || err != nil {
		return out, nil
	}
	out.Precision = linePrecision(snap)
	if snap.Lines == nil {
		return out, nil
	}
	for _, l := range snap.Lines.Files[snap.Roots.Name(path)] {
		if f := figureOf(snap, &l); !l.Suppressed && f.matters(snap) {
			out.Lines = append(out.Lines, f.item(snap, &l))
		}
	}
	return out, nil
}

// A lineUse has the figures of a line. measured is set if a meter measured them.
type lineUse struct {
	words.LineUse
	measured *metered.Row
}

// item describes the line for plug-ins.
func (u *lineUse) item(snap *workspace.Snapshot, l *place.Line) lineItem {
	item := lineItem{
		Line: l.Line, Text: words.FewSamples, Message: u.describe(snap, l), Share: u.OwnShare, AllShare: u.AllShare, Samples: u.Samples,
		Provenance: snap.Set.Result.Subject.Trace.Energy.String(), Stale: l.Stale,
	}
	if u.measured != nil {
		item.Text, item.Provenance, item.Executions = words.Undetermined, trace.Fitted.String(), u.measured.Executions
	} else if snap.Lines.Table.Callers {
		item.AllNJ = &u.All
	}
	if u.Least == nil {
		return item
	}
	item.Heat, item.Text = words.Heat(u.OwnShare), u.figure(snap)
	item.EnergyNJ, item.LeastNJ, item.MostNJ = &u.Own, u.Least, u.Most
	if item.Executions > 0 {
		each := words.PerExecution(u.Own, item.Executions)
		item.EachNJ = &each
	}
	return item
}

// linePrecision returns the text of linesResult.Precision.
func linePrecision(snap *workspace.Snapshot) string {
	switch known := &snap.Set.Result.Subject.Known; {
	case snap.Lines != nil && snap.Lines.Measured != nil:
		return report.MeteredPrecision(snap.Lines.Measured)
	case snap.Lines != nil:
		return report.LinePrecision(&snap.Set.Result.Subject, snap.Lines.Table)
	case known.Lines > 0:
		return ""
	default:
		return report.LinePrecision(&snap.Set.Result.Subject, nil)
	}
}

// figureOf returns the figures of a line.
func figureOf(snap *workspace.Snapshot, l *place.Line) *lineUse {
	if r := l.Measured; r != nil {
		use := &lineUse{measured: r}
		use.Own, use.OwnShare = r.Energy, units.Share(r.Energy, snap.Lines.Measured.Metered)
		if snap.Lines.Measured.Shown(r) {
			use.Least, use.Most = &r.Least, &r.Most
		}
		return use
	}
	t := snap.Lines.Table
	use := &lineUse{}
	use.Own, use.OwnShare, use.Samples = l.Row.Own, units.Share(l.Row.Own, t.Total), l.Row.Samples
	if t.Callers {
		use.All, use.AllShare = l.Row.All, units.Share(l.Row.All, t.Total)
		if i, ok := t.All(l.Row); ok {
			use.AllLeast, use.AllMost = &i.Least, &i.Most
		}
	}
	if i, ok := t.Own(l.Row); ok {
		use.Least, use.Most = &i.Least, &i.Most
	}
	return use
}

// matters reports whether the own energy of a line is large enough to show.
func (u *lineUse) matters(snap *workspace.Snapshot) bool {
	return u.Own > 0 && u.OwnShare >= snap.LeastShare()
}

// figure formats the energy of a line with its interval. For a measured line, it also adds the
// number of executions.
func (u *lineUse) figure(snap *workspace.Snapshot) string {
	if u.measured != nil {
		return words.MeteredFigure(snap.Scale(), u.Own, *u.Least, *u.Most, u.measured.Executions)
	}
	return words.LineFigure(snap.Scale(), u.Own, *u.Least, *u.Most)
}

// describe describes a line in a sentence without a full stop.
func (u *lineUse) describe(snap *workspace.Snapshot, l *place.Line) string {
	text := u.Line(snap.Scale())
	if r := u.measured; r != nil {
		most := units.Energy(0)
		if u.Most != nil {
			most = *u.Most
		}
		text = words.MeteredLine(snap.Scale(), u.Own, r.Least, most, u.OwnShare, r.Executions, r.Paths)
	}
	if l.Stale != "" {
		text += ". " + l.Row.Method.Short() + " " + l.Stale
	}
	return text
}

// lineHints returns hints with the energy of the lines in a range. Each hint is after the text of
// its line.
func lineHints(snap *workspace.Snapshot, path string, from, to int) []lsp.InlayHint {
	list := snap.Lines.In(path, from, to)
	if len(list) == 0 {
		return nil
	}
	text := snap.TextOf(path)
	if text == nil {
		return nil
	}
	var out []lsp.InlayHint
	for _, l := range list {
		use := figureOf(snap, &l)
		if use.Least == nil || l.Suppressed || !use.matters(snap) || l.Line >= text.Lines() {
			continue
		}
		label := use.figure(snap)
		if l.Stale != "" {
			label += " · source changed"
		}
		out = append(out, lsp.InlayHint{
			Position:    lsp.PositionOf(endOf(text, l.Line, snap.Encoding)),
			Label:       label,
			PaddingLeft: true,
			Tooltip:     &protocol.MarkupContent{Kind: protocol.PlainText, Value: use.describe(snap, &l)},
		})
	}
	return out
}

// endOf returns the position after the last character of a line.
func endOf(text *buffer.Buffer, line int, encoding buffer.Encoding) buffer.Position {
	end := text.Offset(buffer.Position{Line: line, Column: math.MaxInt}, encoding)
	return text.Position(end, encoding)
}
