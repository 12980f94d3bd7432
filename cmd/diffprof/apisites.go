package main

import (
	"context"
	"fmt"
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

// readAPISites compares the call sites in an APK with a table of API costs.
func readAPISites(ctx context.Context, path string, table *apicost.Table, o analysis.Options) (*analysis.APISites, error) {
	known, err := analysis.Platform(o)
	if err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	archive, err := apk.Open(f, info.Size())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	sites := make(map[name.Method]int64)
	unclear, err := instrument.Sites(ctx, []instrument.Part{{Name: path, Archive: archive}}, func(_, callee name.Method) { sites[callee]++ })
	if err != nil {
		return nil, err
	}
	return &analysis.APISites{Path: path, Survey: apicost.NewSurvey(table, sites, known.Supertypes), Unclear: unclear}, nil
}
