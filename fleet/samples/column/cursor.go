package column

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/parquet-go/parquet-go"
)

// A Mode is the type of a cursor's values.
type Mode int

// The modes.
const (
	// Texts sets Cursor.Texts to the values as texts.
	Texts Mode = iota
	// Numbers sets Cursor.Number to the first value, or to NaN if there is none.
	Numbers
	// IDs sets Cursor.IDs to the results of Cursor.Intern for the values.
	IDs
)

// A Cursor reads a column of one row group.
type Cursor struct {
	// Texts, Number and IDs are the values of the current row. Only the one that the mode selects
	// is set. It is valid until the next call of Next.
	Texts  []string
	Number float64
	IDs    []uint32
	// Intern maps a text to a number, for the mode IDs.
	Intern func(text []byte) uint32
	// Parse converts a text to a number, for the mode Numbers. If it is nil, texts are parsed as
	// decimal numbers.
	Parse func(text string) float64

	column Column
	mode   Mode
	pages  parquet.Pages

	page       parquet.Page
	at, length int
	value      int // value is the index of the next value of the page, without nulls.
	repetition []byte
	definition []byte

	dictionary parquet.Dictionary
	ids        []uint32 // ids has the results of Intern for the dictionary.
	texts      []string
	numbers    []float64
	indexes    []int32 // indexes has the dictionary indices of the page's values. It is nil if the page has no dictionary.

	plainIDs     []uint32 // plainIDs has the results of Intern for the page's values, if the page has no dictionary.
	plainTexts   []string
	plainNumbers []float64
}

// Cursor returns a cursor over a column of a row group. The caller must close it.
func (f *File) Cursor(group int, c Column, mode Mode) *Cursor {
	return &Cursor{column: c, mode: mode, pages: f.parsed.RowGroups()[group].ColumnChunks()[c.leaf].Pages()}
}

// Close releases the pages of the cursor.
func (c *Cursor) Close() {
	c.release()
	_ = c.pages.Close()
}

func (c *Cursor) release() {
	if c.page != nil {
		parquet.Release(c.page)
		c.page = nil
	}
}

// Next moves to the next row. It returns false after the last one.
func (c *Cursor) Next() (more bool, err error) {
	defer caught(&err)
	c.Texts, c.IDs, c.Number = c.Texts[:0], c.IDs[:0], math.NaN()
	if ok, err := c.fill(); !ok {
		return false, err
	}
	if c.column.List && len(c.repetition) > c.at && c.repetition[c.at] != 0 {
		return false, errors.New("a page begins within a row")
	}
	c.take()
	for c.column.List {
		ok, err := c.fill()
		if err != nil {
			return false, err
		}
		if !ok || c.at >= len(c.repetition) || c.repetition[c.at] == 0 {
			break
		}
		if c.mode == IDs && c.indexes != nil {
			c.takeIDs()
		} else {
			c.take()
		}
	}
	return true, nil
}

// takeIDs reads entries up to the end of the row or the page. Most of the time of reading a file is
// spent here.
func (c *Cursor) takeIDs() {
	end := c.at
	for end < len(c.repetition) && c.repetition[end] != 0 {
		end++
	}
	whole := c.column.definition
	c.IDs = slices.Grow(c.IDs, end-c.at)
	ids, n, value := c.IDs[:cap(c.IDs)], len(c.IDs), c.value
	for _, definition := range c.definition[c.at:end] {
		if definition == whole {
			ids[n] = c.ids[c.indexes[value]]
			n, value = n+1, value+1
		} else if c.column.hole(definition) {
			ids[n] = 0
			n++
		}
	}
	c.IDs, c.value, c.at = ids[:n], value, end
}

// take takes the value at the cursor.
func (c *Cursor) take() {
	definition := c.column.definition
	if c.at < len(c.definition) {
		definition = c.definition[c.at]
	}
	c.at++
	if definition != c.column.definition {
		if c.column.hole(definition) {
			c.Texts, c.IDs = append(c.Texts, ""), append(c.IDs, 0)
		}
		return
	}
	i := c.value
	c.value++
	if c.indexes != nil {
		d := c.indexes[i]
		switch c.mode {
		case Texts:
			c.Texts = append(c.Texts, c.texts[d])
		case Numbers:
			c.Number = c.numbers[d]
		case IDs:
			c.IDs = append(c.IDs, c.ids[d])
		}
		return
	}
	switch c.mode {
	case Texts:
		c.Texts = append(c.Texts, c.plainTexts[i])
	case Numbers:
		c.Number = c.plainNumbers[i]
	case IDs:
		c.IDs = append(c.IDs, c.plainIDs[i])
	}
}

// fill loads the next page that has entries. It returns false after the last page.
func (c *Cursor) fill() (bool, error) {
	for c.page == nil || c.at >= c.length {
		c.release()
		page, err := c.pages.ReadPage()
		if errors.Is(err, io.EOF) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		c.page, c.at, c.value, c.length = page, 0, 0, int(page.NumValues())
		c.repetition, c.definition = page.RepetitionLevels(), page.DefinitionLevels()
		if err := c.decode(page); err != nil {
			return false, err
		}
	}
	return true, nil
}

// decode reads the values of a page, or their dictionary indices.
func (c *Cursor) decode(page parquet.Page) error {
	c.indexes = nil
	if d := page.Dictionary(); d != nil {
		if d != c.dictionary {
			c.ids, c.texts, c.numbers = c.ids[:0], c.texts[:0], c.numbers[:0]
			for i := range d.Len() {
				if err := c.add(&c.ids, &c.texts, &c.numbers, d.Index(int32(i))); err != nil {
					return err
				}
			}
			c.dictionary = d
		}
		data := page.Data()
		c.indexes = data.Int32()
		most := uint32(0) // A negative index is larger than all valid indices when it is unsigned.
		for _, i := range c.indexes {
			most = max(most, uint32(i))
		}
		if len(c.indexes) > 0 && int(most) >= d.Len() {
			return fmt.Errorf("entry %d of a dictionary of %d", int32(most), d.Len())
		}
		return nil
	}
	c.plainIDs, c.plainTexts, c.plainNumbers = c.plainIDs[:0], c.plainTexts[:0], c.plainNumbers[:0]
	values := page.Values()
	var buffer [256]parquet.Value
	for {
		n, err := values.ReadValues(buffer[:])
		for _, v := range buffer[:n] {
			if v.IsNull() {
				continue
			}
			if err := c.add(&c.plainIDs, &c.plainTexts, &c.plainNumbers, v); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if n == 0 {
			return io.ErrNoProgress
		}
	}
}

// add adds a value, converted for the cursor's mode.
func (c *Cursor) add(ids *[]uint32, texts *[]string, numbers *[]float64, v parquet.Value) error {
	switch c.mode {
	case Texts:
		*texts = append(*texts, c.text(v))
	case Numbers:
		n, err := c.number(v)
		if err != nil {
			return err
		}
		*numbers = append(*numbers, n)
	case IDs:
		if v.Kind() == parquet.ByteArray {
			*ids = append(*ids, c.Intern(v.ByteArray()))
		} else {
			*ids = append(*ids, c.Intern([]byte(c.text(v))))
		}
	}
	return nil
}

func (c *Cursor) number(v parquet.Value) (float64, error) {
	switch v.Kind() {
	case parquet.Boolean:
		if v.Boolean() {
			return 1, nil
		}
		return 0, nil
	case parquet.Int32:
		return float64(v.Int32()) / math.Pow10(c.column.decimals), nil
	case parquet.Int64:
		return float64(v.Int64()) / math.Pow10(c.column.decimals), nil
	case parquet.Int96:
		return float64(moment(v).UnixMilli()), nil
	case parquet.Float:
		return float64(v.Float()), nil
	case parquet.Double:
		return v.Double(), nil
	case parquet.FixedLenByteArray:
		return fixed(v.ByteArray()) / math.Pow10(c.column.decimals), nil
	}
	s := string(v.ByteArray())
	if c.Parse != nil {
		return c.Parse(s), nil
	}
	n, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return math.NaN(), nil
	}
	return n, nil
}

func (c *Cursor) text(v parquet.Value) string {
	switch v.Kind() {
	case parquet.ByteArray:
		return string(v.ByteArray())
	case parquet.Float:
		if f := float64(v.Float()); !math.IsNaN(f) {
			return strconv.FormatFloat(f, 'f', -1, 32)
		}
	case parquet.FixedLenByteArray:
		if c.column.decimals == 0 {
			return string(v.ByteArray())
		}
	}
	// The name of a client may be a whole number that a float64 cannot represent.
	if c.column.decimals == 0 {
		switch v.Kind() {
		case parquet.Int32:
			return strconv.FormatInt(int64(v.Int32()), 10)
		case parquet.Int64:
			return strconv.FormatInt(v.Int64(), 10)
		}
	}
	n, err := c.number(v)
	if err != nil || math.IsNaN(n) {
		return ""
	}
	return strconv.FormatFloat(n, 'f', -1, 64)
}

// moment converts an INT96 timestamp, which has the nanoseconds of a day and the Julian day.
func moment(v parquet.Value) time.Time {
	const epoch = 2440588 // 1970-01-01
	i := v.Int96()
	nanoseconds := int64(i[1])<<32 | int64(i[0])
	return time.Unix((int64(i[2])-epoch)*86400, nanoseconds)
}

// fixed returns a big-endian whole number of up to 8 bytes.
func fixed(b []byte) float64 {
	if len(b) > 8 {
		b = b[len(b)-8:]
	}
	wide := make([]byte, 8)
	if len(b) > 0 && b[0]&0x80 != 0 {
		for i := range wide {
			wide[i] = 0xff
		}
	}
	copy(wide[8-len(b):], b)
	return float64(int64(binary.BigEndian.Uint64(wide)))
}
