package check

import (
	"cmp"
	"encoding/csv"
	"io"
	"strconv"

	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/units"
)

// CSV writes one line per row, then one line per finding about a component. A comparison has rows
// for tasks and for app code. A profile has rows for methods, classes, packages or libraries.
// Energies are in nanojoules.
func CSV(w io.Writer, d *report.Document, _ report.Options) error {
	out := csv.NewWriter(w)
	if d.View == report.EnergyProfile {
		profiled(out, d)
	} else {
		compared(out, d)
	}
	out.Flush()
	return writeError("CSV", out.Error())
}

// formatInt formats a number. It returns "" for 0.
func formatInt[N ~int | ~int64](n N) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatInt(int64(n), 10)
}

func amount(e units.Energy) string { return strconv.FormatInt(int64(e), 10) }

// profiled writes the flat profile of a run and the findings about its components. The writer keeps
// an error until out.Error.
func profiled(out *csv.Writer, d *report.Document) {
	p := d.Profile
	out.Write([]string{"id", "kind", "component", "method", "selfNJ", "allNJ", "selfTimeNS", "allTimeNS", "calls", "savingNJ", "file", "line"})
	for i := range p.Rows {
		row := &p.Rows[i]
		m := p.Methods[row.Method]
		line(out,
			"", p.By, "", row.Method, amount(row.Exclusive), amount(row.Inclusive), formatInt(row.ExclusiveTime), formatInt(row.InclusiveTime),
			formatInt(row.Value(p.Counts)), "", m.File, formatInt(cmp.Or(max(int(m.On), 0), m.Line)),
		)
	}
	for _, w := range finding.Wastes(d.Input) {
		line(out, w.ID, string(w.Code), w.Component, w.Method.Label(), "", amount(w.Energy), formatInt(int64(w.Held)), "", formatInt(w.Operations), amount(w.Saving.Most), w.Method.File, formatInt(w.Method.Line))
	}
}

// compared writes the rows of a comparison and the findings about the subject's components. The
// writer keeps an error until out.Error.
func compared(out *csv.Writer, d *report.Document) {
	r := d.Report
	out.Write([]string{"id", "kind", "verdict", "method", "energyNJ", "referenceNJ", "savingNJ", "evidence", "savingLeastNJ", "savingMostNJ", "p", "q", "from", "file", "line", "component", "suspect", "counts", "whyNot", "severity"})
	for _, at := range r.Ranking() {
		row := r.Row(at)
		id, kind, method, place := "", "task", "", report.Place{}
		if at.Code {
			c := &r.AppCode[at.Index]
			id, kind, method, place = c.ID, "app-"+c.Kind, c.Method, c.Place
		} else {
			t := &r.Tasks[at.Index]
			id, method = t.ID, t.Method
			if len(t.Callers) > 0 {
				place = t.Callers[0].Place
				if own := t.Callers[0].Own; own != nil {
					place = *own
				}
			}
		}
		peer := ""
		if row.Matched {
			peer = amount(row.Peer)
		}
		evidence := []string{"", "", "", "", ""}
		if e := row.Evidence; e != nil {
			evidence = []string{e.Verdict, amount(e.SavingLeast), amount(e.SavingMost), strconv.FormatFloat(e.P, 'g', -1, 64), strconv.FormatFloat(e.Q, 'g', -1, 64)}
		}
		suspect := ""
		if row.Suspect != nil {
			suspect = row.Suspect.Message
		}
		cells := []string{id, kind, string(row.Verdict), method, amount(row.Energy), peer, amount(row.Saving)}
		line(out, append(append(cells, evidence...), place.Method, place.File, formatInt(place.Line), "", suspect, strconv.FormatBool(row.IsFinding), string(row.Doubt), row.Severity)...)
	}
	there := make(map[string]units.Energy)
	for _, w := range finding.Wastes(&d.Set.Result.Reference) {
		there[w.ID] = w.Energy
	}
	for _, w := range finding.Wastes(&d.Set.Result.Subject) {
		line(out,
			w.ID, string(w.Code), "for nothing", w.Callee.Label(), amount(w.Energy), formatInt(there[w.ID]), amount(w.Saving.Most), "", "", "", "", "",
			w.Method.Label(), w.Method.File, formatInt(w.Method.Line), w.Component, "", "true", "", severityOf(d, w.Saving.Most),
		)
	}
}
