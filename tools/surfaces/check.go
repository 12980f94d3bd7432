package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/units"
)

// A refusedError means that diffprof does not compare a pair.
type refusedError struct{ message string }

func (e *refusedError) Error() string { return e.message }

// A row is a task or a row of app code of a report, in its order.
type row struct {
	report.Standing
	id, method      string
	code            bool
	verdict         words.Verdict
	energy, savings units.Energy
	// peer is the energy of the counterpart. It is nil if there is none.
	peer *units.Energy
}

// rowsOf lists the rows of a report in the order of their ranks.
func rowsOf(tasks []report.Task, code []report.AppCode) []row {
	var rows []row
	for i := range tasks {
		t := &tasks[i]
		r := row{Standing: t.Standing, id: t.ID, method: t.Method, verdict: t.Verdict, energy: t.Energy, savings: t.Saving}
		if t.Peer != nil {
			r.peer = &t.Peer.Energy
		}
		rows = append(rows, r)
	}
	for i := range code {
		c := &code[i]
		r := row{Standing: c.Standing, id: c.ID, method: c.Method, code: true, verdict: c.Verdict, energy: c.Energy, savings: c.Saving}
		if c.Peer != nil {
			r.peer = &c.Peer.Energy
		}
		rows = append(rows, r)
	}
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(a.Rank, b.Rank) })
	return rows
}

// findings returns the severity of each row that counts, by ID, in the words that levels has for
// it.
func findings(rows []row, levels map[string]string) map[string]string {
	list := make(map[string]string)
	for _, r := range rows {
		if r.IsFinding {
			list[r.id] = cmp.Or(levels[r.Severity], r.Severity)
		}
	}
	return list
}

func verdictOf(r *report.Report) string {
	verdict := string(r.Judgement.Headline.Verdict)
	if doubt := r.Judgement.Headline.Doubt; doubt != "" {
		verdict += ", " + string(doubt)
	}
	return verdict
}

// output runs the program on a pair. It returns its standard output and its exit code.
func (c *checker) output(p pair, args ...string) ([]byte, int, error) {
	command := exec.Command(c.program, append(append([]string{"compare", "--no-config"}, args...), p.subject, p.reference)...)
	command.Env = append(os.Environ(), "NO_COLOR=1", "COLUMNS=250")
	var out, bad bytes.Buffer
	command.Stdout, command.Stderr = &out, &bad
	err := command.Run()
	var ended *exec.ExitError
	switch {
	case err == nil:
		return out.Bytes(), 0, nil
	case !errors.As(err, &ended):
		return nil, 0, err
	case ended.ExitCode() == 1:
		return out.Bytes(), 1, nil
	}
	last := strings.Split(strings.TrimSpace(bad.String()), "\n")
	return out.Bytes(), ended.ExitCode(), &refusedError{last[len(last)-1]}
}

// check checks all surfaces of a pair.
func (c *checker) check(p pair) (*agreement, *report.Report, error) {
	for _, path := range []*string{&p.subject, &p.reference} {
		absolute, err := filepath.Abs(*path)
		if err != nil {
			return nil, nil, err
		}
		*path = absolute
	}
	data, _, err := c.output(p, "--format", "json")
	if err != nil {
		return nil, nil, err
	}
	var r report.Report
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, nil, fmt.Errorf("reading the JSON: %w", err)
	}
	folder, err := os.MkdirTemp("", "surfaces")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(folder)

	a, rows := new(agreement), rowsOf(r.Tasks, r.AppCode)
	a.begin("json")
	lawful(a, &r, rows)
	for _, f := range formats {
		a.begin(f.name)
		data, code, err := c.output(p, "--format", f.name)
		if err != nil || code != 0 {
			a.differs("exit code %d: %v", code, err)
			continue
		}
		if err := f.check(a, string(data), &r, rows); err != nil {
			a.differs("%v", err)
		}
	}
	a.begin("exit")
	c.exits(a, p, &r, rows)
	if c.chromium != "" {
		a.begin("page")
		if err := c.page(a, p, folder, &r, rows); err != nil {
			a.differs("%v", err)
		}
	}
	a.begin("lsp")
	s, err := c.serve(p, folder)
	if err != nil {
		a.differs("%v", err)
		return a, &r, nil
	}
	s.agrees(a, &r, rows)
	return a, &r, nil
}

// lawful checks a report by itself: the parts of the headline, and the rows that count.
func lawful(a *agreement, r *report.Report, rows []row) {
	h := &r.Judgement.Headline
	same(a, "the difference", r.Subject.Energy-r.Reference.Energy, h.Difference)
	var here, there units.Energy
	for _, p := range h.Parts {
		here, there = here+p.Subject, there+p.Reference
		same(a, "the difference of "+p.Name, p.Subject-p.Reference, p.Difference)
	}
	if len(h.Parts) > 0 {
		same(a, "the sum of the parts", here, r.Subject.Energy)
		same(a, "the sum of the reference's parts", there, r.Reference.Energy)
	}
	counting, first := 0, ""
	for _, row := range rows {
		if row.IsFinding {
			if counting++; first == "" {
				first = row.id
			}
		}
		if row.IsFinding == (row.Severity == "") || row.IsFinding && row.Doubt != "" {
			a.differs("row %s counts: %v, with severity %q and doubt %q", row.id, row.IsFinding, row.Severity, row.Doubt)
		}
		if row.savings > row.energy {
			a.differs("row %s saves more than it uses", row.id)
		}
	}
	same(a, "the number of rows that count", counting, h.Rows)
	same(a, "the first row that counts", first, h.First)
	if h.SavableLeast > h.SavableMost || h.SavableMost > r.Subject.Energy {
		a.differs("the possible saving is %d to %d of %d", h.SavableLeast, h.SavableMost, r.Subject.Energy)
	}
}

// agrees checks what the language server sent.
func (s *served) agrees(a *agreement, r *report.Report, rows []row) {
	h := &r.Judgement.Headline
	sentences := strings.Join(r.Judgement.Sentences, " ")
	same(a, "the headline", strings.Join(s.compared.Sentences, " "), sentences)
	same(a, "the headline of the editor's page", strings.Join(s.headline, " "), sentences)
	same(a, "the verdict", s.compared.Verdict, string(h.Verdict))
	same(a, "the verdict of the editor's page", s.page.Judgement.Headline.Verdict, h.Verdict)
	same(a, "the number of findings", s.compared.Findings, h.Rows)
	same(a, "the energy", s.compared.EnergyNJ, int64(r.Subject.Energy))
	same(a, "the saving", s.compared.SavingNJ, int64(h.SavableLeast))
	same(a, "the largest saving", s.compared.SavingMostNJ, int64(h.SavableMost))
	same(a, "little in common", s.compared.LittleInCommon, r.Summary.LittleInCommon)
	sameRows(a, "the list", rowsOf(s.tasks, s.code), rows)
	sameRows(a, "the editor's page", rowsOf(s.page.Tasks, s.page.AppCode), rows)
}

// sameRows compares the rows of two surfaces.
func sameRows(a *agreement, where string, got, want []row) {
	if len(got) != len(want) {
		a.differs("%s has %d rows, the JSON %d", where, len(got), len(want))
		return
	}
	for i := range got {
		g, w := &got[i], &want[i]
		same(a, fmt.Sprintf("row %d of %s", i+1, where), g.facts(), w.facts())
	}
}

// facts returns the facts of a row that all complete surfaces state.
func (r *row) facts() string {
	peer := "none"
	if r.peer != nil {
		peer = fmt.Sprint(*r.peer)
	}
	return fmt.Sprintf("%s %s %s counts=%v %s why=%s energy=%d peer=%s saving=%d (%d to %d)",
		r.id, r.method, r.verdict, r.IsFinding, r.Severity, r.Doubt, r.energy, peer, r.savings, r.SavingLeast, r.SavingMost)
}

// exits checks the exit codes of --fail-on, which do not depend on the format.
func (c *checker) exits(a *agreement, p pair, r *report.Report, rows []row) {
	h := &r.Judgement.Headline
	row, only := units.Energy(0), units.Energy(0)
	waited := false // whether a thread may have waited in the time of a row
	for i := range rows {
		if rows[i].IsFinding {
			row = max(row, rows[i].savings)
		}
		waited = waited || string(rows[i].Doubt) == "waiting"
	}
	for i := range r.Tasks {
		if t := &r.Tasks[i]; t.IsFinding && t.Peer == nil && t.Moved == "" {
			only += t.Own
		}
	}
	holds := map[string]bool{
		"row>5%":       units.Share(row, r.Subject.Energy) > 0.05,
		"unmatched>5%": units.Share(only, r.Subject.Energy) > 0.05,
		"total>+3%":    units.Share(h.Difference, r.Reference.Energy) > 0.03 && h.Verdict == "more",
		"saving>5%":    units.Share(h.SavableMost, r.Subject.Energy) > 0.05 && !(h.Verdict == "less" && len(r.Comparability) == 0),
	}
	codes := make(map[string]int)
	for _, gate := range slices.Sorted(maps.Keys(holds)) {
		_, code, err := c.output(p, "--fail-on", gate)
		codes[gate] = code
		switch {
		case code == 2 && (h.Doubt != "" || h.Verdict == "two-kinds" || r.Reference.Energy == 0 || waited || gate == "total>+3%" && h.Verdict == "cannot-tell"):
		case code > 1:
			a.differs("%s: exit code %d: %v", gate, code, err)
		case (code == 1) != holds[gate]:
			a.differs("%s: exit code %d, verdict %s, saving at most %d of %d, largest row %d, unmatched %d, difference %d of %d",
				gate, code, verdictOf(r), h.SavableMost, r.Subject.Energy, row, only, h.Difference, r.Reference.Energy)
		}
	}
	for _, format := range []string{"json", "markdown", "sarif", "junit", "html"} {
		_, code, _ := c.output(p, "--format", format, "--fail-on", "saving>5%")
		same(a, "the exit code with --format "+format, code, codes["saving>5%"])
	}
}
