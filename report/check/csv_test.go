package check_test

import (
	"bytes"
	"encoding/csv"
	"strconv"
	"testing"

	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/check"
)

// table reads the lines of a CSV file as maps from column to cell.
func table(t *testing.T, d *report.Document) (rows []map[string]string) {
	t.Helper()
	var b bytes.Buffer
	if err := check.CSV(&b, d, report.Options{}); err != nil {
		t.Fatal(err)
	}
	all, err := csv.NewReader(&b).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range all[1:] {
		row := map[string]string{}
		for i, cell := range line {
			row[all[0][i]] = cell
		}
		rows = append(rows, row)
	}
	return rows
}

// TestCSVOfComparisons compares the cells of tasks and of app code with the report.
func TestCSVOfComparisons(t *testing.T) {
	const grown = "android.view.View.performClick()Z;com.mine.Main.onClick()V;com.mine.Main.work()V "
	for name, d := range map[string]*report.Document{
		"runs": document(t, hostile+added+grown+"800000000\n", modest+grown+"300000000\n"), "suspects": suspected(t, 2, 1),
	} {
		rows := map[string]map[string]string{}
		for _, row := range table(t, d) {
			rows[row["id"]] = row
		}
		number := func(row map[string]string, column string) int64 {
			n, err := strconv.ParseInt(row[column], 10, 64)
			if err != nil {
				t.Errorf("%s: %s of %s: %v", name, column, row["id"], err)
			}
			return n
		}
		r, matched, suspects := d.Report, 0, 0
		for i := range r.Tasks {
			task := &r.Tasks[i]
			row := rows[task.ID]
			if row == nil || row["kind"] != "task" || row["method"] != task.Method || number(row, "energyNJ") != int64(task.Energy) || number(row, "savingNJ") != int64(task.Saving) {
				t.Errorf("%s: %s is %v", name, task.Method, row)
				continue
			}
			if (row["referenceNJ"] != "") != (task.Peer != nil) {
				t.Errorf("%s: %s has the reference %q", name, task.Method, row["referenceNJ"])
			} else if task.Peer != nil {
				matched++
			}
			if place := task.Callers[0]; place.Own == nil && row["from"] != place.Method || place.Own != nil && row["from"] != place.Own.Method {
				t.Errorf("%s: %s comes from %q", name, task.Method, row["from"])
			}
			if (row["suspect"] != "") != (task.Suspect != nil) {
				t.Errorf("%s: %s is suspected by %q", name, task.Method, row["suspect"])
			} else if task.Suspect != nil {
				suspects++
			}
			if e := task.Evidence; e == nil && row["p"]+row["q"]+row["evidence"]+row["savingLeastNJ"] != "" || e != nil && number(row, "savingLeastNJ") != int64(e.SavingLeast) {
				t.Errorf("%s: %s has the evidence %v", name, task.Method, row)
			}
		}
		for i := range r.AppCode {
			code := &r.AppCode[i]
			if row := rows[code.ID]; row == nil || row["kind"] != "app-"+code.Kind || row["method"] != code.Method || number(row, "energyNJ") != int64(code.Energy) || number(row, "savingNJ") != int64(code.Saving) {
				t.Errorf("%s: the code of %s is %v", name, code.Method, row)
			}
		}
		if name == "runs" && (matched == 0 || len(r.AppCode) == 0) || name == "suspects" && suspects == 0 || len(r.Tasks) == 0 {
			t.Errorf("%s: %d tasks, %d with a counterpart, %d suspects, %d rows of code", name, len(r.Tasks), matched, suspects, len(r.AppCode))
		}
	}
}

// TestCSVOfProfiles compares the rows of a run and its findings with the profile.
func TestCSVOfProfiles(t *testing.T) {
	d := profile(t)
	rows := table(t, d)
	if len(rows) <= len(d.Profile.Rows) {
		t.Fatalf("%d rows, %d of the profile: there are no findings", len(rows), len(d.Profile.Rows))
	}
	for i, want := range d.Profile.Rows {
		row := rows[i]
		if row["method"] != want.Method || row["selfNJ"] != strconv.FormatInt(int64(want.Exclusive), 10) || row["allNJ"] != strconv.FormatInt(int64(want.Inclusive), 10) || row["id"] != "" {
			t.Errorf("row %d is %v, want %+v", i, row, want)
		}
		if calls := want.Value(d.Profile.Counts); calls != 0 && row["calls"] != strconv.FormatInt(calls, 10) || calls == 0 && row["calls"] != "" {
			t.Errorf("row %d has %q calls, want %d", i, row["calls"], calls)
		}
	}
	for _, row := range rows[len(d.Profile.Rows):] {
		if row["id"] == "" || row["component"] == "" || row["savingNJ"] == "" {
			t.Errorf("a finding is %v", row)
		}
	}
}
