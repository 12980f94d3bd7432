package report

import (
	"cmp"
	"context"
	"io"
	"math/bits"
	"slices"
	"strings"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/eflask"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/group"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// An AppGroup is what the apps of a group have in common.
type AppGroup struct {
	SchemaVersion int        `json:"schemaVersion"`
	Tool          Tool       `json:"tool"`
	Unit          string     `json:"unit"`
	EnergyFrom    []string   `json:"energyFrom"`
	Apps          []GroupApp `json:"apps"`
	// Pairs has each two apps once, those of the first app first.
	Pairs []GroupPair `json:"pairs"`
	// Total counts the methods of Duties before the list was cut.
	Total  int         `json:"total"`
	Duties []GroupDuty `json:"duties"`
	// Failures are the comparisons that could not be made.
	Failures []GroupFailure `json:"failures"`
	// Kept counts the comparisons that were not made again.
	Kept int `json:"kept"`
	// Spread says how many runs per app the figures come from.
	Spread string `json:"spread"`
	// Notes say what is to be known of the apps and their recordings.
	Notes []Note `json:"notes"`
	// Flasks compares the call trees of users of Duties with the tree of the first user. Flasks
	// that were not requested or could not be made are absent: see AddFlasks.
	Flasks map[Ranking]*Flask `json:"-"`

	Voltage units.Voltage `json:"-"`
}

// A GroupApp is an app of a group.
type GroupApp struct {
	Name string `json:"name"`
	// App is the app that Version is of, as the list says; both may be empty.
	App     string `json:"app"`
	Version string `json:"version"`
	// Path is the path of the first of Runs.
	Path   string       `json:"path"`
	Runs   int          `json:"runs"`
	Energy units.Energy `json:"energyNJ"`
	Tasks  int          `json:"tasks"`
	// With[k] counts the tasks that k of the other apps do, too, ExactWith those that k do
	// by an equal call path.
	With      []int `json:"with"`
	ExactWith []int `json:"exactWith"`
	// Unique is what the tasks drained that no other app does, Share its part of Energy.
	Unique units.Energy `json:"uniqueNJ"`
	Share  float64      `json:"uniqueShare"`
	// Others is how many others it was compared with.
	Others int `json:"others"`
}

// A GroupPair is what two apps have in common. A and B are indices of the apps.
type GroupPair struct {
	A     int `json:"a"`
	B     int `json:"b"`
	Alpha int `json:"alpha"`
	// Methods is the share of their framework methods that both apps call. Tasks is the share of
	// their tasks that are matched.
	Methods float64 `json:"methods"`
	Tasks   float64 `json:"tasks"`
	// OneApp reports whether both recordings have the same app, judged by the code that ran.
	OneApp bool `json:"oneApp"`
	// Unlike has the codes of differences that make their recordings hard to compare, the same as
	// in a Report. Ranked reports whether they are ranked anyway.
	Unlike []string `json:"unlike"`
	Ranked bool     `json:"ranked"`
}

// A GroupDuty is a task that several apps do: every two of theirs are counterparts.
type GroupDuty struct {
	Method string `json:"method"`
	Short  string `json:"short"`
	// Under is what calls it in the first of Users.
	Under string `json:"under"`
	// PerCall says whether the apps are in the order of energy a call, else of energy.
	PerCall bool `json:"perCall"`
	// Room is what the others would save if each spent what the first does.
	Room units.Energy `json:"roomNJ"`
	// Users are those that spend least first.
	Users []GroupUse `json:"users"`
}

// Ranked joins a text for each of Users by " = " where the amounts that they are ranked by are equal, and
// by less otherwise, such as " < ".
func (d *GroupDuty) Ranked(texts []string, less string) string {
	var b strings.Builder
	for i, text := range texts {
		if i > 0 && d.equal(&d.Users[i-1], &d.Users[i]) {
			b.WriteString(" = ")
		} else if i > 0 {
			b.WriteString(less)
		}
		b.WriteString(text)
	}
	return b.String()
}

// equal reports whether two users use the same energy, per call if PerCall is set.
func (d *GroupDuty) equal(a, b *GroupUse) bool {
	if !d.PerCall || a.Calls == nil || b.Calls == nil {
		return a.Energy == b.Energy
	}
	aHigh, aLow := bits.Mul64(uint64(a.Energy), uint64(*b.Calls))
	bHigh, bLow := bits.Mul64(uint64(b.Energy), uint64(*a.Calls))
	return aHigh == bHigh && aLow == bLow
}

// A GroupUse is what an app spends on a task.
type GroupUse struct {
	App    int          `json:"app"`
	Energy units.Energy `json:"energyNJ"`
	// Calls is null where calls are not counted.
	Calls *int64 `json:"calls"`
	// Task is the task's identity in comparisons of the app.
	Task string `json:"task"`
	// Verdict is what the runs show of it against the first user's: "costlier", "cheaper" or
	// "no evidence", which is also that samples showed it too rarely to tell; empty for the first
	// user, and where an app has one run.
	Verdict string `json:"verdict"`
}

// A GroupFailure is a comparison that could not be made, and why.
type GroupFailure struct {
	A       int    `json:"a"`
	B       int    `json:"b"`
	Message string `json:"message"`
}

// NewAppGroup makes a report of a group with its first top duties, 0 is all.
func NewAppGroup(g *group.Group, version string, top int) *AppGroup {
	r := &AppGroup{
		SchemaVersion: SchemaVersion, Tool: Tool{Name: "diffprof", Version: version}, EnergyFrom: []string{},
		Pairs: []GroupPair{}, Duties: []GroupDuty{}, Failures: []GroupFailure{}, Kept: g.Kept, Voltage: g.Voltage(), Unit: "nJ", Notes: []Note{}, Spread: groupSpread(g),
	}
	if g.Unstated() {
		r.Unit = UnknownUnit
	}
	for _, from := range g.Provenances() {
		r.EnergyFrom = append(r.EnergyFrom, words.Provenance(&trace.Trace{Energy: from, Unstated: g.Unstated()}))
	}
	for _, a := range g.Apps() {
		m := g.Members[a.Member]
		r.Apps = append(r.Apps, GroupApp{
			Name: m.Name, App: m.App, Version: m.Version, Path: m.Path(), Runs: len(m.Runs), Energy: a.Energy, Tasks: a.Tasks, With: a.With, ExactWith: a.Exact,
			Unique: a.Unique, Share: units.Share(a.Unique, a.Energy), Others: a.Others,
		})
	}
	for i := range g.Members {
		for j := i + 1; j < len(g.Members); j++ {
			if o, ok := g.Overlap(i, j); ok {
				r.Pairs = append(r.Pairs, GroupPair{
					A: i, B: j, Alpha: o.Alpha, Methods: o.Methods, Tasks: o.Tasks, OneApp: o.OneApp, Unlike: append([]string{}, o.Unlike...), Ranked: o.Ranked,
				})
			}
		}
	}
	duties := g.CommonTasks()
	r.Total = len(duties)
	if top > 0 && len(duties) > top {
		duties = duties[:top]
	}
	named := make(map[string]map[string]bool)
	for _, d := range duties {
		if named[d.Short] == nil {
			named[d.Short] = make(map[string]bool)
		}
		named[d.Short][d.Label] = true
	}
	for _, d := range duties {
		made := GroupDuty{Method: d.Label, Short: d.Short, Under: d.Under, PerCall: d.PerCall, Room: d.Saving}
		if len(named[d.Short]) > 1 {
			made.Short = d.Label
		}
		for _, u := range d.Users {
			use := GroupUse{App: u.Member, Energy: u.Energy, Task: u.Task, Verdict: u.Verdict}
			if u.Counted {
				use.Calls = &u.Calls
			}
			made.Users = append(made.Users, use)
		}
		r.Duties = append(r.Duties, made)
	}
	for _, f := range g.Failures {
		r.Failures = append(r.Failures, GroupFailure{A: f.A, B: f.B, Message: f.Err.Error()})
	}
	r.note(g)
	return r
}

// Pair returns what apps a and b have in common; ok is false where that is not known.
func (g *AppGroup) Pair(a, b int) (p GroupPair, ok bool) {
	at, ok := slices.BinarySearchFunc(g.Pairs, [2]int{min(a, b), max(a, b)}, func(p GroupPair, of [2]int) int {
		return cmp.Or(cmp.Compare(p.A, of[0]), cmp.Compare(p.B, of[1]))
	})
	if !ok {
		return GroupPair{}, false
	}
	return g.Pairs[at], true
}

// Most is what the app drained that drained most.
func (g *AppGroup) Most() units.Energy {
	var most units.Energy
	for i := range g.Apps {
		most = max(most, g.Apps[i].Energy)
	}
	return most
}

// A Ranking is a user of a duty and the first user, both by index.
type Ranking struct{ Duty, User int }

// Rankings lists all rankings of the group, those of the first duties first.
func (g *AppGroup) Rankings() []Ranking {
	var list []Ranking
	for i := range g.Duties {
		for k := 1; k < len(g.Duties[i].Users); k++ {
			list = append(list, Ranking{i, k})
		}
	}
	return list
}

// AddFlasks compares apps again for the call trees of the first rankings, with a limited number of
// rows each. It fails once ctx is cancelled, with its error.
func (g *AppGroup) AddFlasks(ctx context.Context, of *group.Group, most, rows int) error {
	wanted := g.Rankings()
	wanted = wanted[:min(len(wanted), most)]
	var pairs [][2]int
	at := make(map[[2]int][]Ranking)
	for _, r := range wanted {
		users := g.Duties[r.Duty].Users
		p := [2]int{users[r.User].App, users[0].App}
		if at[p] == nil {
			pairs = append(pairs, p)
		}
		at[p] = append(at[p], r)
	}
	g.Flasks = make(map[Ranking]*Flask)
	return of.Again(ctx, pairs, func(i int, result *analysis.Result) {
		set := finding.New(result)
		for _, r := range at[pairs[i]] {
			t, ok := set.Find(g.Duties[r.Duty].Users[r.User].Task)
			if ok && !t.Code && result.Tasks[t.Index].Found != eflask.Unmatched {
				g.Flasks[r] = NewFlask(set, result.Flask(t.Index, analysis.Prune{MaxRows: rows}))
			}
		}
	})
}

// Asked is the unit to show the group's energies in, where one was asked for, which may be nil.
func (g *AppGroup) Asked(unit *units.Unit) *units.Unit {
	if g.Unit == UnknownUnit {
		plain := units.Plain
		return &plain
	}
	return unit
}

// Scale is how to show the group's energies by a renderer's options.
func (g *AppGroup) Scale(o Options) words.Scale {
	return words.In(g.Asked(o.Unit), cmp.Or(o.Voltage, g.Voltage), g.Most())
}

// WriteJSON writes the group as indented JSON, ended by a newline.
func (g *AppGroup) WriteJSON(w io.Writer) error { return writeJSON(w, g) }
