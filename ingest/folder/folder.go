// Package folder finds the runs in a folder to which a tool has saved recordings.
//
// A [Group] has the recordings of one scenario, in the order in which they were made. There are two
// ways to find groups:
//
//   - Macrobenchmark writes a report (NAME-benchmarkData.json). For each scenario, it lists one
//     recording per iteration. Other recordings next to the report are from an earlier run.
//   - Without a report, files are grouped by name. The names of a group's files differ only in a
//     number or a date at the end, or in the iteration (CLASS_METHOD_iter003_DATE.perfetto-trace).
//     Android Studio (cpu-art-20260917T073552.trace), diffprof record (run-3.trace) and Jetpack's
//     Microbenchmark use such names.
//
// The caller reads each file to find out whether it is a recording, and its format. Names are used
// only for grouping.
package folder

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const (
	// deepest is the number of folder levels that are searched. maxEntries limits the number of
	// files and folders.
	deepest    = 8
	maxEntries = 20_000
)

var errMany = fmt.Errorf("the folder holds more than %d files; name a folder in it", maxEntries)

// A Group is a list of recordings of one scenario.
type Group struct {
	// Name is the name of the scenario, such as StartupBenchmark.startup. Format is the
	// format of the files.
	Name, Format string
	// Files are paths within the folder, in the order of the runs.
	Files []string
	// Unrelated is set for recordings that are not the runs of a scenario. Examples are a system
	// trace that accompanies a method trace, and a recording that remains from an earlier run.
	Unrelated bool
	// Fault describes a problem with the group, or is empty.
	Fault string
}

// Pattern returns one path for all files of the group, such as run-*.trace. The * represents the
// part that differs.
func (g *Group) Pattern() string {
	if len(g.Files) < 2 {
		return strings.Join(g.Files, "")
	}
	first, last := slices.Min(g.Files), slices.Max(g.Files)
	begin := 0
	for begin < min(len(first), len(last)) && first[begin] == last[begin] {
		begin++
	}
	end := len(first) - begin
	for _, f := range g.Files {
		for end > 0 && !strings.HasSuffix(f[begin:], first[len(first)-end:]) {
			end--
		}
	}
	return first[:begin] + "*" + first[len(first)-end:]
}

// Read returns the groups of a folder. Groups from reports come first. The function format returns
// the format of a file, or "" for a file that is not a recording.
func Read(folder fs.FS, format func(file string) (string, error)) ([]Group, error) {
	files, err := list(folder)
	if err != nil {
		return nil, err
	}
	var groups []Group
	named := make(map[string]bool)    // named has the files that a report lists.
	reported := make(map[string]bool) // reported has the folders that have a report.
	for _, f := range files {
		if !strings.HasSuffix(f, reportSuffix) {
			continue
		}
		report, err := readReport(folder, f, files)
		if err != nil {
			return nil, err
		}
		groups = append(groups, report...)
		reported[path.Dir(f)] = len(report) > 0
		for _, g := range report {
			for _, f := range g.Files {
				named[f] = true
			}
		}
	}
	for i := range groups {
		if groups[i].Format, err = format(groups[i].Files[0]); err != nil {
			return nil, err
		}
	}
	rest := slices.DeleteFunc(files, func(f string) bool { return named[f] })
	byName, err := group(rest, format)
	if err != nil {
		return nil, err
	}
	for _, g := range byName {
		g.Unrelated = g.Unrelated || reported[path.Dir(g.Files[0])]
		groups = append(groups, g)
	}
	return groups, nil
}

// list lists the files of a folder, sorted by path.
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
		case entry.Type().IsRegular():
			files = append(files, at)
		}
		return nil
	})
	return files, err
}

// These parts may differ between the file names of a group.
var (
	iteration = regexp.MustCompile(`^(.+)_iter(\d{1,9})(?:[_-](.*))?$`)
	dated     = regexp.MustCompile(`^(.*?)[-_. ]?(\d{8}T?-?\d{6}|\d{4}-\d{2}-\d{2}(?:-\d{2}-\d{2}-\d{2})?)$`)
	numbered  = regexp.MustCompile(`^(.*?)[-_. ]?(\d{1,9})$`)
)

// A member is a file of a group that was found by name.
type member struct {
	path, date string
	number     int
}

// group groups files by their names.
func group(files []string, format func(file string) (string, error)) ([]Group, error) {
	type key struct{ name, format string }
	var keys []key
	members := make(map[key][]member)
	for _, f := range files {
		kind, err := format(f)
		if err != nil {
			return nil, err
		}
		if kind == "" {
			continue
		}
		m := member{path: f}
		k := key{format: kind}
		k.name, m.number, m.date = parse(f)
		if members[k] == nil {
			keys = append(keys, k)
		}
		members[k] = append(members[k], m)
	}
	var groups []Group
	for _, k := range keys {
		list := members[k]
		slices.SortStableFunc(list, func(a, b member) int {
			return cmp.Or(cmp.Compare(a.number, b.number), cmp.Compare(a.date, b.date))
		})
		g := Group{Name: k.name, Format: k.format}
		for i, m := range list {
			g.Files = append(g.Files, m.path)
			if i > 0 && m.number >= 0 && m.number == list[i-1].number && g.Fault == "" {
				g.Fault = fmt.Sprintf("run number %d exists more than once (%s and %s), so the files are from several series", m.number, path.Base(list[i-1].path), path.Base(m.path))
			}
		}
		// A system trace with the same name as other recordings only accompanies them.
		g.Unrelated = k.format == "perfetto" && slices.ContainsFunc(keys, func(other key) bool { return other.name == k.name && other != k })
		groups = append(groups, g)
	}
	return groups, nil
}

// parse splits a file's path into the name of its group, the number of the run and the date.
// Without a number, number is -1.
func parse(file string) (name string, number int, date string) {
	dir, stem := path.Split(file)
	for _, ext := range []string{".gz", ".zst"} {
		stem = strings.TrimSuffix(stem, ext)
	}
	stem = strings.TrimSuffix(stem, path.Ext(stem))
	number = -1
	if m := iteration.FindStringSubmatch(stem); m != nil {
		stem, date = m[1], m[3]
		number, _ = strconv.Atoi(m[2]) // The expression allows only nine digits, so Atoi cannot fail.
	} else if m := dated.FindStringSubmatch(stem); m != nil {
		stem, date = m[1], m[2]
	} else if m := numbered.FindStringSubmatch(stem); m != nil {
		stem = m[1]
		number, _ = strconv.Atoi(m[2])
	}
	return dir + stem, number, date
}

// ErrNone is the error of Choose for a folder without recordings.
var ErrNone = errors.New("the folder has no recordings")

// Choose returns the group whose files are the runs of the folder. It fails if there are several
// candidates. Groups that are Unrelated are candidates only if there are no others.
func Choose(groups []Group) (*Group, error) {
	candidates := make([]*Group, 0, len(groups))
	for _, extra := range []bool{false, true} {
		for i := range groups {
			if groups[i].Unrelated == extra {
				candidates = append(candidates, &groups[i])
			}
		}
		if len(candidates) > 0 {
			break
		}
	}
	switch {
	case len(candidates) == 0:
		return nil, ErrNone
	case len(candidates) == 1 && candidates[0].Fault == "":
		return candidates[0], nil
	case len(candidates) == 1:
		return nil, fmt.Errorf("%s: %s; name the files of one run", candidates[0].Name, candidates[0].Fault)
	}
	const shown = 4
	var list []string
	for _, g := range candidates[:min(len(candidates), shown)] {
		list = append(list, g.Pattern())
	}
	if more := len(candidates) - shown; more > 0 {
		list = append(list, fmt.Sprintf("and %d more", more))
	}
	return nil, fmt.Errorf("the folder holds recordings of %d scenarios: name the recordings of one, such as %s", len(candidates), strings.Join(list, ", "))
}
