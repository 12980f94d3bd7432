package server

import (
	"context"
	"fmt"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/render"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/server/internal/lsp"
	"github.com/diffprof/diffprof/server/internal/place"
	"github.com/diffprof/diffprof/server/internal/workspace"
)

// maxHoverTasks limits the number of tasks in a hover. The hover states how many more tasks there
// are.
const maxHoverTasks = 3

// hover returns all results of the comparison about a call, a method or a line. It also serves
// clients without lenses.
func hover(ctx context.Context, snap *workspace.Snapshot, p *protocol.HoverParams) (*protocol.Hover, error) {
	if text, at, ok := projectPlace(snap, p.TextDocument, p.Position); ok {
		return hoverSetting(snap, text, at), nil
	}
	marks, path := snap.Marks(p.TextDocument.URI)
	switch {
	case marks == nil && snap.Lines == nil:
		return nil, nil
	case marks == nil:
		marks = new(place.Marks)
	}
	at := snap.PlaceOf(path, p.Position)
	text := &prose{plain: !snap.Client.ReadsMarkdown()}
	var where place.Site
	for i := range marks.Methods {
		if m := &marks.Methods[i]; m.Site.Contains(at) {
			where = m.Site
			describeMethod(text, snap, m)
		}
	}
	for i := range marks.Calls {
		if mark := &marks.Calls[i]; mark.Site.Contains(at) {
			where = mark.Site
			if err := describeTasks(ctx, text, snap, mark); err != nil {
				return nil, err
			}
		}
	}
	r := snap.RangeOf(where)
	for _, l := range snap.Lines.In(path, at.Line, at.Line) {
		if use := figureOf(snap, &l); max(use.OwnShare, use.AllShare) >= snap.LeastShare() {
			if text.Len() == 0 {
				r = lineRange(snap, path, at.Line)
			}
			text.sentence(use.describe(snap, &l))
		}
	}
	if text.Len() == 0 {
		return nil, nil
	}
	return &protocol.Hover{Contents: text.content(), Range: &r}, nil
}

// lineRange returns the range of a line without its indentation.
func lineRange(snap *workspace.Snapshot, path string, line int) protocol.Range {
	var r protocol.Range
	r.Start.Line, r.End.Line = uint32(line), uint32(line)
	if text := snap.TextOf(path); text != nil {
		r.Start.Character, r.End = indentation(text.Line(line)), lsp.PositionOf(endOf(text, line, snap.Encoding))
	}
	return r
}

// describeMethod writes the figures of a method or class and the tasks that it
// calls.
func describeMethod(b *prose, snap *workspace.Snapshot, m *place.Method) {
	name := m.Cost.Method.Short()
	if m.Cost.Method.Name == "" {
		name = m.Cost.Method.Class()
	}
	b.head(name, words.Cost(snap.Set, m.Cost, snap.Saving(m.Cost), snap.SavingInterval(m.Cost), snap.Scale()))
	if f := m.Cost.Code; snap.ShowsCode(f) {
		b.sentence(words.CodeFinding(snap.Set, f.Row, snap.Scale()))
	}
	if since := snap.LastChanges.Method(m.Cost.Method); since != nil {
		b.sentence(words.SinceFull(since, snap.Scale()))
	}
	if m.Stale != "" {
		b.sentence(name + " " + m.Stale)
	}
	shown := 0
	for _, part := range m.Cost.Tasks {
		i := part.Task
		if !snap.Set.Tasks()[i].IsFinding || snap.Ignored(i) {
			continue
		}
		if shown++; shown > maxHoverTasks {
			continue
		}
		b.item(words.Finding(snap.Set, i, snap.Scale()))
	}
	if shown > maxHoverTasks {
		b.item(fmt.Sprintf("and %d more", shown-maxHoverTasks))
	}
	b.WriteString("\n\n")
}

// describeTasks writes the flasks of the tasks that a place calls, or one sentence per task for
// clients that show no tables.
func describeTasks(ctx context.Context, b *prose, snap *workspace.Snapshot, mark *place.Call) error {
	parts, rest := outerFirst(snap, groups(snap, mark), maxHoverTasks)
	for i, part := range parts {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !b.plain && i > 0 {
			b.WriteString("\n\n---\n\n")
		}
		remarked(b, snap, &part)
		if b.plain {
			b.sentence(words.Finding(snap.Set, part.Task, snap.Scale()))
		} else {
			text, err := flasks(snap, part.Task)
			if err != nil {
				return err
			}
			b.WriteString(text)
		}
		for _, note := range []string{partOfTask(snap, part), uncertainty(mark, part)} {
			if note != "" && part.First {
				b.sentence(note)
			}
		}
	}
	if rest > 0 {
		fmt.Fprintf(b, "\n\nand %s more", words.Some(rest, "task"))
	}
	for i := range mark.Tasks {
		if part := &mark.Tasks[i]; snap.Set.Tasks()[part.Task].Code == finding.Nothing {
			remarked(b, snap, part)
		}
	}
	if mark.Stale != "" {
		fmt.Fprintf(b, "\n")
		b.sentence(mark.Caller.Short() + " " + mark.Stale)
	}
	return nil
}

// A prose is a text in Markdown, or plain text for clients without Markdown.
type prose struct {
	strings.Builder
	plain bool
}

func (b *prose) escaped(text string) string {
	if b.plain {
		return text
	}
	return escape(text)
}

// head writes a name and its description.
func (b *prose) head(name, text string) {
	if b.plain {
		fmt.Fprintf(b, "%s: %s\n", name, text)
		return
	}
	fmt.Fprintf(b, "**%s** %s\n", escape(name), escape(text))
}

// sentence writes a paragraph.
func (b *prose) sentence(text string) { fmt.Fprintf(b, "\n%s.\n", b.escaped(text)) }

// item writes an item of a list.
func (b *prose) item(text string) { fmt.Fprintf(b, "\n- %s", b.escaped(text)) }

// content returns the text in the protocol's form.
func (b *prose) content() protocol.MarkupContent {
	kind := protocol.Markdown
	if b.plain {
		kind = protocol.PlainText
	}
	return protocol.MarkupContent{Kind: kind, Value: strings.TrimSpace(b.String())}
}

// flasks shows a task's two flasks side by side, in Markdown.
func flasks(snap *workspace.Snapshot, task int) (string, error) {
	var b strings.Builder
	d := &report.Document{View: report.OneTask, Set: snap.Set, Task: task}
	markdown, _ := render.Find(report.OneTask, "markdown")
	err := markdown.Render(&b, d, report.Options{Unit: snap.Preferences.Unit})
	return b.String(), err
}

// escape escapes a name for Markdown.
func escape(text string) string { return markdownEscaper.Replace(text) }

var markdownEscaper = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "<", `\<`, ">", `\>`, "[", `\[`, "]", `\]`, "|", `\|`, "#", `\#`, "\n", " ", "\r", " ",
)
