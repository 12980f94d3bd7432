package analysis

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/code/classes"
	"github.com/diffprof/diffprof/code/platform"
	"github.com/diffprof/diffprof/code/source"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
)

// OwnCode identifies the app's own code in a run: the code that its developers can change.
type OwnCode struct {
	// By lists the rules that found own code, in the order of the constants of package platform. It
	// is empty if no rule found any.
	By []platform.Basis
	// Packages are the packages of the own methods that ran, sorted.
	Packages []string
	// Methods has, for each method of Tree.Source, the rule by which it is own code. It is empty
	// for other methods. A recorder's methods are never own code.
	Methods []platform.Basis
	// Unknown is true if own code cannot be recognized, because the run's class names have no
	// packages.
	Unknown bool
}

// Is reports whether a method of the run is own code.
func (o *OwnCode) Is(m trace.MethodID) bool { return o.Methods[m] != "" }

// own returns two functions that report whether a method is own code: one per run.
func (r *Result) own() [2]func(trace.MethodID) bool {
	return [2]func(trace.MethodID) bool{r.Subject.Own.Is, r.Reference.Own.Is}
}

// readSources reads the source folders and returns the classes that they declare.
func (s *setup) readSources(ctx context.Context) ([]classes.Class, error) {
	var found []classes.Class
	for _, folder := range s.options.Sources {
		index, problems, err := loadSources(ctx, folder)
		if err != nil {
			return nil, fmt.Errorf("reading the sources: %w", err)
		}
		for _, p := range problems {
			s.warnings = append(s.warnings, trace.Warning{Code: p.Code, Message: p.Message})
		}
		s.indexes = append(s.indexes, index)
		declared := index.Classes()
		if len(declared) == 0 {
			s.warnings = append(s.warnings, trace.Warning{Code: "no-sources", Message: fmt.Sprintf("the folder %s has no Java or Kotlin sources", folder)})
		}
		found = append(found, declared...)
	}
	return found, nil
}

// loadSources reads a folder of sources. The warnings are about files that it skipped.
func loadSources(ctx context.Context, folder string) (*source.Index, []source.Warning, error) {
	info, err := os.Stat(folder)
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%s: a file, not a folder of sources", folder)
	}
	if err != nil {
		return nil, nil, err
	}
	index := source.New(source.Options{Roots: []string{folder}})
	problems, err := index.Load(ctx, nil)
	return index, problems, err
}

// slicesAlone is the package name of own code that consists of trace slices whose process is
// unknown. Slices themselves have no packages.
const slicesAlone = "(slices)"

// unmatchedOptions warns about options for own code that match no code in either run.
func (s *setup) unmatchedOptions(inputs ...*Input) []trace.Warning {
	var warnings []trace.Warning
	for _, option := range []struct {
		by    platform.Basis
		given []string
		what  string
	}{
		{platform.BySetting, s.options.OwnPackages, "the own packages"},
		{platform.ByManifest, s.options.Manifests, "the manifest"},
		{platform.BySources, s.options.Sources, "the sources"},
	} {
		fits := func(in *Input) bool {
			return slices.Contains(in.Own.By, option.by) || slices.Contains(in.Own.Packages, slicesAlone)
		}
		switch {
		case len(option.given) == 0, slices.ContainsFunc(inputs, fits):
		case option.by == platform.BySetting || len(s.options.OwnPackages) == 0:
			warnings = append(warnings, trace.Warning{Code: "no-own-code", Message: fmt.Sprintf(
				"no package that ran is one of %s (%s)", option.what, strings.Join(option.given, ", "))})
		}
	}
	return warnings
}

// packagesOf returns the packages of classes, each once, sorted.
func packagesOf[C any](list []C, class func(C) string) []string {
	found := make(map[string]bool)
	for _, c := range list {
		if pkg := name.OfClass(class(c), "", "").Scope; pkg != "" {
			found[pkg] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// setPlatform adapts the platform to the methods and calls in trees, which belong to inputs.
func (s *setup) setPlatform(inputs []*Input, trees ...*cct.Tree) {
	var ran []platform.Run
	for i, t := range trees {
		ran = append(ran, platform.Run{Methods: t.Methods, Calls: t.Edges(), Dependencies: inputs[i].Trace.Dependencies})
	}
	s.platform = s.platform.Running(ran...)
	s.preprocess.Platform = s.platform
}

// setOwners finds the owner of each method of an input's tree. All methods of a scope have the same
// owner, so setOwners looks it up once per scope. It looks up a method without a scope by itself.
func (s *setup) setOwners(in *Input, side int) {
	type place struct {
		lang                  name.Lang
		module, scope, symbol string
		typed                 bool
	}
	type owner struct {
		own     platform.Basis
		library string
	}
	known := make(map[place]owner)
	methods := in.Tree.Source.Methods
	evidence := s.evidence
	evidence.Mapping = s.listed[side]
	ownership := s.platform.Ownership(evidence, methods)
	in.Own.Methods, in.Libraries = make([]platform.Basis, len(methods)), make([]string, len(methods))
	by, packages := make(map[platform.Basis]bool), make(map[string]bool)
	sliced := false
	for i, m := range methods {
		at := place{lang: m.Lang, module: m.Module, scope: m.Scope, typed: m.Type != ""}
		if platform.ByName(m) {
			at.symbol = m.Name
		}
		found, ok := known[at]
		if !ok {
			found = owner{ownership.Own(m), s.platform.Library(m)}
			known[at] = found
		}
		in.Libraries[i] = found.library
		if found.own != "" && s.platform.Role(m) != platform.Recorder {
			in.Own.Methods[i] = found.own
			by[found.own] = true
			if m.IsSlice() {
				sliced = true
			} else {
				packages[m.Package()] = true
			}
		}
	}
	if len(packages) == 0 && sliced {
		packages[slicesAlone] = true
	}
	in.Own.Packages = slices.Sorted(maps.Keys(packages))
	if in.Own.Unknown = len(packages) == 0 && s.platform.Unpackaged(methods); in.Own.Unknown {
		in.Trace.Warnings = append(in.Trace.Warnings, trace.Warning{Code: "unpackaged", Message: "the recording names classes without their packages, " +
			"so the app's code cannot be distinguished from the platform's and the libraries': record with full names (async-profiler without -s)"})
	}
	for _, basis := range platform.Bases() {
		if by[basis] {
			in.Own.By = append(in.Own.By, basis)
		}
	}
}
