package main

import (
	"archive/zip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	instrument "github.com/diffprof/diffprof/instrument/runtime"
	"github.com/diffprof/diffprof/record"
)

// TestCounting checks which builds count their calls themselves.
func TestCounting(t *testing.T) {
	dir := t.TempDir()
	build := func(name string, entries ...string) string {
		path := filepath.Join(dir, name)
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		w := zip.NewWriter(f)
		for _, e := range entries {
			if _, err := w.Create(e); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return path
	}
	plain, changed := build("plain.apk", "classes.dex"), build("calls.apk", "classes.dex", instrument.MapEntry)
	text := filepath.Join(dir, "text.apk")
	if err := os.WriteFile(text, []byte("text"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		o    record.Options
		want string
	}{
		{record.Options{}, "false"},
		{record.Options{APK: changed}, "true"},
		{record.Options{APK: plain}, "plain.apk does not count its calls; diffprof instrument"},
		{record.Options{APK: text}, "text.apk: offset 4: APK: no end of a zip archive"},
		{record.Options{APK: filepath.Join(dir, "missing.apk")}, "no such file"},
		{record.Options{SubjectAPK: plain, ReferenceAPK: text}, "false"},
		{record.Options{SubjectAPK: changed, ReferenceAPK: changed}, "true"},
		{record.Options{SubjectAPK: changed, ReferenceAPK: plain}, "instrument both builds or neither"},
	} {
		got := "false"
		if is, err := counting(c.o); err != nil {
			got = err.Error()
		} else if is {
			got = "true"
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("%+v: %s, want %s", c.o, got, c.want)
		}
	}
}
