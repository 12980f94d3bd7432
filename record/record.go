// Package record makes recordings of an app on an Android phone that can be compared:
// each run begins with the app not running, takes equally long or does the same
// scenario, and is stored with what else may have changed it: the phone's heat, its
// charge and the build.
//
// It drives adb, the Android Debug Bridge, through a [Phone]. Every command that it sends
// may be sent again, so that a run goes on where a cable was pulled.
package record

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"time"
)

// Options say what to record.
type Options struct {
	// Package is the app's application id, such as com.mine.
	Package string
	// Activity is what the app is started with, such as com.mine/.Main; empty for what
	// its icon starts.
	Activity string
	// Attach records the app as it runs, without starting it anew.
	Attach bool
	// For is how long a run is recorded; without effect where there is a Scenario.
	For time.Duration
	// Scenario does on this machine what is to be recorded, such as a UI test; nil waits
	// for the time For.
	Scenario func(ctx context.Context, run Run) error
	// Repeat is how many runs of each build are recorded, at least 1.
	Repeat int
	// Sampling is the time between samples. 0 records every call.
	Sampling time.Duration
	// Perfetto records a trace of the system beside each run, by the configuration
	// Config; empty for the one that Config returns.
	Perfetto bool
	Config   string
	// BatteryStats has the phone count as if it were not plugged in, and keeps its
	// statistics of each run. Those that it had are lost.
	BatteryStats bool
	// SubjectAPK and ReferenceAPK are two builds to be recorded in turn; both or none.
	SubjectAPK, ReferenceAPK string
	// Dir is the folder that everything is written to. Runs that are there are kept.
	Dir string
	// Check looks at a trace that has arrived; an error says that it is of no use. It may
	// be nil.
	Check func(ctx context.Context, path string) error
	// Say tells what is done, a line at a time.
	Say func(format string, args ...any)
	// Wait waits for some time, or until ctx is done.
	Wait func(ctx context.Context, d time.Duration) error
}

// A Run is one recording.
type Run struct {
	// Side is "subject" or "reference" where two builds are recorded, else empty.
	Side string `json:"side,omitempty"`
	// Number counts the runs of a side from 1.
	Number int `json:"number"`
	// Started is when the app was started, by this machine's clock.
	Started time.Time `json:"started"`
	// Trace, Perfetto and BatteryStats are files in the folder of the recordings, the
	// latter two empty if there are none.
	Trace        string `json:"trace"`
	Perfetto     string `json:"perfetto,omitempty"`
	BatteryStats string `json:"batteryStats,omitempty"`
	// App is the build that ran.
	App App `json:"app"`
	// Before and After are the phone's state at both ends.
	Before State `json:"before"`
	After  State `json:"after"`
	// Notes say what may make the run unlike others.
	Notes []string `json:"notes,omitempty"`
}

// packageName is what Android takes for an application id.
var packageName = regexp.MustCompile(`^[A-Za-z]\w*(\.[A-Za-z]\w*)+$`)

// check says what is wrong with options.
func (o *Options) check() error {
	switch {
	case !packageName.MatchString(o.Package):
		return fmt.Errorf("%q is no application id; give one such as com.mine.app", o.Package)
	case o.Repeat < 1:
		return errors.New("record at least 1 run")
	case o.Scenario == nil && o.For <= 0:
		return errors.New("say how long to record, or give a scenario")
	case (o.SubjectAPK == "") != (o.ReferenceAPK == ""):
		return errors.New("give both builds, the subject's and the reference's, or none")
	case o.Attach && o.SubjectAPK != "":
		return errors.New("two builds cannot be recorded as they run: each is installed and started")
	case o.Sampling != 0 && o.Sampling < time.Microsecond:
		return errors.New("sample every microsecond at most")
	}
	for _, apk := range []string{o.SubjectAPK, o.ReferenceAPK} {
		if apk == "" {
			continue
		}
		if _, err := os.Stat(apk); err != nil {
			return err
		}
	}
	return nil
}

// plan lists the runs to be recorded. Two builds take turns as in A B B A, so that a
// phone that heats up, or an account that fills, weighs on both alike.
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
		if o.Perfetto {
			runs[i].Perfetto = stem + ".perfetto-trace"
		}
		if o.BatteryStats {
			runs[i].BatteryStats = stem + ".batterystats.txt"
		}
	}
	return runs
}

// name says which run of how many it is.
func (r Run) name(of int) string {
	if r.Side == "" {
		return fmt.Sprintf("run %d of %d", r.Number, of)
	}
	return fmt.Sprintf("run %d of %d of the %s", r.Number, of, r.Side)
}

// Record makes the recordings and returns all that the folder then has. Where ctx is
// cancelled, or a run fails, it ends on the phone what it began there, for at most
// [Ending], and the runs before stay.
func Record(ctx context.Context, phone Phone, o Options) (*Journal, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	s := &session{Options: o, phone: phone}
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
			o.Say("%s is there already: %s", run.name(o.Repeat), run.Trace)
			continue
		}
		o.Say("%s", run.name(o.Repeat))
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
