package samples

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/diffprof/diffprof/fleet/samples/table"
	"github.com/diffprof/diffprof/internal/syntax"
)

// maxLine is how long a line may be.
const maxLine = 16 << 20

// FeaturesOf are the features among columns, in their order in a Set.
func (m *Map) FeaturesOf(columns []string) []string {
	var features, unused []string
	m.layoutOf(columns, &features, &unused)
	return features
}

// ReadLines reads samples from lines with tabs between the columns, without names of columns: what
// Spark's TRANSFORM hands to a program, which writes \N for nothing. The samples of a client
// may stand anywhere.
func ReadLines(ctx context.Context, in io.Reader, columns []string, o Options) (s *Set, err error) {
	unit, err := o.Map.unit()
	if err != nil {
		return nil, err
	}
	if o.Names == nil {
		o.Names = NewNames()
	}
	if o.Memory == 0 {
		o.Memory = 512 << 20
	}
	r := &reader{Options: o, unit: unit, set: &Set{Names: o.Names, counts: newCounts()}}
	r.filter = newFilter(o.Names, o.Map.Daemons)
	l := o.Map.layoutOf(columns, &r.set.Features, &r.set.Unused)
	if !l.has(isClient, isTime, isLevel) {
		return nil, ErrNoSamples
	}
	sorted := newSorter(o.Temp, o.Memory)
	r.set.close = sorted.close
	defer func() {
		if err != nil {
			sorted.close()
		}
	}()
	d := r.decoder(l)
	scanner := bufio.NewScanner(in)
	scanner.Buffer(make([]byte, 0, 64<<10), maxLine)
	record := table.Record{Values: make([]string, len(columns))}
	for scanner.Scan() {
		record.Row++
		if record.Row&1023 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		fields := bytes.Split(scanner.Bytes(), []byte("\t"))
		if len(fields) != len(columns) {
			return nil, &syntax.Error{Line: record.Row, Offset: -1, Err: fmt.Errorf("%d columns instead of %d", len(fields), len(columns)), Hint: "--columns names them"}
		}
		for i, f := range fields {
			if record.Values[i] = string(f); record.Values[i] == `\N` {
				record.Values[i] = ""
			}
			record.Values[i] = strings.TrimSpace(record.Values[i])
		}
		if err := r.keep(d.decode(&record), sorted); err != nil {
			return nil, err
		}
	}
	if err := scanner.Err(); err != nil {
		return nil, &syntax.Error{Line: record.Row + 1, Offset: -1, Err: err}
	}
	r.set.parts, err = r.sortedParts(sorted)
	return r.set, err
}
