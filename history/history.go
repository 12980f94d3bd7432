// Package history stores the energy use of an app's runs in a single SQLite file, commit by commit.
// Any two stored runs can be compared without their recordings.
//
// An [Entry] is a measurement of a commit of an app, on one device and in one scenario. If the
// commit is unknown, the version identifies the entry. The runs of an entry are repeats of each
// other. Package run packs each run. A recording, identified by its content, is stored only once.
//
// The file uses a rollback journal, not a write-ahead log. Entries are added rarely and read often.
// With a rollback journal, a history is a single file. It can be copied while no program adds to
// it. It can be in a read-only folder, or on a network file system that supports locks. A
// write-ahead log needs two more files, and memory that all users of the log share. If only the
// main file were copied, data would be lost. [Store.Add] writes the file and its folder to the disk
// before it returns.
//
// Laws:
//
//   - Data of a completed Add is in the file, even if the program is killed afterwards. An
//     interrupted Add has added all of its data or none.
//   - Programs that add at the same time wait for each other, for at most [Patience].
//   - Opening a file fails with the reason if it is truncated, damaged, from a newer version, or not
//     a history. Such a file is not changed.
//
// Files have a version. An older file is converted to the current version when it is opened, in one
// transaction. If the program is killed during the conversion, the file keeps its old version.
package history

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// Patience is the maximum time that a program waits for other programs that write to the same file.
const Patience = 20 * time.Second

// An Entry is a measurement of a commit. Its key consists of Commit, App, Device and Scenario.
// Without a commit, Version is also part of the key. Unknown values are empty.
type Entry struct {
	// ID is the entry's number in its file. The first number is 1, and numbers are never reused.
	ID int64
	// Commit is the full hash of the commit. Parents has the hashes of the parent commits.
	Commit  string
	Parents []string
	// Version is the version of the app, such as 5.7.
	Version, App, Device, Scenario string
	// Time is the time of the commit. If that is unknown, it is the time of the first run.
	Time time.Time
	// Added is the time at which the entry was created.
	Added time.Time
	// Runs are in the order in which they were added.
	Runs []Run
}

// A Run is a run of an entry.
type Run struct {
	// ID is the run's number in the file.
	ID int64
	// Name is the name of the recording without its folder. It is unique within an entry.
	Name string
	// Content is a hash of the recording. See analysis.StoredRun.
	Content [32]byte
	// Format, Provenance and Power describe the recording and where its energy comes from, as in
	// analysis.Input. If Unstated is set, the unit of the energies is unknown.
	Format     string
	Provenance trace.Provenance
	Unstated   bool
	Power      string
	// Energy is the run's total energy, CPU its processor time, and Elapsed its duration. Each is 0
	// if the recording does not state it.
	Energy       units.Energy
	CPU, Elapsed time.Duration
	// Contexts is the number of nodes of the tree. Kept is the size of the run in the file, and
	// Recorded the size of the recording, in bytes.
	Contexts       int
	Kept, Recorded int64
	Added          time.Time
}

// Short returns the abbreviated hash of the commit. If there is no commit, it returns the version.
func (e *Entry) Short() string {
	if e.Commit != "" {
		return e.Commit[:min(len(e.Commit), shortCommit)]
	}
	return e.Version
}

const shortCommit = 7

// Ref returns the name of the entry within its history, such as #12.
func (e *Entry) Ref() string { return fmt.Sprintf("#%d", e.ID) }

// String describes the entry: its number, its commit, and its other known values.
func (e *Entry) String() string {
	words := []string{e.Short()}
	if e.Commit != "" && e.Version != "" {
		words = append(words, e.Version)
	}
	for _, word := range []string{e.App, e.Device, e.Scenario} {
		if word != "" {
			words = append(words, word)
		}
	}
	return e.Ref() + " (" + strings.Join(words, ", ") + ")"
}

// check returns an error if [Store.Find] would not find the entry.
func (e *Entry) check() error {
	switch {
	case e.Commit == "" && e.Version == "":
		return errors.New("an entry needs a commit or a version")
	case e.Commit != "" && !isHash(e.Commit):
		return fmt.Errorf("%q is not a commit hash: a hash has %d to 64 digits from 0 to 9 and from a to f", e.Commit, shortCommit)
	case strings.HasPrefix(cmp.Or(e.Version, "-"), "#"):
		return fmt.Errorf("the version %q begins with #, which is reserved for numbers of entries", e.Version)
	}
	for _, text := range []string{e.Version, e.App, e.Device, e.Scenario} {
		if strings.ContainsAny(text, "\x00\n\r") || len(text) > maxText {
			return fmt.Errorf("%q is not a valid name: it has line breaks or more than %d bytes", text[:min(len(text), 40)], maxText)
		}
	}
	return nil
}

// maxText is the maximum length of the texts of an entry.
const maxText = 500

func isHash(text string) bool {
	return len(text) >= shortCommit && len(text) <= 64 && strings.Trim(text, "0123456789abcdef") == ""
}

// A Filter selects entries to list. Commit selects all entries whose hash begins with it. The other
// fields must be equal. An empty field selects all entries.
type Filter struct{ Commit, Version, App, Device, Scenario string }

func (f *Filter) fits(e *Entry) bool {
	return strings.HasPrefix(e.Commit, f.Commit) && (f.Version == "" || f.Version == e.Version) && (f.App == "" || f.App == e.App) &&
		(f.Device == "" || f.Device == e.Device) && (f.Scenario == "" || f.Scenario == e.Scenario)
}
