package report_test

import (
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/report"
)

// TestMethodList compares the columns for views with the table that the command lists.
func TestMethodList(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/calls.txtar")
	if err != nil {
		t.Fatal(err)
	}
	c, _ := compareCase(t, archive)
	list := report.NewMethodList(c.inputs()...)
	table := finding.ByMethod(c.inputs()...)
	rows := map[string]report.TopRow{}
	at := map[string]int{}
	for _, row := range c.top(report.TopOptions{Sort: report.BySelf, Grain: finding.EachMethod, Method: -1}, c.inputs()...).Rows {
		rows[row.Method] = row
	}
	for i, m := range table.Methods {
		at[m.Method.Label()] = i
	}
	if list.Total != len(rows) || len(list.Labels) != len(rows) || list.Links.Total != len(table.Links) || len(list.Links.Caller) != len(table.Links) {
		t.Fatalf("%d methods of %d, %d links of %d", len(list.Labels), len(rows), len(list.Links.Caller), len(table.Links))
	}
	for i, label := range list.Labels {
		row, owner := rows[label], []string{"", "framework", "app"}[list.Owner[i]]
		if list.SubjectSelf[i] != row.Subject.Exclusive || list.Subject[i] != row.Subject.Inclusive || owner != row.Owner ||
			list.ReferenceSelf[i] != row.Reference.Exclusive || list.Reference[i] != row.Reference.Inclusive ||
			list.Own[i] != row.Own || list.Library[i] != row.Library || list.SubjectTimes[i] != row.Subject.Value("calls") || list.ReferenceTimes[i] != row.Reference.Value("calls") {
			t.Errorf("%s differs from %+v", label, row)
		}
	}
	for i := range list.Links.Caller {
		caller, callee := at[list.Labels[list.Links.Caller[i]]], at[list.Labels[list.Links.Callee[i]]]
		found := false
		for _, l := range table.Links {
			found = found || l.Caller == caller && l.Callee == callee && l.Runs[0].All == list.Links.Subject[i] && l.Runs[1].All == list.Links.Reference[i]
		}
		if !found {
			t.Errorf("no link of the table leads from %d to %d", caller, callee)
		}
	}
}
