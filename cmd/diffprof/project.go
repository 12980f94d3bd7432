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

// without returns a result without the tasks that the project file says not to
// list, and how many those are.
func (p *project) without(r *analysis.Result) (*analysis.Result, int) {
	if len(p.settings.Ignore) == 0 {
		return r, 0
	}
	return report.Without(r, func(id, method string, above []string) bool {
		return p.settings.Ignored(id, method, above) != nil
	})
}
