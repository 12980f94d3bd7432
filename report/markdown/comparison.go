package markdown

import (
	"cmp"
	"fmt"
	"io"
	"net/url"
	"path"
	"strconv"
	"strings"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/units"
)

// Marker is the first line of a comparison. It is invisible. By this line, a program recognizes its
// own comment on a pull request.
const Marker = "<!-- diffprof: comparison -->"

// maxComment is the largest number of bytes of a comment. GitHub allows 65,536 characters. diffprof
// comment needs the remaining characters for a name in the marker.
const maxComment = 65_000

// comparison writes a whole comparison as a comment on a change: the difference of the two runs with
// its certainty, the first rows to look at, and the parts of the energy.
func comparison(w io.Writer, d *report.Document, o report.Options) error {
	r := d.Report
	ranking := r.Ranking()
	var p *page
	for {
		p = &page{
			set: d.Set, r: d.Set.Result, counts: r.Counts, root: o.Root, links: o.Links,
			scale: words.ScaleFor(d.Set.Result.Unit(o.Unit), cmp.Or(o.Voltage, r.Voltage), r.Subject.Energy),
		}
		p.WriteString(Marker + "\n")
		p.headline(r, o)
		p.list("Differences between the recordings:", r.Comparability)
		p.first(d, ranking)
		wastes(&p.Builder, &d.Set.Result.Subject, p.scale, p.link)
		p.portions(r)
		p.conditions(r)
		if p.Len() <= maxComment || len(ranking) == 0 {
			break
		}
		ranking = ranking[:len(ranking)/2]
	}
	if _, err := io.WriteString(w, p.String()); err != nil {
		return fmt.Errorf("writing Markdown: %w", err)
	}
	return nil
}

// headline writes the result of the comparison.
func (p *page) headline(r *report.Report, o report.Options) {
	headline := r.Headline(o)
	fmt.Fprintf(p, "### %s\n", escaped(strings.TrimSuffix(headline.Verdict, ".")))
	for i, sentence := range headline.Sentences()[1:] {
		if sentence == headline.Saving {
			fmt.Fprintf(p, "%s**%s**", separator(i), escaped(sentence))
		} else {
			fmt.Fprintf(p, "%s%s", separator(i), escaped(sentence))
		}
	}
	if len(headline.Sentences()) > 1 {
		p.WriteString("\n")
	}
	if s := &r.Summary; s.Tasks > 0 {
		fmt.Fprintf(p, "\n%s; %s is %s.\n", upper(words.MatchedTasks(s.Matched, s.Tasks, s.Possible, s.MatchedEnergy, r.Subject.Energy, p.scale.Noun())), p.scale.Noun(), sources(r))
	}
	if r.Fleet != nil {
		fmt.Fprintf(p, "\n**Fleet:** %s.\n", escaped(r.Fleet.Message))
	}
}

// separator returns the text before a sentence of a paragraph.
func separator(i int) string {
	if i == 0 {
		return "\n"
	}
	return " "
}

func upper(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// sources describes the origin of the energy of both runs.
func sources(r *report.Report) string {
	if r.Subject.EnergyFrom == r.Reference.EnergyFrom {
		return r.Subject.EnergyFrom
	}
	return r.Subject.EnergyFrom + " in the subject, " + r.Reference.EnergyFrom + " in the reference"
}

// list writes notes under a heading. It writes nothing if there are none.
func (p *page) list(heading string, notes []report.Note) {
	if len(notes) == 0 {
		return
	}
	fmt.Fprintf(p, "\n%s\n\n", heading)
	for _, note := range notes {
		fmt.Fprintf(p, "- %s\n", escaped(note.Message))
	}
}

// first writes the tasks and pieces of app code to look at first, one row each. Rows without a
// possible saving are folded.
func (p *page) first(d *report.Document, ranking []finding.Ranked) {
	r := d.Report
	worth := 0
	for worth < len(ranking) && (r.Summary.LittleInCommon || worthwhile(r, ranking[worth])) {
		worth++
	}
	if worth > 0 {
		heading := "What to look at first"
		if r.Judgement.Headline.Rows == 0 {
			heading = "What differs most"
		}
		fmt.Fprintf(p, "\n**%s** (%s, in %s):\n\n", heading, words.TaskOrder(r.Summary.LittleInCommon, r.Suspects()), p.scale.Unit())
		p.rows(d, ranking[:worth])
	}
	if worth < len(ranking) {
		others := words.Some(len(ranking)-worth, "row") + " without a saving, or with one that may be chance"
		fmt.Fprintf(p, "\n<details><summary>%s, in %s</summary>\n\n", others, p.scale.Unit())
		p.rows(d, ranking[worth:])
		p.WriteString("\n</details>\n")
	}
	if cut := len(r.Tasks) + len(r.AppCode) - len(ranking); cut > 0 {
		fmt.Fprintf(p, "\n%s more do not fit into a comment.\n", words.Some(cut, "row"))
	}
	if tasks, code, rest := r.Omitted(); tasks > 0 || code > 0 {
		fmt.Fprintf(p, "\n%s more, %s in all.\n", words.Rows(tasks, code), p.energy(rest))
	}
}

// worthwhile reports whether a reviewer should look at a row first. Either its difference counts
// (see package finding), or the data of many devices (a fleet) makes it suspect.
func worthwhile(r *report.Report, at finding.Ranked) bool {
	row := r.Row(at)
	return row.Suspect != nil || row.IsFinding
}

// rows writes a table of tasks and app code. Pages of pull requests are narrow, and names do not
// wrap, so all texts are in one column.
func (p *page) rows(d *report.Document, ranking []finding.Ranked) {
	r := d.Report
	p.cells([]string{"", words.DifferenceHeading(r.Summary.LittleInCommon), "subject", "reference", "task or app code"})
	p.cells([]string{":-", "-:", "-:", "-:", ":-"})
	for _, at := range ranking {
		row := r.Row(at)
		reference := "–"
		if row.Matched {
			reference = p.scale.Amount(row.Peer)
		}
		saving := words.Saving(row.Verdict, row.Saving, p.scale)
		if e := row.Evidence; e != nil {
			saving += fmt.Sprintf("<br>%s to %s, %s", p.scale.Amount(e.SavingLeast), p.scale.Amount(e.SavingMost), words.Shown(e.Verdict))
		}
		var name, why string
		if at.Code {
			name, why = p.code(r, &r.AppCode[at.Index]), p.split(row.Split)
		} else {
			name, why = p.task(r, &r.Tasks[at.Index]), words.Why(d.Set.Result, at.Index, d.Set.Why(at.Index), literal)
		}
		about := fmt.Sprintf("%s, %s", row.Verdict.Words(), words.Percent(row.Share))
		if counts := counted(row, r.Counts); counts != "" {
			about += ", " + counts
		}
		if why != "" {
			about += "; " + why
		}
		p.cells([]string{row.Number, saving, p.scale.Amount(row.Energy), reference, name + "<br>" + about})
	}
}

// counted formats the calls or samples of a row and of its counterpart. It returns "" if they are
// not known.
func counted(row report.Row, counts string) string {
	here, there := row.Counts.Value(counts), row.PeerCounts.Value(counts)
	switch {
	case here == 0 && there == 0:
		return ""
	case row.Matched:
		return tally(here) + " : " + tally(there) + " " + counts
	}
	return words.Some(here, strings.TrimSuffix(counts, "s"))
}

// cells writes one row of a table.
func (p *page) cells(cells []string) { fmt.Fprintf(p, "| %s |\n", strings.Join(cells, " | ")) }

// shortName formats the short name of a method that the report names.
func (p *page) shortName(r *report.Report, label string) string {
	return literal(r.Methods.Short(label))
}

// task formats the method of a task, its caller, its counterpart's method if that differs, and the
// task that contains it.
func (p *page) task(r *report.Report, t *report.Task) string {
	line := p.shortName(r, t.Method)
	if from := p.caller(r, t); from != "" {
		line += " from " + from
	}
	switch {
	case t.Peer != nil && t.Peer.Method != t.Method:
		line += ", in the reference " + p.shortName(r, t.Peer.Method) + ", " + t.Peer.How
		if message := t.Peer.Confidence.Message; message != "" {
			line += ", " + message
		}
	case t.PossiblePeer != nil:
		line += ", " + words.PossiblePeer(p.shortName(r, t.PossiblePeer.Method), t.PossiblePeer.Energy, p.scale)
	}
	if inside := words.Inside(t.Outer); inside != "" {
		line += ", " + inside
	}
	if t.Suspect != nil {
		line += ", **suspect**: " + escaped(t.Suspect.Message)
	}
	return line
}

// caller formats the app method that calls the task most often, and its place.
func (p *page) caller(r *report.Report, t *report.Task) string {
	if len(t.Callers) == 0 {
		return ""
	}
	c := t.Callers[0]
	at, through := c.Place, ""
	switch {
	case c.Own != nil && c.Own.Method != c.Method:
		at, through = *c.Own, " through "+literal(words.Intermediary(c.Through, r.Methods[c.Method].Owner()))
	case c.Own == nil && c.Through != "":
		through = " in " + c.Through
	}
	callee := name.Method{}
	if task, ok := p.set.ByID(t.ID); ok {
		callee = p.set.Callee(task, at.Method)
	}
	line := p.place(r, at, callee) + through
	if more := len(t.Callers) - 1; more > 0 {
		line += fmt.Sprintf(", +%s more", words.Count(more))
	}
	return line
}

// code formats a method of the app, or a callback with its methods.
func (p *page) code(r *report.Report, c *report.AppCode) string {
	if c.Kind != "callback" {
		return p.place(r, c.Place, name.Method{}) + " itself"
	}
	line := p.shortName(r, c.Method) + " itself, in " + p.place(r, c.Parts[0].Place, name.Method{})
	if more := c.PartCount - 1; more > 0 {
		line += fmt.Sprintf(", +%s more", words.Count(more))
	}
	return line
}

// place formats a method. If the place of its call of the callee, or of its declaration, is known,
// the method is a link to that place.
func (p *page) place(r *report.Report, at report.Place, callee name.Method) string {
	if link := link(&p.r.Subject, p.root, p.links, r.Methods[at.Method].At(at.File, at.Line), callee); link != "" {
		return "[" + p.shortName(r, at.Method) + "](" + link + ")"
	}
	line := p.shortName(r, at.Method)
	if at.At() == 0 && r.Methods[at.Method].Owner() == strings.TrimSuffix(at.File, path.Ext(at.File)) {
		return line // The file's name adds nothing to the class.
	}
	return strings.TrimRight(line+" "+place(at), " ")
}

// link returns the address of a method in the sources, empty if unknown.
func (p *page) link(m name.Method) string {
	return link(&p.r.Subject, p.root, p.links, m, name.Method{})
}

// link returns the address of the place where a method calls the callee, or of the method itself.
// root and links are fields of report.Options.
func link(in *analysis.Input, root, links string, m, callee name.Method) string {
	if links == "" {
		return ""
	}
	path, line, ok := in.Called(m, callee)
	if !ok {
		return ""
	}
	below, ok := report.RelativePath(root, path)
	if !ok {
		return ""
	}
	return links + (&url.URL{Path: below}).EscapedPath() + "#L" + strconv.Itoa(line)
}

// place formats a file and a line that are known.
func place(at report.Place) string {
	switch {
	case at.File == "":
		return ""
	case at.At() == 0:
		return literal(at.File)
	}
	return literal(fmt.Sprintf("%s:%d", at.File, at.At()))
}

// split describes the parts of a difference.
func (p *page) split(s *report.Split) string {
	if s == nil {
		return ""
	}
	return words.Split(s.Calls, s.PerCall, p.scale)
}

// portions writes the parts of the energy of both runs, folded.
func (p *page) portions(r *report.Report) {
	fmt.Fprintf(p, "\n<details><summary>Where the %s went, each part counted once</summary>\n\n", p.scale.Noun())
	p.cells([]string{"", "subject", "share", "reference", "share"})
	p.cells([]string{":-", "-:", "-:", "-:", "-:"})
	row := func(name string, subject, reference units.Energy) {
		p.cells([]string{name, p.energy(subject), words.Share(subject, r.Subject.Energy), p.energy(reference), words.Share(reference, r.Reference.Energy)})
	}
	for _, part := range r.Portions() {
		name := part.Name
		if part.Inner {
			name = indent + indent + name
		}
		row(name, part.Subject, part.Reference)
	}
	row("total", r.Subject.Energy, r.Reference.Energy)
	p.WriteString("\n</details>\n")
}

// conditions writes the conditions of the comparison and the problems of its inputs, folded.
func (p *page) conditions(r *report.Report) {
	summary := "How this was compared"
	if n := len(r.Warnings); n > 0 {
		summary += ", with " + words.Some(n, "warning")
	}
	fmt.Fprintf(p, "\n<details><summary>%s</summary>\n\n", summary)
	item := func(format string, args ...any) { fmt.Fprintf(p, "- "+format+"\n", args...) }
	alpha := fmt.Sprintf("α = %d", r.Alpha.Used)
	if rule, ok := r.Alpha.Requested.(string); ok {
		alpha += ", chosen by --alpha " + rule
	}
	item("%s; %s matched, %s equal", alpha, words.Some(r.Matching.Pairs, "context"), words.Count(r.Matching.Size))
	for _, side := range []struct {
		name string
		in   report.Input
	}{{"subject", r.Subject}, {"reference", r.Reference}} {
		in := side.in
		recorded := escaped(in.Format)
		if in.Technique != "unknown" {
			recorded += ", " + in.Technique
		}
		item("%s %s: %s, %s", side.name, literal(in.Path), recorded, words.Some(in.Events, "event"))
		if by := words.OwnCodeBy(in.OwnCode.By); by != "" {
			item("own code of the %s: %s, %s", side.name, escaped(words.OwnCode(in.OwnCode.Packages, in.OwnCode.Unknown, maxLineWidth)), by)
		}
		if in.PowerSource != "" {
			item("power of the %s: %s", side.name, escaped(in.PowerSource))
		}
		if m := in.Mapping; m != nil {
			item("mapping of the %s %s: %s of %s renamed", side.name, literal(m.Path), words.Count(m.Renamed), words.Some(m.Methods, "method"))
		}
	}
	if file := r.Subject.Rules.SettingsFile; file != "" {
		item("settings %s", literal(file))
	}
	for _, warning := range r.Warnings {
		item("warning: %s", escaped(warning.Message))
	}
	fmt.Fprintf(p, "\n</details>\n\n<sub>%s %s</sub>\n", r.Tool.Name, escaped(r.Tool.Version))
}

// escaped escapes prose that may contain names: no character in it is markup.
func escaped(s string) string {
	var b strings.Builder
	for _, r := range strings.Map(safeRune, s) {
		if strings.ContainsRune("\\`*_{}[]<>|#~&", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
