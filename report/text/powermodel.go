package text

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/energy/fit"
	"github.com/diffprof/diffprof/energy/model"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// PowerModel writes a power model: the power states of each component, where each figure comes
// from, and the transitions between states.
func PowerModel(w io.Writer, d *model.Device) error {
	var page bytes.Buffer
	t := tabwriter.NewWriter(&page, 0, 0, 2, ' ', 0)
	title := strings.Trim(d.Name+": "+d.Title, ": ")
	fmt.Fprintln(t, title)
	if d.Source != "" {
		fmt.Fprintf(t, "source: %s\n", d.Source)
	}
	fmt.Fprintf(t, "currents at %s V", units.Fixed(float64(d.Voltage)/float64(units.Volt), 2))
	if d.Battery > 0 {
		fmt.Fprintf(t, ", a full battery holds %s J", units.One.Format(d.Battery, d.Voltage))
	}
	for _, s := range d.Services {
		fmt.Fprintf(t, ", %s is %s", s.Name, s.Component)
	}
	fmt.Fprintln(t)
	for i := range d.Components {
		component(t, &d.Components[i])
	}
	if d.CPU != nil {
		processor(t, d.CPU)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for line := range bytes.Lines(page.Bytes()) {
		if _, err := fmt.Fprintf(w, "%s\n", bytes.TrimRight(line, " \n")); err != nil {
			return err
		}
	}
	return nil
}

// ReadyModels lists the built-in power models, and how many of their figures are assumed.
func ReadyModels(w io.Writer, models []*model.Device) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, d := range models {
		names := make([]string, len(d.Components))
		for i, c := range d.Components {
			names[i] = c.Name
		}
		if d.CPU != nil {
			names = append(names, "cpu")
		}
		assumed, all := d.Assumed()
		fmt.Fprintf(t, "%s\t%s\n\t%d of %d figures assumed; %s\n", d.Name, d.Title, assumed, all, strings.Join(names, ", "))
	}
	return t.Flush()
}

func component(t io.Writer, c *model.Component) {
	fmt.Fprintf(t, "\n%s\n", c.Name)
	for _, s := range c.States {
		draws := "-"
		if s.Kind != model.Base {
			draws = ranged(power(s.Power), s.Powers, power)
		}
		if s.PerLevel > 0 {
			draws += " + " + power(s.PerLevel) + " per level"
		}
		source := ""
		if s.Kind != model.Base {
			source = sourceOf(s.Source, c.Source)
		}
		fmt.Fprintf(t, "  %s\t%s\t%s\t%s\n", s.Name, s.Kind, draws, source)
	}
	for _, tr := range c.Transitions {
		cause, source := "when idle", ""
		switch {
		case len(tr.On) > 0:
			cause = "on " + verbs(tr.On)
			if tr.MinBytes > 0 {
				cause += fmt.Sprintf(" of %d bytes or more", tr.MinBytes)
			}
		case !tr.Idle:
			source = sourceOf(tr.Source, c.Source)
			cause = "after " + ranged(span(tr.After), tr.AfterRange, span)
		}
		fmt.Fprintf(t, "  %s > %s\t%s\t\t%s\n", c.States[tr.From].Name, c.States[tr.To].Name, cause, source)
	}
	for _, w := range c.Work {
		var costs []string
		add := func(amount int64, text, per string) {
			if amount > 0 {
				costs = append(costs, text+per)
			}
		}
		add(int64(w.Fixed), span(w.Fixed), "")
		add(int64(w.PerKiB), ranged(span(w.PerKiB), w.Rates, span), "/KiB")
		add(int64(w.Energy), energy(w.Energy), "")
		add(int64(w.EnergyPerKiB), ranged(energy(w.EnergyPerKiB), w.Costs, energy), "/KiB")
		add(int64(w.EnergyPerPacket), energy(w.EnergyPerPacket), "/packet")
		takes := "takes " + strings.Join(costs, " + ")
		if w.Latency > 0 {
			takes = strings.TrimPrefix(takes+", then ", "takes , then ") + "waits " + ranged(span(w.Latency), w.Latencies, span)
		}
		fmt.Fprintf(t, "  %s\t%s\t\t%s\n", verbs(w.On), takes, sourceOf(w.Source, c.Source))
	}
	if len(c.Rails) > 0 {
		fmt.Fprintf(t, "  rails\t%s\n", strings.Join(c.Rails, ", "))
	}
}

func processor(t io.Writer, c *model.CPU) {
	fmt.Fprintf(t, "\ncpu\n  source\t%s\n", sourceOf(c.Source, ""))
	if c.Base > 0 {
		fmt.Fprintf(t, "  any core runs\t%s\n", power(c.Base))
	}
	for _, cluster := range c.Clusters {
		first, last := cluster.Points[0], cluster.Points[len(cluster.Points)-1]
		fmt.Fprintf(t, "  %s\t%s, %s\n", cluster.Name, words.Some(len(cluster.Cores), "core"), words.Some(len(cluster.Points), "point"))
		for _, p := range []model.Point{first, last} {
			fmt.Fprintf(t, "    %s\t%s per running core", p.Frequency, power(p.Active))
			if p.Shared > 0 {
				fmt.Fprintf(t, ", %s for the cluster", power(p.Shared))
			}
			fmt.Fprintln(t)
		}
	}
}

// ranged appends the possible range of a figure to text.
func ranged[T ~int64](text string, r model.Range[T], format func(T) string) string {
	if !r.Stated() {
		return text
	}
	return fmt.Sprintf("%s (%s to %s)", text, format(r.Least), format(r.Most))
}

// sourceOf names the source of a figure. A figure without a source is assumed.
func sourceOf(own, shared string) string {
	for _, s := range []string{own, shared} {
		if s != "" {
			return s
		}
	}
	return "assumed"
}

func verbs(list []trace.Verb) string {
	names := make([]string, len(list))
	for i, v := range list {
		names[i] = v.String()
	}
	return strings.Join(names, ", ")
}

func power(p units.Power) string {
	return units.Milli.Format(units.Energy(p)*1000, 0) + " mW"
}

func energy(e units.Energy) string {
	u := units.BestUnit(e)
	return u.Format(e, 0) + " " + u.String()
}

func span(d time.Duration) string { return units.FormatTime(int64(d)) }

// Fitted writes how well a power model agrees with measurements, before and after fitting.
func Fitted(w io.Writer, f *analysis.Fitted) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	if len(f.Clusters) > 0 {
		clusters(t, f.Clusters)
	} else if f.Processor != "" {
		fmt.Fprintf(t, "processor: unchanged: %s\n", f.Processor)
	}
	for i := range f.Components {
		fittedComponent(t, &f.Components[i])
	}
	return t.Flush()
}

// fittedComponent writes how well a component agrees, and the fitted figures of its states.
func fittedComponent(t io.Writer, c *fit.Component) {
	if c.Refused != "" {
		fmt.Fprintf(t, "\n%s: unchanged: %s\n", c.Name, c.Refused)
		return
	}
	fmt.Fprintf(t, "\n%s: measured %s in %s of %s, %s of it independent of the load\n", c.Name, energy(c.Measured),
		words.Some(c.Spans, "interval"), words.Some(c.Runs, "run"), power(c.Always))
	other := "only one run, so the fit is not cross-checked"
	if c.Runs > 1 {
		other = fmt.Sprintf("each run predicted from the others: off by %.0f %%", 100*c.OffOther)
	}
	fmt.Fprintf(t, "  modelled %s, off by %.0f %%; fitted %s, off by %.0f %%; %s\n", energy(c.Before), 100*c.OffBefore, energy(c.After), 100*c.OffAfter, other)
	for _, s := range c.States {
		name := s.Name
		if s.PerLevel {
			name += ", per level"
		}
		if s.Refused != "" {
			fmt.Fprintf(t, "  %s\t%s\tstays: %s\n", name, power(s.Before), s.Refused)
			continue
		}
		fmt.Fprintf(t, "  %s\t%s\tfitted %s ± %s\t%s\n", name, power(s.Before), power(s.After), power(s.Deviation), span(s.Time.Round(time.Millisecond)))
	}
}

// clusters writes how well each cluster of processor cores agrees.
func clusters(t io.Writer, clusters []fit.Cluster) {
	fmt.Fprintln(t, "cluster\tintervals\tmeasured\tmodelled\toff by\tfitted\toff by\tactive\tidle and shared")
	var before, after, measured units.Energy
	for _, c := range clusters {
		if c.Refused != "" {
			fmt.Fprintf(t, "%s\t%d\tunchanged: %s\n", c.Name, c.Spans, c.Refused)
			continue
		}
		measured, before, after = measured+c.Measured, before+c.Before, after+c.After
		fmt.Fprintf(t, "%s\t%d\t%s\t%s\t%.0f %%\t%s\t%.0f %%\ttimes %.3g\ttimes %.3g\n", c.Name, c.Spans,
			energy(c.Measured), energy(c.Before), 100*c.OffBefore, energy(c.After), 100*c.OffAfter, c.Active, c.Idle)
	}
	fmt.Fprintf(t, "all\t\t%s\t%s\t\t%s\n", energy(measured), energy(before), energy(after))
}
