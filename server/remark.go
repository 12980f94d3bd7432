package server

import (
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/fleet"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/server/internal/buffer"
	"github.com/diffprof/diffprof/server/internal/place"
	"github.com/diffprof/diffprof/server/internal/workspace"
)

// A fileRemark is extra information about a task from another file, such as a fleet's findings or
// API costs. It is shown at each call of the task, in a lens and in the hover.
type fileRemark struct {
	// lens is the kind of lens, a key of the setting codeLens.
	lens string
	// short returns the text of the lens, or "" for no lens. long returns a sentence for the hover.
	short, long func(snap *workspace.Snapshot, part *place.Part) string
}

// remarks are all kinds of remarks, in the order of their lenses.
var remarks = []fileRemark{
	{lensAPI, apiFigure, apiSentence},
	{"fleet", fleetFigure, fleetSentence},
	{lensSince, sinceFigure, sinceSentence},
}

// fleetFigure returns the fleet's finding about a task, or "" if the fleet does not suspect it.
func fleetFigure(snap *workspace.Snapshot, part *place.Part) string {
	task, s := part.Task, snap.Set.Suspicion
	if _, suspect := s.Suspect(&snap.Set.Result.Tasks[task]); !suspect {
		return ""
	}
	return "fleet: " + words.Fleet(s.Claim)
}

func fleetSentence(snap *workspace.Snapshot, part *place.Part) string {
	task, s := part.Task, snap.Set.Suspicion
	found, suspect := s.Suspect(&snap.Set.Result.Tasks[task])
	if !suspect {
		return ""
	}
	return "Suspect: " + words.Suspect(found, snap.Scale()) + "; " + words.Suspicion(s, snap.Set.Result)
}

// remarkLenses returns the lenses about a call from all remarks. text is the text of the file.
func remarkLenses(snap *workspace.Snapshot, mark *place.Call, text *buffer.Buffer) (lenses []protocol.CodeLens) {
	if mark.Suppressed {
		return nil
	}
	for _, r := range remarks {
		if !snap.Preferences.CodeLens[r.lens] {
			continue
		}
		var texts, ids []string
		for i := range mark.Tasks {
			part := &mark.Tasks[i]
			if one := r.short(snap, part); one != "" && !snap.Ignored(part.Task) {
				ids = append(ids, snap.Set.Tasks()[part.Task].ID)
				if !slices.Contains(texts, one) {
					texts = append(texts, one)
				}
			}
		}
		if len(texts) > 0 {
			lenses = append(lenses, protocol.CodeLens{Range: lensRange(snap, mark.Site, text), Command: &protocol.Command{
				Title: strings.Join(texts, "; "), Command: commandShowTask, Arguments: []any{taskArguments{Task: ids[0], Tasks: ids}},
			}})
		}
	}
	return lenses
}

// remarked writes all remarks about a task.
func remarked(b *prose, snap *workspace.Snapshot, part *place.Part) {
	for _, r := range remarks {
		if text := r.long(snap, part); text != "" {
			b.sentence(text)
			b.WriteString("\n")
		}
	}
}

// judged returns the findings of a comparison. Tasks that the configured fleet suspects come first.
// If the fleet cannot be used, the user gets a message.
func (s *session) judged(r *analysis.Result, o *analysis.Options) *finding.Set {
	set := finding.New(r)
	if o.Fleet == "" {
		return set
	}
	c, err := fleet.ReadClaim(o.Fleet, o.FleetApp, finding.Apps(&r.Subject))
	if err == nil {
		var suspicion *finding.Suspicion
		if suspicion, err = finding.NewSuspicion(r, c, s.workspace.Project().Saved.Battery); err == nil {
			return set.WithSuspicion(suspicion)
		}
	}
	s.client.Notify(protocol.MethodWindowShowMessage, &protocol.ShowMessageParams{
		Type: protocol.MessageTypeWarning, Message: "The fleet cannot be used: " + err.Error(),
	})
	return set
}
