// Package analysis runs a whole comparison for the command line and the language server. It opens
// files and passes data from stage to stage. The stages make all decisions.
//
//	ingest ─▶ energy ─▶ cct ─▶ preprocess ─▶ eflask ─▶ Result
//
// The two inputs are read concurrently. All functions are safe for concurrent use. Errors name the
// file that they are about.
package analysis

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/diffprof/diffprof/appcode"
	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/code/classes"
	"github.com/diffprof/diffprof/code/source"
	"github.com/diffprof/diffprof/eflask"
	"github.com/diffprof/diffprof/energy"
	"github.com/diffprof/diffprof/energy/machine"
	"github.com/diffprof/diffprof/energy/model"
	"github.com/diffprof/diffprof/ingest"
	"github.com/diffprof/diffprof/ingest/align"
	"github.com/diffprof/diffprof/lines"
	"github.com/diffprof/diffprof/lines/metered"
	"github.com/diffprof/diffprof/preprocess"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// Values of Options.Alpha that choose α by a rule, from 0 to MaxAutoAlpha. α is the largest edit
// distance between the call paths of two matched nodes.
const (
	// AutoAlpha selects the smallest α that is good enough: α+1 would find sure counterparts for
	// less than 1% more of the tasks.
	AutoAlpha = -1
	// PaperAlpha selects the paper's dynamic α. It is the smallest α at which the matching pairs a
	// fifth of the subject's tasks (DiffProf, Section 5.1).
	PaperAlpha = -2
)

// MaxAutoAlpha is the largest α that a rule chooses.
const MaxAutoAlpha = 5

// Thresholds of the rules, as shares of the tasks.
const (
	autoAlphaGain   = 0.01
	paperAlphaShare = 0.20
)

// A Side names the recordings of one side of a comparison. The zero value of a field is
// its default.
type Side struct {
	// Path is a recording, or ingest.Stdin. A pattern such as new/*.trace, or a folder of repeated
	// runs, names several recordings. Repeats names further runs in the same way. The figures of
	// several runs are means.
	Path    string
	Repeats []string
	// Mapping is an R8 or ProGuard mapping file.
	Mapping string
	// Flows is a file of hand-overs, such as which call posted a Runnable. The default is
	// FILE.flows if it exists.
	Flows string
	// Process is the process to read. The default is Ingest.Process.
	Process string
	// With are recordings of signals, such as power rails, measured during the run.
	With []string
}

// Options describes a comparison. A zero field has its default unless stated otherwise. Options of
// a stage are fields of the stage's own struct, so a new option of a stage needs no change here.
type Options struct {
	Subject, Reference Side
	// Align selects how the recordings of Side.With are aligned in time with their runs.
	Align align.Alignment
	// Ingest has the options for reading both recordings. Its fields Flows, Voltage and Progress are
	// ignored, because they follow from Options.
	Ingest ingest.Options
	// PowerProfile is Android's power_profile.xml. The default is the generic profile.
	PowerProfile string
	// PowerModel has the power of the device's components, such as the screen. It is a file or the
	// name of a built-in model (see model.ReadyNames). Without a model, only the processor's energy
	// is computed. Policy selects which calls the energy of tails is attributed to.
	PowerModel string
	Policy     machine.Policy
	// APICosts is a table with the energy per call of framework methods. It replaces every other
	// source of energy. APIGuess uses the median of a class for calls that the table lacks.
	// APICompat is OrkaCompat or empty.
	APICosts  string
	APIGuess  bool
	APICompat string
	// Bundles requests Input.Bundles, which needs another scan of the recording.
	Bundles bool
	// Triggers is a file of methods that use components. It extends the built-in table.
	Triggers string
	// Lines divides methods by source line: each known line of a method becomes a separate method
	// (name.Method.OnLine). See Input.Lines. LinesIfKnown does so only for recordings that have at
	// least one line.
	Lines, LinesIfKnown bool
	// MeterLines divides the measured energy of a run among its samples, if the run has a power
	// meter's readings. Input.Meter then describes the measurement. MeterLines needs Lines.
	MeterLines bool
	// Unprocessed makes Read skip preprocessing. Input.Tree is then preprocess.Unchanged, which
	// shows methods instead of contexts.
	Unprocessed bool
	// Fleet is a file with the results of a fleet of devices. A report compares them with the run
	// of FleetApp, or of the subject's app if FleetApp is empty. This package does not open the
	// file. The program that shows the comparison does.
	Fleet, FleetApp string
	// SettingsFile is the name of the file that the options came from, for reports. It is empty if
	// there is none. This package does not open the file.
	SettingsFile string
	// Voltage is the battery voltage. 0 means units.DefaultVoltage.
	Voltage units.Voltage
	// Merge lists the steps of preprocessing. nil means all.
	Merge *preprocess.Steps
	// AppPackages and FrameworkPackages override the built-in tables. OwnPackages lists the
	// packages of the app's own code, as opposed to its libraries. See platform.Rules.
	AppPackages, FrameworkPackages, OwnPackages []string
	// SliceTasks turns the outermost trace slices into tasks, unless a package option names slices.
	// Without SliceTasks, each slice is app code of its own. Views that show only tasks set it.
	SliceTasks bool
	// Classpath has jars, class files, dex files and APKs, or folders of them. They provide the class
	// hierarchy and the lines of calls.
	Classpath []string
	// Sources are folders with the app's Java and Kotlin sources. Classes are class declarations
	// that the caller has already read. All packages in Sources and Classes are the app's own code.
	Sources []string
	Classes []classes.Class
	// Manifests are the app's APKs, AndroidManifest.xml or build.gradle files. The packages that
	// they declare are the app's own code.
	Manifests []string
	// Noise is the run-to-run variation: the relative standard deviation of the energy of a run and
	// of a row. It is used if a side has only one run. 0 means that measured and assumed values are
	// used: see Chance.
	Noise float64
	// Builds is the noise between builds of one program, as a relative standard deviation. 0 means
	// the first available of EqualBuilds, HistoryBuilds and repeats.DefaultBuilds. Builds matters
	// only for repeated runs.
	Builds float64
	// EqualBuilds are folders, each with runs of two equal builds: one as subject, one as
	// reference.
	EqualBuilds []string
	// HistoryBuilds returns the total energies of the runs of each history entry. ok is true if the
	// history has entries of these runs' app, device and scenario. HistoryBuilds may be nil.
	HistoryBuilds func() (entries [][]float64, ok bool)
	// MinRelevant is the smallest relevant difference of the total energies, as a share of the
	// reference's total. 0 means the default.
	MinRelevant float64
	// Normalize selects how the reference's energies are scaled.
	Normalize Normalization
	// Alpha is α, AutoAlpha or PaperAlpha. The zero value is α = 0.
	Alpha int
	// Matching limits the work of the matching. Its fields MaxPairs and Progress are ignored,
	// because they follow from Options.
	Matching eflask.Options
	// MaxMemory bounds the memory for trees and matchings, in bytes. 0 means three quarters of the
	// free memory when reading begins. A negative value means no bound. Work that would exceed the
	// bound fails with an error that suggests options that fit.
	MaxMemory int64
	// Coverage requests Result.Coverage at each α up to MaxAutoAlpha. Each α needs another matching.
	Coverage bool
	// Store loads the runs whose names begin with StoredPrefix. It may be nil.
	Store Store
	// Progress receives the progress of a stage: "reading" in bytes, "matching" in contexts. It may
	// be nil. Calls do not overlap. total is 0 if it is unknown.
	Progress func(stage string, done, total int64)
}

// Files returns the paths of all files that the options name, each once.
func (o *Options) Files() []string {
	var files []string
	named := *o
	if named.expand(context.Background()) == nil {
		o = &named
	}
	models := slices.DeleteFunc(strings.Split(o.PowerModel, ","), model.IsReady)
	s, r := &o.Subject, &o.Reference
	for _, path := range slices.Concat(
		models, []string{s.Path, r.Path, s.Mapping, r.Mapping, s.Flows, r.Flows, o.PowerProfile, o.Triggers, o.APICosts, o.Fleet},
		s.Repeats, r.Repeats, o.Classpath, o.Manifests, s.With, r.With,
	) {
		if path != "" && !NamesStored(path) && !slices.Contains(files, path) {
			files = append(files, path)
		}
	}
	return files
}

// An Input is a recording after reading and preprocessing, or the mean of several recordings.
type Input struct {
	// Path is the path of the recording. For several runs it is their folder. If both inputs have
	// the same folder, it is the path of the first run instead.
	Path string
	// Runs lists the runs of an input with several runs. It is nil for one run. All figures are
	// means over the runs, except Size and the counts of Trace, which are sums.
	Runs []Run
	// Trace is the recording without its events.
	Trace *trace.Trace
	// Tree is the tree after preprocessing. Tree.Source is the tree before preprocessing.
	Tree *preprocess.Tree
	// Own is the app's own code. Libraries has the library group of each method of Tree.Source. It
	// is empty for a method without a group (see platform.Platform).
	Own       OwnCode
	Libraries []string
	// Energy is the root's inclusive energy.
	Energy units.Energy
	// Scale is the factor by which the energies were multiplied. It is nil if they are as recorded.
	Scale *Scale
	// CPU is the processor time over all threads.
	CPU time.Duration
	// PowerSource describes the source of the power figures that converted times to energy. It is
	// empty if the recording states energies.
	PowerSource string
	// Components has the energy of the components besides the processor, in the order of the power
	// model. Model describes that model. Both are nil if only the processor's energy was computed.
	Components []energy.Component
	Model      *PowerModel
	// APICosts describes how Options.APICosts was applied. It is nil if there is no such table.
	APICosts *APICosts
	// OtherModels are the same run under other power models. Compared is true if the user named
	// these models. Otherwise they assume the phone's other radio, Wi-Fi or cellular, for
	// operations whose radio is unknown.
	OtherModels []*Input
	Compared    bool
	// Bundles has the active periods of the components. It is nil if Options.Bundles was not set or
	// only the processor's energy was computed.
	Bundles *Bundles
	// Battery is the energy of a full battery. It comes from the power model or, without one, from
	// the power profile. 0 means unknown.
	Battery units.Energy
	// Size is the stored size of the file in bytes. Compression lists its compression formats, the
	// outermost first.
	Size        int64
	Compression []string
	// Tracks summarize the recording's signals by part of the device.
	Tracks []energy.Track
	// Rails compares the measured energy with the power model's. It is nil if the model uses no
	// measurement.
	Rails *Rails
	// Aligned has, for each recording of Side.With, its alignment in time.
	Aligned []align.Place
	// Mapping is the mapping file that renamed the methods, nil if there is none.
	Mapping *Renaming
	// Rules are the rules of preprocessing.
	Rules Rules
	// Known counts the samples whose own line is known.
	Known lines.Coverage
	// StoredLines are the source lines of a stored run, sorted by decreasing energy. They are nil
	// for other inputs. For several runs see Run.Lines.
	StoredLines []StoredLine `json:",omitempty"`
	// Meter describes the measured energy that is divided among samples. It is nil without
	// Options.MeterLines or without measured energy. Meter.Reason says why the measurement cannot
	// be used. If it is empty, Energy is the part of the measured energy that the samples have.
	Meter *metered.Result `json:"-"`
	// meterDoubt is metered.Charged.Deviation.
	meterDoubt float64
	// sampleShare is the energy of one sample (lines.Recording.Each), as a share of Energy. It is
	// set with Options.Lines.
	sampleShare float64
	// unsampled is the share of the threads' time that was measured and not sampled. It is set with
	// Options.Lines.
	unsampled float64
	// together is lines.Recording.Together. It is set with Options.Lines.
	together float64
	// lineErrors is lines.Recording.Errors, by the methods of the tree.
	lineErrors lines.Errors
	// indexes are the indexes of Options.Sources.
	indexes []*source.Index
	// sites are the calls in the class files of Options.Classpath, nil if there are none.
	sites *sites
}

// Rules are the options by which the methods of an input were classified and merged.
type Rules struct {
	// SettingsFile is Options.SettingsFile.
	SettingsFile string
	Steps        preprocess.Steps
	// The other fields have the meaning of the same fields of Options.
	AppPackages, FrameworkPackages, OwnPackages, Manifests, Sources []string
}

// A Renaming describes the effect of a mapping file on the methods of a recording.
type Renaming struct {
	// Path is the path of the file.
	Path string
	// Renamed counts the methods that the file renames. Methods counts all methods with a class.
	Renamed, Methods int
}

// A Result is a finished comparison.
type Result struct {
	Subject, Reference Input
	// AlphaRequested is Options.Alpha.
	AlphaRequested int
	Matching       *eflask.Matching
	// pairs are the pairs of Matching that align the flasks.
	pairs []eflask.Pair
	// Coverage has one entry for each α that was tried, sorted by α: each α that a rule tried, the
	// α of Matching, and those for Options.Coverage. An α that needs more than Options.MaxMemory is
	// missing.
	Coverage []eflask.Coverage
	// Tasks are the subject's tasks, sorted by possible saving.
	Tasks []eflask.Task
	// Shifts are the calls that the two runs make in different tasks. They are already subtracted
	// from the tasks' savings.
	Shifts []eflask.Shift
	// AppCode compares the energy of the app's own code in the two runs.
	AppCode *appcode.Comparison
	// Repeats has the results of repeated runs. It is nil if either side has one run.
	Repeats *Repeats
	// Chance estimates which differences may be chance, for any number of runs.
	Chance *Chance
	// MinRelevant is Options.MinRelevant or its default: the smallest relevant difference of the
	// total energies, as a share of the reference's total.
	MinRelevant float64
	// Summary and ReferenceSummary break down the energy of each run.
	Summary, ReferenceSummary Summary
	// SameContent is true if both sides are the same recordings, or copies of them in any order,
	// read with the same options. It is never true for pipes and folders.
	SameContent bool
	// Comparability has a warning for each property that makes the inputs hard to compare.
	Comparability []trace.Warning
	Warnings      []trace.Warning
	Voltage       units.Voltage
}

// Unit returns the unit for showing the result's energies. If a recording does not state its unit,
// this is units.Plain. Otherwise it is the parameter asked, which may be nil.
func (r *Result) Unit(chosen *units.Unit) *units.Unit {
	return r.Subject.Unit(r.Reference.Unit(chosen))
}

// Unit returns the unit for showing the input's energies, by the rule of Result.Unit.
func (in *Input) Unit(chosen *units.Unit) *units.Unit {
	if in.Trace.Unstated {
		plain := units.Plain
		return &plain
	}
	return chosen
}

// Compare reads both inputs, matches them and ranks the subject's tasks. After ctx is cancelled it
// soon returns ctx's error.
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

// Runs reads both inputs like Compare, but does not compare them. The result has neither tasks nor
// a matching.
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
	for i, list := range runs {
		for _, run := range list {
			if run.in.signalsAlone() {
				return nil, fmt.Errorf("%s has measurements but no calls: give it with --with-%s, together with a recording of calls or stacks", run.in.Path, sides[i].name)
			}
		}
	}
	if err := checkEnergy(runs); err != nil {
		return nil, err
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
	different := differences(inputs[0].Trace, inputs[1].Trace)
	if w := overloads(trees[0], trees[1], inputs[0].Trace, inputs[1].Trace, s.preprocess.Steps.Detail); w != nil {
		different = append(different, *w)
	}
	different = append(different, powerSourceWarnings(inputs)...)
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

// Trees compares existing trees. It does not open the recordings that o names. The result's inputs
// have empty Traces.
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
	s.setPlatform(inputs, trees...)
	inputs[0].Tree, inputs[1].Tree = preprocess.Pair(trees[0], trees[1], s.preprocess)
	for i, in := range inputs {
		in.Rules, in.indexes = s.rules(), s.indexes
		s.setOwners(in, i)
	}
	return &Result{
		Subject: *inputs[0], Reference: *inputs[1], AlphaRequested: s.options.Alpha, Voltage: s.options.Voltage,
		Warnings: append(slices.Clone(s.warnings), s.unmatchedOptions(inputs...)...),
	}
}

// compare matches the two inputs of a result and ranks the subject's tasks. It returns r.
func (s *setup) compare(ctx context.Context, r *Result) (*Result, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := s.readSites(ctx, &r.Subject); err != nil {
		return nil, err
	}
	if err := s.match(ctx, r); err != nil {
		return nil, err
	}
	if o := s.options.Alpha; o > MaxAutoAlpha {
		r.Warnings = append(r.Warnings, trace.Warning{Code: "loose-alpha", Message: fmt.Sprintf(
			"α = %d lets the call paths of a pair differ by %[1]d steps: paths that differ by more than %d steps seldom belong to one task", o, MaxAutoAlpha)})
	}
	r.removeSplits()
	r.AppCode = appcode.Compare(r.Subject.Tree, r.Reference.Tree, r.Tasks, r.own())
	r.Summary, r.ReferenceSummary = summaries(r.Subject.Tree, r.Reference.Tree, r.Tasks, r.AppCode)
	if w := r.swapped(); w != nil {
		r.Warnings = append(r.Warnings, *w)
	}
	builds, err := s.buildNoise(ctx)
	if err != nil {
		return nil, err
	}
	r.judge(&s.options, builds)
	r.sortEvident()
	if s := &r.Summary; s.LittleInCommon() {
		have := fmt.Sprintf("%d of %s have a counterpart", s.Matched, count(int64(s.Tasks), "task"))
		if s.Tasks == 0 {
			have = fmt.Sprintf("%d of %s of app code have a counterpart", r.AppCode.Sum.Matched, count(int64(r.AppCode.Sum.Rows), "row"))
		}
		r.Comparability = append(r.Comparability, trace.Warning{Code: "little-in-common", Message: fmt.Sprintf(
			"these runs have little in common: %s (%s)", s.Shared(), have)})
	}
	return r, nil
}
