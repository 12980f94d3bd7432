package group

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/internal/table"
)

// ReadList reads a list of apps from a file in YAML:
//
//	apps:
//	  - name: Pandora
//	    version: "5.7"
//	    trace: pandora-5.7.trace
//	    mapping: pandora-mapping.txt
//	  - name: Tidal
//	    runs: [tidal/*.trace]
//
// Paths are relative to the file's folder, except for the names of kept runs (history:4f2c1a). The
// key name is required, and either trace or runs, a list of recordings, patterns and folders. The other
// keys are optional: version is shown after the name, and mapping, flows and process have the same
// meaning as in diffprof compare. Faults in the list have the type table.Problems.
func ReadList(path string) ([]Member, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("reading the list of apps: %w", err)
	}
	defer f.Close()
	return readList(f, path)
}

func readList(r io.Reader, path string) ([]Member, error) {
	data, err := io.ReadAll(io.LimitReader(r, table.MaxFile+1))
	if err != nil {
		return nil, fmt.Errorf("reading the list of apps: %w", err)
	}
	root, err := table.Read(data, "list of apps")
	if err != nil {
		return nil, inFile(path, err)
	}
	var members []Member
	root.Object(map[string]func(table.Value){"apps": func(apps table.Value) {
		for _, app := range apps.List() {
			members = append(members, member(app, filepath.Dir(path)))
		}
	}})
	if len(members) == 0 {
		root.Fail("the list names no apps: write apps: and under it entries with name: and trace:")
	}
	if err := root.Err(); err != nil {
		return nil, inFile(path, err)
	}
	return members, nil
}

// member reads an entry of the list.
func member(app table.Value, folder string) Member {
	var m Member
	var trace string
	runs := false
	text := func(to *string) func(table.Value) {
		return func(v table.Value) { *to, _ = v.Text() }
	}
	app.Object(map[string]func(table.Value){
		"name": text(&m.App), "version": text(&m.Version), "process": text(&m.Process),
		"trace": text(&trace), "mapping": text(&m.Mapping), "flows": text(&m.Flows),
		"runs": func(list table.Value) {
			runs = true
			for _, v := range list.List() {
				if path, ok := v.Text(); ok && path != "" {
					m.Runs = append(m.Runs, resolve(folder, path))
				}
			}
		},
	})
	if trace != "" {
		m.Runs = append(m.Runs, resolve(folder, trace))
	}
	switch {
	case m.App == "":
		app.Fail("the app has no name")
	case trace != "" && runs:
		app.Fail("%s has trace and runs: write one of them", m.App)
	case len(m.Runs) == 0:
		app.Fail("%s has no trace: write trace: FILE, or runs: and a list of files", m.App)
	}
	m.Name = strings.TrimSpace(m.App + " " + m.Version)
	m.Mapping, m.Flows = resolve(folder, m.Mapping), resolve(folder, m.Flows)
	return m
}

// inFile adds the file's path to problems.
func inFile(path string, err error) error {
	var problems table.Problems
	if errors.As(err, &problems) {
		for _, p := range problems {
			p.File = path
		}
	}
	return err
}

// resolve resolves a path relative to a folder. An empty path and the name of a kept run do not
// change.
func resolve(folder, path string) string {
	if path == "" || filepath.IsAbs(path) || analysis.IsStored(path) {
		return path
	}
	return filepath.Join(folder, path)
}
