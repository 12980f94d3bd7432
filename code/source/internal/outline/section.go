package outline

import (
	"strings"

	"github.com/diffprof/diffprof/code/source/internal/syntaxtree"
)

// A Section is a call that begins a slice in traces, such as Trace.beginSection("bind"). A slice is
// a named part of the program's work.
type Section struct {
	// Text is the slice's name. It has a [Hole] for each value that is known only at run time.
	Text string
	At   Place
	Tail Tail
	// Owner is the innermost member that contains the call.
	Owner int32
}

// Hole represents a value in the text of a section.
const Hole = "\x00"

// sectionCalls are the functions whose first argument names a section: beginSection of
// android.os.Trace and androidx.tracing.Trace, trace of androidx.tracing and of Compose, and
// spanBuilder of OpenTelemetry.
var sectionCalls = map[string]bool{"beginSection": true, "trace": true, "spanBuilder": true}

// addSection adds the section with the given text. It adds none if the text has no constant part.
func (b *builder) addSection(c call, text string) {
	if strings.Trim(text, Hole) == "" || len(text) > maxName || b.member == None || c.at.Start() == c.at.End() {
		return
	}
	s := Section{Text: text, At: b.place(c.at), Owner: b.member}
	s.Tail = b.lines.tail(s.At, c.whole.End())
	b.file.Sections = append(b.file.Sections, s)
}

// sectionText returns the text of an expression, with a [Hole] for each value in it. It returns ""
// if the expression does not begin with a string literal.
func sectionText(n syntaxtree.Node) string {
	switch n.Kind() {
	case "string_literal":
		return literalText(n)
	case "parenthesized_expression":
		return sectionText(n.First())
	case "binary_expression", "additive_expression":
		if left := sectionText(n.First()); left != "" {
			right := sectionText(n.Last())
			if right == "" {
				right = Hole
			}
			return left + right
		}
	}
	return ""
}

// literalText returns the text of a string literal. Interpolated values and escape sequences become
// holes.
func literalText(n syntaxtree.Node) string {
	var text strings.Builder
	for c := n.First(); c.Exists(); c = c.Next() {
		switch c.Kind() {
		case "string_content", "string_fragment":
			text.WriteString(c.Text())
		default:
			if c.Named() {
				text.WriteString(Hole)
			}
		}
	}
	return text.String()
}
