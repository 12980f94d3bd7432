package record_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/record"
	"github.com/diffprof/diffprof/record/recordtest"
)

// lined returns options that record lines of two builds.
func lined(t *testing.T) record.Options {
	o := options(t)
	o.Lines, o.Sampling = true, 1_000_000
	return o
}

func TestRecordLines(t *testing.T) {
	phone, o := recordtest.New(), lined(t)
	j, err := record.Record(t.Context(), phone, o)
	if err != nil {
		t.Fatal(err)
	}
	if left := phone.Left(); len(left) > 0 {
		t.Errorf("left on the phone: %v", left)
	}
	if phone.Compilation != "true" {
		t.Error("the app was compiled without line tables")
	}
	if len(j.Runs) != 4 || !j.Lines {
		t.Fatalf("%+v", j)
	}
	for _, r := range j.Runs {
		data, err := os.ReadFile(filepath.Join(o.Dir, r.Trace))
		if err != nil || string(data) != phone.Recorded || filepath.Ext(r.Trace) != ".data" {
			t.Errorf("%s: %q, %v", r.Trace, data, err)
		}
		if len(r.Files) != 3 {
			t.Fatalf("the files of a run are %v", r.Files)
		}
		for _, f := range r.Files {
			want := phone.Installed[f.From]
			if f.SHA256 != fmt.Sprintf("%x", sha256.Sum256([]byte(want))) || filepath.ToSlash(f.Path) != r.Side+"/symfs"+f.From {
				t.Errorf("the file is %+v", f)
			}
			if data, err := os.ReadFile(filepath.Join(o.Dir, f.Path)); err != nil || string(data) != want {
				t.Errorf("%s: %q, %v", f.Path, data, err)
			}
		}
		if len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "split_a.odex") {
			// The run after the compilation has the notes about files.
			if r.Number == 1 || len(r.Notes) > 1 {
				t.Errorf("the notes are %q", r.Notes)
			}
		}
	}
	compiled := 0
	for _, c := range phone.Commands {
		if strings.Contains(c, "compile -f") {
			compiled++
		}
		if strings.Contains(c, "profile") {
			t.Errorf("the profiler is used: %s", c)
		}
	}
	if compiled != 3 { // The builds are installed in the order A B B A.
		t.Errorf("the app was compiled %d times", compiled)
	}
	// Recording other samples of the app in the same folder is an error.
	o.Lines = false
	if _, err := record.Record(t.Context(), phone, o); err == nil || !strings.Contains(err.Error(), "by simpleperf") {
		t.Error(err)
	}
}

// TestLinesKeepProperty checks that the compiler's property gets its old value back.
func TestLinesKeepProperty(t *testing.T) {
	phone, o := recordtest.New(), lined(t)
	phone.Property = "false"
	if _, err := record.Record(t.Context(), phone, o); err != nil {
		t.Fatal(err)
	}
	if phone.Property != "false" || phone.Compilation != "true" {
		t.Errorf("the property is %q, and was %q", phone.Property, phone.Compilation)
	}
}

// A twice is a phone that gets each command twice, as after a lost connection. It returns the
// second answer.
type twice struct{ *recordtest.Phone }

func (p twice) Do(ctx context.Context, c record.Command) (string, error) {
	_, _ = p.Phone.Do(ctx, c)
	return p.Phone.Do(ctx, c)
}

// TestLinesTwice sends each command twice.
func TestLinesTwice(t *testing.T) {
	phone := twice{recordtest.New()}
	if j, err := record.Record(t.Context(), phone, lined(t)); err != nil || len(j.Runs) != 4 {
		t.Fatal(j, err)
	}
	if left := phone.Left(); len(left) > 0 {
		t.Errorf("left on the phone: %v", left)
	}
}

// diesAt returns the number of the first command after which a run checks whether the app still
// runs.
func diesAt(t *testing.T) int {
	t.Helper()
	phone, o := recordtest.New(), lined(t)
	o.BatteryStats = false
	if _, err := record.Record(t.Context(), phone, o); err != nil {
		t.Fatal(err)
	}
	return slices.Index(phone.Commands, "shell pidof com.mine") + 1
}

func TestLinesErrors(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*recordtest.Phone, *record.Options)
		want   string
	}{
		"old phone":        {func(p *recordtest.Phone, o *record.Options) { p.SDK, o.Perfetto = 28, false }, "--lines needs Android 10"},
		"not profileable":  {func(p *recordtest.Phone, _ *record.Options) { p.Flags = "" }, "cannot be profiled"},
		"not compiled":     {func(p *recordtest.Phone, _ *record.Options) { p.Compiling = "Failure: package not compiled" }, "compiling com.mine: adb shell cmd package compile: Failure: package not compiled"},
		"no files":         {func(p *recordtest.Phone, _ *record.Options) { p.Installed = nil }, "no APK"},
		"no sampler":       {func(p *recordtest.Phone, _ *record.Options) { p.Sampler = "simpleperf: E not allowed" }, "simpleperf ended on the phone: simpleperf: E not allowed"},
		"other simpleperf": {func(p *recordtest.Phone, _ *record.Options) { p.Sampling = true }, "simpleperf runs on the phone already"},
		"crashed":          {func(p *recordtest.Phone, _ *record.Options) { p.DiesAt = diesAt(t) }, "com.mine ended while it was recorded"},
		"every call":       {func(_ *recordtest.Phone, o *record.Options) { o.Sampling = 0 }, "leave out --sampling off"},
		"instrumented":     {func(_ *recordtest.Phone, o *record.Options) { o.Counting = true }, "--paths"},
		"damaged": {func(_ *recordtest.Phone, o *record.Options) {
			o.Check = func(context.Context, string) error { return errors.New("damaged") }
		}, "not usable: damaged"},
		"scenario": {func(_ *recordtest.Phone, o *record.Options) {
			o.Scenario = func(context.Context, record.Run) error { return errors.New("exit status 1") }
		}, "the scenario failed"},
	} {
		t.Run(name, func(t *testing.T) {
			phone, o := recordtest.New(), lined(t)
			o.BatteryStats = false
			test.change(phone, &o)
			already := phone.Sampling
			_, err := record.Record(t.Context(), phone, o)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("the error is %v, want %s\n%s", err, test.want, strings.Join(phone.Commands, "\n"))
			}
			if phone.Sampling != already {
				t.Error("another simpleperf was ended")
			}
			phone.Sampling = false
			if left := phone.Left(); len(left) > 0 {
				t.Errorf("left on the phone: %v", left)
			}
		})
	}
}

// TestRehearseLines checks the printed commands that a phone would get.
func TestRehearseLines(t *testing.T) {
	o := lined(t)
	o.Perfetto, o.BatteryStats, o.Repeat = false, false, 1
	o.APK, o.SubjectAPK, o.ReferenceAPK = o.SubjectAPK, "", ""
	var b bytes.Buffer
	if _, err := record.Record(t.Context(), &record.DryRun{Out: &b, Dir: o.Dir, Shown: "runs"}, o); err != nil {
		t.Fatal(err)
	}
	var got []string
	for line := range strings.Lines(b.String()) {
		if strings.Contains(line, "debug-info") || strings.Contains(line, "compile") || strings.Contains(line, "simpleperf") || strings.Contains(line, "pull") || strings.Contains(line, "am start") {
			got = append(got, strings.TrimSpace(line))
		}
	}
	want := []string{
		"adb shell getprop debug.generate-debug-info",
		"adb shell setprop debug.generate-debug-info true",
		"adb shell cmd package compile -f -m speed com.mine",
		"adb shell setprop debug.generate-debug-info ''",
		"adb pull /data/app/com.mine/base.apk runs/symfs/data/app/com.mine/base.apk",
		"adb pull /data/app/com.mine/oat/arm64/base.odex runs/symfs/data/app/com.mine/oat/arm64/base.odex",
		"adb pull /data/app/com.mine/oat/arm64/base.vdex runs/symfs/data/app/com.mine/oat/arm64/base.vdex",
		"adb shell pidof simpleperf || true",
		"adb shell [ -s /data/local/tmp/diffprof-com.mine.pid ] || { nohup simpleperf record --app com.mine -e task-clock:u -f 1000 -g -o /data/local/tmp/diffprof-com.mine.data </dev/null >/data/local/tmp/diffprof-com.mine.log 2>&1 & echo $! >/data/local/tmp/diffprof-com.mine.pid; }; cat /data/local/tmp/diffprof-com.mine.pid",
		"adb shell am start-activity -S -W -n com.mine/ACTIVITY",
		"adb pull /data/local/tmp/diffprof-com.mine.data runs/run-1.data",
		"adb shell cmd package compile --reset com.mine",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
