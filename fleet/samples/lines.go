package samples

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/diffprof/diffprof/fleet/samples/table"
	"github.com/diffprof/diffprof/internal/syntax"
)

// maxLine is the maximum length of a line.
const maxLine = 16 << 20

// Roles returns the role of each column. It returns "" for a column that is not used.
func (m *Map) Roles(columns []string) []string {
	var roles []string
	for _, c := range columns {
		role, _ := m.role(c)
		roles = append(roles, role)
	}
	return roles
}

// ListMark begins a list and separates its entries, in a column of ReadLines. Entries may contain
// spaces and commas.
const ListMark = "\x1f"

// ReadLines reads samples from lines without a header, as Spark's TRANSFORM passes them to a
// program. Columns are separated by tabs, and \N is a missing value. The samples may be in any
// order.
func ReadLines(ctx context.Context, in io.Reader, columns []string, o Options) (s *Set, err error) {
	r, err := newReader(o)
	if err != nil {
		return nil, err
	}
	l, err := o.Map.layoutOf(columns, &r.set.Features, &r.set.Unused)
	if err != nil {
		return nil, err
	}
	if !l.has(isClient, isTime, isLevel) && !l.has(isRate) {
		return nil, ErrNoSamples
	}
	sorted := newSorter(r.Temp, r.Memory)
	r.set.close = sorted.close
	defer func() {
		if err != nil {
			sorted.close()
		}
	}()
	d := r.decoder(nil, l)
	scanner := bufio.NewScanner(in)
	scanner.Buffer(make([]byte, 0, 64<<10), maxLine)
	var show *preview
	if o.Show {
		show = newPreview(columns, l, r.set.Features)
	}
	record := table.Record{Lists: make([][]string, len(columns))}
	for scanner.Scan() {
		record.Row++
		if record.Row&1023 == 0 {
			if err := r.mayContinue(ctx); err != nil {
				return nil, err
			}
		}
		record.Values = strings.Split(scanner.Text(), "\t")
		if n := len(record.Values); n != len(columns) {
			return nil, &syntax.Error{Line: record.Row, Offset: -1, Err: fmt.Errorf("%d columns instead of %d", n, len(columns)), Hint: "--columns names them"}
		}
		for i, v := range record.Values {
			record.Lists[i] = nil
			if list, ok := strings.CutPrefix(v, ListMark); ok {
				record.Lists[i], record.Values[i] = strings.Split(list, ListMark), ""
			} else if v == `\N` {
				record.Values[i] = ""
			}
		}
		if show != nil && record.Row <= shownRows {
			show.take(&record)
		}
		if err := r.keep(d, d.decode(&record), sorted); err != nil {
			return nil, err
		}
	}
	if err := scanner.Err(); err != nil {
		return nil, &syntax.Error{Line: record.Row + 1, Offset: -1, Err: err}
	}
	if show != nil {
		r.set.Layouts = []Layout{{File: "standard input", Files: 1, Columns: show.columns()}}
	}
	r.set.parts, err = r.sortedParts(sorted)
	return r.set, err
}
