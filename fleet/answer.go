package fleet

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/diffprof/diffprof/fleet/paper"
	"github.com/diffprof/diffprof/fleet/samples"
	"github.com/diffprof/diffprof/fleet/sums"
	"github.com/diffprof/diffprof/fleet/tree"
	"github.com/diffprof/diffprof/fleet/within"
)

// A Total has the size of a fleet and its overall discharge rate.
type Total struct {
	Samples, Clients, Pairs int64
	// Rate is the discharge rate over all pairs, in % per second. It is the sum of all drops
	// divided by the sum of all times. MeanRate is the mean of the rates of single pairs. Only the
	// paper's method has MeanRate.
	Rate, MeanRate float64
	// Unpaired counts the samples and pairs that were left out, by reason.
	Unpaired []Count
}

// A Count is the number of samples or pairs of one kind, which What describes.
type Count struct {
	What string
	N    int64
}

// Total returns the totals of the fleet.
func (f *Fleet) Total() Total {
	r := f.Sums.Get(sums.Key("total", ""))
	t := Total{
		Samples: r[0].Int64(), Clients: r[1].Int64(), Pairs: r[2].Int64(), Rate: r[3].Float() / r[4].Float() * 1e-3,
		MeanRate: distOf(f.Sums.Get(sums.Key("dist", ""))).Mean(),
	}
	f.Sums.Each("left", func(rest []string, r *sums.Row) { t.Unpaired = append(t.Unpaired, Count{rest[0], r[0].Int64()}) })
	return t
}

// ErrNoSamples means that the input has no usable samples.
var ErrNoSamples = errors.New("no usable samples")

// ErrLevels means that the levels of the input are not percentages.
var ErrLevels = errors.New("the level is not in per cent")

// maxOverFull limits the samples with a level over 100 %, divided by the other samples. A few
// batteries report such levels. If there are more, the column has another unit, such as
// thousandths.
const maxOverFull = 0.1

// overFull returns the number of samples with a level over 100 %.
func (t *Total) overFull() (n float64) {
	for _, c := range t.Unpaired {
		if c.What == samples.OverFull {
			n = float64(c.N)
		}
	}
	return n
}

// noSamples returns the error for a fleet without samples. It lists the reasons why samples were
// left out.
func (t *Total) noSamples() error {
	var why []string
	for _, c := range t.Unpaired {
		why = append(why, fmt.Sprintf("%s (%d)", c.What, c.N))
	}
	if why == nil {
		return errors.New("the files have no samples")
	}
	return fmt.Errorf("%w; left out: %s", ErrNoSamples, strings.Join(why, ", "))
}

// Hidden returns the number of apps that are not shown because too few clients ran them. It is
// known after the last stage.
func (f *Fleet) Hidden() int { return int(f.Sums.Get(sums.Key("hidden", ""))[0].Int64()) }

// HiddenApproximate reports whether Hidden is approximate. It is if the samples have more names
// than fit in memory.
func (f *Fleet) HiddenApproximate() bool {
	return f.Sums.Get(sums.Key("hidden", ""))[1] != (sums.Int{})
}

// Public reports whether the clients' names were hashed with the default key, which is published.
func (f *Fleet) Public() bool { return f.mark == samples.MarkOf([]byte(samples.PublicKey)) }

// HasFeature reports whether the samples had a feature.
func (f *Fleet) HasFeature(feature string) bool { return slices.Contains(f.Features, feature) }

// minScored is the minimum size of a cohort. A smaller cohort gives no score.
const minScored = 20

// minScorePairs is the minimum number of pairs of a client for a score.
const minScorePairs = 10

// A Score ranks the battery life of a client among similar clients (the J-Score of §3.1.1). For
// example, 80 means that 80 % of them have a shorter battery life.
type Score struct {
	Client string
	// Score is from 0 to 100, or -1 if there is none. In that case, Missing is the reason.
	Score   int
	Missing string
	// Cohort is "all devices" or "devices of the model X": the clients of the comparison. N is
	// their number.
	Cohort string
	N      int
	// Rate is the client's discharge rate in % per second. If Active is set, only time with the
	// screen on counts.
	Rate   float64
	Active bool
}

// Scores returns the scores of all clients, by the hashes of their names. A client is compared with
// the clients of its model if there are at least minScored of them, and otherwise with all clients.
func (f *Fleet) Scores() []Score {
	type client struct {
		Score
		model string
		pairs int64
		timed bool // timed means that the time for the rate is not zero.
	}
	var all []client
	byModel := map[string][]float64{}
	var rates []float64
	active := f.HasFeature(samples.Screen)
	f.Sums.Each("client", func(rest []string, r *sums.Row) {
		c := client{Score: Score{Client: rest[0], Score: -1, Active: active}, model: rest[1], pairs: r[0].Int64()}
		drop, time := r[1], r[2]
		if active {
			drop, time = r[3], r[4]
		}
		c.timed = time.Float() > 0
		if c.pairs >= minScorePairs && drop.Float() > 0 && c.timed {
			c.Rate = drop.Float() / time.Float() * 1e-3
			byModel[c.model] = append(byModel[c.model], c.Rate)
			rates = append(rates, c.Rate)
		}
		all = append(all, c)
	})
	for _, group := range byModel {
		slices.Sort(group)
	}
	slices.Sort(rates)
	var scores []Score
	for _, c := range all {
		group := rates
		c.Cohort = "all devices"
		if same := byModel[c.model]; c.model != "" && len(same) >= minScored {
			group, c.Cohort = same, "devices of the model "+c.model
		}
		c.N = len(group)
		switch {
		case c.Rate == 0:
			c.Missing = fmt.Sprintf("too few samples while discharging: %d of the %d pairs that are needed", c.pairs, minScorePairs)
			switch {
			case c.pairs >= minScorePairs && !c.timed:
				c.Missing = "no samples with the screen on"
			case c.pairs >= minScorePairs:
				c.Missing = "its level never fell"
			}
		case len(group) < minScored:
			c.Missing = "too few devices to compare with: " + strconv.Itoa(len(group)) + ", " + strconv.Itoa(minScored) + " are needed"
		default:
			above := len(group) - countAtMost(group, c.Rate)
			c.Score.Score = 100 * above / len(group)
		}
		scores = append(scores, c.Score)
	}
	return scores
}

// countAtMost returns how many of the sorted numbers are at most x.
func countAtMost(sorted []float64, x float64) int {
	i, _ := slices.BinarySearchFunc(sorted, x, func(e, x float64) int {
		if e <= x {
			return -1
		}
		return 1
	})
	return i
}

// An Action is advice to the user of a client.
type Action struct {
	// Advice is "close" or "restart".
	Advice, App string
	// Minutes is the expected gain in battery life per charge, in the interval from Least to Most.
	// It assumes the client's own discharge rate and its own use of the app (§5.7).
	Minutes, Least, Most float64
	Share                float64
	// Confounded lists apps that the data cannot distinguish from App. One of them may be the true
	// cause.
	Confounded []string
}

// Actions returns the actions for a client, the largest gain first. An action is to close a running
// hog, or to restart an app with a bug (§3.1.1). Only apps in the client's last sample count as
// running. The second result reports whether the fleet has the client.
func (f *Fleet) Actions(id samples.ID) ([]Action, bool, error) {
	hogs, err := f.Hogs()
	if err != nil {
		return nil, false, err
	}
	key := ClientKey(id)
	known, rate := false, 0.0
	f.Sums.EachUnsorted("client", func(rest []string, r *sums.Row) {
		if rest[0] == key {
			known, rate = true, r[1].Float()/r[2].Float()*1e-3
		}
	})
	var all []Action
	for _, h := range hogs {
		r := f.Sums.Get(sums.Key("uses", key, h.App))
		if r[2].Int64() == 0 {
			continue
		}
		d, ok := f.ownDrain(key, &h)
		if !ok {
			continue
		}
		share := r[0].Float() / r[1].Float()
		all = append(all, action("close", h.App, d, rate, share, h.Confounded))
	}
	bugs, _ := f.Bugs()
	for _, b := range bugs {
		if b.Client == key && b.Runs && !b.Rare {
			all = append(all, action("restart", b.App, ownExcess{b.Excess, b.Drain.Least(), b.Drain.Most()}, rate, b.Share, b.Confounded))
		}
	}
	all = slices.DeleteFunc(all, func(a Action) bool { return !(a.Minutes > 0) })
	slices.SortStableFunc(all, func(a, b Action) int { return cmp.Compare(b.Minutes, a.Minutes) })
	return all, known, nil
}

// action returns an action with its gain. rate is the client's discharge rate in % per second, with
// the app's excess. share is the share of time in which the client runs the app.
func action(do, app string, own ownExcess, rate, share float64, like []string) Action {
	gain := func(excess float64) float64 {
		// At least a tenth of the discharge is not caused by the app.
		return 100/max(rate/10, rate-share*excess)/60 - 100/rate/60
	}
	return Action{Advice: do, App: app, Minutes: gain(own.excess), Least: gain(own.least), Most: gain(own.most), Share: share, Confounded: append([]string{}, like...)}
}

// A Point is the estimate from some of the clients.
type Point struct {
	Clients    int64 // For the paper's method, Clients is the number of rates.
	Mean, Half float64
}

// Growth returns estimates of an app's excess from more and more clients. They show how the
// estimate converges (§5.7, Figure 18). The smallest number of clients is first.
func (f *Fleet) Growth(app string) []Point {
	var all []Point
	var sum sums.Row
	for share := growthShares - 1; share >= 0; share-- {
		r := f.Sums.Get(sums.Key("growth", app, strconv.Itoa(share)))
		for i := range sum {
			sum[i].Plus(r[i])
		}
		n := sum[0].Int64()
		if d := f.drainOf(sum); n > 0 && d.Known() {
			all = append(all, Point{Clients: n, Mean: d.Mean, Half: d.Half})
		}
	}
	return all
}

// A Class is one bar of a histogram of discharge rates. Rate is near the middle of the bar, in %
// per second. With is the share of pairs with the app that are in it. Without is the same for the
// pairs without the app.
type Class struct{ Rate, With, Without float64 }

// Rates returns two histograms of discharge rates: of pairs with an app and of pairs without it
// (Figures 3 and 15).
func (f *Fleet) Rates(app string) []Class {
	const joined = 4 // joined successive classes become one class, which smooths the curve.
	with, all := map[int]float64{}, map[int]float64{}
	var sumWith, sumAll float64
	f.Sums.Each("rate", func(rest []string, r *sums.Row) {
		class, err := strconv.Atoi(rest[1])
		if err != nil {
			return
		}
		switch rest[0] {
		case app:
			with[class/joined] += r[0].Float()
			sumWith += r[0].Float()
		case "":
			all[class/joined] += r[0].Float()
			sumAll += r[0].Float()
		}
	})
	var classes []Class
	for class := range paper.Classes/joined + 1 {
		rate := paper.Middle(class*joined+joined/2) / within.Unit
		if class == 0 {
			rate = 0 // These pairs have no drop.
		}
		if all[class] > 0 && sumWith > 0 && sumAll > sumWith {
			classes = append(classes, Class{
				Rate: rate,
				With: with[class] / sumWith, Without: (all[class] - with[class]) / (sumAll - sumWith),
			})
		}
	}
	return classes
}

// actionable has the advice for each feature that a user can change. For example, forIt is "use
// wifi" and against is "avoid it on wifi". Features of the device, such as the model, are not in
// the map.
var actionable = map[string]struct{ forIt, against string }{
	Version:          {"upgrade to version %s", "upgrade from version %s"},
	samples.System:   {"upgrade to system %s", "upgrade from system %s"},
	samples.Network:  {"use %s", "avoid it on %s"},
	"network type":   {"use %s", "avoid it on %s"},
	"mobile data":    {"have mobile data %s", "do not have mobile data %s"},
	"wifi":           {"have wifi %s", "do not have wifi %s"},
	"location":       {"have location %s", "do not have location %s"},
	"bluetooth":      {"have bluetooth %s", "do not have bluetooth %s"},
	"power saver":    {"have the power saver %s", "do not have the power saver %s"},
	"nfc":            {"have NFC %s", "do not have NFC %s"},
	"roaming":        {"have roaming %s", "do not have roaming %s"},
	"mobile network": {"use %s", "avoid it on %s"},
}

// A Remedy is a list of conditions (a tree node) under which an app uses less energy.
type Remedy struct {
	*tree.Node
	// Advice has one element for each condition of the node's path. For example, "upgrade to
	// version 2", or "" if the user need not or cannot act.
	Advice []string
}

// Diagnose returns the tree of an app, and what a user can do instead of closing the app (§2.6).
// The tree's excess is scaled to the excess that Hogs reports. If the app has no tree, Diagnose
// returns nil.
func (f *Fleet) Diagnose(app string) (*tree.Node, []Remedy) {
	root := f.Tree(app)
	if root == nil {
		return nil, nil
	}
	var all []Remedy
	helpful := tree.Helpful(root)
	for _, n := range tree.Diagnose(root, func(c tree.Condition) bool { return remedy(root, c) != "" }) {
		r := Remedy{Node: n}
		for i, helps := range helpful(n) {
			do := ""
			if helps {
				do = remedy(root, n.Path[i])
			}
			r.Advice = append(r.Advice, do)
		}
		all = append(all, r)
	}
	f.align(root, app)
	return root, all
}

// align scales the drains of a hog's tree to the excess that Hogs reports. The tree is too high or
// too low because it ignores other hogs and the excess that samples do not show. All nodes are
// scaled by the same ratio. The splits do not change.
func (f *Fleet) align(root *tree.Node, app string) {
	for _, h := range f.judge().hogs {
		if h.App != app && !slices.Contains(h.Confounded, app) {
			continue
		}
		claimed := root
		if len(h.Conditions) > 0 {
			claimed = f.split(app, nil, h.Reference).worstNode(root)
		}
		if !(claimed.Drain.Mean > 0 && h.Excess > 0) {
			continue
		}
		ratio, share := h.Excess/claimed.Drain.Mean, h.Half/h.Excess
		root.Walk(func(n *tree.Node) {
			n.Drain.Mean *= ratio
			n.Drain.Half = max(n.Drain.Half, n.Drain.Half*ratio, share*math.Abs(n.Drain.Mean))
		})
	}
}

// ClientCounts returns the number of clients that ran an app. compared counts those that also had
// time without the app: only they can be compared. The paper's method compares all clients.
func (f *Fleet) ClientCounts(app string) (ran, compared int64) {
	ran = f.Sums.Get(sums.Key("ran", app))[0].Int64()
	if f.Method == Paper {
		return ran, ran
	}
	return ran, f.Sums.Get(sums.Key("app", app))[0].Int64()
}

// Requirements returns the minimum data for judging an app, as text for users.
func (f *Fleet) Requirements() string {
	if f.Method == Paper {
		return fmt.Sprintf("%d are needed", MinGroup)
	}
	return fmt.Sprintf("%d clients with time both with and without the app are needed (--min-clients)", f.MinClients)
}

// Ran reports whether at least MinGroup clients ran an app. Results about other apps are hidden.
func (f *Fleet) Ran(app string) bool {
	return f.Sums.Get(sums.Key("ran", app))[0].Int64() >= MinGroup
}
