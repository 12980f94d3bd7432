package server

import (
	"context"
	"fmt"
	"strings"

	"go.lsp.dev/protocol"

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
	var where site
	for i := range v.layout.files[path].methods {
		if m := &v.layout.files[path].methods[i]; m.site.contains(at) {
			where = m.site
			v.describeMethod(&text, m)
		}
	}
	for i := range v.layout.files[path].calls {
		if mark := &v.layout.files[path].calls[i]; mark.site.contains(at) {
			where = mark.site
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
func (v *view) describeMethod(b *strings.Builder, m *methodMark) {
	w := v.words()
	name := m.cost.Method.Class()
	if m.cost.Method.Name != "" {
		name = trace.Short(m.cost.Method.Label())
	}
	fmt.Fprintf(b, "**%s** %s\n", escape(name), escape(w.lens(m.cost, v.saving(m.cost))))
	if m.stale != "" {
		fmt.Fprintf(b, "\n%s %s.\n", escape(name), escape(m.stale))
	}
	shown := 0
	for _, part := range m.cost.Tasks {
		i := part.Task
		if v.layout.set.Result.Tasks[i].Saving <= 0 || v.ignored(i) {
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
func (v *view) describeTasks(ctx context.Context, b *strings.Builder, mark *callMark) error {
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
	if mark.stale != "" {
		fmt.Fprintf(b, "\n\n%s %s.", escape(trace.Short(mark.caller.Label())), escape(mark.stale))
	}
	return nil
}

// escape keeps names from being read as Markdown.
func escape(text string) string { return markdownEscaper.Replace(text) }

var markdownEscaper = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "<", `\<`, ">", `\>`, "[", `\[`, "]", `\]`, "|", `\|`, "#", `\#`, "\n", " ", "\r", " ",
)
