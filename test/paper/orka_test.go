package paper_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/code/classes"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/tools/artwrite"
)

// orkaTable is the table of costs that Orka used. It has no license, so it is not part of the
// project.
const orkaTable = "../../../shared/data/api-costs/api_costs.csv"

// A routine is a row of Orka's Figure 6: the average energy of a call, as the paper prints it, and
// the calls from which this average follows.
type routine struct {
	name    string
	calls   int64
	average string
	sum     string
}

var figure6 = []routine{
	{"readLapFormatPrefFlags", 1, "0.008552", "makeText, show, getDefaultSharedPreferences"},
	{"setUpGesture", 1, "0.005364", "removeAllViews, addView(View, LayoutParams)"},
	{"resetClockAndViews", 1, "0.005257", "5 setText, getString"},
	{"onCreate", 2, "0.003412", "4 execSQL"},
	{"onClick", 5, "0.001688", "makeText, show"},
	{"createNewLap", 1, "0.001418", "insert, 2 put"},
	{"buildDateFormatDOWmedium", 1, "0.001239", "is24HourFormat, getText, setText"},
	{"handleMessage", 150, "0.001037", "setText"},
	{"readSettings", 1, "0.000113", "getDefaultSharedPreferences"},
	{"stopwatch", 1, "0.000071", "getString"},
}

// anstop is a run of the app of Figure 6. Calls are indented below their callers, and *N means N
// calls. Words in angle brackets represent the framework methods in the table below.
const anstop = `an.stop.Anstop.onCreate(Landroid/os/Bundle;)V
	<content>
	an.stop.Anstop.readSettings()V
		<preferences>
		an.stop.Anstop.readLapFormatPrefFlags()V
		<toast>
		<show>
	<preferences>
	an.stop.Anstop.setUpGesture()V
		<remove>
		<add>
	an.stop.DbHelper.onCreate(Landroid/database/sqlite/SQLiteDatabase;)V
		<sql> *4
	an.stop.Clock.resetClockAndViews()V
		<text> *5
		<string>
an.stop.Anstop.onClick(Landroid/view/View;)V *4
an.stop.Anstop.onClick(Landroid/view/View;)V
	<toast>
	<show>
an.stop.Clock.handleMessage(Landroid/os/Message;)V *150
	<text>
an.stop.Anstop.createNewLap()V
	<values>
	<put> *2
	<insert>
an.stop.Anstop.showLap()V
	an.stop.Anstop.buildDateFormatDOWmedium()V
		<24>
		<gettext>
	<text>
an.stop.Anstop.stopwatch()V
	<string>
`

var framework = map[string]string{
	"<content>":     "android.app.Activity.setContentView(I)V",
	"<preferences>": "android.preference.PreferenceManager.getDefaultSharedPreferences(Landroid/content/Context;)Landroid/content/SharedPreferences;",
	"<toast>":       "android.widget.Toast.makeText(Landroid/content/Context;Ljava/lang/CharSequence;I)Landroid/widget/Toast;",
	"<show>":        "android.widget.Toast.show()V",
	"<remove>":      "android.view.ViewGroup.removeAllViews()V",
	"<add>":         "android.view.ViewGroup.addView(Landroid/view/View;Landroid/view/ViewGroup$LayoutParams;)V",
	"<sql>":         "android.database.sqlite.SQLiteDatabase.execSQL(Ljava/lang/String;)V",
	"<text>":        "android.widget.TextView.setText(Ljava/lang/CharSequence;)V",
	"<string>":      "android.content.res.Resources.getString(I)Ljava/lang/String;",
	"<gettext>":     "android.content.res.Resources.getText(I)Ljava/lang/CharSequence;",
	"<24>":          "android.text.format.DateFormat.is24HourFormat(Landroid/content/Context;)Z",
	"<values>":      "android.content.ContentValues.<init>()V",
	"<put>":         "android.content.ContentValues.put(Ljava/lang/String;Ljava/lang/String;)V",
	"<insert>":      "android.database.sqlite.SQLiteDatabase.insert(Ljava/lang/String;Ljava/lang/String;Landroid/content/ContentValues;)J",
}

// writeCalls writes an outline of calls as a trace.
func writeCalls(t *testing.T, outline string) string {
	tr := &artwrite.Trace{Threads: []artwrite.Thread{{ID: 1, Name: "main"}}, PID: 1}
	ids := map[string]int{}
	var events []artwrite.Event
	var now time.Duration
	event := func(label string, action artwrite.Action) {
		if _, ok := ids[label]; !ok {
			ids[label] = len(tr.Methods)
			tr.Methods = append(tr.Methods, name.Parse(label, name.JVM))
		}
		now += 10 * time.Microsecond
		events = append(events, artwrite.Event{Method: ids[label], Action: action, CPU: now, Wall: now})
	}
	var open []string
	closeTo := func(depth int) {
		for len(open) > depth {
			event(open[len(open)-1], artwrite.Exit)
			open = open[:len(open)-1]
		}
	}
	lines := strings.Split(strings.TrimSpace(outline), "\n")
	// A line with a number of calls repeats itself and the lines below it.
	var play func(lines []string)
	play = func(lines []string) {
		for i := 0; i < len(lines); {
			depth := strings.Count(lines[i], "\t")
			end := i + 1
			for end < len(lines) && strings.Count(lines[end], "\t") > depth {
				end++
			}
			words := strings.Fields(lines[i])
			times := 1
			if len(words) > 1 {
				times, _ = strconv.Atoi(strings.TrimPrefix(words[1], "*"))
			}
			label := words[0]
			if known, ok := framework[label]; ok {
				label = known
			}
			for range times {
				closeTo(depth)
				event(label, artwrite.Enter)
				open = append(open, label)
				play(lines[i+1 : end])
			}
			i = end
		}
	}
	play(lines)
	closeTo(0)
	tr.Events, tr.Elapsed = slices.Values(events), now
	var b bytes.Buffer
	if err := artwrite.Write(&b, tr, artwrite.Form{}); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "anstop.trace")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// chargeOutline charges an outline of calls by Orka's table.
func chargeOutline(t *testing.T, outline, compat string) *analysis.Input {
	if _, err := os.Stat(orkaTable); err != nil {
		t.Skip("the table of Orka is not here:", err)
	}
	in, err := analysis.Read(t.Context(), analysis.Options{
		Subject: analysis.Side{Path: writeCalls(t, outline)}, APICosts: orkaTable, APICompat: compat,
		Classes: []classes.Class{{Name: "an.stop.Anstop", Super: "android.app.Activity"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// printed formats joules with six decimals, as Figure 6 does.
func printed(t *testing.T, joules string) string {
	x, err := strconv.ParseFloat(joules, 64)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%.6f", x)
}

// TestOrkaFigure6 reproduces all rows of Figure 6 with Orka's way of counting, and shows the
// results of exact counts.
func TestOrkaFigure6(t *testing.T) {
	in := chargeOutline(t, anstop, analysis.OrkaCompat)
	var got []routine
	for _, r := range in.APICosts.Bill.Routines {
		got = append(got, routine{r.Method.Name, r.Calls, printed(t, r.Average.Joules()), ""})
	}
	for i, want := range figure6 {
		want.sum = ""
		if i >= len(got) || got[i] != want {
			t.Errorf("row %d is %v, the paper has %v", i+1, got[min(i, len(got)-1)], want)
		}
	}
	if len(got) != len(figure6) {
		t.Errorf("%d rows, the paper has %d", len(got), len(figure6))
	}
	exact := chargeOutline(t, anstop, "")
	if lead := exact.APICosts.Bill.APIs[0]; lead.Method.Short() != "TextView.setText" && lead.Method.Short() != "Activity.setContentView" {
		t.Errorf("%s has the highest cost", lead.Method.Label())
	}
	for _, r := range exact.APICosts.Bill.Routines {
		if r.Method.Name == "readLapFormatPrefFlags" {
			t.Errorf("readLapFormatPrefFlags costs %s J, and it makes no call with a cost", r.Exact.Joules())
		}
	}
	if first := exact.APICosts.Bill.Routines[0]; first.Method.Short() != "Anstop.onCreate" || printed(t, first.Exact.Joules()) != "0.151631" {
		t.Errorf("%s has the highest average, %s J", first.Method.Label(), first.Exact.Joules())
	}
}

// TestOrkaToast reproduces the energies of Section 6.
func TestOrkaToast(t *testing.T) {
	for times, want := range map[int]string{50: "421933340", 1: "8438667"} {
		in := chargeOutline(t, fmt.Sprintf("an.stop.Anstop.onClick(Landroid/view/View;)V\n\t<toast> *%d\n\t<show> *%d\n", times, times), "")
		if got := strconv.FormatInt(int64(in.Energy), 10); got != want {
			t.Errorf("%d toasts use %s nJ, the paper has %s", times, got, want)
		}
	}
}

// orkaDocs writes the figures of Orka for the documentation.
func orkaDocs(b *strings.Builder) {
	b.WriteString(`
## Orka (Westfield and Gopalan, 2016)

The energies are sums of costs from the table that Orka used ([apicosts.md](../../../docs/apicosts.md)). The table has no licence and does not come with
diffprof. The tests of this section run where it is found. For Figure 6 they replay calls that the app's source shows, so the sums are fits.

### Section 6: a toast

50 toasts of First App use 0.42193334 J (0.42193334), one toast of Second App 0.008439 J (0.0084386668). A toast is
Toast.makeText(Context, CharSequence, int), 0.007864691 J, and Toast.show(), 0.0005739758 J. The counts come from two apps that
[diffprof instrument](../../../docs/instrument.md) changed. They ran on a Java machine, with classes in place of Android's. With Android's own classes
[they use the same](../../../docs/instrument.md#a-real-app-before-and-after).

### Figure 6: the routines of Anstop by average cost

`)
	head(b, "routine", ">calls", ">paper and `--compat orka2016`", "calls in the sum")
	for _, r := range figure6 {
		cells(b, "`"+r.name+"`", strconv.FormatInt(r.calls, 10), r.average+" J", r.sum)
	}
	b.WriteString(`
Numbers of calls that the paper does not print are assumed to be one.

**The first row is an artefact of Orka's logger.** readLapFormatPrefFlags makes no call with a cost. Orka logged where methods begin and
not where they end, so the toast of its caller and the preferences of onCreate count for it. By default diffprof gives it no energy. Then
onCreate leads with setContentView, 0.1515 J, which Orka did not see. handleMessage has the cost of another overload, since Orka found
costs by name; setText(CharSequence), which it calls, costs 0.001353 J.
`)
}
