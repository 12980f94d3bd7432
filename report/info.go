package report

import (
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/code/platform"
	"github.com/diffprof/diffprof/ingest"
	"github.com/diffprof/diffprof/internal/syntax"
	"github.com/diffprof/diffprof/trace"
)

// An Info describes files and the data that they provide.
type Info struct {
	SchemaVersion int    `json:"schemaVersion"`
	Tool          Tool   `json:"tool"`
	Files         []File `json:"files"`
	// Formats are the formats of the files. A file of no known format has the formats that usually
	// have its extension. If there is no file, or no format has the extension, all formats are
	// listed.
	Formats []Format `json:"formats"`
}

// A File describes a file that could be read, or states why it could not.
type File struct {
	Path string `json:"path"`
	// Recording is nil if the file cannot be read.
	Recording *Recording `json:"recording"`
	// Problem is nil if the file can be read.
	Problem *Problem `json:"problem"`
	// Folder lists the recordings in a folder that is no recording itself. It is nil for other
	// files. The Problem suggests which recording to name.
	Folder []Runs `json:"folder"`
	// format is the name of the format of a file that cannot be read, empty if it is unknown.
	format string
}

// Runs are the recordings of one scenario in a folder.
type Runs struct {
	// Name is the recorded scenario. Format is the format of the recordings.
	Name   string `json:"name"`
	Format string `json:"format"`
	// Files are paths relative to the folder, in the order of the runs.
	Files []string `json:"files"`
	// Unrelated is set if a recording is in the scenario's folder but is not one of its runs.
	Unrelated bool `json:"beside"`
	// Fault is the problem of these recordings. It is empty if there is none.
	Fault string `json:"fault"`
}

// A Recording describes the contents of a file that can be read.
type Recording struct {
	// Size is the size of the stored file in bytes.
	Size int64 `json:"bytes"`
	// Compression names the compression formats, the outermost first.
	Compression []string `json:"compression"`
	Input       Input    `json:"input"`
	// Time breaks down the time of all threads. It is nil if the recording has no clock.
	Time *Usage `json:"time,omitempty"`
	// Unbounded is set if nothing in the recording limits how long its threads can have worked.
	Unbounded bool `json:"unbounded,omitempty"`
	// Lines describes the source lines of the samples.
	Lines SampleLines `json:"lines"`
	// Threads counts all threads, including threads without events. It is 0 if the recording does
	// not state threads.
	Threads int `json:"threads"`
	// Unlisted counts the methods that the recording uses but does not name.
	Unlisted int `json:"unlistedMethods"`
	// HandOvers counts hand-overs: work that one thread passes to another, such as a posted
	// Runnable.
	HandOvers int `json:"handOvers"`
	// Overflow is set if the recorder's buffer overflowed and the end is missing.
	Overflow bool `json:"overflow"`
	// Tracks has the recording's signals by part of the device.
	Tracks []Track `json:"tracks"`
	// AppPackages are the packages that count as the app's, sorted by energy.
	AppPackages []string `json:"appPackages"`
	// Warnings describe data that could not be used.
	Warnings []Note `json:"warnings"`
}

// A SampleLines describes which samples of a recording have a source line.
type SampleLines struct {
	// Share is the share of samples with a known line. Positions is the share with only a position
	// in DEX code.
	Share     float64 `json:"share"`
	Positions float64 `json:"positionShare"`
	// Advice describes how to record lines. It is empty if samples have lines or positions.
	Advice string `json:"advice"`
}

// newSampleLines describes the lines of the samples of an input.
func newSampleLines(in *analysis.Input) SampleLines {
	l := SampleLines{Share: in.Known.Share(), Positions: in.Known.PositionShare()}
	if l.Share+l.Positions == 0 {
		l.Advice = linesAdvice(in)
	}
	return l
}

// A Usage breaks down the time of all threads, in nanoseconds.
type Usage struct {
	// Working is processor time, and elapsed time in which threads ran.
	Working int64 `json:"workingNS"`
	// Waiting is time in which threads did not run.
	Waiting int64 `json:"waitingNS"`
	// Unknown is time in which threads worked or waited. Its energy is at most that of working.
	Unknown int64 `json:"unknownNS"`
	// Unrecorded is time without data, such as the time between the slices of a system trace.
	Unrecorded int64 `json:"unrecordedNS"`
}

// newUsage returns the usage of a recording, nil if it has no clock.
func newUsage(t *trace.Trace) *Usage {
	if t.Clock == 0 {
		return nil
	}
	u := t.Usage
	return &Usage{int64(u.Working), int64(u.Waiting), int64(u.Unknown), int64(u.Unrecorded)}
}

// unbounded reports whether a recording has times, but nothing that limits how long its threads can
// have worked.
func unbounded(t *trace.Trace) bool {
	return t.Clock != 0 && t.Elapsed <= 0 && t.Bound <= 0 && t.Usage.Working+t.Usage.Unknown > 0
}

// A Problem is the reason why a file cannot be read.
type Problem struct {
	// Known reports whether the file has a known format but is damaged, or could not be opened.
	Known bool `json:"known"`
	// Message states the problem. Hint states what to do and may be empty.
	Message string `json:"message"`
	Hint    string `json:"hint"`
	// convertible is true if the file need not be recorded again.
	convertible bool
}

// A Format is a format that can be read.
type Format struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	// Start describes the first bytes of files of the format, in Markdown.
	Start string `json:"begins"`
	// Extensions are the usual file extensions without the dot. The format is recognized by content,
	// not by extension.
	Extensions []string `json:"extensions"`
	Facts      []Fact   `json:"carries"`
	Record     []Recipe `json:"record"`
}

// A Fact is one kind of data in a format, such as times, and where the files have it.
type Fact struct {
	Name   string `json:"name"`
	Detail string `json:"how"`
}

// A Recipe is a way to record.
type Recipe struct {
	Tools string   `json:"with"`
	Steps []string `json:"steps"`
	// Note may be empty.
	Note string `json:"note"`
}

// NewInfo describes files, none or more.
func NewInfo(version string, files ...File) *Info {
	i := &Info{
		SchemaVersion: SchemaVersion, Tool: Tool{Name: "diffprof", Version: version},
		Files: append([]File{}, files...), Formats: []Format{},
	}
	used := map[string]bool{}
	unknown := false
	for _, f := range files {
		if f.Recording != nil {
			used[f.Recording.Input.Format] = true
		} else {
			used[f.format] = true
			if !f.Problem.Known {
				named := namedLike(f.Path)
				unknown = unknown || len(named) == 0 && !f.Problem.convertible
				for _, name := range named {
					used[name] = true
				}
			}
		}
		for _, g := range f.Folder {
			used[g.Format] = true
		}
	}
	for _, f := range ingest.Formats() {
		if used[f.Name] || unknown || len(files) == 0 {
			i.Formats = append(i.Formats, newFormat(f))
		}
	}
	return i
}

// namedLike returns the names of the formats whose files usually have the extension of path.
func namedLike(path string) []string {
	base := strings.ToLower(filepath.Base(path))
	for _, compressed := range []string{".gz", ".zst"} {
		base = strings.TrimSuffix(base, compressed)
	}
	var names []string
	for _, f := range ingest.Formats() {
		if slices.ContainsFunc(f.Extensions, func(ext string) bool { return strings.HasSuffix(base, "."+ext) }) {
			names = append(names, f.Name)
		}
	}
	return names
}

func newFormat(f ingest.Format) Format {
	format := Format{Name: f.Name, Title: f.Title, Start: f.Start, Extensions: f.Extensions, Facts: []Fact{}, Record: []Recipe{}}
	for _, c := range f.Facts {
		format.Facts = append(format.Facts, Fact(c))
	}
	for _, r := range f.Record {
		format.Record = append(format.Record, Recipe(r))
	}
	return format
}

// NewFile describes the file at path. The parameter in is what was read, or nil if reading failed
// with err. known has the rules for the owners of packages.
func NewFile(path string, in *analysis.Input, err error, known *platform.Platform) File {
	var folder *ingest.FolderError
	if errors.As(err, &folder) {
		f := File{Path: path, Problem: &Problem{Known: true, Message: "it is a folder of recordings", Hint: folder.Hint()}}
		for _, g := range folder.Groups {
			f.Folder = append(f.Folder, Runs(g))
		}
		return f
	}
	if err != nil {
		f := File{Path: path, Problem: newProblem(err)}
		var bad *ingest.DecodeError
		if errors.As(err, &bad) {
			f.format = bad.Format
		}
		return f
	}
	r := &Recording{
		Size: in.Size, Compression: append([]string{}, in.Compression...), Input: newInput(*in),
		Time: newUsage(in.Trace), Unbounded: unbounded(in.Trace), Lines: newSampleLines(in), Threads: statedThreads(in.Trace, len(in.Trace.Threads)), Unlisted: in.Trace.Unlisted, HandOvers: in.Trace.Flows, Overflow: in.Trace.Overflow,
		Tracks: newTracks(in.Tracks), AppPackages: []string{}, Warnings: notes(in.Trace.Warnings),
	}
	for _, p := range NewPackages([]*analysis.Input{in}, "", known, 0).Packages {
		if p.Class == "app" && p.Name != "" {
			r.AppPackages = append(r.AppPackages, p.Name)
		}
	}
	return File{Path: path, Recording: r}
}

func newProblem(err error) *Problem {
	var unknown *ingest.UnknownError
	var bad *syntax.Error
	switch {
	case errors.As(err, &unknown):
		return &Problem{Message: unknown.Description, Hint: unknown.Hint, convertible: unknown.Convertible}
	case errors.As(err, &bad):
		// The path and the hint have fields of their own.
		where := *bad
		where.File, where.Hint = "", ""
		return &Problem{Known: true, Message: where.Error(), Hint: bad.Hint}
	}
	return &Problem{Known: true, Message: err.Error()}
}

// WriteJSON writes the Info as indented JSON, ended by a newline.
func (i *Info) WriteJSON(w io.Writer) error { return writeJSON(w, i) }
