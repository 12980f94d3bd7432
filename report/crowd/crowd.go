// Package crowd renders the results of a fleet of devices: apps that use more energy on all devices
// (hogs), apps that use more on some devices (bugs), one app with its conditions, possible actions
// of one client, and scores. The formats are text, JSON and one HTML page.
//
// Laws: the three formats show the same figures, which are in Document. The web app in report/html
// draws the page from sentences and figures that this package writes. Clients are the hashes of
// their names.
package crowd

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/diffprof/diffprof/fleet"
	"github.com/diffprof/diffprof/fleet/samples"
	"github.com/diffprof/diffprof/fleet/tree"
	"github.com/diffprof/diffprof/report/words"
)

// Formats are the names of the renderings.
var Formats = []string{"text", "json", "html"}

// Write renders a document.
func Write(w io.Writer, d *Document, format string) error {
	switch format {
	case "text":
		return writeText(w, d)
	case "json":
		return writeJSON(w, d)
	case "html":
		return writeHTML(w, d)
	}
	return fmt.Errorf("no format is called %q", format)
}

// newDocument returns a document with the fields that all answers have.
func newDocument(f *fleet.Fleet, version, view string) *Document {
	total := f.Total()
	judged, few, cleared := f.Judged()
	d := &Document{
		SchemaVersion: 1, Tool: Tool{"diffprof", version}, view: view,
		Fleet: Fleet{
			Method: string(f.Method), Within: append([]string{}, f.HeldConditions()...), Clients: total.Clients, Samples: total.Samples,
			Pairs: total.Pairs, Rate: number(total.Rate), Hours: number(100 / total.Rate / 3600), Judged: judged, Few: len(few) + f.Hidden(),
		},
		Notes: []string{},
	}
	judges := view == "hogs" || view == "bugs" || view == "app" // judges means that the answer is a verdict on apps.
	switch {
	case f.Method != fleet.Within:
		d.note("This is the rule of the Carat paper. It assumes that the rates of a client are independent and that all users behave alike: see docs/fleet.md before you rely on it.")
	case !f.HasFeature(samples.Screen):
		d.note("The samples do not state whether the screen was on, so an app that is used a lot looks the same as an app that wastes energy.%s", unscreened(f))
	case judges:
		d.note("Each client is compared with itself, with the screen in the same state%s.", heldConditions(f))
	}
	if unread := f.UnreadColumns(); judges && len(unread) > 0 && f.Method == fleet.Within {
		d.note("Some columns of the samples were not read, and one of them may show the real cause: %s. fleet analyze --feature makes a column a condition.", namesText(unread))
	}
	if view == "hogs" {
		d.noteOthers(f, cleared)
	}
	if f.Public() && total.Clients > 0 {
		d.note("The names of clients were hashed with diffprof's own key, which is public: anyone who knows a name can compute its hash. Set a secret key with fleet analyze --key FILE.")
	}
	if total.Clients > 1 && total.Clients == total.Samples {
		d.note("No client has two samples, so there is no discharge to measure. Perhaps the wrong column was read as the client: fleet analyze shows the columns, and --map FILE chooses another.")
	}
	d.LeftOut = []LeftOut{}
	for _, c := range total.Unpaired {
		d.LeftOut = append(d.LeftOut, LeftOut(c))
	}
	return d
}

// noteOthers adds notes about the apps that cannot be distinguished from hogs, and about the number
// of apps that could not be judged.
func (d *Document) noteOthers(f *fleet.Fleet, cleared []string) {
	if f.Method == fleet.Within {
		if doubtful := f.Doubtful(); len(doubtful) > 0 && !f.Unscreened() {
			d.note("Devices use more while these apps run, but the conditions under which the apps run may explain it: %s.", namesText(doubtful))
		}
		if few := f.PartialHogs(); len(few) > 0 {
			d.note("These apps use more on only some of the devices that run them, so they are not hogs: %s. fleet bugs lists these devices, as far as the samples show them.", namesText(few))
		}
		if len(cleared) > 0 {
			d.note("These apps look like hogs only because hogs run at the same time: %s.", namesText(cleared))
		}
	}
	if d.Fleet.Few > 0 {
		about := ""
		if f.HiddenApproximate() {
			about = "about "
		}
		d.note("Not judged: %s%s of %s, because too few clients ran them; %s.", about, words.Count(d.Fleet.Few), words.Some(d.Fleet.Few+d.Fleet.Judged, "app"), f.Requirements())
	}
}

// recallText describes how many added bugs the answer finds, by their size.
func recallText(all []Recall) string {
	var parts []string
	for _, r := range all {
		parts = append(parts, fmt.Sprintf("%.0f %% at %s %%/h", 100*float64(r.Found)/float64(r.Planted), words.TwoDigits(3600*r.Excess)))
	}
	return fmt.Sprintf("An app that is not listed may still use more on some devices. As a test, artificial bugs were added to the samples of %s. The analysis found these shares of them, by size: %s.",
		words.Some(all[0].Planted, "device"), strings.Join(parts, ", "))
}

// visible describes the smallest excess that a fleet would show.
func visible(least float64) string {
	if math.IsInf(least, 0) {
		return "no excess"
	}
	return "an excess of " + words.TwoDigits(3600*least) + " %/h or more"
}

// unscreened states what the answer lacks if the samples have no screen column.
func unscreened(f *fleet.Fleet) string {
	doubtful := f.Doubtful()
	switch {
	case !f.Unscreened() || f.Total().Clients == 0:
		return ""
	case len(doubtful) == 0:
		return " So no app is called a hog or a bug; fleet analyze --within all calls them so anyway."
	}
	return fmt.Sprintf(" So no app is called a hog or a bug. Devices use more while these apps run, for good reasons or not: %s. fleet analyze --within all calls them hogs or bugs anyway.", namesText(doubtful))
}

// heldConditions lists the conditions that are equal on both sides of a comparison, besides the
// screen.
func heldConditions(f *fleet.Fleet) string {
	held := slices.DeleteFunc(f.HeldConditions(), func(name string) bool { return name == samples.Screen })
	if len(held) == 0 {
		return ""
	}
	return ", and at the same " + namesText(held) + " as far as there are enough samples"
}

func (d *Document) note(format string, args ...any) {
	d.Notes = append(d.Notes, fmt.Sprintf(format, args...))
}

// namesText returns the first few names as a list.
func namesText(names []string) string {
	const few = 5
	s := ""
	for i, n := range names[:min(few, len(names))] {
		if i > 0 {
			s += ", "
		}
		s += n
	}
	if more := len(names) - few; more > 0 {
		s += fmt.Sprintf(" and %d more", more)
	}
	return s
}

// number returns x, or 0 if x is not finite, which JSON cannot represent.
func number(x float64) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return 0
	}
	return x
}

func drainOf(d fleet.Drain) Drain {
	minutes, least, most := d.Minutes()
	return Drain{number(d.Excess), number(d.Half), number(d.Reference), number(minutes), number(least), number(most)}
}

// probability returns a p-value or a share. It returns nil for NaN, which means that the method
// computes none.
func probability(p float64) *float64 {
	if math.IsNaN(p) {
		return nil
	}
	return &p
}

func hogOf(h *fleet.Hog) Hog {
	var when []string
	for _, c := range h.Conditions {
		when = append(when, c.String())
	}
	return Hog{h.App, drainOf(h.Drain), probability(h.P), h.Clients, h.Compared, append([]string{}, h.Confounded...), probability(h.Seen), when, nil}
}

// Hogs returns the apps that use more energy on all devices.
func Hogs(f *fleet.Fleet, version string) (*Document, error) {
	hogs, err := f.Hogs()
	if err != nil {
		return nil, err
	}
	d := newDocument(f, version, "hogs")
	d.Hogs = []Hog{}
	trees := f.Trees()
	for i := range hogs {
		h := hogOf(&hogs[i])
		if root := trees[h.App]; root != nil && f.Method == fleet.Within && root.With != nil {
			for _, n := range []*tree.Node{root.With, root.Without} {
				if n.Drain.Known() {
					h.Conditions = append(h.Conditions, Conditional{fleet.LastCondition(n).String(), number(n.Drain.Mean), number(n.Drain.Half)})
				}
			}
		}
		d.Hogs = append(d.Hogs, h)
	}
	slices.SortStableFunc(d.Hogs, func(a, b Hog) int { return cmp.Compare(b.Minutes, a.Minutes) })
	if half, most, ok := f.Detectable(); ok {
		d.note("An app that is not listed may still use more: this fleet would show %s for half of the judged apps, and %s for nine of ten.", visible(half), visible(most))
	}
	return d, nil
}

// Bugs returns the apps that use more energy on some clients than on others.
func Bugs(f *fleet.Fleet, version string) (*Document, error) {
	if _, err := f.Hogs(); err != nil {
		return nil, err
	}
	d := newDocument(f, version, "bugs")
	bugs, tested := f.Bugs()
	d.Bugs = []Bug{}
	for _, b := range bugs {
		d.Bugs = append(d.Bugs, Bug{b.Client, b.App, drainOf(b.Drain), probability(b.P), b.Pairs, append([]string{}, b.Confounded...), b.Rare})
	}
	count := map[string]int{}
	for _, b := range bugs {
		count[b.App]++
	}
	_, few, _ := f.Judged()
	if often := slices.DeleteFunc(slices.Clone(few), func(app string) bool { return count[app] < 2 }); len(often) > 0 {
		d.note("Too few clients ran these apps to call them hogs. They use a lot of energy on more than one client, so perhaps on all clients: %s.", namesText(often))
	}
	if f.Method == fleet.Within && f.HasFeature(samples.Screen) {
		d.note("Apps that run with the screen on are not judged here: an app that is used a lot looks the same as an app that wastes energy.")
	}
	if f.Hidden() > 0 && len(bugs) > 0 {
		d.note("Apps that fewer than 5 devices ran are not shown. If one of them explains the use of a device better, no app is listed for this device.")
	}
	d.note("%d pairs of an app and a client had enough samples to be judged.", tested)
	for _, r := range f.Recall() {
		d.Recall = append(d.Recall, Recall(r))
	}
	if len(d.Recall) > 0 {
		d.note("%s", recallText(d.Recall))
	}
	return d, nil
}

// diagnose adds an app's tree of conditions and the app's remedies.
func (a *App) diagnose(f *fleet.Fleet, app string) {
	root, remedies := f.Diagnose(app)
	a.Tree = nodeOf(root)
	for _, r := range remedies {
		if remedy, ok := remedyOf(r); ok && !slices.ContainsFunc(a.Remedies, func(o Remedy) bool {
			return slices.Equal(o.Advice, remedy.Advice) && slices.Equal(o.When, remedy.When)
		}) {
			a.Remedies = append(a.Remedies, remedy)
		}
	}
}

// Conditions returns the discharge rates under different conditions, for samples that do not name
// apps. It returns false if there are no conditions.
func Conditions(f *fleet.Fleet, version string) (*Document, bool) {
	d := newDocument(f, version, "app")
	d.App = &App{Name: "All rates", Verdict: "they belong to no app and no device", Remedies: []Remedy{}, Rates: []Class{}, Growth: []Point{}}
	d.App.diagnose(f, "")
	if d.App.Tree != nil {
		d.App.Tree.Condition = "at all times"
	}
	d.note("The means treat rates as independent (Carat's rule), so conditions that last long on one device look more certain than they are.")
	return d, d.App.Tree != nil
}

// Explain returns all results about an app. It returns false if fewer than five clients ran the app.
func Explain(f *fleet.Fleet, app, version string) (*Document, bool, error) {
	hogs, err := f.Hogs()
	if err != nil {
		return nil, false, err
	}
	if !f.Ran(app) {
		return nil, false, nil
	}
	d := newDocument(f, version, "app")
	a := &App{Name: app, Verdict: "no hog", Remedies: []Remedy{}, Rates: []Class{}, Growth: []Point{}}
	d.App = a
	for i := range hogs {
		if hogs[i].App == app {
			h := hogOf(&hogs[i])
			a.Hog, a.Verdict = &h, "hog"
			if len(h.When) > 0 {
				a.Verdict = "hog with " + strings.Join(h.When, ", ")
			}
		} else if slices.Contains(hogs[i].Confounded, app) {
			a.Verdict = "not distinguishable from the hog " + hogs[i].App
		}
	}
	_, few, cleared := f.Judged()
	switch {
	case slices.Contains(few, app):
		ran, compared := f.ClientCounts(app)
		a.Verdict = fmt.Sprintf("not judged: %s ran it, and %s of them also have samples without it; %s", words.Some(ran, "client"), words.Count(compared), f.Requirements())
	case slices.Contains(cleared, app):
		a.Verdict = "not a hog: devices use more with it only because of other hogs that run at the same time"
	case slices.Contains(f.Doubtful(), app):
		a.Verdict = "not judged: devices use more while it runs, but the conditions under which it runs may explain that"
	}
	if slices.Contains(f.PartialHogs(), app) {
		a.Verdict = "not a hog: it uses more on only some of the devices that run it"
	}
	bugs, _ := f.Bugs()
	for _, b := range bugs {
		if b.App == app {
			a.BugsOn++
		}
	}
	e, ok := f.Evidence(app)
	if ok {
		a.Evidence = &Evidence{Excess: e.Excess, Half: e.Half, Clients: e.Clients}
		if !math.IsInf(e.Least, 0) {
			a.Evidence.Least = &e.Least
		}
	}
	switch {
	case f.Method == fleet.Paper || a.Hog != nil:
	case !ok:
		_, compared := f.ClientCounts(app)
		d.note("There is no estimate, because too few clients have time both with and without the app: %s, and %s", words.Count(compared), f.Requirements()+".")
	default:
		d.note("The estimate of what it uses more is %s, from %s with time both with and without the app. This fleet would show %s in four of five cases.",
			words.PercentPerHour(e.Excess, e.Half), words.Some(e.Clients, "client"), visible(e.Least))
	}
	a.diagnose(f, app)
	if a.Hog != nil && a.Hog.hidden() {
		d.note("The app starts and stops between samples, so a part of its use is not measured: it may use far more.")
	}
	if explicit := f.Explicit(); a.Tree != nil && f.Method == fleet.Within && len(explicit) > 0 {
		d.note("No condition is about the %s, because samples are only compared if it is the same in them.", strings.Join(explicit, " or the "))
	}
	if a.Tree != nil && a.Hog != nil && f.Method == fleet.Within {
		d.note("The conditions and the chart of the estimate ignore that other hogs run at the same time. Without the energy that those hogs explain, the app uses %s more.", words.PercentPerHour(a.Hog.Excess, a.Hog.Half))
	}
	switch {
	case a.Tree != nil:
	case a.Hog != nil || a.BugsOn > 0:
		d.note("Too few devices ran it to compare conditions.")
	default:
		d.note("Conditions are stored only for hogs and for apps with bugs.")
	}
	for _, c := range f.Rates(app) {
		a.Rates = append(a.Rates, Class(c))
	}
	for _, p := range f.Growth(app) {
		a.Growth = append(a.Growth, Point{p.Clients, number(p.Mean), number(p.Half)})
	}
	return d, true, nil
}

// remedyOf describes a remedy. It omits values that follow from the remedy's other conditions. It
// returns false if the remedy requires two values of one feature. This happens if a device changed
// between the two samples of a pair.
func remedyOf(r fleet.Remedy) (Remedy, bool) {
	made := Remedy{Advice: []string{}, When: []string{}, Drain: number(r.Drain.Mean), Half: number(r.Drain.Half)}
	for i, c := range r.Path {
		other := slices.ContainsFunc(r.Path, func(o tree.Condition) bool { return o != c && o.Feature == c.Feature && !o.Not })
		switch {
		case other && !c.Not:
			return made, false
		case other:
		case r.Advice[i] == "":
			made.When = append(made.When, c.String())
		default:
			made.Advice = append(made.Advice, r.Advice[i])
		}
	}
	return made, len(made.Advice) > 0
}

func nodeOf(n *tree.Node) *Node {
	if n == nil {
		return nil
	}
	node := &Node{Condition: "whenever it runs", Drain: number(n.Drain.Mean), Half: number(n.Drain.Half)}
	if len(n.Path) > 0 {
		node.Condition = fleet.LastCondition(n).String()
	}
	node.With, node.Without = nodeOf(n.With), nodeOf(n.Without)
	return node
}

// Actions returns the actions that a client could take. It returns false if the fleet lacks the
// client.
func Actions(f *fleet.Fleet, id samples.ID, version string) (*Document, bool, error) {
	actions, known, err := f.Actions(id)
	if err != nil || !known {
		return nil, false, err
	}
	d := newDocument(f, version, "actions")
	d.Actions = []Action{}
	for _, a := range actions {
		d.Actions = append(d.Actions, Action(a))
	}
	return d, true, nil
}

// Scores compares the battery life of each client with the battery life of other clients. If only
// is not 0, the answer has only the client with this id.
func Scores(f *fleet.Fleet, only samples.ID, version string) *Document {
	d := newDocument(f, version, "scores")
	d.Scores = []Score{}
	for _, s := range f.Scores() {
		if only != 0 && s.Client != fleet.ClientKey(only) {
			continue
		}
		score := Score{Client: s.Client, Missing: s.Missing, Cohort: s.Cohort, N: s.N, Rate: number(s.Rate), Active: s.Active}
		if s.Missing == "" {
			score.Score = &s.Score
		}
		d.Scores = append(d.Scores, score)
	}
	slices.SortStableFunc(d.Scores, func(a, b Score) int {
		return cmp.Compare(a.rank(), b.rank())
	})
	return d
}
