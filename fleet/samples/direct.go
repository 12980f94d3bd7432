package samples

import (
	"bytes"
	"context"
	"math"
	"strconv"
	"sync"

	"github.com/diffprof/diffprof/fleet/samples/column"
	"github.com/diffprof/diffprof/fleet/samples/table"
)

// A direct file is a Parquet file that needs no sorting, because the rows of each client are
// consecutive. It is read one row group at a time.
type direct struct {
	r       *reader
	path    string
	name    string
	file    int // file is the number of the file in the input.
	l       *layout
	columns []column.Column
	clients []ID       // clients maps a client's number to its hash.
	numbers *Names     // numbers maps the names of clients to numbers.
	first   []uint32   // first has the client of the first row of each row group.
	last    []uint32   // last has the client of the last row of each row group.
	lists   *sync.Pool // lists is a pool of *apps.
}

// openParquet prepares Parquet files for reading without sorting. It returns false if the files
// must be sorted. Each row must be a whole sample, and the rows of each client must be consecutive.
func (r *reader) openParquet(ctx context.Context) (bool, error) {
	numbers := NewNames()
	var files []*direct
	var seen []bool
	lists := &sync.Pool{New: func() any { return &apps{filter: r.filter} }}
	for i, t := range r.tables {
		if t.Parquet == "" {
			return false, nil
		}
		var features, unused []string
		l, err := r.Map.layoutOf(t.Columns, &features, &unused)
		if err != nil {
			return false, inFile(t.File, err)
		}
		if !l.has(isClient, isTime, isLevel) || l.has(isStatus) {
			return false, nil // This reader cannot leave out processes that do not run.
		}
		d := &direct{r: r, path: t.Parquet, name: t.File, file: i, numbers: numbers, lists: lists}
		grouped, err := d.scan(ctx, t, l, &seen)
		if err != nil || !grouped {
			return false, err
		}
		files = append(files, d)
	}
	clients := make([]ID, numbers.Len())
	for i := range clients {
		if name := numbers.Text(uint32(i)); name != "" {
			clients[i] = HashClient(r.Key, name)
		}
	}
	var err error
	for i, d := range files {
		if d.l, err = r.Map.layoutOf(r.tables[i].Columns, &r.set.Features, &r.set.Unused); err != nil {
			return false, err
		}
		d.clients = clients
	}
	for _, d := range files {
		for g := range d.first {
			r.set.parts = append(r.set.parts, func(ctx context.Context, f func(*Client) error) error {
				return d.each(ctx, g, f)
			})
		}
	}
	return true, nil
}

// scan reads the clients of a file. It reports whether the rows of each client are consecutive.
func (d *direct) scan(ctx context.Context, t *table.Table, l *layout, seen *[]bool) (bool, error) {
	file, err := column.Open(d.path)
	if err != nil {
		return false, err
	}
	defer file.Close()
	d.columns = file.Columns()
	if i, ok := l.roles[isApps]; ok && !d.columns[i].List {
		return false, nil // This reader cannot split lists that are one text.
	}
	clients := d.columns[l.roles[isClient]]
	var last uint32
	row := 0
	for g := range file.Groups() {
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		c := file.Cursor(g, clients, column.IDs)
		c.Intern = d.intern
		d.first, d.last = append(d.first, none), append(d.last, none)
		for n := 0; ; n++ {
			more, err := c.Next()
			if err != nil {
				c.Close()
				return false, damaged(t.File, row+1, err)
			}
			if !more {
				break
			}
			row++
			id := uint32(0)
			if len(c.IDs) > 0 {
				id = c.IDs[0]
			}
			if n == 0 {
				d.first[g] = id
			}
			d.last[g] = id
			if id == last && row > 1 {
				continue
			}
			for int(id) >= len(*seen) {
				*seen = append(*seen, false)
			}
			if (*seen)[id] {
				c.Close()
				return false, nil
			}
			(*seen)[id], last = true, id
		}
		c.Close()
	}
	return true, nil
}

// none is a number that belongs to no client.
const none = math.MaxUint32

func (d *direct) intern(text []byte) uint32 { return d.numbers.ID(string(text)) }

// columnCursors has the cursors of a row group.
type columnCursors struct {
	all                            []*column.Cursor
	client, time, level, step      *column.Cursor
	state, trigger, apps, versions *column.Cursor
	features                       []*column.Cursor // features is indexed by column.
	words                          *Names           // words has the texts of states and triggers.
	both                           [][2]uint32      // both has the two parts of texts such as "app@1.0".
	bothOf                         map[[2]uint32]uint32
	apart                          [2][]uint32 // apart is a buffer for apartOf: the apps and the versions of a row.
	states                         map[uint32]State
	triggers                       map[uint32]Trigger
}

// bothBit marks the number of a text such as "app@1.0". The other bits are an index in
// columnCursors.both.
const bothBit = 1 << 30

// each calls f for the clients that begin in a row group. It also reads the following groups if the
// last client continues there.
func (d *direct) each(ctx context.Context, group int, f func(*Client) error) error {
	file, err := column.Open(d.path)
	if err != nil {
		return err
	}
	defer file.Close()
	c := &Client{}
	var r row
	list := d.lists.Get().(*apps)
	defer d.lists.Put(list)
	// If a client began in an earlier row group, its rows were read with that group.
	skip := uint32(none)
	if group > 0 {
		skip = d.last[group-1]
	}
	current := uint32(none)
	give := func() error {
		if c.Len() == 0 {
			return nil
		}
		c.finish(d.r)
		return f(c)
	}
	for g := group; g < file.Len(); g++ {
		if g > group && (current == none || d.first[g] != current) {
			break
		}
		ended, err := d.eachRow(ctx, file, g, list, &r, func(row int, client uint32, twice bool) (bool, error) {
			if client == skip {
				return true, nil
			}
			if client != current {
				if g > group {
					return false, nil
				}
				if err := give(); err != nil {
					return false, err
				}
				c.reset(d.clients[client], len(d.r.set.Features))
				current, skip = client, none
			}
			if what, role := r.problem(); what != "" {
				d.r.set.counts.add(what, 1, d.place(row, role, &r))
			} else if !c.add(&r) {
				d.r.set.counts.addOne(tooMany)
			}
			if twice {
				d.r.set.counts.addOne(listedTwice)
			}
			return true, nil
		})
		if err != nil {
			return err
		}
		if ended {
			break
		}
	}
	return give()
}

// eachRow reads the rows of a group into r. It calls f for each row until f returns false.
func (d *direct) eachRow(ctx context.Context, file *column.File, g int, list *apps, r *row, f func(row int, client uint32, twice bool) (bool, error)) (ended bool, err error) {
	cursors := d.cursors(file, g)
	before := file.Before(g)
	defer func() {
		for _, c := range cursors.all {
			c.Close()
		}
	}()
	for n := 1; ; n++ {
		if n&4095 == 0 {
			if err := d.r.mayContinue(ctx); err != nil {
				return false, err
			}
		}
		more := 0
		for _, c := range cursors.all {
			ok, err := c.Next()
			if err != nil {
				return false, damaged(d.name, before+n, err)
			}
			if ok {
				more++
			}
		}
		if more == 0 {
			if err := file.Check(g, n-1); err != nil {
				return false, damaged(d.name, before+n, err)
			}
			return false, d.r.mayContinue(ctx)
		}
		if more < len(cursors.all) {
			return false, damaged(d.name, before+n, errShort)
		}
		client, twice := cursors.row(d, r, list)
		if goOn, err := f(before+n, client, twice); err != nil || !goOn {
			return !goOn, err
		}
	}
}

// cursors opens the needed columns of a row group.
func (d *direct) cursors(file *column.File, g int) *columnCursors {
	k := &columnCursors{features: make([]*column.Cursor, len(d.columns)), words: NewNames(), bothOf: map[[2]uint32]uint32{}, states: map[uint32]State{}, triggers: map[uint32]Trigger{}}
	open := func(i int, mode column.Mode, intern func([]byte) uint32) *column.Cursor {
		c := file.Cursor(g, d.columns[i], mode)
		c.Intern = intern
		k.all = append(k.all, c)
		return c
	}
	names := func(text []byte) uint32 { return d.r.Names.ID(string(text)) }
	role := func(role string, mode column.Mode, intern func([]byte) uint32) *column.Cursor {
		if i, ok := d.l.roles[role]; ok {
			return open(i, mode, intern)
		}
		return nil
	}
	k.client = role(isClient, column.IDs, d.intern)
	k.time = role(isTime, column.Numbers, nil)
	k.time.Parse = parseTime
	k.level = role(isLevel, column.Numbers, nil)
	k.step = role(isStep, column.Numbers, nil)
	words := func(text []byte) uint32 { return k.words.ID(string(text)) }
	k.state = role(isState, column.IDs, words)
	k.trigger = role(isTrigger, column.IDs, words)
	k.apps = role(isApps, column.IDs, func(text []byte) uint32 {
		if bytes.IndexByte(text, '@') <= 0 {
			return names(text)
		}
		app, version := splitVersion(string(text), "")
		both := [2]uint32{names([]byte(app)), names([]byte(version))}
		at, ok := k.bothOf[both]
		if !ok {
			at = uint32(len(k.both))
			k.both, k.bothOf[both] = append(k.both, both), at
		}
		return bothBit | at
	})
	k.versions = role(isVersion, column.IDs, names)
	for i, at := range d.l.features {
		if at >= 0 {
			feature := d.r.set.Features[at]
			k.features[i] = open(i, column.IDs, func(text []byte) uint32 { return d.r.Names.ID(parseValue(feature, string(text))) })
		}
	}
	return k
}

// row reads the values at the cursors into a row. twice reports whether an app is listed twice.
func (k *columnCursors) row(d *direct, r *row, list *apps) (client uint32, twice bool) {
	client = first(k.client)
	r.client, r.rate = d.clients[client], math.NaN()
	r.time = 0
	if t := inMilliseconds(k.time.Number); !math.IsNaN(t) {
		r.time = int64(t)
	}
	r.level, r.step = k.level.Number, d.r.Map.Step
	if k.step != nil && k.step.Number > 0 && k.step.Number <= 100 {
		r.step = k.step.Number
	}
	r.state, r.trigger = Unknown, Other
	if k.state != nil {
		id := first(k.state)
		s, ok := k.states[id]
		if !ok {
			s = parseState(k.words.Text(id))
			k.states[id] = s
		}
		if s == unreadState {
			s = Unknown
			d.r.set.counts.addOne(unknownState(k.words.Text(id)))
		}
		r.state = s
	}
	if k.trigger != nil {
		id := first(k.trigger)
		t, ok := k.triggers[id]
		if !ok {
			t = parseTrigger(k.words.Text(id))
			k.triggers[id] = t
		}
		r.trigger = t
	}
	r.features = r.features[:0]
	for range d.r.set.Features {
		r.features = append(r.features, 0)
	}
	for i, c := range k.features {
		if c != nil {
			r.features[d.l.features[i]] = first(c)
		}
	}
	var names, versions []uint32
	if k.apps != nil {
		names = k.apps.IDs
	}
	if k.versions != nil {
		versions = k.versions.IDs
	}
	if len(k.both) > 0 {
		names, versions = k.apartOf(names, versions)
	}
	return client, list.take(r, names, versions)
}

// apartOf splits texts such as "app@1.0" into apps and versions. If there is a version column, its
// version is used.
func (k *columnCursors) apartOf(names, versions []uint32) ([]uint32, []uint32) {
	k.apart[0], k.apart[1] = k.apart[0][:0], k.apart[1][:0]
	for i, name := range names {
		version := uint32(0)
		if i < len(versions) {
			version = versions[i]
		}
		if !IsRare(name) && name&bothBit != 0 {
			both := k.both[name&^bothBit]
			name = both[0]
			if version == 0 {
				version = both[1]
			}
		}
		k.apart[0], k.apart[1] = append(k.apart[0], name), append(k.apart[1], version)
	}
	return k.apart[0], k.apart[1]
}

// place returns where a faulty value is in the file. r has the values of the row, and the parameter
// row is its number in the file.
func (d *direct) place(row int, role string, r *row) Place {
	at := Place{File: d.name, Row: row, file: d.file}
	if i, ok := d.l.roles[role]; ok {
		at.Column = d.columns[i].Name
	}
	switch role {
	case isLevel:
		at.Value = strconv.FormatFloat(r.level, 'g', -1, 64)
	case isTime:
		at.Value = strconv.FormatInt(r.time, 10) + " ms"
	}
	return at
}

// first returns the first value of a column, or 0.
func first(c *column.Cursor) uint32 {
	if len(c.IDs) == 0 {
		return 0
	}
	return c.IDs[0]
}
