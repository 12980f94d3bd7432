package apicost

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/diffprof/diffprof/internal/syntax"
	"github.com/diffprof/diffprof/units"
)

// Bounds of a table. They are far above any real table.
const (
	maxTable = 64 << 20
	maxRows  = 1 << 20
)

// format is the name of tables in errors.
const format = "table of API costs"

// A Row is the cost of one method, or of all overloads of a name.
type Row struct {
	// Line is the line of the file, from 1.
	Line int
	// Text is the signature as the file writes it.
	Text string
	// Cost is 0 if it is unknown.
	Cost Cost
	// Category is the category that the file states, or empty.
	Category string

	signature signature
}

// A Table has the costs of methods. It is immutable and safe for concurrent use.
type Table struct {
	Rows []Row
	// Doubled counts the rows that repeat an earlier row with the same cost. They are not in Rows.
	Doubled int
	// Unreadable lists the rows without a cost whose method cannot be read. They are not in Rows.
	Unreadable []*syntax.Error
	// byKey has the row of each signature. byPlace has the rows of each class and name, in order.
	byKey   map[string]int
	byPlace map[string][]int
	// byClass has the known costs of each class, ascending.
	byClass map[string][]Cost
	// roots are the first parts of the names of the packages that have rows.
	roots map[string]bool
}

// Read reads a table in one of three forms. docs/apicosts.md describes them. Errors are of type
// *syntax.Error and name the line.
//
//   - CSV without a header: the method and the energy of a call in joules, as Orka's table;
//   - CSV with a header of the columns signature and cost, and if present unit and category;
//   - JSON: a list of objects with the keys signature (or fullMethodDefinition), cost, unit and
//     category. Objects without a cost list a method whose cost is unknown.
func Read(r io.Reader) (*Table, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxTable+1))
	switch {
	case err != nil:
		return nil, err
	case len(data) > maxTable:
		return nil, &syntax.Error{Format: format, Offset: maxTable, Err: errors.New("the file is larger than 64 MiB")}
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	t := &Table{byKey: make(map[string]int), byPlace: make(map[string][]int), byClass: make(map[string][]Cost), roots: make(map[string]bool)}
	if text := bytes.TrimSpace(data); len(text) > 0 && text[0] == '[' {
		err = t.readJSON(data)
	} else {
		err = t.readCSV(data)
	}
	if err != nil {
		return nil, err
	}
	if len(t.Rows) == 0 {
		return nil, &syntax.Error{Format: format, Offset: -1, Err: errors.New("the file has no rows"),
			Hint: "a row is a method and the joules of a call: android.widget.Toast.show(),0.0005"}
	}
	for _, costs := range t.byClass {
		slices.Sort(costs)
	}
	return t, nil
}

// fault returns the error of a line.
func fault(line int, err error, hint string) *syntax.Error {
	return &syntax.Error{Format: format, Line: line, Offset: -1, Err: err, Hint: hint}
}

// columns are the indexes of a file's columns. The index of a missing column is -1.
type columns struct{ signature, cost, unit, category int }

// readCSV reads both forms of CSV.
func (t *Table) readCSV(data []byte) error {
	read := csv.NewReader(bytes.NewReader(data))
	read.FieldsPerRecord, read.Comment, read.TrimLeadingSpace, read.ReuseRecord = -1, '#', true, true
	at, first := columns{0, 1, -1, -1}, true
	for {
		record, err := read.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if parse := (*csv.ParseError)(nil); errors.As(err, &parse) {
			return fault(parse.Line, parse.Err, "put a field with quotes or commas in quotes")
		}
		if err != nil {
			return err
		}
		line, _ := read.FieldPos(0)
		if first {
			first = false
			if header, ok := readHeader(record); ok {
				if at = header; at.signature < 0 || at.cost < 0 {
					return fault(line, errors.New("the header lacks the column signature or the column cost"), "the columns are signature, cost, unit and category")
				}
				continue
			}
		}
		field := func(i int) string {
			if i < 0 || i >= len(record) {
				return ""
			}
			return strings.TrimSpace(record[i])
		}
		if len(record) <= at.cost {
			return fault(line, fmt.Errorf("%q has no cost", field(0)), "a row is a method and the joules of a call")
		}
		if err := t.add(line, field(at.signature), field(at.cost), field(at.unit), field(at.category)); err != nil {
			return err
		}
	}
}

// readHeader returns the columns that a header names.
func readHeader(record []string) (at columns, ok bool) {
	at = columns{-1, -1, -1, -1}
	for i, text := range record {
		to := map[string]*int{"signature": &at.signature, "cost": &at.cost, "unit": &at.unit, "category": &at.category}[strings.ToLower(strings.TrimSpace(text))]
		if to != nil {
			*to, ok = i, true
		}
	}
	return at, ok
}

// readJSON reads a list of objects.
func (t *Table) readJSON(data []byte) error {
	read := json.NewDecoder(bytes.NewReader(data))
	read.UseNumber()
	lines := lineCounter{data: data, line: 1}
	failed := func(err error) error {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return fault(lines.at(read.InputOffset()), err, "a table in JSON is a list of objects with the keys signature, cost and unit")
	}
	if _, err := read.Token(); err != nil {
		return failed(err)
	}
	for read.More() {
		var row struct {
			Signature, FullMethodDefinition, Unit, Category string
			Cost                                            *json.Number
		}
		if err := read.Decode(&row); err != nil {
			return failed(err)
		}
		line := lines.at(read.InputOffset())
		text := row.Signature
		if text == "" {
			text = row.FullMethodDefinition
		}
		cost := ""
		if row.Cost != nil {
			cost = row.Cost.String()
		}
		if err := t.add(line, text, cost, row.Unit, row.Category); err != nil {
			if row.Cost != nil || len(t.Unreadable) >= maxRows {
				return err
			}
			t.Unreadable = append(t.Unreadable, err)
		}
	}
	if _, err := read.Token(); err != nil {
		return failed(err)
	}
	return nil
}

// A lineCounter counts the lines before an offset of data. Successive offsets must not decrease.
type lineCounter struct {
	data []byte
	from int64
	line int
}

func (l *lineCounter) at(offset int64) int {
	offset = min(offset, int64(len(l.data)))
	if offset > l.from {
		l.line += bytes.Count(l.data[l.from:offset], []byte("\n"))
		l.from = offset
	}
	return l.line
}

// unitNames are the units of costs. The first is the default.
var unitNames = []string{"J", "mJ", "µJ", "uJ", "nJ", "pJ"}

// picojoules has the size of each unit.
var picojoules = map[string]int64{"": perJoule, "J": perJoule, "mJ": perJoule / 1e3, "µJ": perJoule / 1e6, "uJ": perJoule / 1e6, "nJ": 1000, "pJ": 1}

// add adds a row. An empty cost is unknown.
func (t *Table) add(line int, text, cost, unit, category string) *syntax.Error {
	if len(t.Rows) >= maxRows {
		return fault(line, fmt.Errorf("the file has more than %d rows", maxRows), "")
	}
	s, err := parseSignature(text)
	if err != nil {
		return fault(line, fmt.Errorf("%q %w", shortened(text), err), "")
	}
	size, ok := picojoules[unit]
	if !ok {
		return fault(line, fmt.Errorf("%q is not a unit of energy", shortened(unit)), "use one of "+strings.Join(unitNames, ", "))
	}
	row := Row{Line: line, Text: strings.TrimSuffix(text, "---"), Category: category, signature: s}
	if cost != "" {
		pico, err := units.Decimal(cost, size, 1)
		switch {
		case err != nil:
			return fault(line, fmt.Errorf("the cost %q %w", shortened(cost), err), "write the energy of one call, such as 0.0005")
		case Cost(pico) > maxCost:
			return fault(line, fmt.Errorf("the cost %s J of one call is too large", Cost(pico).Joules()), "the largest accepted cost is 1000 J: is the unit right?")
		}
		row.Cost = Cost(pico)
	}
	if earlier, ok := t.byKey[s.key()]; ok {
		before := t.Rows[earlier]
		if before.Cost != row.Cost {
			return fault(line, fmt.Errorf("%s has the cost %s J here and %s J in line %d", row.Text, row.Cost.Joules(), before.Cost.Joules(), before.Line), "remove one of the rows")
		}
		t.Doubled++
		return nil
	}
	t.byKey[s.key()] = len(t.Rows)
	t.byPlace[s.place()] = append(t.byPlace[s.place()], len(t.Rows))
	if row.Cost > 0 {
		t.byClass[s.class] = append(t.byClass[s.class], row.Cost)
	}
	root, _, _ := strings.Cut(s.class, ".")
	t.roots[root] = true
	t.Rows = append(t.Rows, row)
	return nil
}

// shortened cuts a long text for an error.
func shortened(text string) string {
	const most = 80
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}

// Unknown counts the rows without a cost. A cost of zero counts as unknown.
func (t *Table) Unknown() int {
	n := 0
	for _, row := range t.Rows {
		if row.Cost == 0 {
			n++
		}
	}
	return n
}

// An Overload is a method name with several rows.
type Overload struct {
	// Name is the class and the method name, separated by a dot.
	Name string
	Rows int
	// Least and Most are the smallest and the largest known cost.
	Least, Most Cost
}

// Overloads lists the method names with several rows. They are sorted by the ratio of the largest
// to the smallest cost, the largest ratio first.
func (t *Table) Overloads() []Overload {
	var list []Overload
	for place, rows := range t.byPlace {
		if len(rows) < 2 {
			continue
		}
		o := Overload{Name: place, Rows: len(rows)}
		for _, i := range rows {
			if c := t.Rows[i].Cost; c > 0 {
				o.Most = max(o.Most, c)
				if o.Least == 0 || c < o.Least {
					o.Least = c
				}
			}
		}
		list = append(list, o)
	}
	ratio := func(o Overload) float64 { return float64(o.Most) / float64(max(o.Least, 1)) }
	slices.SortFunc(list, func(a, b Overload) int {
		switch x, y := ratio(a), ratio(b); {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return strings.Compare(a.Name, b.Name)
	})
	return list
}

// Names counts the distinct classes and names of the rows.
func (t *Table) Names() int { return len(t.byPlace) }

// Roots returns the first parts of the names of the packages that have rows, sorted.
func (t *Table) Roots() []string {
	var roots []string
	for root := range t.roots {
		roots = append(roots, root)
	}
	slices.Sort(roots)
	return roots
}
