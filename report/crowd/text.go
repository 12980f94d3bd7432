package crowd

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/diffprof/diffprof/report/words"
)

func writeJSON(w io.Writer, d *Document) error {
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	e.SetEscapeHTML(false)
	return e.Encode(d)
}

// minutes formats the reduction of a charge's life by an app: "48 ± 13 min".
func (d Drain) minutes() string {
	return words.MinutesBetween(d.Minutes, d.LeastMinutes, d.MostMinutes)
}

// lifeReductions formats the reduction of a charge's life for each hog. All texts have one unit. It
// is hours unless a reduction is below the minimum for hours.
func lifeReductions(hogs []Hog) []string {
	hours := !slices.ContainsFunc(hogs, func(h Hog) bool { return !words.InHours(h.Minutes) })
	column := make([]string, len(hogs))
	for i, h := range hogs {
		column[i] = words.MinutesIn(hours, h.Minutes, h.LeastMinutes, h.MostMinutes)
	}
	return column
}

// lives formats the life of a charge with the app and without it.
func (d Drain) lives() string { return words.Lives(d.Excess, d.Reference) }

// maxSeen is the smallest measured share of an excess that counts as fully
// measured.
const maxSeen = 0.95

// hidden reports whether part of a hog's excess is not measured.
func (h *Hog) hidden() bool { return h.Seen != nil && *h.Seen < maxSeen }

// doubt describes the doubts about a hog. It may not be a hog, its data may not distinguish it from
// other apps, or its excess may be larger.
func (h *Hog) doubt() string {
	var all []string
	if h.Excess <= h.Half {
		all = append(all, "not significant")
	}
	if h.hidden() {
		all = append(all, "it may be far more: the app starts and stops between samples")
	}
	if s := confoundedText(h.Confounded); s != "" {
		all = append(all, s)
	}
	return strings.Join(all, "; ")
}

// NoHogs states that no hogs were found, or that no app could be judged.
func (f *Fleet) NoHogs() string {
	switch {
	case f.Judged > 0:
		return fmt.Sprintf("No hogs were found among %s.", words.Some(f.Judged, "app"))
	case f.Pairs == 0:
		return "No app could be judged: no two samples show a discharge."
	case f.Few > 0:
		return "No app could be judged: too few clients ran each app."
	}
	return "No app could be judged: the samples name no app."
}

// Life formats the life of a charge in the fleet.
func (f *Fleet) Life() string {
	if f.Pairs == 0 {
		return fmt.Sprintf("%s, %s; no two samples show a discharge", words.Some(f.Clients, "device"), words.Some(f.Samples, "sample"))
	}
	if f.Clients == 0 {
		return fmt.Sprintf("%s without devices; at the mean rate, a charge lasts %s h", words.Some(f.Pairs, "rate"), words.TwoDigits(f.Hours))
	}
	return fmt.Sprintf("%s, %s, %s of them; a charge lasts %s h on average", words.Some(f.Clients, "device"), words.Some(f.Samples, "sample"), words.Some(f.Pairs, "pair"), words.TwoDigits(f.Hours))
}

// showsLeftOut reports whether an answer for people has the table of excluded samples. The list of
// hogs and the answers about rates have this table. JSON always has it.
func (d *Document) showsLeftOut() bool {
	return len(d.LeftOut) > 0 && (d.view == "hogs" || d.view == "app" && d.Fleet.Clients == 0)
}

func writeText(w io.Writer, d *Document) error {
	var b bytes.Buffer
	fmt.Fprintln(&b, d.Fleet.Life())
	fmt.Fprintln(&b)
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	switch d.view {
	case "hogs":
		textHogs(&b, t, d)
	case "bugs":
		if len(d.Bugs) == 0 {
			fmt.Fprintln(&b, "No bugs were found.")
			break
		}
		fmt.Fprintln(t, "app\tclient\twhile it runs, a charge lasts\tit uses more\tpairs\t")
		for _, g := range d.Bugs {
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%d\t%s\n", g.App, g.Client, g.lives(), words.PercentPerHour(g.Excess, g.Half), g.Pairs, g.confoundedText())
		}
	case "app":
		textApp(&b, t, d)
	case "actions":
		if len(d.Actions) == 0 {
			fmt.Fprintln(&b, "No app that runs on this device now is known to use a lot of energy.")
			break
		}
		for _, a := range d.Actions {
			fmt.Fprintf(t, "%s %s\ta charge is longer by %s\truns %s %% of the time\t%s\n", a.Advice, a.App, words.Gain(a.Minutes, a.Least, a.Most), words.TwoDigits(100*a.Share), confoundedText(a.Confounded))
		}
	case "suggestion":
		textSuggestion(&b, d.Suggestion)
	case "scores":
		fmt.Fprintln(t, "client\tscore\tcohort\tdevices\tuse")
		for _, s := range d.Scores {
			score := s.Missing
			if s.Score != nil {
				score = fmt.Sprint(*s.Score)
			}
			drain := ""
			if s.Rate > 0 {
				drain = words.TwoDigits(s.Rate*3600) + " %/h"
			}
			if s.Rate > 0 && s.Active {
				drain += " with the screen on"
			}
			fmt.Fprintf(t, "%s\t%s\t%s\t%d\t%s\n", s.Client, score, s.Cohort, s.N, drain)
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if d.showsLeftOut() {
		fmt.Fprintln(&b)
		t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
		fmt.Fprintln(t, "left out\tnumber")
		for _, c := range d.LeftOut {
			fmt.Fprintf(t, "%s\t%s\n", c.What, words.Count(c.N))
		}
		if err := t.Flush(); err != nil {
			return err
		}
	}
	for i, n := range d.Notes {
		if i == 0 {
			fmt.Fprintln(&b)
		}
		fmt.Fprintln(&b, n)
	}
	_, err := w.Write(b.Bytes())
	return err
}

func textHogs(b, t io.Writer, d *Document) {
	if len(d.Hogs) == 0 {
		fmt.Fprintln(b, d.Fleet.NoHogs())
		return
	}
	fmt.Fprintln(t, "hog\twhile it runs, a charge is shorter by\tand lasts\tit uses more\tdevices\t")
	column := lifeReductions(d.Hogs)
	for i, h := range d.Hogs {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\n", h.Name(), column[i], h.lives(), words.PercentPerHour(h.Excess, h.Half), words.Count(h.Clients), h.doubt())
	}
}

// confoundedText names the apps that an app cannot be distinguished from.
func confoundedText(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return "or " + namesText(names) + ": they run together"
}

// confoundedText names the apps that cannot be distinguished from the app of a bug.
func (b *Bug) confoundedText() string {
	if !b.Rare {
		return confoundedText(b.Confounded)
	}
	return confoundedText(append(slices.Clone(b.Confounded), "an app of fewer than 5 devices"))
}

func textApp(b, t io.Writer, d *Document) {
	a := d.App
	fmt.Fprintf(b, "%s: %s\n", a.Name, a.Verdict)
	if a.Hog != nil {
		fmt.Fprintf(b, "While the app runs%s, a full charge is shorter by %s and lasts %s; the app uses %s more; %s ran it.\n", when(a.Hog.When), a.Hog.minutes(), a.Hog.lives(), words.PercentPerHour(a.Hog.Excess, a.Hog.Half), words.Some(a.Hog.Clients, "device"))
		if len(a.Hog.Confounded) > 0 {
			fmt.Fprintf(b, "It cannot be distinguished from %s.\n", namesText(a.Hog.Confounded))
		}
	}
	if a.BugsOn > 0 {
		fmt.Fprintf(b, "It is a bug on %s.\n", words.Some(a.BugsOn, "device"))
	}
	if a.Tree != nil {
		title := "How much more it uses, by condition:"
		if d.Fleet.Clients == 0 {
			title = "The discharge rate, by condition:"
		}
		fmt.Fprintln(b, "\n"+title)
		textTree(t, a.Tree, 0)
	}
	for i, r := range a.Remedies {
		if i == 0 {
			title := "What could be done other than closing it:"
			if d.Fleet.Clients == 0 {
				title = "What could be done:"
			}
			fmt.Fprintln(t, "\n"+title+"\t")
		}
		fmt.Fprintf(t, "  %s%s\t%s %s\n", strings.Join(r.Advice, ", "), when(r.When), remedyPrefix(d.Fleet.Clients > 0), r.use(d.Fleet.Clients > 0))
	}
}

// remedyPrefix returns the words before the figure of a remedy. Without devices, the figure is a
// discharge rate.
func remedyPrefix(devices bool) string {
	if devices {
		return "it then uses"
	}
	return "the discharge rate is then"
}

// use formats the figure of a remedy.
func (r *Remedy) use(devices bool) string {
	if devices {
		return words.ExcessPerHour(r.Drain, r.Half)
	}
	return words.PercentPerHour(r.Drain, r.Half)
}

func when(conditions []string) string {
	if len(conditions) == 0 {
		return ""
	}
	return " (" + strings.Join(conditions, ", ") + ")"
}

func textTree(t io.Writer, n *Node, depth int) {
	fmt.Fprintf(t, "%s%s\t%s\n", strings.Repeat("  ", depth+1), n.Condition, words.Drained(n.Drain, n.Half))
	for _, child := range []*Node{n.With, n.Without} {
		if child != nil {
			textTree(t, child, depth+1)
		}
	}
}
