package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/group"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/render"
	"github.com/diffprof/diffprof/settings"
)

// groupFlags are the flags of diffprof group.
type groupFlags struct {
	project
	format, output, color string
	list, cache           string
	forget                bool
	jobs                  int
}

func newGroup(files *outputs) *cobra.Command {
	var f groupFlags
	cmd := &cobra.Command{
		Use:   "group [flags] [NAME=]FILE...",
		Short: "Compare each app of a group with every other",
		Long: `group compares every app with every other app: the energy of each run, how
many of its tasks other apps share, the energy of its unique tasks, what any two
apps have in common, and which app uses least for each task (DiffProf, OSDI
2018, Figures 1 and 2, Table 3).

An app is NAME=FILE, or is named after its file. Repeated runs count by their
mean. --list reads the apps from a YAML file:

  apps:
    - name: Pandora
      version: "8.3"
      trace: pandora83.trace
      mapping: pandora83-mapping.txt
    - name: Tidal
      runs: ['tidal/*.trace']

Apps are ranked only where their recordings are comparable: both sampled or both
instrumented, with energy from equal sources, and complete and of similar length
where calls are not counted. An interrupted run continues where it stopped.`,
		Example: `  diffprof group pandora=p.trace spotify=s.trace tidal='tidal/*.trace'

  # A page with the heat map, and call trees side by side
  diffprof group --list music.yaml --format html -o music.html

  # Versions that the history keeps
  diffprof group history:1.0 history:1.1 history:main`,
		RunE: func(cmd *cobra.Command, args []string) error {
			members, err := f.members(cmd, args)
			if err != nil {
				return err
			}
			if err := f.loadOne(""); err != nil {
				return err
			}
			return f.run(cmd.Context(), files, members)
		},
	}
	f.bind(cmd)
	inGroup(cmd, settings.Reading, func(flags *pflag.FlagSet) {
		parsedVar(flags, &f.list, "list", settings.KindFile, "take the apps from a YAML `FILE`", fileName)
		parsedVar(flags, &f.cache, "cache", settings.KindFolder, "keep comparisons in `FOLDER` (default the user's cache folder)", fileName)
		flags.BoolVar(&f.forget, "no-cache", false, "compute all comparisons anew, and keep none")
		parsedVar(flags, &f.jobs, "jobs", "N", "compute N comparisons at a time (default one for each processor)", parseCount)
	})
	complete(cmd, "jobs")
	bindOutput(cmd, &f.format, &f.output, report.ByApp)
	bindColor(cmd, &f.color)
	return cmd
}

// members returns the apps that the arguments and the list name.
func (f *groupFlags) members(cmd *cobra.Command, args []string) ([]group.Member, error) {
	var members []group.Member
	if f.list != "" {
		var err error
		if members, err = group.ReadList(f.list); err != nil {
			return nil, err
		}
	}
	for _, arg := range args {
		name, path, named := strings.Cut(arg, "=")
		if _, err := os.Stat(arg); named && name != "" && err != nil {
			members = append(members, group.Member{Name: name, Runs: []string{path}})
			continue
		}
		// A pattern without a name is one app per file, as if the shell had expanded the pattern.
		found, err := fitting(cmd.Context(), []string{arg})
		if err != nil {
			return nil, err
		}
		for _, path := range found {
			members = append(members, group.Member{Runs: []string{path}})
		}
	}
	nameFiles(members)
	if len(members) < 2 {
		return nil, fmt.Errorf("group takes two recordings or more, as arguments or from --list; see %s --help", cmd.CommandPath())
	}
	for _, m := range members {
		if slices.Contains(m.Runs, "-") {
			return nil, errors.New("group reads a recording more than once: give files, not the standard input")
		}
	}
	return members, nil
}

// nameFiles names the members that have no name. The name is the file's, up to the first dot. If
// two files have the same name, it includes the folder. A run of the history keeps its name there.
func nameFiles(members []group.Member) {
	base := func(path string) string {
		if ref, kept := strings.CutPrefix(path, analysis.StoredPrefix); kept {
			return ref
		}
		base := filepath.Base(path)
		if name, _, _ := strings.Cut(base, "."); name != "" {
			return name
		}
		return base
	}
	count := make(map[string]int)
	for i := range members {
		if members[i].Name == "" {
			count[base(members[i].Path())]++
		}
	}
	for i := range members {
		m := &members[i]
		if m.Name != "" {
			continue
		}
		m.Name = base(m.Path())
		if folder := filepath.Base(filepath.Dir(m.Path())); count[m.Name] > 1 && folder != "." {
			m.Name = folder + "/" + m.Name
		}
	}
}

func (f *groupFlags) run(ctx context.Context, files *outputs, members []group.Member) error {
	inputs := f.inputs()
	for _, m := range members {
		runs, err := analysis.Expand(ctx, m.Runs...)
		if err != nil {
			return err
		}
		inputs = append(inputs, append(runs, m.Mapping, m.Flows)...)
	}
	out, err := files.open(f.output, inputs...)
	if err != nil {
		return err
	}
	write := bufio.NewWriter(out)
	o := group.Options{Compare: f.Options, Workers: f.jobs, Cache: f.cache, Fingerprint: f.fingerprint()}
	switch user, err := os.UserCacheDir(); {
	case f.forget:
		o.Cache = ""
	case o.Cache == "" && err == nil:
		o.Cache = filepath.Join(user, "diffprof", "group")
	}
	renderer, _ := render.Find(report.ByApp, f.format)
	made, err := f.compareAll(ctx, members, o, renderer)
	if err != nil {
		return err
	}
	err = renderer.Render(write, &report.Document{View: report.ByApp, Apps: made}, renderOptions(&f.Settings, f.color, files.stdout, f.output == ""))
	return finish(files, write, err)
}

// rankedRows is the largest number of rows in a call tree of the report.
const rankedRows = 200

// compareAll compares the apps and returns the report. It shows progress on a terminal.
func (f *groupFlags) compareAll(ctx context.Context, members []group.Member, o group.Options, renderer render.Renderer) (*report.AppGroup, error) {
	update, end := terminalProgress()
	defer end()
	if update != nil {
		o.Progress = func(done, total int64) { update("comparing", done, total) }
	}
	g, err := group.Run(ctx, members, o)
	if err != nil {
		return nil, err
	}
	made := report.NewAppGroup(g, toolVersion(), f.TopOr(renderer.Top))
	if renderer.Rankings > 0 {
		err = made.AddFlasks(ctx, g, renderer.Rankings, rankedRows)
	}
	return made, err
}

// fingerprint changes with the build of the program and with settings that affect results.
func (f *groupFlags) fingerprint() string {
	var b strings.Builder
	fmt.Fprintln(&b, toolVersion())
	if path, err := os.Executable(); err == nil {
		if info, err := os.Stat(path); err == nil {
			fmt.Fprintln(&b, info.Size(), info.ModTime().UnixNano())
		}
	}
	for _, s := range f.flags {
		if s.Stage != settings.Output {
			fmt.Fprintf(&b, "%s %q\n", s.Setting, s.given)
		}
	}
	if f.path != "" {
		data, err := f.readFile(f.path)
		fmt.Fprintf(&b, "%q %v\n", data, err)
	}
	return b.String()
}
