// Package joularjx reads the energies that JoularJX writes. JoularJX is a Java agent that divides
// the energy of the processor among methods.
//
// A run is a folder named after the process and the time. It contains files of call trees and of
// methods, which package folded reads. Only the most detailed file of a run is read. In order of
// preference, these are:
//
//	all/total/calltrees/joularJX-39456-all-call-trees-energy.csv
//	all/total/methods/joularJX-39456-all-methods-energy.csv
//	app/total/calltrees/joularJX-39456-filtered-call-trees-energy.csv
//	app/total/methods/joularJX-39456-filtered-methods-energy.csv
//
// The files report the same joules, so they are never summed. Power files have the same layout.
// They are not read, because the sum of watts at several moments is not an energy.
package joularjx

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

const (
	// deepest is the number of folder levels that are searched. maxEntries limits the number of
	// files and folders. A run has fewer than a hundred.
	deepest    = 6
	maxEntries = 10_000
	// shown is the number of runs that an error message lists.
	shown = 3
)

var begins = regexp.MustCompile(`^[\pL\pN_.$;<>/-]+,\d+\.\d+(\r?\n|$)`)

// Sniff reports whether head begins with a stack or a method, a comma and a decimal number.
func Sniff(head []byte) bool { return begins.Match(head) }

// isPower reports whether a file has the name of a power file. Only the name distinguishes power
// files from energy files.
func isPower(path string) bool { return strings.HasSuffix(path, "-power.csv") }

// kinds are the ends of the names of a run's files, the most detailed file first.
var kinds = []string{"-all-call-trees-energy.csv", "-all-methods-energy.csv", "-filtered-call-trees-energy.csv", "-filtered-methods-energy.csv"}

// files returns the energy files in a folder, with one list for each element of kinds.
func files(folder fs.FS) ([][]string, error) {
	found := make([][]string, len(kinds))
	entries := 0
	err := fs.WalkDir(folder, ".", func(at string, entry fs.DirEntry, err error) error {
		entries++
		switch {
		case err != nil:
			return err
		case entries > maxEntries:
			return fs.SkipAll
		case entry.IsDir():
			if strings.Count(at, "/") >= deepest-1 {
				return fs.SkipDir
			}
			return nil
		case !entry.Type().IsRegular() || !strings.Contains(path.Base(at), "joularJX-"):
			return nil
		}
		if i := slices.IndexFunc(kinds, func(kind string) bool { return strings.HasSuffix(at, kind) }); i >= 0 {
			found[i] = append(found[i], at)
		}
		return nil
	})
	return found, err
}

// Holds reports whether a folder has energy files of JoularJX.
func Holds(folder fs.FS) bool {
	found, err := files(folder)
	return err == nil && slices.ContainsFunc(found, func(names []string) bool { return len(names) > 0 })
}

// Find returns the file to read in a folder with one run. For a folder with several runs, it
// returns an error that lists some of the runs.
func Find(folder fs.FS) (string, error) {
	found, err := files(folder)
	if err != nil {
		return "", err
	}
	for _, names := range found {
		switch {
		case len(names) == 1:
			return names[0], nil
		case len(names) > 1:
			return "", fmt.Errorf("the folder has %d runs of JoularJX: name one, such as %s", len(names), strings.Join(names[:min(len(names), shown)], ", "))
		}
	}
	return "", errors.New("the folder has no energies of JoularJX")
}
