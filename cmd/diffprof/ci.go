package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/diffprof/diffprof/pipeline"
)

// newCI builds the command diffprof ci, with its subcommand.
func newCI(files *outputs) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "ci",
		Short: "Set up comparisons in the builds of a repository",
		Long: `ci sets up a repository of an Android app, so that each pull request gets a
comparison with its merge base.`,
		Args: noCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newCIInit(files))
	return cmd
}

// ciInitFlags are the flags of diffprof ci init.
type ciInitFlags struct {
	service    string
	force, dry bool
}

func newCIInit(files *outputs) *cobra.Command {
	var f ciInitFlags
	cmd := &cobra.Command{
		Use:   "init [flags] [FOLDER]",
		Short: "Write a workflow that compares each change with its merge base",
		Long: `init writes .github/workflows/energy.yml, or .gitlab/energy.yml, from the Gradle
files, tests and pipelines of a repository. The workflow runs a macrobenchmark, or
else the instrumented tests, on both versions in turn, and posts a comment.

init itself runs no build. It marks what it cannot know with TODO in the file.
docs/ci.md describes the next steps.`,
		Example: `  diffprof ci init --dry-run
  diffprof ci init --service gitlab path/to/app`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			folder := "."
			if len(args) > 0 {
				folder = args[0]
			}
			return f.run(files, folder)
		},
	}
	parsedVar(cmd.Flags(), &f.service, "service", "WORD", "write for `WORD`: github or gitlab (default: what the repository has, or else github)", oneOf(string(pipeline.GitHub), string(pipeline.GitLab)))
	complete(cmd, "service", string(pipeline.GitHub), string(pipeline.GitLab))
	cmd.Flags().BoolVar(&f.force, "force", false, "replace the file if it exists")
	cmd.Flags().BoolVar(&f.dry, "dry-run", false, "print the file, and write nothing")
	return cmd
}

func (f *ciInitFlags) run(files *outputs, folder string) error {
	if info, err := os.Stat(folder); err != nil {
		return fmt.Errorf("looking at the repository: %w", err)
	} else if !info.IsDir() {
		return fmt.Errorf("looking at the repository: %s is not a folder", folder)
	}
	r, err := pipeline.Inspect(os.DirFS(folder))
	if err != nil {
		return err
	}
	service := pipeline.Service(f.service)
	if service == "" {
		service = pipeline.GitHub
		if r.GitLab && !r.GitHub {
			service = pipeline.GitLab
		}
	}
	p, err := pipeline.NewPlan(r, service, toolVersion())
	if err != nil {
		return err
	}
	text, err := p.Write()
	if err != nil {
		return err
	}
	path := filepath.Join(folder, filepath.FromSlash(p.File()))
	out, err := files.open("-")
	if err != nil {
		return err
	}
	write := bufio.NewWriter(out)
	if f.dry {
		write.Write(text) // a bufio.Writer keeps its first error
		return finish(files, write, nil)
	}
	if old, err := os.ReadFile(path); err == nil && !bytes.Equal(old, text) && !f.force {
		return fmt.Errorf("%s exists, and differs: --force replaces it, --dry-run prints the new one", path)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("writing %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return fmt.Errorf("writing %w", err)
	}
	file, err := files.open(path)
	if err != nil {
		return err
	}
	if _, err := file.Write(text); err != nil {
		return fmt.Errorf("writing %w", err)
	}
	what := "the instrumented tests of " + p.Module.Path
	if p.Benchmark() {
		what = p.Class + " of " + p.Module.Path
	}
	fmt.Fprintf(write, "%s records %s.\n", path, what)
	for _, u := range p.Unknown {
		fmt.Fprintf(write, "TODO: %s.\n", u)
	}
	next := "Next: commit the file, and open a pull request."
	if service == pipeline.GitLab {
		next = "Next: include the file in .gitlab-ci.yml, set the variable GITLAB_TOKEN, and open a merge request."
	}
	fmt.Fprintln(write, next)
	return finish(files, write, nil)
}
