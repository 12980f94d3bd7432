package record_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/diffprof/diffprof/record"
	"github.com/diffprof/diffprof/record/recordtest"
)

// TestMain acts as the program adb if a test starts this program as adb.
func TestMain(m *testing.M) {
	if os.Getenv("PHONE") != "" {
		recordtest.Main()
	}
	os.Exit(m.Run())
}

// options returns options that record two builds with all features, without waiting.
func options(t *testing.T) record.Options {
	apks := t.TempDir()
	for _, name := range []string{"new.apk", "old.apk"} {
		if err := os.WriteFile(filepath.Join(apks, name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return record.Options{
		Package: "com.mine", For: time.Second, Repeat: 2, Perfetto: true, BatteryStats: true,
		SubjectAPK: filepath.Join(apks, "new.apk"), ReferenceAPK: filepath.Join(apks, "old.apk"),
		Dir:  filepath.Join(t.TempDir(), "runs"),
		Log:  func(string, ...any) {},
		Wait: func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
	}
}

func files(t *testing.T, dir string) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		names = append(names, filepath.ToSlash(rel))
		return err
	})
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return names
}

var whole = []string{
	"perfetto.txtpb", "record.json",
	"reference/run-1.batterystats.txt", "reference/run-1.perfetto-trace", "reference/run-1.trace",
	"reference/run-2.batterystats.txt", "reference/run-2.perfetto-trace", "reference/run-2.trace",
	"subject/run-1.batterystats.txt", "subject/run-1.perfetto-trace", "subject/run-1.trace",
	"subject/run-2.batterystats.txt", "subject/run-2.perfetto-trace", "subject/run-2.trace",
}

func TestRecordTwoBuilds(t *testing.T) {
	phone, o := recordtest.New(), options(t)
	j, err := record.Record(t.Context(), phone, o)
	if err != nil {
		t.Fatal(err)
	}
	if left := phone.Left(); len(left) > 0 {
		t.Errorf("left on the phone: %v", left)
	}
	if got := files(t, o.Dir); !slices.Equal(got, whole) {
		t.Errorf("files are\n%v\nwant\n%v", got, whole)
	}
	var order, installed []string
	for _, r := range j.Runs {
		order = append(order, r.Side)
		installed = append(installed, filepath.Base(r.App.Version))
	}
	if want := []string{"subject", "reference", "reference", "subject"}; !slices.Equal(order, want) {
		t.Errorf("the order is %v, want %v", order, want)
	}
	if want := []string{"new.apk", "old.apk", "old.apk", "new.apk"}; !slices.Equal(installed, want) {
		t.Errorf("the builds are %v, want %v", installed, want)
	}
	want := record.State{Battery: 85, Celsius: 26.8, Powered: true, Thermal: 0, Awake: true}
	if r := j.Runs[0]; r.Before != want || r.After != want || len(r.Notes) > 0 || r.App.Code != 7 {
		t.Errorf("the first run is %+v", r)
	}
}

// TestStoppedAnywhere cancels a recording before each of its commands. It must leave nothing on the
// phone and no partial file. Recording again must continue with that command.
func TestStoppedAnywhere(t *testing.T) {
	for name, test := range map[string]struct {
		setup func(*testing.T) (*recordtest.Phone, record.Options)
		// last is the number of commands at the end that only clean up, after all recordings are
		// complete.
		last int
	}{
		"methods": {func(t *testing.T) (*recordtest.Phone, record.Options) { return recordtest.New(), options(t) }, 1},
		"lines":   {func(t *testing.T) (*recordtest.Phone, record.Options) { return recordtest.New(), lined(t) }, 2},
		"counts":  {counting, 1},
	} {
		t.Run(name, func(t *testing.T) {
			whole, o := test.setup(t)
			if _, err := record.Record(t.Context(), whole, o); err != nil {
				t.Fatal(err)
			}
			for n := range whole.Commands {
				phone, o := test.setup(t)
				ctx, cancel := context.WithCancel(t.Context())
				_, err := record.Record(ctx, &stopped{Phone: phone, at: n, cancel: cancel}, o)
				cancel()
				if done := n >= len(whole.Commands)-test.last && err == nil; !errors.Is(err, context.Canceled) && !done {
					t.Fatalf("stopped at command %d: %v", n, err)
				}
				if left := phone.Left(); len(left) > 0 {
					t.Fatalf("stopped at command %d, %q: left on the phone: %v", n, whole.Commands[n], left)
				}
				written := files(t, o.Dir)
				for _, f := range written {
					if strings.HasSuffix(f, ".part") {
						t.Fatalf("stopped at command %d: left %s", n, f)
					}
				}
				if j, err := record.Record(t.Context(), phone, o); err != nil || len(j.Runs) != 4 {
					t.Fatalf("after a stop at command %d with %d files: %v", n, len(written), err)
				}
			}
		})
	}
}

// A stopped is a phone that cancels the recording before a command.
type stopped struct {
	*recordtest.Phone
	at     int
	cancel func()
}

func (s *stopped) Do(ctx context.Context, c record.Command) (string, error) {
	if len(s.Commands) == s.at {
		s.cancel()
		s.at = -1
	}
	return s.Phone.Do(ctx, c)
}

// adb returns an ADB that runs this program as adb. The program acts as a phone with the given
// state.
func adb(t *testing.T, state string) *record.ADB {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "phone.json")
	if err := os.WriteFile(path, []byte(state), 0o666); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PHONE", path)
	// Under the race detector, each process would otherwise sleep for a second when it exits.
	t.Setenv("GORACE", "atexit_sleep_ms=0")
	return &record.ADB{Path: program, Serial: "0A1B2C", Patience: time.Minute}
}

// TestCablePulled loses the connection at commands of all kinds, before and after they are
// executed.
func TestCablePulled(t *testing.T) {
	phone, o := adb(t, `{"LostAt": [2, 5, 8, 11, 14, 17, 20, 23, 26, 29, 32, 35]}`), options(t)
	o.Repeat = 1
	j, err := record.Record(t.Context(), phone, o)
	if err != nil {
		t.Fatal(err)
	}
	if len(j.Runs) != 2 || len(j.Runs[0].Notes) == 0 || !strings.Contains(j.Runs[0].Notes[0], "the phone was disconnected during adb ") {
		t.Errorf("runs are %+v", j.Runs)
	}
	if got := files(t, o.Dir); len(got) != 8 {
		t.Errorf("files are %v", got)
	}
}

// TestPhoneGone checks the instructions for cleaning up the phone by hand.
func TestPhoneGone(t *testing.T) {
	phone, o := adb(t, `{"LostAt": [13], "Gone": true}`), options(t)
	_, err := record.Record(t.Context(), phone, o)
	if err == nil || !strings.Contains(err.Error(), "once it is connected again, run: ") || !strings.Contains(err.Error(), "adb shell dumpsys battery reset") {
		t.Errorf("the error is %v", err)
	}
}

func TestErrors(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*recordtest.Phone, *record.Options)
		want   string
	}{
		"not profileable": {func(p *recordtest.Phone, _ *record.Options) { p.Flags = "" }, "cannot be profiled"},
		"not installed":   {func(p *recordtest.Phone, o *record.Options) { p.APK = ""; o.SubjectAPK, o.ReferenceAPK = "", "" }, "com.mine is not installed"},
		"old Android":     {func(p *recordtest.Phone, _ *record.Options) { p.SDK = 25 }, "needs Android 8"},
		"old Perfetto":    {func(p *recordtest.Phone, _ *record.Options) { p.SDK = 28 }, "--perfetto needs Android 10"},
		"old release":     {func(p *recordtest.Phone, o *record.Options) { p.SDK, p.Flags, o.Perfetto = 28, "", false }, "before Android 10 only builds with android:debuggable can"},
		"locked":          {func(p *recordtest.Phone, _ *record.Options) { p.Locked = true }, "the phone is locked"},
		"not running": {func(_ *recordtest.Phone, o *record.Options) {
			o.Attach, o.SubjectAPK, o.ReferenceAPK = true, "", ""
		}, "com.mine is not running; start it first"},
		"two icons": {func(p *recordtest.Phone, _ *record.Options) { p.Icons = []string{".Main", ".Other"} }, "com.mine has 2 launcher icons; choose the activity to start with --activity: com.mine/.Main, com.mine/.Other"},
		"work profile": {func(p *recordtest.Phone, _ *record.Options) {
			p.Users = "    User 0: ceDataInode=0 installed=false hidden=false\n    User 10: ceDataInode=9 installed=true hidden=false\n"
		}, "is installed for user 10 only"},
		"crash":     {func(p *recordtest.Phone, _ *record.Options) { p.DiesAt = 15 }, "com.mine ended while it was recorded"},
		"empty":     {func(p *recordtest.Phone, _ *record.Options) { p.Recorded = "" }, "the phone wrote nothing"},
		"no id":     {func(_ *recordtest.Phone, o *record.Options) { o.Package = "mine; reboot" }, "is not an application id"},
		"one build": {func(_ *recordtest.Phone, o *record.Options) { o.ReferenceAPK = "" }, "both builds"},
		"no build":  {func(_ *recordtest.Phone, o *record.Options) { o.ReferenceAPK = "none.apk" }, "none.apk"},
		"useless": {func(_ *recordtest.Phone, o *record.Options) {
			o.Check = func(context.Context, string) error { return errors.New("it is empty") }
		}, "is not usable: it is empty"},
		"scenario": {func(_ *recordtest.Phone, o *record.Options) {
			o.Scenario = func(context.Context, record.Run) error { return errors.New("exit status 1") }
		}, "the scenario failed: exit status 1"},
	} {
		t.Run(name, func(t *testing.T) {
			phone, o := recordtest.New(), options(t)
			test.change(phone, &o)
			_, err := record.Record(t.Context(), phone, o)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("the error is %v, want %q in it", err, test.want)
			}
			if left := phone.Left(); len(left) > 0 {
				t.Errorf("left on the phone: %v", left)
			}
			for _, f := range files(t, o.Dir) {
				if strings.HasSuffix(f, ".trace") || strings.HasSuffix(f, ".part") {
					t.Errorf("left %s", f)
				}
			}
		})
	}
}

// TestPhones records on phones in other states.
func TestPhones(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*recordtest.Phone, *record.Options)
		note   string
	}{
		"Android 8": {func(p *recordtest.Phone, o *record.Options) { p.SDK, p.Flags, o.Perfetto = 26, "DEBUGGABLE", false }, "the build is debuggable"},
		"LeakCanary": {func(p *recordtest.Phone, _ *record.Options) {
			p.Icons = []string{".Main", "leakcanary.internal.activity.LeakLauncherActivity"}
		}, "the app has 2 launcher icons; com.mine/.Main is started"},
		"two users": {func(p *recordtest.Phone, _ *record.Options) {
			p.Users = "    User 0: ceDataInode=1 installed=true hidden=false\n    User 10: ceDataInode=9 installed=true hidden=false\n"
		}, "also installed for user 10"},
		"locked": {func(p *recordtest.Phone, o *record.Options) {
			p.Locked, p.Running, o.Attach, o.SubjectAPK, o.ReferenceAPK = true, true, true, "", ""
		}, "the phone is locked: the app may not draw"},
	} {
		t.Run(name, func(t *testing.T) {
			phone, o := recordtest.New(), options(t)
			test.change(phone, &o)
			j, err := record.Record(t.Context(), phone, o)
			if err != nil {
				t.Fatal(err)
			}
			if notes := strings.Join(j.Runs[0].Notes, "; "); !strings.Contains(notes, test.note) {
				t.Errorf("the notes are %q, want %q", notes, test.note)
			}
			if left := phone.Left(); len(left) > 0 {
				t.Errorf("left on the phone: %v", left)
			}
		})
	}
}

// TestSelfTest checks the reports for phones that pass and for phones that fail.
func TestSelfTest(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*recordtest.Phone)
		failed int
		want   []string
	}{
		"good":      {func(*recordtest.Phone) {}, 0, []string{"ok      phone: Google Pixel 6, Android 15 (API 35)", "ok      attach", "ok      a system trace"}},
		"Android 8": {func(p *recordtest.Phone) { p.SDK, p.Flags = 26, "DEBUGGABLE" }, 0, []string{"skipped a system trace"}},
		"locked":    {func(p *recordtest.Phone) { p.Locked = true }, 6, []string{"FAILED  battery, heat and screen: the phone is locked", "FAILED  start with samples: the phone is locked"}},
		"no app":    {func(p *recordtest.Phone) { p.APK = "" }, 6, []string{"FAILED  app: com.mine is not installed"}},
	} {
		t.Run(name, func(t *testing.T) {
			phone, o := recordtest.New(), options(t)
			test.change(phone)
			failed, err := record.SelfTest(t.Context(), phone, o, "1.0")
			if err != nil || failed != test.failed {
				t.Errorf("%d failed, error %v; want %d", failed, err, test.failed)
			}
			data, err := os.ReadFile(filepath.Join(o.Dir, record.ReportName))
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range test.want {
				if !strings.Contains(string(data), want) {
					t.Errorf("the report lacks %q:\n%s", want, data)
				}
			}
			if strings.Contains(string(data), phone.Serial) {
				t.Error("the report has the serial number")
			}
			if left := phone.Left(); len(left) > 0 {
				t.Errorf("left on the phone: %v", left)
			}
		})
	}
}

// TestOtherRecordings checks that a folder never has runs with different options.
func TestOtherRecordings(t *testing.T) {
	phone, o := recordtest.New(), options(t)
	if _, err := record.Record(t.Context(), phone, o); err != nil {
		t.Fatal(err)
	}
	o.Sampling = 2 * time.Millisecond
	if _, err := record.Record(t.Context(), phone, o); err == nil || !strings.Contains(err.Error(), "made with other options") {
		t.Errorf("the error is %v", err)
	}
}

func TestChoose(t *testing.T) {
	for list, want := range map[string]string{
		"A\tdevice\n":                       "A",
		"A\tdevice\nB\toffline\n":           "A",
		"A\tdevice\nB\tdevice\n":            "2 phones are connected; choose one with --serial: A, B",
		"":                                  "no phone is connected",
		"A\tunauthorized\n":                 "A does not trust this machine yet",
		"A\toffline\n":                      "no phone is ready: A (offline)",
		"* daemon not running\nA\tdevice\n": "A",
	} {
		got, err := record.Choose(t.Context(), answering("List of devices attached\n"+list+"\n"), "")
		if err != nil {
			got = err.Error()
		}
		if !strings.HasPrefix(got, want) {
			t.Errorf("of %q: %s, want %s", list, got, want)
		}
	}
}

// An answering is a phone that gives the same answer to all commands.
type answering string

func (a answering) Do(context.Context, record.Command) (string, error) { return string(a), nil }
