package firefox

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/diffprof/diffprof/ingest/stacks"
	"github.com/diffprof/diffprof/units"
)

// quantity says what samples measure, such as energy. If threads differ in this, the quantity that
// comes first in this list is read.
type quantity uint8

const (
	energy quantity = iota
	cpu
	wall
	plain // a count in an unknown unit
	bytes
)

// A thread has the data of one thread.
type thread struct {
	tables
	part *part
	// processName is empty if the thread does not state its process.
	name, processName string
	id, processID     int64
	// Columns of the thread's samples. time is in nanoseconds. If the weights are milliseconds,
	// fine has them in nanoseconds.
	stack, time, delta, weight, fine, cpu column
	weightType                            string
	// paths has the stacks that the column stack refers to. quantity says what the samples measure.
	paths    *stacks.Paths
	quantity quantity
	// For weights that are energies, num/den is the number of nanojoules per unit.
	num, den int64
}

// thread reads a thread.
func (d *decoder) thread(p *part) error {
	if len(d.threads) >= maxThreads {
		return fmt.Errorf("there are more than %d threads", maxThreads)
	}
	t := &thread{part: p, id: int64(len(d.threads)) + 1, processID: none}
	err := d.in.Members(func(name []byte) (err error) {
		switch string(name) {
		case "name":
			t.name, err = d.in.Name()
			return err
		case "processName":
			t.processName, err = d.in.Name()
			return err
		case "tid":
			return d.number(&t.id)
		case "pid":
			return d.number(&t.processID)
		case "samples":
			return d.samples(t)
		}
		return t.member(&d.budget, name)
	})
	d.threads = append(d.threads, t)
	return err
}

// number reads an id. It leaves *to unchanged if the id is not a number.
func (d *decoder) number(to *int64) error {
	text, err := d.in.Text()
	if n, e := units.Decimal(text, 1, 1); e == nil && len(text) > 0 {
		*to = n
	}
	return err
}

// samples reads the table of samples and the type of their weights.
func (d *decoder) samples(t *thread) error {
	return d.table(func(name []byte) error {
		if string(name) != "weightType" {
			return d.in.Skip()
		}
		text, err := d.in.Text()
		t.weightType = string(text)
		return err
	},
		whole("stack", &t.stack), whole("threadCPUDelta", &t.cpu),
		field{name: "time", to: &t.time, by: millisecond}, field{name: "timeDeltas", to: &t.delta, by: millisecond},
		field{name: "weight", to: &t.weight, by: 1, finer: &t.fine},
	)
}

// complete creates the thread's stacks and makes its times nondecreasing. It is called after all
// tables were read.
func (t *thread) complete(d *decoder) error {
	p := t.part
	own := t.stackFrame != nil
	if own || p.paths == nil {
		all := t.or(&p.tables)
		paths, err := d.paths(all)
		if err != nil {
			return err
		}
		t.paths = paths
		if !own {
			p.paths = paths
		}
	} else {
		t.paths = p.paths
	}
	t.tables = tables{}
	if t.time == nil && t.delta != nil {
		now := int64(0)
		for _, delta := range t.delta {
			now += max(0, delta)
			t.time = append(t.time, now)
		}
	}
	latest := int64(0)
	for i, at := range t.time {
		if at > math.MaxInt64/4 {
			return fmt.Errorf("the time %d ns is out of range", at)
		}
		if at < latest {
			d.backward++
			t.time[i] = latest
		}
		latest = t.time[i]
	}
	t.classify(d.own)
	return nil
}

// classify decides what the samples measure. The parameter own is set if diffprof wrote the file.
// Weights of type "samples" in such a file have an unknown unit.
func (t *thread) classify(own bool) {
	t.quantity = wall
	if inner, ok := strings.CutSuffix(t.name, ")"); ok && t.weight != nil {
		if unit, err := units.ParseUnit(inner[strings.LastIndexByte(inner, '(')+1:]); err == nil {
			t.quantity = energy
			t.num, t.den = unit.Scale(units.DefaultVoltage)
			return
		}
	}
	spent := slices.ContainsFunc(t.cpu, func(n int64) bool { return n != none })
	switch {
	case own && t.weightType == "samples":
		t.quantity, t.num, t.den = plain, 1, 1
	case t.weightType == "bytes":
		t.quantity = bytes
	case spent && t.part.ticks > 0: // Processor time is preferred: the weight counts samples or elapsed time.
		t.quantity = cpu
	}
}

// choose decides which quantity of the profile to read.
func (d *decoder) choose() error {
	samples := false
	d.quantity = bytes
	all := true
	for _, t := range d.threads {
		if len(t.stack) == 0 || t.quantity == bytes {
			continue
		}
		samples = true
		d.quantity = min(d.quantity, t.quantity)
		all = all && t.quantity == cpu
	}
	if d.comparison && d.opts.Process == "" {
		return errors.New("the file compares two runs; choose one with --process 1, the subject, or --process 2, the reference")
	}
	switch asked := d.opts.SampleType; {
	case !samples:
		return errors.New("no thread of the profile has samples")
	case asked != "" && asked != "cpu" && asked != "wall":
		return fmt.Errorf("unknown sample type %q; the sample types are cpu and wall", asked)
	case (d.quantity == energy || d.quantity == plain) && asked == "":
	case asked == "cpu" && !all:
		return errors.New("some threads do not state their processor time; --sample-type wall reads elapsed time")
	case all && asked != "wall":
		d.quantity = cpu
	default:
		d.quantity = wall
	}
	return nil
}
