package analysis_test

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/diffprof/diffprof/analysis"
)

// TestOwnCodeOfARun: what is a run's own code does not depend on the side that the run is,
// nor on the order in which files are named.
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
		Subject: mine, Reference: theirs, MappingReference: mapping,
		Manifests: []string{write("build.gradle", "namespace 'com.mine.core'"), write("AndroidManifest.xml", `<manifest package="com.none"/>`)},
		Sources:   []string{filepath.Dir(write("a/A.java", "package com.mine.core; class A {}")), filepath.Dir(write("b/B.kt", "package net.mine\nclass B"))},
	}
	first := compare(t, o)
	o.Subject, o.Reference, o.MappingSubject, o.MappingReference = theirs, mine, mapping, ""
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
