package samples

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/diffprof/diffprof/fleet/samples/table"
	"github.com/diffprof/diffprof/internal/syntax"
)

// Options configure the reading of samples.
type Options struct {
	// Paths are files, and folders whose files are read.
	Paths []string
	// Map defines columns. The zero Map knows the usual names.
	Map Map
	// Key is the secret for the clients' hashes.
	Key []byte
	// Temp is the folder for temporary files. If it is empty, the folder of the system is used.
	Temp string
	// Memory is the approximate memory for sorting samples, in bytes. 0 means 256 MiB.
	Memory int
	// Reread means that the set is read more than once. The first reading then stores the clients
	// in a temporary file, about as large as the input.
	Reread bool
	// Show fills Set.Layouts, with the first values of each column.
	Show bool
	// Names shares the names between several sets that are analyzed together. If it is nil, the set
	// gets new Names.
	Names *Names
	// MaxNames is the maximum number of names in memory. If there are more, reading fails with
	// ErrNames. 0 means maxNames.
	MaxNames int
	// Common lists the names to store, from FindCommon. If it is nil, all names are stored.
	Common *Common
	// Workers is the number of goroutines that decode a table. 0 means one per processor.
	Workers int
}

// ErrNames means that the samples have more different names than Options.MaxNames.
var ErrNames = errors.New("too many different names")

// errShort is the error for a table whose columns have different lengths.
var errShort = errors.New("some columns have fewer rows than others")

// ErrNoSamples means that no table of the input has samples.
var ErrNoSamples = errors.New("no table has samples, which need columns for client, time and level, or for rate")

// A reader opens one set.
type reader struct {
	Options
	unit     levelUnit
	platform int // platform is the index of the platform of battery states, or -1.
	set      *Set
	filter   *filter
	tables   []*table.Table
}

// newReader returns a reader of an empty set.
func newReader(o Options) (*reader, error) {
	unit, err := o.Map.unit()
	if err != nil {
		return nil, err
	}
	platform, err := o.Map.platform()
	if err != nil {
		return nil, err
	}
	if o.Names == nil {
		o.Names = NewNames()
		o.Names.common = o.Common
	}
	if o.MaxNames == 0 || o.MaxNames > maxNames {
		o.MaxNames = maxNames
	}
	o.Memory = cmp.Or(o.Memory, 256<<20)
	set := &Set{Names: o.Names, Mark: MarkOf(o.Key), counts: newCounts()}
	if o.Common != nil {
		set.RareApps = o.Common.RareApps()
	}
	return &reader{Options: o, unit: unit, platform: platform, set: set, filter: newFilter(o.Names, o.Map.Daemons)}, nil
}

// Open opens samples. The caller must close the set.
func Open(ctx context.Context, o Options) (s *Set, err error) {
	r, err := newReader(o)
	if err != nil {
		return nil, err
	}
	o = r.Options
	var closers []func()
	r.set.close = func() {
		for _, c := range closers {
			c()
		}
	}
	defer func() {
		if err != nil {
			r.set.Close()
		}
	}()
	files, err := list(o.Paths)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		tables, err := table.Open(f, o.Temp)
		if err != nil {
			return nil, err
		}
		for _, t := range tables {
			closers = append(closers, t.Close)
		}
		r.tables = append(r.tables, tables...)
	}
	done, err := r.openParquet(ctx)
	if err != nil {
		return nil, err
	}
	if !done {
		sorted := newSorter(o.Temp, o.Memory)
		closers = append(closers, sorted.close)
		if err := r.collect(ctx, sorted); err != nil {
			return nil, err
		}
		if err := r.mayContinue(ctx); err != nil {
			return nil, err
		}
		if r.set.parts, err = r.sortedParts(sorted); err != nil {
			return nil, err
		}
	}
	if o.Show {
		r.set.Layouts = r.layouts()
	}
	if o.Reread {
		kept := &store{temp: o.Temp}
		closers = append(closers, kept.close)
		for i, p := range r.set.parts {
			r.set.parts[i] = kept.keep(p)
		}
	}
	return r.set, nil
}

// list returns the files under paths, sorted by name. It leaves out files whose name begins with a
// dot or an underscore, because these are metadata.
func list(paths []string) ([]string, error) {
	var files []string
	for _, p := range paths {
		err := filepath.WalkDir(p, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			hidden := path != p && strings.ContainsAny(d.Name()[:1], "._")
			switch {
			case d.IsDir() && hidden:
				return filepath.SkipDir
			case !d.IsDir() && !hidden:
				files = append(files, path)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s: no files", strings.Join(paths, ", "))
	}
	return files, nil
}

// collect adds the samples of all tables to the sorter.
func (r *reader) collect(ctx context.Context, into *sorter) error {
	var whole, joined []*table.Table
	layouts := map[*table.Table]*layout{}
	for _, t := range r.tables {
		l, err := r.Map.layoutOf(t.Columns, &r.set.Features, &r.set.Unused)
		if err != nil {
			return inFile(t.File, err)
		}
		layouts[t] = l
		switch {
		case l.has(isRate) && !l.has(isLevel), l.has(isClient, isTime, isLevel):
			whole = append(whole, t)
		default:
			joined = append(joined, t)
		}
	}
	if len(whole) == 0 {
		return missingColumns(r.tables, layouts)
	}
	sides := r.findRelated(joined, layouts)
	for _, t := range whole {
		l := layouts[t]
		if column := sampleColumn(t.Columns, l); len(sides.tables)+len(sides.devices) > 0 && column >= 0 {
			sides.samples = append(sides.samples, sampleTable{t, l, column})
			continue
		}
		if err := r.collectTable(ctx, t, l, into); err != nil {
			return err
		}
	}
	return r.join(ctx, sides, into)
}

// inFile adds the name of a file to an error.
func inFile(file string, err error) error {
	if e := (*syntax.Error)(nil); errors.As(err, &e) && e.File == "" {
		e.File = file
	}
	return err
}

// missingColumns returns an error about the table that has the most required columns. It lists the
// columns that are missing.
func missingColumns(tables []*table.Table, layouts map[*table.Table]*layout) error {
	var nearest *table.Table
	var lacks []string
	for _, t := range tables {
		var roles []string
		for _, role := range []string{isClient, isTime, isLevel} {
			if !layouts[t].has(role) {
				roles = append(roles, role)
			}
		}
		if nearest == nil || len(roles) < len(lacks) {
			nearest, lacks = t, roles
		}
	}
	if nearest == nil {
		return ErrNoSamples
	}
	const few = 12
	columns := strings.Join(nearest.Columns[:min(few, len(nearest.Columns))], ", ")
	if more := len(nearest.Columns) - few; more > 0 {
		columns += fmt.Sprintf(" and %d more", more)
	}
	return &syntax.Error{
		File: nearest.File, Offset: -1, Err: fmt.Errorf("%w: no column named %s; the columns are %s", ErrNoSamples, strings.Join(lacks, ", "), columns),
		Hint: "--map FILE states the meaning of columns",
	}
}

// maxNames is the default of Options.MaxNames. An analysis uses about 700 bytes per app.
const maxNames = 1 << 23

// mayContinue returns an error if ctx is cancelled or if there are too many names. Readers call it
// regularly.
func (r *reader) mayContinue(ctx context.Context) error {
	if n := r.Names.Len(); n > r.MaxNames {
		err := fmt.Errorf("%w: more than %d apps, versions and values", ErrNames, r.MaxNames)
		if r.Common != nil {
			err = fmt.Errorf("%w that at least %d clients have: give more with --max-names", err, minClients)
		}
		return err
	}
	return ctx.Err()
}

// countUnended counts a fault if the last row of a table may be cut off. The table must have been
// read.
func (r *reader) countUnended(t *table.Table) {
	if t.Unended {
		r.set.counts.addOne("files that may be cut, since the last row has no end")
	}
}

// keep adds a decoded row to the sorter, unless it has a fault.
func (r *reader) keep(d *decoder, row *row, into *sorter) error {
	if d.hasFault(row) {
		return nil
	}
	return into.add(uint64(row.client), row.time, appendRow(into.scratch(), row))
}

// hasFault reports whether the decoded row has a fault, and counts it.
func (d *decoder) hasFault(row *row) bool {
	what, role := row.problem()
	if what != "" {
		d.r.set.counts.add(what, 1, d.place(role))
	}
	return what != ""
}

// A decoder converts records to rows. Only one goroutine may use it.
type decoder struct {
	r       *reader
	table   *table.Table // table is nil for lines without a table.
	l       *layout
	record  *table.Record
	apps    *apps
	row     row
	names   []uint32
	version []uint32
	last    string // last is the client of the previous row.
	lastID  ID
}

func (r *reader) decoder(t *table.Table, l *layout) *decoder {
	return &decoder{r: r, table: t, l: l, apps: &apps{filter: r.filter}}
}

// decode converts a record to a row. The row is valid until the next call.
func (d *decoder) decode(record *table.Record) *row {
	row, l, v := &d.row, d.l, record.Values
	d.record = record
	row.rate = math.NaN()
	if l.has(isRate) && !l.has(isLevel) {
		row.rate = parseNumber(l.value(v, isRate))
		if math.IsNaN(row.rate) {
			row.rate = -1 // The rate is invalid, and is counted as a fault.
		}
	}
	row.client = d.client(l.value(v, isClient))
	row.time = 0
	if t := parseTime(l.value(v, isTime)); !math.IsNaN(t) {
		row.time = int64(t)
	}
	row.level = parseNumber(l.value(v, isLevel))
	row.step = d.r.Map.Step
	if s := parseNumber(l.value(v, isStep)); s > 0 && s <= 100 {
		row.step = s
	}
	if row.state = parseState(l.value(v, isState)); row.state == unreadState {
		row.state = Unknown
		d.r.set.counts.add(unknownState(l.value(v, isState)), 1, d.place(isState))
	}
	row.trigger = parseTrigger(l.value(v, isTrigger))
	d.features(v)
	d.takeApps(record)
	return row
}

// client returns the hash of a client's name. It caches the last hash, because the rows of a client
// are often consecutive.
func (d *decoder) client(name string) ID {
	if name == "" {
		return 0
	}
	if name != d.last || d.lastID == 0 {
		d.last, d.lastID = strings.Clone(name), HashClient(d.r.Key, name)
	}
	return d.lastID
}

func (d *decoder) features(values []string) {
	d.row.features = d.row.features[:0]
	for range d.r.set.Features {
		d.row.features = append(d.row.features, 0)
	}
	for i, f := range d.l.features {
		if f >= 0 && i < len(values) {
			feature := d.r.set.Features[f]
			d.row.features[f] = d.r.Names.ID(parseValue(feature, values[i]))
			if feature == Screen && d.row.features[f] == 0 && isUnreadScreen(values[i]) {
				d.r.set.counts.add(unknownScreens, 1, d.placeOf(i))
			}
		}
	}
}

// takeApps reads the list of apps. It may be objects, parallel lists, or a text with separators.
func (d *decoder) takeApps(record *table.Record) {
	d.names, d.version = d.names[:0], d.version[:0]
	add := func(a table.App) {
		a.Name, a.Version = splitVersion(a.Name, a.Version)
		if a.Importance == "" || !slices.Contains(notRunning, strings.ToLower(a.Importance)) {
			d.names = append(d.names, d.r.Names.ID(a.Name))
			d.version = append(d.version, d.r.Names.ID(a.Version))
		}
	}
	for _, a := range record.Apps {
		add(a)
	}
	if i, ok := d.l.roles[isApps]; ok && i < len(record.Objects) {
		for _, a := range record.Objects[i] {
			add(a)
		}
	}
	versions, statuses := d.l.list(record, isVersion), d.l.list(record, isStatus)
	for i, name := range d.l.list(record, isApps) {
		a := table.App{Name: name}
		if i < len(versions) {
			a.Version = versions[i]
		}
		if i < len(statuses) {
			a.Importance = statuses[i]
		}
		add(a)
	}
	if len(d.names) == 0 {
		for name := range separated(d.l.value(record.Values, isApps)) {
			add(table.App{Name: name})
		}
	}
	if d.apps.take(&d.row, d.names, d.version) {
		d.r.set.counts.addOne(listedTwice)
	}
}

// splitVersion splits name@version. A version in its own column takes precedence.
func splitVersion(name, version string) (string, string) {
	app, after, ok := strings.Cut(name, "@")
	if !ok || app == "" {
		return name, version
	}
	return app, cmp.Or(version, after)
}

// listedTwice is the description of a fault.
const listedTwice = "samples that list an app twice"

// separators are the characters between the apps of a list that is one text.
var separators = func() (is [256]bool) {
	for _, c := range []byte(",;| []\"'") {
		is[c] = true
	}
	return is
}()

// separated returns the apps of a list that is one text, such as "a@1.0,b" or "a b" or ["a", "b"].
func separated(s string) iter.Seq[string] {
	return func(yield func(string) bool) {
		begin := 0
		for i := range len(s) {
			if separators[s[i]] {
				if begin < i && !yield(s[begin:i]) {
					return
				}
				begin = i + 1
			}
		}
		if begin < len(s) {
			yield(s[begin:])
		}
	}
}

// damaged returns an error for a row of a file.
func damaged(file string, row int, err error) error {
	return &syntax.Error{File: file, Offset: -1, Err: fmt.Errorf("row %d: %w", row, err), Hint: "the file may be cut: copy it again"}
}

// temporary creates a temporary file. If the system allows it, it removes the file at once, so that
// no file remains if the program is killed.
func temporary(folder string) (*os.File, error) {
	file, err := os.CreateTemp(folder, "fleet-*.samples")
	if err == nil {
		_ = os.Remove(file.Name())
	}
	return file, err
}
