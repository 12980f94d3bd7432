package ingest

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/diffprof/diffprof/ingest/folder"
)

// A FolderError reports that a path is not a recording but a folder that contains recordings.
type FolderError struct {
	Path string
	// Groups are the recordings in the folder, grouped by scenario.
	Groups []folder.Group
	// cause is the error that lists the recordings to choose from.
	cause error
}

// Error returns a message that lists the recordings to choose from.
func (e *FolderError) Error() string {
	return fmt.Sprintf("%s is a folder, not a recording: %v", e.Path, e.cause)
}

// Hint lists the recordings of the folder that the user can open.
func (e *FolderError) Hint() string { return e.cause.Error() }

// Runs returns the recordings in a folder of one scenario, in the order of the runs. It knows the
// folder layouts of Macrobenchmark, Android Studio and diffprof record (see package folder). For a
// folder with several scenarios, it returns a *FolderError. For any other path, it returns the path
// itself.
func Runs(ctx context.Context, path string) ([]string, error) {
	f, err := Open(ctx, path, Options{})
	if err == nil {
		return []string{path}, f.Close()
	}
	var in *FolderError
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case !errors.As(err, &in):
		return []string{path}, nil // The caller opens the path and gets the error then.
	}
	chosen, err := folder.Choose(in.Groups)
	if err != nil {
		return nil, in
	}
	runs := make([]string, len(chosen.Files))
	for i, file := range chosen.Files {
		runs[i] = filepath.Join(path, filepath.FromSlash(file))
	}
	return runs, nil
}

// holds returns a *FolderError if the folder contains recordings. It returns nil if there are none.
func (f *File) holds(ctx context.Context) error {
	groups, err := folder.Read(f.source.Folder(), func(file string) (string, error) { return f.kind(ctx, file) })
	if err != nil || len(groups) == 0 {
		return err
	}
	e := &FolderError{Path: f.path, Groups: groups}
	chosen, err := folder.Choose(groups)
	if err == nil {
		err = fmt.Errorf("name one of its %d runs, such as %s", len(chosen.Files), chosen.Files[0])
	}
	e.cause = err
	return e
}

// kind returns the format of a file in the folder, or "" if the file is not a recording. A text
// file must also have an extension of its format, because many kinds of text look like recordings.
func (f *File) kind(ctx context.Context, file string) (string, error) {
	name := strings.ToLower(strings.TrimSuffix(strings.TrimSuffix(file, ".gz"), ".zst"))
	var formats []Format
	for _, format := range Formats() {
		if !format.Text || slices.ContainsFunc(format.Extensions, func(ext string) bool { return strings.HasSuffix(name, "."+ext) }) {
			formats = append(formats, format)
		}
	}
	source, err := openSource(ctx, filepath.Join(f.path, filepath.FromSlash(file)), Options{MaxExpanded: f.opts.MaxExpanded})
	if err != nil {
		return "", ctx.Err() // A file that cannot be opened is not a recording.
	}
	i, err := recognise(ctx, source, formats)
	if err != nil || i < 0 {
		return "", errors.Join(ctx.Err(), source.close())
	}
	if err := source.close(); err != nil {
		return "", err
	}
	return formats[i].Name, nil
}
