package analysis

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/trace"
)

// KeptPrefix begins the names of runs that are kept, such as history:4f2c1a.
const KeptPrefix = "history:"

// IsKept says whether a name of an input is that of kept runs.
func IsKept(name string) bool { return strings.HasPrefix(name, KeptPrefix) }

// A Keep has runs that were read before: it stands in the place of their recordings. Its
// methods may be called concurrently.
type Keep interface {
	// Runs returns the names of the runs that a name stands for, one or more. All begin with
	// KeptPrefix.
	Runs(ctx context.Context, name string) ([]string, error)
	// Load returns one of these runs.
	Load(ctx context.Context, run string) (*Kept, error)
	// Sum returns a hash of all that Load returns of a run.
	Sum(ctx context.Context, run string) ([]byte, error)
}

// A Kept is a run as it was read, with all that a comparison needs of its recording.
type Kept struct {
	// Input is what is known of the run. Its Tree and what is made of it, its Runs and its
	// Scale are not there, and its methods are those of Tree.
	Input Input
	Tree  *cct.Tree
	// Packages are those of the classes that the mapping file names.
	Packages []string
	// Process and SampleType say what was asked for of the recording, as ingest.Options has
	// them.
	Process, SampleType string
	// Content is the SHA-256 hash of the recording: see ingest.File.Content.
	Content [32]byte
}

// ReadKept reads the runs that Options.Subject and Options.RepeatsSubject name, each by itself, for
// a Keep. Nothing is normalized or preprocessed.
func ReadKept(ctx context.Context, o Options) ([]Kept, error) {
	if err := o.expand(ctx); err != nil {
		return nil, err
	}
	s, err := newSetup(ctx, o)
	if err != nil {
		return nil, err
	}
	subject := s.options.sides()[0]
	for _, path := range subject.paths {
		if InKeep(path) {
			return nil, fmt.Errorf("%s is kept already: name recordings", path)
		}
	}
	s.hashing, s.options.Bundles = true, o.PowerModel != ""
	runs, err := s.read(ctx, []side{subject})
	if err != nil {
		return nil, err
	}
	kept := make([]Kept, len(runs[0]))
	for i, run := range runs[0] {
		if run.in.signalsAlone() {
			return nil, fmt.Errorf("%s has signals and no calls: there is nothing to compare in it", run.in.Path)
		}
		kept[i] = Kept{
			Input: *run.in, Tree: run.tree, Packages: s.listed[0], Content: run.content,
			Process: cmp.Or(subject.Process, o.Ingest.Process), SampleType: o.Ingest.SampleType,
		}
	}
	return kept, nil
}

// InKeep says whether an input is a kept run: it is called so, and no file is.
func InKeep(path string) bool {
	if !IsKept(path) {
		return false
	}
	_, err := os.Stat(path)
	return err != nil
}

// KeptRuns replaces the names of kept runs by one name a run, as keep has them. Other names stay.
func KeptRuns(ctx context.Context, keep Keep, names []string) ([]string, error) {
	var runs []string
	for _, name := range names {
		of := []string{name}
		if InKeep(name) {
			if keep == nil {
				return nil, fmt.Errorf("%s: this program keeps no history", name)
			}
			var err error
			if of, err = keep.Runs(ctx, name); err != nil {
				return nil, err
			}
		}
		runs = append(runs, of...)
	}
	return runs, nil
}

// loadKept returns a kept run of side number i.
func (s *setup) loadKept(ctx context.Context, i int, path string, of side) (reading, error) {
	switch {
	case of.Mapping != "":
		return reading{}, fmt.Errorf("%s: its methods were named when it was added: leave out the mapping %s", path, of.Mapping)
	case of.Flows != "":
		return reading{}, fmt.Errorf("%s: its hand-overs were read when it was added: leave out %s", path, of.Flows)
	case len(of.With) > 0:
		return reading{}, fmt.Errorf("%s: what was measured is laid beside a recording when it is added: leave out %s", path, of.With[0])
	}
	k, err := s.options.Keep.Load(ctx, path)
	if err != nil {
		return reading{}, err
	}
	in, tr := k.Input, *k.Input.Trace
	in.Path, in.Trace = path, &tr
	if !s.options.Bundles {
		in.Bundles = nil
	}
	if k.Packages != nil {
		s.mu.Lock()
		s.listed[i] = k.Packages
		s.mu.Unlock()
	}
	o := &s.options
	otherwise := func(what, then, now string) {
		if now != "" && now != then {
			tr.Warnings = append(tr.Warnings, trace.Warning{Code: "kept-otherwise", Message: fmt.Sprintf(
				"%s was added with %s %s, which counts; the settings now say %s", path, what, cmp.Or(then, "by default"), now)})
		}
	}
	otherwise("the process", k.Process, cmp.Or(of.Process, o.Ingest.Process))
	otherwise("the sample type", k.SampleType, o.Ingest.SampleType)
	if in.PowerSource != "" && (o.PowerProfile != "" || o.PowerModel != "") {
		otherwise("power from", in.PowerSource, s.powerSource(tr.Energy, s.powerModel(in.Components)))
	}
	return reading{in: &in, tree: k.Tree}, nil
}

// otherPower says that kept runs were charged by another power than what they are compared with.
func otherPower(inputs []*Input) []trace.Warning {
	s, r := inputs[0].PowerSource, inputs[1].PowerSource
	if s == "" || r == "" || s == r || !IsKept(inputs[0].Path) && !IsKept(inputs[1].Path) {
		return nil
	}
	return []trace.Warning{{Code: "power", Message: fmt.Sprintf("the subject's power is from %s, the reference's from %s", s, r)}}
}
