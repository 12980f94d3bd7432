package calls

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/diffprof/diffprof/ingest/format"
	"github.com/diffprof/diffprof/trace"
)

// Format describes recordings of instrumented apps.
var Format = format.Format{
	Name:       "calls",
	Title:      "recordings of instrumented apps",
	Start:      "`89 44 50 43 41 4c 4c 0a`, or a folder with a map of the app and such files",
	Extensions: []string{"calls"},
	Facts: []format.Fact{
		{Name: "run", Detail: "call paths, with the number of their calls"},
		{Name: "methods", Detail: "class, name, descriptor and source file; for calls of the framework also the line"},
		{Name: "lines", Detail: "how often each line ran, if the app was changed with --paths"},
		{Name: "threads", Detail: "id, name and process"},
		{Name: "clocks", Detail: "elapsed time; processor time on Android"},
		{Name: "calls", Detail: "counted; calls of the framework by call site"},
	},
	Record: []format.Recipe{
		{
			Tools: "an app that was changed to count its calls; neither a debuggable app nor a rooted phone is needed",
			Steps: []string{
				"adb install calls.apk",
				"use the app for more than two seconds",
				"adb pull /sdcard/Android/data/com.mine/files/diffprof-calls run",
			},
			Note: "The folder has a file for each process and the map of the app. `cat run/* > run.calls` makes one file of it.",
		},
	},
	Sniff:  sniff,
	Decode: read,
}

const (
	// extension is for files of processes, mapExtension for maps as blocks, and mapSuffix for maps
	// in JSON.
	extension, mapExtension, mapSuffix = ".calls", ".calls-map", ".calls-map.json"

	// deepest is the number of folder levels to search. maxEntries limits the number of files and
	// folders.
	deepest    = 3
	maxEntries = 10_000
)

func sniff(s format.Source) bool {
	folder := s.Folder()
	if folder == nil {
		return Sniff(s.Head())
	}
	files, err := list(folder)
	mapped := false
	for _, f := range files {
		mapped = mapped || !strings.HasSuffix(f, extension)
	}
	return err == nil && mapped
}

var errMany = fmt.Errorf("the folder has more than %d files; name a folder in it", maxEntries)

// list lists the files of a recording in a folder, sorted by path.
func list(folder fs.FS) ([]string, error) {
	var files []string
	entries := 0
	err := fs.WalkDir(folder, ".", func(at string, entry fs.DirEntry, err error) error {
		entries++
		switch {
		case err != nil:
			return err
		case entries > maxEntries:
			return errMany
		case entry.IsDir() && at != "." && (strings.HasPrefix(entry.Name(), ".") || strings.Count(at, "/") >= deepest):
			return fs.SkipDir
		case !entry.Type().IsRegular():
			return nil
		}
		if ext := path.Ext(at); ext == extension || ext == mapExtension || strings.HasSuffix(at, mapSuffix) {
			files = append(files, at)
		}
		return nil
	})
	return files, err
}

func read(ctx context.Context, s format.Source, sink trace.Sink, o format.Options) (*trace.Trace, error) {
	files, err := load(ctx, s)
	if err != nil {
		return nil, err
	}
	return Decode(ctx, files, sink, Options{Process: o.Process, Partial: o.Partial})
}

// load reads the files of a recording.
func load(ctx context.Context, s format.Source) ([]File, error) {
	folder := s.Folder()
	if folder == nil {
		r, err := s.Stream(ctx)
		if err != nil {
			return nil, err
		}
		data, err := readAll(r, maxFile)
		return []File{{Data: data}}, err
	}
	names, err := list(folder)
	if err != nil {
		return nil, err
	}
	var files []File
	left := int64(maxFile)
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		r, err := s.File(name)
		if err != nil {
			return nil, err
		}
		data, err := readAll(r, left)
		if err != nil {
			return nil, err
		}
		left -= int64(len(data))
		files = append(files, File{Name: path.Join(s.Path(), name), Data: data})
	}
	return files, nil
}

// readAll reads r. If r has more than `most` bytes, it fails.
func readAll(r io.ReadCloser, most int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, most+1))
	if err == nil && int64(len(data)) > most {
		err = fail("", most, "name a folder with one run", "more than %d MiB", maxFile>>20)
	}
	return data, errors.Join(err, r.Close())
}
