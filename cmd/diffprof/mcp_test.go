package main

import (
	"os"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/code/platform"
	"github.com/diffprof/diffprof/mcp"
)

// TestAssistantSource checks that each request reads diffprof.yaml again, and compares with the
// sources of the folder.
func TestAssistantSource(t *testing.T) {
	t.Chdir(t.TempDir())
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("new.folded", "com.news.Main.main;android.os.Handler.dispatchMessage;com.news.Feed.bind;java.util.Collections.sort 900000\n")
	write("old.folded", "com.news.Main.main;android.os.Handler.dispatchMessage;com.news.Feed.bind;java.util.Collections.sort 100000\n")
	write("Feed.java", "package com.news;\n\nclass Feed {\n    void bind() {}\n}\n")
	f := mcpFlags{index: mcp.NewIndex("", ".")}
	s, err := f.current(t.Context())
	if err != nil || s.Subject.Path != "" || s.History == "" {
		t.Fatalf("without a file the settings name %q and the history %q: %v", s.Subject.Path, s.History, err)
	}
	write("diffprof.yaml", "subject: new.folded\nreference: old.folded\n")
	if s, err = f.current(t.Context()); err != nil || s.Subject.Path != "new.folded" {
		t.Fatalf("the settings name %q: %v", s.Subject.Path, err)
	}
	set, err := f.answer(t.Context(), s)
	if err != nil || len(set.Tasks()) == 0 {
		t.Fatal(set, err)
	}
	if by := set.Result.Subject.Own.By; len(by) == 0 || by[0] != platform.BySources {
		t.Errorf("own code is known by %v, not by the sources of the folder", by)
	}
	write("diffprof.yaml", "subjekt: new.folded\n")
	if _, err = f.current(t.Context()); err == nil || !strings.Contains(err.Error(), "line 1") {
		t.Errorf("a mistake in the settings: %v", err)
	}
}

// TestTokens checks that one row fits into an answer with the smallest limit.
func TestTokens(t *testing.T) {
	if _, err := parseTokens("499"); err == nil {
		t.Error("an answer of 499 tokens is allowed")
	}
	if n, err := parseTokens("500"); err != nil || n != 500 {
		t.Error(n, err)
	}
}
