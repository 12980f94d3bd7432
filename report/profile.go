package report

import (
	"cmp"
	"io"
	"slices"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/code/platform"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/units"
)

// A Profile is the energy profile of one run, laid out as gprof does for time: a flat profile and a
// call graph. It adds components and their tails (eprof, Section 5.2).
//
// The energies of all rows without callees add up to the run's energy, if unlisted rows are
// counted. So do the energies of Components, and those of Threads. finding.MethodTable describes
// the laws of the other figures.
type Profile struct {
	SchemaVersion int   `json:"schemaVersion"`
	Tool          Tool  `json:"tool"`
	Input         Input `json:"input"`
	// By is what a row is: a "method", "class", "package", "library", "thread" or "process".
	By string `json:"by"`
	// Sort is the order of Rows: "self" or "all".
	Sort string `json:"sort"`
	// Counts is "calls" or "samples", as in a Report.
	Counts string `json:"counts"`
	// Clock is the clock of the times: "cpu" or "wall". It is empty if there are no times.
	Clock string `json:"clock"`
	// Battery is nil if the capacity of the battery or the unit of energy is unknown.
	Battery *Battery `json:"battery"`
	// Activities say how long a familiar use of the phone takes for the same energy.
	Activities []Activity `json:"activities,omitempty"`
	// APICosts is set if the run's energy comes from a table of API costs.
	APICosts *APIBill `json:"apiCosts,omitempty"`
	// BatteryUse is Android's own estimate for the whole phone, if the user gave one. No other
	// figure includes it.
	BatteryUse *BatteryUse `json:"batteryUse,omitempty"`
	// Components has the run's components, sorted by energy. It is empty if the run has no energy by
	// component.
	Components []Component `json:"components"`
	// Machines describe the power states of each component. It is empty without a power model.
	Machines []Machine `json:"machines"`
	// Rails is the measured power over time. It is missing without measurements.
	Rails []Rail `json:"rails,omitempty"`
	// Models compares several power models. It is missing if the user named only one.
	Models []ModelRun `json:"models,omitempty"`
	// IO is nil without Components, or if the run's energy comes from a table of API costs.
	IO *IO `json:"io"`
	// Threads and Libraries are further lists of the same energy, sorted by energy.
	Threads   []ProfileRow `json:"threads"`
	Libraries []ProfileRow `json:"libraries"`
	// Total counts the rows that ProfileOptions.Keep selects, and Rows has the first of them.
	// Filtered counts the others.
	Total    int          `json:"total"`
	Filtered int          `json:"filtered"`
	Rows     []ProfileRow `json:"rows"`
	// Graph has the callers and callees of the methods in Rows, sorted by energy with callees. It
	// is empty if rows are not methods. Cycles are the recursive cycles of the whole call graph.
	Graph  []GraphEntry `json:"graph"`
	Cycles []ProfileRow `json:"cycles"`
	// Bundles are active periods of components. It is nil unless requested and known.
	Bundles *Bundles `json:"bundles"`

	Warnings []Note `json:"warnings"`
	// Methods are the methods of Rows and Graph.
	Methods Methods `json:"methods"`
	// Voltage converts energy to charge.
	Voltage units.Voltage `json:"-"`
	// methods has the run's methods, whatever By is.
	methods *finding.MethodTable
}

// Empty reports whether the recording has no calls and no samples, so that all rows are 0. For
// example, a recording may have only the signals of a meter.
func (p *Profile) Empty() bool { return p.Input.Events == 0 && p.Input.Energy == 0 }

// A Battery is the share of a full battery that a run used.
type Battery struct {
	// Capacity is the battery's capacity in nanoampere-hours. Energy is this capacity converted to
	// energy at the battery's voltage.
	Capacity units.Charge `json:"capacityNAh"`
	Energy   units.Energy `json:"energyNJ"`
	// Share is the run's energy as a share of a full battery.
	Share float64 `json:"share"`
}

// A Machine describes the power states of a component in a run.
type Machine struct {
	Name string `json:"name"`
	// Operations counts the operations that calls asked the component to do.
	Operations int64 `json:"operations"`
	// States has the component's states except the base state, in the model's order.
	States []MachineState `json:"states"`
	// Range states how uncertain the component's energy is, given the power model. It is empty if
	// this is at most a tenth of the energy.
	Range string `json:"range,omitempty"`
}

// A ModelRun is the run under one of the power models that the user compares.
type ModelRun struct {
	Name   string       `json:"name"`
	Energy units.Energy `json:"energyNJ"`
	// Least and Most bound the energy, given the uncertainty of the model's figures.
	Least units.Energy `json:"leastNJ"`
	Most  units.Energy `json:"mostNJ"`
	// Components are sorted by energy.
	Components []Component `json:"components"`
	// Wasted is the most energy that the app could save.
	Wasted units.Energy `json:"wastedNJ"`
}

// newModels describes the run under each power model. It returns nil for a single model.
func newModels(in *analysis.Input) []ModelRun {
	if !in.Compared {
		return nil
	}
	var list []ModelRun
	for _, run := range append([]*analysis.Input{in}, in.OtherModels...) {
		m := ModelRun{Energy: run.Energy, Components: componentsOf(finding.NewLedger(run).Run())}
		if m.Components == nil {
			m.Components = []Component{}
		}
		if run.Model != nil {
			m.Name = run.Model.Name
		}
		all := finding.EnergyRange(run)
		m.Least, m.Most = all.Least, all.Most
		for _, w := range finding.Wastes(run) {
			m.Wasted += w.Saving.Most
		}
		list = append(list, m)
	}
	return list
}

// A MachineState is the time and energy that a component spent in one state.
type MachineState struct {
	Name string `json:"name"`
	// Kind is "ramp", "productive", "tail" or "on".
	Kind   string       `json:"kind"`
	Time   int64        `json:"timeNS"`
	Energy units.Energy `json:"energyNJ"`
}

// An IO is the energy used in components other than the processor (eprof, Table 5).
type IO struct {
	Energy units.Energy `json:"energyNJ"`
	Share  float64      `json:"share"`
	// Routines counts the methods that used such energy themselves. AllRoutines counts all methods
	// that ran.
	Routines    int `json:"routines"`
	AllRoutines int `json:"allRoutines"`
}

// A ProfileRow is a method, or a row of another kind: see Profile.By.
type ProfileRow struct {
	// Method is the method's label, or the name of a row of another kind.
	Method string `json:"method"`
	// Owner, Own and Library have the same meaning as in a TopRow.
	Owner   string `json:"owner"`
	Own     bool   `json:"own"`
	Library string `json:"library"`
	// Category is the purpose of the library, such as "ads" or "HTTP". It is empty if unknown.
	Category string `json:"category"`
	// Cycle is the number of the method's recursive cycle, or 0.
	Cycle int `json:"cycle"`
	ProfileUse
}

// A ProfileUse has the energy, time and calls of a row.
type ProfileUse struct {
	TopUse
	// The times are in nanoseconds, by Profile.Clock.
	ExclusiveTime int64 `json:"exclusiveTimeNS"`
	InclusiveTime int64 `json:"inclusiveTimeNS"`
	// ExclusiveBy and InclusiveBy are the energies by component, the largest first. They are empty
	// if the Profile has no Components.
	ExclusiveBy []Component `json:"exclusiveBy"`
	InclusiveBy []Component `json:"inclusiveBy"`
}

// A GraphEntry is a method with its callers and its callees, sorted by energy.
type GraphEntry struct {
	// Row is an index into Profile.Rows.
	Row     int         `json:"row"`
	Callers []GraphLink `json:"callers"`
	Callees []GraphLink `json:"callees"`
}

// A GraphLink is the energy of one method's calls of another. A recursive call is part of the outer
// call.
type GraphLink struct {
	// Method is the caller or callee of the entry's method.
	Method string `json:"method"`
	Cycle  int    `json:"cycle"`
	// Self is the energy of the called method. All includes its callees.
	Self units.Energy `json:"selfNJ"`
	All  units.Energy `json:"allNJ"`
	// Share is All divided by the energy of the entry's method, with callees.
	Share float64 `json:"share"`
	Time  int64   `json:"timeNS"`
	Counts
	// AllCalls counts the callee's calls from all methods, without recursive calls. It is nil
	// unless the run counts calls.
	AllCalls *int64      `json:"allCalls"`
	By       []Component `json:"by"`
}

// ProfileOptions select the contents of a Profile.
type ProfileOptions struct {
	// By is the kind of rows. Empty means finding.EachMethod.
	By finding.Grain
	// Sort is the order of rows: BySelf or ByAll. Empty means BySelf.
	Sort string
	// Rows is the number of rows to list. 0 means all rows.
	Rows int
	// Keep selects the rows to list. nil selects all rows.
	Keep func(*finding.MethodUse) bool
	// Battery is the capacity of a full battery, 0 if unknown. Voltage is its voltage.
	Battery units.Charge
	Voltage units.Voltage
	// Activities need only their fields Name and Hours.
	Activities []Activity
	// BatteryUse is Android's estimate, or nil.
	BatteryUse *analysis.BatteryUse
}

// NewProfile makes the profile of a run.
func NewProfile(in *analysis.Input, version string, o ProfileOptions) *Profile {
	o.By, o.Sort = cmp.Or(o.By, finding.EachMethod), cmp.Or(o.Sort, BySelf)
	p := &Profile{
		SchemaVersion: SchemaVersion, Tool: Tool{Name: "diffprof", Version: version}, Input: newInput(*in),
		By: string(o.By), Sort: o.Sort, Counts: words.Counts(in.Trace.Calls), Voltage: o.Voltage,
		Components: []Component{}, Machines: machines(in), Rails: newRails(in), Models: newModels(in), Rows: []ProfileRow{}, Graph: []GraphEntry{}, Cycles: []ProfileRow{},
		Warnings: notes(in.Trace.Warnings), Methods: Methods{},
	}
	methods := finding.ByMethod(in)
	m := &profileMaker{Profile: p, in: in, cycles: methods.Cycles()}
	p.Clock, p.methods = string(methods.Time[0]), methods
	p.Components = orEmpty(componentsOf(finding.NewLedger(in).Run()))
	if methods.Components != nil && in.APICosts == nil {
		io := methods.InputOutput()
		p.IO = &IO{io.Energy, units.Share(io.Energy, in.Energy), io.Routines, io.AllRoutines}
	}
	if full := o.Battery.Energy(o.Voltage); full > 0 && !in.Trace.Unstated {
		p.Battery = &Battery{o.Battery, full, units.Share(in.Energy, full)}
	} else if full = in.Battery; full > 0 && !in.Trace.Unstated {
		p.Battery = &Battery{full.Charge(o.Voltage), full, units.Share(in.Energy, full)}
	}
	if p.Battery != nil {
		p.Activities = newActivities(p.Battery.Share, o.Activities)
	}
	p.APICosts, p.BatteryUse = newAPIBill(in, p.Methods), newBatteryUse(o.BatteryUse)
	p.Bundles = NewBundles(in, p.Methods)
	p.Threads = m.list(finding.ByGrain(finding.EachThread, in), bySelf)
	p.Libraries = m.list(finding.ByGrain(finding.EachLibrary, in), byAll)
	table := methods
	if o.By != finding.EachMethod {
		table = finding.ByGrain(o.By, in)
	}
	m.flat(table, o)
	if o.By == finding.EachMethod {
		m.graph(table)
	}
	return p
}

// WriteJSON writes the profile as indented JSON, ended by a newline.
func (p *Profile) WriteJSON(w io.Writer) error { return writeJSON(w, p) }

// Called returns Libraries without the row for energy outside of all methods.
func (p *Profile) Called() []ProfileRow {
	return slices.DeleteFunc(slices.Clone(p.Libraries), func(row ProfileRow) bool { return row.Method == cct.RootLabel })
}

// Unlisted describes the rows that are not listed: their number and energy. It returns "" if there
// are none.
func (p *Profile) Unlisted(scale words.Scale) string {
	hidden := p.Total - len(p.Rows)
	if hidden+p.Filtered == 0 {
		return ""
	}
	rest := p.Input.Energy
	for _, row := range p.Rows {
		rest -= row.Exclusive
	}
	return words.TopUnlisted(words.RowNoun(p.By), hidden, p.Filtered, scale.Energy(rest))
}

// profileMaker makes a Profile of a run.
type profileMaker struct {
	*Profile
	in     *analysis.Input
	cycles []int
	// listed has the row in the table of methods for each of Rows.
	listed []int
}

// bySelf and byAll are sort keys: the energy without and with callees.
func bySelf(u *finding.Use) units.Energy { return u.Self }
func byAll(u *finding.Use) units.Energy  { return u.All }

// order sorts the rows of a table by energy, the largest first. The function keep selects the rows.
func order(table *finding.MethodTable, energyOf func(*finding.Use) units.Energy, keep func(*finding.MethodUse) bool) []int {
	var rows []int
	for i := range table.Methods {
		if keep == nil || keep(&table.Methods[i]) {
			rows = append(rows, i)
		}
	}
	slices.SortStableFunc(rows, func(a, b int) int {
		x, y := &table.Methods[a].Runs[0], &table.Methods[b].Runs[0]
		return cmp.Or(cmp.Compare(energyOf(y), energyOf(x)), cmp.Compare(y.All, x.All))
	})
	return rows
}

// list returns the table's rows that ran or used energy.
func (m *profileMaker) list(table *finding.MethodTable, energyOf func(*finding.Use) units.Energy) []ProfileRow {
	rows := []ProfileRow{}
	for _, i := range order(table, energyOf, nil) {
		if u := &table.Methods[i].Runs[0]; u.All != 0 || u.AllTime != 0 {
			rows = append(rows, m.row(table, i))
		}
	}
	return rows
}

// flat makes the flat profile.
func (m *profileMaker) flat(table *finding.MethodTable, o ProfileOptions) {
	by := bySelf
	if o.Sort == ByAll {
		by = byAll
	}
	rows := order(table, by, o.Keep)
	m.Total, m.Filtered = len(rows), len(table.Methods)-len(rows)
	if o.Rows > 0 {
		rows = rows[:min(o.Rows, len(rows))]
	}
	m.listed = rows
	for _, i := range rows {
		row := m.row(table, i)
		if o.By == finding.EachMethod || o.By == finding.EachLine || o.By == finding.EachCall {
			m.Methods.add(table.Methods[i].Method)
		}
		if o.By == finding.EachMethod {
			row.Cycle = m.cycles[i]
		}
		m.Rows = append(m.Rows, row)
	}
}

// row makes a ProfileRow of a table's row.
func (m *profileMaker) row(table *finding.MethodTable, i int) ProfileRow {
	u := &table.Methods[i]
	return ProfileRow{
		Method: u.Method.Label(), Owner: ownerName[u.Owner], Own: u.Own, Library: u.Library,
		Category: platform.Category(u.Library), ProfileUse: m.use(table, &u.Runs[0]),
	}
}

func (m *profileMaker) use(table *finding.MethodTable, u *finding.Use) ProfileUse {
	return ProfileUse{
		TopUse: TopUse{
			Exclusive: u.Self, ExclusiveShare: units.Share(u.Self, m.in.Energy),
			Inclusive: u.All, InclusiveShare: units.Share(u.All, m.in.Energy),
			Counts: counts(m.in.Trace.Calls, u.Calls), Recursive: recursiveCalls(m.in.Trace.Calls, u.Recursive),
		},
		ExclusiveTime: int64(u.SelfTime), InclusiveTime: int64(u.AllTime),
		ExclusiveBy: orEmpty(componentsOf(table.ByComponent(u.Self, u.SelfBy))), InclusiveBy: orEmpty(componentsOf(table.ByComponent(u.All, u.AllBy))),
	}
}

// graph makes the call graph of the listed methods, and the cycles.
func (m *profileMaker) graph(table *finding.MethodTable) {
	entries := make(map[int]*GraphEntry, len(m.listed))
	m.Graph = make([]GraphEntry, len(m.listed))
	for at, i := range m.listed {
		m.Graph[at] = GraphEntry{Row: at, Callers: []GraphLink{}, Callees: []GraphLink{}}
		entries[i] = &m.Graph[at]
	}
	for i := range table.Links {
		l := &table.Links[i]
		if e := entries[l.Callee]; e != nil {
			e.Callers = append(e.Callers, m.link(table, l, l.Caller, l.Callee))
		}
		if e := entries[l.Caller]; e != nil {
			e.Callees = append(e.Callees, m.link(table, l, l.Callee, l.Caller))
		}
	}
	most := func(a, b GraphLink) int { return cmp.Compare(b.All, a.All) }
	for i := range m.Graph {
		slices.SortStableFunc(m.Graph[i].Callers, most)
		slices.SortStableFunc(m.Graph[i].Callees, most)
	}
	slices.SortStableFunc(m.Graph, func(a, b GraphEntry) int {
		return cmp.Compare(m.Rows[b.Row].Inclusive, m.Rows[a.Row].Inclusive)
	})
	for i, use := range table.CycleUses(m.in, m.cycles) {
		m.Cycles = append(m.Cycles, ProfileRow{Method: words.Cycle(i + 1), Cycle: i + 1, ProfileUse: m.use(table, &use)})
	}
}

// link makes the link between an entry's method and another method.
func (m *profileMaker) link(table *finding.MethodTable, l *finding.Link, other, entry int) GraphLink {
	u, callee := &l.Runs[0], &table.Methods[l.Callee].Runs[0]
	m.Methods.add(table.Methods[other].Method)
	return GraphLink{
		Method: table.Methods[other].Method.Label(), Cycle: m.cycles[other], Self: u.Self, All: u.All,
		Share: units.Share(u.All, table.Methods[entry].Runs[0].All), Time: int64(u.AllTime),
		Counts: counts(m.in.Trace.Calls, u.Calls), AllCalls: recursiveCalls(m.in.Trace.Calls, callee.Calls-callee.Recursive), By: orEmpty(componentsOf(table.ByComponent(u.All, u.AllBy))),
	}
}

// orEmpty replaces nil by an empty list.
func orEmpty[E any](list []E) []E {
	if list == nil {
		return []E{}
	}
	return list
}

// machines describes the components that changed their power state.
func machines(in *analysis.Input) []Machine {
	list := []Machine{}
	_, spreads := finding.Spreads(in)
	for _, c := range in.Components {
		m := Machine{Name: c.Name, Operations: c.Operations, States: []MachineState{}}
		for _, s := range c.States {
			if s.Time != 0 || s.Energy != 0 {
				m.States = append(m.States, MachineState{s.Name, s.Kind.String(), int64(s.Time), s.Energy})
			}
		}
		for i := range spreads {
			if spreads[i].Name == c.Name {
				m.Range = words.SpreadOf(&spreads[i])
			}
		}
		if m.Operations > 0 || len(m.States) > 0 {
			list = append(list, m)
		}
	}
	return list
}
