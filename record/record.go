// Package record makes comparable recordings of an app on an Android phone. Each run starts the app
// anew, unless Options.Attach is set. All runs have the same length, or carry out the same
// scenario. Each run is stored with conditions that may affect it, such as the temperature and
// charge of the phone, and the build.
//
// The package runs adb, the Android Debug Bridge, through a [Phone]. Every command may be repeated
// safely, so a run continues after the connection was lost and came back.
package record

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"time"
)

// Options define what to record.
type Options struct {
	// Package is the app's application ID, such as com.mine.
	Package string
	// Activity is the activity to start, such as com.mine/.Main. Empty means the activity of
	// the app's icon.
	Activity string
	// Attach records the app that is already running, without restarting it.
	Attach bool
	// For is the length of a run. It is ignored if Scenario is set.
	For time.Duration
	// Scenario carries out the actions to record, such as a UI test. It runs on this machine. If it
	// is nil, a run only lasts for the time For.
	Scenario func(ctx context.Context, run Run) error
	// Repeat is the number of runs of each build. It is at least 1.
	Repeat int
	// Sampling is the time between samples. 0 means that every call is recorded.
	Sampling time.Duration
	// Perfetto records a system trace with each run. Config is its configuration. If Config is
	// empty, the function Config returns the configuration.
	Perfetto bool
	Config   string
	// BatteryStats makes the phone collect battery statistics as if it were not charging, and
	// stores the statistics of each run. Earlier statistics on the phone are deleted.
	BatteryStats bool
	// SubjectAPK and ReferenceAPK are two builds to record alternately. Set both or neither. A
	// build is an APK, or a folder with a base APK and its splits.
	SubjectAPK, ReferenceAPK string
	// APK is the build to record if there are not two builds. Empty means the installed build.
	APK string
	// Counting records builds that diffprof instrument wrote. They count their calls by
	// themselves, so they need not be debuggable or profileable.
	Counting bool
	// Lines records samples of source lines with the phone's simpleperf. Before that, the app is
	// compiled with line tables, and its files are fetched. Both need Android 10.
	Lines bool
	// EqualBuilds is set if both builds are the same file. The file is then installed again for
	// each side, so the runs show the noise between builds.
	EqualBuilds bool
	// Dir is the output folder. Runs that the folder already has are not recorded again.
	Dir string
	// Check, if not nil, validates a trace that was fetched from the phone.
	Check func(ctx context.Context, path string) error
	// Log reports progress. Each call is a line.
	Log func(format string, args ...any)
	// Wait waits for the duration d, or until ctx is done.
	Wait func(ctx context.Context, d time.Duration) error
}

// A Run is one recording.
type Run struct {
	// Side is "subject" or "reference" if two builds are recorded. Otherwise it is empty.
	Side string `json:"side,omitempty"`
	// Number is the number of the run on its side, counted from 1.
	Number int `json:"number"`
	// Started is the time at which the recording started, by the clock of this machine.
	Started time.Time `json:"started"`
	// Trace, Perfetto and BatteryStats are files in the output folder. Perfetto and BatteryStats
	// may be empty.
	Trace        string `json:"trace"`
	Perfetto     string `json:"perfetto,omitempty"`
	BatteryStats string `json:"batteryStats,omitempty"`
	// Files are copies of the app's files, if Options.Lines is set.
	Files []File `json:"files,omitempty"`
	// App is the build that ran.
	App App `json:"app"`
	// Before and After are the phone's state before and after the run.
	Before State `json:"before"`
	After  State `json:"after"`
	// Notes list conditions that can make the run differ from others.
	Notes []string `json:"notes,omitempty"`
}

// packageName matches an Android application ID.
var packageName = regexp.MustCompile(`^[A-Za-z]\w*(\.[A-Za-z]\w*)+$`)

// check validates the options.
func (o *Options) check() error {
	switch {
	case !packageName.MatchString(o.Package):
		return fmt.Errorf("%q is not an application id, such as com.mine.app", o.Package)
	case o.Repeat < 1:
		return errors.New("record at least 1 run")
	case o.Scenario == nil && o.For <= 0:
		return errors.New("set the length of a run, or a scenario")
	case (o.SubjectAPK == "") != (o.ReferenceAPK == ""):
		return errors.New("give both builds, the subject's and the reference's, or neither")
	case o.SubjectAPK != "" && o.SubjectAPK == o.ReferenceAPK && !o.EqualBuilds:
		return fmt.Errorf("both builds are %s, so they cannot differ: to measure the noise between builds with it, use --aa", o.SubjectAPK)
	case o.Attach && o.SubjectAPK != "":
		return errors.New("two builds cannot be recorded by attaching: each must be installed and started")
	case o.Attach && o.Counting:
		return errors.New("an instrumented app counts from its start: record without --attach")
	case o.APK != "" && o.SubjectAPK != "":
		return errors.New("give one build, or the subject's and the reference's, not both")
	case o.Lines && o.Counting:
		return errors.New("an instrumented app counts executions of lines by itself (diffprof instrument --paths): record it without --lines")
	case o.Lines && o.Sampling == 0:
		return errors.New("lines come from samples: leave out --sampling off")
	case o.Sampling != 0 && o.Sampling < time.Microsecond:
		return errors.New("sample at most once per microsecond")
	}
	for _, apk := range []string{o.APK, o.SubjectAPK, o.ReferenceAPK} {
		if apk == "" {
			continue
		}
		if _, err := Parts(apk); err != nil {
			return err
		}
	}
	return nil
}

// plan lists the runs to record. Two builds alternate in the order A B B A, so that a phone that
// gets warmer, or an account that fills up, affects both builds equally.
func (o *Options) plan() []Run {
	var runs []Run
	for n := 1; n <= o.Repeat; n++ {
		switch {
		case o.SubjectAPK == "":
			runs = append(runs, Run{Number: n})
		case n%2 == 1:
			runs = append(runs, Run{Side: "subject", Number: n}, Run{Side: "reference", Number: n})
		default:
			runs = append(runs, Run{Side: "reference", Number: n}, Run{Side: "subject", Number: n})
		}
	}
	for i := range runs {
		stem := filepath.Join(runs[i].Side, fmt.Sprintf("run-%d", runs[i].Number))
		runs[i].Trace = stem + ".trace"
		if o.Counting {
			runs[i].Trace = stem + ".calls"
		}
		if o.Lines {
			runs[i].Trace = stem + ".data"
		}
		if o.Perfetto {
			runs[i].Perfetto = stem + ".perfetto-trace"
		}
		if o.BatteryStats {
			runs[i].BatteryStats = stem + ".batterystats.txt"
		}
	}
	return runs
}

// name returns a phrase such as "run 1 of 3".
func (r Run) name(total int) string {
	if r.Side == "" {
		return fmt.Sprintf("run %d of %d", r.Number, total)
	}
	return fmt.Sprintf("run %d of %d of the %s", r.Number, total, r.Side)
}

// Record makes the recordings. It returns a journal of all recordings in the output folder. If ctx
// is canceled or a run fails, it cleans up the phone, which takes at most the time [Ending].
// Earlier runs are kept.
func Record(ctx context.Context, phone Phone, o Options) (j *Journal, err error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	s := &session{Options: o, phone: phone}
	defer func() {
		if undone := s.undo(s.undoCompile()); undone != nil {
			j, err = nil, errors.Join(err, undone)
		}
	}()
	device, err := s.device(ctx)
	if err != nil {
		return nil, err
	}
	journal, err := openJournal(o, device)
	if err != nil {
		return nil, err
	}
	for _, run := range o.plan() {
		if journal.has(run) {
			o.Log("%s exists already: %s", run.name(o.Repeat), run.Trace)
			continue
		}
		o.Log("%s", run.name(o.Repeat))
		s.notes = nil
		err := s.record(ctx, &run)
		if undone := s.end(); undone != nil {
			err = errors.Join(err, undone)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", run.name(o.Repeat), err)
		}
		run.Notes = s.notes
		if err := journal.add(run); err != nil {
			return nil, err
		}
	}
	return journal, nil
}
