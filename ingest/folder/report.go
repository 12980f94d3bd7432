package folder

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// reportSuffix is the end of the file names of reports by Jetpack's benchmarks.
const reportSuffix = "-benchmarkData.json"

// maxReport limits the size of a report. A report of ten scenarios has several hundred kilobytes.
const maxReport = 64 << 20

// iterations is the type that a report gives to the recordings of the iterations.
const iterations = "PerfettoTrace"

// A benchmarkReport is the part of a report that lists recordings.
type benchmarkReport struct {
	Benchmarks []struct {
		Name, ClassName string
		ProfilerOutputs []struct{ Type, Filename string }
	}
}

// readReport returns the groups that a report lists. The parameter at is the report's path, and
// files are the files of the folder. If no listed recording exists, there are no groups.
func readReport(folder fs.FS, at string, files []string) ([]Group, error) {
	f, err := folder.Open(at)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxReport+1))
	if err == nil && len(data) > maxReport {
		err = errors.New("it has more than 64 MiB")
	}
	var report benchmarkReport
	if err == nil {
		err = json.Unmarshal(data, &report)
	}
	if err != nil {
		return nil, fmt.Errorf("the report %s cannot be read: %w", at, err)
	}
	var groups []Group
	for _, b := range report.Benchmarks {
		byType := make(map[string]int)
		missing := ""
		for _, o := range b.ProfilerOutputs {
			file := path.Join(path.Dir(at), o.Filename)
			if _, found := slices.BinarySearch(files, file); !found {
				if o.Type == iterations {
					missing = file
				}
				continue
			}
			i, ok := byType[o.Type]
			if !ok {
				i = len(groups)
				byType[o.Type] = i
				name := b.ClassName[strings.LastIndexByte(b.ClassName, '.')+1:] + "." + b.Name
				if o.Type != iterations {
					name += ", " + o.Type
				}
				groups = append(groups, Group{Name: path.Join(path.Dir(at), name), Unrelated: o.Type != iterations})
			}
			if !slices.Contains(groups[i].Files, file) {
				groups[i].Files = append(groups[i].Files, file)
			}
		}
		if i, ok := byType[iterations]; ok && missing != "" {
			groups[i].Fault = fmt.Sprintf("%s refers to %s, which does not exist", path.Base(at), path.Base(missing))
		}
	}
	return groups, nil
}
