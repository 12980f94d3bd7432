package record

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// journalName is the name of the journal in the output folder.
const journalName = "record.json"

// A Journal describes how the recordings in a folder were made. It is written after each run, so
// that an interrupted series of runs can be continued.
type Journal struct {
	SchemaVersion int    `json:"schemaVersion"`
	Package       string `json:"package"`
	Activity      string `json:"activity,omitempty"`
	Attach        bool   `json:"attach,omitempty"`
	// Seconds is the length of each run, or 0 if a scenario was recorded.
	Seconds float64 `json:"seconds,omitempty"`
	// SamplingMicros is the time between samples in microseconds, or 0 if every call was recorded.
	SamplingMicros int64 `json:"samplingMicros,omitempty"`
	// Counting is set if the app was instrumented.
	Counting bool `json:"counting,omitempty"`
	// Lines is set if simpleperf took the samples.
	Lines        bool   `json:"lines,omitempty"`
	APK          string `json:"apk,omitempty"`
	SubjectAPK   string `json:"subjectApk,omitempty"`
	ReferenceAPK string `json:"referenceApk,omitempty"`
	Device       Device `json:"device"`
	Runs         []Run  `json:"runs"`

	dir string
}

// openJournal returns the journal of the output folder, or a new one if there is none. It fails if
// the folder has recordings with other options, because such runs would be treated as repeats.
func openJournal(o Options, d Device) (*Journal, error) {
	now := &Journal{
		SchemaVersion: 1, Package: o.Package, Activity: o.Activity, Attach: o.Attach,
		SamplingMicros: o.Sampling.Microseconds(), Counting: o.Counting, Lines: o.Lines, APK: o.APK, SubjectAPK: o.SubjectAPK, ReferenceAPK: o.ReferenceAPK,
		Device: d, dir: o.Dir,
	}
	if o.Scenario == nil {
		now.Seconds = o.For.Seconds()
	}
	old, err := ReadJournal(o.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return now, nil
	}
	if err != nil {
		return nil, err
	}
	now.Runs = old.Runs
	if a, b := old.conditions(), now.conditions(); a != b {
		return nil, fmt.Errorf("%s: the recordings in this folder were made with other options (%s); choose another folder", filepath.Join(o.Dir, journalName), a)
	}
	return now, nil
}

// ReadJournal reads the journal of a folder that Record filled. If the folder has no journal, the
// error is fs.ErrNotExist.
func ReadJournal(dir string) (*Journal, error) {
	path := filepath.Join(dir, journalName)
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	j := &Journal{dir: dir}
	if err := json.Unmarshal(data, j); err != nil {
		return nil, fmt.Errorf("%s: %w; remove it, or choose another folder", path, err)
	}
	return j, nil
}

// conditions returns one line with the conditions that all runs of a journal have in common.
func (j *Journal) conditions() string {
	how := "every call"
	if j.Counting {
		how = "counted by the app"
	} else if j.SamplingMicros > 0 {
		how = fmt.Sprintf("samples every %d µs", j.SamplingMicros)
	}
	if j.Lines {
		how += " by simpleperf"
	}
	length := "a scenario"
	if j.Seconds > 0 {
		length = time.Duration(j.Seconds * float64(time.Second)).String()
	}
	text := fmt.Sprintf("%s, %s, %s, on %s %s", j.Package, how, length, j.Device.Model, j.Device.Serial)
	if j.Activity != "" {
		text += ", starting " + j.Activity
	}
	if j.Attach {
		text += ", as it runs"
	}
	if j.APK != "" {
		text += ", " + j.APK
	}
	if j.SubjectAPK != "" {
		text += ", " + j.SubjectAPK + " against " + j.ReferenceAPK
	}
	return text
}

// has reports whether a run was recorded and all its files still exist.
func (j *Journal) has(r Run) bool {
	for _, old := range j.Runs {
		if old.Side != r.Side || old.Number != r.Number {
			continue
		}
		for _, f := range []string{old.Trace, old.Perfetto, old.BatteryStats} {
			if f == "" {
				continue
			}
			if _, err := os.Stat(filepath.Join(j.dir, f)); err != nil {
				return false
			}
		}
		for _, f := range old.Files {
			if _, err := os.Stat(filepath.Join(j.dir, f.Path)); err != nil {
				return false
			}
		}
		return true
	}
	return false
}

// add adds a run and writes the journal. A new run replaces one with the same side and number.
func (j *Journal) add(r Run) error {
	runs := j.Runs[:0:0]
	for _, old := range j.Runs {
		if old.Side != r.Side || old.Number != r.Number {
			runs = append(runs, old)
		}
	}
	j.Runs = append(runs, r)
	data, err := json.MarshalIndent(j, "", "  ")
	if err != nil {
		return err
	}
	return writeFile(filepath.Join(j.dir, journalName), append(data, '\n'))
}
