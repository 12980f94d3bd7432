package analysis_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/trace"
)

// TestOwnCodeOfARun checks that a run's own code depends neither on its side nor on the order of
// the files.
func TestOwnCodeOfARun(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	stacks := func(pkg string) string {
		return "android.os.Handler.handle()V;" + pkg + ".Main.run()V;okio.Buffer.read()V 5\nandroid.os.Handler.handle()V;" + pkg + ".core.Store.get()V 3\n"
	}
	mine, theirs := write("mine.folded", stacks("com.mine")), write("theirs.folded", stacks("org.theirs"))
	mapping := write("mapping.txt", "org.theirs.core.Store -> org.theirs.core.Store:\n")
	o := analysis.Options{
		Subject: analysis.Side{Path: mine}, Reference: analysis.Side{Path: theirs, Mapping: mapping},
		Manifests: []string{write("build.gradle", "namespace 'com.mine.core'"), write("AndroidManifest.xml", `<manifest package="com.none"/>`)},
		Sources:   []string{filepath.Dir(write("a/A.java", "package com.mine.core; class A {}")), filepath.Dir(write("b/B.kt", "package net.mine\nclass B"))},
	}
	first := compare(t, o)
	o.Subject.Path, o.Reference.Path, o.Subject.Mapping, o.Reference.Mapping = theirs, mine, mapping, ""
	slices.Reverse(o.Manifests)
	slices.Reverse(o.Sources)
	second := compare(t, o)
	if !reflect.DeepEqual(first.Subject.Own, second.Reference.Own) || !reflect.DeepEqual(first.Reference.Own, second.Subject.Own) {
		t.Errorf("own code is %+v and %+v,\nand the other way round %+v and %+v", first.Subject.Own, first.Reference.Own, second.Reference.Own, second.Subject.Own)
	}
	if got, want := first.Subject.Own.Packages, []string{"com.mine.core"}; !slices.Equal(got, want) {
		t.Errorf("own packages %q, want %q", got, want)
	}
	if got, want := first.Reference.Own.Packages, []string{"org.theirs.core"}; !slices.Equal(got, want) {
		t.Errorf("own packages of the other app %q, want %q", got, want)
	}
}

// TestOwnCodeOfAJDK checks a library that is part of Android but not of the JDK. In a run on a JDK,
// it is the app's code, and in a run on a phone it is not. The methods of either side show the
// platform of both sides.
func TestOwnCodeOfAJDK(t *testing.T) {
	const call = "org.json.JSONObject.put()V;java.util.HashMap.put()V 5\n"
	folder := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	desktop, phone := write("jdk.folded", "sun.nio.ch.Net.poll()V;"+call), write("phone.folded", "android.os.Handler.handle()V;"+call)
	for _, c := range []struct {
		path string
		want []string
	}{{desktop, []string{"org.json"}}, {phone, nil}} {
		in, err := analysis.Read(t.Context(), analysis.Options{Subject: analysis.Side{Path: c.path}})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(in.Own.Packages, c.want) {
			t.Errorf("%s: own packages %q, want %q", filepath.Base(c.path), in.Own.Packages, c.want)
		}
	}
	r := compare(t, analysis.Options{Subject: analysis.Side{Path: desktop}, Reference: analysis.Side{Path: phone}})
	if len(r.Subject.Own.Packages)+len(r.Reference.Own.Packages) > 0 {
		t.Errorf("compared with a run on a phone, own packages are %q and %q", r.Subject.Own.Packages, r.Reference.Own.Packages)
	}
}

// TestOwnCodeOfRealRuns checks the own code that names show in real recordings.
func TestOwnCodeOfRealRuns(t *testing.T) {
	const data = "../../shared/data/"
	if _, err := os.Stat(data); err != nil {
		t.Skipf("there are no real recordings: %v", err)
	}
	for file, want := range map[string]string{
		// Names without packages show nothing.
		"folded/asyncprofiler-sample1.collapsed": "untold", "folded/asyncprofiler-sample2.collapsed": "untold",
		// Apps without a package.
		"jfr/speedscope-heavy.jfr": " by trace", "petra/com.orbiscom.ATMHunter/routineCosts.csv": " by trace",
		"petra/com.batterydrainer/routineCosts.csv": " by trace", "jfr/pyroscope-dump1.jfr.gz": ", io.pyroscope.labels by trace",
		// Apps of known libraries, and a program that was the only one to run.
		"folded/flamegraph-perf-vertx-stacks-01-collapsed-all.txt": "none", "folded/flamegraph-perf-iperf-stacks-pidtid-01-collapsed-all.txt": ", iperf by trace",
	} {
		in, err := analysis.Read(context.Background(), analysis.Options{Subject: analysis.Side{Path: data + file}})
		if err != nil {
			t.Error(err)
			continue
		}
		got := "none"
		switch own := in.Own; {
		case own.Unknown:
			got = "untold"
		case len(own.By) > 0:
			got = fmt.Sprint(strings.Join(own.Packages, ", "), " by ", own.By[0])
		}
		warned := slices.ContainsFunc(in.Trace.Warnings, func(w trace.Warning) bool { return w.Code == "unpackaged" })
		if got != want || warned != (want == "untold") {
			t.Errorf("%s: own code is %q, want %q; warned %v", file, got, want, warned)
		}
	}
}

// TestStartOfProgram has a program whose first function belongs to the system. All other functions
// are its own, although they are in the same file.
func TestStartOfProgram(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.perf-script")
	text := "app 7 1.000000: 1000000 cpu-clock:\n\t401000 decode (/opt/app)\n\t401100 main (/opt/app)\n\t401200 _start (/opt/app)\n\n" +
		"app 7 1.001000: 1000000 cpu-clock:\n\t401000 decode (/opt/app)\n\t401100 main (/opt/app)\n\t401200 _start (/opt/app)\n\n"
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	in, err := analysis.ReadFile(t.Context(), analysis.Options{Subject: analysis.Side{Path: path}})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(in.Own.Packages, []string{"app"}) {
		t.Errorf("own packages are %q, want app", in.Own.Packages)
	}
	for i, m := range in.Tree.Source.Methods {
		if own := in.Own.Methods[i] != ""; own != (m.Name == "decode" || m.Name == "main") {
			t.Errorf("%v is own: %v", m, own)
		}
	}
}
