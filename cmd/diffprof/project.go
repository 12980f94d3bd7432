package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/settings"
)

// A project is the project file that a command goes by.
type project struct {
	file  string
	none  bool
	flags settingFlags
	// read is the file that was read, empty if there is none; settings are what it,
	// flags and arguments say.
	read     string
	settings settings.Settings
}

// bind adds the flags that choose the file.
func (p *project) bind(cmd *cobra.Command) {
	inGroup(cmd, groupInput, func(flags *pflag.FlagSet) {
		flags.StringVar(&p.file, "config", "",
			"take settings from `FILE` (default diffprof.yaml here, or in a folder above up to the repository's root)")
		flags.BoolVar(&p.none, "no-config", false, "take no settings from a file")
	})
	mark(cmd.MarkFlagFilename("config", "yaml", "yml"))
	cmd.MarkFlagsMutuallyExclusive("config", "no-config")
}

// load reads the file, if there is one, puts flags and arguments on top of it, and
// sets the options that follow.
func (p *project) load(cmd *cobra.Command, args []string, o *analysis.Options, t *textFlags) error {
	if err := p.open(); err != nil {
		return err
	}
	var err error
	if p.settings, err = p.flags.on(p.settings); err != nil {
		return err
	}
	if len(args) > 0 {
		p.settings.Subject = args[0]
	}
	if len(args) > 1 {
		p.settings.Reference = args[1]
	}
	p.settings.Apply(o)
	t.unit = p.settings.Unit
	if o.Subject == "" || o.Reference == "" {
		return fmt.Errorf("%s takes SUBJECT and REFERENCE, from its arguments or from %s; see %s --help",
			cmd.Name(), settings.FileName, cmd.CommandPath())
	}
	return nil
}

func (p *project) open() error {
	p.settings = settings.Default()
	if p.none {
		return nil
	}
	path := p.file
	if path == "" {
		var err error
		if path, err = findProject(); err != nil || path == "" {
			return err
		}
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("reading the settings: %w", err)
	}
	s, problems := settings.Default().WithYAML(data, filepath.Dir(path))
	if len(problems) > 0 {
		more := ""
		if n := len(problems) - 1; n > 0 {
			more = fmt.Sprintf(" (and %d more)", n)
		}
		return fmt.Errorf("%s: %s%s", path, problems[0], more)
	}
	p.read, p.settings = path, s
	return nil
}

// findProject returns the project file of the current folder, or of the nearest
// folder above it within the repository; empty if there is none. Outside of
// repositories files further up are somebody else's.
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

// ignore takes the tasks out of a result that the project file says not to list.
// The result's summary stays that of all.
func (p *project) ignore(r *analysis.Result) int {
	if len(p.settings.Ignore) == 0 {
		return 0
	}
	source := r.Subject.Tree.Source
	kept := make([]int, 0, len(r.Tasks))
	for i, t := range r.Tasks {
		path := r.Subject.Tree.Path(t.Node)
		above := path[: len(path)-1 : len(path)-1]
		for _, c := range t.Callers {
			above = append(above, source.Label(c.Source))
		}
		if p.settings.Ignored(report.TaskID(r, i), path[len(path)-1], above) == nil {
			kept = append(kept, i)
		}
	}
	ignored := len(r.Tasks) - len(kept)
	for to, i := range kept {
		r.Tasks[to] = r.Tasks[i]
	}
	r.Tasks = r.Tasks[:len(kept)]
	return ignored
}

// note says in a report how many tasks were left out.
func (p *project) note(r *report.Report, ignored int) {
	if ignored == 0 {
		return
	}
	r.Ignored = ignored
	message := fmt.Sprintf("%d tasks are ignored by %s; the totals have their energy", ignored, p.read)
	if ignored == 1 {
		message = fmt.Sprintf("1 task is ignored by %s; the totals have its energy", p.read)
	}
	r.Warnings = append(r.Warnings, report.Note{Code: "ignored-tasks", Message: message})
}
