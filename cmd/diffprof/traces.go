package main

import (
	"bufio"
	"context"

	"github.com/diffprof/diffprof/analysis"
)

// read reads the only input of the settings, with a progress bar on a terminal.
func (p *project) read(ctx context.Context) (*analysis.Input, error) {
	defer showProgress(&p.Options)()
	return analysis.Read(ctx, p.Options)
}

// compare compares the two recordings that the settings name, with a progress bar on a terminal.
func (p *project) compare(ctx context.Context) (*analysis.Result, error) {
	defer showProgress(&p.Options)()
	return analysis.Compare(ctx, p.Options)
}

// listFlags are the flags of a command that reads any number of recordings separately.
type listFlags struct {
	project
	format, output, color string
	// asRecorded ignores the API costs in the settings.
	asRecorded bool
}

// begin opens the output of a command that reads the recordings at paths.
func (f *listFlags) begin(files *outputs, paths []string) (*bufio.Writer, error) {
	if err := stdinOnce(paths...); err != nil {
		return nil, err
	}
	out, err := files.open(f.output, append(f.inputs(), paths...)...)
	return bufio.NewWriter(out), err
}

// expand sets the settings and returns the recordings that names refer to.
func (f *listFlags) expand(ctx context.Context, names []string) ([]string, error) {
	if err := f.loadOne(""); err != nil {
		return nil, err
	}
	return analysis.Expand(ctx, names...)
}

// one reads one of the traces.
func (f *listFlags) one(ctx context.Context, path string) (*analysis.Input, error) {
	if err := f.loadOne(path); err != nil {
		return nil, err
	}
	if f.asRecorded {
		f.APICosts, f.APIGuess, f.APICompat = "", false, ""
	}
	defer showProgress(&f.Options)()
	return analysis.ReadFile(ctx, f.Options)
}
