package record

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"
)

// ReportName is the name of the file in the output folder with the result of [SelfTest].
const ReportName = "self-test.txt"

// selfTestRun is the length of each run of a self-test.
const selfTestRun = 5 * time.Second

// maxAnswer is the maximum number of bytes of a command's output in the report.
const maxAnswer = 2000

// SelfTest tries everything that Record needs on a real phone. It takes about a minute. It writes a
// report of all commands and answers to the folder o.Dir. The report has no serial number, no file
// of the app, and no recording. SelfTest returns the number of failed checks.
func SelfTest(ctx context.Context, phone Phone, o Options, version string) (failed int, err error) {
	o.Scenario, o.SubjectAPK, o.ReferenceAPK, o.For, o.Repeat = nil, "", "", selfTestRun, 1
	if err := o.check(); err != nil {
		return 0, err
	}
	log := &logged{phone: phone}
	t := &selfTest{session: session{Options: o, phone: log}, log: log}
	for _, c := range t.checks() {
		if ctx.Err() != nil {
			return failed, ctx.Err()
		}
		if !t.check(ctx, c) {
			failed++
		}
	}
	report := fmt.Sprintf("diffprof record --self-test\ndiffprof %s, %s\n\n%s\n%s", version, time.Now().UTC().Format(time.DateOnly), t.result.String(), log.out.String())
	if t.serial != "" {
		report = strings.ReplaceAll(report, t.serial, "SERIAL")
	}
	return failed, writeFile(filepath.Join(o.Dir, ReportName), []byte(report))
}

// A selfTest has the state of a self-test.
type selfTest struct {
	session
	log    *logged
	result strings.Builder
	serial string
	// known and launched are the results of earlier checks.
	known    Device
	launched string
}

// A check is a part of a self-test. run returns a remark for the report.
type check struct {
	name string
	run  func(ctx context.Context) (string, error)
}

// errSkipped is returned by a check that does not apply to the phone.
var errSkipped = errors.New("does not apply")

// check runs a check, and then ends everything that the check left running on the phone. It reports
// whether the check passed or was skipped.
func (t *selfTest) check(ctx context.Context, c check) bool {
	fmt.Fprintf(&t.log.out, "\n== %s\n", c.name)
	t.notes = nil
	remark, err := c.run(ctx)
	if undone := t.end(); undone != nil {
		err = errors.Join(err, undone)
	}
	result := "ok     "
	switch {
	case errors.Is(err, errSkipped):
		result = "skipped"
		remark = err.Error()
	case err != nil:
		result = "FAILED "
		remark = strings.ReplaceAll(err.Error(), "\n", "; ")
	}
	line := strings.TrimSpace(fmt.Sprintf("%s %s: %s", result, c.name, remark))
	fmt.Fprintln(&t.result, strings.TrimSuffix(line, ":"))
	t.Log("%s", strings.TrimSuffix(line, ":"))
	return err == nil || errors.Is(err, errSkipped)
}

// checks returns the checks in order. Later checks use the results of earlier ones.
func (t *selfTest) checks() []check {
	return []check{
		{"adb", func(ctx context.Context) (string, error) {
			out, err := t.do(ctx, Command{Args: []string{"version"}})
			first, _, _ := strings.Cut(out, "\n")
			return first, err
		}},
		{"phone", func(ctx context.Context) (remark string, err error) {
			perfetto := t.Perfetto
			t.Perfetto = false
			t.known, err = t.device(ctx)
			t.Perfetto = perfetto
			t.serial = t.known.Serial
			return fmt.Sprintf("%s, Android %s (API %d), %s", t.known.Model, t.known.Android, t.known.SDK, t.known.Fingerprint), err
		}},
		{"app", func(ctx context.Context) (string, error) {
			a, err := t.app(ctx)
			return fmt.Sprintf("version %s, debuggable %v. %s", a.Version, a.Debuggable, strings.Join(t.notes, "; ")), err
		}},
		{"icon", func(ctx context.Context) (string, error) {
			attach := t.Attach
			t.Attach = false
			activity, err := t.activity(ctx)
			t.Attach = attach
			t.launched = activity
			return activity, err
		}},
		{"battery, heat and screen", func(ctx context.Context) (string, error) {
			st, err := t.state(ctx)
			switch {
			case err != nil:
				return "", err
			case st.Battery == 0 || st.Celsius == 0:
				return "", fmt.Errorf("the state of the battery is unknown: %+v", st)
			case st.Locked:
				return "", errLocked
			case !st.Awake:
				return "", errors.New("the screen is off: turn it on, and try again")
			}
			return fmt.Sprintf("%d %%, %.1f °C, thermal status %d", st.Battery, st.Celsius, st.Thermal), nil
		}},
		{"start with samples", t.records(func(o *Options) { o.Sampling = time.Millisecond })},
		{"start with every call", t.records(func(o *Options) { o.Sampling = 0 })},
		{"attach", t.records(func(o *Options) { o.Sampling, o.Attach = time.Millisecond, true })},
		{"a system trace", t.records(func(o *Options) { o.Sampling, o.Perfetto = time.Millisecond, true })},
		{"battery statistics", t.records(func(o *Options) { o.Sampling, o.BatteryStats = time.Millisecond, true })},
		{"nothing is left on the phone", func(ctx context.Context) (string, error) {
			// ls fails if no file matches the pattern.
			out, _ := t.do(ctx, Command{Args: []string{"shell", "ls", "/data/local/tmp/diffprof-* /data/misc/perfetto-traces/diffprof*"}})
			if strings.Contains(out, "diffprof") && !strings.Contains(out, "No such file") {
				return "", fmt.Errorf("files are left: %s", strings.Join(strings.Fields(out), " "))
			}
			return "", nil
		}},
	}
}

// records returns a check that makes a recording. The function change sets the options for it.
func (t *selfTest) records(change func(*Options)) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		before := t.Options
		defer func() { t.Options = before }()
		t.Attach, t.Perfetto, t.BatteryStats, t.Activity = false, false, false, t.launched
		change(&t.Options)
		if t.Perfetto && t.known.SDK < profileableAPI {
			return "", fmt.Errorf("%w: before Android 10", errSkipped)
		}
		run := Run{Number: 1, Trace: "self-test.trace", Perfetto: "self-test.perfetto-trace", BatteryStats: "self-test.batterystats.txt"}
		begun := time.Now()
		if err := t.record(ctx, &run); err != nil {
			return "", err
		}
		return fmt.Sprintf("%.1f s. %s", time.Since(begun).Seconds(), strings.Join(t.notes, "; ")), nil
	}
}

// A logged is a phone that writes the commands and answers to a report.
type logged struct {
	phone Phone
	out   strings.Builder
}

// Do implements Phone.
func (l *logged) Do(ctx context.Context, c Command) (string, error) {
	begun := time.Now()
	out, err := l.phone.Do(ctx, c)
	fmt.Fprintf(&l.out, "$ adb %s  # %.1f s\n", strings.Join(c.Args, " "), time.Since(begun).Seconds())
	shown := out
	if c.Args[0] == "shell" && len(c.Args) > 1 && c.Args[1] == "getprop" {
		shown = properties(out) // Other properties may identify the phone's owner.
	}
	if len(shown) > maxAnswer {
		shown = shown[:maxAnswer] + fmt.Sprintf("\n… %d bytes more", len(shown)-maxAnswer)
	}
	if shown = strings.TrimSpace(shown); shown != "" {
		fmt.Fprintln(&l.out, shown)
	}
	if err != nil {
		fmt.Fprintf(&l.out, "error: %v\n", err)
	}
	return out, err
}

// properties returns the lines of getprop's output that describe the type of phone.
func properties(out string) string {
	var b strings.Builder
	for line := range strings.Lines(out) {
		for _, prefix := range []string{"[ro.product.manufacturer]", "[ro.product.model]", "[ro.build.version.", "[ro.build.type]", "[ro.build.fingerprint]", "[dalvik.vm."} {
			if strings.HasPrefix(line, prefix) {
				b.WriteString(line)
			}
		}
	}
	return b.String()
}
