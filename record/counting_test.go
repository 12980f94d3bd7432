package record_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/record"
	"github.com/diffprof/diffprof/record/recordtest"
)

// counting returns a phone with an instrumented app that cannot be profiled, and the options to
// record it.
func counting(t *testing.T) (*recordtest.Phone, record.Options) {
	phone, o := recordtest.New(), options(t)
	phone.Flags = ""
	phone.Counts = map[string]string{"ab.calls-map": "map ", "com.mine-1-5.calls": "main ", "com.mine_sync-2-6.calls": "sync ", "x.part": "part"}
	o.Counting = true
	return phone, o
}

func TestRecordCounting(t *testing.T) {
	phone, o := counting(t)
	j, err := record.Record(t.Context(), phone, o)
	if err != nil {
		t.Fatal(err)
	}
	if left := phone.Left(); len(left) > 0 || phone.Running {
		t.Errorf("left on the phone: %v", left)
	}
	if len(j.Runs) != 4 || !j.Counting {
		t.Errorf("%+v", j)
	}
	for _, r := range j.Runs {
		data, err := os.ReadFile(filepath.Join(o.Dir, r.Trace))
		if err != nil || string(data) != "map main sync " || filepath.Ext(r.Trace) != ".calls" {
			t.Errorf("%s: %q, %v", r.Trace, data, err)
		}
	}
	for _, c := range phone.Commands {
		if strings.Contains(c, "profile") {
			t.Errorf("the profiler is used: %s", c)
		}
	}
	// Recording the app differently in the same folder is an error.
	o.Counting = false
	if _, err := record.Record(t.Context(), phone, o); err == nil || !strings.Contains(err.Error(), "counted by the app") {
		t.Error(err)
	}
}

func TestRecordOneCountingBuild(t *testing.T) {
	phone, o := counting(t)
	o.APK, o.SubjectAPK, o.ReferenceAPK = o.SubjectAPK, "", ""
	j, err := record.Record(t.Context(), phone, o)
	if err != nil || len(j.Runs) != 2 || !strings.HasSuffix(j.Runs[0].App.Version, "new.apk") {
		t.Error(j, err)
	}
	installs := slices.DeleteFunc(phone.Commands, func(c string) bool { return !strings.HasPrefix(c, "install") })
	if len(installs) != 1 {
		t.Error(installs)
	}
}

// TestRecordSplits records a build that consists of several APKs.
func TestRecordSplits(t *testing.T) {
	phone, o := counting(t)
	folder := t.TempDir()
	o.APK, o.SubjectAPK, o.ReferenceAPK = folder, "", ""
	if _, err := record.Record(t.Context(), phone, o); err == nil || !strings.Contains(err.Error(), "the folder has no APK") {
		t.Error(err)
	}
	for _, name := range []string{"base.apk", "split_config.en.apk", "calls.calls-map"} {
		if err := os.WriteFile(filepath.Join(folder, name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if j, err := record.Record(t.Context(), phone, o); err != nil || len(j.Runs) != 2 {
		t.Error(j, err)
	}
	want := "install-multiple -r -d -t " + filepath.Join(folder, "base.apk") + " " + filepath.Join(folder, "split_config.en.apk")
	installs := slices.DeleteFunc(phone.Commands, func(c string) bool { return !strings.HasPrefix(c, "install") })
	if !slices.Equal(installs, []string{want}) {
		t.Errorf("%q, want %q", installs, want)
	}
}

func TestCountingErrors(t *testing.T) {
	const log = `I/art     ( 4711): a line
E/AndroidRuntime( 4711): java.lang.VerifyError: Verifier rejected class com.mine.Feed: void com.mine.Feed.load(int) failed to verify: void com.mine.Feed.load(int): [0x12] register v3 has type Conflict
E/AndroidRuntime( 4711): java.lang.VerifyError: Verifier rejected class com.mine.Feed: void com.mine.Feed.load(int) failed to verify: void com.mine.Feed.load(int): [0x12] again
W/art     ( 4711): java.lang.VerifyError: Rejecting class com.mine.Late$1
`
	for name, test := range map[string]struct {
		change func(*recordtest.Phone, *record.Options)
		want   string
	}{
		"not instrumented": {func(p *recordtest.Phone, _ *record.Options) { p.Counts = nil }, "is the installed build the one that diffprof instrument wrote?"},
		"map alone": {func(p *recordtest.Phone, _ *record.Options) {
			delete(p.Counts, "com.mine-1-5.calls")
			delete(p.Counts, "com.mine_sync-2-6.calls")
		}, "has not counted calls"},
		"rejected":       {func(p *recordtest.Phone, _ *record.Options) { p.Log = log }, "the phone rejected com.mine.Feed, com.mine.Late$1 because of void com.mine.Feed.load(int); instrument the app again with --exclude com.mine.Feed --exclude com.mine.Late$1"},
		"crashed":        {func(p *recordtest.Phone, _ *record.Options) { p.Log, p.DiesAt = log, 13 }, "the phone rejected com.mine.Feed"},
		"crashed itself": {func(p *recordtest.Phone, _ *record.Options) { p.DiesAt = 13 }, "com.mine ended while it was recorded"},
		"attach":         {func(_ *recordtest.Phone, o *record.Options) { o.Attach, o.SubjectAPK, o.ReferenceAPK = true, "", "" }, "without --attach"},
		"three builds":   {func(_ *recordtest.Phone, o *record.Options) { o.APK = o.SubjectAPK }, "not both"},
		"damaged": {func(_ *recordtest.Phone, o *record.Options) {
			o.Check = func(context.Context, string) error { return errors.New("damaged") }
		}, "the app's recording is not usable: damaged"},
	} {
		t.Run(name, func(t *testing.T) {
			phone, o := counting(t)
			o.Perfetto, o.BatteryStats = false, false
			test.change(phone, &o)
			_, err := record.Record(t.Context(), phone, o)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("the error is %v, want %s\n%s", err, test.want, strings.Join(phone.Commands, "\n"))
			}
			if left := phone.Left(); len(left) > 0 {
				t.Errorf("left on the phone: %v", left)
			}
		})
	}
}

// TestRehearseCounting checks the printed commands that a phone would get.
func TestRehearseCounting(t *testing.T) {
	_, o := counting(t)
	o.Perfetto, o.BatteryStats, o.Repeat = false, false, 1
	o.APK, o.SubjectAPK, o.ReferenceAPK = o.SubjectAPK, "", ""
	var b bytes.Buffer
	if _, err := record.Record(t.Context(), &record.DryRun{Out: &b, Dir: o.Dir, Shown: "runs"}, o); err != nil {
		t.Fatal(err)
	}
	const want = `adb shell am start-activity -S -W -n com.mine/ACTIVITY
adb shell pidof com.mine
adb shell am force-stop com.mine
adb shell logcat -d -v brief -T '01-01 00:00:00.000'
`
	if !strings.Contains(b.String(), want) || !strings.Contains(b.String(), "adb shell rm -rf /sdcard/Android/data/com.mine/files/diffprof-calls\n") {
		t.Errorf("got:\n%s\nwant:\n%s", b.String(), want)
	}
}
