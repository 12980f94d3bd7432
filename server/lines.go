package server

import (
	"context"
	"math"

	"go.lsp.dev/protocol"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/server/internal/buffer"
	"github.com/diffprof/diffprof/server/internal/lsp"
	"github.com/diffprof/diffprof/server/internal/place"
	"github.com/diffprof/diffprof/server/internal/runner"
	"github.com/diffprof/diffprof/server/internal/workspace"
	"github.com/diffprof/diffprof/units"
)

// followLines divides the subject of a finished comparison by source line. This needs another reading of
// the recording, so it does not delay the comparison. A recording without lines is not read again.
func (s *session) followLines(run *runner.Run, set *finding.Set, o analysis.Options) {
	known := set.Result.Subject.Known
	if known.Lines == 0 && (known.Places() == 0 || len(o.Classpath) == 0) {
		return
	}
	run.After(func(ctx context.Context) {
		s.carryOut("dividing by line", func() error {
			in, err := s.o.read(ctx, forLines(o))
			switch {
			case ctx.Err() != nil:
				return nil // a newer comparison replaces this one
			case err != nil:
				return err
			}
			s.workspace.ShowLines(set, in.Lines())
			return nil
		})
	})
}

// forLines returns the options that divide the subject of a comparison by line.
func forLines(o analysis.Options) analysis.Options {
	// Lines need neither whose code a method is nor the activity of components.
	o.Lines, o.Bundles, o.Coverage, o.Sources, o.Manifests, o.Progress = true, false, false, nil, nil, nil
	o.Reference = analysis.Side{}
	return o
}

// A linesResult has the lines of a file with their energy.
type linesResult struct {
	// LineHeat is the setting of this name, for plug-ins that colour lines.
	LineHeat bool `json:"lineHeat"`
	// Carry says how finely the subject can be divided by line. It is empty until the subject has been
	// divided.
	Carry string     `json:"carry"`
	Lines []lineItem `json:"lines"`
}

// A lineItem is a line of a source file.
type lineItem struct {
	// Line counts from 0.
	Line int `json:"line"`
	// Heat is the colour of the line: from 1, blue, to words.Heats, red. It is 0 for a line with too few
	// samples for a figure.
	Heat int `json:"heat"`
	// Text is the figure with its unit. Message is a sentence about the line.
	Text    string `json:"text"`
	Message string `json:"message"`
	// EnergyNJ is the energy of the line itself, and LeastNJ and MostNJ are the ends of its interval.
	// They are null for a line with too few samples. AllNJ is the energy with callees. It is null, and
	// AllShare is 0, if the recording has no lines of callers.
	EnergyNJ *units.Energy `json:"energyNJ"`
	LeastNJ  *units.Energy `json:"leastNJ"`
	MostNJ   *units.Energy `json:"mostNJ"`
	AllNJ    *units.Energy `json:"allNJ"`
	Share    float64       `json:"share"`
	AllShare float64       `json:"allShare"`
	Samples  float64       `json:"samples"`
	// Stale is the reason why the line may be wrong; empty if it is right.
	Stale string `json:"stale"`
}

// lineUses returns the lines of a file whose own energy is large enough to show.
func lineUses(_ context.Context, snap *workspace.Snapshot, p *lsp.LinesParams) (*linesResult, error) {
	out := &linesResult{LineHeat: snap.Preferences.LineHeat, Lines: []lineItem{}}
	path, err := lsp.PathOf(p.TextDocument.URI)
	if snap.Set == nil || err != nil {
		return out, nil
	}
	out.Carry = carry(snap)
	if snap.Lines == nil {
		return out, nil
	}
	for _, l := range snap.Lines.Files[snap.Roots.Name(path)] {
		use := useOf(snap, &l)
		if l.Suppressed || !matters(snap, &use) {
			continue
		}
		item := lineItem{
			Line: l.Line, Text: words.FewSamples, Message: describeLine(snap, &l, &use),
			Share: use.OwnShare, AllShare: use.AllShare, Samples: use.Samples, Stale: l.Stale,
		}
		if snap.Lines.Table.Callers {
			item.AllNJ = &use.All
		}
		if use.Least != nil {
			item.Heat, item.Text = words.Heat(use.OwnShare), words.LineFigure(snap.Scale(), use.Own, *use.Least, *use.Most)
			item.EnergyNJ, item.LeastNJ, item.MostNJ = &use.Own, use.Least, use.Most
		}
		out.Lines = append(out.Lines, item)
	}
	return out, nil
}

// carry says how finely the subject can be divided by line. It is empty until the subject has been
// divided.
func carry(snap *workspace.Snapshot) string {
	switch known := &snap.Set.Result.Subject.Known; {
	case snap.Lines != nil:
		return report.Carry(&snap.Set.Result.Subject, snap.Lines.Table)
	case known.Lines > 0:
		return ""
	default:
		return report.Carry(&snap.Set.Result.Subject, nil)
	}
}

// useOf returns the figures of a line.
func useOf(snap *workspace.Snapshot, l *place.Line) words.LineUse {
	t := snap.Lines.Table
	use := words.LineUse{
		Own: l.Row.Own, OwnShare: units.Share(l.Row.Own, t.Total), Samples: l.Row.Samples,
	}
	if t.Callers {
		use.All, use.AllShare = l.Row.All, units.Share(l.Row.All, t.Total)
	}
	if i, ok := t.Own(l.Row); ok {
		use.Least, use.Most = &i.Least, &i.Most
	}
	return use
}

// matters reports whether the own energy of a line is large enough to show.
func matters(snap *workspace.Snapshot, use *words.LineUse) bool {
	return use.Own > 0 && use.OwnShare >= snap.LeastShare()
}

// describeLine describes a line in a sentence without a full stop.
func describeLine(snap *workspace.Snapshot, l *place.Line, use *words.LineUse) string {
	text := use.Line(snap.Scale())
	if l.Stale != "" {
		text += ". " + l.Row.Method.Short() + " " + l.Stale
	}
	return text
}

// lineHints returns the energy of the lines from one to another, after the text of each line.
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
		use := useOf(snap, &l)
		if use.Least == nil || l.Suppressed || !matters(snap, &use) || l.Line >= text.Lines() {
			continue
		}
		label := words.LineFigure(snap.Scale(), use.Own, *use.Least, *use.Most)
		if l.Stale != "" {
			label += " · source changed"
		}
		out = append(out, lsp.InlayHint{
			Position:    lsp.PositionOf(endOf(text, l.Line, snap.Encoding)),
			Label:       label,
			PaddingLeft: true,
			Tooltip:     &protocol.MarkupContent{Kind: protocol.PlainText, Value: describeLine(snap, &l, &use)},
		})
	}
	return out
}

// endOf returns the position after the last character of a line.
func endOf(text *buffer.Buffer, line int, encoding buffer.Encoding) buffer.Position {
	end := text.Offset(buffer.Position{Line: line, Column: math.MaxInt}, encoding)
	return text.Position(end, encoding)
}
