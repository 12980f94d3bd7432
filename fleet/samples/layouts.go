package samples

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/diffprof/diffprof/fleet/samples/table"
)

// A Layout shows users how tables with the same columns are read.
type Layout struct {
	// File and Table identify the first table with the layout. Files is the number of such tables.
	File, Table string
	Files       int
	Columns     []Column
}

// A Column shows how a column is read.
type Column struct {
	Name string
	// Role is client, time, level, step, state, trigger, apps, versions, rate, sample, app,
	// importance, or the name of a feature. It is empty if the column is not read.
	Role string
	// Values are the first different values. The names of clients are shortened.
	Values []string
	// Different is the number of different values in the first Rows rows.
	Different, Rows int
}

const (
	// shownValues is the number of values of a column that are shown.
	shownValues = 3
	// shownRows is the number of rows in which values are searched.
	shownRows = 1000
	// shownOfClient is the number of characters of a client's name that are shown.
	shownOfClient = 3
)

// layouts returns how the tables are read. It ignores faults, because reading the rows reports
// them.
func (r *reader) layouts() []Layout {
	var all []Layout
	at := map[string]int{}
	for _, t := range r.tables {
		key := t.Name + "\x1f" + strings.Join(t.Columns, "\x1f")
		if i, ok := at[key]; ok {
			all[i].Files++
			continue
		}
		at[key] = len(all)
		all = append(all, r.layout(t))
	}
	return all
}

// layout reads the first rows of a table.
func (r *reader) layout(t *table.Table) Layout {
	made := Layout{File: t.File, Table: t.Name, Files: 1}
	var features, unused []string
	l, err := r.Map.layoutOf(t.Columns, &features, &unused)
	if err != nil {
		return made
	}
	shown := newPreview(t.Columns, l, features)
	errEnough := errors.New("enough")
	_ = t.Each(func(record *table.Record) error {
		if !shown.take(record) {
			return errEnough
		}
		return nil
	})
	made.Columns = shown.columns()
	return made
}

// A preview collects the first values of the columns of a table.
type preview struct {
	all    []Column
	seen   []map[string]bool
	listed Column // listed shows the app lists that are not in a column (Record.Apps).
}

func newPreview(columns []string, l *layout, features []string) *preview {
	s := &preview{listed: Column{Name: "apps", Role: isApps}}
	roles := make([]string, len(columns))
	for role, i := range l.roles {
		roles[i] = role
	}
	for i, f := range l.features {
		if f >= 0 {
			roles[i] = features[f]
		}
	}
	for i, name := range columns {
		s.seen = append(s.seen, map[string]bool{})
		s.all = append(s.all, Column{Name: name, Role: roles[i]})
	}
	return s
}

// take adds a row. It reports whether more rows are needed.
func (s *preview) take(record *table.Record) bool {
	for i := range s.all {
		c := &s.all[i]
		v := shownText(record, i)
		if c.Role == isApps {
			v = strings.Join(slices.Collect(separated(v)), " ")
		}
		if c.Rows++; v != "" && !s.seen[i][v] {
			s.seen[i][shortened(v, len(v))] = true
			c.Different++
			c.add(v)
		}
	}
	for _, a := range record.Apps {
		s.listed.add(a.Name)
	}
	return record.Row < shownRows
}

// columns returns the columns with their first values.
func (s *preview) columns() []Column {
	if len(s.listed.Values) > 0 {
		return append(s.all, s.listed)
	}
	return s.all
}

// add adds a value to the values that are shown.
func (c *Column) add(v string) {
	switch {
	case len(c.Values) == shownValues:
		return
	case c.Role == isClient:
		if letters := []rune(v); len(letters) > shownOfClient {
			v = string(letters[:shownOfClient]) + "…"
		}
	case c.Role == isTime:
		if t := parseTime(v); t >= float64(earliest) && t <= float64(latest) {
			if utc := time.UnixMilli(int64(t)).UTC().Format(time.DateTime); utc != v {
				v += " (" + utc + " UTC)"
			}
		} else {
			v += " (no time)"
		}
	default:
		v = shortened(v, shownValue)
	}
	if !slices.Contains(c.Values, v) || c.Role == isClient {
		c.Values = append(c.Values, v)
	}
}

// shownText returns the text of a column of a row. The entries of a list are separated by spaces.
func shownText(record *table.Record, i int) string {
	if i < len(record.Objects) && len(record.Objects[i]) > 0 {
		var names []string
		for _, a := range record.Objects[i] {
			names = append(names, a.Name)
		}
		return strings.Join(names, " ")
	}
	if i < len(record.Lists) && len(record.Lists[i]) > 0 {
		return strings.Join(record.Lists[i], " ")
	}
	if i < len(record.Values) {
		return record.Values[i]
	}
	return ""
}
