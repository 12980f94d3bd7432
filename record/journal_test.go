package record

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestOtherOptions checks that a folder takes more runs with the same options only, and that the
// error describes the runs that are there.
func TestOtherOptions(t *testing.T) {
	device := Device{Model: "Pixel 7", Serial: "1234"}
	base := func() Options { return Options{Package: "com.mine", For: 5 * time.Second} }
	scenario := func(context.Context, Run) error { return nil }
	for _, c := range []struct {
		name string
		set  func(o *Options)
		want string
	}{
		{"nothing", func(*Options) {}, "com.mine, every call, 5s, on Pixel 7 1234"},
		{"package", func(o *Options) { o.Package = "com.other" }, "com.other, every call, 5s, on Pixel 7 1234"},
		{"length", func(o *Options) { o.For = 90 * time.Second }, "com.mine, every call, 1m30s, on Pixel 7 1234"},
		{"scenario", func(o *Options) { o.Scenario = scenario }, "com.mine, every call, a scenario, on Pixel 7 1234"},
		{"counting", func(o *Options) { o.Counting = true }, "com.mine, counted by the app, 5s, on Pixel 7 1234"},
		{"samples", func(o *Options) { o.Sampling = time.Millisecond }, "com.mine, samples every 1000 µs, 5s, on Pixel 7 1234"},
		{"lines", func(o *Options) { o.Sampling, o.Lines = time.Millisecond, true }, "com.mine, samples every 1000 µs by simpleperf, 5s, on Pixel 7 1234"},
		{"activity", func(o *Options) { o.Activity = ".Main" }, "com.mine, every call, 5s, on Pixel 7 1234, starting .Main"},
		{"attached", func(o *Options) { o.Attach = true }, "com.mine, every call, 5s, on Pixel 7 1234, as it runs"},
		{"app", func(o *Options) { o.APK = "a.apk" }, "com.mine, every call, 5s, on Pixel 7 1234, a.apk"},
		{"two apps", func(o *Options) { o.SubjectAPK, o.ReferenceAPK = "a.apk", "b.apk" }, "com.mine, every call, 5s, on Pixel 7 1234, a.apk against b.apk"},
	} {
		o := base()
		c.set(&o)
		o.Dir = t.TempDir()
		j, err := openJournal(o, device)
		if err != nil {
			t.Fatal(err)
		}
		j.Runs = []Run{{}, {}}
		data, err := json.Marshal(j)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(o.Dir, journalName)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if again, err := openJournal(o, device); err != nil || len(again.Runs) != 2 {
			t.Errorf("%s: again %+v, %v", c.name, again, err)
		}
		other := base()
		other.Dir = o.Dir
		if c.name == "nothing" {
			other.Package = "com.another"
		}
		_, err = openJournal(other, device)
		if want := path + ": the recordings in this folder were made with other options (" + c.want + "); choose another folder"; err == nil || err.Error() != want {
			t.Errorf("%s: got %v\nwant %s", c.name, err, want)
		}
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, journalName), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := openJournal(Options{Dir: dir}, device); err == nil || !strings.Contains(err.Error(), "; remove it, or choose another folder") {
		t.Errorf("a damaged journal: %v", err)
	}
}
