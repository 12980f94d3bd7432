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

// A remark is what a file beside the two recordings says of a task, such as a fleet's. It stands in
// a lens at each call of the task, and in its hover.
type remark struct {
	// lens is the kind of lens, a key of the setting codeLens.
	lens string
	// short is what the lens says, empty for nothing; long is a sentence for the hover.
	short, long func(snap *workspace.Snapshot, task int) string
}

// remarks are all of them, in the order of their lenses.
var remarks = []remark{
	{"fleet", fleetFigure, fleetSentence},
	{lensSince, sinceFigure, sinceSentence},
}

// fleetFigure is what a fleet says where a task is suspect.
func fleetFigure(snap *workspace.Snapshot, task int) string {
	s := snap.Set.Suspicion
	if _, suspect := s.Of(&snap.Set.Result.Tasks[task]); !suspect {
		return ""
	}
	return "fleet: " + words.Fleet(s.Claim)
}

func fleetSentence(snap *workspace.Snapshot, task int) string {
	s := snap.Set.Suspicion
	of, suspect := s.Of(&snap.Set.Result.Tasks[task])
	if !suspect {
		return ""
	}
	return "Suspect: " + words.Suspect(of, snap.Scale()) + "; " + words.Suspicion(s, snap.Set.Result)
}

// remarkLenses returns the lenses at a call in a text.
func remarkLenses(snap *workspace.Snapshot, mark *place.Call, text *buffer.Buffer) (lenses []protocol.CodeLens) {
	if mark.Suppressed {
		return nil
	}
	for _, r := range remarks {
		if !snap.Preferences.CodeLens[r.lens] {
			continue
		}
		var said, ids []string
		for _, part := range mark.Tasks {
			if one := r.short(snap, part.Task); one != "" && !snap.Ignored(part.Task) {
				ids = append(ids, snap.Set.Tasks()[part.Task].ID)
				if !slices.Contains(said, one) {
					said = append(said, one)
				}
			}
		}
		if len(said) > 0 {
			lenses = append(lenses, protocol.CodeLens{Range: lensRange(snap, mark.Site, text), Command: &protocol.Command{
				Title: strings.Join(said, "; "), Command: commandShowTask, Arguments: []any{taskArguments{Task: ids[0], Tasks: ids}},
			}})
		}
	}
	return lenses
}

// remarked writes what remarks say of a task.
func remarked(b *prose, snap *workspace.Snapshot, task int) {
	for _, r := range remarks {
		if text := r.long(snap, task); text != "" {
			b.sentence(text)
			b.WriteString("\n")
		}
	}
}

// judged returns what a comparison found, with what the fleet says that the settings name: tasks
// that are suspect come first then. It tells the user where the fleet cannot be used.
func (s *session) judged(r *analysis.Result, o *analysis.Options) *finding.Set {
	set := finding.New(r)
	if o.Fleet == "" {
		return set
	}
	c, err := fleet.ClaimIn(o.Fleet, o.FleetApp, finding.Apps(&r.Subject))
	if err == nil {
		var suspicion *finding.Suspicion
		if suspicion, err = finding.NewSuspicion(r, c, s.workspace.Project().Saved.Battery); err == nil {
			return set.Suspecting(suspicion)
		}
	}
	s.client.Notify(protocol.MethodWindowShowMessage, &protocol.ShowMessageParams{
		Type: protocol.MessageTypeWarning, Message: "What the fleet says is not shown: " + err.Error(),
	})
	return set
}
