package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/diffprof/diffprof/comment"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/settings"
)

// commentFlags are the flags of diffprof comment.
type commentFlags struct {
	change   comment.Change
	name     string
	dry      bool
	patience time.Duration
}

func newComment(files *outputs) *cobra.Command {
	f := commentFlags{patience: 5 * time.Minute}
	cmd := &cobra.Command{
		Use:   "comment [flags] [FILE]",
		Short: "Post a comparison as the comment of a pull request, or update it",
		Long: `comment posts the Markdown of compare to a pull request of GitHub or a merge
request of GitLab. Each run updates the comment that --name identifies.

In GitHub Actions and GitLab CI the environment names the pull request. The
token is GITHUB_TOKEN, GH_TOKEN or GITLAB_TOKEN. It is sent only to the API.
docs/ci.md has recipes.`,
		Example: `  diffprof compare --format markdown new.trace old.trace | diffprof comment

  # What would be done
  diffprof comment --dry-run energy.md

  # By hand, on your own server
  diffprof comment --api https://git.acme.com/api/v3 --repo acme/app --pull-request 5 energy.md
  diffprof comment --api https://gitlab.acme.com/api/v4 --repo group/app --pull-request 5 energy.md`,
		Args: atMost("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			path := "-"
			if len(args) > 0 {
				path = args[0]
			}
			return f.run(cmd.Context(), files, path)
		},
		ValidArgsFunction: fileArgs(1),
	}
	inGroup(cmd, settings.Output, func(flags *pflag.FlagSet) {
		flags.StringVar(&f.name, "name", "", "call the comment `NAME` (default the workflow and the job)")
		flags.BoolVar(&f.dry, "dry-run", false, "write nothing; print what would be done")
	})
	inGroup(cmd, groupGeneral, func(flags *pflag.FlagSet) {
		parsedVar(flags, &f.change.Service, "service", "SERVICE", "post on github or gitlab (default by the environment and --api)", func(s string) (comment.Service, error) {
			known, err := oneOf(string(comment.GitHub), string(comment.GitLab))(s)
			return comment.Service(known), err
		})
		flags.StringVar(&f.change.API, "api", "", "reach the API at `URL`, such as https://HOST/api/v3 or https://HOST/api/v4 (default by the environment)")
		flags.StringVar(&f.change.Repo, "repo", "", "the repository, `OWNER/NAME`, or the path or number of a project of GitLab (default by the environment)")
		parsedVar(flags, &f.change.Number, "pull-request", "NUMBER", "the pull request or merge request (default by the environment)", parseNumber)
		parsedVar(flags, &f.patience, "patience", "TIME", "wait up to TIME if the service is down or limits requests (default 5m)", parseSpan)
	})
	complete(cmd, "service", string(comment.GitHub), string(comment.GitLab))
	for _, flag := range []string{"name", "api", "repo", "pull-request", "patience"} {
		complete(cmd, flag)
	}
	return cmd
}

// parseNumber reads an integer of at least 1.
func parseNumber(s string) (int, error) {
	n, err := strconv.ParseInt(s, 10, 32)
	if err != nil || n < 1 {
		return 0, errors.New("use a whole number from 1 up")
	}
	return int(n), nil
}

// maxComment is the largest number of bytes that are read of a comment's file. No service accepts
// comments of this size.
const maxComment = 8 << 20

func (f *commentFlags) run(ctx context.Context, files *outputs, path string) error {
	change, err := comment.Find(os.Getenv, f.change)
	if err != nil {
		return err
	}
	token, err := comment.Token(os.Getenv, change)
	if err != nil {
		return &unpostedError{err}
	}
	out, err := files.open("")
	if err != nil {
		return err
	}
	text, err := readComment(path)
	if err != nil {
		return fmt.Errorf("reading the comment: %w", err)
	}
	name := f.name
	if name == "" {
		name = comment.Name(os.Getenv)
	}
	done, err := comment.Open(change, comment.Options{Token: token, Version: toolVersion(), Patience: f.patience}).Put(ctx, name, text, f.dry)
	switch {
	case ctx.Err() != nil:
		return &stoppedError{left: "stopped; the comment may or may not have been written"}
	case err != nil:
		return &unpostedError{err}
	}
	write := bufio.NewWriter(out)
	if f.dry {
		fmt.Fprint(write, "would be ") // A bufio.Writer keeps its first error.
	}
	fmt.Fprintf(write, "%s: %s", done.Action, done.URL)
	if done.Removed > 0 {
		fmt.Fprintf(write, "; deleted %s of the same name", words.Some(done.Removed, "other comment"))
	}
	fmt.Fprintln(write)
	return finish(files, write, nil)
}

// An unpostedError means that a comment could not be posted.
type unpostedError struct{ error }

// Unwrap returns the cause.
func (e *unpostedError) Unwrap() error { return e.error }

// readComment reads a file, or the standard input.
func readComment(path string) (string, error) {
	in := os.Stdin
	if path != "-" {
		file, err := os.Open(path)
		if err != nil {
			return "", err
		}
		defer file.Close()
		in = file
	}
	data, err := io.ReadAll(io.LimitReader(in, maxComment))
	return string(data), err
}
