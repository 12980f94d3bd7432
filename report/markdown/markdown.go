// Package markdown renders results as short pieces of Markdown, for the hovers of editors and for
// pull requests. Tables work in any GitHub-flavoured renderer. Their columns are also aligned in the
// source text.
//
// Names come from recordings. They are escaped, so no character in them is Markdown or HTML, or ends
// a line. The size of a rendering is limited for every tree. Omitted rows are counted.
package markdown

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/eflask"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/units"
)

// minShare is the smallest share of the task's energy that a branch must have to be shown.
const minShare = 0.05

// Limits of the text: branches, first and last steps of a path and of a chain, and characters of a
// name.
const (
	maxBranches  = 8
	maxSteps     = 6
	maxChain     = 3
	maxLineWidth = 80
	maxCallers   = 3
)

// Write writes a comparison, a table of methods, or the call trees of one task.
func Write(w io.Writer, d *report.Document, o report.Options) error {
	switch d.View {
	case report.Comparison:
		return comparison(w, d, o)
	case report.ByApp:
		return Apps(w, d.Apps, o)
	case report.CommitTrend, report.CommitBlame:
		return Trend(w, d.Trend, o)
	case report.EnergyProfile:
		return Profile(w, d, o)
	case report.ByLine:
		return Lines(w, d.Lines, o)
	case report.ByMethod:
		return Top(w, d.Top, o)
	}
	if err := Flask(w, d.Set, d.Task, o); err != nil {
		return err
	}
	if d.Report == nil || d.Report.Tasks[0].Suspect == nil {
		return nil
	}
	message := d.Report.SuspectOf(d.Report.Tasks[0].Suspect)
	if _, err := fmt.Fprintf(w, "\n%s%s.\n", strings.ToUpper(message[:1]), escaped(message[1:])); err != nil {
		return fmt.Errorf("writing Markdown: %w", err)
	}
	return nil
}

// Flask writes a task of the result in both runs (a flask): its energy, its callers, the main
// difference, and the heaviest branches side by side.
func Flask(w io.Writer, set *finding.Set, task int, o report.Options) error {
	r := set.Result
	t := &r.Tasks[task]
	p := &page{
		set: set, r: r, scale: words.ScaleFor(r.Unit(o.Unit), cmp.Or(o.Voltage, r.Voltage), max(t.Energy, t.PeerEnergy)),
		counts: words.Counts(r.Subject.Trace.Calls, r.Reference.Trace.Calls),
	}
	made := report.NewRowWriter(set).Task(task)
	p.head(t, made)
	if why := words.Why(r, task, set.Why(task), literal); why != "" {
		fmt.Fprintf(p, "\n%s%s.\n", strings.ToUpper(why[:1]), why[1:])
	}
	p.callers(t)
	p.paths(t)
	if made.Outer > 0 {
		outer := code(method(&r.Subject, r.Tasks[made.Outer-1].Node))
		fmt.Fprintf(p, "\nThe task is %s, %s: do not add up the savings of the two.\n", words.Inside(made.Outer), outer)
	}
	p.branches(task, maxBranches)
	if _, err := io.WriteString(w, p.String()); err != nil {
		return fmt.Errorf("writing Markdown: %w", err)
	}
	return nil
}

// A page is the state of a rendering.
type page struct {
	strings.Builder
	set   *finding.Set
	r     *analysis.Result
	scale words.Scale
	// root and links are fields of report.Options.
	root, links string
	// counts is "calls", "samples" or "". It tells what the recordings count.
	counts string
}

// head writes the task's name and its figures.
func (p *page) head(t *eflask.Task, made report.Task) {
	fmt.Fprintf(p, "**%s**", code(method(&p.r.Subject, t.Node)))
	switch c := t.Perhaps; {
	case c != nil:
		there := &p.r.Reference
		fmt.Fprintf(p, " — ? %s (%s)\n", words.PossiblePeer(code(method(there, c.Reference)), there.Tree.Energy.All(c.Reference), p.scale),
			words.Confidence(c.Found, c.Evidence))
	case t.Found == eflask.Unmatched && !t.Moved():
		p.WriteString(" — the reference has no such task\n")
	case t.Saving > 0:
		fmt.Fprintf(p, " — %s more than in the reference\n", p.energy(t.Saving))
	case t.Saving < 0:
		fmt.Fprintf(p, " — %s less than in the reference\n", p.energy(-t.Saving))
	default:
		p.WriteString(" — the same as in the reference\n")
	}
	matched := t.Found != eflask.Unmatched
	rows := table{{"", "subject", "reference"}}
	row := func(name, subject, reference string) {
		if !matched {
			reference = "–"
		}
		rows = append(rows, []string{name, subject, reference})
	}
	row(p.scale.Noun(), p.energy(t.Energy), p.energy(t.PeerEnergy))
	row("share of the run", words.Share(t.Energy, p.r.Subject.Energy), words.Share(t.PeerEnergy, p.r.Reference.Energy))
	var peer report.Peer
	if made.Peer != nil {
		peer = *made.Peer
	}
	here, there := made.Value(p.counts), peer.Value(p.counts)
	if here > 0 || there > 0 {
		row(p.counts, tally(here), tally(there))
	}
	if p.counts == "calls" && here > 0 && (there > 0 || !matched) {
		row(p.scale.Noun()+" per call", p.energy(t.Energy/units.Energy(here)), p.energy(t.PeerEnergy/units.Energy(max(1, there))))
	}
	if made.CPUTime > 0 || peer.CPUTime > 0 {
		row("CPU time", duration(made.CPUTime), duration(peer.CPUTime))
	}
	if made.WallTime > 0 || peer.WallTime > 0 {
		row("wall time", duration(made.WallTime), duration(peer.WallTime))
	}
	if p.r.Subject.Trace.Active() > 1 || p.r.Reference.Trace.Active() > 1 {
		row("threads", threads(made.Threads), threads(peer.Threads))
	}
	row("figures", words.Provenance(p.r.Subject.Trace), words.Provenance(p.r.Reference.Trace))
	rows.write(&p.Builder)
}

// paths writes the call paths. It omits the reference's path if both are equal.
func (p *page) paths(t *eflask.Task) {
	subject := steps(pathOf(&p.r.Subject, t.Node))
	fmt.Fprintf(p, "\nPath: %s\n", subject)
	if t.Found != eflask.Unmatched {
		if reference := steps(pathOf(&p.r.Reference, t.Peer)); t.Found != eflask.Exact {
			fmt.Fprintf(p, "\nIn the reference: %s\n", reference)
			if confidence := words.Confidence(t.Found, t.Evidence); confidence != "" {
				fmt.Fprintf(p, "\nThe counterpart is %s: %s.\n", words.Match(t.Found.String(), int(t.Distance)), confidence)
			}
		}
	}
}

// callers writes the app's own code that calls the task, and the library between them.
func (p *page) callers(t *eflask.Task) {
	source := p.r.Subject.Tree.Source
	var parts []string
	list := eflask.Callers(p.r.Subject.Tree, t.Node)
	for i, c := range list {
		m := source.Nodes[c.Source].Method
		if m < 0 {
			continue
		}
		if len(parts) == maxCallers {
			parts = append(parts, fmt.Sprintf("%d more", len(list)-i))
			break
		}
		made, from := source.Methods[m], p.set.Origin(c.Source)
		switch {
		case from.Called.Name != "":
			parts = append(parts, code(from.Own)+" through "+literal(words.Intermediary(from.Library, made.Owner())))
		case from.Own.Name == "" && from.Library != "":
			parts = append(parts, code(made)+" in "+from.Library)
		default:
			parts = append(parts, code(made))
		}
	}
	if len(parts) > 0 {
		fmt.Fprintf(p, "\nFrom: %s\n", strings.Join(parts, ", "))
	}
}

// steps formats a path. It keeps the first step and the last steps of a long path.
func steps(path []name.Method) string {
	var parts []string
	for i, m := range path {
		switch cut := len(path) - maxSteps; {
		case cut <= 1 || i == 0 || i > cut:
			parts = append(parts, code(m))
		case i == 1:
			parts = append(parts, "…")
		}
	}
	return strings.Join(parts, " › ")
}

// branches writes the heaviest branches below the task's method, one row each. A callee without
// siblings shares the row of its caller.
func (p *page) branches(task, most int) {
	t := &p.r.Tasks[task]
	necks := len(p.r.Flask(task, analysis.Prune{MaxRows: 1}).Rows) - 1
	// A chain is one line of text, but may be many rows of the flask. So more rows are requested.
	f := p.r.Flask(task, analysis.Prune{MinShare: minShare, MaxRows: necks + 1 + 10*most})
	chains := p.chainsOf(f, p.r.Explain(task))
	if len(chains) < 2 && len(chains[0].rows) < 2 {
		return
	}
	names := p.names(f)
	rows := table{{"largest parts", "subject", "reference"}}
	for i, c := range chains {
		if i == most {
			rows = append(rows, []string{fmt.Sprintf("… %d more", len(chains)-i), "", ""})
			break
		}
		first := f.Rows[c.rows[0]]
		subject, reference := "–", "–"
		if first.Subject >= 0 {
			subject = p.cell(&p.r.Subject, first.Subject)
		}
		if first.Reference >= 0 {
			reference = p.cell(&p.r.Reference, first.Reference)
		}
		if t.Found == eflask.Unmatched {
			reference = "–"
		}
		rows = append(rows, []string{strings.Repeat(indent+indent, min(c.depth, 10)) + p.chain(f, c, names), subject, reference})
	}
	rows.write(&p.Builder)
}

// A chain is a row of a flask, with the rows below it that have no siblings.
type chain struct {
	rows  []int
	depth int
}

// chainsOf divides the calls of a task into chains, in their order. A new chain begins at the row
// that explains the difference, and at a row with far less energy than the start of the chain.
func (p *page) chainsOf(f *analysis.Flask, why analysis.Reason) []chain {
	children := make([]int, len(f.Rows))
	for _, row := range f.Rows[f.F+1:] {
		children[row.Parent]++
	}
	var out []chain
	chains := make([]int, len(f.Rows)) // the chain of a row
	for i := int(f.F); i < len(f.Rows); i++ {
		row, depth := f.Rows[i], 0
		if i > int(f.F) {
			up, at := f.Rows[row.Parent], chains[row.Parent]
			alike := (row.Subject >= 0) == (up.Subject >= 0) && (row.Reference >= 0) == (up.Reference >= 0)
			named := row.Subject == why.Subject && row.Reference == why.Reference
			if children[row.Parent] == 1 && alike && !named && p.maxEnergy(row) >= p.maxEnergy(f.Rows[out[at].rows[0]])/4*3 {
				chains[i] = at
				out[at].rows = append(out[at].rows, i)
				continue
			}
			depth = out[at].depth + 1
		}
		chains[i] = len(out)
		out = append(out, chain{[]int{i}, depth})
	}
	return out
}

// maxEnergy returns the larger of a row's two energies.
func (p *page) maxEnergy(row analysis.Row) units.Energy {
	var e units.Energy
	if row.Subject >= 0 {
		e = p.r.Subject.Tree.Energy.All(row.Subject)
	}
	if row.Reference >= 0 {
		e = max(e, p.r.Reference.Tree.Energy.All(row.Reference))
	}
	return e
}

// names returns distinct names for the methods in the calls of a task.
func (p *page) names(f *analysis.Flask) map[name.Method]string {
	var methods []name.Method
	for _, row := range f.Rows[f.F:] {
		if row.Subject >= 0 {
			methods = append(methods, method(&p.r.Subject, row.Subject))
		}
		if row.Reference >= 0 {
			methods = append(methods, method(&p.r.Reference, row.Reference))
		}
	}
	names := make(map[name.Method]string)
	for i, text := range name.DistinctNames(methods) {
		if utf8.RuneCountInString(text) > maxLineWidth {
			text = methods[i].Short()
		}
		names[methods[i]] = text
	}
	return names
}

// chain formats the names of a chain's methods.
func (p *page) chain(f *analysis.Flask, c chain, called map[name.Method]string) string {
	var names []string
	for i, at := range c.rows {
		if len(c.rows) > maxChain && i > 0 && i < len(c.rows)-1 {
			if i == 1 {
				names = append(names, "…")
			}
			continue
		}
		row := f.Rows[at]
		var subject, reference string
		if row.Subject >= 0 {
			subject = literal(called[method(&p.r.Subject, row.Subject)])
		}
		if row.Reference >= 0 {
			reference = literal(called[method(&p.r.Reference, row.Reference)])
		}
		switch {
		case subject == "":
			names = append(names, reference)
		case reference == "" || reference == subject:
			names = append(names, subject)
		default:
			names = append(names, subject+" ~ "+reference)
		}
	}
	return strings.Join(names, " › ")
}

// cell formats the energy of a node, and its number of calls or samples.
func (p *page) cell(in *analysis.Input, i int32) string {
	e, n := in.Tree.Energy.All(i), in.Tree.Calls.Self(i)
	if n == 0 || p.counts == "" || words.Counts(in.Trace.Calls) != p.counts {
		return p.energy(e)
	}
	return fmt.Sprintf("%s, %s×", p.energy(e), words.Count(n))
}

func (p *page) energy(e units.Energy) string { return p.scale.Energy(e) }

// tally formats a number of calls or samples. 0 means unknown.
func tally(n int64) string {
	if n == 0 {
		return "–"
	}
	return words.Count(n)
}

// duration formats a time. 0 means that the recording lacks the clock.
func duration(ns int64) string {
	if ns == 0 {
		return "–"
	}
	return units.FormatTime(ns)
}

// threads formats the names of the first threads, and the number of the others.
func threads(names []string) string {
	switch {
	case len(names) == 0:
		return "–"
	case len(names) == 1:
		return literal(names[0])
	}
	return fmt.Sprintf("%s +%d", literal(names[0]), len(names)-1)
}

func method(in *analysis.Input, node int32) name.Method {
	return in.Tree.Labels.Method(in.Tree.Nodes[node].Label)
}

// pathOf returns the methods from below the root to a node.
func pathOf(in *analysis.Input, node int32) []name.Method {
	var path []name.Method
	for ; node > 0; node = in.Tree.Nodes[node].Parent {
		path = append(path, method(in, node))
	}
	slices.Reverse(path)
	return path
}

// code formats a method's short name, such as TextView.setText, as code.
func code(m name.Method) string { return literal(m.Short()) }

// safeRune replaces characters that could end a line or reverse the direction of text.
func safeRune(r rune) rune {
	if !unicode.IsGraphic(r) {
		return unicode.ReplacementChar
	}
	return r
}

// literal formats a name as code. Code has two special characters: the backtick and, in a table's
// cell, the bar.
func literal(name string) string {
	runes := []rune(strings.Map(func(r rune) rune {
		switch r {
		case '`':
			return '\''
		case '|':
			return '¦'
		}
		return safeRune(r)
	}, name))
	if len(runes) > maxLineWidth {
		runes = append([]rune{'…'}, runes[len(runes)-maxLineWidth+1:]...)
	}
	if len(runes) == 0 {
		return "`?`"
	}
	return "`" + string(runes) + "`"
}
