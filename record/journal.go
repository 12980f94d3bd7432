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

// journalName is the journal's name in the folder of the recordings.
const journalName = "record.json"

// A Journal says how the recordings of a folder were made. It is written after each run,
// so that what was cut short goes on where it was.
type Journal struct {
	SchemaVersion int    `json:"schemaVersion"`
	Package       string `json:"package"`
	Activity      string `json:"activity,omitempty"`
	Attach        bool   `json:"attach,omitempty"`
	// Seconds is how long each run was recorded; 0 where a scenario was.
	Seconds float64 `json:"seconds,omitempty"`
	// SamplingMicros is the time between samples, 0 where every call was recorded.
	SamplingMicros int64  `json:"samplingMicros,omitempty"`
	SubjectAPK     string `json:"subjectApk,omitempty"`
	ReferenceAPK   string `json:"referenceApk,omitempty"`
	Device         Device `json:"device"`
	Runs           []Run  `json:"runs"`

	dir string
}

// openJournal reads the journal of a folder, or begins one. A folder of other recordings
// is an error: runs of two kinds in one folder would be taken for repeats.
func openJournal(o Options, d Device) (*Journal, error) {
	now := &Journal{
		SchemaVersion: 1, Package: o.Package, Activity: o.Activity, Attach: o.Attach,
		SamplingMicros: o.Sampling.Microseconds(), SubjectAPK: o.SubjectAPK, ReferenceAPK: o.ReferenceAPK,
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
		return nil, fmt.Errorf("%s: the recordings of this folder were made in another way (%s); name another folder", filepath.Join(o.Dir, journalName), a)
	}
	return now, nil
}

// ReadJournal reads the journal of a folder that Record filled; of another folder it is an
// fs.ErrNotExist.
func ReadJournal(dir string) (*Journal, error) {
	path := filepath.Join(dir, journalName)
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	j := &Journal{dir: dir}
	if err := json.Unmarshal(data, j); err != nil {
		return nil, fmt.Errorf("%s: %w; remove it, or name another folder", path, err)
	}
	return j, nil
}

// conditions says in one line what all runs of a journal have in common.
func (j *Journal) conditions() string {
	how := "every call"
	if j.SamplingMicros > 0 {
		how = fmt.Sprintf("samples every %d µs", j.SamplingMicros)
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
	if j.SubjectAPK != "" {
		text += ", " + j.SubjectAPK + " against " + j.ReferenceAPK
	}
	return text
}

// has says whether a run was recorded and its files are still there.
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
		return true
	}
	return false
}

// add writes the journal with a run more.
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
