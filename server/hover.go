package server

import (
	"context"
	"fmt"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/diffprof/diffprof/server/internal/place"
	"github.com/diffprof/diffprof/trace"
)

// maxHoverTasks bounds the tasks whose flasks one hover shows; what is left out is
// counted.
const maxHoverTasks = 3

// hover says all that a comparison knows of a call or a method: clients without
// lenses have nothing else.
func (s *session) hover(ctx context.Context, p *protocol.HoverParams) (*protocol.Hover, error) {
	v, path, err := s.viewOf(ctx, p.TextDocument.URI)
	if err != nil || v == nil {
		return nil, err
	}
	at := s.placeOf(path, p.Position)
	var text strings.Builder
	var where place.Site
	for i := range v.layout.Files[path].Methods {
		if m := &v.layout.Files[path].Methods[i]; m.Site.Contains(at) {
			where = m.Site
			v.describeMethod(&text, m)
		}
	}
	for i := range v.layout.Files[path].Calls {
		if mark := &v.layout.Files[path].Calls[i]; mark.Site.Contains(at) {
			where = mark.Site
			if err := v.describeTasks(ctx, &text, mark); err != nil {
				return nil, err
			}
		}
	}
	if text.Len() == 0 {
		return nil, nil
	}
	r := s.rangeOf(where)
	return &protocol.Hover{
		Contents: protocol.MarkupContent{Kind: protocol.Markdown, Value: strings.TrimSpace(text.String())},
		Range:    &r,
	}, nil
}

// describeMethod writes the figures of a method or class and the tasks that it
// calls.
func (v *view) describeMethod(b *strings.Builder, m *place.Method) {
	w := v.words()
	name := m.Cost.Method.Class()
	if m.Cost.Method.Name != "" {
		name = trace.Short(m.Cost.Method.Label())
	}
	fmt.Fprintf(b, "**%s** %s\n", escape(name), escape(w.lens(m.Cost, v.saving(m.Cost))))
	if m.Stale != "" {
		fmt.Fprintf(b, "\n%s %s.\n", escape(name), escape(m.Stale))
	}
	shown := 0
	for _, part := range m.Cost.Tasks {
		i := part.Task
		if v.layout.Set.Result.Tasks[i].Saving <= 0 || v.ignored(i) {
			continue
		}
		if shown++; shown > maxHoverTasks {
			continue
		}
		fmt.Fprintf(b, "\n- %s", escape(w.task(i)))
	}
	if shown > maxHoverTasks {
		fmt.Fprintf(b, "\n- and %d more", shown-maxHoverTasks)
	}
	b.WriteString("\n\n")
}

// describeTasks writes the flasks of the tasks that a place calls.
func (v *view) describeTasks(ctx context.Context, b *strings.Builder, mark *place.Call) error {
	shown := 0
	for _, group := range v.groups(mark) {
		for _, i := range group {
			if shown++; shown > maxHoverTasks {
				continue
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			if shown > 1 {
				b.WriteString("\n\n---\n\n")
			}
			text, err := v.markdown(i)
			if err != nil {
				return err
			}
			b.WriteString(text)
		}
	}
	if shown > maxHoverTasks {
		fmt.Fprintf(b, "\n\nand %s more", plural(shown-maxHoverTasks, "task"))
	}
	if mark.Stale != "" {
		fmt.Fprintf(b, "\n\n%s %s.", escape(trace.Short(mark.Caller.Label())), escape(mark.Stale))
	}
	return nil
}

// escape keeps names from being read as Markdown.
func escape(text string) string { return markdownEscaper.Replace(text) }

var markdownEscaper = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "<", `\<`, ">", `\>`, "[", `\[`, "]", `\]`, "|", `\|`, "#", `\#`, "\n", " ", "\r", " ",
)
