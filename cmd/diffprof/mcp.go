package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/docs"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/mcp"
	"github.com/diffprof/diffprof/settings"
)

// mcpFlags are the flags of diffprof mcp.
type mcpFlags struct {
	project
	allow  []string
	write  bool
	tokens int
	index  *mcp.Index
}

func newMCP(files *outputs) *cobra.Command {
	f := mcpFlags{tokens: mcp.DefaultTokens}
	cmd := &cobra.Command{
		Use:   "mcp [flags]",
		Short: "Answer coding assistants over the Model Context Protocol",
		Long: `mcp is a server of the Model Context Protocol. A coding assistant starts it in
the folder of your project and asks which task costs more than in another
version, whether that is more than noise, and at which line.

It reads the pair of diffprof.yaml and files in this folder. It writes nothing
and starts no program without --allow-write. docs/assistants.md says how to set
up your assistant.`,
		Example: `  # In the settings of an assistant
  {"mcpServers": {"diffprof": {"command": "diffprof", "args": ["mcp"]}}}

  # Recordings are in another folder, and the assistant may record new ones
  diffprof mcp --allow ~/traces --allow-write`,
		Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return f.run(cmd.Context(), files)
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	inGroup(cmd, groupGeneral, func(flags *pflag.FlagSet) {
		parsedVar(flags, &f.allow, "allow", settings.KindFolder, "also let the assistant name files in `FOLDER`; repeatable",
			func(text string) ([]string, error) {
				folder, err := filepath.Abs(text)
				return append(f.allow, folder), err
			})
		flags.BoolVar(&f.write, "allow-write", false, "let the assistant record an app with adb and write baselines, in the allowed folders")
		parsedVar(flags, &f.tokens, "max-tokens", "N", fmt.Sprintf("bound an answer to N tokens (default %d)", mcp.DefaultTokens), parseTokens)
	})
	f.bindConfig(cmd)
	complete(cmd, "max-tokens", "2000", "4000", "8000")
	return cmd
}

// minTokens is the smallest allowed limit of an answer. An answer with one row fits.
const minTokens = 500

// parseTokens parses the limit of an answer.
func parseTokens(s string) (int, error) {
	n, err := parseCount(s)
	if err == nil && n < minTokens {
		err = fmt.Errorf("an answer needs at least %d", minTokens)
	}
	return n, err
}

func (f *mcpFlags) run(ctx context.Context, files *outputs) error {
	boundGarbage()
	here, err := os.Getwd()
	if err != nil {
		return err
	}
	cache := ""
	if folder, err := os.UserCacheDir(); err == nil {
		cache = filepath.Join(folder, "diffprof", "outlines")
	}
	f.index = mcp.NewIndex(cache, here)
	o := mcp.Options{
		Version: toolVersion(), Folders: append([]string{here}, f.allow...), Tokens: f.tokens, Docs: docs.Pages, Log: os.Stderr,
		Source: mcp.Source{Settings: f.current, Compare: f.answer, Index: f.index.Refresh},
	}
	if f.write {
		o.Write = &mcp.Write{Record: recordApart}
	}
	server, err := mcp.New(o)
	if err != nil {
		return err
	}
	conn := stdio{os.Stdin, files.stdout}
	return server.Serve(ctx, conn, conn)
}

// current reads the settings again, because diffprof.yaml may have changed.
func (f *mcpFlags) current(context.Context) (settings.Settings, error) {
	now := project{file: f.file, none: f.none}
	base, err := now.open()
	if err != nil {
		return base, err
	}
	err = now.load(base)
	return now.Settings, err
}

// answer compares the recordings that settings name.
func (f *mcpFlags) answer(ctx context.Context, s settings.Settings) (*finding.Set, error) {
	s.Coverage = true
	index, err := f.index.Refresh(ctx)
	if err != nil {
		return nil, err
	}
	// Classes in the workspace count as the app's own, as in an editor.
	s.Classes = index.Classes()
	r, err := analysis.Compare(ctx, s.Options)
	if err != nil {
		return nil, err
	}
	p := project{given: given{Settings: s}}
	return p.judged(r)
}

// recordApart runs diffprof record in a process of its own, so that its output and its signals do
// not affect the protocol. It returns the output.
func recordApart(ctx context.Context, arguments []string) (string, error) {
	program, err := os.Executable()
	if err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, program, append([]string{"record"}, arguments...)...)
	// An interrupted recording stops the programs that it started on the phone.
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err = cmd.Run()
	printed := strings.TrimSpace(out.String())
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return "", errors.New(printed)
	}
	return printed, err
}
