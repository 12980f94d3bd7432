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

var update = flag.Bool("update", false, "write README.md and testdata/figures.md")

// TestDocs compares the replayed runs with README.md, and with testdata/figures.md, which has all
// figures.
func TestDocs(t *testing.T) {
	var page, all strings.Builder
	all.WriteString("# All figures of the papers, and ours\n\n<!-- Written by go test ./test/paper -update -->\n\n" +
		"[The page above](../README.md) has the summary, and explains the kinds of figures.\n\n")
	listDocs(t, &all)
	e := eprofDocs(t, &all)
	orkaDocs(&all)
	vlensDocs(&all)
	summaryDocs(t, &page, e)
	for file, want := range map[string]string{"README.md": page.String(), "testdata/figures.md": all.String()} {
		if *update {
			if err := os.WriteFile(file, []byte(want), 0o666); err != nil {
				t.Fatal(err)
			}
		} else if got, err := os.ReadFile(file); err != nil || string(got) != want {
			t.Errorf("%s is not what the runs come to; run go test ./test/paper -update (%v)", file, err)
		}
	}
}

// summaryDocs writes README.md.
func summaryDocs(t *testing.T, b *strings.Builder, e eprofSummary) {
	b.WriteString(`# The papers' figures and ours

<!-- Written by go test ./test/paper -update -->

This page compares the figures of the papers that diffprof builds on with diffprof's figures for runs that replay them. The runs were
generated, not recorded: they make the calls that the papers describe ([testdata](../../testdata/README.md)). So the figures test reading,
charging, accounting, merging and matching, not the apps. [figures.md](testdata/figures.md) has all of them, and
` + "`go test ./test/paper`" + ` fails if one is off by more than its limit.

| kind | meaning |
|---|---|
| prediction | neither the run nor the model was made for the figure |
| fit | the run's times, or the model, were chosen so that the figure comes out; it tests reading, charging and adding up |
| by construction | the run was built with that number of bundles or that length |

All figures of DiffProf's tables are fits. eprof's figures are fits unless their kind is named.

## DiffProf (Jindal and Hu, OSDI 2018)

**Table 4 and Section 5.3, the tasks that could be cheaper.** Energies in µAh at 3.7 V, ours in brackets; shares of the subject's energy.
Rank is the place among diffprof's tasks, profile the place in an ordinary profile by inclusive energy. The last column has the reference's energy.

`)
	table4Docs(t, b)
	fmt.Fprintf(b, `
No figure differs by more than 0.5 %%. The first five entries of both profiles and of diffprof's list (Tables 5 and 6) are the paper's, too.

## eprof (Pathak, Hu and Zhang, EuroSys 2012)

Runs are charged by the power model `+"`passion`, PSlide's by `tytn2` ([energy.md](../../docs/energy.md#power-models)), with `last-trigger`"+`. %d fits have no row
here. %d shares are %.2f percentage points off on average, and %.1f at most (%s). Table 5's bundles and routines are exact among up to 7,100
routines, and its shares of I/O differ by less than half a point. [energy.md](../../docs/energy.md#policies) links to the rows of Figures 8 and 9.

`, e.fits, e.shares, e.off, e.most, e.worst)
	head(b, "run", "figure", "paper (ours)", "reason, or kind")
	b.WriteString(strings.Join(e.rows, ""))
	b.WriteString(`
## Orka (Westfield and Gopalan, 2016)

50 toasts use 0.42193334 J (0.42193334), and one toast 0.008439 J (0.0084386668), by the table that Orka used ([apicosts.md](../../docs/apicosts.md)), which has no licence
and does not come with diffprof. The counts come from two apps that [diffprof instrument](../../docs/instrument.md#a-real-app-before-and-after) changed.

Figure 6, the ten routines of Anstop, is reproduced by ` + "`--compat orka2016`" + `. Its first row is an artefact of Orka's logger, which did not log where
methods end: readLapFormatPrefFlags makes no call with a cost, and has no energy by default. onCreate leads then, with setContentView, 0.1515 J,
which Orka did not see.

## vLens (Li et al., ISSTA 2013)

The paper's apps are not available, and no phone was measured, so these are simulated apps (` + "`go test ./lines/metered -run 'Apps|APIs' -v`" + `).

| figure | vLens | diffprof, simulated | reason |
|---|---|---|---|
| Table 2, R² | 0.90 to 0.99 | 0.993 to 0.997 | no other apps, no touch input, no change of frequency |
| Table 2, AEE | 3.4 to 8.6 % | at most 0.3 % | the same. The median line is off by 5 to 8 % |
| Section 4.4.3, events | all of 20 to 200 | all of 20 to 98 in five apps; all of 200 among 20,000 runs, none false | the median absolute deviation; the standard deviation as printed finds 6 of 20, and none of 100 |
| Figure 6, APIs | 19 of 24 within 9 % | 19 of 24 within 9 % | four wait for locks, and one is cached |
| equation 4 | x(kσ − x²)² | x((kσ)² − x²)² | the printed one depends on the unit of energy |
`)
}

// cells writes a row of a table.
func cells(b *strings.Builder, cells ...string) {
	fmt.Fprintf(b, "| %s |\n", strings.Join(cells, " | "))
}

// head begins a table. Columns whose names begin with > have numbers.
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

// ours formats a number of diffprof. A number without a unit is a count.
func ours(x float64, unit string) string {
	if unit == "" {
		return plain(x)
	}
	return fmt.Sprintf("%.1f %s", x, unit)
}

// plain formats a number without trailing zeros.
func plain(x float64) string { return strings.TrimSuffix(fmt.Sprintf("%.1f", x), ".0") }

func table4Docs(t *testing.T, b *strings.Builder) {
	head(b, "subject and reference", "task", ">energy", ">share", ">calls", ">rank", ">profile", "in the reference")
	for _, f := range findings {
		r := compare(t, options(t, f.pair))
		k := task(t, r, f.task)
		calls, position, peer := "–", "–", "not matched"
		if f.calls != 0 {
			calls = fmt.Sprint(f.calls)
		}
		if f.position != 0 {
			position = fmt.Sprint(f.position)
		}
		if f.peer > 0 {
			peer = fmt.Sprintf("%v (%.2f): %s", f.peer, uAh(k.PeerEnergy), map[string]string{"dearer": "more energy per call here", "more": "more calls here"}[f.reason])
		}
		rank := 1 + slices.IndexFunc(r.Tasks, func(o eflask.Task) bool { return o.Node == k.Node })
		cells(b, f.pair, "`"+f.task+"`", fmt.Sprintf("%v (%.2f)", f.uAh, uAh(k.Energy)),
			fmt.Sprintf("%s %% (%.1f)", plain(f.percent), 100*units.Share(k.Energy, r.Subject.Energy)),
			fmt.Sprintf("%s (%d)", calls, k.Calls), fmt.Sprint(rank), position, peer)
	}
}

// listDocs writes the first rows of DiffProf's lists.
func listDocs(t *testing.T, b *strings.Builder) {
	b.WriteString("## DiffProf (Jindal and Hu, OSDI 2018)\n\nWhere the paper contradicts itself, [testdata](../../../testdata/README.md) " +
		"names the figure used.\n\n### Tables 5 and 6: the heads of the lists\n\n")
	for _, l := range lists {
		r := compare(t, options(t, l.pair))
		fmt.Fprintf(b, "%s, in µAh (ours in brackets; a star marks an unmatched task):\n\n", l.pair)
		all, own := inclusive(&r.Subject), exclusive(&r.Subject)
		var inclusives, exclusives, tasks []string
		for i := range l.tasks {
			k := r.Tasks[i]
			name := taskName(&r.Subject, k.Node)
			if k.Found == eflask.Unmatched {
				name += "*"
			}
			inclusives = append(inclusives, entry(short(all[i].label), l.inclusive[i].uAh, all[i].uAh))
			exclusives = append(exclusives, entry(short(own[i].label), l.exclusive[i].uAh, own[i].uAh))
			tasks = append(tasks, entry(name, l.tasks[i].uAh, uAh(k.Saving)))
		}
		for _, list := range []struct {
			name    string
			entries []string
		}{{"inclusive profile", inclusives}, {"exclusive profile", exclusives}, {"diffprof", tasks}} {
			fmt.Fprintf(b, "- %s: %s\n", list.name, strings.Join(list.entries, ", "))
		}
		b.WriteString("\n")
	}
}

// entry formats an entry of a list: the paper's number, and ours in brackets.
func entry(name string, paper, ours float64) string {
	return fmt.Sprintf("`%s` %v (%.2f)", name, paper, ours)
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

// kind says what a figure is evidence of: a prediction, a result to which the run or the model was
// fitted, or a result that the run was constructed to have.
func (f *figure) kind() string {
	switch {
	case strings.HasPrefix(f.what, "bundles of"), strings.HasPrefix(f.what, "the bundle's length"), strings.HasPrefix(f.what, "three tails"):
		return "by construction"
	case strings.HasPrefix(f.what, "saved if"), strings.Contains(f.what, "almost entirely"), f.what == "GPS tail in Flurry":
		return "prediction"
	}
	return "fit"
}

// text formats a number of the paper, and ours in brackets.
func (f *figure) text(got float64) string {
	return fmt.Sprintf("%s %s (%s)", f.what, strings.TrimSpace(plain(f.paper)+" "+f.unit), ours(got, ""))
}

// line formats a figure to which nothing was fitted, or which differs for a stated reason.
func (f *figure) line(got float64, kind string) string {
	s := "- " + f.text(got)
	if kind != "fit" {
		s += ", " + kind
	}
	if f.why != "" {
		s += ": " + f.why
	}
	return s + "\n"
}

// row formats the same figure as a row of README.md.
func (f *figure) row(got float64, kind string) string {
	note := f.why
	if kind != "fit" {
		note = strings.TrimSuffix(kind+": "+f.why, ": ")
	}
	return fmt.Sprintf("| %s | %s | %s (%s) | %s |\n", f.run, f.what, strings.TrimSpace(plain(f.paper)+" "+f.unit), ours(got, ""), note)
}

// predictionDocs writes the predictions of each run of Section 4.1 from the other run, and returns
// them as rows.
func predictionDocs(t *testing.T, b *strings.Builder) (rows []string) {
	fmt.Fprintf(b, "### Section 4.1: one run from the other\n\nThe model's 3G has the mean of Section 4.1's two runs. Here it is fitted to the parts of one of them,\n"+
		"and predicts the whole of the other. A prediction may be off by %d %%: the paper's own figures for the sends and\nfor the tail differ by 7 to 9 %% from run to run.\n\n", predicted)
	for _, p := range predictions {
		got := p.ours(t)
		_, app, _ := strings.Cut(titles[p.to], ", ")
		fmt.Fprintf(b, "- %s: %.0f µAh (%.1f), off by %+.1f %%\n", app, p.paper, got, 100*(got/p.paper-1))
		rows = append(rows, fmt.Sprintf("| %s | whole run, by a model of the other run of Section 4.1 | %.0f µAh (%.1f) | prediction |\n", p.to, p.paper, got))
	}
	b.WriteString("\n")
	return rows
}

// An eprofSummary is the part of README.md about eprof's figures.
type eprofSummary struct {
	fits, shares int
	off, most    float64 // mean and largest error of the shares, in percentage points
	worst        string
	rows         []string // for each figure that is no fit or differs for a reason
}

func eprofDocs(t *testing.T, b *strings.Builder) (e eprofSummary) {
	b.WriteString(`## eprof (Pathak, Hu and Zhang, EuroSys 2012)

All runs are charged by the power model ` + "`passion`" + `, PSlide's by ` + "`tytn2`" + ` ([energy.md](../../../docs/energy.md#power-models)), with the
policy last-trigger and the passion's processor at its top step. Shares are shares of the run's energy. Operations come from the
table of [triggers](../../../docs/triggers.md), and a call counts as one packet. Ours is in brackets.

`)
	var r run
	var fits, built, reasons []string // fitted to the run
	for i, f := range figures {
		if i == 0 || f.run != figures[i-1].run {
			r = replay(t, f.run, modelOf(f.run))
			fmt.Fprintf(b, "### %s\n\n", titles[f.run])
		}
		got := f.ours(r)
		switch kind := f.kind(); {
		case kind == "fit" && f.why == "":
			fits = append(fits, f.text(got))
			e.fits++
		case kind == "by construction" && f.why == "":
			built = append(built, f.text(got))
		default:
			reasons = append(reasons, f.line(got, kind))
			e.rows = append(e.rows, f.row(got, kind))
		}
		if f.unit == "%" {
			e.shares++
			e.off += math.Abs(got - f.paper)
			if d := math.Abs(got - f.paper); d > e.most {
				e.most, e.worst = d, f.run+": "+f.what
			}
		}
		if i+1 == len(figures) || figures[i+1].run != f.run {
			if len(fits) > 0 {
				fmt.Fprintf(b, "- fits: %s\n", strings.Join(fits, ", "))
			}
			if len(built) > 0 {
				fmt.Fprintf(b, "- by construction: %s\n", strings.Join(built, ", "))
			}
			b.WriteString(strings.Join(reasons, "") + "\n")
			fits, built, reasons = nil, nil, nil
		}
	}
	e.off /= float64(e.shares)
	fmt.Fprintf(b, "Our %d shares are %.2f percentage points off on average, and %.1f at most (%s).\n\n", e.shares, e.off, e.most, e.worst)
	e.rows = append(e.rows, predictionDocs(t, b)...)
	table5Docs(t, b)
	hotspotDocs(t, b)
	b.WriteString(`### Worked examples and the other figures

| of the paper | here |
|---|---|
| Figures 1 and 4, machines of a wakelock and a memory card | the components ` + "`wakelock`" + ` of ` + "`passion`" + ` and ` + "`disk`" + ` of ` + "`tytn2`" + `, whose state d1 is assumed |
| Figure 5, (u1, n1), (u2, 0), (u3, n2) | ` + "`TestFigure5`" + ` in energy/machine: the same three pairs |
| Figure 6, three threads at one card | ` + "`TestFigure6`" + ` in energy/machine: the split calculated by hand, since the figure's numbers are not in the text |
| Section 7.3, the wakelock bug | AppSession.acquireWakeLock has the wakelock's energy, above; unfinished and no failure, since the recording ends first |
| Figures 8 and 9, errors of the policies | [policies.md](../../phone/testdata/policies.md), on a simulated phone |
| Section 6.3, 2 to 15 % of overhead for logging | not comparable: diffprof records nothing itself |
| Section 8.3.3, 20 to 65 % less energy after restructuring | PSlide above; the paper does not describe the others afterwards |

Where figures contradict each other, the tables count. The browser's request routine is 35 %, 7 % of it the processor by the text; its two
threads of network tails and 3G's 31 % leave it less than 28 % of 3G.
`)
	return e
}
