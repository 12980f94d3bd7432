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

// An AppGroup compares several apps by their common tasks (framework calls that several apps make).
type AppGroup struct {
	SchemaVersion int        `json:"schemaVersion"`
	Tool          Tool       `json:"tool"`
	Unit          string     `json:"unit"`
	EnergyFrom    []string   `json:"energyFrom"`
	Apps          []GroupApp `json:"apps"`
	// Pairs has each pair of apps once, sorted by the first app.
	Pairs []GroupPair `json:"pairs"`
	// Total counts the common tasks. Tasks has the first of them.
	Total int          `json:"total"`
	Tasks []CommonTask `json:"duties"`
	// Failures are the comparisons that failed.
	Failures []GroupFailure `json:"failures"`
	// Kept counts the comparisons that were not repeated, because their results were stored.
	Kept int `json:"kept"`
	// Spread describes how many runs each app has.
	Spread string `json:"spread"`
	// Notes are sentences about the apps and their recordings.
	Notes []Note `json:"notes"`
	// Flasks compares the call trees of a common task in two apps. Trees that AddFlasks did not
	// make are absent.
	Flasks map[Ranking]*Flask `json:"-"`

	Voltage units.Voltage `json:"-"`
}

// A GroupApp is an app of a group.
type GroupApp struct {
	Name string `json:"name"`
	// App and Version are from the user's list of apps. Both may be empty.
	App     string `json:"app"`
	Version string `json:"version"`
	// Path is the path of the first run in Runs.
	Path   string       `json:"path"`
	Runs   int          `json:"runs"`
	Energy units.Energy `json:"energyNJ"`
	Tasks  int          `json:"tasks"`
	// SharedTasks[k] counts the tasks that exactly k other apps also have. ExactShared[k] is the
	// same for tasks with an equal call path.
	SharedTasks []int `json:"with"`
	ExactShared []int `json:"exactWith"`
	// Unique is the energy of the tasks that no other app has. Share is its share of Energy.
	Unique units.Energy `json:"uniqueNJ"`
	Share  float64      `json:"uniqueShare"`
	// Others is the number of other apps with which the app was compared.
	Others int `json:"others"`
}

// A GroupPair describes how much two apps have in common. A and B are indices of the apps.
type GroupPair struct {
	A     int `json:"a"`
	B     int `json:"b"`
	Alpha int `json:"alpha"`
	// Methods is the share of called framework methods that both apps call. Tasks is the share of
	// tasks that are matched.
	Methods float64 `json:"methods"`
	Tasks   float64 `json:"tasks"`
	// OneApp is set if both recordings belong to the same app, judged by the code that ran.
	OneApp bool `json:"oneApp"`
	// Unlike are the codes of properties that make the recordings hard to compare, as in a Report.
	// Ranked is set if the apps are ranked anyway.
	Unlike []string `json:"unlike"`
	Ranked bool     `json:"ranked"`
}

// A CommonTask is a task that several apps have. Any two of these apps match in it.
type CommonTask struct {
	Method string `json:"method"`
	Short  string `json:"short"`
	// Under is the caller of the task in the first app of Users.
	Under string `json:"under"`
	// PerCall is set if the apps are sorted by energy per call instead of energy.
	PerCall bool `json:"perCall"`
	// Saving is the energy that the other apps would save if each used as little as the first.
	Saving units.Energy `json:"roomNJ"`
	// Users are sorted by energy, the smallest first.
	Users []GroupUse `json:"users"`
}

// Ranked joins one text per user, such as "A < B = C". The separator is " = " if two neighbors use
// the same energy, and otherwise the parameter less.
func (d *CommonTask) Ranked(texts []string, less string) string {
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
func (d *CommonTask) equal(a, b *GroupUse) bool {
	if !d.PerCall || a.Calls == nil || b.Calls == nil {
		return a.Energy == b.Energy
	}
	aHigh, aLow := bits.Mul64(uint64(a.Energy), uint64(*b.Calls))
	bHigh, bLow := bits.Mul64(uint64(b.Energy), uint64(*a.Calls))
	return aHigh == bHigh && aLow == bLow
}

// A GroupUse is the energy that an app uses for a task.
type GroupUse struct {
	App    int          `json:"app"`
	Energy units.Energy `json:"energyNJ"`
	// Calls is null if calls are not counted.
	Calls *int64 `json:"calls"`
	// Task is the task's identity in comparisons of the app.
	Task string `json:"task"`
	// Verdict compares the task with the first user's: "costlier", "cheaper" or "no evidence". It
	// is "no evidence" also if there are too few samples. It is empty for the first user, and if an
	// app has only one run.
	Verdict string `json:"verdict"`
}

// A GroupFailure is a comparison that failed, with the reason.
type GroupFailure struct {
	A       int    `json:"a"`
	B       int    `json:"b"`
	Message string `json:"message"`
}

// NewAppGroup makes the report of a group. Tasks has the first top common tasks, or all if top is
// 0.
func NewAppGroup(g *group.Group, version string, top int) *AppGroup {
	r := &AppGroup{
		SchemaVersion: SchemaVersion, Tool: Tool{Name: "diffprof", Version: version}, EnergyFrom: []string{},
		Pairs: []GroupPair{}, Tasks: []CommonTask{}, Failures: []GroupFailure{}, Kept: g.Kept, Voltage: g.Voltage(), Unit: "nJ", Notes: []Note{}, Spread: groupSpread(g),
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
			Name: m.Name, App: m.App, Version: m.Version, Path: m.Path(), Runs: len(m.Runs), Energy: a.Energy, Tasks: a.Tasks, SharedTasks: a.SharedTasks, ExactShared: a.ExactShared,
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
		made := CommonTask{Method: d.Label, Short: d.Short, Under: d.Under, PerCall: d.PerCall, Saving: d.Saving}
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
		r.Tasks = append(r.Tasks, made)
	}
	for _, f := range g.Failures {
		r.Failures = append(r.Failures, GroupFailure{A: f.A, B: f.B, Message: f.Err.Error()})
	}
	r.note(g)
	return r
}

// Pair returns the overlap of the apps a and b. ok is false if it is unknown.
func (g *AppGroup) Pair(a, b int) (p GroupPair, ok bool) {
	at, ok := slices.BinarySearchFunc(g.Pairs, [2]int{min(a, b), max(a, b)}, func(p GroupPair, pair [2]int) int {
		return cmp.Or(cmp.Compare(p.A, pair[0]), cmp.Compare(p.B, pair[1]))
	})
	if !ok {
		return GroupPair{}, false
	}
	return g.Pairs[at], true
}

// MaxEnergy returns the energy of the app that uses the most.
func (g *AppGroup) MaxEnergy() units.Energy {
	var most units.Energy
	for i := range g.Apps {
		most = max(most, g.Apps[i].Energy)
	}
	return most
}

// A Ranking identifies a comparison of one app with the first user of a common task. Task is an
// index of AppGroup.Tasks, and User an index of CommonTask.Users.
type Ranking struct{ Task, User int }

// Rankings lists all rankings of the group, in the order of Tasks.
func (g *AppGroup) Rankings() []Ranking {
	var list []Ranking
	for i := range g.Tasks {
		for k := 1; k < len(g.Tasks[i].Users); k++ {
			list = append(list, Ranking{i, k})
		}
	}
	return list
}

// AddFlasks compares the apps again to get the call trees of their first rankings. The parameter
// most limits the number of rankings, and rows limits the rows of each tree. If ctx is cancelled,
// it returns ctx's error.
func (g *AppGroup) AddFlasks(ctx context.Context, compared *group.Group, limit, rows int) error {
	wanted := g.Rankings()
	wanted = wanted[:min(len(wanted), limit)]
	var pairs [][2]int
	at := make(map[[2]int][]Ranking)
	for _, r := range wanted {
		users := g.Tasks[r.Task].Users
		p := [2]int{users[r.User].App, users[0].App}
		if at[p] == nil {
			pairs = append(pairs, p)
		}
		at[p] = append(at[p], r)
	}
	g.Flasks = make(map[Ranking]*Flask)
	return compared.Repeat(ctx, pairs, func(i int, result *analysis.Result) {
		set := finding.New(result)
		for _, r := range at[pairs[i]] {
			t, ok := set.Find(g.Tasks[r.Task].Users[r.User].Task)
			if ok && !t.Code && result.Tasks[t.Index].Found != eflask.Unmatched {
				g.Flasks[r] = NewFlask(set, result.Flask(t.Index, analysis.Prune{MaxRows: rows}))
			}
		}
	})
}

// UnitFor returns the unit for the group's energies. unit is the user's choice, or nil.
func (g *AppGroup) UnitFor(unit *units.Unit) *units.Unit {
	if g.Unit == UnknownUnit {
		plain := units.Plain
		return &plain
	}
	return unit
}

// Scale returns the scale of the group's energies for a renderer's options.
func (g *AppGroup) Scale(o Options) words.Scale {
	return words.ScaleFor(g.UnitFor(o.Unit), cmp.Or(o.Voltage, g.Voltage), g.MaxEnergy())
}

// WriteJSON writes the group as indented JSON, ended by a newline.
func (g *AppGroup) WriteJSON(w io.Writer) error { return writeJSON(w, g) }
