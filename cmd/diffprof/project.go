package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/fleet"
	"github.com/diffprof/diffprof/history"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/settings"
)

// A project has the settings of a command. Flags and arguments override the project file.
type project struct {
	given
	file string
	none bool
	// path is the path of the project file. It is empty if there is none.
	path string
	// subjects and references are the runs given by flags.
	subjects, references []string
}

// bindPair adds the flags for settings and for repeated runs of the subject and the reference.
func (p *project) bindPair(cmd *cobra.Command) {
	p.bind(cmd)
	inGroup(cmd, settings.Reading, func(flags *pflag.FlagSet) {
		for _, side := range []struct {
			name, such string
			to         *[]string
		}{{"subject", "new/*.trace", &p.subjects}, {"reference", "old/*.trace", &p.references}} {
			parsedVar(flags, side.to, side.name, settings.KindFile, "run of the "+side.name+": a `FILE`, or a pattern such as '"+side.such+"'; several runs are compared by their means; repeatable",
				func(text string) ([]string, error) {
					name, err := fileName(text)
					return append(*side.to, name), err
				})
		}
	})
}

// bind adds the flags for settings, and those that select the project file.
func (p *project) bind(cmd *cobra.Command) {
	p.given.bind(cmd)
	p.bindConfig(cmd)
}

// bindConfig adds the flags that select the project file.
func (p *project) bindConfig(cmd *cobra.Command) {
	inGroup(cmd, settings.Reading, func(flags *pflag.FlagSet) {
		flags.StringVar(&p.file, "config", "",
			"take settings from `FILE` (default diffprof.yaml here, or in a folder above up to the repository's root)")
		flags.BoolVar(&p.none, "no-config", false, "take no settings from a file")
	})
	cmd.Flags().Lookup("config").Annotations[cobra.BashCompFilenameExt] = []string{"yaml", "yml"}
}

// load sets the settings. Stored runs are looked up in the project's history.
func (p *project) load(base settings.Settings) error {
	err := p.given.load(base)
	if p.History == "" {
		p.History = history.Path(".")
	}
	p.Store = history.File(p.History)
	return err
}

// loadPair sets the settings for comparing two recordings. They are named by arguments, by flags,
// or in the project file.
func (p *project) loadPair(cmd *cobra.Command, args []string) error {
	base, err := p.open()
	if err != nil {
		return err
	}
	if err := p.load(base); err != nil {
		return err
	}
	given := len(args)+len(p.subjects)+len(p.references) > 0
	if given && cmd.Flags().Changed("pair") {
		return errors.New("--pair takes the traces of diffprof.yaml: leave out SUBJECT and REFERENCE")
	}
	if base, err = p.Selected(); err != nil && !given {
		return err
	}
	// A flag overrides the file.
	if cmd.Flags().Changed("process") {
		base.Subject.Process, base.Reference.Process = "", ""
	}
	subjects, references, err := p.runs(cmd, args)
	if err != nil {
		return err
	}
	// The file's hand-overs are only for the recording that the file names.
	if len(subjects) > 0 && (len(subjects) > 1 || !sameFile(subjects[0], base.Subject.Path)) {
		base.Subject.Path, base.Subject.Repeats, base.Subject.Flows, base.Subject.With = subjects[0], subjects[1:], "", nil
	}
	if len(references) > 0 && (len(references) > 1 || !sameFile(references[0], base.Reference.Path)) {
		base.Reference.Path, base.Reference.Repeats, base.Reference.Flows, base.Reference.With = references[0], references[1:], "", nil
	}
	if err := p.load(base); err != nil {
		return err
	}
	if err := stdinOnce(p.Subject.Path, p.Reference.Path); err != nil {
		return err
	}
	p.HistoryBuilds = func() ([][]float64, bool) {
		return history.File(p.History).Totals(cmd.Context(), p.Subject.Path, p.Reference.Path)
	}
	switch {
	case p.Subject.Path != "" && p.Reference.Path == "":
		return fmt.Errorf("%s takes SUBJECT and REFERENCE, and only %s is given; diffprof tree or diffprof profile shows one run", cmd.Name(), p.Subject.Path)
	case p.Subject.Path == "":
		return fmt.Errorf("%s takes SUBJECT and REFERENCE, from its arguments or from %s; see %s --help",
			cmd.Name(), settings.FileName, cmd.CommandPath())
	}
	return nil
}

// runs returns the recordings given as subject and as reference. Flags come first; an argument
// fills in a missing flag. A result is empty if neither names it.
func (p *project) runs(cmd *cobra.Command, args []string) (subjects, references []string, err error) {
	subjects, references = p.subjects, p.references
	for _, side := range []*[]string{&subjects, &references} {
		if len(*side) == 0 && len(args) > 0 {
			*side, args = args[:1], args[1:]
		}
	}
	if len(args) > 0 {
		return nil, nil, fmt.Errorf("%s: --subject and --reference name the runs of either side; quote patterns, as in --subject 'new/*.trace', so that the shell does not expand them", args[0])
	}
	return subjects, references, nil
}

// loadRuns sets the settings for reading only one side, as the subject.
func (p *project) loadRuns(runs []string) error {
	if err := stdinOnce(runs...); err != nil {
		return err
	}
	if err := p.loadOne(runs[0]); err != nil {
		return err
	}
	p.Subject.Repeats = runs[1:]
	return nil
}

// loadOne sets the settings for reading one recording, as the subject. If the project file names
// this recording, the file's mapping, hand-overs, process and signals apply. Otherwise they are
// cleared.
func (p *project) loadOne(path string) error {
	base, err := p.open()
	if err != nil {
		return err
	}
	switch {
	case sameFile(path, base.Subject.Path):
	case sameFile(path, base.Reference.Path):
		base.Subject.Mapping, base.Subject.Flows, base.Subject.Process = base.Reference.Mapping, base.Reference.Flows, base.Reference.Process
		base.Subject.With = base.Reference.With
	default:
		base.Subject.Mapping, base.Subject.Flows, base.Subject.Process, base.Subject.With = "", "", "", nil
	}
	// The flag --process overrides the process in the project file.
	base.Ingest.Process = cmp.Or(base.Subject.Process, base.Ingest.Process)
	base.Subject.Process = ""
	base.Subject.Path, base.Subject.Repeats = path, nil
	return p.load(base)
}

// judged returns the findings of a comparison. If the settings name a fleet, the tasks that the
// fleet suspects come first.
func (p *project) judged(r *analysis.Result) (*finding.Set, error) {
	set := finding.New(r)
	set.Severity = p.Severity
	if p.Fleet == "" {
		return set, nil
	}
	c, err := fleet.ReadClaim(p.Fleet, p.FleetApp, finding.Apps(&r.Subject))
	if err != nil {
		return nil, fmt.Errorf("--fleet: %w", err)
	}
	s, err := finding.NewSuspicion(r, c, p.Battery)
	if err != nil {
		return nil, err
	}
	return set.WithSuspicion(s), nil
}

// inputs returns the paths of all files that a run reads. No output may replace them.
func (p *project) inputs() []string { return append(p.Files(), p.path) }

// sameFile reports whether two paths name one file that exists.
func sameFile(a, b string) bool {
	first, err := os.Stat(a)
	if err != nil {
		return false
	}
	second, err := os.Stat(b)
	return err == nil && os.SameFile(first, second)
}

// open returns the settings of the project file, or the defaults if there is no file.
func (p *project) open() (settings.Settings, error) {
	s := settings.Default()
	if p.none && p.file != "" {
		return s, errors.New("--config and --no-config contradict each other: give one of them")
	}
	if p.none {
		return s, nil
	}
	path := p.file
	if path == "" {
		var err error
		if path, err = findProject(); err != nil || path == "" {
			return s, err
		}
	}
	data, err := p.readFile(path)
	if err != nil {
		return s, fmt.Errorf("reading the settings: %w", err)
	}
	s, problems := s.WithYAML(data, filepath.Dir(path))
	if problems = settings.Faults(problems); len(problems) > 0 {
		more := ""
		if n := len(problems) - 1; n > 0 {
			more = fmt.Sprintf(" (and %d more)", n)
		}
		return s, fmt.Errorf("%s: %s%s", path, problems[0], more)
	}
	p.path, s.SettingsFile = path, path
	return s, nil
}

// readFile returns the content of the project file, up to a limit. A file that was found by search
// must be a regular file, because a repository may contain a link to any file.
func (p *project) readFile(path string) ([]byte, error) {
	if p.file == "" {
		info, err := os.Stat(path)
		if err == nil && !info.Mode().IsRegular() {
			err = fmt.Errorf("%s is not a regular file; --no-config ignores it", path)
		}
		if err != nil {
			return nil, err
		}
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, settings.MaxFile+1))
}

// findProject returns the path of the project file in the current folder, or in the nearest folder
// above it within the repository. It returns "" if there is none. Outside a repository it searches
// only the current folder, because files in parents may belong to other people.
func findProject() (string, error) {
	here, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("looking for %s: %w", settings.FileName, err)
	}
	exists := func(path string) (bool, error) {
		_, err := os.Stat(path)
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			return err == nil, nil
		}
		return false, fmt.Errorf("looking for %s: %w", settings.FileName, err)
	}
	found, up := "", "."
	for dir := here; ; dir, up = filepath.Dir(dir), filepath.Join(up, "..") {
		if found == "" {
			ok, err := exists(filepath.Join(dir, settings.FileName))
			if err != nil {
				return "", err
			}
			if ok && up == "." {
				return settings.FileName, nil
			}
			if ok {
				found = filepath.Join(up, settings.FileName)
			}
		}
		if root, err := exists(filepath.Join(dir, ".git")); err != nil || root {
			return found, err
		}
		if dir == filepath.Dir(dir) {
			return "", nil
		}
	}
}

// ignores implements finding.Rule. It reports whether the settings ignore a finding.
func (p *project) ignores(id, method string, above iter.Seq[string]) bool {
	return p.Ignored(id, method, above) != nil
}

// listed removes the rows that the settings hide. The returned function notes in the report how
// many rows were removed.
func (p *project) listed(set *finding.Set) (*finding.Set, func(*report.Report)) {
	var ignored, foreign finding.Removed
	if len(p.Ignore) > 0 {
		set, ignored = set.Without(p.ignores)
	}
	if p.OwnOnly {
		set, foreign = set.OwnOnly()
	}
	return set, func(made *report.Report) {
		made.NoteIgnored(ignored, p.path)
		made.NoteForeign(foreign.Tasks, foreign.Code)
	}
}
