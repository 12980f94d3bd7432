package report

import (
	"cmp"
	"io"
	"math"
	"slices"
	"time"

	"github.com/diffprof/diffprof/history"
	"github.com/diffprof/diffprof/history/change"
	"github.com/diffprof/diffprof/history/trend"
	"github.com/diffprof/diffprof/repeats"
	"github.com/diffprof/diffprof/units"
)

// A Trend is how the energy of an app, or of parts of it, changes from commit to commit.
type Trend struct {
	SchemaVersion int  `json:"schemaVersion"`
	Tool          Tool `json:"tool"`
	// Statistics names the statistical method. Rate is the largest probability of a false alarm.
	// For several series together, it is the false discovery rate.
	Statistics string  `json:"statistics"`
	Rate       float64 `json:"rate"`
	App        string  `json:"app"`
	Device     string  `json:"device"`
	Scenario   string  `json:"scenario"`
	Unit       string  `json:"unit"`
	EnergyFrom string  `json:"energyFrom"`
	// Entries are sorted by commit. Changes refer to entries by their index.
	Entries []TrendEntry `json:"entries"`
	// Series are the requested series. Judged counts the series that were tested together, and
	// Changed those that changed. They include omitted series.
	Series   []TrendSeries `json:"series"`
	Judged   int           `json:"judged"`
	Changed  int           `json:"changed"`
	Warnings []Note        `json:"warnings"`
	// Methods are the methods of Series.
	Methods Methods `json:"methods"`
}

// A TrendEntry is an entry of the history.
type TrendEntry struct {
	// Ref names the entry in commands, as in history:REF.
	Ref     string    `json:"ref"`
	Commit  string    `json:"commit"`
	Version string    `json:"version"`
	Time    time.Time `json:"time"`
	Runs    int       `json:"runs"`
	// Name is the short name of the entry: the beginning of the commit's hash, or the version.
	Name string `json:"name"`
}

// A TrendSeries is the energy of one run, task, method or line, entry by entry.
type TrendSeries struct {
	// Kind is "run", "task", "method" or "line". Method is a label, or empty for a run. Path and ID
	// are set for a task. Line and Text are set for a line: its number and text in the latest run.
	Kind   string       `json:"kind"`
	Method string       `json:"method"`
	Path   []string     `json:"path"`
	ID     string       `json:"id"`
	Line   int          `json:"line"`
	Text   string       `json:"text"`
	Points []TrendPoint `json:"points"`
	// Changes are the lasting changes of the energy, sorted by commit.
	Changes []TrendChange `json:"changes"`
	// P is the probability that chance alone causes a step as large as the first possible change. Q
	// is P adjusted for testing several series. A change is evident if Q is at most Trend.Rate.
	P float64 `json:"p"`
	Q float64 `json:"q"`
	// Uneven is set if runs of the same entry differ less than runs of different entries. Then each
	// entry counts as one run.
	Uneven bool `json:"uneven"`
	// Alike is set if the largest step may be a slow drift of conditions. It would count as a
	// change if entries were independent.
	Alike bool       `json:"alike"`
	Next  *TrendNext `json:"next"`
}

// A TrendPoint is the energy of an entry's runs.
type TrendPoint struct {
	Runs   []units.Energy `json:"runsNJ"`
	Median units.Energy   `json:"medianNJ"`
	// Least and Most are the 95 % interval of the median. They are nil if no entry has two runs.
	Least *units.Energy `json:"leastNJ"`
	Most  *units.Energy `json:"mostNJ"`
}

// A TrendChange is a lasting change of the energy of a series.
type TrendChange struct {
	// Entry is the first entry after the change, as far as the runs show. The true one is between
	// Earliest and Latest.
	Entry    int     `json:"entry"`
	Earliest int     `json:"earliest"`
	Latest   int     `json:"latest"`
	Verdict  string  `json:"verdict"`
	P        float64 `json:"p"`
	// Before and After are the medians before and after the change. Least and Most are the 95 %
	// interval of Difference, or nil if there are too few runs.
	Before     units.Energy  `json:"beforeNJ"`
	After      units.Energy  `json:"afterNJ"`
	Difference units.Energy  `json:"differenceNJ"`
	Least      *units.Energy `json:"leastNJ"`
	Most       *units.Energy `json:"mostNJ"`
	// Growth is Difference as a fraction of Before. It is nil if Before is 0.
	Growth *float64 `json:"growth"`
}

// A TrendNext advises which runs to record next.
type TrendNext struct {
	// After and Before are the entries between which the change may be.
	After  int `json:"after"`
	Before int `json:"before"`
	// Commits counts the commits between them that were not measured. Middle is the one to measure
	// first, and Steps is how many measurements will find the change. If git does not know the
	// commits, Commits is nil, and Unknown says why.
	Commits *int   `json:"commits"`
	Middle  string `json:"middle"`
	Steps   int    `json:"steps"`
	Unknown string `json:"unknown"`
	// Repeats are further runs of measured entries that would narrow the range, if they are like
	// the runs so far.
	Repeats []TrendRepeat `json:"repeats"`
}

// A TrendRepeat is the number of additional runs of an entry.
type TrendRepeat struct {
	Entry int `json:"entry"`
	Runs  int `json:"runs"`
}

// NewTrend makes a report of some series of a trend.
func NewTrend(t *trend.Trend, version string, series ...*trend.Series) *Trend {
	return newTrend(t, version, series, 1, changed(series))
}

// NewBlame reports the series that changed, the latest change first. Changes at the same entry are
// sorted by size. judged are the series that were tested together. At most top series are listed,
// or all if top is 0.
func NewBlame(t *trend.Trend, version string, judged []*trend.Series, top int) (made *Trend, listed []*trend.Series) {
	for _, s := range judged {
		if s.Latest() != nil {
			listed = append(listed, s)
		}
	}
	slices.SortStableFunc(listed, func(a, b *trend.Series) int {
		return cmp.Or(cmp.Compare(b.Latest().At, a.Latest().At), cmp.Compare(math.Abs(b.Latest().Difference), math.Abs(a.Latest().Difference)))
	})
	all := len(listed)
	if top > 0 {
		listed = listed[:min(top, all)]
	}
	return newTrend(t, version, listed, len(judged), all), listed
}

// changed counts the series that changed.
func changed(series []*trend.Series) int {
	n := 0
	for _, s := range series {
		if s.Latest() != nil {
			n++
		}
	}
	return n
}

func newTrend(t *trend.Trend, version string, series []*trend.Series, judged, changed int) *Trend {
	first := &t.Entries[0]
	r := &Trend{
		SchemaVersion: SchemaVersion, Tool: Tool{Name: "diffprof", Version: version}, Statistics: change.Method, Rate: change.Rate,
		App: first.App, Device: first.Device, Scenario: first.Scenario, Judged: judged, Changed: changed,
		Series: []TrendSeries{}, Warnings: notes(t.Input.Trace.Warnings), Methods: Methods{},
	}
	in := newInput(*t.Input)
	r.Unit, r.EnergyFrom = in.Unit, in.EnergyFrom
	for i := range t.Entries {
		r.Entries = append(r.Entries, newTrendEntry(&t.Entries[i]))
	}
	paths := newPaths(t.Input.Tree)
	for _, s := range series {
		made := TrendSeries{Kind: s.Kind.String(), Path: []string{}, ID: s.ID, Line: s.Line, Text: s.Text, Changes: []TrendChange{}, P: digits(s.Found.P), Q: digits(s.Q), Uneven: s.Found.WholePoints, Alike: s.Found.Confounded}
		switch s.Kind {
		case trend.Task:
			made.Path, _ = paths.labels(s.Node)
			made.Method = made.Path[len(made.Path)-1]
			r.Methods.addPath(paths, s.Node)
		case trend.Method, trend.Line:
			made.Method = s.Method.Label()
			r.Methods.add(s.Method)
		}
		for i, runs := range s.Points {
			made.Points = append(made.Points, newTrendPoint(runs, s.Medians[i]))
		}
		for _, c := range s.Found.Changes {
			made.Changes = append(made.Changes, newTrendChange(c))
		}
		r.Series = append(r.Series, made)
	}
	return r
}

func newTrendEntry(e *history.Entry) TrendEntry {
	return TrendEntry{Ref: e.Ref(), Commit: e.Commit, Version: e.Version, Time: e.Time.UTC(), Runs: len(e.Runs), Name: e.Short()}
}

func newTrendPoint(runs []float64, m repeats.MedianInterval) TrendPoint {
	p := TrendPoint{Runs: []units.Energy{}, Median: whole(m.Median)}
	for _, x := range runs {
		p.Runs = append(p.Runs, whole(x))
	}
	p.Least, p.Most = ends(m.Interval)
	return p
}

func newTrendChange(c change.Change) TrendChange {
	made := TrendChange{
		Entry: c.At, Earliest: c.Earliest, Latest: c.Latest, Verdict: repeats.Cheaper.String(), P: digits(c.P),
		Before: whole(c.Before), After: whole(c.After), Difference: whole(c.Difference),
	}
	if c.Costlier() {
		made.Verdict = repeats.Costlier.String()
	}
	made.Least, made.Most = ends(c.Interval)
	if c.Before > 0 {
		growth := digits(c.Difference / c.Before)
		made.Growth = &growth
	}
	return made
}

// whole rounds a figure of runs to an energy.
func whole(x float64) units.Energy { return units.Energy(math.Round(x)) }

// ends returns the ends of an interval. An infinite end is nil.
func ends(i repeats.Interval) (least, most *units.Energy) {
	if math.IsInf(i.Least, 0) || math.IsInf(i.Most, 0) {
		return nil, nil
	}
	from, to := whole(i.Least), whole(i.Most)
	return &from, &to
}

// SetNext sets the advice for the series with this index.
func (r *Trend) SetNext(series int, n *trend.Next) {
	if n.Between == [2]int{} {
		return
	}
	made := &TrendNext{After: n.Between[0], Before: n.Between[1], Unknown: n.Unknown, Repeats: []TrendRepeat{}}
	if b := n.Commits; b != nil {
		made.Commits, made.Middle, made.Steps = &b.Commits, b.Middle, b.Steps
	}
	for _, w := range n.Repeats {
		made.Repeats = append(made.Repeats, TrendRepeat{w.Point, w.Runs})
	}
	r.Series[series].Next = made
}

// Latest returns the last change of a series, nil if there is none.
func (s *TrendSeries) Latest() *TrendChange {
	if n := len(s.Changes); n > 0 {
		return &s.Changes[n-1]
	}
	return nil
}

// Peak returns the largest figure of all series.
func (r *Trend) Peak() units.Energy {
	peak := units.Energy(0)
	for i := range r.Series {
		_, most := r.Series[i].Range()
		peak = max(peak, most)
	}
	return peak
}

// Range returns the range of a chart's axis: that of the runs, extended by the intervals of the
// entries. Few runs have wide intervals, so each side grows by at most the range of the runs.
func (s *TrendSeries) Range() (least, most units.Energy) {
	var runs, ends []units.Energy
	for _, p := range s.Points {
		runs = append(runs, p.Runs...)
		if p.Least != nil && len(p.Runs) > 0 {
			ends = append(ends, *p.Least, *p.Most)
		}
	}
	if len(runs) == 0 {
		return 0, 0
	}
	least, most = slices.Min(runs), slices.Max(runs)
	room := most - least
	if room == 0 {
		room = most
	}
	from, to := max(least-room, 0), most+room
	for _, e := range ends {
		least, most = max(min(least, e), from), min(max(most, e), to)
	}
	return least, most
}

// WriteJSON writes the document as indented JSON, ended by a newline.
func (r *Trend) WriteJSON(w io.Writer) error { return writeJSON(w, r) }
