package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// A pair is two recordings to compare.
type pair struct{ subject, reference string }

// String returns both paths, without the part that they have in common.
func (p pair) String() string {
	folder := filepath.Dir(p.subject)
	if other, err := filepath.Rel(folder, p.reference); err == nil {
		return filepath.Join(filepath.Base(folder), filepath.Base(p.subject)) + " : " + other
	}
	return p.subject + " : " + p.reference
}

// pairsOf returns the pairs that the arguments name.
func pairsOf(program string, args []string, most int) ([]pair, error) {
	if len(args) == 1 {
		return found(program, args[0], most)
	}
	if len(args) == 0 || len(args)%2 != 0 {
		return nil, errors.New("give a folder, or pairs of recordings")
	}
	var pairs []pair
	for both := range slices.Chunk(args, 2) {
		pairs = append(pairs, pair{both[0], both[1]})
	}
	return pairs, nil
}

// found returns the pairs in a folder and in the folders below it.
func found(program, root string, most int) ([]pair, error) {
	groups := make(map[string][]string)
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		if info, err := e.Info(); err != nil || info.Size() < 64 {
			return err
		}
		if format := formatOf(program, path); format != "" {
			group := filepath.Dir(path) + "\n" + format
			if len(groups[group]) < most {
				groups[group] = append(groups[group], path)
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("looking for recordings: %w", err)
	}
	var pairs []pair
	for _, list := range groups {
		slices.Sort(list)
		for i := range len(list) - 1 {
			pairs = append(pairs, pair{list[i], list[i+1]}, pair{list[i+1], list[i]})
		}
	}
	slices.SortFunc(pairs, func(a, b pair) int {
		return cmp.Or(strings.Compare(a.subject, b.subject), strings.Compare(a.reference, b.reference))
	})
	return pairs, nil
}

// formatOf returns the format of a recording. It is empty if diffprof cannot read the file.
func formatOf(program, path string) string {
	data, err := exec.Command(program, "info", "--format", "json", path).Output()
	var info struct {
		Files []struct {
			Recording *struct {
				Input struct{ Format string } `json:"input"`
			} `json:"recording"`
		} `json:"files"`
	}
	if err != nil || json.Unmarshal(data, &info) != nil || len(info.Files) != 1 || info.Files[0].Recording == nil {
		return ""
	}
	return info.Files[0].Recording.Input.Format
}

// chromium finds a Chromium in the way that the tests of the web app do. It returns "" if there is
// none.
func chromium() string {
	if path := os.Getenv("CHROMIUM"); path != "" {
		return path
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}
