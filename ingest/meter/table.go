package meter

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/diffprof/diffprof/units"
)

// A what is the quantity that a column contains, such as power.
type what int

const (
	isNothing what = iota
	isBegin
	isEnd
	isDuration
	isEnergy
	isTotal
	isPower
	isCurrent
	isVoltage
	isCharge
	isState

	whats // whats is the number of quantities.
)

// kinds has the names of columns. In these names, '_' represents every character other than a
// letter or a digit.
var kinds = []struct {
	what  what
	name  *regexp.Regexp
	plain string // plain is the unit if the name states none.
}{
	{isState, regexp.MustCompile(`^(.+)_on_off$`), ""},
	{isBegin, regexp.MustCompile(`^(?:time|timestamp|start_time|t)(?:_(s|sec|seconds|ms|us|ns))?$`), "?"},
	{isEnd, regexp.MustCompile(`^(?:end_time|end)(?:_(s|sec|seconds|ms|us|ns))?$`), "?"},
	{isDuration, regexp.MustCompile(`^duration(?:_(s|sec|seconds|ms|us|ns))?$`), "s"},
	{isTotal, regexp.MustCompile(`^(?:total_energy|energy_total|total_joules|joules_total|cumulative_energy)(?:_(j|mj|uj|nj|wh|mwh))?$`), "j"},
	{isEnergy, regexp.MustCompile(`^(?:energy|joules)(?:_(j|mj|uj|nj|wh|mwh))?$`), "j"},
	{isPower, regexp.MustCompile(`^(?:power|watts)(?:_(w|mw|uw))?$`), "w"},
	{isCurrent, regexp.MustCompile(`^(?:current|intensity)(?:_(a|ma|ua))?$`), "a"},
	{isVoltage, regexp.MustCompile(`^voltage(?:_(v|mv|uv))?$`), "v"},
	{isCharge, regexp.MustCompile(`^(?:remaining_charge|charge_counter)(?:_(ah|mah|uah))?$`), "ah"},
}

// scales has, for each unit, the factor that converts values to ns, nJ, µW, µA, µAh or µV.
var scales = map[string][2]int64{
	"s": {1e9, 1}, "sec": {1e9, 1}, "seconds": {1e9, 1}, "ms": {1e6, 1}, "us": {1e3, 1}, "ns": {1, 1},
	"j": {1e9, 1}, "mj": {1e6, 1}, "uj": {1e3, 1}, "nj": {1, 1}, "wh": {3600e9, 1}, "mwh": {3600e6, 1},
	"w": {1e6, 1}, "mw": {1e3, 1}, "uw": {1, 1},
	"a": {1e6, 1}, "ma": {1e3, 1}, "ua": {1, 1}, "ah": {1e6, 1}, "mah": {1e3, 1}, "uah": {1, 1}, "v": {1e6, 1}, "mv": {1e3, 1}, "uv": {1, 1},
}

// A column is a column of a table.
type column struct {
	what what
	name string
	// unit is a key of scales, or "?" for times without a unit. scale is the value of scales.
	unit  string
	scale [2]int64
}

// A table has the columns of a meter's rows.
type table struct {
	columns []column
	present [whats]bool
	names   []string
	row     row
}

// newTable recognizes columns by their names. If two columns have the same quantity, the first one
// is used.
func newTable(names []string) *table {
	t := &table{names: names}
	for _, name := range names {
		c := column{name: strings.TrimSpace(name)}
		plain := strings.Trim(noName.ReplaceAllString(strings.ToLower(name), "_"), "_")
		for _, k := range kinds {
			m := k.name.FindStringSubmatch(plain)
			if m == nil || k.what != isState && t.has(k.what) {
				continue
			}
			c.what, c.unit = k.what, k.plain
			if k.what == isState {
				c.name = m[1]
			} else if m[1] != "" {
				c.unit = m[1]
			}
			break
		}
		c.scale = scales[c.unit]
		t.columns, t.present[c.what] = append(t.columns, c), true
	}
	return t
}

var noName = regexp.MustCompile(`[^a-z0-9]+`)

// has reports whether the table has a column with a quantity.
func (t *table) has(w what) bool { return t.present[w] }

// complete returns an error if the table lacks a necessary column.
func (t *table) complete() error {
	switch {
	case !t.has(isBegin):
		return errors.New("no column is called time, timestamp or start_time")
	case !t.has(isEnergy) && !t.has(isTotal) && !t.has(isPower) && !(t.has(isCurrent) && t.has(isVoltage)):
		return errors.New("no column is called energy, power, or current and voltage")
	}
	return nil
}

// A row is a parsed line. Times are in ns, energy is in nJ, and power is in µW.
type row struct {
	begin, end int64
	epoch      bool
	energy     int64
	power      int64
	// charge is the battery's charge in µAh, if charged is set. voltage is the voltage in µV.
	charge, voltage int64
	charged         bool
	states          []int64
}

// megawatt is more than the power of any device, in µW.
const megawatt = 1e12

// read parses the cells of a row. It returns false if the row lacks a necessary value. The row is
// valid until the next call.
func (t *table) read(cells []string) (*row, bool, error) {
	r := &t.row
	*r = row{states: r.states[:0]}
	var current, voltage int64
	var duration int64
	var ended, drained bool
	for i, c := range t.columns {
		cell := ""
		if i < len(cells) {
			cell = strings.TrimSpace(cells[i])
		}
		if c.what == isState {
			r.states = append(r.states, state(cell))
			continue
		}
		if c.what == isNothing {
			continue
		}
		if cell == "" {
			if c.what == isBegin {
				return nil, false, nil
			}
			continue
		}
		var value int64
		var err error
		var epoch bool
		if c.unit == "?" {
			value, epoch, err = moment(cell)
		} else {
			value, err = number(cell, c.scale)
		}
		if err != nil && c.what == isCharge {
			continue // An invalid charge is ignored, because it only serves to check the other values.
		}
		if err != nil {
			return nil, false, fmt.Errorf("%s: %q %w", c.name, cell, err)
		}
		switch c.what {
		case isBegin:
			r.begin, r.epoch = value, epoch
		case isEnd:
			r.end, ended = value, true
		case isDuration:
			duration = value
		case isEnergy:
			if !t.has(isTotal) {
				r.energy, drained = value, true
			}
		case isTotal:
			r.energy, drained = value, true
		case isPower:
			r.power = value
			drained = drained || !t.has(isEnergy) && !t.has(isTotal)
		case isCurrent:
			current = value
		case isVoltage:
			voltage, r.voltage = value, value
		case isCharge:
			r.charge, r.charged = value, true
		}
	}
	if !t.has(isPower) && t.has(isCurrent) && t.has(isVoltage) {
		// A microampere times a microvolt is a picowatt.
		r.power = units.MulDiv(current, voltage, 1_000_000)
		drained = drained || !t.has(isEnergy) && !t.has(isTotal)
	}
	if r.power > megawatt {
		return nil, false, errors.New("the power is more than a megawatt")
	}
	if !ended {
		if duration > math.MaxInt64-max(r.begin, 0) {
			return nil, false, errors.New("the row ends beyond the year 2262")
		}
		r.end = r.begin + duration
	}
	if r.end < r.begin {
		return nil, false, fmt.Errorf("the row ends %v before it begins", time.Duration(r.begin-r.end))
	}
	return r, drained, nil
}

// state parses a cell that states whether a component is on.
func state(cell string) int64 {
	switch strings.ToLower(cell) {
	case "", "0", "false", "off":
		return 0
	}
	return 1
}

// number parses a number and multiplies it by scale. It accepts a decimal comma.
func number(cell string, scale [2]int64) (int64, error) {
	negative := strings.HasPrefix(cell, "-")
	cell = strings.TrimPrefix(cell, "-")
	if comma := strings.IndexByte(cell, ','); comma >= 0 && strings.IndexByte(cell[comma+1:], ',') < 0 && strings.IndexByte(cell, '.') < 0 {
		cell = cell[:comma] + "." + cell[comma+1:]
	}
	n, err := units.Decimal(cell, scale[0], scale[1])
	if negative {
		n = -n
	}
	return n, err
}

// layouts are the layouts of dates.
var layouts = []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999"}

// moment parses a time without a unit, and returns nanoseconds. It reports whether the time counts
// from 1970.
func moment(cell string) (int64, bool, error) {
	if len(cell) > 4 && cell[4] == '-' { // All layouts have the year and a hyphen first.
		for _, l := range layouts {
			if at, err := time.Parse(l, cell); err == nil {
				return at.UnixNano(), true, nil
			}
		}
	}
	digits, err := wholeDigits(cell)
	if err != nil {
		return 0, false, err
	}
	unit := "s"
	switch {
	// The number of digits shows the unit of a date from 1973 to the year 5138.
	case digits >= 18:
		unit = "ns"
	case digits >= 15:
		unit = "us"
	case digits >= 12:
		unit = "ms"
	}
	n, err := number(cell, scales[unit])
	return n, digits >= 9, err
}

// wholeDigits returns the number of digits of a number before the decimal point, without leading
// zeros. It is 0 for a negative number, which is no date.
func wholeDigits(cell string) (int, error) {
	if strings.HasPrefix(cell, "-") {
		return 0, nil
	}
	if strings.IndexByte(cell, 'e') >= 0 || strings.IndexByte(cell, 'E') >= 0 {
		n, err := number(cell, [2]int64{1, 1})
		return len(strconv.FormatInt(n, 10)), err
	}
	begin := 0
	for begin < len(cell) && cell[begin] == '0' {
		begin++
	}
	end := begin
	for end < len(cell) && cell[end] >= '0' && cell[end] <= '9' {
		end++
	}
	return end - begin, nil
}

// component returns the component in a column's name, as trace.Account names it.
func component(name string) string {
	switch name {
	case "wifi", "gps", "camera", "audio", "screen":
		return name
	case "mobile_radio":
		return "cellular"
	}
	return ""
}

// header returns the column names in the first line, and the separator between cells.
func header(line []byte) ([]string, byte) {
	line = bytes.TrimSpace(line)
	if len(line) > 0 && line[0] == '{' {
		var object map[string]any
		if json.Unmarshal(line, &object) != nil {
			return nil, 0
		}
		names := make([]string, 0, len(object))
		for name := range object {
			names = append(names, name)
		}
		slices.Sort(names)
		return names, 0
	}
	delimiter := byte(',')
	for _, d := range []byte{';', '\t'} {
		if bytes.IndexByte(line, d) >= 0 {
			delimiter = d
		}
	}
	s := splitter{delimiter: delimiter}
	names, err := s.cells(string(line))
	if err != nil {
		return nil, 0
	}
	return slices.Clone(names), delimiter
}

// object parses a line that is a JSON object. It returns the cells in the order of the columns.
func (t *table) object(line []byte) ([]string, error) {
	decode := json.NewDecoder(bytes.NewReader(line))
	decode.UseNumber()
	var object map[string]any
	if err := decode.Decode(&object); err != nil {
		return nil, fmt.Errorf("no JSON object: %w", err)
	}
	cells := make([]string, len(t.names))
	for i, name := range t.names {
		if v, ok := object[name]; ok && v != nil {
			cells[i] = fmt.Sprint(v)
		}
	}
	return cells, nil
}

// A splitter splits lines into cells. Cells may be quoted, and quotes within cells are doubled (RFC
// 4180). A cell contains no line break.
type splitter struct {
	delimiter byte
	out       []string
}

// cells returns the cells of a line. They are valid until the next call.
func (s *splitter) cells(line string) ([]string, error) {
	s.out = s.out[:0]
	for {
		cell := strings.TrimLeft(line, " ")
		if !strings.HasPrefix(cell, `"`) {
			end := strings.IndexByte(line, s.delimiter)
			if end < 0 {
				s.out = append(s.out, line)
				return s.out, nil
			}
			s.out = append(s.out, line[:end])
			line = line[end+1:]
			continue
		}
		cell = cell[1:]
		end := 0
		for {
			next := strings.IndexByte(cell[end:], '"')
			if next < 0 {
				return nil, errors.New("a quote is not closed")
			}
			end += next
			if !strings.HasPrefix(cell[end+1:], `"`) {
				break
			}
			end += 2
		}
		s.out = append(s.out, strings.ReplaceAll(cell[:end], `""`, `"`))
		rest := strings.TrimLeft(cell[end+1:], " ")
		if rest == "" {
			return s.out, nil
		}
		if rest[0] != s.delimiter {
			return nil, errors.New("text follows a quoted cell")
		}
		line = rest[1:]
	}
}
