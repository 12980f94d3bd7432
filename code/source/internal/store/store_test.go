package store

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/diffprof/diffprof/code/source/internal/outline"
)

// errParsed is returned by the parse functions of these tests.
var errParsed = errors.New("parsed")

// keep adds an outline. The test recognizes it by its package.
func keep(t *testing.T, s *Store, name, text, pkg string) {
	t.Helper()
	if _, err := s.Outline(name, []byte(text), func() (*outline.File, error) { return &outline.File{Package: pkg}, nil }); err != nil {
		t.Fatal(err)
	}
}

// found returns the package of a stored outline, or "parsed" if the outline is not stored.
func found(s *Store, name, text string) string {
	file, err := s.Outline(name, []byte(text), func() (*outline.File, error) { return nil, errParsed })
	if err != nil {
		return err.Error()
	}
	return file.Package
}

func TestStore(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "a", "b")
	roots := []string{"/x", "/y"}
	s := Open(folder, roots)
	keep(t, s, "A.kt", "one", "p")
	keep(t, s, "B.kt", "one", "q")
	if err := s.Save(); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ name, text, want string }{
		{"A.kt", "one", "p"}, {"B.kt", "one", "q"}, {"A.kt", "two", "parsed"}, {"C.kt", "one", "parsed"}, {"A.ktone", "", "parsed"},
	} {
		if got := found(Open(folder, roots), test.name, test.text); got != test.want {
			t.Errorf("%s %q: %s, want %s", test.name, test.text, got, test.want)
		}
	}
	for name, other := range map[string]*Store{"other roots": Open(folder, roots[:1]), "no folder": Open("", roots)} {
		if got := found(other, "A.kt", "one"); got != "parsed" {
			t.Errorf("%s: %s", name, got)
		}
		if err := other.Save(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	// Unused outlines are dropped the next time that something is written.
	s = Open(folder, roots)
	found(s, "A.kt", "one")
	if err := s.Save(); err != nil || found(Open(folder, roots), "B.kt", "one") != "q" {
		t.Error("a file was written that has nothing new", err)
	}
	keep(t, s, "C.kt", "three", "r")
	if err := s.Save(); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"A.kt one": "p", "B.kt one": "parsed", "C.kt three": "r"} {
		name, text, _ := strings.Cut(name, " ")
		if got := found(Open(folder, roots), name, text); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	if left, err := filepath.Glob(filepath.Join(folder, "*")); err != nil || len(left) != 1 {
		t.Errorf("the folder has %v", left)
	}
}

// TestDamage checks that a truncated file, or a file with a changed byte, never gives a wrong
// outline.
func TestDamage(t *testing.T) {
	folder := t.TempDir()
	s := Open(folder, nil)
	want := map[string]string{"A.kt": "p", "B.kt": "q", "C.kt": "r"}
	for name, pkg := range want {
		keep(t, s, name, "text", pkg)
	}
	if err := s.Save(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(s.path)
	if err != nil {
		t.Fatal(err)
	}
	check := func(data []byte, atLeast int) {
		t.Helper()
		if err := os.WriteFile(s.path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		damaged, n := Open(folder, nil), 0
		for name, pkg := range want {
			switch got := found(damaged, name, "text"); got {
			case pkg:
				n++
			case "parsed":
			default:
				t.Fatalf("%s: %s", name, got)
			}
		}
		if n < atLeast {
			t.Fatalf("%d of %d are left", n, len(want))
		}
	}
	check(whole, len(want))
	for i := range whole {
		check(whole[:i], 0)
		flipped := slices.Clone(whole)
		flipped[i] ^= 0x41
		check(flipped, 0)
	}
	check(append(slices.Clone(whole), "rest"...), len(want))
	flipped := slices.Clone(whole)
	flipped[len(whole)-1] ^= 1
	check(flipped, len(want)-1)
}

// TestBound checks that the least recently used files are removed.
func TestBound(t *testing.T) {
	folder := t.TempDir()
	now := time.Now()
	for i, name := range []string{"new" + suffix, "old" + suffix, "half" + suffix + ".new", "older" + suffix, "other"} {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, make([]byte, 100), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, now, now.Add(-time.Duration(i)*time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	if err := bound(folder, 250); err != nil {
		t.Fatal(err)
	}
	left, err := filepath.Glob(filepath.Join(folder, "*"))
	for i := range left {
		left[i] = filepath.Base(left[i])
	}
	if want := []string{"new" + suffix, "old" + suffix, "other"}; err != nil || !slices.Equal(left, want) {
		t.Errorf("%v is left, want %v", left, want)
	}
}

// TestSaveFails checks that Save returns an error and leaves no files if the folder cannot be
// created.
func TestSaveFails(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	s := Open(filepath.Join(file, "below"), nil)
	keep(t, s, "A.kt", "one", "p")
	if err := s.Save(); err == nil {
		t.Error("saved below a file")
	}
}
