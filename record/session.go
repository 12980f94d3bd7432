package record

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Ending is the maximum time for cleaning up the phone after a run that failed.
const Ending = 15 * time.Second

const (
	// pollInterval is the interval between two checks of a file that the phone is writing.
	pollInterval = 500 * time.Millisecond
	// writing is the maximum time for the phone to finish writing a recording.
	writing = time.Minute
)

// A session makes recordings on one phone.
type session struct {
	Options
	phone Phone

	// sdk is the phone's API level.
	sdk int
	// installed is the build that was installed last. If EqualBuilds is set, it also names the
	// side, so that the same file is installed again for the other side.
	installed string
	// These fields have what the session started on the phone and has not ended yet.
	profiling bool
	counting  bool
	unplugged bool
	tracing   string // The process ID of perfetto.
	files     []string
	// since is the time at which an instrumented app was started, by the clock of the phone's log.
	since string
	// sampling is set while simpleperf runs, and sampler is its process ID.
	//
	// property is the value of debugInfo to restore. reset is set if the app was compiled and must
	// be reset. compiled identifies the installed build that was compiled last, and fetched has its
	// files.
	sampling bool
	sampler  string
	property *string
	reset    bool
	compiled string
	fetched  []File
	// notes has the notes on the current run.
	notes []string
}

// note prints and stores a condition that can make a run differ from others.
func (s *session) note(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	s.notes = append(s.notes, text)
	s.Log("  %s", text)
}

// shell runs a command on the phone. Android's programs often print an error but exit with status
// 0. shell therefore also checks the output for errors.
func (s *session) shell(ctx context.Context, args ...string) (string, error) {
	out, err := s.do(ctx, Command{Args: append([]string{"shell"}, quoted(args)...)})
	if err != nil {
		return out, err
	}
	for line := range strings.Lines(out) {
		if strings.HasPrefix(line, "Error") || strings.Contains(line, "Exception: ") {
			return out, fmt.Errorf("adb shell %s: %s", strings.Join(args, " "), strings.TrimSpace(line))
		}
	}
	return out, nil
}

// do sends a command. It adds a note if the connection was lost in the meantime.
func (s *session) do(ctx context.Context, c Command) (string, error) {
	c.OnLost = func() { s.note("the phone was disconnected during adb %s", strings.Join(c.Args, " ")) }
	return s.phone.Do(ctx, c)
}

// systemTrace is the file on the phone to which perfetto writes.
const systemTrace = "/data/misc/perfetto-traces/diffprof.perfetto-trace"

// record records one run.
func (s *session) record(ctx context.Context, run *Run) error {
	activity, err := s.prepare(ctx, run)
	if err != nil {
		return err
	}
	trace := "/data/local/tmp/diffprof-" + s.Package + filepath.Ext(run.Trace)
	if err := s.start(ctx, run, activity, trace); err != nil {
		return err
	}
	if err := s.perform(ctx, *run); err != nil {
		return err
	}
	if err := s.running(ctx, "%s ended while it was recorded; adb logcat -b crash may show why"); err != nil {
		if s.Counting && ctx.Err() == nil && !Unreachable(err) {
			err = cmp.Or(s.rejected(ctx), err)
		}
		return err
	}
	return s.finish(ctx, run, trace)
}

// prepare installs the build of a run and queries the phone's state. It returns the activity to
// start.
func (s *session) prepare(ctx context.Context, run *Run) (activity string, err error) {
	if err := s.install(ctx, run.Side); err != nil {
		return "", err
	}
	if run.App, err = s.app(ctx); err != nil {
		return "", err
	}
	if activity, err = s.activity(ctx); err != nil {
		return "", err
	}
	if run.Before, err = s.state(ctx); err != nil {
		return "", err
	}
	if run.Before.Locked && !s.Attach {
		return "", errLocked
	}
	if run.Before.Locked {
		s.note("the phone is locked: the app may not draw")
	}
	s.judge(run.Before)
	if s.Attach {
		if err := s.running(ctx, "%s is not running; start it first, or record without --attach"); err != nil {
			return "", err
		}
	}
	if s.Lines {
		return activity, s.compile(ctx, run)
	}
	return activity, nil
}

// start starts the recordings of a run. It also starts the app, unless it records a running app.
// trace is the file on the phone.
func (s *session) start(ctx context.Context, run *Run, activity, trace string) (err error) {
	if !s.Attach {
		if _, err := s.shell(ctx, "am", "force-stop", s.Package); err != nil {
			return err
		}
	}
	if s.Counting {
		err = s.removeCounts(ctx)
	} else {
		_, err = s.shell(ctx, "rm", "-f", trace)
	}
	if err != nil {
		return err
	}
	if s.BatteryStats {
		if err := s.unplug(ctx); err != nil {
			return err
		}
	}
	if s.Perfetto {
		if err := s.startPerfetto(ctx, systemTrace); err != nil {
			return err
		}
	}
	run.Started = time.Now().UTC().Truncate(time.Second)
	switch {
	case s.Counting:
		return s.startCounting(ctx, activity)
	case s.Lines:
		return s.startSampling(ctx, activity, trace)
	}
	return s.startProfile(ctx, activity, trace)
}

// finish ends the recordings of a run, and fetches them.
func (s *session) finish(ctx context.Context, run *Run, trace string) (err error) {
	if err := s.stop(ctx); err != nil {
		return err
	}
	if s.tracing != "" {
		if _, err := s.shell(ctx, "kill", "-TERM", s.tracing); err != nil {
			return err
		}
		s.tracing = ""
	}
	if run.After, err = s.state(ctx); err != nil {
		return err
	}
	if run.After.Locked && !run.Before.Locked {
		s.note("the phone was locked during the run: the app did not draw to its end")
	}
	if s.Counting {
		err = s.fetchCounts(ctx, run.Trace)
	} else {
		err = s.fetch(ctx, trace, run.Trace, s.Check)
	}
	if err != nil {
		return err
	}
	if s.Perfetto {
		if err := s.fetch(ctx, systemTrace, run.Perfetto, nil); err != nil {
			return err
		}
	}
	if s.BatteryStats {
		return s.fetchStats(ctx, run.BatteryStats)
	}
	return nil
}

// stop ends the recording of calls.
func (s *session) stop(ctx context.Context) error {
	if s.Counting {
		return s.stopCounting(ctx)
	}
	if s.Lines {
		return s.stopSampling(ctx)
	}
	_, err := s.shell(ctx, "am", "profile", "stop", s.Package)
	s.profiling = s.profiling && err != nil
	return err
}

// running returns an error if the app does not run. message is the error's text, with %s for the
// app.
func (s *session) running(ctx context.Context, message string) error {
	_, err := s.shell(ctx, "pidof", s.Package)
	if err == nil || ctx.Err() != nil || Unreachable(err) {
		return err
	}
	return fmt.Errorf(message, s.Package)
}

// install installs the build of a side, unless that build is installed.
func (s *session) install(ctx context.Context, side string) error {
	apk := map[string]string{"subject": s.SubjectAPK, "reference": s.ReferenceAPK, "": s.APK}[side]
	build := apk
	if s.EqualBuilds {
		build += " for " + side
	}
	if build == s.installed {
		return nil
	}
	s.Log("  installing %s", apk)
	files, err := Parts(apk)
	if err != nil {
		return err
	}
	install := "install"
	if len(files) > 1 {
		install = "install-multiple"
	}
	// -r keeps the app's data, -d allows downgrades, -t allows test builds.
	out, err := s.do(ctx, Command{Args: append([]string{install, "-r", "-d", "-t"}, files...)})
	switch {
	case strings.Contains(out, "INSTALL_FAILED_UPDATE_INCOMPATIBLE"):
		return fmt.Errorf("%s and the build on the phone are signed with different keys; use one key, or uninstall the build: adb uninstall %s", apk, s.Package)
	case err != nil:
		return fmt.Errorf("installing %s: %w", apk, err)
	case !strings.Contains(out, "Success"):
		return fmt.Errorf("installing %s: %s", apk, lastLine(out))
	}
	s.installed = build
	return nil
}

// Parts returns the files of a build: the file itself, or all APKs in a folder, which are the base
// APK and the splits of an app.
func Parts(build string) ([]string, error) {
	info, err := os.Stat(build)
	if err != nil || !info.IsDir() {
		return []string{build}, err
	}
	entries, err := os.ReadDir(build)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, e := range entries {
		if filepath.Ext(e.Name()) == ".apk" && e.Type().IsRegular() {
			files = append(files, filepath.Join(build, e.Name()))
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s: the folder has no APK; name the APK of a build, or the folder with its base APK and splits", build)
	}
	return files, nil
}

// startProfile starts the app with its profiler, or attaches the profiler to the running app. The
// profiler writes to a file on the phone.
func (s *session) startProfile(ctx context.Context, activity, to string) error {
	s.files = append(s.files, to)
	s.profiling = true
	// With --streaming, the profiler writes continuously. A buffer would be full within seconds.
	how := []string{"--streaming"}
	if s.Sampling > 0 {
		how = []string{"--sampling", strconv.FormatInt(s.Sampling.Microseconds(), 10)}
	}
	var args []string
	if s.Attach {
		args = append(append([]string{"am", "profile", "start"}, how...), s.Package, to)
	} else {
		args = append(append([]string{"am", "start-activity", "-S", "-W", "--start-profiler", to}, how...), "-n", activity)
	}
	_, err := s.shell(ctx, args...)
	return err
}

// perform runs the scenario, or waits for the length of a run.
func (s *session) perform(ctx context.Context, run Run) error {
	if s.Scenario == nil {
		s.Log("  recording for %v", s.For)
		return s.Wait(ctx, s.For)
	}
	s.Log("  recording the scenario")
	err := s.Scenario(ctx, run)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return fmt.Errorf("the scenario failed: %w", err)
	}
	return nil
}

// unplug makes the phone collect battery statistics although it is charging.
func (s *session) unplug(ctx context.Context) error {
	s.unplugged = true
	if _, err := s.shell(ctx, "dumpsys", "battery", "unplug"); err != nil {
		return err
	}
	_, err := s.shell(ctx, "dumpsys", "batterystats", "--reset")
	return err
}

// startPerfetto starts a system trace.
func (s *session) startPerfetto(ctx context.Context, to string) error {
	config := s.Config
	if config == "" {
		config = Config(s.Package)
	}
	if err := writeFile(filepath.Join(s.Dir, "perfetto.txtpb"), []byte(config)); err != nil {
		return err
	}
	s.files = append(s.files, to)
	out, err := s.do(ctx, Command{Args: append([]string{"shell"}, quoted([]string{"perfetto", "--background", "--txt", "-c", "-", "-o", to})...), Stdin: config})
	if err != nil {
		return err
	}
	pid := lastLine(out)
	if n, err := strconv.Atoi(pid); err != nil || n <= 0 {
		return fmt.Errorf("perfetto did not start: %s", pid)
	}
	s.tracing = pid
	return nil
}

// fetch copies a complete file from the phone. It checks the copy, and then deletes the file on the
// phone.
func (s *session) fetch(ctx context.Context, from, to string, check func(context.Context, string) error) error {
	if err := s.settle(ctx, from); err != nil {
		return err
	}
	path := filepath.Join(s.Dir, to)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	part := path + ".part"
	defer os.Remove(part)
	if _, err := s.do(ctx, Command{Args: []string{"pull", from, part}}); err != nil {
		return err
	}
	if check != nil {
		if err := check(ctx, part); err != nil {
			return fmt.Errorf("the phone's recording is not usable: %w", err)
		}
	}
	if err := os.Rename(part, path); err != nil {
		return err
	}
	return s.remove(ctx, from)
}

// settle waits until the phone has finished writing a file.
func (s *session) settle(ctx context.Context, path string) error {
	last := int64(0)
	for waited := time.Duration(0); waited < writing; waited += pollInterval {
		out, err := s.shell(ctx, "stat", "-c", "%s", path)
		if err != nil {
			return err
		}
		size, err := strconv.ParseInt(strings.TrimSpace(out), 10, 64)
		if err != nil {
			return fmt.Errorf("adb shell stat: %q is not a size", lastLine(out))
		}
		if size > 0 && size == last {
			return nil
		}
		last = size
		if err := s.Wait(ctx, pollInterval); err != nil {
			return err
		}
	}
	if last == 0 {
		return fmt.Errorf("the phone wrote nothing to %s; run adb shell am profile start %s to see why", path, s.Package)
	}
	return fmt.Errorf("the phone is still writing %s after %v", path, writing)
}

// remove deletes a recording on the phone.
func (s *session) remove(ctx context.Context, path string) error {
	if _, err := s.shell(ctx, "rm", "-f", path); err != nil {
		return err
	}
	for i, f := range s.files {
		if f == path {
			s.files = append(s.files[:i], s.files[i+1:]...)
			break
		}
	}
	return nil
}

// fetchStats stores the phone's battery statistics.
func (s *session) fetchStats(ctx context.Context, to string) error {
	out, err := s.shell(ctx, "dumpsys", "batterystats")
	if err != nil {
		return err
	}
	return writeFile(filepath.Join(s.Dir, to), []byte(out))
}

// end stops everything that the run started on the phone, even if the run's context is done. The
// error lists the commands that could not be sent.
func (s *session) end() error {
	commands := s.undoSampling()
	if s.profiling {
		commands = append(commands, []string{"am", "profile", "stop", s.Package})
	}
	if s.tracing != "" {
		commands = append(commands, []string{"kill", "-TERM", s.tracing})
	}
	if s.unplugged {
		commands = append(commands, []string{"dumpsys", "battery", "reset"})
	}
	for _, f := range s.files {
		commands = append(commands, []string{"rm", "-f", f})
	}
	if s.counting {
		commands = append(commands, []string{"rm", "-rf", s.counts()})
	}
	s.counting = false
	s.profiling, s.tracing, s.unplugged, s.files = false, "", false, nil
	return s.undo(commands)
}

// undo sends commands that undo changes to the phone. The error lists those that could not be sent.
func (s *session) undo(commands [][]string) error {
	ctx, cancel := context.WithTimeout(context.Background(), Ending)
	defer cancel()
	var left []string
	for _, c := range commands {
		args := append([]string{"shell"}, quoted(c)...)
		// It is not an error if the command itself fails: an app that has ended cannot be stopped.
		if _, err := s.phone.Do(ctx, Command{Args: args}); Unreachable(err) || ctx.Err() != nil {
			left = append(left, "adb "+strings.Join(args, " "))
		}
	}
	if len(left) > 0 {
		return errors.New("the phone could not be cleaned up; once it is connected again, run: " + strings.Join(left, "; "))
	}
	return nil
}

// writeFile writes a file. If it fails, an existing file stays unchanged.
func writeFile(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	part := path + ".part"
	if err := os.WriteFile(part, data, 0o666); err != nil {
		return errors.Join(err, os.Remove(part))
	}
	return os.Rename(part, path)
}

// lastLine returns the last nonempty line of a program's output.
func lastLine(out string) string {
	lines := strings.Split(strings.TrimSpace(out), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}
