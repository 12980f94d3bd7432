package samples

import (
	"cmp"
	"slices"
	"sync"
)

// A Fault is a kind of fault of samples.
type Fault struct {
	// What describes the kind of fault. N is the number of occurrences.
	What string
	N    int64
	// Place is the first occurrence. It is empty if the fault does not belong to a row of the
	// input.
	Place
}

// A Place identifies a value in a file.
type Place struct {
	File string
	// Row is the number of the row, from 1.
	Row           int
	Column, Value string
	file          int // file is the number of the file in the input.
}

// counts counts faults by their description. It is safe for concurrent use.
type counts struct {
	mu  sync.Mutex
	all map[string]*Fault
}

func newCounts() *counts { return &counts{all: map[string]*Fault{}} }

// addMany adds n faults without a place.
func (c *counts) addMany(what string, n int64) {
	if n != 0 {
		c.add(what, n, Place{})
	}
}

// addOne adds a fault without a place.
func (c *counts) addOne(what string) { c.add(what, 1, Place{}) }

// add adds n faults. It keeps the first place in the order of the input.
func (c *counts) add(what string, n int64, at Place) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f := c.all[what]
	if f == nil {
		f = &Fault{What: what, Place: at}
		c.all[what] = f
	}
	f.N += n
	if at.Row > 0 && (f.Row == 0 || cmp.Or(cmp.Compare(at.file, f.file), cmp.Compare(at.Row, f.Row)) < 0) {
		f.Place = at
	}
}

// numbers returns the number of faults of each kind.
func (c *counts) numbers() map[string]int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := map[string]int64{}
	for what, f := range c.all {
		all[what] = f.N
	}
	return all
}

// faults returns the faults, the most frequent first.
func (c *counts) faults() []Fault {
	c.mu.Lock()
	defer c.mu.Unlock()
	var all []Fault
	for _, f := range c.all {
		all = append(all, *f)
	}
	slices.SortFunc(all, func(a, b Fault) int { return cmp.Or(cmp.Compare(b.N, a.N), cmp.Compare(a.What, b.What)) })
	return all
}

// shownValue is the maximum length of a value in a Place.
const shownValue = 40

// place returns the place of the column with a role, in the current row.
func (d *decoder) place(role string) Place {
	column, ok := d.l.roles[role]
	if !ok {
		column = -1
	}
	at := d.placeOf(column)
	if role == isClient {
		at.Value = "" // Names of clients are not kept.
	}
	return at
}

// placeOf returns the place of a column in the current row. If there is no such column, the index
// is -1.
func (d *decoder) placeOf(column int) Place {
	at := Place{Row: d.record.Row}
	if d.table != nil {
		at.File, at.file = d.table.File, slices.Index(d.r.tables, d.table)
		if column >= 0 {
			at.Column = d.table.Columns[column]
		}
	}
	if column >= 0 && column < len(d.record.Values) {
		at.Value = shortened(d.record.Values[column], shownValue)
	}
	return at
}

// shortened cuts a text to at most n bytes, between two characters.
func shortened(s string, n int) string {
	if len(s) <= n {
		return string([]byte(s))
	}
	for n > 0 && s[n]&0xc0 == 0x80 {
		n--
	}
	return s[:n] + "…"
}
