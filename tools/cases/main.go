// Command cases creates the sample traces in testdata: pairs that replay the case studies of the
// DiffProf paper (OSDI 2018, Section 5.3, Tables 4 to 6), runs that replay the case studies of
// eprof (EuroSys 2012, Sections 4.1, 7 and 8), and files with typical damage.
//
// Usage:
//
//	go run ./tools/cases -o testdata
//
// The traces were not recorded. The paper states the energy of a task, the number of its calls and
// its context. The outlines of this package state the same data. The program converts an outline to
// the events of a method trace with suitable processor times. Each run of the program gives the
// same output.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

//go:generate go run . -o ../../testdata

func main() {
	out := flag.String("o", "testdata", "folder to write to")
	flag.Parse()
	if err := run(*out); err != nil {
		fmt.Fprintln(os.Stderr, "cases:", err)
		os.Exit(1)
	}
}

func run(folder string) error {
	files, err := generate()
	if err != nil {
		return err
	}
	for _, f := range files {
		path := filepath.Join(folder, filepath.FromSlash(f.name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, f.data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// A file is one generated file. Its name is relative to testdata.
type file struct {
	name string
	data []byte
}

// generate returns all files, grouped by the first parts of their names.
func generate() ([]file, error) {
	files := []file{{"cases/power_profile.xml", []byte(powerProfile)}}
	for _, p := range pairs() {
		for _, side := range []struct {
			name string
			app  app
		}{{"subject", p.subject}, {"reference", p.reference}} {
			made, err := side.app.files("cases/" + p.name + "/" + side.name)
			if err != nil {
				return nil, fmt.Errorf("%s, %s: %w", p.name, side.name, err)
			}
			files = append(files, made...)
		}
	}
	files = append(files, file{"eprof/power_profile.xml", []byte(eprofProfile)})
	for _, s := range eprofScripts() {
		made, err := s.files()
		if err != nil {
			return nil, err
		}
		files = append(files, made...)
	}
	bad, err := corrupt()
	return append(files, bad...), err
}
