package model

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/diffprof/diffprof/internal/syntax"
	"github.com/diffprof/diffprof/units"
)

// IsCurves reports whether a file begins like a file of power curves from Perfetto's Wattson.
func IsCurves(head []byte) bool { return bytes.HasPrefix(head, []byte("device,")) }

// maxCurves bounds a file of curves. Real files of curves have 1 to 30 kB.
const maxCurves = 1 << 20

// A row is a line of a file of curves. It is an operating point with its policy.
type row struct {
	device string
	policy int
	point  Point
}

// FromCurves makes the model of a processor from tables of Perfetto's Wattson. cpu_1d.csv has the
// power of each policy by frequency. cpu_2d.csv has the power by the frequencies of two policies.
// The tables state no unit, and are read as milliwatts. FromCurves also returns the name of the
// device. An error is a *syntax.Error. The result at is the index of the table with the error.
func FromCurves(tables ...io.Reader) (cpu *CPU, device string, at int, err error) {
	var rows []row
	for i, r := range tables {
		more, err := readCurves(r)
		if err != nil {
			return nil, "", i, err
		}
		if len(rows) > 0 && more[0].device != rows[0].device {
			return nil, "", i, curveError(2, fmt.Errorf("the table describes %.40q and the previous one %.40q", more[0].device, rows[0].device))
		}
		rows = append(rows, more...)
	}
	if len(rows) == 0 {
		return nil, "", 0, curveError(0, errors.New("there are no tables"))
	}
	cpu = &CPU{Source: "curves of Perfetto's Wattson for " + rows[0].device + ", read as milliwatts, since they state no unit"}
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Or(cmp.Compare(a.policy, b.policy), comparePoints(a.point, b.point)) })
	for i, r := range rows {
		if i == 0 || r.policy != rows[i-1].policy {
			cpu.Clusters = append(cpu.Clusters, Cluster{Name: "policy" + strconv.Itoa(r.policy), Cores: []int{r.policy}})
		}
		c := &cpu.Clusters[len(cpu.Clusters)-1]
		switch n := len(c.Points); {
		case n > 0 && comparePoints(c.Points[n-1], r.point) == 0:
			return nil, "", 0, curveError(r.point.Line, fmt.Errorf("policy %d has two rows for %v", r.policy, r.point.Frequency))
		case n > 0 && (c.Points[n-1].DepPolicy < 0) != (r.point.DepPolicy < 0):
			return nil, "", 0, curveError(r.point.Line, fmt.Errorf("policy %d is in a table with another policy and in one without", r.policy))
		}
		c.Points = append(c.Points, r.point)
	}
	// The number of a policy is the number of its first core.
	const cores = 8
	for i := range cpu.Clusters {
		c, end := &cpu.Clusters[i], cores
		if i+1 < len(cpu.Clusters) {
			end = cpu.Clusters[i+1].Cores[0]
		}
		for core := c.Cores[0] + 1; core < end; core++ {
			c.Cores = append(c.Cores, core)
		}
		for j := range c.Points {
			c.Points[j].Line = 0
		}
		c.Wake = wakes(rows[0].device, c.Cores)
		if strings.HasPrefix(rows[0].device, "Tensor") && len(cpu.Clusters) == len(tensorRails) {
			c.Rails = slices.Clone(tensorRails[i])
		}
	}
	return cpu, rows[0].device, 0, nil
}

// tensorRails are the rails of the three clusters of Google's Tensor.
var tensorRails = [...][]string{{"*CPUCL0*", "*cpu.little"}, {"*CPUCL1*", "*cpu.mid"}, {"*CPUCL2*", "*cpu.big"}}

// wakeTimes are the times that Wattson adds to a core's activity after deep idle
// (device_infos.sql of Perfetto), in nanoseconds, by device and core. Cores that are not listed have
// no such time.
var wakeTimes = map[string]map[int]int64{
	"Tensor":    {6: 200_000, 7: 200_000},
	"Tensor G4": {4: 110_000, 5: 110_000, 6: 110_000, 7: 400_000},
}

// wakes returns the wake times of a cluster's cores, or nil if they have none.
func wakes(device string, cores []int) []int64 {
	list, any := make([]int64, len(cores)), false
	for i, core := range cores {
		list[i] = wakeTimes[device][core]
		any = any || list[i] > 0
	}
	if !any {
		return nil
	}
	return list
}

func curveError(line int, err error) error {
	return &syntax.Error{Format: "power curves", Line: line, Offset: -1, Err: err}
}

// readCurves reads the rows of one table, which must have at least one.
func readCurves(r io.Reader) ([]row, error) {
	in := csv.NewReader(io.LimitReader(r, maxCurves))
	in.ReuseRecord = true
	fail := func(err error) error {
		var bad *csv.ParseError
		if errors.As(err, &bad) {
			return curveError(bad.Line, bad.Err)
		}
		return fmt.Errorf("reading power curves: %w", err)
	}
	head, err := in.Read()
	if errors.Is(err, io.EOF) {
		return nil, curveError(0, errors.New("the file is empty"))
	}
	if err != nil {
		return nil, fail(err)
	}
	columns := slices.Clone(head)
	for _, name := range []string{"device", "policy", "freq_khz", "static", "active", "idle0", "idle1"} {
		if !slices.Contains(columns, name) {
			return nil, curveError(1, fmt.Errorf("column %s is missing: these are %s", name, kindOf(columns)))
		}
	}
	var out []row
	for {
		record, err := in.Read()
		switch {
		case errors.Is(err, io.EOF) && len(out) == 0:
			return nil, curveError(1, errors.New("the table has no rows"))
		case errors.Is(err, io.EOF):
			return out, nil
		case err != nil:
			return nil, fail(err)
		}
		line, _ := in.FieldPos(0)
		next, err := readRow(columns, record)
		if err != nil {
			return nil, curveError(line, err)
		}
		next.point.Line = line
		out = append(out, next)
	}
}

// kindOf describes a table that does not have the columns of the processor's curves.
func kindOf(columns []string) string {
	switch {
	case slices.Contains(columns, "l3_hit"):
		return "curves of a cache, which need counts of its hits and misses; only curves of the processor are read"
	case slices.Contains(columns, "idle2"):
		return "curves of a GPU; only curves of the processor are read"
	}
	return "not curves of a processor"
}

func readRow(columns, record []string) (row, error) {
	var err error
	// number reads a column, multiplied by scale. most bounds the result.
	number := func(name string, scale, most int64) int64 {
		i := slices.Index(columns, name)
		if i < 0 || err != nil {
			return 0
		}
		n, bad := units.Decimal(record[i], scale, 1)
		if bad == nil && n > most {
			bad = errors.New("is too large")
		}
		if bad != nil {
			err = fmt.Errorf("%s: %.40q %w", name, record[i], bad)
		}
		return n
	}
	mW := func(name string) units.Power {
		return units.Power(number(name, int64(units.Milliwatt), powerQuantity.most))
	}
	kHz := func(name string) units.Frequency {
		return units.Frequency(number(name, int64(units.Kilohertz), frequencyQuantity.most))
	}
	r := row{device: record[slices.Index(columns, "device")], policy: int(number("policy", 1, maxCores-1))}
	r.point = Point{
		Frequency: kHz("freq_khz"), DepPolicy: -1,
		Shared: mW("static") + mW("interconnect"), Active: mW("active"), Idle: []units.Power{mW("idle0"), mW("idle1")},
	}
	if slices.Contains(columns, "dep_policy") && slices.Contains(columns, "dep_freq") {
		r.point.DepPolicy, r.point.DepFrequency = int(number("dep_policy", 1, maxCores-1)), kHz("dep_freq")
	}
	return r, err
}
