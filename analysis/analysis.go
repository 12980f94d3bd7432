// Package analysis runs a whole comparison: it is what the command line and the
// language server call.
package analysis

import (
	"context"
	"time"

	"github.com/diffprof/diffprof/eflask"
	"github.com/diffprof/diffprof/preprocess"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// AutoAlpha asks for the paper's dynamic α.
const AutoAlpha = -1

// Options say what to compare and how. The zero value of a field is its default
// unless stated otherwise.
type Options struct {
	// Subject and Reference are paths of traces; "-" is not a path.
	Subject, Reference string
	// SubjectMapping and ReferenceMapping are R8 or ProGuard mapping files.
	SubjectMapping, ReferenceMapping string
	// SubjectFlows and ReferenceFlows are sidecar files of hand-overs; by
	// default FILE.flows is read where it lies beside FILE.
	SubjectFlows, ReferenceFlows string
	// Alpha is α, or AutoAlpha. The zero value is α = 0.
	Alpha int
	// Merge lists the steps of preprocessing; nil is all of them.
	Merge *preprocess.Steps
	// AppPackages and FrameworkPackages override the built-in table: a package
	// or PACKAGE.* for it and those below.
	AppPackages, FrameworkPackages []string
	// Classpath are jars, class files, dex files, APKs or folders of them.
	Classpath []string
	// PowerProfile is Android's power_profile.xml; empty is the generic one.
	PowerProfile string
	// Voltage is the battery's; 0 is units.DefaultVoltage.
	Voltage units.Voltage
	// FoldedUnit is the unit of folded stacks' values, "nJ" by default.
	FoldedUnit string
	// Threads bounds the goroutines of the matching; 0 is one a processor.
	Threads int
	// MaxExpanded bounds what a compressed input may expand to, in bytes; 0 is
	// the default of package ingest.
	MaxExpanded int64
	// Progress is told how far a stage is, from several goroutines; may be nil.
	// total is 0 where it is not known.
	Progress func(stage string, done, total int64)
}

// An Input is one side of a comparison.
type Input struct {
	Path string
	// Trace is what the file says beside its events.
	Trace *trace.Trace
	// Tree is the tree after preprocessing; Tree.Source the one before.
	Tree *preprocess.Tree
	// Energy is the root's inclusive energy.
	Energy units.Energy
	// CPU is the processor time over all threads.
	CPU time.Duration
	// PowerSource names where the power came from, for people; empty if the
	// input stated its energy itself.
	PowerSource string
}

// A Result is a finished comparison.
type Result struct {
	Subject, Reference Input
	// AlphaRequested is Options.Alpha.
	AlphaRequested int
	Matching       *eflask.Matching
	// Tasks are the subject's, most room for saving first.
	Tasks   []eflask.Task
	Summary Summary
	// Comparability names what makes the inputs unlike.
	Comparability []trace.Warning
	Warnings      []trace.Warning
	Voltage       units.Voltage
}

// A Summary adds up the subject's energy: Matched + Unmatched + Outside is all of
// it.
type Summary struct {
	Tasks, Matched, Unmatched                     int
	MatchedEnergy, UnmatchedEnergy, OutsideEnergy units.Energy
}

// Compare reads both inputs, matches them and ranks the subject's tasks.
func Compare(ctx context.Context, o Options) (*Result, error) {
	panic("being written")
}
