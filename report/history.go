package report

import (
	"encoding/hex"
	"io"
	"math"
	"time"

	"github.com/diffprof/diffprof/history"
	"github.com/diffprof/diffprof/repeats"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// A History lists entries of a project's history: recorded runs, by commit.
type History struct {
	SchemaVersion int  `json:"schemaVersion"`
	Tool          Tool `json:"tool"`
	// File is the history's path, Bytes its size.
	File  string `json:"file"`
	Bytes int64  `json:"bytes"`
	// Entries are sorted by commit.
	Entries []HistoryEntry `json:"entries"`
	// New counts the runs that were just added. Known lists recordings that were there before. They
	// are absent unless the command adds runs.
	New   *int       `json:"new,omitempty"`
	Known []KnownRun `json:"known,omitempty"`
	// Changed is set if the repository had uncommitted changes when the runs were added.
	Changed bool `json:"changed,omitempty"`
	// Whole lists the runs of each entry. Otherwise only their sums are shown.
	Whole bool `json:"-"`
	// Removed is set if the entries were removed from the file.
	Removed bool `json:"removed,omitempty"`
}

// A HistoryEntry has the runs of one commit on one device in one scenario. Unknown texts are empty.
type HistoryEntry struct {
	ID int64 `json:"id"`
	// Ref names the entry in commands, as in history:REF.
	Ref string `json:"ref"`
	// Name is the short name of the commit, or the version if there is no commit.
	Name     string   `json:"name"`
	Commit   string   `json:"commit"`
	Parents  []string `json:"parents"`
	Version  string   `json:"version"`
	App      string   `json:"app"`
	Device   string   `json:"device"`
	Scenario string   `json:"scenario"`
	// Time is the time of the commit, in UTC.
	Time  time.Time `json:"time"`
	Added time.Time `json:"added"`
	// Energy is the energy of the median run. Least and Most are the smallest and largest energies
	// of a run.
	Energy units.Energy `json:"energyNJ"`
	Least  units.Energy `json:"leastNJ"`
	Most   units.Energy `json:"mostNJ"`
	Runs   []HistoryRun `json:"runs"`
}

// A HistoryRun is one run of an entry. Times are in nanoseconds, sizes in bytes.
type HistoryRun struct {
	Name string `json:"name"`
	// Content is the SHA-256 hash of the recording.
	Content string `json:"content"`
	Format  string `json:"format"`
	// Provenance, Unit, EnergyFrom and PowerSource have the same meaning as in Input.
	Provenance  string       `json:"provenance"`
	Unit        string       `json:"unit"`
	EnergyFrom  string       `json:"energyFrom"`
	PowerSource string       `json:"powerSource"`
	Energy      units.Energy `json:"energyNJ"`
	CPUTime     int64        `json:"cpuTimeNS"`
	WallTime    int64        `json:"wallTimeNS"`
	// Contexts counts the nodes of the call tree. Kept is the size in the history, and Recorded the
	// size of the recording.
	Contexts int       `json:"contexts"`
	Kept     int64     `json:"keptBytes"`
	Recorded int64     `json:"recordedBytes"`
	Added    time.Time `json:"added"`
}

// A KnownRun is a recording that the history already had. It is run number Run of the entry Ref.
type KnownRun struct {
	Name string `json:"name"`
	Run  string `json:"run"`
	Ref  string `json:"ref"`
}

// NewHistory makes a document from the entries of a history. file is the file of the history, and
// bytes is its size.
func NewHistory(file string, bytes int64, entries []history.Entry, version string) *History {
	h := &History{SchemaVersion: SchemaVersion, Tool: Tool{Name: "diffprof", Version: version}, File: file, Bytes: bytes, Entries: []HistoryEntry{}}
	for i := range entries {
		h.Entries = append(h.Entries, newHistoryEntry(&entries[i]))
	}
	return h
}

// NewAdded makes the document of the runs that were added to the history in a file.
func NewAdded(file string, bytes int64, added *history.Added, version string) *History {
	var entries []history.Entry
	if added.New > 0 {
		entries = append(entries, added.Entry)
	}
	h := NewHistory(file, bytes, entries, version)
	h.New = &added.New
	for i := range added.Known {
		k := &added.Known[i]
		h.Known = append(h.Known, KnownRun{Name: k.Name, Run: k.Run.Name, Ref: k.Entry.Ref()})
	}
	return h
}

func newHistoryEntry(e *history.Entry) HistoryEntry {
	made := HistoryEntry{
		ID: e.ID, Ref: e.Ref(), Name: e.Short(), Commit: e.Commit, Parents: append([]string{}, e.Parents...), Version: e.Version, App: e.App, Device: e.Device,
		Scenario: e.Scenario, Time: e.Time.UTC(), Added: e.Added.UTC(), Runs: []HistoryRun{},
	}
	var energies []float64
	for _, r := range e.Runs {
		unit := "nJ"
		if r.Unstated {
			unit = UnknownUnit
		}
		made.Runs = append(made.Runs, HistoryRun{
			Name: r.Name, Content: hex.EncodeToString(r.Content[:]), Format: r.Format, Provenance: r.Provenance.String(), Unit: unit,
			EnergyFrom: words.Provenance(&trace.Trace{Energy: r.Provenance, Unstated: r.Unstated}), PowerSource: r.Power,
			Energy: r.Energy, CPUTime: int64(r.CPU), WallTime: int64(r.Elapsed), Contexts: r.Contexts, Kept: r.Kept, Recorded: r.Recorded, Added: r.Added.UTC(),
		})
		if len(energies) == 0 {
			made.Least, made.Most = r.Energy, r.Energy
		}
		made.Least, made.Most = min(made.Least, r.Energy), max(made.Most, r.Energy)
		energies = append(energies, float64(r.Energy))
	}
	if len(energies) > 0 {
		made.Energy = units.Energy(math.Round(repeats.Median(energies)))
	}
	return made
}

// WriteJSON writes the document as indented JSON, ended by a newline.
func (h *History) WriteJSON(w io.Writer) error { return writeJSON(w, h) }
