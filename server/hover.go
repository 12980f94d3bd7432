package server

import (
	"context"
	"fmt"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/render"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/server/internal/place"
	"github.com/diffprof/diffprof/server/internal/workspace"
)

// maxHoverTasks is the most tasks whose flasks one hover shows. The hover says how
// many more there are.
const maxHoverTasks = 3

// hover says all that a comparison knows of a call or a method, for clients that show
// no lenses.
func hover(ctx context.Context, snap *workspace.Snapshot, p *protocol.HoverParams) (*protocol.Hover, error) {
	marks, path := snap.Marks(p.TextDocument.URI)
	if marks == nil {
		return nil, nil
	}
	at := snap.PlaceOf(path, p.Position)
	var text strings.Builder
	var where place.Site
	for i := range marks.Methods {
		if m := &marks.Methods[i]; m.Site.Contains(at) {
			where = m.Site
			describeMethod(&text, snap, m)
		}
	}
	for i := range marks.Calls {
		if mark := &marks.Calls[i]; mark.Site.Contains(at) {
			where = mark.Site
			if err := describeTasks(ctx, &text, snap, mark); err != nil {
				return nil, err
			}
		}
	}
	if text.Len() == 0 {
		return nil, nil
	}
	r := snap.RangeOf(where)
	return &protocol.Hover{
		Contents: protocol.MarkupContent{Kind: protocol.Markdown, Value: strings.TrimSpace(text.String())},
		Range:    &r,
	}, nil
}

// describeMethod writes the figures of a method or class and the tasks that it
// calls.
func describeMethod(b *strings.Builder, snap *workspace.Snapshot, m *place.Method) {
	name := m.Cost.Method.Short()
	if m.Cost.Method.Name == "" {
		name = m.Cost.Method.Class()
	}
	fmt.Fprintf(b, "**%s** %s\n", escape(name), escape(words.Cost(snap.Set, m.Cost, snap.Saving(m.Cost), snap.Scale())))
	if f := m.Cost.Code; snap.ShowsCode(f) {
		fmt.Fprintf(b, "\n%s.\n", escape(words.CodeFinding(snap.Set, f, snap.Scale())))
	}
	if m.Stale != "" {
		fmt.Fprintf(b, "\n%s %s.\n", escape(name), escape(m.Stale))
	}
	shown := 0
	for _, part := range m.Cost.Tasks {
		i := part.Task
		if snap.Set.Result.Tasks[i].Saving <= 0 || snap.Ignored(i) {
			continue
		}
		if shown++; shown > maxHoverTasks {
			continue
		}
		fmt.Fprintf(b, "\n- %s", escape(words.Finding(snap.Set, i, snap.Scale())))
	}
	if shown > maxHoverTasks {
		fmt.Fprintf(b, "\n- and %d more", shown-maxHoverTasks)
	}
	b.WriteString("\n\n")
}

// describeTasks writes the flasks of the tasks that a place calls.
func describeTasks(ctx context.Context, b *strings.Builder, snap *workspace.Snapshot, mark *place.Call) error {
	shown := 0
	for _, group := range groups(snap, mark) {
		for _, part := range group {
			if shown++; shown > maxHoverTasks {
				continue
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			if shown > 1 {
				b.WriteString("\n\n---\n\n")
			}
			text, err := flasks(snap, part.Task)
			if err != nil {
				return err
			}
			b.WriteString(text)
			for _, note := range []string{partly(snap, part), whereabouts(mark, part)} {
				if note != "" && part.First {
					fmt.Fprintf(b, "\n%s.\n", escape(note))
				}
			}
		}
	}
	if shown > maxHoverTasks {
		fmt.Fprintf(b, "\n\nand %s more", words.Some(shown-maxHoverTasks, "task"))
	}
	if mark.Stale != "" {
		fmt.Fprintf(b, "\n\n%s %s.", escape(mark.Caller.Short()), escape(mark.Stale))
	}
	return nil
}

// flasks shows a task's two flasks side by side, in Markdown.
func flasks(snap *workspace.Snapshot, task int) (string, error) {
	var b strings.Builder
	d := &report.Document{View: report.OneTask, Result: snap.Set.Result, Task: task}
	markdown, _ := render.Find(report.OneTask, "markdown")
	err := markdown.Render(&b, d, report.Options{Unit: snap.Preferences.Unit})
	return b.String(), err
}

// escape keeps names from being read as Markdown.
func escape(text string) string { return markdownEscaper.Replace(text) }

var markdownEscaper = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "<", `\<`, ">", `\>`, "[", `\[`, "]", `\]`, "|", `\|`, "#", `\#`, "\n", " ", "\r", " ",
)
