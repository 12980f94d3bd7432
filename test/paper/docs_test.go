package paper_test

import (
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/eflask"
	"github.com/diffprof/diffprof/units"
)

var update = flag.Bool("update", false, "write docs/papers.md")

// TestDocs compares docs/papers.md with the replayed runs.
func TestDocs(t *testing.T) {
	const file = "../../docs/papers.md"
	var b strings.Builder
	b.WriteString(`# The papers' figures and ours

<!-- Written by go test ./test/paper -update -->

This page compares the figures of the papers that diffprof builds on with diffprof's figures for runs that replay them. The runs were
generated, not recorded: they make the calls that the papers describe, with times that make the papers' figures possible
([testdata](../testdata/README.md)). So the page tests reading, charging, accounting, merging and matching, not the apps. The test
that writes it fails if a figure is off by more than its limit.

`)
	diffprofDocs(t, &b)
	eprofDocs(t, &b)
	orkaDocs(&b)
	if *update {
		if err := os.WriteFile(file, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got, err := os.ReadFile(file); err != nil || string(got) != b.String() {
		t.Errorf("%s is not what the runs come to; run go test ./test/paper -update (%v)", file, err)
	}
}

// cells writes a row of a table.
func cells(b *strings.Builder, cells ...string) {
	fmt.Fprintf(b, "| %s |\n", strings.Join(cells, " | "))
}

// head begins a table; columns that begin with > have figures.
func head(b *strings.Builder, columns ...string) {
	names, rules := make([]string, len(columns)), make([]string, len(columns))
	for i, c := range columns {
		names[i] = strings.TrimPrefix(c, ">")
		if rules[i] = "---"; names[i] != c {
			rules[i] = "---:"
		}
	}
	cells(b, names...)
	cells(b, rules...)
}

// ours formats a figure of diffprof; a number without a unit is a count.
func ours(x float64, unit string) string {
	if unit == "" {
		return plain(x)
	}
	return fmt.Sprintf("%.1f %s", x, unit)
}

// plain formats a number without trailing zeros.
func plain(x float64) string { return strings.TrimSuffix(fmt.Sprintf("%.1f", x), ".0") }

func diffprofDocs(t *testing.T, b *strings.Builder) {
	b.WriteString(`## What the figures prove

| kind | meaning |
|---|---|
| prediction | neither the run nor the model was made for the figure |
| fit | the run's times, or the model, were chosen so that the figure comes out; it tests reading, charging and adding up |
| by construction | the run was built with that number of bundles or that length |

All figures of DiffProf's tables are fits: the runs were solved for them. So are the shares of I/O in eprof's Table 5, and its numbers of
bundles and routines are by construction. eprof's other figures have their kind in a column. Where the limit of a figure is
wider than the paper's last digit, the last column has the reason; such a limit shows a known miss, and proves nothing.
[policies.md](policies.md) compares policies with a simulated truth that charges tails to the last trigger, so its columns of
last-trigger and first-trigger are by construction, and the others are informative.

`)
	b.WriteString("## DiffProf (Jindal and Hu, OSDI 2018)\n\n### Table 4 and Section 5.3: the tasks that could be cheaper\n\n" +
		"Energies in µAh at 3.7 V; shares of the subject's energy. Rank is the place among diffprof's tasks, profile the place in an\n" +
		"ordinary profile by inclusive energy.\n\n")
	head(b, "subject and reference", "task", ">paper", ">ours", ">share", ">ours", ">calls", ">ours", ">rank", ">profile")
	matched := &strings.Builder{}
	for _, f := range findings {
		r := compare(t, options(t, f.pair))
		k := task(t, r, f.task)
		calls, position := "–", "–"
		if f.calls != 0 {
			calls = fmt.Sprint(f.calls)
		}
		if f.position != 0 {
			position = fmt.Sprint(f.position)
		}
		rank := 1 + slices.IndexFunc(r.Tasks, func(o eflask.Task) bool { return o.Node == k.Node })
		cells(b, f.pair, "`"+f.task+"`", fmt.Sprint(f.uAh), fmt.Sprintf("%.2f", uAh(k.Energy)),
			plain(f.percent)+" %", fmt.Sprintf("%.1f %%", 100*units.Share(k.Energy, r.Subject.Energy)),
			calls, fmt.Sprint(k.Calls), fmt.Sprint(rank), position)
		if f.peer > 0 {
			cells(matched, f.pair, "`"+f.task+"`", fmt.Sprint(f.peer), fmt.Sprintf("%.2f", uAh(k.PeerEnergy)), map[string]string{"dearer": "more energy per call", "more": "more calls"}[f.reason])
		}
	}
	b.WriteString("\nThe energy of the reference for matched tasks, and the reason that the paper and diffprof give:\n\n")
	head(b, "subject and reference", "task", ">paper", ">ours", "reason")
	b.WriteString(matched.String())
	b.WriteString("\nNo figure differs by more than 0.5 %. Where the paper contradicts itself, [testdata](../testdata/README.md) " +
		"names the figure used.\n\n### Tables 5 and 6: the heads of the lists\n\n")
	for _, l := range lists {
		r := compare(t, options(t, l.pair))
		fmt.Fprintf(b, "%s, in µAh; a star marks an unmatched task:\n\n", l.pair)
		head(b, "inclusive profile", ">paper", ">ours", "exclusive profile", ">paper", ">ours", "diffprof", ">paper", ">ours")
		all, own := inclusive(&r.Subject), exclusive(&r.Subject)
		for i := range l.tasks {
			k := r.Tasks[i]
			name := taskName(&r.Subject, k.Node)
			if k.Found == eflask.Unmatched {
				name += "*"
			}
			cells(b, "`"+short(all[i].label)+"`", fmt.Sprint(l.inclusive[i].uAh), fmt.Sprintf("%.2f", all[i].uAh),
				"`"+short(own[i].label)+"`", fmt.Sprint(l.exclusive[i].uAh), fmt.Sprintf("%.2f", own[i].uAh),
				"`"+name+"`", fmt.Sprint(l.tasks[i].uAh), fmt.Sprintf("%.2f", uAh(k.Saving)))
		}
		b.WriteString("\n")
	}
	b.WriteString(`[matching.md](matching.md) measures how much of the matching is right when apps differ in other ways.

`)
}

// titles describe eprof's runs.
var titles = map[string]string{
	"upload":       "Section 4.1, Figure 2: sends right after the connect",
	"upload-later": "Section 4.1, Figure 3: sends five seconds after the connect",
	"browser":      "Section 7.2.1, Figure 11: a Google search in the browser",
	"cnn":          "Section 7.2.1, Figure 12: a page of CNN in the browser",
	"angrybirds":   "Section 7.2.2, Figure 13: Angry Birds",
	"fchess":       "Section 7.2.3, Figure 14: Free Chess",
	"nytimes":      "Section 7.2.4, Figure 15: NYTimes",
	"mapquest":     "Section 7.2.5, Figure 16: MapQuest",
	"facebook":     "Section 7.3: Facebook's wakelock",
	"pup":          "Section 8.3.1, Figure 17: Pup",
	"pslide":       "Section 8.3.2, Figure 19: PSlide",
}

// kind is what a figure proves: a prediction, a fit of the run or of the model to the figure, or a
// figure by construction of the run.
func (f *figure) kind() string {
	switch {
	case strings.HasPrefix(f.what, "bundles of"), strings.HasPrefix(f.what, "the bundle's length"), strings.HasPrefix(f.what, "three tails"):
		return "by construction"
	case strings.HasPrefix(f.what, "saved if"), strings.Contains(f.what, "almost entirely"), f.what == "GPS tail in Flurry":
		return "prediction"
	}
	return "fit"
}

// predictionDocs writes the table of predictions.
func predictionDocs(t *testing.T, b *strings.Builder) {
	fmt.Fprintf(b, "### Section 4.1: one run from the other\n\nThe model's 3G has the mean of Section 4.1's two runs. Here it is fitted to the parts of one of them,\n"+
		"and predicts the whole of the other. A prediction may be off by %d %%: the paper's own figures for the sends and\nfor the tail differ by 7 to 9 %% from run to run.\n\n", predicted)
	head(b, "fitted to", "predicted", ">paper", ">ours", ">off by")
	for _, p := range predictions {
		got := p.ours(t)
		cells(b, titles[p.from], titles[p.to], fmt.Sprintf("%.0f µAh", p.paper), fmt.Sprintf("%.1f µAh", got), fmt.Sprintf("%+.1f %%", 100*(got/p.paper-1)))
	}
	b.WriteString("\n")
}

func eprofDocs(t *testing.T, b *strings.Builder) {
	b.WriteString(`## eprof (Pathak, Hu and Zhang, EuroSys 2012)

All runs are charged by the power model ` + "`passion`" + `, PSlide's by ` + "`tytn2`" + ` ([energy.md](energy.md#power-models)), with the
policy last-trigger and the passion's processor at its top step. Shares are shares of the run's energy. The runs are method
traces: operations come from the table of [triggers](triggers.md), and a call counts as one packet.

`)
	var r run
	var off, most float64
	shares, worst := 0, ""
	for i, f := range figures {
		if i == 0 || f.run != figures[i-1].run {
			r = replay(t, f.run, modelOf(f.run))
			fmt.Fprintf(b, "### %s\n\n", titles[f.run])
			head(b, "figure", ">paper", ">ours", "kind", "why they differ")
		}
		got := f.ours(r)
		cells(b, f.what, strings.TrimSpace(plain(f.paper)+" "+f.unit), ours(got, f.unit), f.kind(), f.why)
		if f.unit == "%" {
			shares++
			off += math.Abs(got - f.paper)
			if d := math.Abs(got - f.paper); d > most {
				most, worst = d, f.run+": "+f.what
			}
		}
		if i+1 == len(figures) || figures[i+1].run != f.run {
			b.WriteString("\n")
		}
	}
	fmt.Fprintf(b, "Our %d shares are %.2f percentage points off on average, and %.1f at most (%s).\n\n", shares, off/float64(shares), most, worst)
	predictionDocs(t, b)
	table5Docs(t, b)
	hotspotDocs(t, b)
	b.WriteString(`### Worked examples and the other figures

| of the paper | here |
|---|---|
| Figure 1, a wakelock's machine, 25 mA | the component ` + "`wakelock`" + ` of the model ` + "`passion`" + ` |
| Figure 4, the memory card's machine of the tytn2: a tail of 75 mA until 3 s of inactivity | the component ` + "`disk`" + ` of the model ` + "`tytn2`" + `; the current of its state d1 is not in the text and is assumed |
| Figure 5, (u1, n1), (u2, 0), (u3, n2) | ` + "`TestFigure5`" + ` in energy/machine: the same three pairs |
| Figure 6, three threads at one card | ` + "`TestFigure6`" + ` in energy/machine: the split calculated by hand, since the figure's numbers are not in the text |
| Section 7.3, the wakelock bug found by its caller | the call AppSession.acquireWakeLock has the wakelock's energy, above. ` + "`" + `diffprof profile --bundles` + "`" + ` shows it as unfinished and not as a failure, since the recording ends before a release could |
| Figures 8 and 9, errors of the policies | [policies.md](policies.md), on a simulated phone whose true power is known |
| Section 6.3, 2 to 15 % of overhead for logging | not comparable: diffprof records nothing itself |
| Section 8.3.3, 20 to 65 % less energy after restructuring | PSlide above; the paper does not describe the others afterwards |

Where figures contradict each other, the tables count. The browser's request routine is 35 %, 7 % of it the processor by the text; its two
threads of network tails and 3G's 31 % leave it less than 28 % of 3G.
`)
}
