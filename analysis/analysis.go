// Package analysis runs a whole comparison: it is what the command line and the
// language server call. It opens files, hands them from stage to stage and
// decides nothing that a stage could.
//
//	ingest ─▶ energy ─▶ cct ─▶ preprocess ─▶ eflask ─▶ Result
//
// The two inputs are read at the same time. All functions may be called
// concurrently. Errors name the file they are about.
package analysis

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/diffprof/diffprof/appcode"
	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/code/classes"
	"github.com/diffprof/diffprof/code/name"
	"github.com/diffprof/diffprof/code/source"
	"github.com/diffprof/diffprof/eflask"
	"github.com/diffprof/diffprof/energy"
	"github.com/diffprof/diffprof/energy/machine"
	"github.com/diffprof/diffprof/energy/model"
	"github.com/diffprof/diffprof/ingest"
	"github.com/diffprof/diffprof/ingest/beside"
	"github.com/diffprof/diffprof/preprocess"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// Rules that choose α, up to MaxAutoAlpha.
const (
	// AutoAlpha asks for the smallest α after which the next one finds sure
	// counterparts for less than another hundredth of the subject's tasks.
	// docs/matching.md compares it with other rules.
	AutoAlpha = -1
	// PaperAlpha asks for the paper's dynamic α: the smallest one at which the
	// matching pairs a fifth of the subject's tasks (DiffProf, Section 5.1).
	PaperAlpha = -2
)

// MaxAutoAlpha is the largest α that a rule chooses.
const MaxAutoAlpha = 5

// What the rules ask for, as shares of the subject's tasks.
const (
	autoAlphaGain   = 0.01
	paperAlphaShare = 0.20
)

// A Side names the recordings of one side of a comparison. The zero value of a field is
// its default.
type Side struct {
	// Path is that of a recording, or ingest.Stdin. A pattern such as new/*.trace, or a
	// folder of repeated runs, is several. Repeats are recordings of further runs, or patterns
	// or folders. A side with several runs is their mean.
	Path    string
	Repeats []string
	// Mapping is an R8 or ProGuard mapping file.
	Mapping string
	// Flows is a sidecar file of hand-overs; by default FILE.flows is read where it exists.
	Flows string
	// Process is the process to read; empty is Ingest.Process.
	Process string
	// With are recordings of what was measured during the run.
	With []string
}

// Options say what to compare and how. The zero value of a field is its default
// unless stated otherwise. Options of a stage stand in the stage's own struct: what
// is added there needs nothing here.
type Options struct {
	Subject, Reference Side
	// Align says how the recordings of Side.With lie along their runs.
	Align beside.Alignment
	// Ingest says how both recordings are read. Its Flows, Voltage and Progress
	// are not looked at: they follow from the fields of Options.
	Ingest ingest.Options
	// PowerProfile is Android's power_profile.xml; empty is the generic one.
	PowerProfile string
	// PowerModel is the model by which components are charged: the name of a ready one (see
	// model.ReadyNames) or a file. Empty charges the processor alone. Policy says whose the
	// energy is that components drain while nobody uses them.
	PowerModel string
	Policy     machine.Policy
	// Bundles asks for Input.Bundles, which takes another scan.
	Bundles bool
	// Triggers is a file of methods that ask something of components, on top of the built-in
	// table.
	Triggers string
	// Fleet is the file of a fleet whose claim on FleetApp, or on the app that the subject is of,
	// is held to the comparison. Who shows the comparison opens it.
	Fleet, FleetApp string
	// SettingsFile names the file that options come from, for reports; empty if there
	// is none. It is not opened.
	SettingsFile string
	// Voltage is the battery's; 0 is units.DefaultVoltage.
	Voltage units.Voltage
	// Merge lists the steps of preprocessing; nil is all of them.
	Merge *preprocess.Steps
	// AppPackages and FrameworkPackages override the built-in tables, and
	// OwnPackages says which packages of the app are its own: see platform.Rules.
	AppPackages, FrameworkPackages, OwnPackages []string
	// Classpath are jars, class files, dex files, APKs or folders of them.
	Classpath []string
	// Sources are folders of the app's Java and Kotlin sources. Classes are those of
	// sources that the caller has read itself. Their packages are the app's own.
	Sources []string
	Classes []classes.Class
	// Manifests are the app's APKs, AndroidManifest.xml or build.gradle files. Packages
	// that they name are the app's own.
	Manifests []string
	// Noise is the relative standard deviation of what one run drains, in all and in a row,
	// where a side has one run; 0 is what is measured and assumed: see Chance.
	Noise float64
	// Matters is the smallest difference of the totals that matters, as a share of the
	// reference; 0 is the default.
	Matters float64
	// Normalize says how to scale the reference's energies.
	Normalize Normalization
	// Alpha is α, AutoAlpha or PaperAlpha. The zero value is α = 0.
	Alpha int
	// Matching bounds the work of the matching. Its MaxPairs and Progress are not
	// looked at: they follow from the fields of Options.
	Matching eflask.Options
	// MaxMemory bounds the memory for trees and matchings, in bytes; 0 is three
	// quarters of what is free when the reading begins, negative is no bound. What
	// would pass it ends with an error that says what would fit.
	MaxMemory int64
	// Coverage asks for Result.Coverage at each α up to MaxAutoAlpha, which takes
	// as many more matchings.
	Coverage bool
	// Keep has the runs whose names begin with KeptPrefix; nil is none.
	Keep Keep
	// Progress is told how far a stage is, "reading" in bytes or "matching" in
	// contexts; may be nil. Calls do not overlap. total is 0 where it is not
	// known.
	Progress func(stage string, done, total int64)
}

// Files returns the paths of all files that the options name, each once.
func (o *Options) Files() []string {
	var files []string
	named := *o
	if named.expand(context.Background()) == nil {
		o = &named
	}
	powerModel := o.PowerModel
	if model.IsReady(powerModel) {
		powerModel = ""
	}
	s, r := &o.Subject, &o.Reference
	for _, path := range slices.Concat(
		[]string{s.Path, r.Path, s.Mapping, r.Mapping, s.Flows, r.Flows, o.PowerProfile, powerModel, o.Triggers, o.Fleet},
		s.Repeats, r.Repeats, o.Classpath, o.Manifests, s.With, r.With,
	) {
		if path != "" && !InKeep(path) && !slices.Contains(files, path) {
			files = append(files, path)
		}
	}
	return files
}

// An Input is one recording, read and preprocessed, or the mean of several.
type Input struct {
	// Path is that of the recording. Of several it is that of their folder, unless the other
	// input has the same, and else that of the first.
	Path string
	// Runs are those of several, nil of one. The figures are those of their mean; Size and
	// the counts of Trace add them up.
	Runs []Run
	// Trace is what the file says beside its events.
	Trace *trace.Trace
	// Tree is the tree after preprocessing; Tree.Source the one before.
	Tree *preprocess.Tree
	// Own is the app's own code. Libraries names the group of libraries of each method of
	// Tree.Source, empty for none: see platform.Platform.
	Own       OwnCode
	Libraries []string
	// Energy is the root's inclusive energy.
	Energy units.Energy
	// Scale is what the energies were multiplied by, nil for those of the recording.
	Scale *Scale
	// CPU is the processor time over all threads.
	CPU time.Duration
	// PowerSource says for people where the power came from that times were
	// turned into energy with; empty if the input stated its energy itself.
	PowerSource string
	// Components are what the other components drained, in the order of the power model, and
	// Model says by what they were charged; nil if only the processor was.
	Components []energy.Component
	Model      *PowerModel
	// Bundles are the components' stays away from their base states; nil if nobody asked, or
	// only the processor was charged.
	Bundles *Bundles
	// Battery is what a full battery holds by the power model, or else by the power profile; 0
	// is unknown.
	Battery units.Energy
	// Size is how many bytes the file has as it is stored, Compression names how it
	// is compressed, the outermost layer first.
	Size        int64
	Compression []string
	// Tracks are what the recording's signals say of the parts of the device.
	Tracks []energy.Track
	// Rails say how that agrees with what is charged; nil if nothing rests on it.
	Rails *Rails
	// Beside says how the recordings lie that were given with it.
	Beside []beside.Place
	// Mapping is the mapping file that named the methods; nil if there is none.
	Mapping *Renaming
	// Rules are those of the preprocessing.
	Rules Rules
	// indexes know the app's sources, of Options.Sources.
	indexes []*source.Index
}

// Rules say by what the methods of an input were told apart and merged, as Options has
// it.
type Rules struct {
	// SettingsFile is as Options has it.
	SettingsFile string
	Steps        preprocess.Steps
	// The rest is as it was given.
	AppPackages, FrameworkPackages, OwnPackages, Manifests, Sources []string
}

// A Renaming is what a mapping file did to the methods of a recording.
type Renaming struct {
	// Path is the file's.
	Path string
	// Renamed counts the methods that the file gives another name, Methods all that
	// have a class.
	Renamed, Methods int
}

// A Result is a finished comparison.
type Result struct {
	Subject, Reference Input
	// AlphaRequested is Options.Alpha.
	AlphaRequested int
	Matching       *eflask.Matching
	// pairs are those of Matching that flasks are aligned by.
	pairs []eflask.Pair
	// Coverage is what the matchings cover that were made on the way to Matching,
	// which is one of them, or because Options.Coverage asked for them; by α. An
	// α that takes more than Options.MaxMemory is not there.
	Coverage []eflask.Coverage
	// Tasks are the subject's, most room for saving first.
	Tasks []eflask.Task
	// Shifts are the calls that the two runs make in different tasks. The tasks' savings allow
	// for them.
	Shifts []eflask.Shift
	// AppCode is what the app's own code drains in the two runs.
	AppCode *appcode.Comparison
	// Repeats is what repeated runs show of them, nil where either side has one run: their
	// savings are then points without evidence of spread.
	Repeats *Repeats
	// Chance tells which differences may be chance, whatever the number of runs.
	Chance *Chance
	// Matters is the smallest difference of the totals that matters, as a share of the
	// reference: Options.Matters or its default.
	Matters float64
	// Summary and ReferenceSummary say where the energy of each run went.
	Summary, ReferenceSummary Summary
	// SameContent is set where both sides are the same recordings, or copies of them in any order,
	// that are read in the same way. It is not set for pipes and folders.
	SameContent bool
	// Comparability names what makes the inputs unlike.
	Comparability []trace.Warning
	Warnings      []trace.Warning
	Voltage       units.Voltage
}

// Unit returns the unit to show the result's energies in: the one asked for, which may be
// nil, or units.Plain if one of the recordings does not state its own.
func (r *Result) Unit(asked *units.Unit) *units.Unit {
	return r.Subject.Unit(r.Reference.Unit(asked))
}

// Unit returns the unit to show the input's energies in, as that of a Result.
func (in *Input) Unit(asked *units.Unit) *units.Unit {
	if in.Trace.Unstated {
		plain := units.Plain
		return &plain
	}
	return asked
}

// Compare reads both inputs, matches them and ranks the subject's tasks. It stops
// soon after ctx is cancelled, with ctx's error.
func Compare(ctx context.Context, o Options) (*Result, error) {
	if err := o.expand(ctx); err != nil {
		return nil, err
	}
	s, err := newSetup(ctx, o)
	if err != nil {
		return nil, err
	}
	r, err := s.open(ctx)
	if err != nil {
		return nil, err
	}
	return s.compare(ctx, r)
}

// Runs is Compare without the comparison: the result has neither tasks nor a matching.
func Runs(ctx context.Context, o Options) (*Result, error) {
	if err := o.expand(ctx); err != nil {
		return nil, err
	}
	s, err := newSetup(ctx, o)
	if err != nil {
		return nil, err
	}
	return s.open(ctx)
}

// open reads and preprocesses both inputs.
func (s *setup) open(ctx context.Context) (*Result, error) {
	sides := s.options.sides()
	runs, err := s.read(ctx, sides)
	if err != nil {
		return nil, err
	}
	for i, of := range runs {
		for _, run := range of {
			if run.in.signalsAlone() {
				return nil, fmt.Errorf("%s has signals and no calls: give it with --with-%s, beside a recording of calls or stacks", run.in.Path, sides[i].name)
			}
		}
	}
	if err := s.normalize(runs); err != nil {
		return nil, err
	}
	inputs, trees := make([]*Input, len(sides)), make([]*cct.Tree, len(sides))
	for i := range sides {
		if inputs[i], trees[i], err = join(sides[i], runs[i]); err != nil {
			return nil, err
		}
	}
	folders(inputs...)
	different := unlike(inputs[0].Trace, inputs[1].Trace)
	if w := overloads(trees[0], trees[1], inputs[0].Trace, inputs[1].Trace, s.preprocess.Steps.Detail); w != nil {
		different = append(different, *w)
	}
	different = append(different, otherPower(inputs)...)
	r := s.prepare(inputs, trees)
	r.Comparability = different
	r.compareFiles(ctx, s)
	r.Comparability = append(r.Comparability, scaled(inputs)...)
	for i, in := range inputs {
		for _, w := range in.Trace.Warnings {
			r.Warnings = append(r.Warnings, trace.Warning{Code: w.Code, Message: sides[i].name + ": " + w.Message})
		}
	}
	return r, nil
}

// Trees is Compare for trees that exist already: it opens none of the recordings that
// o names. The result's inputs have empty Traces.
func Trees(ctx context.Context, subject, reference *cct.Tree, o Options) (*Result, error) {
	s, err := newSetup(ctx, o)
	if err != nil {
		return nil, err
	}
	trees := []*cct.Tree{subject, reference}
	inputs := make([]*Input, len(trees))
	for i, t := range trees {
		inputs[i] = &Input{Trace: &trace.Trace{}, Energy: t.Energy.Total(), CPU: t.CPU.Total()}
	}
	return s.compare(ctx, s.prepare(inputs, trees))
}

// prepare preprocesses the trees of the two inputs.
func (s *setup) prepare(inputs []*Input, trees []*cct.Tree) *Result {
	s.running(trees...)
	inputs[0].Tree, inputs[1].Tree = preprocess.Pair(trees[0], trees[1], s.preprocess)
	for i, in := range inputs {
		in.Rules, in.indexes = s.rules(), s.indexes
		s.tell(in, i)
	}
	return &Result{
		Subject: *inputs[0], Reference: *inputs[1], AlphaRequested: s.options.Alpha, Voltage: s.options.Voltage,
		Warnings: append(slices.Clone(s.warnings), s.unfit(inputs...)...),
	}
}

// compare matches the two inputs of a result, ranks the subject's tasks and returns the
// result.
func (s *setup) compare(ctx context.Context, r *Result) (*Result, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := s.match(ctx, r); err != nil {
		return nil, err
	}
	if o := s.options.Alpha; o > MaxAutoAlpha {
		r.Warnings = append(r.Warnings, trace.Warning{Code: "loose-alpha", Message: fmt.Sprintf(
			"α = %d lets call paths of a pair differ by %[1]d steps: beyond %d steps they are seldom those of one task", o, MaxAutoAlpha)})
	}
	r.unsplit()
	r.AppCode = appcode.Compare(r.Subject.Tree, r.Reference.Tree, r.Tasks, r.own())
	r.Summary, r.ReferenceSummary = summaries(r.Subject.Tree, r.Reference.Tree, r.Tasks, r.AppCode)
	r.judge(&s.options)
	r.first()
	if s := &r.Summary; s.LittleInCommon() {
		r.Comparability = append(r.Comparability, trace.Warning{Code: "little-in-common", Message: fmt.Sprintf(
			"these runs have little in common: %.1f%% of the energy of tasks and app code is in what both do (%d of %s have a counterpart), and most is only here",
			100*s.Common, s.Matched, count(int64(s.Tasks), "task"))})
	}
	return r, nil
}

// Read reads one input, Options.Subject with Options.RepeatsSubject, and preprocesses it alone.
func Read(ctx context.Context, o Options) (*Input, error) {
	if err := o.expand(ctx); err != nil {
		return nil, err
	}
	return ReadFile(ctx, o)
}

// ReadFile is Read for one recording, by its own name: a pattern is no name, and a folder of
// runs is an *ingest.FolderError.
func ReadFile(ctx context.Context, o Options) (*Input, error) {
	s, err := newSetup(ctx, o)
	if err != nil {
		return nil, err
	}
	subject := s.options.sides()[:1]
	runs, err := s.read(ctx, subject)
	if err != nil {
		return nil, err
	}
	if err := s.normalize(runs); err != nil {
		return nil, err
	}
	in, tree, err := join(subject[0], runs[0])
	if err != nil {
		return nil, err
	}
	folders(in)
	s.running(tree)
	in.Tree, in.Rules, in.indexes = preprocess.One(tree, s.preprocess), s.rules(), s.indexes
	s.tell(in, 0)
	if in.signalsAlone() {
		in.Trace.Warnings = append(in.Trace.Warnings, trace.Warning{Code: "signals-alone",
			Message: "the recording has signals and no calls: give it with --with, beside a recording of calls or stacks"})
	}
	in.Trace.Warnings = slices.Concat(in.Trace.Warnings, s.warnings, s.unfit(in))
	return in, nil
}

// retrace returns the tree with its methods named as in the source code.
func retrace(t *cct.Tree, original func(name.Method) name.Method) *cct.Tree {
	out := *t
	out.Methods = make([]name.Method, len(t.Methods))
	for i, m := range t.Methods {
		out.Methods[i] = original(m)
	}
	return &out
}
