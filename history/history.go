// Package history keeps what runs of an app drained, commit by commit, in one file of SQLite,
// so that any two of them compare again without their recordings.
//
// An [Entry] is what was measured of one commit, or of one version where no commit is known,
// of an app on a device in a scenario. Its runs are repeats of one another. Each run is kept
// as package run packs it. A recording is kept once: its content tells it.
//
// The file has a rollback journal and no write-ahead log. Entries are added seldom and read
// often. With a rollback journal the history is one file, which may be copied while nobody adds
// to it, lie in a folder that one may only read, and lie on a file system of a network, as far
// as that has locks. A write-ahead log is two files more, can lose what it has when the file is
// copied alone, and needs memory that all its users share. What is added is flushed to the disk,
// with the folder, before [Store.Add] returns.
//
// Laws:
//
//   - what Add has returned is in the file, whenever the program is killed afterwards, and of
//     what it has not returned there is all or nothing;
//   - programs that add at once wait for one another, for [Patience] at most;
//   - a file that is cut, damaged, of a newer version or no history at all is an error that
//     says so; it is not written to.
//
// Files have a version. A file of an older one is brought to this program's when it is opened,
// in one transaction; a program that is killed meanwhile leaves the older one.
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

// Patience is how long a program waits for others that write to the same file.
const Patience = 20 * time.Second

// An Entry is what was measured of a commit. Commit, App, Device and Scenario tell entries
// apart, and Version does where there is no commit; texts that are not known are empty.
type Entry struct {
	// ID is the entry's number in its file, 1 or more; it is never given again.
	ID int64
	// Commit is the full hash, Parents are those of the commits before it.
	Commit  string
	Parents []string
	// Version is the app's, such as 5.7.
	Version, App, Device, Scenario string
	// Time is that of the commit, or of the first run where no repository told it.
	Time time.Time
	// Added is when the entry was made.
	Added time.Time
	// Runs are in the order in which they were added.
	Runs []Run
}

// A Run is one of an entry's.
type Run struct {
	// ID is the run's number in the file.
	ID int64
	// Name is that of its recording, without the folders; no two runs of an entry have one.
	Name string
	// Content is the hash of the recording: see analysis.Kept.
	Content [32]byte
	// Format, Provenance and Power say what the recording is and where its energy is from, as
	// analysis.Input has them. Energies that are Unstated are numbers.
	Format     string
	Provenance trace.Provenance
	Unstated   bool
	Power      string
	// Energy is what the run drained in all, CPU its processor time, Elapsed its length, 0
	// where the recording does not say.
	Energy       units.Energy
	CPU, Elapsed time.Duration
	// Contexts is how many nodes the tree has, Kept how many bytes the run takes in the file,
	// Recorded how many the recording had.
	Contexts       int
	Kept, Recorded int64
	Added          time.Time
}

// Short is the commit's hash as people write it, or the version where there is no commit.
func (e *Entry) Short() string {
	if e.Commit != "" {
		return e.Commit[:min(len(e.Commit), shortCommit)]
	}
	return e.Version
}

const shortCommit = 7

// Ref names the entry alone, as in history:#12.
func (e *Entry) Ref() string { return fmt.Sprintf("#%d", e.ID) }

// String says in words which entry it is: its number, its commit, and what else is known.
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

// check returns an error for an entry that nobody could find again.
func (e *Entry) check() error {
	switch {
	case e.Commit == "" && e.Version == "":
		return errors.New("an entry needs a commit or a version")
	case e.Commit != "" && !isHash(e.Commit):
		return fmt.Errorf("%q is no commit: its hash has %d to 64 digits, from 0 to 9 and from a to f", e.Commit, shortCommit)
	case strings.HasPrefix(cmp.Or(e.Version, "-"), "#"):
		return fmt.Errorf("the version %q begins with #, as numbers of entries do", e.Version)
	}
	for _, text := range []string{e.Version, e.App, e.Device, e.Scenario} {
		if strings.ContainsAny(text, "\x00\n\r") || len(text) > maxText {
			return fmt.Errorf("%q is no name: it has line breaks or more than %d bytes", text[:min(len(text), 40)], maxText)
		}
	}
	return nil
}

// maxText bounds the texts of an entry.
const maxText = 500

func isHash(text string) bool {
	return len(text) >= shortCommit && len(text) <= 64 && strings.Trim(text, "0123456789abcdef") == ""
}

// A Filter says which entries to list. An empty field fits every entry; the others are as the
// entry has them, but that Commit is the begin of a hash.
type Filter struct{ Commit, Version, App, Device, Scenario string }

func (f *Filter) fits(e *Entry) bool {
	return strings.HasPrefix(e.Commit, f.Commit) && (f.Version == "" || f.Version == e.Version) && (f.App == "" || f.App == e.App) &&
		(f.Device == "" || f.Device == e.Device) && (f.Scenario == "" || f.Scenario == e.Scenario)
}
