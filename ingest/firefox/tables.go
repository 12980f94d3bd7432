package firefox

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/diffprof/diffprof/ingest/document"
	"github.com/diffprof/diffprof/units"
)

// maxCells limits the stored numbers of a profile to 512 MiB.
const maxCells = 1 << 26

// A budget reads numbers and texts, and limits how many are stored.
type budget struct {
	in           *document.Reader
	cells, texts int
}

// none is the number for null and missing cells.
const none = math.MinInt64

// A column has the numbers of one column of a table, by row. It is nil if the file lacks it.
type column []int64

// at returns the number in a row. Beyond the end of the column, it returns the constant none.
func (c column) at(row int64) int64 {
	if row < 0 || row >= int64(len(c)) {
		return none
	}
	return c[row]
}

// A field names a column to read from a table. Its numbers are multiplied by a factor.
type field struct {
	name string
	to   *column
	by   int64
	// If finer is not nil, it receives the same numbers, multiplied by a million.
	finer *column
}

func whole(name string, to *column) field { return field{name: name, to: to, by: 1} }

const millionths = 1_000_000

// count counts a stored number. It fails if there are too many.
func (b *budget) count() error {
	if b.cells++; b.cells > maxCells {
		return fmt.Errorf("the tables of the profile have more than %d numbers", maxCells)
	}
	return nil
}

// cell reads a number or a boolean.
func (b *budget) cell(f *field) error {
	if err := b.count(); err != nil {
		return err
	}
	n := int64(none)
	var err error
	switch {
	case b.in.Is('n'), b.in.Is('{'), b.in.Is('['):
		err = b.in.Skip()
	case b.in.Is('t'), b.in.Is('f'):
		n = 0
		is, e := b.in.True()
		if err = e; is {
			n = 1
		}
	default:
		if f.finer == nil {
			n, err = b.in.Scaled(f.by, 1)
			break
		}
		var text []byte
		if text, err = b.in.Text(); err != nil {
			return err
		}
		finer, wide := units.Decimal(text, millionths, 1)
		if wide != nil {
			finer = none
		}
		*f.finer = append(*f.finer, finer)
		if n, err = units.Decimal(text, 1, 1); err != nil {
			err = fmt.Errorf("the weight %.40s %w", text, err)
		}
		*f.to = append(*f.to, n)
		return err
	}
	if f.finer != nil {
		*f.finer = append(*f.finer, n)
	}
	*f.to = append(*f.to, n)
	return err
}

// table reads the given columns of a table. In the processed format, each column is a member of the
// table. The gecko format has rows, and a schema that names their columns. The function other reads
// the remaining members. If it is nil, they are skipped.
func (b *budget) table(other func(name []byte) error, fields ...field) error {
	var schema []*field
	var held strings.Builder // JSON of rows that come before their schema
	if err := b.in.Members(func(name []byte) error {
		switch string(name) {
		case "schema":
			schema = []*field{}
			return b.in.Members(func(name []byte) error {
				at, err := b.in.Index()
				if err != nil {
					return err
				}
				if at < 0 || at > 1<<10 {
					return errors.New("the schema of a table has an invalid column number")
				}
				for int(at) >= len(schema) {
					schema = append(schema, nil)
				}
				schema[at] = find(fields, name)
				return nil
			})
		case "data":
			if schema == nil {
				return b.hold(&held)
			}
			return b.in.Elements(func() error { return b.row(schema) })
		}
		f := find(fields, name)
		switch {
		case f == nil && other != nil:
			return other(name)
		case f == nil || !b.in.Is('['):
			return b.in.Skip()
		}
		return b.in.Elements(func() error { return b.cell(f) })
	}); err != nil || held.Len() == 0 {
		return err
	}
	if schema == nil {
		return errors.New("a table has rows and no schema")
	}
	outer := b.in
	defer func() { b.in = outer }()
	b.in = document.NewReader(strings.NewReader(held.String()))
	return b.in.Elements(func() error { return b.row(schema) })
}

// maxHeld limits the stored JSON of rows that come before their schema.
const maxHeld = 1 << 28

// hold keeps the JSON of rows until the schema is known.
func (b *budget) hold(to *strings.Builder) error {
	to.Reset()
	to.WriteByte('[')
	if err := b.in.Elements(func() error {
		row, err := b.in.Raw()
		if err != nil {
			return err
		}
		if to.Len() > 1 {
			to.WriteByte(',')
		}
		if to.Write(row); to.Len() > maxHeld {
			return fmt.Errorf("a table has more than %d MiB of rows before its schema", maxHeld>>20)
		}
		return nil
	}); err != nil {
		return err
	}
	to.WriteByte(']')
	return nil
}

func find(fields []field, name []byte) *field {
	for i := range fields {
		if fields[i].name == string(name) {
			return &fields[i]
		}
	}
	return nil
}

// row reads a row of the gecko format. A row may be shorter than the schema.
func (b *budget) row(schema []*field) error {
	at := 0
	if err := b.in.Elements(func() error {
		at++
		if at > len(schema) || schema[at-1] == nil {
			return b.in.Skip()
		}
		return b.cell(schema[at-1])
	}); err != nil {
		return err
	}
	for ; at < len(schema); at++ {
		if f := schema[at]; f != nil {
			*f.to = append(*f.to, none)
			if f.finer != nil {
				*f.finer = append(*f.finer, none)
			}
		}
	}
	return nil
}

// tables are the tables that define stacks. Newer versions have one set of tables for all threads.
type tables struct {
	strings []string
	// Columns of frames. The gecko format has frameLocation, a text, instead of frameFunc.
	// frameLine is the line of the current instruction in the frame. frameAddress is the
	// instruction's address in its library, or negative if there is none.
	frameFunc, frameLocation, frameLine, frameAddress column
	// Columns of functions. funcFile is the index of a text, and funcSource is a row in sources.
	funcName, funcIsJS, funcFlags, funcFile, funcSource, funcLine, funcResource column
	sourceFile                                                                  column
	// resourceLib is a row in libs.
	resourceName, resourceLib column
	libs                      []library
	// Columns of stacks. stackOffset is the number of rows from a stack to its caller. It is 0 for
	// an outermost stack.
	stackPrefix, stackOffset, stackFrame column
}

// member reads the member called name if it is one of the tables. Otherwise it skips it.
func (t *tables) member(b *budget, name []byte) error {
	switch string(name) {
	case "stringArray", "stringTable":
		t.strings = nil
		return b.in.Elements(func() error {
			text, err := b.in.Text()
			if b.texts += len(text) + 16; b.texts > document.MaxNames {
				return fmt.Errorf("the texts of the profile have more than %d MiB", document.MaxNames>>20)
			}
			t.strings = append(t.strings, strings.ToValidUTF8(string(text), "\uFFFD"))
			return err
		})
	case "frameTable":
		return b.table(nil, whole("func", &t.frameFunc), whole("location", &t.frameLocation), whole("line", &t.frameLine), whole("address", &t.frameAddress))
	case "funcTable":
		return b.table(nil,
			whole("name", &t.funcName), whole("isJS", &t.funcIsJS), whole("flags", &t.funcFlags), whole("fileName", &t.funcFile),
			whole("source", &t.funcSource), whole("lineNumber", &t.funcLine), whole("resource", &t.funcResource),
		)
	case "sources":
		return b.table(nil, whole("filename", &t.sourceFile))
	case "resourceTable":
		return b.table(nil, whole("name", &t.resourceName), whole("lib", &t.resourceLib))
	case "libs":
		return b.libraries(&t.libs)
	case "stackTable":
		return b.table(nil, whole("prefix", &t.stackPrefix), whole("prefixOffset", &t.stackOffset), whole("frame", &t.stackFrame))
	}
	return b.in.Skip()
}

// or returns t, with missing tables filled in from the other set.
func (t tables) or(other *tables) *tables {
	if t.strings == nil {
		t.strings = other.strings
	}
	if t.stackFrame == nil {
		t.stackPrefix, t.stackOffset, t.stackFrame = other.stackPrefix, other.stackOffset, other.stackFrame
	}
	if t.frameFunc == nil && t.frameLocation == nil {
		t.frameFunc, t.frameLocation, t.frameLine, t.frameAddress = other.frameFunc, other.frameLocation, other.frameLine, other.frameAddress
	}
	if t.funcName == nil {
		t.funcName, t.funcIsJS, t.funcFlags, t.funcFile = other.funcName, other.funcIsJS, other.funcFlags, other.funcFile
		t.funcSource, t.funcLine, t.funcResource = other.funcSource, other.funcLine, other.funcResource
	}
	if t.sourceFile == nil {
		t.sourceFile = other.sourceFile
	}
	if t.resourceName == nil {
		t.resourceName, t.resourceLib = other.resourceName, other.resourceLib
	}
	if t.libs == nil {
		t.libs = other.libs
	}
	return &t
}

// text returns the text with index n.
func (t *tables) text(n int64) string {
	if n < 0 || n >= int64(len(t.strings)) {
		return ""
	}
	return t.strings[n]
}
