package samples

import (
	"context"
	"encoding/binary"
	"slices"
	"strings"

	"github.com/diffprof/diffprof/fleet/samples/table"
)

// A sampleTable is a table of samples whose apps and features are in other tables.
type sampleTable struct {
	*table.Table
	l  *layout
	id int // id is the column with the sample's number.
}

// relatedTables are the tables of GreenHub's layout. Tables of processes, networks and batteries
// belong to samples and refer to them by number. Tables of devices refer to devices by number.
type relatedTables struct {
	samples []sampleTable
	// tables are the tables that refer to samples.
	tables  []*table.Table
	devices []*table.Table
	layouts map[*table.Table]*layout
}

// findRelated selects the related tables from some tables.
func (r *reader) findRelated(tables []*table.Table, layouts map[*table.Table]*layout) *relatedTables {
	s := &relatedTables{layouts: layouts}
	for _, t := range tables {
		l := layouts[t]
		switch {
		case l.has(isSample):
			s.tables = append(s.tables, t)
		case columnNamed(t.Columns, "id") >= 0 && slices.ContainsFunc(l.features, func(f int) bool { return f >= 0 && r.set.Features[f] == Model }):
			s.devices = append(s.devices, t)
		default:
			r.set.counts.addOne("tables that have neither samples nor a column sample_id")
		}
	}
	return s
}

// columnNamed returns the index of a column, or -1.
func columnNamed(columns []string, name string) int {
	return slices.IndexFunc(columns, func(c string) bool { return plain(c) == name })
}

// sampleColumn returns the index of the column with the samples' numbers, or -1.
func sampleColumn(columns []string, l *layout) int {
	if i, ok := l.roles[isSample]; ok {
		return i
	}
	return columnNamed(columns, "id")
}

// These are the kinds of records of a join. The records of one sample are read in this order.
const (
	joinSample = iota
	joinApp
	joinFeatures
)

// join joins the samples with the rows of the related tables, and adds them to the sorter. It sorts
// all rows by the sample's number, on disk if necessary. Only the tables of devices must fit in
// memory.
func (r *reader) join(ctx context.Context, s *relatedTables, into *sorter) error {
	if len(s.samples) == 0 {
		return nil
	}
	devices, err := r.devices(s)
	if err != nil {
		return err
	}
	by := newSorter(r.Temp, r.Memory)
	defer by.close()
	for _, t := range s.samples {
		d := r.decoder(t.Table, t.l)
		defer r.countUnended(t.Table)
		err := t.Each(func(record *table.Record) error {
			if record.Row&1023 == 0 {
				if err := r.mayContinue(ctx); err != nil {
					return err
				}
			}
			row := d.decode(record)
			for i, v := range devices[t.l.value(record.Values, isClient)] {
				if i < len(row.features) && row.features[i] == 0 {
					row.features[i] = v
				}
			}
			if what, role := row.problem(); what != "" {
				r.set.counts.add(what, 1, d.place(role))
				return nil
			}
			b := binary.LittleEndian.AppendUint64(by.scratch(), uint64(row.client))
			b = binary.LittleEndian.AppendUint64(b, uint64(row.time))
			return by.add(uint64(HashClient(nil, record.Values[t.id])), joinSample, appendRow(b, row))
		})
		if err != nil {
			return err
		}
	}
	for _, t := range s.tables {
		if err := r.joinTable(ctx, t, s.layouts[t], by); err != nil {
			return err
		}
	}
	return r.joined(ctx, by, into)
}

// devices maps the number of each device to its features.
func (r *reader) devices(s *relatedTables) (map[string][]uint32, error) {
	devices := map[string][]uint32{}
	for _, t := range s.devices {
		id := columnNamed(t.Columns, "id")
		d := r.decoder(t, s.layouts[t])
		err := t.Each(func(record *table.Record) error {
			d.features(record.Values)
			devices[strings.Clone(record.Values[id])] = slices.Clone(d.row.features)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return devices, nil
}

// joinTable adds the rows of a related table to a sorter, with the sample's number as key.
func (r *reader) joinTable(ctx context.Context, t *table.Table, l *layout, by *sorter) error {
	d := r.decoder(t, l)
	defer r.countUnended(t)
	return t.Each(func(record *table.Record) error {
		if record.Row&1023 == 0 {
			if err := r.mayContinue(ctx); err != nil {
				return err
			}
		}
		key := uint64(HashClient(nil, l.value(record.Values, isSample)))
		if app := l.value(record.Values, isApp); app != "" {
			if slices.Contains(notRunning, strings.ToLower(l.value(record.Values, isStatus))) {
				return nil
			}
			version := l.value(record.Values, isVersion)
			if i := columnNamed(t.Columns, "versionname"); i >= 0 {
				version = record.Values[i]
			}
			app, version = splitVersion(app, version)
			b := binary.AppendUvarint(by.scratch(), uint64(r.Names.ID(app)))
			return by.add(key, joinApp, binary.AppendUvarint(b, uint64(r.Names.ID(version))))
		}
		d.features(record.Values)
		b := by.scratch()
		for _, v := range d.row.features {
			b = binary.AppendUvarint(b, uint64(v))
		}
		return by.add(key, joinFeatures, b)
	})
}

// joined reads the rows of each sample from one sorter, combines them, and adds the sample to the
// other sorter.
func (r *reader) joined(ctx context.Context, by, into *sorter) error {
	stretches, err := by.ranges(1)
	if err != nil {
		return err
	}
	var (
		last           uint64
		have           bool
		row            row
		names, version []uint32
		list           = &apps{filter: r.filter}
	)
	give := func() error {
		if !have {
			return nil
		}
		have = false
		if list.take(&row, names, version) {
			r.set.counts.addOne(listedTwice)
		}
		return into.add(uint64(row.client), row.time, appendRow(into.scratch(), &row)) // Its faults are already counted.
	}
	for _, in := range stretches {
		err := by.each(ctx, in, func(key uint64, kind int64, record []byte) error {
			if key != last || kind == joinSample {
				if err := give(); err != nil {
					return err
				}
				last, names, version = key, names[:0], version[:0]
			}
			switch kind {
			case joinSample:
				have = true
				row.client = ID(binary.LittleEndian.Uint64(record))
				row.time = int64(binary.LittleEndian.Uint64(record[8:]))
				readRow(&row, record[16:])
			case joinApp:
				app, n := binary.Uvarint(record)
				v, _ := binary.Uvarint(record[n:])
				names, version = append(names, uint32(app)), append(version, uint32(v))
			case joinFeatures:
				for i := range row.features {
					v, n := binary.Uvarint(record)
					record = record[n:]
					if row.features[i] == 0 {
						row.features[i] = uint32(v)
					}
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return give()
}
