package model

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// Write writes a model in YAML. Read makes an equal model from this YAML. Powers and energies are
// written in watts and joules, even if they were made from currents. The remark is written first,
// as a comment, unless it is empty.
func Write(w io.Writer, d *Device, remark string) error {
	root := object()
	root.text("name", d.Name)
	root.text("title", d.Title)
	root.text("source", d.Source)
	root.text("voltage", decimalVolts(d.Voltage))
	if d.Battery > 0 {
		root.text("battery", write(int64(d.Battery), outEnergies))
	}
	if len(d.Services) > 0 {
		serves := object()
		for _, s := range d.Services {
			serves.text(s.Name, s.Component)
		}
		root.put("serves", serves)
	}
	if len(d.Components) > 0 {
		components := object()
		for i := range d.Components {
			components.put(d.Components[i].Name, d.Components[i].node())
		}
		root.put("components", components)
	}
	if d.CPU != nil {
		root.put("cpu", d.CPU.node())
	}
	if remark != "" {
		root.HeadComment = "# " + strings.ReplaceAll(strings.TrimRight(remark, "\n"), "\n", "\n# ")
	}
	e := yaml.NewEncoder(w)
	e.SetIndent(2)
	if err := e.Encode(root.Node); err != nil {
		return fmt.Errorf("writing power model: %w", err)
	}
	return e.Close()
}

// A tree is a YAML object under construction.
type tree struct{ *yaml.Node }

func object() tree { return tree{&yaml.Node{Kind: yaml.MappingNode}} }

// inline returns an object whose YAML is on one line.
func inline() tree { return tree{&yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle}} }

func (t tree) put(key string, value tree) { t.add(key, value.Node) }

func (t tree) add(key string, value *yaml.Node) { t.Content = append(t.Content, scalar(key), value) }

// text adds a text if it is not empty.
func (t tree) text(key, value string) {
	if value != "" {
		t.add(key, scalar(value))
	}
}

// list adds texts on one line if there are any.
func (t tree) list(key string, values []string) {
	if len(values) == 0 {
		return
	}
	n := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
	for _, v := range values {
		n.Content = append(n.Content, scalar(v))
	}
	t.add(key, n)
}

// rows adds objects, one per line.
func (t tree) rows(key string, rows []tree) {
	if len(rows) == 0 {
		return
	}
	n := &yaml.Node{Kind: yaml.SequenceNode}
	for _, r := range rows {
		n.Content = append(n.Content, r.Node)
	}
	t.add(key, n)
}

// scalar returns a text, quoted if YAML readers would otherwise give it another type.
func scalar(text string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text}
	if _, err := strconv.ParseFloat(text, 64); err == nil {
		n.Tag = ""
	}
	return n
}

func (c *Component) node() tree {
	t := object()
	t.text("source", c.Source)
	t.list("rails", c.Rails)
	states := object()
	for _, s := range c.States {
		row := inline()
		row.text("kind", s.Kind.String())
		if s.Kind != Base {
			row.text("draw", sum(term{within(s.Power, s.Powers), outPowers, ""}, term{just(s.PerLevel), outPowers, "/level"}))
		}
		row.text("source", s.Source)
		states.put(s.Name, row)
	}
	t.put("states", states)
	var rows []tree
	for _, tr := range c.Transitions {
		row := inline()
		row.text("from", c.States[tr.From].Name)
		row.text("to", c.States[tr.To].Name)
		row.list("on", verbNames(tr.On))
		if tr.MinBytes > 0 {
			row.text("atLeast", fmt.Sprint(tr.MinBytes, " B"))
		}
		switch {
		case tr.Idle:
			row.text("when", "idle")
		case len(tr.On) == 0:
			row.text("after", writeFigure(within(tr.After, tr.AfterRange), outTimes, ""))
		}
		row.text("source", tr.Source)
		rows = append(rows, row)
	}
	t.rows("transitions", rows)
	rows = nil
	for _, w := range c.Work {
		row := inline()
		row.list("on", verbNames(w.On))
		timed, drains := w.Fixed > 0 || w.PerKiB > 0, w.Energy > 0 || w.EnergyPerKiB > 0 || w.EnergyPerPacket > 0
		if timed || !drains && w.Latency == 0 {
			row.text("busy", sum(term{just(w.Fixed), outTimes, ""}, term{within(w.PerKiB, w.Rates), outTimes, "/KiB"}))
		}
		if w.Latency > 0 {
			row.text("latency", writeFigure(within(w.Latency, w.Latencies), outTimes, ""))
		}
		if drains {
			row.text("energy", sum(term{just(w.Energy), outEnergies, ""},
				term{within(w.EnergyPerKiB, w.Costs), outEnergies, "/KiB"}, term{just(w.EnergyPerPacket), outEnergies, "/packet"}))
		}
		row.text("source", w.Source)
		rows = append(rows, row)
	}
	t.rows("work", rows)
	return t
}

func (c *CPU) node() tree {
	t := object()
	t.text("source", c.Source)
	if c.Base > 0 {
		t.text("base", write(int64(c.Base), outPowers))
	}
	clusters := object()
	for i := range c.Clusters {
		clusters.put(c.Clusters[i].Name, c.Clusters[i].node())
	}
	t.put("clusters", clusters)
	return t
}

func (c *Cluster) node() tree {
	t := object()
	t.text("source", c.Source)
	var cores []string
	for _, n := range c.Cores {
		cores = append(cores, strconv.Itoa(n))
	}
	t.list("cores", cores)
	var wake []string
	for _, ns := range c.Wake {
		wake = append(wake, write(ns, outTimes))
	}
	t.list("wake", wake)
	t.list("rails", c.Rails)
	var rows []tree
	for _, p := range c.Points {
		row := inline()
		row.text("frequency", p.Frequency.String())
		if p.DepPolicy >= 0 {
			row.text("beside", strconv.Itoa(p.DepPolicy))
			row.text("with", p.DepFrequency.String())
		}
		row.text("active", write(int64(p.Active), outPowers))
		if p.Shared > 0 {
			row.text("shared", write(int64(p.Shared), outPowers))
		}
		var idle []string
		for _, power := range p.Idle {
			idle = append(idle, write(int64(power), outPowers))
		}
		row.list("idle", idle)
		rows = append(rows, row)
	}
	t.rows("points", rows)
	return t
}

// within returns a figure with its range. Without a range, it returns the figure alone.
func within[T ~int64](n T, r Range[T]) measure {
	return measure{int64(n), Range[int64]{int64(r.Least), int64(r.Most)}}
}
func just[T ~int64](n T) measure { return measure{n: int64(n)} }

// A term is an amount in a sum, with its units and denominator.
type term struct {
	measure
	in  []unit
	per string
}

// sum formats the terms that are not 0. If all amounts are 0, it formats the first amount.
func sum(terms ...term) string {
	var out []string
	for _, t := range terms {
		if t.n > 0 {
			out = append(out, writeFigure(t.measure, t.in, t.per))
		}
	}
	if len(out) == 0 {
		return write(0, terms[0].in)
	}
	return strings.Join(out, " + ")
}

func verbNames(verbs []trace.Verb) (out []string) {
	for _, v := range verbs {
		out = append(out, v.String())
	}
	return out
}

func decimalVolts(v units.Voltage) string {
	return strconv.FormatFloat(float64(v)/float64(units.Volt), 'f', -1, 64) + " V"
}
