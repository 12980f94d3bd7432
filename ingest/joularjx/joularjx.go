// Package joularjx finds the file to read in what JoularJX writes, a Java agent that shares
// out the energy of the processor among methods.
//
// A run is a folder that is named by the process and the time, with folders in it. Call trees
// and methods are files of lines that package folded reads. Of a run, the file that says most
// is read:
//
//	all/total/calltrees/joularJX-39456-all-call-trees-energy.csv
//	all/total/methods/joularJX-39456-all-methods-energy.csv
//	app/total/calltrees/joularJX-39456-filtered-call-trees-energy.csv
//	app/total/methods/joularJX-39456-filtered-methods-energy.csv
//
// All of them are of the same joules, so that no two are added up. Files of powers look the
// same and are not read: a sum of watts over moments is no energy.
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
	// deepest is how deep below the folder files are looked for, and maxEntries how many
	// files and folders are looked at. A run has less than a hundred.
	deepest    = 6
	maxEntries = 10_000
	// shown is how many runs an error names.
	shown = 3
)

var begins = regexp.MustCompile(`^[\pL\pN_.$;<>/-]+,\d+\.\d+(\r?\n|$)`)

// Sniff says whether a file begins with a stack or a method, a comma and a decimal number.
func Sniff(head []byte) bool { return begins.Match(head) }

// IsPower says whether a file has the name of one of powers, which no content tells from one of
// energies.
func IsPower(path string) bool { return strings.HasSuffix(path, "-power.csv") }

// kinds are the files that a run may have, those that say most first.
var kinds = []string{"-all-call-trees-energy.csv", "-all-methods-energy.csv", "-filtered-call-trees-energy.csv", "-filtered-methods-energy.csv"}

// files lists the files of each kind.
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

// Holds says whether a folder has files of JoularJX's.
func Holds(folder fs.FS) bool {
	found, err := files(folder)
	return err == nil && slices.ContainsFunc(found, func(of []string) bool { return len(of) > 0 })
}

// Find returns the file to read of a folder that holds one run. A folder with several is an
// error that names some.
func Find(folder fs.FS) (string, error) {
	found, err := files(folder)
	if err != nil {
		return "", err
	}
	for _, of := range found {
		switch {
		case len(of) == 1:
			return of[0], nil
		case len(of) > 1:
			return "", fmt.Errorf("the folder has %d runs of JoularJX: name one, such as %s", len(of), strings.Join(of[:min(len(of), shown)], ", "))
		}
	}
	return "", errors.New("the folder has no energies by JoularJX")
}
