package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/diffprof/diffprof/analysis"
	instrument "github.com/diffprof/diffprof/instrument/runtime"
	"github.com/diffprof/diffprof/record"
	"github.com/diffprof/diffprof/settings"
)

// groupRecording is the heading of the flags that say what to record.
const groupRecording = "Recording"

// recordFlags are the flags of diffprof record.
type recordFlags struct {
	record.Options
	serial, adb, scenario, config string
	equal, instrumented           string
	patience                      time.Duration
	dry, selfTest                 bool
}

func newRecord(files *outputs) *cobra.Command {
	f := recordFlags{Options: record.Options{For: 30 * time.Second, Repeat: 1, Sampling: time.Millisecond}, patience: 2 * time.Minute}
	cmd := &cobra.Command{
		Use:   "record [flags] --package ID -o FOLDER",
		Short: "Record comparable runs of an app on a phone",
		Long: `record records an app on the phone that adb reaches, for a time or while a
scenario runs. It writes run-1.trace and so on, and record.json with the state
of the phone.

With --subject-apk and --reference-apk it records two builds in turn. After an
interruption, the same command records the missing runs. record ends what it
started on the phone, also after Ctrl-C.

The app must be debuggable, profileable on Android 10 or later, or rewritten by
diffprof instrument (--instrumented). docs/record.md has details.`,
		Example: `  diffprof record --package com.mine -o runs

  # Two builds in turn, five times each, driven by a test
  diffprof record --package com.mine --subject-apk new.apk --reference-apk old.apk \
    --repeat 5 --scenario "maestro test feed.yaml" -o runs

  # Whether this phone can be recorded, with a report
  diffprof record --self-test --package com.mine -o report

  # What would be sent to the phone
  diffprof record --package com.mine --perfetto --dry-run -o runs`,
		Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return f.run(cmd.Context(), files, cmd.Flags().Changed("for"))
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	inGroup(cmd, groupRecording, func(flags *pflag.FlagSet) {
		flags.StringVar(&f.Package, "package", "", "record the app with the application id `ID`, such as com.mine")
		flags.StringVar(&f.Activity, "activity", "", "start the app with `ACTIVITY`, such as com.mine/.Main (default the activity of its icon)")
		flags.BoolVar(&f.Attach, "attach", false, "record the app that is already running, without starting it")
		parsedVar(flags, &f.For, "for", "TIME", "record each run for TIME, such as 30s or 2m (default 30s)", parseSpan)
		flags.StringVar(&f.scenario, "scenario", "", "record each run while `COMMAND` runs on this machine")
		parsedVar(flags, &f.Repeat, "repeat", "N", "record N runs of each build (default 1)", parseCount)
		parsedVar(flags, &f.Sampling, "sampling", "TIME", "take a sample every TIME; off records and counts every call, which slows the app down (default 1ms)", parseSampling)
		flags.StringVar(&f.SubjectAPK, "subject-apk", "", "install and record the subject's build, `FILE` or a folder with a base APK and splits, in turn with --reference-apk")
		flags.StringVar(&f.ReferenceAPK, "reference-apk", "", "install and record the reference's build, `FILE` or a folder with a base APK and splits, in turn with --subject-apk")
		flags.StringVar(&f.instrumented, "instrumented", "", "record the `FILE` or the folder that diffprof instrument wrote")
		flags.BoolVar(&f.Lines, "lines", false, "record source lines with the phone's simpleperf, and copy the app's files for diffprof lines")
		flags.StringVar(&f.equal, "aa", "", "record the build `FILE` as both sides, to measure the noise between builds (compare --equal-build)")
		flags.BoolVar(&f.Perfetto, "perfetto", false, "also record a Perfetto trace of the system during each run")
		flags.StringVar(&f.config, "perfetto-config", "", "record the Perfetto trace with the configuration in `FILE`, in text form")
		flags.BoolVar(&f.BatteryStats, "battery-stats", false, "keep the phone's battery statistics of each run; earlier statistics on the phone are lost")
	})
	inGroup(cmd, settings.Output, func(flags *pflag.FlagSet) {
		parsed := &parsed[string]{to: &f.Dir, kind: settings.KindFolder, parse: fileName}
		flags.VarP(parsed, "output", "o", "put the recordings into FOLDER")
		flags.BoolVar(&f.dry, "dry-run", false, "send nothing; print the commands that would be sent")
		flags.BoolVar(&f.selfTest, "self-test", false, "try on the phone what recording needs, and write a report")
	})
	inGroup(cmd, groupGeneral, func(flags *pflag.FlagSet) {
		flags.StringVar(&f.serial, "serial", "", "record on the phone with this `NUMBER` (default ANDROID_SERIAL, or the only one)")
		flags.StringVar(&f.adb, "adb", "", "run adb as `FILE` (default adb)")
		parsedVar(flags, &f.patience, "patience", "TIME", "wait TIME for a phone that was unplugged (default 2m)", parseSpan)
	})
	for _, name := range []string{"package", "activity", "for", "scenario", "repeat", "sampling", "serial", "patience"} {
		complete(cmd, name)
	}
	return cmd
}

func (f *recordFlags) run(ctx context.Context, files *outputs, timed bool) error {
	o := f.Options
	switch {
	case o.Package == "":
		return errors.New("no app: give --package, such as --package com.mine")
	case o.Dir == "":
		return errors.New("no folder for the recordings: give -o FOLDER")
	case timed && f.scenario != "":
		return errors.New("--for and --scenario: a run lasts a time or as long as a scenario, not both")
	}
	if f.equal != "" {
		if o.SubjectAPK != "" || o.ReferenceAPK != "" {
			return errors.New("--aa records one build as both sides: leave out --subject-apk and --reference-apk")
		}
		o.SubjectAPK, o.ReferenceAPK, o.EqualBuilds = f.equal, f.equal, true
	}
	if o.APK = f.instrumented; o.APK != "" && o.SubjectAPK != "" {
		return errors.New("--instrumented names a single build: leave it out, and give two instrumented builds by --subject-apk and --reference-apk")
	}
	var err error
	if o.Counting, err = counting(o); err != nil {
		return err
	}
	serial := cmp.Or(f.serial, os.Getenv("ANDROID_SERIAL"))
	if f.config != "" {
		config, err := os.ReadFile(f.config)
		if err != nil {
			return err
		}
		o.Config, o.Perfetto = string(config), true
	}
	if f.dry {
		return f.rehearse(ctx, files, o, serial)
	}
	adb := &record.ADB{Path: cmp.Or(f.adb, "adb"), Patience: f.patience}
	if _, err := exec.LookPath(adb.Path); err != nil {
		return fmt.Errorf("%w; install Android's platform tools, or name adb with --adb", err)
	}
	if serial, err = record.Choose(ctx, adb, serial); err != nil {
		return err
	}
	adb.Serial = serial
	o.Log = func(format string, args ...any) { fmt.Fprintln(os.Stderr, printable(fmt.Sprintf(format, args...))) }
	o.Wait = wait
	o.Check = func(ctx context.Context, path string) error {
		_, err := analysis.Read(ctx, analysis.Options{Subject: analysis.Side{Path: path}})
		return err
	}
	if f.selfTest {
		files.waitFor(record.Ending + time.Second)
		failed, err := record.SelfTest(ctx, adb, o, toolVersion())
		if err == nil && failed > 0 {
			err = fmt.Errorf("%d checks failed; %s has the details", failed, filepath.Join(o.Dir, record.ReportName))
		}
		return err
	}
	if f.scenario != "" {
		o.Scenario = func(ctx context.Context, run record.Run) error {
			cmd := shell(ctx, f.scenario)
			cmd.Env = append(os.Environ(), "ANDROID_SERIAL="+serial, "DIFFPROF_PACKAGE="+o.Package,
				"DIFFPROF_SIDE="+run.Side, "DIFFPROF_RUN="+strconv.Itoa(run.Number))
			cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
			return cmd.Run()
		}
	}
	files.waitFor(2*record.Ending + time.Second)
	journal, err := record.Record(ctx, adb, o)
	if ctx.Err() != nil {
		return &stoppedError{fmt.Sprintf("stopped; the same command records the runs that %s lacks", o.Dir), err}
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(files.stdout, next(journal, o.Dir))
	return err
}

// counting reports whether all builds to record are instrumented. Such builds count calls
// themselves.
func counting(o record.Options) (bool, error) {
	builds := []string{o.SubjectAPK, o.ReferenceAPK}
	if o.APK != "" {
		builds = []string{o.APK}
	}
	var with, without []string
	for _, path := range builds {
		if path == "" {
			continue
		}
		instrumented, err := isInstrumented(path)
		switch {
		case err != nil && path == o.APK:
			return false, err
		case err == nil && instrumented:
			with = append(with, path)
		default:
			// If the file cannot be read, the phone reports what is wrong with it.
			without = append(without, path)
		}
	}
	switch {
	case o.APK != "" && len(with) == 0:
		return false, fmt.Errorf("%s does not count its calls; diffprof instrument %s -o calls.apk makes a build that does", o.APK, o.APK)
	case len(with) > 0 && len(without) > 0:
		return false, fmt.Errorf("%s counts its calls, and %s does not: instrument both builds or neither", with[0], without[0])
	}
	return len(with) > 0, nil
}

// isInstrumented reports whether diffprof instrument made a build.
func isInstrumented(build string) (bool, error) {
	paths, err := record.Parts(build)
	if err != nil {
		return false, err
	}
	for _, path := range paths {
		part, file, err := openPart(path)
		if err != nil {
			return false, err
		}
		mapped := part.Archive.Entry(instrument.MapEntry) != nil
		if err := file.Close(); err != nil || mapped {
			return mapped, err
		}
	}
	return false, nil
}

// rehearse prints the commands that a recording would run.
func (f *recordFlags) rehearse(ctx context.Context, files *outputs, o record.Options, serial string) error {
	dir, err := os.MkdirTemp("", "diffprof-record-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	phone := &record.DryRun{Out: files.stdout, Serial: serial, Dir: dir, Shown: filepath.Clean(o.Dir)}
	o.Dir = dir
	o.Log = func(format string, args ...any) { fmt.Fprintf(files.stdout, "# "+format+"\n", args...) }
	o.Wait = func(context.Context, time.Duration) error { return nil }
	if f.scenario != "" {
		o.Scenario = func(context.Context, record.Run) error {
			_, err := fmt.Fprintln(files.stdout, f.scenario)
			return err
		}
	}
	_, err = record.Record(ctx, phone, o)
	return err
}

// next suggests commands for the new recordings.
func next(j *record.Journal, dir string) string {
	var b strings.Builder
	paths := make(map[string]string)
	for _, r := range j.Runs {
		path := filepath.Join(dir, r.Trace)
		fmt.Fprintln(&b, path)
		paths[r.Side] = path
	}
	if paths["subject"] != "" && paths["reference"] != "" && j.SubjectAPK == j.ReferenceAPK {
		fmt.Fprintf(&b, "\nNext: diffprof compare --equal-build %s --subject NEW --reference OLD\n", dir)
	} else if paths["subject"] != "" && paths["reference"] != "" {
		if len(j.Runs) > 2 {
			// A folder with the runs of one build is read as repeated runs.
			paths["subject"], paths["reference"] = filepath.Join(dir, "subject"), filepath.Join(dir, "reference")
		}
		fmt.Fprintf(&b, "\nNext: diffprof compare %s %s\n", paths["subject"], paths["reference"])
	} else if j.Lines {
		fmt.Fprintf(&b, "\nNext: diffprof lines%s %s\n", symbols(j, dir), paths[""])
	} else if len(j.Runs) > 1 {
		fmt.Fprintf(&b, "\nNext: diffprof tree %s\n", dir)
	} else {
		fmt.Fprintf(&b, "\nNext: diffprof tree %s\n", paths[""])
	}
	return b.String()
}

// symbols returns the flags that name the latest run's symbol files and APKs.
func symbols(j *record.Journal, dir string) string {
	run := j.Runs[len(j.Runs)-1]
	text := " --symfs " + filepath.Join(dir, run.Side, "symfs")
	for _, f := range run.Files {
		if filepath.Ext(f.Path) == ".apk" {
			text += " --classpath " + filepath.Join(dir, f.Path)
		}
	}
	return text
}

// shell returns a command that runs a line in this machine's shell.
func shell(ctx context.Context, line string) *exec.Cmd {
	if runtime.GOOS == "windows" {
		return exec.CommandContext(ctx, "cmd", "/C", line)
	}
	return exec.CommandContext(ctx, "sh", "-c", line)
}

// wait waits for some time, or until ctx is done.
func wait(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// parseSampling parses the time between samples. 0 means off.
func parseSampling(s string) (time.Duration, error) {
	if s == "off" {
		return 0, nil
	}
	d, err := parseSpan(s)
	if err != nil {
		return 0, errors.New("give a time such as 1ms, or off")
	}
	return d, nil
}

// parseSpan parses a duration.
func parseSpan(s string) (time.Duration, error) {
	d, err := time.ParseDuration(s)
	if err != nil || d <= 0 {
		return 0, errors.New("give a time such as 30s or 2m")
	}
	return d, nil
}
