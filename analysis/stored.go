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

// StoredPrefix is the prefix of the names of stored runs, such as history:4f2c1a.
const StoredPrefix = "history:"

// IsStored reports whether an input's name has the form of a stored run's name.
func IsStored(name string) bool { return strings.HasPrefix(name, StoredPrefix) }

// A Store keeps runs that were read earlier, so that a comparison need not read the recordings
// again. Its methods are safe for concurrent use.
type Store interface {
	// Runs returns the names of the runs that a name refers to, at least one. All begin with
	// StoredPrefix.
	Runs(ctx context.Context, name string) ([]string, error)
	// Load returns the run with one of these names.
	Load(ctx context.Context, run string) (*StoredRun, error)
	// Sum returns a hash of everything that Load returns for a run.
	Sum(ctx context.Context, run string) ([]byte, error)
}

// A StoredRun is a run from a Store, with everything that a comparison needs to know of its
// recording.
type StoredRun struct {
	// Input describes the run. Its Runs and Scale are empty, as are its Tree and everything derived
	// from the tree. Its methods are the methods of Tree below.
	Input Input
	Tree  *cct.Tree
	// Packages are the packages of the classes that the mapping file names.
	Packages []string
	// Process and SampleType are the options with which the recording was read (see
	// ingest.Options).
	Process, SampleType string
	// Content is the SHA-256 hash of the recording: see ingest.File.Content.
	Content [32]byte
}

// ReadForStore reads each run of Options.Subject separately, for storage in a Store. It neither
// normalizes nor preprocesses. It reads recordings with source lines twice.
func ReadForStore(ctx context.Context, o Options) ([]StoredRun, error) {
	if err := o.expand(ctx); err != nil {
		return nil, err
	}
	s, err := newSetup(ctx, o)
	if err != nil {
		return nil, err
	}
	subject := s.options.sides()[0]
	for _, path := range subject.paths {
		if NamesStored(path) {
			return nil, fmt.Errorf("%s is already in the history: give recordings", path)
		}
	}
	s.hashing, s.options.Bundles = true, o.PowerModel != ""
	runs, err := s.read(ctx, []side{subject})
	if err != nil {
		return nil, err
	}
	kept := make([]StoredRun, len(runs[0]))
	for i, run := range runs[0] {
		if run.in.signalsAlone() {
			return nil, fmt.Errorf("%s has measurements but no calls, so there is nothing to compare", run.in.Path)
		}
		kept[i] = StoredRun{
			Input: *run.in, Tree: run.tree, Packages: s.listed[0], Content: run.content,
			Process: cmp.Or(subject.Process, o.Ingest.Process), SampleType: o.Ingest.SampleType,
		}
		if known := run.in.Known; known.Lines > 0 || known.PositionShare() > 0 {
			if kept[i].Input.StoredLines, err = keptLines(ctx, o, run.in.Path); err != nil {
				return nil, err
			}
		}
	}
	return kept, nil
}

// NamesStored reports whether path names a stored run: it has the form of a stored run's name, and
// no file has this name.
func NamesStored(path string) bool {
	if !IsStored(path) {
		return false
	}
	_, err := os.Stat(path)
	return err != nil
}

// StoredRuns replaces each name of a set of stored runs by the names of its runs. It keeps other
// names.
func StoredRuns(ctx context.Context, keep Store, names []string) ([]string, error) {
	var runs []string
	for _, name := range names {
		paths := []string{name}
		if NamesStored(name) {
			if keep == nil {
				return nil, fmt.Errorf("%s: this program keeps no history", name)
			}
			var err error
			if paths, err = keep.Runs(ctx, name); err != nil {
				return nil, err
			}
		}
		runs = append(runs, paths...)
	}
	return runs, nil
}

// loadStored returns a stored run. i is the index of its side.
func (s *setup) loadStored(ctx context.Context, i int, path string, given side) (reading, error) {
	switch {
	case given.Mapping != "":
		return reading{}, fmt.Errorf("%s: its methods were named when it was added: leave out the mapping %s", path, given.Mapping)
	case given.Flows != "":
		return reading{}, fmt.Errorf("%s: its hand-overs were read when it was added: leave out %s", path, given.Flows)
	case len(given.With) > 0:
		return reading{}, fmt.Errorf("%s: measurements are joined with a recording when it is added: leave out %s", path, given.With[0])
	}
	k, err := s.options.Store.Load(ctx, path)
	if err != nil {
		return reading{}, err
	}
	in, tr := k.Input, *k.Input.Trace
	in.Path, in.Trace = path, &tr
	if err := s.checkCosts(&in); err != nil {
		return reading{}, err
	}
	if !s.options.Bundles {
		in.Bundles = nil
	}
	if k.Packages != nil {
		s.mu.Lock()
		s.listed[i] = k.Packages
		s.mu.Unlock()
	}
	o := &s.options
	check := func(what, then, now string) {
		if now != "" && now != then {
			tr.Warnings = append(tr.Warnings, trace.Warning{Code: "kept-otherwise", Message: fmt.Sprintf(
				"%s was added with %s %s and keeps it, though the settings now say %s", path, what, cmp.Or(then, "by default"), now)})
		}
	}
	check("the process", k.Process, cmp.Or(given.Process, o.Ingest.Process))
	check("the sample type", k.SampleType, o.Ingest.SampleType)
	if in.PowerSource != "" && in.APICosts == nil && (o.PowerProfile != "" || o.PowerModel != "") {
		check("power from", in.PowerSource, s.powerSource(tr.Energy, s.powerModel(in.Components)))
	}
	return reading{in: &in, tree: k.Tree}, nil
}

// powerSourceWarnings warns if a stored run and the other input have energies from different power
// sources.
func powerSourceWarnings(inputs []*Input) []trace.Warning {
	s, r := inputs[0].PowerSource, inputs[1].PowerSource
	if s == "" || r == "" || s == r || !IsStored(inputs[0].Path) && !IsStored(inputs[1].Path) {
		return nil
	}
	return []trace.Warning{{Code: "power", Message: fmt.Sprintf("the subject's power is from %s, the reference's from %s", s, r)}}
}
