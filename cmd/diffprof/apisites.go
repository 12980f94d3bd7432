package main

import (
	"context"
	"os"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/apk"
	"github.com/diffprof/diffprof/energy/apicost"
	"github.com/diffprof/diffprof/instrument"
	"github.com/diffprof/diffprof/name"
)

// isApp reports whether a file is an Android package with code.
func isApp(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	var head [4]byte
	if _, err := f.ReadAt(head[:], 0); err != nil || string(head[:]) != "PK\x03\x04" {
		return false
	}
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	archive, err := apk.Open(f, info.Size())
	return err == nil && (archive.Entry("AndroidManifest.xml") != nil || len(archive.Dex()) > 0)
}

// readAPISites looks up the calls in an app in a table of API costs. paths are the files of the
// app: its APK, or a base APK and its splits.
func readAPISites(ctx context.Context, paths []string, table *apicost.Table, o analysis.Options) (*analysis.APISites, error) {
	known, err := analysis.Platform(o)
	if err != nil {
		return nil, err
	}
	var parts []instrument.Part
	for _, path := range paths {
		part, file, err := openPart(path)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		parts = append(parts, part)
	}
	sites := make(map[name.Method]int64)
	unclear, err := instrument.Sites(ctx, parts, func(_, callee name.Method) { sites[callee]++ })
	if err != nil {
		return nil, err
	}
	return &analysis.APISites{Path: paths[0], Splits: paths[1:], Survey: apicost.NewSurvey(table, sites, known.Supertypes), Unclear: unclear}, nil
}
