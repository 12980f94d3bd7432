package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// compareBlocks compares how often each block began with how often diffprof says that its line ran.
func compareBlocks(w io.Writer, list, counts, figures string) error {
	sites, err := readSites(list)
	if err != nil {
		return err
	}
	want, err := readCounts(counts, sites)
	if err != nil {
		return err
	}
	got, err := readLines(figures)
	if err != nil {
		return err
	}
	begun, times, different := 0, int64(0), 0
	methods := make(map[string]bool)
	var report strings.Builder
	for _, s := range sites {
		n := want[s]
		times += n
		if n > 0 {
			begun++
			methods[s.method] = true
		}
		if got[s] == n {
			continue
		}
		if different++; different <= shown {
			fmt.Fprintf(&report, "  %d times by diffprof, %d by the calls: %s, line %d\n", got[s], n, s.method, s.line)
		}
	}
	fmt.Fprintf(w, "%d blocks of %d methods began %d times\n", begun, len(methods), times)
	if begun == 0 {
		return errors.New("no block began")
	}
	if different > 0 {
		fmt.Fprint(w, report.String())
		return fmt.Errorf("%d counts differ", different)
	}
	return nil
}

// readSites reads the list of blocks that mark wrote.
func readSites(path string) ([]site, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var sites []site
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		var s site
		if n, _ := fmt.Sscan(lines.Text(), &s.method, &s.line); n != 2 {
			return nil, fmt.Errorf("%s:%d: not a method and a line: %q", path, len(sites)+1, lines.Text())
		}
		sites = append(sites, s)
	}
	return sites, lines.Err()
}

// readCounts reads how often each block began: lines with a count and the index of a site. Several
// lines of one site add up.
func readCounts(path string, sites []site) (map[site]int64, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	counts := make(map[site]int64)
	lines := bufio.NewScanner(file)
	for number := 1; lines.Scan(); number++ {
		var n int64
		var i int
		if got, _ := fmt.Sscan(lines.Text(), &n, &i); got != 2 {
			return nil, fmt.Errorf("%s:%d: not a count and a block: %q", path, number, lines.Text())
		}
		if i < 0 || i >= len(sites) {
			return nil, fmt.Errorf("%s:%d: no block has the number %d", path, number, i)
		}
		counts[sites[i]] += n
	}
	return counts, lines.Err()
}

// readLines reads the JSON of diffprof lines.
func readLines(path string) (map[site]int64, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var doc struct {
		Executions *struct {
			Unknown int64
			Total   int
			Rows    []struct {
				Method string
				Line   int
				Count  int64
			}
		}
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	switch e := doc.Executions; {
	case e == nil:
		return nil, fmt.Errorf("%s: the recording has no paths", path)
	case e.Unknown > 0:
		return nil, fmt.Errorf("%s: %d paths are unknown", path, e.Unknown)
	case e.Total != len(e.Rows):
		return nil, fmt.Errorf("%s: %d of %d lines are listed", path, len(e.Rows), e.Total)
	}
	counts := make(map[site]int64)
	for _, row := range doc.Executions.Rows {
		counts[site{row.Method, row.Line}] += row.Count
	}
	return counts, nil
}
